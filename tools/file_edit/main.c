/*
 * file-edit: replace exact text in a file.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/edit_hint.h"
#include "tools/common/program.h"
#include "tools/common/source.h"
#include "tools/common/target.h"

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

/* Bytes that are read at once. */
#define BLOCK IK_KIB(128)
/* Bytes of the file in which a hint is searched for. */
#define HINT_TEXT_MAX IK_MIB(8)
/* Limit on retries when somebody else writes the file. */
#define EDITS_MAX 10

enum { FILE_PATH, OLD_STRING, NEW_STRING, REPLACE_ALL };

static const struct ik_parameter parameters[] = {
	[FILE_PATH] = { "file_path", IK_PARAMETER_NAME, true, "Absolute or relative path to file" },
	[OLD_STRING] = { "old_string", IK_PARAMETER_STRING, true, "Exact text to find and replace" },
	[NEW_STRING] = { "new_string", IK_PARAMETER_STRING, true, "Text to replace old_string with" },
	[REPLACE_ALL] = { "replace_all", IK_PARAMETER_BOOLEAN, false,
		"Replace all occurrences (default: false, fails if not unique)" },
};

/* A replacement in progress. */
struct replacement {
	const struct ik_argument *old, *new;
	struct ik_target *target; /* gets the new contents; NULL: the places are only counted */
	size_t count;             /* places so far that do not overlap */
};

static void put(const struct replacement *replacement, const char *bytes, size_t length)
{
	if (replacement->target)
		ik_target_write(replacement->target, bytes, length);
}

/* Replace the text in a part of the contents; return how much of it is done: not its end, where a
 * place may begin, unless it is the last part. */
static size_t replace_part(struct replacement *replacement, const char *text, size_t length,
	bool last)
{
	const struct ik_argument *old = replacement->old, *new = replacement->new;
	const char *at = text, *end = text + length, *found;

	while ((found = memmem(at, (size_t)(end - at), old->text, old->length))) {
		put(replacement, at, (size_t)(found - at));
		put(replacement, new->text, new->length);
		replacement->count++;
		at = found + old->length;
	}
	if (!last && (size_t)(end - at) >= old->length)
		end -= old->length - 1;
	else if (!last)
		end = at;
	put(replacement, at, (size_t)(end - at));
	return (size_t)(end - text);
}

/* Replace the text in the whole file. Return 0 or errno. */
static int replace_all(struct replacement *replacement, int fd)
{
	const struct ik_argument *old = replacement->old;
	size_t piece = old->length > BLOCK ? old->length : BLOCK;
	ssize_t count = lseek(fd, 0, SEEK_SET) < 0 ? -1 : 1;
	struct ik_buf text;
	int number = errno;

	ik_buf_init(&text, SIZE_MAX / 2);
	while (count > 0) {
		char *to = ik_buf_reserve(&text, piece);

		if (!to)
			ik_alloc_fail();
		count = ik_source_read(fd, to, piece);
		number = errno;
		ik_buf_commit(&text, count > 0 ? (size_t)count : 0);
		bool nul = count > 0 && to[count - 1] == '\0' && !memchr(old->text, '\0', old->length);
		off_t hole = nul ? ik_source_skip_hole(fd) : 0;
		ik_buf_consume(&text,
			replace_part(replacement, text.data, text.length, count == 0 || hole > 0));
		if (hole > 0 && replacement->target)
			ik_target_skip(replacement->target, hole);
	}
	ik_buf_done(&text);
	return count < 0 ? number : 0;
}

/* Answer that the number of places does not allow a replacement, with what may help. */
static void refuse_places(const struct ik_argument *arguments, int fd, size_t count,
	struct ik_tool_answer *answer)
{
	const struct ik_argument *old = &arguments[OLD_STRING];
	const struct ik_argument *new = &arguments[NEW_STRING];
	struct ik_buf text, hint;

