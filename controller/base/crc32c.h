/*
 * crc32c: the CRC with Castagnoli's polynomial (RFC 3720 appendix B.4; also of iSCSI and ext4).
 *
 * It finds frames that were damaged or glued together on the way. It is no protection against
 * somebody who means it: that is what sha256.h is for.
 *
 *	uint32_t crc = crc32c(0, head, head_length);
 *	crc = crc32c(crc, rest, rest_length);	the CRC of both, one behind the other
 */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of what gave `crc` followed by these bytes; 0 is the CRC of nothing. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t length);

#endif
