#include "tool/output_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tool/envelope_cut.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Files are named so that no two calls share one, in whatever process. Any other file is not ours. */
#define NAME_LETTERS 6
#define NAME_END ".txt"
#define NAME_TRIES 100
/* Limit for one call: results with hundreds of long texts are rare, and none of them is worth much. */
enum { MOST_OF_A_CALL = 16 };

/* Bytes written in one turn of the loop. */
#define SLICE IK_MIB(1)

struct kept_text {
	struct ik_json_span text;
	bool decode;
};

struct ik_output_files {
	char *root, *directory;
	struct kept_text *texts;
	char **paths; /* of the texts; NULL: none */
	size_t count;
	size_t written; /* texts that are complete */
	size_t at;      /* in the one after them */
	int fd;         /* of its file; -1: none, or it cannot be written */
};

struct ik_output_files *ik_output_files_new(const char *root, const char *session)
{
	struct ik_output_files *files = ik_alloc(sizeof(*files));

	files->root = ik_strdup(root);
	files->directory = ik_path_join(root, session);
	files->fd = -1;
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

/* Remove the current file, which is not complete. */
static void drop(struct ik_output_files *files)
{
	char **path = &files->paths[files->written];
	const int root = open_root(files->root);

	if (root >= 0) {
		(void)remove_file(root, ik_path_base(files->directory), ik_path_base(*path));
		(void)close(root);
	}
	free(*path);
	*path = NULL;
}

/* Close the current file; keep it if it is complete. */
static void end(struct ik_output_files *files, bool complete)
{
	if (files->fd >= 0 && (close(files->fd) != 0 || !complete))
		drop(files);
	files->fd = -1;
}

struct ik_output_files *ik_output_files_free(struct ik_output_files *files)
{
	if (!files)
		return NULL;
	end(files, false);
	while (files->count > 0)
		free(files->paths[--files->count]);
	free(files->paths);
	free(files->texts);
	free(files->root);
	free(files->directory);
	free(files);
	return NULL;
}

size_t ik_output_files_path_length(const struct ik_output_files *files)
{
	if (!files)
		return 0;
	return ik_cut_written_length(files->directory, strlen(files->directory), SIZE_MAX) - 2 +
		strlen("/") + NAME_LETTERS + strlen(NAME_END);
}

void ik_output_files_add(struct ik_output_files *files, struct ik_json_span text, bool decode)
{
	if (!files)
		return;
	files->texts = ik_alloc_array(files->texts, files->count + 1, sizeof(*files->texts));
	files->paths = ik_alloc_array(files->paths, files->count + 1, sizeof(*files->paths));
	files->texts[files->count] = (struct kept_text){ text, decode };
	files->paths[files->count++] = NULL;
}

const char *const *ik_output_files_paths(const struct ik_output_files *files)
{
	return files ? (const char *const *)files->paths : NULL;
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
	size_t count, capacity;
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
		if (old->count == old->capacity) {
			old->capacity = 2 * old->capacity + 32;
			old->items = ik_alloc_array(old->items, old->capacity, sizeof(*old->items));
		}
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

/* Create a file with a new random name (mode 0600); ret_path is new memory. -1: it cannot be
 * created. */
static int make_file(const struct ik_output_files *files, int directory, char **ret_path)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	int fd = -1;

	for (int i = 0; i < NAME_TRIES && fd < 0; i++) {
		unsigned char drawn[NAME_LETTERS];
		char name[NAME_LETTERS + sizeof(NAME_END)];

		if (getrandom(drawn, sizeof(drawn), GRND_NONBLOCK) != (ssize_t)sizeof(drawn))
			return -1;
		for (size_t at = 0; at < NAME_LETTERS; at++)
			name[at] = letters[drawn[at] % (sizeof(letters) - 1)];
		memcpy(name + NAME_LETTERS, NAME_END, sizeof(NAME_END));
		fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0)
			*ret_path = ik_path_join(files->directory, name);
		else if (errno != EEXIST)
			break;
	}
	return fd;
}

/* Create the file of the current text, if that is possible. */
static void begin(struct ik_output_files *files)
{
	const char *session = ik_path_base(files->directory);
	int root, directory = -1;

	if (files->written >= MOST_OF_A_CALL || ik_path_make(files->root, 0700, NULL) != IK_OK)
		return;
	root = open_root(files->root);
	if (root < 0)
		return;
	make_room(root);
	if (mkdirat(root, session, 0700) == 0 || errno == EEXIST)
		directory = open_session(root, session);
	if (directory >= 0) {
		files->fd = make_file(files, directory, &files->paths[files->written]);
		(void)close(directory);
	}
	(void)close(root);
}

/* Write a slice of a text to the open file. Return 0 or errno. */
static int write_slice(struct ik_output_files *files, const struct kept_text *text, bool *ret_last)
{
	size_t left = text->text.length - files->at, length = left < SLICE ? left : SLICE;
	struct ik_buf piece;
	int failure;

	if (!text->decode) {
		*ret_last = left == length;
		files->at += length;
		return ik_write_all(files->fd, text->text.text + files->at - length, length);
	}
	ik_buf_init(&piece, SLICE + IK_CUT_SHORTEST);
	*ret_last = !ik_json_string_slice(text->text, &files->at, SLICE, &piece);
	failure = ik_buf_status(&piece) == IK_OK ? ik_write_all(files->fd, piece.data, piece.length)
											 : ENOMEM;
	ik_buf_done(&piece);
	return failure;
}

bool ik_output_files_write(struct ik_output_files *files)
{
	bool last = true, good = true;

	if (!files || files->written == files->count)
		return true;
	if (files->at == 0)
		begin(files);
	if (files->fd >= 0)
		good = write_slice(files, &files->texts[files->written], &last) == 0;
	if (good && !last)
		return false;
	end(files, good);
	files->at = 0;
	files->written++;
	return files->written == files->count;
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
