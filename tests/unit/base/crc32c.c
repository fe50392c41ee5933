#include "base/crc32c.h"

#include "tap.h"

#include <string.h>

/* RFC 3720 appendix B.4: the 48 bytes of an iSCSI read command. */
static const uint8_t scsi_read[48] = {
	0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00,
	0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18, 0x28, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

static void published_vectors(void)
{
	uint8_t zeros[32] = {0}, ones[32], up[32], down[32];

	for (int i = 0; i < 32; i++) {
		ones[i] = 0xff;
		up[i] = (uint8_t)i;
		down[i] = (uint8_t)(31 - i);
	}
	cmp_ok(crc32c(0, "123456789", 9), "==", 0xe3069283, "the check value of the catalogues");
	cmp_ok(crc32c(0, zeros, 32), "==", 0x8a9136aa, "RFC 3720: 32 bytes of zeros");
	cmp_ok(crc32c(0, ones, 32), "==", 0x62a8ab43, "RFC 3720: 32 bytes of ones");
	cmp_ok(crc32c(0, up, 32), "==", 0x46dd794e, "RFC 3720: 32 incrementing bytes");
	cmp_ok(crc32c(0, down, 32), "==", 0x113fdb5c, "RFC 3720: 32 decrementing bytes");
	cmp_ok(crc32c(0, scsi_read, 48), "==", 0xd9963a56, "RFC 3720: an iSCSI read command");
	cmp_ok(crc32c(0, "a", 1), "==", 0xc1d04330, "one byte");
	cmp_ok(crc32c(0, NULL, 0), "==", 0, "nothing");
}

/* The definition, bit by bit: shift, and xor with the reversed polynomial when a one falls out. */
static uint32_t bit_by_bit(uint8_t byte)
{
	uint32_t crc = ~0u ^ byte;

	for (int bit = 0; bit < 8; bit++)
		crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
	return ~crc;
}

static void every_entry_of_the_table_follows_from_the_polynomial(void)
{
	int wrong = 0;

	for (int byte = 0; byte < 256; byte++)
		wrong += crc32c(0, &(uint8_t){(uint8_t)byte}, 1) != bit_by_bit((uint8_t)byte);
	cmp_ok(wrong, "==", 0, "each of the 256 bytes has the CRC of the definition");
}

static void pieces_give_the_crc_of_the_whole(void)
{
	int wrong = 0;

	for (size_t cut = 0; cut <= sizeof(scsi_read); cut++) {
		uint32_t crc = crc32c(0, scsi_read, cut);

		crc = crc32c(crc, scsi_read + cut, sizeof(scsi_read) - cut);
		wrong += crc != 0xd9963a56;
	}
	cmp_ok(wrong, "==", 0, "cut at any place, the ends included");
}

static void damage_is_seen(void)
{
	uint8_t copy[sizeof(scsi_read)];
	int unseen = 0;

	for (size_t bit = 0; bit < 8 * sizeof(copy); bit++) {
		memcpy(copy, scsi_read, sizeof(copy));
		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		unseen += crc32c(0, copy, sizeof(copy)) == 0xd9963a56;
	}
	cmp_ok(unseen, "==", 0, "any single flipped bit changes the CRC");
}

int main(void)
{
	published_vectors();
	every_entry_of_the_table_follows_from_the_polynomial();
	pieces_give_the_crc_of_the_whole();
	damage_is_seen();
	done_testing();
}
