#include "excerpt.h"

#include "base/json_string.h"
#include "base/utf8.h"

#include <assert.h>

uint64_t excerpt_kept(const struct ending_stream *stream)
{
	return (uint64_t)stream->head.n + stream->tail.n;
}

int excerpt_append(struct buf *out, const struct ending_stream *stream, uint64_t from, uint64_t to)
{
	size_t head = stream->head.n;
	struct str first = str_slice(stream->head, from, to);
	struct str second =
		str_slice(stream->tail, from > head ? from - head : 0, to > head ? to - head : 0);

	if (first.n + second.n > out->limit - out->length)
		return -1;
	buf_append_str(out, first);
	buf_append_str(out, second);
	return 0;
}

/* Takes all that was kept: true when that is text, seen as one. */
static bool take_whole(struct excerpt *e, const struct ending_stream *stream)
{
	int result = excerpt_append(&e->bytes, stream, 0, excerpt_kept(stream));

	assert(result == 0);
	(void)result;
	e->head_bytes = e->bytes.length;
	return utf8_is_valid(buf_str(&e->bytes));
}

/*
 * Takes `size` bytes of what was kept, head and tail with a gap between them; true when both are
 * text. Cut on characters if so.
 */
static bool take_ends(struct excerpt *e, const struct ending_stream *stream, uint64_t head,
		      uint64_t tail)
{
	uint64_t kept = excerpt_kept(stream);
	struct buf end;
	struct str first, last;
	bool is_text;

	buf_init(&end, EXCERPT_BYTES_MAX);
	excerpt_append(&e->bytes, stream, 0, head);
	excerpt_append(&end, stream, kept - tail, kept);
	first = str_slice(buf_str(&e->bytes), 0, utf8_floor(buf_str(&e->bytes), head));
	last = str_slice(buf_str(&end), utf8_ceil(buf_str(&end), 0), end.length);
	is_text = utf8_is_valid(first) && utf8_is_valid(last);
	if (is_text)
		buf_truncate(&e->bytes, first.n);
	e->head_bytes = e->bytes.length;
	buf_append_str(&e->bytes, is_text ? last : buf_str(&end));
	buf_free(&end);
	return is_text;
}

static bool fits_stored(const struct excerpt *e)
{
	return !e->is_text || json_string_stored_length(buf_str(&e->bytes)) <= EXCERPT_STORED_MAX;
}

void excerpt_make(struct excerpt *e, const struct ending_stream *stream)
{
	uint64_t kept = excerpt_kept(stream), size = EXCERPT_BYTES_MAX;

	*e = (struct excerpt){.needs_outputs = kept > EXCERPT_BYTES_MAX};
	buf_init(&e->bytes, EXCERPT_BYTES_MAX);
	if (!e->needs_outputs) {
		e->is_text = stream->bytes > kept
				     ? take_ends(e, stream, stream->head.n, stream->tail.n)
				     : take_whole(e, stream);
		e->needs_outputs = !fits_stored(e);
		size = kept;
	}
	/* In at most ten steps a quarter shorter each: six bytes a character is the most. */
	for (; e->needs_outputs && (e->bytes.length == 0 || !fits_stored(e)); size -= size / 4) {
		buf_clear(&e->bytes);
		e->is_text = take_ends(e, stream, size - size / 4, size / 4);
	}
}

uint64_t excerpt_omitted(const struct excerpt *e, const struct ending_stream *stream,
			 bool has_outputs, bool has_text)
{
	if (has_outputs)
		return stream->bytes - excerpt_kept(stream);
	return stream->bytes - (has_text ? e->bytes.length : 0);
}

void excerpt_free(struct excerpt *e)
{
	buf_free(&e->bytes);
}
