#include "util/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/opensslv.h>

#include "util/alloc.h"
#include "util/library.h"
#include "util/text.h"

/* The library version that the headers belong to; 1.1 wrote its version as a string. */
#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)
#ifdef OPENSSL_SHLIB_VERSION
#define LIBRARY_NAME "libcrypto.so." TEXT(OPENSSL_SHLIB_VERSION)
#else
#define LIBRARY_NAME "libcrypto.so." SHLIB_VERSION_NUMBER
#endif

#define DIGEST_BYTES 32
#define PIECE 65536

/* The functions used. */
/* clang-format off */
#define FUNCTIONS(FUNCTION) \
	FUNCTION(EVP_MD_CTX_new) FUNCTION(EVP_MD_CTX_free) FUNCTION(EVP_sha256) \
	FUNCTION(EVP_DigestInit_ex) FUNCTION(EVP_DigestUpdate) FUNCTION(EVP_DigestFinal_ex)
/* clang-format on */

static struct sha256_library {
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} library;

struct ik_sha256 {
	EVP_MD_CTX *context;
	bool failed;
};

/* Load the library unless it is loaded already. */
static bool load(void)
{
	static const struct ik_library_function functions[] = {
#define FUNCTION(name) { #name, offsetof(struct sha256_library, name) },
		FUNCTIONS(FUNCTION)
#undef FUNCTION
	};

	return library.EVP_sha256 ||
		ik_library_load(LIBRARY_NAME, functions, sizeof(functions) / sizeof(functions[0]),
			&library);
}

static enum ik_status refused(struct ik_error *error)
{
	return ik_error_set(error, IK_FAILED, _("OpenSSL (%s) refuses to make a SHA-256"),
		LIBRARY_NAME);
}

struct ik_sha256 *ik_sha256_new(struct ik_error *error)
{
	struct ik_sha256 *sum;

	if (!load()) {
		(void)ik_error_set(error, IK_UNAVAILABLE, _("OpenSSL (%s) cannot be loaded: install it"),
			LIBRARY_NAME);
		return NULL;
	}
	sum = ik_alloc(sizeof(*sum));
	sum->context = library.EVP_MD_CTX_new();
	if (!sum->context || library.EVP_DigestInit_ex(sum->context, library.EVP_sha256(), NULL) != 1) {
		(void)refused(error);
		return ik_sha256_free(sum);
	}
	return sum;
}

struct ik_sha256 *ik_sha256_free(struct ik_sha256 *sum)
{
	if (sum)
		library.EVP_MD_CTX_free(sum->context);
	free(sum);
	return NULL;
}

void ik_sha256_add(struct ik_sha256 *sum, const char *bytes, size_t length)
{
	if (library.EVP_DigestUpdate(sum->context, bytes, length) != 1)
		sum->failed = true;
}

enum ik_status ik_sha256_end(struct ik_sha256 *sum, char out[IK_SHA256_TEXT],
	struct ik_error *error)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[DIGEST_BYTES];
	size_t i;

	if (sum->failed || library.EVP_DigestFinal_ex(sum->context, digest, NULL) != 1)
		return refused(error);
	for (i = 0; i < DIGEST_BYTES; i++) {
		out[2 * i] = digits[digest[i] >> 4];
		out[2 * i + 1] = digits[digest[i] & 15];
	}
	out[2 * DIGEST_BYTES] = '\0';
	return IK_OK;
}

enum ik_status ik_sha256_of(const char *bytes, size_t length, char out[IK_SHA256_TEXT],
	struct ik_error *error)
{
	struct ik_sha256 *sum = ik_sha256_new(error);
	enum ik_status status;

	if (!sum)
		return error->status;
	ik_sha256_add(sum, bytes, length);
	status = ik_sha256_end(sum, out, error);
	ik_sha256_free(sum);
	return status;
}

/* Add everything that can be read; 0 or errno. */
static int add_all(struct ik_sha256 *sum, int fd)
{
	char *piece = ik_alloc(PIECE);
	ssize_t count;
	int number = 0;

	for (;;) {
		count = read(fd, piece, PIECE);
		if (count > 0)
			ik_sha256_add(sum, piece, (size_t)count);
		else if (count == 0 || errno != EINTR)
			break;
	}
	if (count < 0)
		number = errno;
	free(piece);
	return number;
}

int ik_sha256_of_fd(int fd, char out[IK_SHA256_TEXT])
{
	struct ik_error error;
	struct ik_sha256 *sum = ik_sha256_new(&error);
	int number = sum ? add_all(sum, fd) : ENOSYS;

	if (number == 0 && ik_sha256_end(sum, out, &error) != IK_OK)
		number = EIO;
	ik_sha256_free(sum);
	return number;
}

enum ik_status ik_sha256_of_file(const char *path, char out[IK_SHA256_TEXT], struct ik_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), number;
	enum ik_status status = IK_OK;
	struct stat file;

	if (fd < 0)
		return ik_error_set_errno(error, errno, _("cannot read %s"), path);
	if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode))
		status = ik_error_set(error, IK_INVALID, _("cannot read %s: it is no regular file"), path);
	else if ((number = ik_sha256_of_fd(fd, out)) != 0)
		status = ik_error_set_errno(error, number, _("cannot read %s"), path);
	close(fd);
	return status;
}
