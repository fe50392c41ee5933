/*
 * fake_pki: certificate authorities and certificates for tests, made in memory.
 *
 * Everything is PEM in strings that fake_pki_free frees.
 */
#ifndef TESTS_FAKE_PKI_H
#define TESTS_FAKE_PKI_H

struct fake_pki {
	char *certificate, *key; /* NUL-terminated PEM */
};

/* A self-signed authority. */
struct fake_pki fake_pki_authority(const char *name);

/*
 * A certificate by `authority`, for `names`: a subjectAltName in OpenSSL's form, like
 * "DNS:kubernetes.default,IP:127.0.0.1", or NULL for none. It is valid from `from_days` from now
 * until `to_days` from now (0 and 1 usually).
 */
struct fake_pki fake_pki_issue(const struct fake_pki *authority, const char *common_name,
			       const char *names, int from_days, int to_days);

void fake_pki_free(struct fake_pki *pki);

#endif
