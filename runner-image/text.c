#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct text text_in(char *data, size_t size)
{
	data[0] = '\0';
	return (struct text){data, size, 0};
}

void text_add(struct text *t, const char *c_string)
{
	while (*c_string && t->length + 1 < t->size)
		t->data[t->length++] = *c_string++;
	t->data[t->length] = '\0';
}

void text_add_number(struct text *t, uint64_t number)
{
	char digits[21];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	text_add(t, digits + at);
}

uint64_t text_read_number(const char **at)
{
	uint64_t number = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++)
		number = number * 10 + (uint64_t)(**at - '0');
	return number;
}

int text_read_file(const char *path, char *data, size_t size)
{
	size_t length = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -1;
	while (length + 1 < size) {
		ssize_t n = read(fd, data + length, size - 1 - length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int error = errno;

			close(fd);
			errno = error;
			return -1;
		}
		if (n == 0)
			break;
		length += (size_t)n;
	}
	close(fd);
	data[length] = '\0';
	return 0;
}
