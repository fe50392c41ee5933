/*
 * text: short lines put together without printf, which is neither async-signal-safe nor small.
 *
 *	struct text t = text_in(detail, sizeof(detail));
 *	text_add(&t, "tmpfs of ");
 *	text_add_number(&t, bytes);
 *
 * The result is always NUL-terminated; what does not fit is dropped.
 */
#ifndef RUNNER_TEXT_H
#define RUNNER_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
	char *data;
	size_t size;   /* of `data`, with the NUL; at least 1 */
	size_t length; /* without the NUL */
};

/* An empty text that lives in `data`. */
struct text text_in(char *data, size_t size);

void text_add(struct text *t, const char *c_string);
void text_add_number(struct text *t, uint64_t number);

/* Reads decimal digits at `*at` and moves it behind them; 0 when there is none. */
uint64_t text_read_number(const char **at);

/* The whole content of a small file, NUL-terminated and cut to `size`; -1 with errno. */
int text_read_file(const char *path, char *data, size_t size);

#endif
