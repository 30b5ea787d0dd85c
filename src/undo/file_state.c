#include "undo/file_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

void ik_file_state_done(struct ik_file_state *state)
{
	free(state->made_from);
	state->made_from = NULL;
}

struct ik_file_state ik_file_state_copy(const struct ik_file_state *state)
{
	struct ik_file_state copy = *state;

	if (state->made_from)
		copy.made_from = ik_strdup(state->made_from);
	return copy;
}

struct ik_file_state ik_file_state_of(const struct stat *status)
{
	return (struct ik_file_state){
		.kind = S_ISREG(status->st_mode) ? IK_FILE_REGULAR : IK_FILE_OTHER,
		.mode = (int)(status->st_mode & 07777),
		.identity = ik_identity_of(status),
	};
}

bool ik_file_directory_same(const struct ik_file_directory *one,
	const struct ik_file_directory *other)
{
	return one->device == other->device && one->inode == other->inode;
}

int ik_file_directory_open(const char *path)
{
	char *directory = ik_path_directory(path);
	int fd = ik_path_open_directory(directory), number = errno;

	free(directory);
	errno = number;
	return fd;
}

/* Return the made_from of a missing file. */
static char *first_missing(const char *path)
{
	char *directory = ik_path_directory(path), *missing = NULL;
	int fd;

	while ((fd = ik_path_open_directory(directory)) < 0 && errno == ENOENT) {
		char *next = ik_path_directory(directory);

		free(missing);
		missing = directory;
		directory = next;
	}
	if (fd >= 0)
		(void)close(fd);
	free(directory);
	return missing;
}

/* Hash the contents of a regular file; "" if they cannot be read. */
static void read_hash(int directory, const char *path, struct ik_file_state *state)
{
	int fd = openat(directory, ik_path_base(path),
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || ik_sha256_of_fd(fd, state->hash) != 0)
		state->hash[0] = '\0';
	if (fd >= 0)
		(void)close(fd);
}

struct ik_file_state ik_file_state_look_in(int directory, int number, const char *path, size_t most)
{
	struct ik_file_state state = { .kind = IK_FILE_OTHER };
	struct stat status, parent;

	if (directory < 0 || fstat(directory, &parent) != 0 ||
		fstatat(directory, ik_path_base(path), &status, AT_SYMLINK_NOFOLLOW) != 0) {
		if (directory >= 0)
			number = errno;
		if (number == ENOENT || number == ENOTDIR) {
			state.kind = IK_FILE_ABSENT;
			state.made_from = first_missing(path);
		}
	} else {
		state = ik_file_state_of(&status);
		if (state.kind == IK_FILE_REGULAR && state.identity.size <= most)
			read_hash(directory, path, &state);
	}
	if (directory >= 0)
		state.directory = (struct ik_file_directory){ parent.st_dev, parent.st_ino };
	return state;
}

struct ik_file_state ik_file_state_look(const char *path, size_t most)
{
	int directory = ik_file_directory_open(path);
	struct ik_file_state state = ik_file_state_look_in(directory, errno, path, most);

	if (directory >= 0)
		(void)close(directory);
	return state;
}

bool ik_file_state_same(const struct ik_file_state *one, const struct ik_file_state *other)
{
	if (one->kind != other->kind || one->kind == IK_FILE_OTHER)
		return false;
	if (one->kind == IK_FILE_ABSENT)
		return true;
	if (one->hash[0] != '\0' && other->hash[0] != '\0')
		return ik_text_equal(one->hash, other->hash);
	return ik_identity_equal(&one->identity, &other->identity);
}

void ik_file_state_put(struct ik_buf *out, const struct ik_file_state *state)
{
	const struct ik_identity *identity = &state->identity;

	ik_json_open(out, '{');
	if (state->directory.inode != 0) {
		ik_json_key(out, "directory");
		ik_json_open(out, '[');
		ik_json_put_integer(out, (int64_t)state->directory.device);
		ik_json_put_integer(out, (int64_t)state->directory.inode);
		ik_json_close(out, ']');
	}
	switch (state->kind) {
	case IK_FILE_OTHER:
		break;
	case IK_FILE_ABSENT:
		ik_json_key(out, "absent");
		ik_json_put_bool(out, true);
		if (state->made_from) {
			ik_json_key(out, "made_from");
			ik_json_put_text(out, state->made_from);
		}
		break;
	case IK_FILE_REGULAR:
		ik_json_key(out, "hash");
		ik_json_put_text(out, state->hash);
		ik_json_key(out, "mode");
		ik_json_put_integer(out, state->mode);
		ik_json_key(out, "identity");
		ik_json_open(out, '[');
		ik_json_put_integer(out, (int64_t)identity->device);
		ik_json_put_integer(out, (int64_t)identity->inode);
		ik_json_put_integer(out, (int64_t)identity->size);
		ik_json_put_integer(out, identity->mtime_ns);
		ik_json_put_integer(out, identity->ctime_ns);
		ik_json_close(out, ']');
		break;
	}
	ik_json_close(out, '}');
}

/* Read an array of numbers; missing ones stay 0. */
static void get_numbers(struct ik_json_span value, int64_t *numbers, size_t count)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, number;

	for (size_t i = 0; i < count && ik_json_next(value, &walk, &key, &number); i++)
		(void)ik_json_integer(number, &numbers[i]);
}

static struct ik_identity get_identity(struct ik_json_span value)
{
	int64_t numbers[5] = { 0 };

	get_numbers(value, numbers, 5);
	return (struct ik_identity){
		.device = (uint64_t)numbers[0],
		.inode = (uint64_t)numbers[1],
		.size = (uint64_t)numbers[2],
		.mtime_ns = numbers[3],
		.ctime_ns = numbers[4],
	};
}

struct ik_file_state ik_file_state_get(struct ik_json_span value)
{
	struct ik_json_span hash = ik_json_member(value, "hash");
	struct ik_file_state state = { .kind = IK_FILE_OTHER };
	int64_t mode = 0, directory[2] = { 0 };
	char *text;
	bool absent;

	get_numbers(ik_json_member(value, "directory"), directory, 2);
	state.directory = (struct ik_file_directory){ (uint64_t)directory[0], (uint64_t)directory[1] };
	if (ik_json_bool(ik_json_member(value, "absent"), &absent) && absent) {
		state.kind = IK_FILE_ABSENT;
		state.made_from = ik_json_text_new(ik_json_member(value, "made_from"));
		return state;
	}
	if (ik_json_span_type(hash) != IK_JSON_STRING)
		return state;
	state.kind = IK_FILE_REGULAR;
	text = ik_json_text_new(hash);
	/* The hash becomes the name of a file. */
	if (text && strlen(text) == IK_SHA256_TEXT - 1 &&
		strspn(text, "0123456789abcdef") == IK_SHA256_TEXT - 1)
		memcpy(state.hash, text, IK_SHA256_TEXT);
	free(text);
	if (ik_json_integer(ik_json_member(value, "mode"), &mode))
		state.mode = (int)(mode & 07777);
	state.identity = get_identity(ik_json_member(value, "identity"));
	return state;
}
