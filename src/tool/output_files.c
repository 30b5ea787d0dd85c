#include "tool/output_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tool/envelope_cut.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* A name in a session's directory: no two calls share one, in whatever process. */
#define NAME "XXXXXX.txt"
#define SUFFIX 4
/* A result of hundreds of long texts is rare, and none of them is worth much. */
enum { MOST_OF_A_CALL = 16 };

struct ik_output_files {
	char *root, *directory;
	char *paths[MOST_OF_A_CALL]; /* the last may be of the file at hand */
	size_t count;
	int fd;  /* of the file at hand; -1: none, or it cannot be written */
};

struct ik_output_files *ik_output_files_new(const char *root, const char *session)
{
	struct ik_output_files *files = ik_alloc(sizeof *files);

	files->root = ik_strdup(root);
	files->directory = ik_path_join(root, session);
	files->fd = -1;
	return files;
}

static void drop_last(struct ik_output_files *files)
{
	files->count--;
	(void)unlink(files->paths[files->count]);
	free(files->paths[files->count]);
}

/* The file at hand will not be whole. */
static void give_up(struct ik_output_files *files)
{
	if (files->fd < 0)
		return;
	(void)close(files->fd);
	files->fd = -1;
	drop_last(files);
}

struct ik_output_files *ik_output_files_free(struct ik_output_files *files)
{
	if (files == NULL)
		return NULL;
	give_up(files);
	while (files->count > 0)
		free(files->paths[--files->count]);
	free(files->root);
	free(files->directory);
	free(files);
	return NULL;
}

size_t ik_output_files_path_length(const struct ik_output_files *files)
{
	return ik_cut_written_length(files->directory, strlen(files->directory), SIZE_MAX) - 2 +
		strlen("/" NAME);
}

/* ---- the bound ---- */

/* A file of any session. */
struct old {
	char *path;
	int64_t size;
	struct timespec time;
};

struct old_files {
	struct old *items;
	size_t count, capacity;
	int64_t size;
};

/* Note the files of a directory. */
static void note_files(struct old_files *old, const char *directory)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;
	struct stat status;

	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		if (fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(status.st_mode))
			continue;
		if (old->count == old->capacity) {
			old->capacity = 2 * old->capacity + 32;
			old->items = ik_alloc_array(old->items, old->capacity, sizeof *old->items);
		}
		old->items[old->count++] = (struct old){
			.path = ik_path_join(directory, entry->d_name),
			.size = status.st_size,
			.time = status.st_mtim,
		};
		old->size += status.st_size;
	}
	if (stream != NULL)
		(void)closedir(stream);
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
static void make_room(const char *root)
{
	DIR *stream = opendir(root);
	const struct dirent *entry;
	struct old_files old = { .count = 0 };

	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		char *directory = ik_path_join(root, entry->d_name);

		if (entry->d_name[0] != '.')
			note_files(&old, directory);
		free(directory);
	}
	if (stream != NULL)
		(void)closedir(stream);
	if (old.count > 0)
		qsort(old.items, old.count, sizeof *old.items, compare_times);
	for (size_t i = 0; i < old.count; i++) {
		bool full = old.size > (int64_t)IK_LIMIT_OUTPUT_FILES ||
			old.count - i >= IK_LIMIT_OUTPUT_FILE_COUNT;

		if (full && unlink(old.items[i].path) == 0) {
			old.size -= old.items[i].size;
			/* Its directory, if that was the last one in it. */
			*strrchr(old.items[i].path, '/') = '\0';
			(void)rmdir(old.items[i].path);
		}
		free(old.items[i].path);
	}
	free(old.items);
}

/* ---- a file ---- */

void ik_output_files_begin(struct ik_output_files *files)
{
	char *path;

	if (files->count == MOST_OF_A_CALL)
		return;
	make_room(files->root);
	if (ik_path_make(files->directory, 0700, NULL) != IK_OK)
		return;
	path = ik_path_join(files->directory, NAME);
	files->fd = mkostemps(path, SUFFIX, O_CLOEXEC); /* mode 0600 */
	if (files->fd >= 0)
		files->paths[files->count++] = path;
	else
		free(path);
}

void ik_output_files_write(struct ik_output_files *files, const char *bytes, size_t length)
{
	if (files->fd >= 0 && ik_write_all(files->fd, bytes, length) != 0)
		give_up(files);
}

const char *ik_output_files_end(struct ik_output_files *files)
{
	int fd = files->fd;

	if (fd < 0)
		return NULL;
	files->fd = -1;
	if (close(fd) == 0)
		return files->paths[files->count - 1];
	drop_last(files);
	return NULL;
}

void ik_output_files_forget(const char *root, const char *session)
{
	struct old_files old = { .count = 0 };
	char *directory = ik_path_join(root, session);

	note_files(&old, directory);
	while (old.count > 0) {
		(void)unlink(old.items[--old.count].path);
		free(old.items[old.count].path);
	}
	free(old.items);
	(void)rmdir(directory);
	free(directory);
}
