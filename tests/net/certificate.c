#include "certificate.h"

#include <stdio.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#define DAY (24L * 60 * 60)

static bool add_extension(X509 *certificate, int nid, const char *value)
{
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
	bool good = extension && X509_add_ext(certificate, extension, -1);

	X509_EXTENSION_free(extension);
	return good;
}

/* A certificate that is valid between two moments (days from now), unsigned. */
static X509 *make(EVP_PKEY *key, const char *name, long number, long from, long until)
{
	X509 *certificate = X509_new();
	X509_NAME *subject = X509_NAME_new();

	X509_set_version(certificate, X509_VERSION_3);
	ASN1_INTEGER_set(X509_get_serialNumber(certificate), number);
	X509_gmtime_adj(X509_getm_notBefore(certificate), from * DAY);
	X509_gmtime_adj(X509_getm_notAfter(certificate), until * DAY);
	X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
	X509_set_subject_name(certificate, subject);
	X509_NAME_free(subject);
	X509_set_pubkey(certificate, key);
	return certificate;
}

static bool write_certificate(X509 *certificate, const char *path)
{
	FILE *file = fopen(path, "w");
	bool good = file && PEM_write_X509(file, certificate);

	return file && fclose(file) == 0 && good;
}

SSL_CTX *certificate_context(const char *kind, const char *authority_file)
{
	bool expired = strcmp(kind, "expired") == 0, early = strcmp(kind, "early") == 0;
	bool other = strcmp(kind, "other") == 0;
	EVP_PKEY *authority_key = EVP_EC_gen("P-256"), *key = EVP_EC_gen("P-256");
	X509 *authority = make(authority_key, "An authority of the tests", 1, -30, 30);
	X509 *certificate = make(key, "A server of the tests", 2, early ? 2 : -20, expired ? -2 : 20);
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());

	X509_set_issuer_name(authority, X509_get_subject_name(authority));
	X509_set_issuer_name(certificate, X509_get_subject_name(authority));
	if (!add_extension(authority, NID_basic_constraints, "critical,CA:TRUE") ||
	    !add_extension(authority, NID_key_usage, "critical,keyCertSign") ||
	    !add_extension(certificate, NID_subject_alt_name, other ? "DNS:other.test" :
			"DNS:provider.test,IP:127.0.0.1") ||
	    !X509_sign(authority, authority_key, EVP_sha256()) ||
	    !X509_sign(certificate, authority_key, EVP_sha256()) ||
	    !SSL_CTX_use_certificate(context, certificate) ||
	    !SSL_CTX_use_PrivateKey(context, key) ||
	    !write_certificate(authority, authority_file)) {
		ERR_print_errors_fp(stderr);
		SSL_CTX_free(context);
		context = NULL;
	}
	X509_free(authority);
	X509_free(certificate);
	EVP_PKEY_free(authority_key);
	EVP_PKEY_free(key);
	return context;
}

bool certificate_write(const SSL_CTX *context, const char *path)
{
	FILE *file = fopen(path, "w");
	bool good = file && PEM_write_PrivateKey(file, SSL_CTX_get0_privatekey(context), NULL, NULL, 0,
		NULL, NULL) && PEM_write_X509(file, SSL_CTX_get0_certificate(context));

	return file && fclose(file) == 0 && good;
}
