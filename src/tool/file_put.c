/* The second half of file_copy.h: a file put back. */
#include "tool/file_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

struct ik_file_put {
	char *objects, *path;
	struct ik_file_state wanted, present;
	bool begun;
	int from, to;
	char *temporary; /* NULL: written in place */
	char *slice;
	int number;      /* errno; 0: all is well */
	bool changed;    /* it was another file in the end */
};

struct ik_file_put *ik_file_put_new(const char *objects, const char *path,
	const struct ik_file_state *wanted, const struct ik_file_state *present)
{
	struct ik_file_put *put = ik_alloc(sizeof(*put));

	put->objects = ik_strdup(objects);
	put->path = ik_strdup(path);
	put->wanted = ik_file_state_copy(wanted);
	put->present = ik_file_state_copy(present);
	put->from = put->to = -1;
	return put;
}

/* Let go of what is only needed on the way. */
static void put_down(struct ik_file_put *put)
{
	if (put->from >= 0)
		close(put->from);
	if (put->to >= 0)
		close(put->to);
	put->from = put->to = -1;
	if (put->temporary != NULL)
		unlink(put->temporary);
	free(put->temporary);
	put->temporary = NULL;
	free(put->slice);
	put->slice = NULL;
}

struct ik_file_put *ik_file_put_free(struct ik_file_put *put)
{
	if (put == NULL)
		return NULL;
	put_down(put);
	ik_file_state_done(&put->wanted);
	ik_file_state_done(&put->present);
	free(put->objects);
	free(put->path);
	free(put);
	return NULL;
}

/* Is the file still the one that was looked at? */
static bool is_unchanged(struct ik_file_put *put)
{
	struct ik_file_state now = ik_file_state_look(put->path, 0);
	bool same = now.kind == put->present.kind && (now.kind == IK_FILE_ABSENT ||
		ik_identity_equal(&now.identity, &put->present.identity));

	ik_file_state_done(&now);
	put->changed = !same;
	return same;
}

/* Remove the file, and the directories that were missing once. */
static void take_away(struct ik_file_put *put)
{
	const char *until = put->wanted.made_from;
	size_t length;
	char *directory;

	if (!is_unchanged(put))
		return;
	if (unlink(put->path) != 0 && errno != ENOENT) {
		put->number = errno;
		return;
	}
	length = (size_t)(ik_path_base(put->path) - put->path);
	directory = ik_strndup(put->path, length > 1 ? length - 1 : length);
	while (until != NULL && ik_text_starts(directory, until) && rmdir(directory) == 0 &&
	       !ik_text_equal(directory, until))
		directory[ik_path_base(directory) - directory - 1] = '\0';
	free(directory);
}

/* Would a new file in its place lose something of the old one? */
static bool must_be_in_place(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && (status.st_nlink > 1 || status.st_uid != geteuid() ||
		llistxattr(path, NULL, 0) > 0);
}

/* Make a locked file beside it, which the tools do not sweep away; false: there can be none. */
static bool open_beside(struct ik_file_put *put)
{
	size_t length = (size_t)(ik_path_base(put->path) - put->path);
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return false;
	put->temporary = ik_format("%.*s.ikigai-%016llx.tmp", (int)length, put->path,
		(unsigned long long)number);
	put->to = open(put->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (put->to >= 0) {
		(void)flock(put->to, LOCK_EX | LOCK_NB);
		return true;
	}
	put->number = errno;
	free(put->temporary);
	put->temporary = NULL;
	return false;
}

/* Open what is copied, and where to; false: number says why not. */
static bool begin(struct ik_file_put *put)
{
	char *name = ik_path_join(put->objects, put->wanted.hash);
	size_t length = (size_t)(ik_path_base(put->path) - put->path);
	char *directory = ik_strndup(put->path, length > 1 ? length - 1 : length);
	struct ik_error error;
	bool there = true;

	put->from = open(name, O_RDONLY | O_CLOEXEC);
	if (put->from < 0)
		put->number = errno;
	else if (put->present.kind == IK_FILE_ABSENT)
		there = ik_path_make(directory, 0777, &error) == IK_OK;
	if (!there)
		put->number = ENOENT;
	free(directory);
	free(name);
	if (put->from < 0 || !there)
		return false;
	put->slice = ik_alloc(IK_FILE_SLICE);
	if (!must_be_in_place(put->path) && open_beside(put))
		return true;
	/* What is there is kept by its hash: a crash on the way loses nothing. */
	if (put->present.kind != IK_FILE_REGULAR || !is_unchanged(put))
		return false;
	put->number = 0;
	put->to = open(put->path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	if (put->to < 0)
		put->number = errno;
	return put->to >= 0;
}

/* All is copied: make it durable, and the file. */
static void finish(struct ik_file_put *put)
{
	size_t length = (size_t)(ik_path_base(put->path) - put->path);
	char *directory;
	int fd;

	if ((fchmod(put->to, (mode_t)put->wanted.mode) != 0 && put->temporary != NULL) ||
	    fsync(put->to) != 0) {
		put->number = errno;
		return;
	}
	if (put->temporary == NULL || !is_unchanged(put))
		return;
	if (rename(put->temporary, put->path) != 0) {
		put->number = errno;
		return;
	}
	free(put->temporary);
	put->temporary = NULL;
	directory = ik_strndup(put->path, length);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
	free(directory);
}

bool ik_file_put_step(struct ik_file_put *put)
{
	ssize_t count = -1;

	if (put->wanted.kind == IK_FILE_ABSENT) {
		take_away(put);
		return true;
	}
	if (put->begun || begin(put)) {
		put->begun = true;
		do {
			count = read(put->from, put->slice, IK_FILE_SLICE);
		} while (count < 0 && errno == EINTR);
		if (count < 0)
			put->number = errno;
		else if (count == 0)
			finish(put);
		else if ((put->number = ik_write_all(put->to, put->slice, (size_t)count)) == 0)
			return false;
	}
	put_down(put);
	return true;
}

enum ik_status ik_file_put_end(struct ik_file_put *put, struct ik_file_state *ret_state,
	struct ik_error *error)
{
	if (put->changed)
		return ik_error_set(error, IK_DENIED, _("%s has just been changed"), put->path);
	if (put->number != 0)
		return ik_error_set_errno(error, put->number, _("cannot write %s"), put->path);
	*ret_state = ik_file_state_look(put->path, 0);
	memcpy(ret_state->hash, put->wanted.hash, sizeof(ret_state->hash));
	return IK_OK;
}
