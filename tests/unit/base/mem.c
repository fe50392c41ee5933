#include "base/mem.h"

#include "tap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void new_memory_is_zeroed(void)
{
	int *numbers = mem_new(3, sizeof(int));

	cmp_ok(numbers[0] | numbers[1] | numbers[2], "==", 0, "all items are zero");
	numbers = mem_resize(numbers, 5, sizeof(int));
	cmp_ok(numbers[2], "==", 0, "resizing keeps the content");
	free(numbers);
	free(mem_new(0, 0));
	pass("no items still give memory to free");
}

static void a_copied_string_ends_with_a_nul(void)
{
	char *copy = mem_copy_string("abcdef", 3);

	is(copy, "abc", "only the length asked for");
	free(copy);
	copy = mem_copy_string(NULL, 0);
	is(copy, "", "no bytes give an empty string");
	free(copy);
}

static void cleanup_runs_at_the_end_of_the_scope(void)
{
	char *p = mem_copy_string("x", 1);

	mem_freep(&p);
	ok(p == NULL, "a freed pointer becomes NULL");
	mem_freep(&p);
	pass("freeing NULL is nothing");
}

static void wiped_memory_holds_zeros(void)
{
	char secret[] = "token";

	mem_wipe(secret, sizeof(secret));
	is_bytes(secret, sizeof(secret), "\0\0\0\0\0\0", 6, "every byte is zero");
}

static void an_impossible_size_ends_the_process(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		close(STDERR_FILENO);
		mem_resize(NULL, SIZE_MAX, 2);
		_exit(0);
	}
	waitpid(child, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "a product that overflows aborts");
}

int main(void)
{
	new_memory_is_zeroed();
	a_copied_string_ends_with_a_nul();
	cleanup_runs_at_the_end_of_the_scope();
	wiped_memory_holds_zeros();
	an_impossible_size_ends_the_process();
	done_testing();
}
