#include "str.h"

#include <string.h>

struct str str_of(const char *c_string)
{
	return (struct str){c_string, c_string ? strlen(c_string) : 0};
}

bool str_equal(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool str_starts_with(struct str s, struct str prefix)
{
	return s.n >= prefix.n && str_equal(str_slice(s, 0, prefix.n), prefix);
}

bool str_ends_with(struct str s, struct str suffix)
{
	return s.n >= suffix.n && str_equal(str_slice(s, s.n - suffix.n, s.n), suffix);
}

int str_compare(struct str a, struct str b)
{
	size_t shorter = a.n < b.n ? a.n : b.n;
	int order = shorter > 0 ? memcmp(a.p, b.p, shorter) : 0;

	if (order != 0)
		return order;
	return (a.n > b.n) - (a.n < b.n);
}

struct str str_slice(struct str s, size_t from, size_t to)
{
	if (to > s.n)
		to = s.n;
	if (from >= to)
		return (struct str){s.p, 0};
	return (struct str){s.p + from, to - from};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
	while (s.n > 0 && is_blank(s.p[0]))
		s = str_slice(s, 1, s.n);
	while (s.n > 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str str_split(struct str *rest, char separator)
{
	const char *at = rest->n > 0 ? memchr(rest->p, separator, rest->n) : NULL;
	struct str head = *rest;

	if (!at) {
		*rest = (struct str){NULL, 0};
		return head;
	}
	head.n = (size_t)(at - rest->p);
	*rest = (struct str){at + 1, rest->n - head.n - 1};
	return head;
}

bool str_to_uint(struct str s, uint64_t max, uint64_t *value)
{
	uint64_t sum = 0;

	if (s.n == 0 || (s.n > 1 && s.p[0] == '0'))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(s.p[i] - '0'), &sum) || sum > max)
			return false;
	}
	*value = sum;
	return true;
}
