#include "uv_tls.h"

#include "base/mem.h"
#include "uv_resolve.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>

/* What a connection has to know beside its SSL_CTX: kept there as application data. */
struct peer {
	char *name;
	bool is_address;
	bool is_unverified;
};

static BIO *bio_of(struct str pem)
{
	BIO *bio = BIO_new_mem_buf(pem.p, (int)pem.n);

	assert(bio);
	return bio;
}

/* The text of OpenSSL's last error, which is then cleared. */
static int fail(struct err *err, const char *what)
{
	const char *reason = ERR_reason_error_string(ERR_peek_last_error());

	ERR_clear_error();
	return err_set(err, ERR_INVALID, "%s: %s", what, reason ? reason : "not in PEM form");
}

/* True when a PEM reader stopped because nothing more was there, and not at something broken. */
static bool is_end_of_pem(void)
{
	unsigned long error = ERR_peek_last_error();
	bool is_end =
		ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;

	if (is_end)
		ERR_clear_error();
	return is_end;
}

static int load_ca(SSL_CTX *context, struct str pem, struct err *err)
{
	X509_STORE *store = SSL_CTX_get_cert_store(context);
	BIO *bio;
	X509 *certificate;
	int count = 0;

	if (pem.n == 0) {
		SSL_CTX_set_default_verify_paths(context);
		ERR_clear_error();
		return 0;
	}
	bio = bio_of(pem);
	while ((certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
		X509_STORE_add_cert(store, certificate);
		X509_free(certificate);
		count++;
	}
	BIO_free(bio);
	if (!is_end_of_pem())
		return fail(err, "reading the CA certificates");
	if (count == 0)
		return err_set(err, ERR_INVALID, "the CA holds no certificate in PEM form");
	return 0;
}

static int load_client_chain(SSL_CTX *context, struct str pem, struct err *err)
{
	BIO *bio = bio_of(pem);
	X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
	bool is_sound = certificate && SSL_CTX_use_certificate(context, certificate) == 1;

	X509_free(certificate);
	while (is_sound && (certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
		is_sound = SSL_CTX_add1_chain_cert(context, certificate) == 1;
		X509_free(certificate);
	}
	BIO_free(bio);
	if (!is_sound || !is_end_of_pem())
		return fail(err, "reading the client certificate");
	return 0;
}

/* Refuses to ask for a pass phrase on the terminal: there is nobody to answer. */
static int no_passphrase(char *buffer, int size, int for_writing, void *context)
{
	(void)buffer, (void)size, (void)for_writing, (void)context;
	return -1;
}

static int load_client_key(SSL_CTX *context, struct str pem, struct err *err)
{
	BIO *bio = bio_of(pem);
	EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);
	bool is_sound = key && SSL_CTX_use_PrivateKey(context, key) == 1;

	EVP_PKEY_free(key);
	BIO_free(bio);
	if (!is_sound)
		return fail(err, "reading the client key");
	if (SSL_CTX_check_private_key(context) != 1)
		return fail(err, "the client key does not belong to the client certificate");
	return 0;
}

static int accept_anything(int preverified, X509_STORE_CTX *store)
{
	(void)preverified;
	X509_STORE_CTX_set_error(store, X509_V_OK);
	return 1;
}

/* The callback below is the documented place for changes, but is given a const SSL. */
static SSL *writable(const SSL *ssl)
{
	return (SSL *)(uintptr_t)ssl;
}

/*
 * libwebsockets sets SNI and a verify callback of its own on each SSL that it makes from our
 * context; this puts both right at the last moment before the ClientHello is written.
 */
static void on_handshake(const SSL *ssl, int where, int value)
{
	const struct peer *peer = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

	(void)value;
	if (!(where & SSL_CB_HANDSHAKE_START))
		return;
	SSL_set_tlsext_host_name(writable(ssl), peer->is_address ? NULL : peer->name);
	SSL_set_verify(writable(ssl), SSL_VERIFY_PEER,
		       peer->is_unverified ? accept_anything : NULL);
}

static void set_expected_name(SSL_CTX *context, const struct peer *peer)
{
	X509_VERIFY_PARAM *param = SSL_CTX_get0_param(context);

	X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	if (peer->is_address)
		X509_VERIFY_PARAM_set1_ip_asc(param, peer->name);
	else
		X509_VERIFY_PARAM_set1_host(param, peer->name, 0);
}

static int load(SSL_CTX *context, const struct io_endpoint_config *config, struct err *err)
{
	if (load_ca(context, config->ca_pem, err) < 0)
		return -1;
	if (config->client_cert_pem.n == 0 && config->client_key_pem.n == 0)
		return 0;
	if (config->client_cert_pem.n == 0 || config->client_key_pem.n == 0)
		return err_set(err, ERR_INVALID,
			       "a client certificate needs its key, and a key its certificate");
	if (load_client_chain(context, config->client_cert_pem, err) < 0)
		return -1;
	return load_client_key(context, config->client_key_pem, err);
}

SSL_CTX *uv_tls_new(const struct io_endpoint_config *config, struct err *err)
{
	const char *name = config->server_name ? config->server_name : config->host;
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	struct peer *peer = mem_new(1, sizeof(*peer));

	assert(context);
	peer->name = mem_copy_string(name, strlen(name));
	peer->is_address = uv_resolve_is_address(name);
	peer->is_unverified = config->insecure_skip_verify;
	SSL_CTX_set_app_data(context, peer);
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_info_callback(context, on_handshake);
	set_expected_name(context, peer);
	if (load(context, config, err) < 0) {
		uv_tls_free(context);
		return NULL;
	}
	return context;
}

void uv_tls_free(SSL_CTX *context)
{
	struct peer *peer;

	if (!context)
		return;
	peer = SSL_CTX_get_app_data(context);
	SSL_CTX_free(context);
	free(peer->name);
	free(peer);
}

const char *uv_tls_refusal(SSL *ssl)
{
	long result = ssl ? SSL_get_verify_result(ssl) : X509_V_OK;

	return result == X509_V_OK ? NULL : X509_verify_cert_error_string(result);
}
