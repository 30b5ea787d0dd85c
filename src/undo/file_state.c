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
	int fd = ik_path_open(directory, O_DIRECTORY), number = errno;

	free(directory);
	errno = number;
	return fd;
}

/* Return the made_from of a missing file. */
static char *first_missing(const char *path)
{
	char *directory = ik_path_directory(path), *missing = NULL;
	int fd;

	while ((fd = ik_path_open(directory, O_DIRECTORY)) < 0 && errno == ENOENT) {
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
	if (one->kind != other->kind)
		return false;
	if (one->kind != IK_FILE_REGULAR)
		return one->kind == IK_FILE_ABSENT;
	if (one->hash[0] != '\0' && other->hash[0] != '\0')
		return ik_text_equal(one->hash, other->hash);
	return ik_identity_equal(&one->identity, &other->identity);
}

/* Append a state as a member, unless it is unknown. */
static void put_state(struct ik_buf *out, const char *name, const struct ik_file_state *state)
{
	const struct ik_identity *identity = &state->identity;

	if (state->kind == IK_FILE_UNKNOWN)
		return;
	ik_json_key(out, name);
	ik_json_open(out, '{');
	if (state->directory.inode != 0)
		ik_json_printf(out, "'directory':[%lld,%lld]", (long long)state->directory.device,
			(long long)state->directory.inode);
	if (state->kind == IK_FILE_ABSENT)
		ik_json_printf(out, "'absent':true");
	if (state->made_from)
		ik_json_printf(out, "'made_from':'%s'", state->made_from);
	if (state->kind == IK_FILE_REGULAR)
		ik_json_printf(out, "'hash':'%s','mode':%d,'identity':[%lld,%lld,%lld,%lld,%lld]",
			state->hash, state->mode, (long long)identity->device, (long long)identity->inode,
			(long long)identity->size, (long long)identity->mtime_ns,
			(long long)identity->ctime_ns);
	ik_json_close(out, '}');
}

/* Read an array of numbers; missing ones stay 0. */
static void get_numbers(struct ik_json_span value, int64_t *numbers, size_t count)
{
	struct ik_json_walk walk = ik_json_walk(value);

	for (size_t i = 0; i < count && ik_json_next(&walk); i++)
		(void)ik_json_integer(walk.value, &numbers[i]);
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

/* Read a state; a missing one is UNKNOWN. */
static struct ik_file_state get_state(struct ik_json_span value)
{
	struct ik_json_span hash = ik_json_member(value, "hash");
	struct ik_file_state state = { .kind = IK_FILE_OTHER };
	int64_t mode = 0, directory[2] = { 0 };
	char *text;
	bool absent;

	if (!value.text)
		state.kind = IK_FILE_UNKNOWN;
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

void ik_file_changes_put(struct ik_buf *out, const struct ik_file_change *changes, size_t count)
{
	ik_json_open(out, '[');
	for (size_t i = 0; i < count; i++) {
		ik_json_printf(out, "{'path':'%s'", changes[i].path);
		put_state(out, "before", &changes[i].before);
		put_state(out, "after", &changes[i].after);
		ik_json_close(out, '}');
	}
	ik_json_close(out, ']');
}

struct ik_file_change *ik_file_changes_get(struct ik_json_span list, size_t *ret_count)
{
	struct ik_file_change *changes = NULL;
	size_t count = 0;

	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
		char *path = ik_json_text_new(ik_json_member(walk.value, "path"));

		changes = ik_alloc_array(changes, count + 1, sizeof(*changes));
		changes[count++] = (struct ik_file_change){
			.path = path ? path : ik_strdup(""),
			.before = get_state(ik_json_member(walk.value, "before")),
			.after = get_state(ik_json_member(walk.value, "after")),
		};
	}
	*ret_count = count;
	return changes;
}

struct ik_file_change ik_file_change_copy(const struct ik_file_change *change)
{
	return (struct ik_file_change){
		.path = ik_strdup(change->path),
		.before = ik_file_state_copy(&change->before),
		.after = ik_file_state_copy(&change->after),
	};
}

static void change_done(struct ik_file_change *change)
{
	free(change->path);
	ik_file_state_done(&change->before);
	ik_file_state_done(&change->after);
}

void ik_file_changes_free(struct ik_file_change *changes, size_t count)
{
	while (count > 0)
		change_done(&changes[--count]);
	free(changes);
}

bool ik_file_change_is_none(const struct ik_file_change *change)
{
	return ik_file_state_same(&change->before, &change->after) &&
		change->before.mode == change->after.mode;
}

size_t ik_file_changes_drop_none(struct ik_file_change *changes, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		if (ik_file_change_is_none(&changes[i]))
			change_done(&changes[i]);
		else
			changes[left++] = changes[i];
	}
	return left;
}
