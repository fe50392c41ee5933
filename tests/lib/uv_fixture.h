/*
 * uv_fixture: the real io, a fake TLS server, and an endpoint that trusts it, on one loop.
 *
 * Closing it checks that nothing is left: no handle in the loop, no open file descriptor.
 */
#ifndef TESTS_UV_FIXTURE_H
#define TESTS_UV_FIXTURE_H

#include "base/buf.h"
#include "fake_pki.h"
#include "fake_server.h"
#include "kube/uv_io.h"

#define FIXTURE_USER_AGENT "fixture/1.0"
#define FIXTURE_BODY_MAX   (16 * 1024 * 1024)

struct uv_fixture {
	uv_loop_t loop;
	struct io *io;
	struct fake_pki ca, certificate;
	struct fake_tls tls;
	struct fake_server *server;
	struct io_endpoint *endpoint;
	int descriptors;
};

/* The endpoint is 127.0.0.1 by TLS. */
void uv_fixture_open(struct uv_fixture *fixture, const struct fake_step *script);
void uv_fixture_close(struct uv_fixture *fixture);

/* Only the io, which a test wants to see end earlier than the server. */
void uv_fixture_delete_io(struct uv_fixture *fixture);

/* What the endpoint was made from, to be changed. */
struct io_endpoint_config uv_fixture_config(const struct uv_fixture *fixture);

/* All that became of one request. Zeroed it is ready for use. */
struct http_record {
	struct io *io;
	struct io_http *handle; /* NULL when nothing is under way */
	int heads, datas, dones;
	int status;
	int64_t retry_after_ms;
	struct buf body;
	bool has_err;
	struct err err;
	/* Called at the end of each callback, which are counted from 1, when set. */
	void (*hook)(struct http_record *record, int nth);
	void *hook_context;
};

void http_record_start(struct http_record *record, struct io *io,
		       const struct io_http_request *request);
void http_record_free(struct http_record *record);

#endif
