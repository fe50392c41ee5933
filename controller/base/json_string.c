#include "json_string.h"

#include "hex.h"
#include "utf8.h"

#include <stdint.h>
#include <string.h>

static bool is_high_surrogate(uint32_t code_unit)
{
	return code_unit >= 0xd800 && code_unit <= 0xdbff;
}

static bool is_low_surrogate(uint32_t code_unit)
{
	return code_unit >= 0xdc00 && code_unit <= 0xdfff;
}

/* What stands between the quotes; false when there are none. */
static bool content_of(struct str raw, struct str *content)
{
	if (raw.n < 2 || raw.p[0] != '"' || raw.p[raw.n - 1] != '"')
		return false;
	*content = str_slice(raw, 1, raw.n - 1);
	return true;
}

/* Reads a \uXXXX at the front of `text`; false when there is none. */
static bool code_unit_at_front(struct str text, uint32_t *code_unit)
{
	*code_unit = 0;
	if (text.n < 6 || text.p[0] != '\\' || text.p[1] != 'u')
		return false;
	for (int i = 2; i < 6; i++) {
		int value = hex_digit(text.p[i]);

		if (value < 0)
			return false;
		*code_unit = *code_unit << 4 | (uint32_t)value;
	}
	return true;
}

/* The byte that a two-character escape stands for, by its second character; -1 for none. */
static int simple_escape(char c)
{
	switch (c) {
	case '"':
	case '\\':
	case '/': return c;
	case 'b': return '\b';
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	}
	return -1;
}

/* What an escape stands for. */
struct character {
	size_t raw_length; /* of the escape: 2, 6, or 12 for a pair of surrogates */
	uint32_t code_point;
};

/* Reads the escape at the front of `text`. A surrogate that has no partner comes out as itself. */
static bool escape_at_front(struct str text, struct character *character)
{
	uint32_t first, second;
	int byte;

	if (code_unit_at_front(text, &first)) {
		*character = (struct character){6, first};
		if (is_high_surrogate(first) &&
		    code_unit_at_front(str_slice(text, 6, text.n), &second) &&
		    is_low_surrogate(second)) {
			character->raw_length = 12;
			character->code_point =
				0x10000 + ((first & 0x3ff) << 10 | (second & 0x3ff));
		}
		return true;
	}
	if (text.n < 2 || text.p[0] != '\\' || (byte = simple_escape(text.p[1])) < 0)
		return false;
	*character = (struct character){2, (uint32_t)byte};
	return true;
}

static size_t length_before_escape(struct str text)
{
	const char *backslash = text.n > 0 ? memchr(text.p, '\\', text.n) : NULL;

	return backslash ? (size_t)(backslash - text.p) : text.n;
}

static int too_large(const struct buf *out, struct err *err)
{
	return err_set(err, ERR_TOO_LARGE, "text of more than %zu bytes", out->limit);
}

static int decode(struct str content, struct buf *out, bool *has_nul, struct err *err)
{
	struct str rest = content;

	*has_nul = false;
	while (rest.n > 0) {
		size_t plain = length_before_escape(rest);
		struct character character;
		char bytes[UTF8_BYTES_MAX];

		if (buf_append(out, rest.p, plain) < 0)
			return too_large(out, err);
		rest = str_slice(rest, plain, rest.n);
		if (rest.n == 0)
			break;
		if (!escape_at_front(rest, &character))
			return err_set(err, ERR_INVALID, "no such escape at offset %zu of a string",
				       content.n - rest.n + 1);
		if (is_high_surrogate(character.code_point) ||
		    is_low_surrogate(character.code_point))
			return err_set(err, ERR_INVALID,
				       "half of a surrogate pair at offset %zu of a string",
				       content.n - rest.n + 1);
		if (buf_append(out, bytes, utf8_encode(character.code_point, bytes)) < 0)
			return too_large(out, err);
		if (character.code_point == 0)
			*has_nul = true;
		rest = str_slice(rest, character.raw_length, rest.n);
	}
	return 0;
}

int json_string_decode(struct str raw, struct buf *out, bool *has_nul, struct err *err)
{
	size_t before = out->length;
	struct str content;
	bool nul;

	if (!content_of(raw, &content))
		return err_set(err, ERR_INVALID, "not a string");
	if (decode(content, out, &nul, err) < 0) {
		buf_truncate(out, before);
		return -1;
	}
	*has_nul = nul;
	return 0;
}

