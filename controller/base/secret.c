#include "secret.h"

#include "hex.h"
#include "mem.h"

#include <stdint.h>
#include <stdlib.h>

int secret_set(struct secret *secret, struct str bytes, struct err *err)
{
	char *copy;

	if (bytes.n > SECRET_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE, "a secret of more than %d bytes",
			       SECRET_BYTES_MAX);
	copy = mem_copy_string(bytes.p, bytes.n); /* first: `bytes` may be what is wiped now */
	if (secret->bytes)
		mem_wipe(secret->bytes, secret->length);
	free(secret->bytes);
	secret->bytes = copy;
	secret->length = bytes.n;
	return 0;
}

void secret_free(struct secret *secret)
{
	if (secret->bytes)
		mem_wipe(secret->bytes, secret->length);
	free(secret->bytes);
	list_remove(&secret->hidden);
	*secret = (struct secret){0};
}

bool secret_is_empty(const struct secret *secret)
{
	return secret->length == 0;
}

struct str secret_reveal(const struct secret *secret)
{
	return (struct str){secret->bytes, secret->length};
}

/* The byte that two hexadecimal digits behind `prefix` give at the front of the text, or -1. */
static int hex_escape(struct str text, struct str prefix)
{
	int high, low;

	if (text.n < prefix.n + 2 || !str_starts_with(text, prefix))
		return -1;
	high = hex_digit(text.p[prefix.n]);
	low = hex_digit(text.p[prefix.n + 1]);
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* The byte that a backslash and a letter stand for; -1: none. */
static int short_escape(struct str text)
{
	if (text.n < 2 || text.p[0] != '\\')
		return -1;
	switch (text.p[1]) {
	case '"':
	case '\'':
	case '\\':
	case '/': return text.p[1];
	case 'b': return '\b';
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	}
	return -1;
}

/* The length of the escape at the front of the text that stands for this byte; 0: there is none. */
static size_t length_of_escape(struct str text, uint8_t byte)
{
	if (short_escape(text) == byte)
		return 2;
	if (hex_escape(text, STR("%")) == byte)
		return 3;
	if (hex_escape(text, STR("\\x")) == byte)
		return 4;
	if (hex_escape(text, STR("\\u00")) == byte)
		return 6;
	return 0;
}

/* The length of any spelling of the byte. Only for `\` and `%` does it matter which is tried first.
 */
static size_t length_of_byte(struct str text, uint8_t byte, bool plain_first)
{
	bool plain = text.n > 0 && (uint8_t)text.p[0] == byte;
	size_t escape = plain && plain_first ? 0 : length_of_escape(text, byte);

	return escape > 0 ? escape : plain;
}

static size_t length_spelled(const struct secret *secret, struct str text, bool plain_first)
{
	size_t at = 0, known = 0;

	while (known < secret->length) {
		size_t length = length_of_byte(str_slice(text, at, text.n),
					       (uint8_t)secret->bytes[known], plain_first);

		if (length == 0)
			break;
		at += length;
		known++;
	}
	return known == secret->length || known >= SECRET_PART_BYTES ? at : 0;
}

size_t secret_length_in(const struct secret *secret, struct str text)
{
	size_t plain = length_spelled(secret, text, true);
	size_t escaped = length_spelled(secret, text, false);

	return plain > escaped ? plain : escaped;
}
