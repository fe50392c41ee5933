/*
 * le: little-endian integers in byte strings, at any alignment. The wire knows no other order.
 */
#ifndef PROTO_LE_H
#define PROTO_LE_H

#include <stdint.h>

/* Writes the low `bytes` bytes of `value`. */
static inline void le_put(uint8_t *p, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t le_get(const void *bytes_of_value, int bytes)
{
	const uint8_t *p = bytes_of_value;
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

#endif
