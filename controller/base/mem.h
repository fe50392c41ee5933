/*
 * mem: allocation that can't fail, and clean-up bound to a scope.
 *
 * The controller can be restarted at any instant without loss (its state is in the API server), so
 * a failed malloc ends it with one line on stderr: an error path for it would be code that never
 * runs. The runner, which can't be restarted, takes all its memory before it answers for the first
 * time and allocates nothing after that.
 *
 * What input may ask for is bounded where input is read (see buf.h), not here.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Zeroed memory for `count` items of `size` bytes. Never NULL; freed with free(). */
void *mem_new(size_t count, size_t size) __attribute__((malloc, returns_nonnull));

/* Grows or shrinks `p` (may be NULL) to `count` items of `size` bytes; new bytes are undefined. */
void *mem_resize(void *p, size_t count, size_t size) __attribute__((returns_nonnull));

/* A copy of `length` bytes with a NUL behind them. */
char *mem_copy_string(const char *bytes, size_t length) __attribute__((malloc, returns_nonnull));

/* Overwrites `length` bytes in a way that the compiler may not drop: for secrets. */
void mem_wipe(void *p, size_t length);

/* Runs `function(&variable)` when the variable leaves its scope. */
#define CLEANUP(function) __attribute__((cleanup(function)))

/* For `CLEANUP(mem_freep) char *p`. */
void mem_freep(void *pointer_to_pointer);

#endif
