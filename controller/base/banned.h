/*
 * banned: functions that do not compile in this tree. Force-included into every C file of ours by
 * the Makefile. Each has a bounded or a typed replacement, named beside it.
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

/* What these declare must be seen before the names are taken away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BANNED(function) sorry_##function##_is_banned_see_base_banned_h

#undef strcpy
#define strcpy(a, b) BANNED(strcpy) /* struct buf */
#undef strcat
#define strcat(a, b) BANNED(strcat) /* struct buf */
#undef strncpy
#define strncpy(a, b, c) BANNED(strncpy) /* memcpy with a known length */
#undef strncat
#define strncat(a, b, c) BANNED(strncat) /* struct buf */
#undef strtok
#define strtok(a, b) BANNED(strtok) /* str_split */
#undef strtok_r
#define strtok_r(a, b, c) BANNED(strtok_r) /* str_split */
#undef sprintf
#define sprintf(...) BANNED(sprintf) /* snprintf, buf_printf */
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf) /* vsnprintf, buf_vprintf */
#undef gets
#define gets(a) BANNED(gets) /* nothing needs it */
#undef atoi
#define atoi(a) BANNED(atoi) /* str_to_uint */
#undef atol
#define atol(a) BANNED(atol) /* str_to_uint */
#undef atoll
#define atoll(a) BANNED(atoll) /* str_to_uint */
#undef strtol
#define strtol(a, b, c) BANNED(strtol) /* str_to_uint */
#undef strtoul
#define strtoul(a, b, c) BANNED(strtoul) /* str_to_uint */
#undef strtoll
#define strtoll(a, b, c) BANNED(strtoll) /* str_to_uint */
#undef strtoull
#define strtoull(a, b, c) BANNED(strtoull) /* str_to_uint */
#undef system
#define system(a) BANNED(system) /* no shell, ever */
#undef popen
#define popen(a, b) BANNED(popen) /* no shell, ever */
#undef gmtime
#define gmtime(a) BANNED(gmtime) /* gmtime_r */
#undef localtime
#define localtime(a) BANNED(localtime) /* times of ours are UTC */
#undef ctime
#define ctime(a) BANNED(ctime) /* RFC 3339 only */
#undef asctime
#define asctime(a) BANNED(asctime) /* RFC 3339 only */
#undef rand
#define rand() BANNED(rand) /* io's random */

#endif