	ik_buf_init(&text, HINT_TEXT_MAX);
	ik_buf_init(&hint, IK_KIB(64));
	if (lseek(fd, 0, SEEK_SET) < 0 || ik_read_all(fd, &text, BLOCK) != 0)
		ik_buf_clear(&text);
	if (count == 0) {
		ik_edit_hint_lines(text.data, text.length, old->text, old->length, &hint);
		ik_edit_hint_present(text.data, text.length, new->text, new->length, &hint);
		ik_answer_error(answer, "NOT_FOUND", hint.data, "String not found in file");
	} else {
		ik_edit_hint_places(text.data, text.length, old->text, old->length, &hint);
		ik_answer_error(answer, "NOT_UNIQUE", hint.data,
			"String found %zu times, use replace_all to replace all", count);
	}
	ik_buf_done(&text);
	ik_buf_done(&hint);
}

/* Answer with how much was replaced. */
static void answer_replaced(const char *path, size_t count, struct ik_tool_answer *answer)
{
	char *sentence = ik_format("Replaced %zu occurrence%s in %s", count, count == 1 ? "" : "s",
		ik_path_base(path));

	ik_answer_text(answer, "output", sentence, strlen(sentence));
	ik_answer_integer(answer, "replacements", (int64_t)count);
	free(sentence);
}

/* Write the new contents, if the file still has this status. */
static enum ik_target_result write_back(const struct ik_argument *arguments, int fd,
	const struct stat *status, struct ik_tool_answer *answer)
{
	enum ik_target_result result = IK_TARGET_FAILED;
	struct ik_target target;
	struct replacement replacement = {
		.old = &arguments[OLD_STRING], .new = &arguments[NEW_STRING], .target = &target
	};

	if (ik_target_open(&target, arguments[FILE_PATH].text, answer)) {
		int number = replace_all(&replacement, fd);

		if (number == 0)
			result = ik_target_commit(&target, status, answer);
		else
			ik_source_read_failed(arguments[FILE_PATH].text, number, answer);
	}
	ik_target_close(&target);
	return result;
}

/* Read, replace and write, once. */
static enum ik_target_result edit_once(const struct ik_argument *arguments, int fd,
	struct ik_tool_answer *answer)
{
	struct replacement places = { .old = &arguments[OLD_STRING], .new = &arguments[NEW_STRING] };
	enum ik_target_result result = IK_TARGET_FAILED;
	struct stat status;
	int number = fstat(fd, &status) < 0 ? errno : replace_all(&places, fd);

	if (number != 0)
		ik_source_read_failed(arguments[FILE_PATH].text, number, answer);
	else if (places.count != 1 && !arguments[REPLACE_ALL].truth)
		refuse_places(arguments, fd, places.count, answer);
	else
		result = places.count == 0 ? IK_TARGET_WRITTEN : write_back(arguments, fd, &status, answer);
	if (result == IK_TARGET_WRITTEN)
		answer_replaced(arguments[FILE_PATH].text, places.count, answer);
	return result;
}

static void run(const struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	const char *path = arguments[FILE_PATH].text;
	const struct ik_argument *old = &arguments[OLD_STRING];
	const struct ik_argument *new = &arguments[NEW_STRING];
	enum ik_target_result result = IK_TARGET_CHANGED;

	if (old->length == 0) {
		ik_answer_error(answer, "INVALID_ARG",
			"To insert, take text at the place as "
			"old_string and repeat it in new_string; file_write writes a whole file.",
			"old_string cannot be empty");
		return;
	}
	if (old->length == new->length && memcmp(old->text, new->text, old->length) == 0) {
		ik_answer_error(answer, "INVALID_ARG", NULL, "old_string and new_string are identical");
		return;
	}
	for (int attempt = 0, edits = 0; edits < EDITS_MAX && result == IK_TARGET_CHANGED; attempt++) {
		int fd = ik_source_open(path, answer);

		if (fd < 0)
			return;
		if (ik_target_lock(fd, path, attempt)) {
			result = edit_once(arguments, fd, answer);
			edits++;
		}
		close(fd);
	}
	if (result == IK_TARGET_CHANGED)
		ik_answer_error(answer, "WRITE_FAILED", "Another program keeps writing the file.",
			"Failed to write file: %s", path);
}

const struct ik_program ik_program = {
	.name = "file_edit",
	.binary = "file-edit",
	.description = "Edit a file by replacing exact text matches. "
				   "You must read the file before editing.",
	.example = "{\"file_path\": \"/tmp/config.txt\", \"old_string\": \"debug = false\", "
			   "\"new_string\": \"debug = true\"}",
	.writes = "file_path",
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.parameters = parameters,
	.run = run,
};
