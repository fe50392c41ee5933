#include "uv_fixture.h"

#include "tap.h"

#include <dirent.h>
#include <string.h>

static int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

struct io_endpoint_config uv_fixture_config(const struct uv_fixture *fixture)
{
	return (struct io_endpoint_config){
		.host = "127.0.0.1",
		.port = fake_server_port(fixture->server),
		.ca_pem = str_of(fixture->ca.certificate),
	};
}

void uv_fixture_open(struct uv_fixture *fixture, const struct fake_step *script)
{
	struct io_endpoint_config config;
	struct err err;

	/* The first loop of a process opens a pipe that stays. */
	uv_loop_init(&fixture->loop);
	uv_loop_close(&fixture->loop);
	*fixture = (struct uv_fixture){.descriptors = count_descriptors()};
	uv_loop_init(&fixture->loop);
	fixture->io = uv_io_new(&fixture->loop, FIXTURE_USER_AGENT);
	fixture->ca = fake_pki_authority("test authority");
	fixture->certificate =
		fake_pki_issue(&fixture->ca, "server", "IP:127.0.0.1,DNS:localhost", 0, 1);
	fixture->tls = (struct fake_tls){.certificate = fixture->certificate.certificate,
					 .key = fixture->certificate.key};
	fixture->server = fake_server_new(&fixture->loop, &fixture->tls);
	if (script)
		fake_server_script(fixture->server, script);
	config = uv_fixture_config(fixture);
	fixture->endpoint = fixture->io->endpoint_new(fixture->io, &config, &err);
}

void uv_fixture_delete_io(struct uv_fixture *fixture)
{
	uv_io_delete(fixture->io);
	fixture->io = NULL;
}

void uv_fixture_close(struct uv_fixture *fixture)
{
	uv_fixture_delete_io(fixture);
	fake_server_delete(fixture->server);
	fake_pki_free(&fixture->ca);
	fake_pki_free(&fixture->certificate);
	cmp_ok(uv_loop_close(&fixture->loop), "==", 0, "no handle is left in the loop");
	cmp_ok(count_descriptors(), "==", fixture->descriptors, "no descriptor is left open");
}

static int nth(const struct http_record *record)
{
	return record->heads + record->datas + record->dones;
}

static void on_head(void *context, int status, int64_t retry_after_ms)
{
	struct http_record *record = context;

	record->heads++;
	record->status = status;
	record->retry_after_ms = retry_after_ms;
	if (record->hook)
		record->hook(record, nth(record));
}

static void on_data(void *context, struct str bytes)
{
	struct http_record *record = context;

	record->datas++;
	buf_append_str(&record->body, bytes);
	if (record->hook)
		record->hook(record, nth(record));
}

static void on_done(void *context, const struct err *err)
{
	struct http_record *record = context;

	record->handle = NULL;
	record->dones++;
	record->has_err = err != NULL;
	if (err)
		record->err = *err;
	if (record->hook)
		record->hook(record, nth(record));
}

void http_record_start(struct http_record *record, struct io *io,
		       const struct io_http_request *request)
{
	static const struct io_http_callbacks CALLBACKS = {on_head, on_data, on_done};

	record->io = io;
	buf_free(&record->body);
	buf_init(&record->body, FIXTURE_BODY_MAX);
	record->heads = record->datas = record->dones = 0;
	record->handle = io->http_start(io, request, &CALLBACKS, record);
}

void http_record_free(struct http_record *record)
{
	buf_free(&record->body);
}
