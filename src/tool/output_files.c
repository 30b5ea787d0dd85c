#include "tool/output_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Files are named so that no two calls share one, in whatever process. Any other file is not ours. */
#define NAME_LETTERS 6
#define NAME_END ".txt"
/* Limit for one call: results with hundreds of long texts are rare, and none of them is worth much. */
enum { MOST_OF_A_CALL = 16 };

/* A file of a text. */
struct kept_text {
	char *path;
	int fd;           /* -1: it is complete, or was given up */
	const char *rest; /* what is not written yet */
	size_t length;
};

struct ik_output_files {
	char *root, *directory;
	struct kept_text texts[MOST_OF_A_CALL];
	size_t count;
};

struct ik_output_files *ik_output_files_new(const char *root, const char *session)
{
	struct ik_output_files *files = ik_alloc(sizeof(*files));

	files->root = ik_strdup(root);
	files->directory = ik_path_join(root, session);
	return files;
}

/* Open the directory of a session below the root, not through a link. -1: there is none. */
static int open_session(int root, const char *session)
{
	return openat(root, session, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Open the root. -1: there is none. */
static int open_root(const char *root)
{
	return open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Remove a file of a session, and its directory if that is empty then. */
static bool remove_file(int root, const char *session, const char *name)
{
	const int directory = open_session(root, session);
	const bool removed = directory >= 0 && unlinkat(directory, name, 0) == 0;

	if (directory >= 0)
		(void)close(directory);
	if (removed)
		(void)unlinkat(root, session, AT_REMOVEDIR);
	return removed;
}

/* Close a file, and remove it unless it is complete. Return whether it is there. */
static bool end(const struct ik_output_files *files, struct kept_text *text, bool complete)
{
	bool good = close(text->fd) == 0 && complete;
	const int root = good ? -1 : open_root(files->root);

	text->fd = -1;
	if (root >= 0) {
		(void)remove_file(root, ik_path_base(files->directory), ik_path_base(text->path));
		(void)close(root);
	}
	return good;
}

struct ik_output_files *ik_output_files_free(struct ik_output_files *files)
{
	if (!files)
		return NULL;
	for (size_t i = 0; i < files->count; i++) {
		if (files->texts[i].fd >= 0)
			end(files, &files->texts[i], false);
		free(files->texts[i].path);
	}
	free(files->root);
	free(files->directory);
	free(files);
	return NULL;
}

size_t ik_output_files_path_length(const struct ik_output_files *files)
{
	return files ? strlen(files->directory) + strlen("/") + NAME_LETTERS + strlen(NAME_END) : 0;
}

/* ---- the bound ---- */

/* A file of any session. */
struct old {
	char *session, *name;
	int64_t size;
	struct timespec time;
};

struct old_files {
	struct old *items;
	size_t count;
	int64_t size;
};

/* Add the files of a session. */
static void note_files(struct old_files *old, int root, const char *session)
{
	const int fd = open_session(root, session);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	struct stat status;

	if (!stream && fd >= 0)
		(void)close(fd);
	while (stream && (entry = readdir(stream))) {
		if (strlen(entry->d_name) != NAME_LETTERS + strlen(NAME_END) ||
			!ik_text_ends(entry->d_name, NAME_END) ||
			fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(status.st_mode))
			continue;
		old->items = ik_alloc_more(old->items, old->count, sizeof(*old->items));
		old->items[old->count++] = (struct old){
			.session = ik_strdup(session),
			.name = ik_strdup(entry->d_name),
			.size = status.st_size,
			.time = status.st_mtim,
		};
		old->size += status.st_size;
	}
	if (stream)
		(void)closedir(stream);
}

static void old_files_done(struct old_files *old)
{
	for (size_t i = 0; i < old->count; i++) {
		free(old->items[i].session);
		free(old->items[i].name);
	}
	free(old->items);
}

static int compare_times(const void *a, const void *b)
{
	const struct timespec *one = &((const struct old *)a)->time;
	const struct timespec *two = &((const struct old *)b)->time;

	if (one->tv_sec != two->tv_sec)
		return one->tv_sec < two->tv_sec ? -1 : 1;
	return one->tv_nsec < two->tv_nsec ? -1 : one->tv_nsec > two->tv_nsec;
}

/* Remove the oldest files until there is room for another one. */
static void make_room(int root)
{
	const int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	struct old_files old = { .count = 0 };

	if (!stream && fd >= 0)
		(void)close(fd);
	while (stream && (entry = readdir(stream)))
		if (entry->d_name[0] != '.')
			note_files(&old, root, entry->d_name);
	if (stream)
		(void)closedir(stream);
	if (old.count > 0)
		qsort(old.items, old.count, sizeof(*old.items), compare_times);
	for (size_t i = 0; i < old.count; i++) {
		bool full = old.size > (int64_t)IK_LIMIT_OUTPUT_FILES ||
			old.count - i >= IK_LIMIT_OUTPUT_FILE_COUNT;

		if (full && remove_file(root, old.items[i].session, old.items[i].name))
			old.size -= old.items[i].size;
	}
	old_files_done(&old);
}

/* ---- a file ---- */

/* Create a file with a new random name (mode 0600) in an open directory; ret_path is new memory. -1: it
 * cannot be created. */
static int make_file(const struct ik_output_files *files, int directory, char **ret_path)
{
	char *path = ik_format("/proc/self/fd/%d/XXXXXX" NAME_END, directory);
	int fd = mkostemps(path, (int)strlen(NAME_END), O_CLOEXEC);

	if (fd >= 0)
		*ret_path = ik_path_join(files->directory, ik_path_base(path));
	free(path);
	return fd;
}

/* Create a file in the directory of the session. -1: that is not possible. */
static int begin(const struct ik_output_files *files, char **ret_path)
{
	const char *session = ik_path_base(files->directory);
	int root, directory = -1, fd = -1;

	if (ik_path_make(files->root, 0700, NULL) != IK_OK)
		return -1;
	root = open_root(files->root);
	if (root < 0)
		return -1;
	make_room(root);
	if (mkdirat(root, session, 0700) == 0 || errno == EEXIST)
		directory = open_session(root, session);
	if (directory >= 0) {
		fd = make_file(files, directory, ret_path);
		(void)close(directory);
	}
	(void)close(root);
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
static bool write_slice(const struct ik_output_files *files, struct kept_text *text)
{
	size_t slice = text->length < IK_LIMIT_JSON_ANSWER ? text->length : IK_LIMIT_JSON_ANSWER;

	if (ik_write_all(text->fd, text->rest, slice) != 0)
		return end(files, text, false);
	text->rest += slice;
	text->length -= slice;
	return text->length > 0 || end(files, text, true);
}

const char *ik_output_files_add(struct ik_output_files *files, const char *text, size_t length)
{
	struct kept_text *kept;

	if (!files || files->count == MOST_OF_A_CALL)
		return NULL;
	kept = &files->texts[files->count];
	*kept = (struct kept_text){ .rest = text, .length = length };
	kept->fd = begin(files, &kept->path);
	if (kept->fd < 0)
		return NULL;
	if (reserve(kept) ? write_slice(files, kept) : end(files, kept, false)) {
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
		(void)write_slice(files, &files->texts[i]);
		return false;
	}
	return true;
}

void ik_output_files_forget(const char *root, const char *session)
{
	struct old_files old = { .count = 0 };
	const int fd = open_root(root);

	if (fd < 0)
		return;
	note_files(&old, fd, session);
	for (size_t i = 0; i < old.count; i++)
		(void)remove_file(fd, session, old.items[i].name);
	(void)unlinkat(fd, session, AT_REMOVEDIR);
	old_files_done(&old);
	(void)close(fd);
}
