#include "undo/file_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"

struct ik_file_keep {
	const char *objects, *path;
	int directory; /* of the file; -1: it cannot be opened */
	int from, to;
	char *temporary;
	char *slice;
	struct ik_sha256 *sum;
	struct ik_file_state state;
};

struct ik_file_keep *ik_file_keep_new(const char *objects, const char *path)
{
	struct ik_file_keep *keep = ik_alloc(sizeof(*keep));

	keep->objects = objects;
	keep->path = path;
	keep->directory = keep->from = keep->to = -1;
	return keep;
}

/* Release what only a copy in progress needs. */
static void put_down(struct ik_file_keep *keep)
{
	if (keep->from >= 0)
		close(keep->from);
	if (keep->to >= 0)
		close(keep->to);
	if (keep->directory >= 0)
		close(keep->directory);
	keep->directory = keep->from = keep->to = -1;
	if (keep->temporary)
		unlink(keep->temporary);
	free(keep->temporary);
	keep->temporary = NULL;
	free(keep->slice);
	keep->slice = NULL;
	keep->sum = ik_sha256_free(keep->sum);
}

struct ik_file_keep *ik_file_keep_free(struct ik_file_keep *keep)
{
	if (!keep)
		return NULL;
	put_down(keep);
	ik_file_state_done(&keep->state);
	free(keep);
	return NULL;
}

/* Is the file in one of the kernel's own file systems? Such a file reads differently each time, and
 * may depend on the process that reads it. */
static bool is_of_kernel(int fd)
{
	static const long systems[] = {
		PROC_SUPER_MAGIC,
		SYSFS_MAGIC,
		DEBUGFS_MAGIC,
		TRACEFS_MAGIC,
		SECURITYFS_MAGIC,
		CGROUP_SUPER_MAGIC,
		CGROUP2_SUPER_MAGIC,
		EFIVARFS_MAGIC,
		PSTOREFS_MAGIC,
		BPF_FS_MAGIC,
	};
	struct statfs system;

	if (fstatfs(fd, &system) != 0)
		return true;
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if ((long)system.f_type == systems[i])
			return true;
	return false;
}

/* Open the file and the copy; false: there is nothing to copy. */
static bool begin(struct ik_file_keep *keep)
{
	struct ik_file_directory directory;
	struct stat status;

	keep->directory = ik_file_directory_open(keep->path);
	keep->state = ik_file_state_look_in(keep->directory, errno, keep->path, 0);
	directory = keep->state.directory;
	if (keep->state.kind == IK_FILE_REGULAR && is_of_kernel(keep->directory))
		keep->state.kind = IK_FILE_OTHER;
	if (keep->state.kind != IK_FILE_REGULAR || keep->state.identity.size > IK_FILE_KEPT_MOST)
		return false;
	keep->state.hash[0] = '\0'; /* ik_file_state_look_in() knows the hash of an empty file */
	keep->from = openat(keep->directory, ik_path_base(keep->path),
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (keep->from < 0 || fstat(keep->from, &status) != 0)
		return false;
	keep->state = ik_file_state_of(&status);
	keep->state.directory = directory;
	keep->sum = ik_sha256_new();
	keep->temporary = ik_format("%s/tmp-XXXXXX", keep->objects);
	keep->to = mkostemp(keep->temporary, O_CLOEXEC);
	if (keep->to < 0) {
		free(keep->temporary);
		keep->temporary = NULL;
	}
	keep->slice = ik_alloc(IK_FILE_SLICE);
	return keep->state.kind == IK_FILE_REGULAR && keep->to >= 0;
}

/* Name the finished copy, unless the file changed meanwhile. */
static void finish(struct ik_file_keep *keep)
{
	char hash[IK_SHA256_TEXT];
	struct ik_identity now;
	struct stat status;
	char *name;

	if (fstat(keep->from, &status) != 0)
		return;
	now = ik_identity_of(&status);
	if (!ik_identity_equal(&now, &keep->state.identity))
		return;
	ik_sha256_end(keep->sum, hash);
	name = ik_path_join(keep->objects, hash);
	if (access(name, F_OK) == 0 || rename(keep->temporary, name) == 0)
		memcpy(keep->state.hash, hash, sizeof(hash));
	free(name);
}

bool ik_file_keep_step(struct ik_file_keep *keep)
{
	ssize_t count = 0;

	if (keep->slice || begin(keep)) {
		do {
			count = read(keep->from, keep->slice, IK_FILE_SLICE);
		} while (count < 0 && errno == EINTR);
		if (count > 0) {
			ik_sha256_add(keep->sum, keep->slice, (size_t)count);
			if (ik_write_all(keep->to, keep->slice, (size_t)count) == 0)
				return false;
			count = -1;
		}
		if (count == 0)
			finish(keep);
	}
	put_down(keep);
	return true;
}

const struct ik_file_state *ik_file_keep_state(const struct ik_file_keep *keep)
{
	return &keep->state;
}