/*
 * The bytes of a string one after the other, for comparing without a copy. A surrogate without a
 * partner gives three bytes that no valid text has, so that it equals nothing but itself.
 */
struct reader {
	struct str rest;
	char bytes[UTF8_BYTES_MAX]; /* of the escape that is being read … */
	size_t at, length;	    /* … those from `at` on are still to come */
};

/* The next byte, or -1 at the end. */
static int read_byte(struct reader *reader)
{
	struct character character;

	if (reader->at < reader->length)
		return (uint8_t)reader->bytes[reader->at++];
	if (reader->rest.n == 0)
		return -1;
	if (!escape_at_front(reader->rest, &character)) {
		uint8_t byte = (uint8_t)reader->rest.p[0];

		reader->rest = str_slice(reader->rest, 1, reader->rest.n);
		return byte;
	}
	reader->length = utf8_encode(character.code_point, reader->bytes);
	reader->at = 1;
	reader->rest = str_slice(reader->rest, character.raw_length, reader->rest.n);
	return (uint8_t)reader->bytes[0];
}

bool json_string_equal(struct str raw, struct str text)
{
	struct reader reader = {0};

	if (!content_of(raw, &reader.rest))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (read_byte(&reader) != (uint8_t)text.p[i])
			return false;
	return read_byte(&reader) < 0;
}

int json_string_compare(struct str a, struct str b)
{
	struct reader left = {0}, right = {0};

	content_of(a, &left.rest);
	content_of(b, &right.rest);
	for (;;) {
		int l = read_byte(&left), r = read_byte(&right);

		if (l != r)
			return l - r;
		if (l < 0)
			return 0;
	}
}

/* The second character of a byte's two-character escape, or 0: it has none. */
static char escape_letter(char c)
{
	switch (c) {
	case '"':
	case '\\': return c;
	case '\b': return 'b';
	case '\f': return 'f';
	case '\n': return 'n';
	case '\r': return 'r';
	case '\t': return 't';
	}
	return 0;
}

static size_t escaped_length(char c)
{
	if (escape_letter(c))
		return 2;
	return (uint8_t)c < 0x20 ? 6 : 1;
}

/* How many bytes at the front need no escape. */
static size_t plain_length(struct str text)
{
	size_t length = 0;

	while (length < text.n && escaped_length(text.p[length]) == 1)
		length++;
	return length;
}

static int append_escape(struct buf *out, char c)
{
	if (escape_letter(c))
		return buf_append(out, (char[]){'\\', escape_letter(c)}, 2);
	return buf_printf(out, "\\u%04x", (unsigned)(uint8_t)c);
}

static int escape(struct buf *out, struct str text)
{
	while (text.n > 0) {
		size_t plain = plain_length(text);

		if (buf_append(out, text.p, plain) < 0)
			return -1;
		if (plain < text.n) {
			if (append_escape(out, text.p[plain]) < 0)
				return -1;
			plain++;
		}
		text = str_slice(text, plain, text.n);
	}
	return 0;
}

int json_string_escape(struct buf *out, struct str text, struct err *err)
{
	size_t before = out->length;
	size_t valid = utf8_valid_length(text);

	if (valid < text.n)
		return err_set(err, ERR_INVALID, "not UTF-8 at offset %zu", valid);
	if (escape(out, text) < 0) {
		buf_truncate(out, before);
		return too_large(out, err);
	}
	return 0;
}

size_t json_string_escaped_length(struct str text)
{
	size_t length = 0;

	for (size_t i = 0; i < text.n; i++)
		length += escaped_length(text.p[i]);
	return length;
}

/* Go escapes these for the sake of HTML and JavaScript: < > & and E2 80 A8, E2 80 A9. */
static bool is_line_separator(struct str text)
{
	return str_starts_with(text, STR("\xe2\x80\xa8")) ||
	       str_starts_with(text, STR("\xe2\x80\xa9"));
}

size_t json_string_stored_length(struct str text)
{
	size_t length = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '<' || c == '>' || c == '&' || c == '\b' || c == '\f')
			length += 6;
		else if (c == '\xe2' && is_line_separator(str_slice(text, i, text.n)))
			length += 6 - 2; /* the other two bytes of it count as one each */
		else
			length += escaped_length(c);
	}
	return length;
}
