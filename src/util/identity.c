#include "util/identity.h"

#include <errno.h>
#include <sys/stat.h>

#include "util/text.h"

#define SECOND_NS INT64_C(1000000000)
/* The kernel's file clock ticks at 100 Hz or faster; use twice that interval, to be safe. */
#define TICK_NS (SECOND_NS / 50)
/* File systems without fractions store whole seconds, or even pairs of seconds. */
#define COARSE_TICK_NS (2 * SECOND_NS)

static int64_t nanoseconds(const struct timespec *time)
{
	return (int64_t)time->tv_sec * SECOND_NS + time->tv_nsec;
}

struct ik_identity ik_identity_of(const struct stat *status)
{
	return (struct ik_identity){
		.device = (uint64_t)status->st_dev,
		.inode = (uint64_t)status->st_ino,
		.size = (uint64_t)status->st_size,
		.mtime_ns = nanoseconds(&status->st_mtim),
		.ctime_ns = nanoseconds(&status->st_ctim),
	};
}

bool ik_identity_equal(const struct ik_identity *one, const struct ik_identity *other)
{
	return one->device == other->device && one->inode == other->inode && one->size == other->size &&
		one->mtime_ns == other->mtime_ns && one->ctime_ns == other->ctime_ns;
}

enum ik_status ik_identity_read(const char *path, struct ik_identity *ret_identity,
	struct ik_error *error)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return ik_error_set_errno(error, errno, _("%s cannot be examined"), path);
	*ret_identity = ik_identity_of(&status);
	return IK_OK;
}

bool ik_identity_holds(const char *path, const struct ik_identity *identity)
{
	struct stat status;
	struct ik_identity now;

	if (stat(path, &status) != 0)
		return false;
	now = ik_identity_of(&status);
	return ik_identity_equal(&now, identity);
}

int64_t ik_identity_settles_ms(const struct ik_identity *identity, int64_t now_ns)
{
	int64_t tick = identity->ctime_ns % SECOND_NS == 0 ? COARSE_TICK_NS : TICK_NS;
	int64_t left = identity->ctime_ns + tick - now_ns;

	if (identity->ctime_ns > now_ns || left <= 0)
		return 0;
	return (left + 999999) / 1000000;
}
