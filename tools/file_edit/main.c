/*
 * file-edit: replace exact text in a file.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/contents.h"
#include "tools/common/edit_hint.h"
#include "tools/common/program.h"
#include "tools/common/source.h"
#include "tools/common/target.h"

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

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

/* The contents with the new text in each place of the old one, produced in pieces. */
struct edited {
	const struct ik_contents *text;
	const struct ik_argument *old, *new;
	bool has_nul; /* the old text contains a NUL */
	size_t at;    /* the contents up to here have been produced */
	size_t place; /* next place of the old text, or the end of the contents */
};

/* Return the next place at or after from, or the end of the contents. Holes count as NULs. */
static size_t find_place(const struct edited *edited, size_t from)
{
	const struct ik_contents *text = edited->text;
	const struct ik_argument *old = edited->old;
	const char *at = NULL;
	size_t to;

	if (!text->sparse || edited->has_nul)
		at = memmem(text->data + from, text->length - from, old->text, old->length);
	while (text->sparse && !edited->has_nul && !at && ik_contents_data(text, from, &from, &to)) {
		at = memmem(text->data + from, to - from, old->text, old->length);
		from = to;
	}
	return at ? (size_t)(at - text->data) : text->length;
}

/* Count the places that do not overlap. */
static size_t count_places(const struct edited *edited)
{
	size_t count = 0, at = 0;

	while ((at = find_place(edited, at)) < edited->text->length) {
		count++;
		at += edited->old->length;
	}
	return count;
}

static void edited_rewind(void *state)
{
	struct edited *edited = state;

	edited->at = 0;
	edited->place = find_place(edited, 0);
}

/* Return the contents from edited->at to the next place, or the part of it that is all data or all
 * hole. */
static struct iovec old_piece(const struct edited *edited)
{
	const struct ik_contents *text = edited->text;
	size_t at = edited->at, data = at, hole = edited->place;

	if (text->sparse && (!ik_contents_data(text, at, &data, &hole) || data > edited->place))
		data = edited->place;
	if (data > at)
		return (struct iovec){ NULL, data - at };
	return (struct iovec){ text->data + at, (hole < edited->place ? hole : edited->place) - at };
}

static bool edited_next(void *state, struct iovec *part)
{
	struct edited *edited = state;

	if (edited->at == edited->text->length)
		return false;
	if (edited->at < edited->place) {
		*part = old_piece(edited);
		edited->at += part->iov_len;
		return true;
	}
	*part = (struct iovec){ edited->new->text, edited->new->length };
	edited->at += edited->old->length;
	edited->place = find_place(edited, edited->at);
	return true;
}

/* Answer if the number of places does not allow a replacement; else return false. */
static bool refuse_places(const struct ik_argument *arguments, const struct ik_contents *text,
	size_t count, struct ik_tool_answer *answer)
{
	const struct ik_argument *old = &arguments[OLD_STRING];
	const struct ik_argument *new = &arguments[NEW_STRING];
	struct ik_buf hint;

	if (arguments[REPLACE_ALL].truth || count == 1)
		return false;
	ik_buf_init(&hint, IK_KIB(64));
	if (count == 0) {
		ik_edit_hint_lines(text->data, text->length, old->text, old->length, &hint);
		ik_edit_hint_present(text->data, text->length, new->text, new->length, &hint);
		ik_answer_error(answer, "NOT_FOUND", hint.data, "String not found in file");
	} else {
		ik_edit_hint_places(text->data, text->length, old->text, old->length, &hint);
		ik_answer_error(answer, "NOT_UNIQUE", hint.data,
			"String found %zu times, use replace_all to replace all", count);
	}
	ik_buf_done(&hint);
	return true;
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

/* Write the new contents. */
static enum ik_target_result write_back(const struct ik_argument *arguments,
	const struct stat *status, const struct ik_parts *parts, struct ik_tool_answer *answer)
{
	enum ik_target_result result = IK_TARGET_FAILED;
	struct ik_target target;

	if (ik_target_open(&target, arguments[FILE_PATH].text, answer))
		result = ik_target_expect(&target, status) ? ik_target_write(&target, parts, answer)
												   : IK_TARGET_CHANGED;
	ik_target_close(&target);
	return result;
}

/* Replace the text and write the result. */
static enum ik_target_result replace(const struct ik_argument *arguments, const struct stat *status,
	const struct ik_contents *text, struct ik_tool_answer *answer)
{
	const struct ik_argument *old = &arguments[OLD_STRING], *new = &arguments[NEW_STRING];
	struct edited edited = {
		.text = text, .old = old, .new = new, .has_nul = strlen(old->text) != old->length
	};
	enum ik_target_result result = IK_TARGET_FAILED;
	size_t count = count_places(&edited);
	const struct ik_parts parts = { .rewind = edited_rewind,
		.next = edited_next,
		.state = &edited,
		.total = (off_t)(text->length - count * old->length + count * new->length) };

	if (ik_contents_lost(text))
		result = IK_TARGET_CHANGED;
	else if (!refuse_places(arguments, text, count, answer))
		result = count == 0 ? IK_TARGET_WRITTEN : write_back(arguments, status, &parts, answer);
	if (result == IK_TARGET_WRITTEN)
		answer_replaced(arguments[FILE_PATH].text, count, answer);
	return result;
}

/* Read, replace and write, once. */
static enum ik_target_result edit_once(const struct ik_argument *arguments, int fd,
	struct ik_tool_answer *answer)
{
	enum ik_target_result result = IK_TARGET_FAILED;
	struct ik_contents text;
	struct stat status;

	int number = fstat(fd, &status) < 0 ? errno : 0;

	if (number == 0) {
		number = ik_contents_open(&text, fd, &status);
		if (number == 0)
			result = replace(arguments, &status, &text, answer);
		ik_contents_close(&text);
	}
	if (number != 0)
		ik_source_read_failed(arguments[FILE_PATH].text, number, answer);
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
