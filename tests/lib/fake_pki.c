#include "fake_pki.h"

#include <assert.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#define DAY_SECONDS (24 * 60 * 60L)

static char *pem_of(int (*write)(BIO *bio, void *thing), void *thing)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *data, *text;
	long length;

	assert(bio && write(bio, thing) == 1);
	length = BIO_get_mem_data(bio, &data);
	text = strndup(data, (size_t)length);
	BIO_free(bio);
	return text;
}

static int write_certificate(BIO *bio, void *certificate)
{
	return PEM_write_bio_X509(bio, certificate);
}

static int write_key(BIO *bio, void *key)
{
	return PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
}

static X509 *read_certificate(const char *pem)
{
	BIO *bio = BIO_new_mem_buf(pem, -1);
	X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);

	BIO_free(bio);
	return certificate;
}

static EVP_PKEY *read_key(const char *pem)
{
	BIO *bio = BIO_new_mem_buf(pem, -1);
	EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);

	BIO_free(bio);
	return key;
}

static void add_extension(X509 *certificate, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX context;
	X509_EXTENSION *extension;

	X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
	extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
	assert(extension);
	X509_add_ext(certificate, extension, -1);
	X509_EXTENSION_free(extension);
}

static X509 *bare_certificate(EVP_PKEY *key, const char *common_name, int from_days, int to_days)
{
	X509 *certificate = X509_new();
	unsigned char serial[8];
	BIGNUM *number;

	for (size_t i = 0; i < sizeof(serial); i++)
		serial[i] = (unsigned char)random();
	serial[0] &= 0x7f;
	number = BN_bin2bn(serial, sizeof(serial), NULL);
	BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
	BN_free(number);
	X509_set_version(certificate, X509_VERSION_3);
	X509_gmtime_adj(X509_getm_notBefore(certificate), from_days * DAY_SECONDS - 60);
	X509_gmtime_adj(X509_getm_notAfter(certificate), to_days * DAY_SECONDS);
	X509_set_pubkey(certificate, key);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
				   (const unsigned char *)common_name, -1, -1, 0);
	return certificate;
}

static struct fake_pki pack(X509 *certificate, EVP_PKEY *key)
{
	struct fake_pki pki = {pem_of(write_certificate, certificate), pem_of(write_key, key)};

	X509_free(certificate);
	EVP_PKEY_free(key);
	return pki;
}

struct fake_pki fake_pki_authority(const char *name)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *certificate = bare_certificate(key, name, 0, 1);

	X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
	add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
	add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign");
	X509_sign(certificate, key, EVP_sha256());
	return pack(certificate, key);
}

struct fake_pki fake_pki_issue(const struct fake_pki *authority, const char *common_name,
			       const char *names, int from_days, int to_days)
{
	EVP_PKEY *key = EVP_EC_gen("P-256"), *issuer_key = read_key(authority->key);
	X509 *issuer = read_certificate(authority->certificate);
	X509 *certificate = bare_certificate(key, common_name, from_days, to_days);

	X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
	if (names)
		add_extension(certificate, issuer, NID_subject_alt_name, names);
	X509_sign(certificate, issuer_key, EVP_sha256());
	X509_free(issuer);
	EVP_PKEY_free(issuer_key);
	return pack(certificate, key);
}

void fake_pki_free(struct fake_pki *pki)
{
	free(pki->certificate);
	free(pki->key);
	*pki = (struct fake_pki){NULL, NULL};
}
