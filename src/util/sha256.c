#include "util/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

#include "util/alloc.h"
#include "util/text.h"

#define PIECE 65536

struct ik_sha256 {
	struct sha256_ctx context;
};

struct ik_sha256 *ik_sha256_new(void)
{
	struct ik_sha256 *sum = ik_alloc(sizeof(*sum));

	sha256_init(&sum->context);
	return sum;
}

struct ik_sha256 *ik_sha256_free(struct ik_sha256 *sum)
{
	free(sum);
	return NULL;
}

void ik_sha256_add(struct ik_sha256 *sum, const char *bytes, size_t length)
{
	sha256_update(&sum->context, length, (const uint8_t *)bytes);
}

void ik_sha256_end(struct ik_sha256 *sum, char out[IK_SHA256_TEXT])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

#if NETTLE_VERSION_MAJOR >= 4
	sha256_digest(&sum->context, digest);
#else
	sha256_digest(&sum->context, sizeof(digest), digest);
#endif
	base16_encode_update(out, sizeof(digest), digest);
	out[IK_SHA256_TEXT - 1] = '\0';
}

void ik_sha256_of(const char *bytes, size_t length, char out[IK_SHA256_TEXT])
{
	struct ik_sha256 *sum = ik_sha256_new();

	ik_sha256_add(sum, bytes, length);
	ik_sha256_end(sum, out);
	ik_sha256_free(sum);
}

/* Add everything up to the end of the file. Return 0 or errno. */
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
	struct ik_sha256 *sum = ik_sha256_new();
	int number = add_all(sum, fd);

	if (number == 0)
		ik_sha256_end(sum, out);
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
