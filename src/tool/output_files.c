#include "tool/output_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/identity.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Files are named SESSION-XXXXXX.txt, or with another end, so that no two calls share one, in
 * whatever process. */
#define NAME_LETTERS 6
#define TAIL_LENGTH (strlen("-") + NAME_LETTERS + strlen(IK_OUTPUT_TEXT))
/* Limit for one call: results with hundreds of long texts are rare, and none of them is worth much.
 */
enum { MOST_OF_A_CALL = 16 };

/* A file of a text. */
struct kept_text {
	char *path;
	int fd;           /* -1: it is complete, or was given up */
	const char *rest; /* what is not written yet */
	size_t length;
};

struct ik_output_files {
	char *root, *session;
	int64_t limit; /* bytes, of all sessions */
	struct kept_text texts[MOST_OF_A_CALL];
	size_t count;
};

struct ik_output_files *ik_output_files_new(const char *root, const char *session, int64_t limit)
{
	struct ik_output_files *files = ik_alloc(sizeof(*files));

	files->root = ik_strdup(root);
	files->session = ik_strdup(session);
	files->limit = limit;
	return files;
}

/* Close a file, and remove it unless it is complete. Return whether it is there. */
static bool end(struct kept_text *text, bool complete)
{
	bool good = close(text->fd) == 0 && complete;

	text->fd = -1;
	if (!good)
		(void)unlink(text->path);
	return good;
}

struct ik_output_files *ik_output_files_free(struct ik_output_files *files)
{
	if (!files)
		return NULL;
	for (size_t i = 0; i < files->count; i++) {
		if (files->texts[i].fd >= 0)
			end(&files->texts[i], false);
		free(files->texts[i].path);
	}
	free(files->root);
	free(files->session);
	free(files);
	return NULL;
}

size_t ik_output_files_path_length(const struct ik_output_files *files)
{
	return files ? strlen(files->root) + strlen("/") + strlen(files->session) + TAIL_LENGTH : 0;
}

/* ---- the bound ---- */

/* A file of any session. */
struct old {
	char *name;
	int64_t size, time_ns;
};

/* Return the next file of ours whose name begins like this; NULL after the last. */
static const char *next_file(DIR *root, const char *beginning, struct stat *ret_status)
{
	const struct dirent *entry;

	while ((entry = readdir(root))) {
		const char *end = strrchr(entry->d_name, '.');

		if (end && end - entry->d_name > NAME_LETTERS + 1 && end[-NAME_LETTERS - 1] == '-' &&
			ik_text_starts(entry->d_name, beginning) &&
			fstatat(dirfd(root), entry->d_name, ret_status, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(ret_status->st_mode))
			return entry->d_name;
	}
	return NULL;
}

static int compare_times(const void *a, const void *b)
{
	const struct old *one = a, *other = b;

	return (one->time_ns > other->time_ns) - (one->time_ns < other->time_ns);
}

/* Remove the oldest files until there is room for those of another call. */
static void make_room(const char *path, int64_t limit)
{
	DIR *root = opendir(path);
	struct old *old = NULL;
	size_t count = 0;
	int64_t size = 0;
	struct stat status;
	const char *name;

	while (root && (name = next_file(root, "", &status))) {
		old = ik_alloc_more(old, count, sizeof(*old));
		old[count++] = (struct old){ ik_strdup(name), status.st_size,
			ik_identity_of(&status).mtime_ns };
		size += status.st_size;
	}
	if (count > 0)
		qsort(old, count, sizeof(*old), compare_times);
	for (size_t i = 0; i < count; i++) {
		bool full = size > limit || count - i + MOST_OF_A_CALL > IK_LIMIT_OUTPUT_FILE_COUNT;

		if (full && unlinkat(dirfd(root), old[i].name, 0) == 0)
			size -= old[i].size;
		free(old[i].name);
	}
	free(old);
	if (root)
		(void)closedir(root);
}

/* ---- a file ---- */

/* Create a file with a new random name (mode 0600); ret_path is new memory. -1: that is not
 * possible. */
static int begin(const struct ik_output_files *files, const char *end, char **ret_path)
{
	char *path;
	int fd;

	if (ik_path_make(files->root, 0700, NULL) != IK_OK)
		return -1;
	if (files->count == 0)
		make_room(files->root, files->limit);
	path = ik_format("%s/%s-XXXXXX%s", files->root, files->session, end);
	fd = mkostemps(path, (int)strlen(end), O_CLOEXEC);
	if (fd >= 0)
		*ret_path = path;
	else
		free(path);
	return fd;
}

/* Reserve room for a text, so that a full disk is noticed before the file is named; not every file
 * system can. */
static bool reserve(const struct kept_text *text)
{
	return fallocate(text->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)text->length) == 0 ||
		(errno != ENOSPC && errno != EDQUOT);
}

/* Write a slice of a text. False: it cannot be kept. */
static bool write_slice(struct kept_text *text)
{
	size_t slice = text->length < IK_LIMIT_JSON_ANSWER ? text->length : IK_LIMIT_JSON_ANSWER;

	if (ik_write_all(text->fd, text->rest, slice) != 0)
		return end(text, false);
	text->rest += slice;
	text->length -= slice;
	return text->length > 0 || end(text, true);
}

const char *ik_output_files_add(struct ik_output_files *files, const char *name_end,
	const char *bytes, size_t length)
{
	struct kept_text *kept;

	if (!files || files->count == MOST_OF_A_CALL)
		return NULL;
	kept = &files->texts[files->count];
	*kept = (struct kept_text){ .rest = bytes, .length = length };
	kept->fd = begin(files, name_end, &kept->path);
	if (kept->fd < 0)
		return NULL;
	if (reserve(kept) ? write_slice(kept) : end(kept, false)) {
		files->count++;
		return kept->path;
	}
	free(kept->path);
	return NULL;
}

bool ik_output_files_write(struct ik_output_files *files)
{
	for (size_t i = 0; files && i < files->count; i++) {
		if (files->texts[i].fd < 0)
			continue;
		(void)write_slice(&files->texts[i]);
		return false;
	}
	return true;
}

void ik_output_files_forget(const char *path, const char *session)
{
	DIR *root = opendir(path);
	char *beginning = ik_format("%s-", session);
	struct stat status;
	const char *name;

	while (root && (name = next_file(root, beginning, &status)))
		(void)unlinkat(dirfd(root), name, 0);
	if (root)
		(void)closedir(root);
	free(beginning);
}
