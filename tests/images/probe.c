/*
 * probe: linked with every library that the controller uses, and run inside its image. It starts
 * each of them, and libwebsockets on a loop of libuv, for which the plugin has to be where it looks
 * for it.
 */
#include <curl/curl.h>
#include <libwebsockets.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>
#include <yaml.h>

static void need(int condition, const char *what)
{
	if (!condition) {
		printf("failed: %s\n", what);
		exit(1);
	}
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
		    size_t length)
{
	return lws_callback_http_dummy(wsi, reason, user, in, length);
}

static void start_websockets(uv_loop_t *loop)
{
	struct lws_protocols protocols[] = {{.name = "probe", .callback = on_event}, {0}};
	void *loops[] = {loop};
	struct lws_context_creation_info info = {
		.port = CONTEXT_PORT_NO_LISTEN,
		.protocols = protocols,
		.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT,
		.foreign_loops = loops,
		.gid = -1,
		.uid = -1,
	};
	struct lws_context *context = lws_create_context(&info);

	need(context != NULL, "libwebsockets on a loop of libuv");
	/* Twice, with the loop run in between: once only begins it when the loop is another's. */
	lws_context_destroy(context);
	uv_run(loop, UV_RUN_NOWAIT);
	lws_context_destroy(context);
}

/* A name that stands in /etc/hosts, where a kubelet puts the Pod's own. */
static void resolve_name(uv_loop_t *loop)
{
	uv_getaddrinfo_t request;

	need(uv_getaddrinfo(loop, &request, NULL, "pod.test", "443", NULL) == 0,
	     "finding a name of /etc/hosts");
	uv_freeaddrinfo(request.addrinfo);
}

int main(void)
{
	uv_loop_t loop;
	CURLM *multi;
	yaml_parser_t parser;
	SSL_CTX *tls = SSL_CTX_new(TLS_client_method());

	need(tls != NULL, "OpenSSL");
	need(yaml_parser_initialize(&parser), "libyaml");
	need(curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK, "libcurl");
	multi = curl_multi_init();
	need(multi != NULL, "a multi handle of libcurl");
	need(curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2,
	     "HTTP/2 in libcurl");
	need(uv_loop_init(&loop) == 0, "libuv");
	resolve_name(&loop);
	start_websockets(&loop);

	curl_multi_cleanup(multi);
	curl_global_cleanup();
	yaml_parser_delete(&parser);
	SSL_CTX_free(tls);
	puts("every library works");
	return 0;
}
