/* Who is trusted, by requests (curl) and by websockets (our SSL_CTX under libwebsockets) alike. */
#include "uv_fixture.h"
#include "ws_record.h"

#include "tap.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct fake_step ANY[] = {EXPECT("\r\n\r\n"),
				       SEND("HTTP/1.1 400 No\r\nContent-Length: 2\r\n\r\nno"), END};

/* One row is a server's certificate, what the endpoint is told, and whether they get together. */
struct trust {
	const char *rule;
	const char *names; /* in the certificate */
	int from_days, to_days;
	const char *host, *server_name;
	enum { RIGHT_CA, OTHER_CA, BOTH_CAS, NO_CA } ca;
	bool insecure;
	bool is_accepted;
	const char *sni;
};

static const struct trust TRUST[] = {
	{"the right authority and address", "IP:127.0.0.1", 0, 1, "127.0.0.1", NULL, RIGHT_CA,
	 false, true, ""},
	{"another authority", "IP:127.0.0.1", 0, 1, "127.0.0.1", NULL, OTHER_CA, false, false, ""},
	{"the second certificate of a bundle", "IP:127.0.0.1", 0, 1, "127.0.0.1", NULL, BOTH_CAS,
	 false, true, ""},
	{"the system's trust store", "IP:127.0.0.1", 0, 1, "127.0.0.1", NULL, NO_CA, false, false,
	 ""},
	{"a certificate for another address", "IP:127.0.0.2", 0, 1, "127.0.0.1", NULL, RIGHT_CA,
	 false, false, ""},
	{"a certificate with the address as a name", "DNS:127.0.0.1", 0, 1, "127.0.0.1", NULL,
	 RIGHT_CA, false, false, ""},
	{"a certificate without alternative names", NULL, 0, 1, "127.0.0.1", NULL, RIGHT_CA, false,
	 false, ""},
	{"an expired certificate", "IP:127.0.0.1", -2, -1, "127.0.0.1", NULL, RIGHT_CA, false,
	 false, ""},
	{"a certificate that is not valid yet", "IP:127.0.0.1", 1, 2, "127.0.0.1", NULL, RIGHT_CA,
	 false, false, ""},
	{"a host by its name", "DNS:localhost", 0, 1, "localhost", NULL, RIGHT_CA, false, true,
	 "localhost"},
	{"a host by another name", "DNS:other", 0, 1, "localhost", NULL, RIGHT_CA, false, false,
	 "localhost"},
	{"a server name of its own", "DNS:kubernetes.default", 0, 1, "127.0.0.1",
	 "kubernetes.default", RIGHT_CA, false, true, "kubernetes.default"},
	{"a server name that the certificate lacks", "DNS:kubernetes", 0, 1, "127.0.0.1",
	 "kubernetes.default", RIGHT_CA, false, false, "kubernetes.default"},
	{"a wildcard", "DNS:*.default.svc", 0, 1, "127.0.0.1", "kubernetes.default.svc", RIGHT_CA,
	 false, true, "kubernetes.default.svc"},
	{"an address as the server name", "IP:10.96.0.1", 0, 1, "127.0.0.1", "10.96.0.1", RIGHT_CA,
	 false, true, ""},
	{"anything at all, when the user says so", "DNS:other", -2, -1, "127.0.0.1", NULL, OTHER_CA,
	 true, true, ""},
};

struct world {
	uv_loop_t loop;
	struct io *io;
	struct fake_pki ca, other_ca, certificate;
	struct fake_server *server;
	struct io_endpoint *endpoint;
	struct buf bundle;
};

static void world_open(struct world *world, const struct trust *trust)
{
	struct io_endpoint_config config = {0};
	struct fake_tls tls;
	struct err err;

	uv_loop_init(&world->loop);
	world->io = uv_io_new(&world->loop, FIXTURE_USER_AGENT);
	world->ca = fake_pki_authority("right");
	world->other_ca = fake_pki_authority("other");
	world->certificate = fake_pki_issue(&world->ca, "server", trust->names, trust->from_days,
					    trust->to_days);
	tls = (struct fake_tls){world->certificate.certificate, world->certificate.key, NULL, NULL};
	world->server = fake_server_new(&world->loop, &tls);
	fake_server_script(world->server, ANY);
	buf_init(&world->bundle, 64 * 1024);
	if (trust->ca == OTHER_CA || trust->ca == BOTH_CAS)
		buf_append_str(&world->bundle, str_of(world->other_ca.certificate));
	if (trust->ca == RIGHT_CA || trust->ca == BOTH_CAS)
		buf_append_str(&world->bundle, str_of(world->ca.certificate));
	config.host = trust->host;
	config.port = fake_server_port(world->server);
	config.server_name = trust->server_name;
	config.ca_pem = buf_str(&world->bundle);
	config.insecure_skip_verify = trust->insecure;
	world->endpoint = world->io->endpoint_new(world->io, &config, &err);
}

