#include "kube/uv_io.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

static void files_are_read_whole_or_not_at_all(struct io *io)
{
	char folder[] = "/tmp/uv_io.XXXXXX", path[64], fifo[64];
	struct buf content;
	struct err err;

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/token", folder);
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	write_file(path, "0123456789");
	buf_init(&content, 12);
	buf_append_str(&content, STR("<"));
	cmp_ok(io->read_file(io, path, &content, &err), "==", 0, "a file within the limit is read");
	is(content.data, "<0123456789", "and appended");
	cmp_ok(io->read_file(io, path, &content, &err), "==", -1, "one over the limit is not");
	is(err_code_name(err.code), "TooLarge", "but named so: %s", err.message);
	is(content.data, "<0123456789", "and nothing of it is appended");
	unlink(path);
	cmp_ok(io->read_file(io, path, &content, &err), "==", -1, "one that is not there");
	is(err_code_name(err.code), "NotFound", "is not found: %s", err.message);
	cmp_ok(io->read_file(io, folder, &content, &err), "==", -1, "a folder is no file");
	is(err_code_name(err.code), "Invalid", "%s", err.message);
	mkfifo(fifo, 0600);
	cmp_ok(io->read_file(io, fifo, &content, &err), "==", -1, "a FIFO does not stop the loop");
	unlink(fifo);
	rmdir(folder);
	buf_free(&content);
}

static void time_and_chance(struct io *io, uv_loop_t *loop)
{
	unsigned char bytes[600] = {0};
	int64_t before = io->now_ms(io), wall = io->wall_ms(io), zeroes = 0;

	ok(wall / 1000 - (int64_t)time(NULL) <= 1 && wall / 1000 - (int64_t)time(NULL) >= -1,
	   "wall_ms is the system's clock");
	usleep(3000);
	cmp_ok(io->now_ms(io), "==", before, "now_ms stands still during one callback");
	uv_update_time(loop);
	cmp_ok(io->now_ms(io), ">", before, "and moves on with the loop");
	io->random(io, bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		zeroes += bytes[i] == 0;
	cmp_ok(zeroes, "<", 60, "random fills all bytes");
}

static void bad_endpoints_are_refused(struct io *io)
{
	static const struct {
		const char *rule;
		struct io_endpoint_config config;
		const char *message;
	} ROWS[] = {
		{"no host", {.host = "", .port = 1}, "not a host"},
		{"a URL as the host", {.host = "https://a", .port = 1}, "not a host"},
		{"a header in the host", {.host = "a\r\nb: c", .port = 1}, "not a host"},
		{"no port", {.host = "a"}, "port 0"},
		{"a server name with a space",
		 {.host = "a", .port = 1, .server_name = "b c"},
		 "not a server name"},
		{"a CA that is no PEM",
		 {.host = "a", .port = 1, .ca_pem = STR("hello")},
		 "no certificate in PEM"},
		{"a CA that is broken in the middle",
		 {.host = "a",
		  .port = 1,
		  .ca_pem = STR("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")},
		 "reading the CA"},
		{"a certificate without a key",
		 {.host = "a", .port = 1, .client_cert_pem = STR("x")},
		 "needs its key"},
		{"a client certificate that is no PEM",
		 {.host = "a", .port = 1, .client_cert_pem = STR("x"), .client_key_pem = STR("y")},
		 "reading the client certificate"},
	};
	struct err err;

	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		ok(!io->endpoint_new(io, &ROWS[i].config, &err), "%s is refused", ROWS[i].rule);
		like(err.message, ROWS[i].message, "with the reason: %s", err.message);
	}
	io->endpoint_delete(io, NULL);
	pass("deleting no endpoint is fine");
}

int main(void)
{
	uv_loop_t loop;
	struct io *io;

	uv_loop_init(&loop);
	io = uv_io_new(&loop, "test");
	files_are_read_whole_or_not_at_all(io);
	time_and_chance(io, &loop);
	bad_endpoints_are_refused(io);
	uv_io_delete(io);
	uv_io_delete(NULL);
	cmp_ok(uv_loop_close(&loop), "==", 0, "no handle is left");
	done_testing();
}