static void world_close(struct world *world)
{
	uv_io_delete(world->io);
	fake_server_delete(world->server);
	fake_pki_free(&world->ca);
	fake_pki_free(&world->other_ca);
	fake_pki_free(&world->certificate);
	buf_free(&world->bundle);
	cmp_ok(uv_loop_close(&world->loop), "==", 0, "no handle is left in the loop");
}

static void by_request(const struct trust *trust)
{
	struct http_record record = {0};
	struct io_http_request request = {.method = "GET", .target = "/"};
	struct world world;

	world_open(&world, trust);
	request.endpoint = world.endpoint;
	http_record_start(&record, world.io, &request);
	run_until(&world.loop, record.dones > 0);
	cmp_ok(!record.has_err, "==", trust->is_accepted, "a request and %s: %s", trust->rule,
	       record.has_err ? record.err.message : "accepted");
	if (record.has_err)
		is(err_code_name(record.err.code), "Transport", "is a transport error");
	else
		is(fake_server_seen(world.server, 0)->server_name, trust->sni, "sends this SNI");
	http_record_free(&record);
	world_close(&world);
}

static void by_websocket(const struct trust *trust)
{
	struct ws_record record = {0};
	struct world world;

	world_open(&world, trust);
	ws_record_start(&record, world.io, world.endpoint);
	run_until(&world.loop, record.ends > 0);
	cmp_ok(record.http_status, "==", trust->is_accepted ? 400 : 0, "a websocket and %s: %s",
	       trust->rule, record.err.message);
	if (trust->is_accepted)
		is(fake_server_seen(world.server, 0)->server_name, trust->sni, "sends this SNI");
	else
		like(record.err.message, "certificate", "says that it is the certificate");
	ws_record_free(&record);
	world_close(&world);
}

/* A client certificate with the intermediate that issued it. */
static void a_client_shows_its_whole_chain(void)
{
	struct fake_pki ca = fake_pki_authority("server authority"),
			client_ca = fake_pki_authority("client authority"),
			server = fake_pki_issue(&ca, "server", "IP:127.0.0.1", 0, 1),
			client = fake_pki_issue(&client_ca, "the client", NULL, 0, 1);
	struct fake_tls tls = {server.certificate, server.key, client_ca.certificate, NULL};
	struct http_record record = {0};
	struct ws_record ws = {0};
	struct io_endpoint_config config = {.host = "127.0.0.1", .ca_pem = str_of(ca.certificate)};
	struct io_http_request request = {.method = "GET", .target = "/"};
	struct buf chain;
	struct err err;
	uv_loop_t loop;
	struct io *io;
	struct fake_server *fake;

	uv_loop_init(&loop);
	io = uv_io_new(&loop, FIXTURE_USER_AGENT);
	fake = fake_server_new(&loop, &tls);
	fake_server_script(fake, ANY);
	buf_init(&chain, 64 * 1024);
	buf_append_str(&chain, str_of(client.certificate));
	buf_append_str(&chain, str_of(client_ca.certificate));
	config.port = fake_server_port(fake);
	config.client_cert_pem = buf_str(&chain);
	config.client_key_pem = str_of(client.key);
	request.endpoint = io->endpoint_new(io, &config, &err);
	http_record_start(&record, io, &request);
	ws_record_start(&ws, io, request.endpoint);
	run_until(&loop, record.dones > 0 && ws.ends > 0);
	for (size_t i = 0; i < 2; i++) {
		is(fake_server_seen(fake, i)->client_name, "the client", "connection %zu: the leaf",
		   i);
		cmp_ok(fake_server_seen(fake, i)->client_chain_length, ">=", 2, "and its chain");
	}
	http_record_free(&record);
	ws_record_free(&ws);
	buf_free(&chain);
	uv_io_delete(io);
	fake_server_delete(fake);
	uv_loop_close(&loop);
	fake_pki_free(&ca);
	fake_pki_free(&client_ca);
	fake_pki_free(&server);
	fake_pki_free(&client);
}

int main(void)
{
	alarm(300);
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < sizeof(TRUST) / sizeof(TRUST[0]); i++) {
		by_request(&TRUST[i]);
		by_websocket(&TRUST[i]);
	}
	a_client_shows_its_whole_chain();
	done_testing();
}
