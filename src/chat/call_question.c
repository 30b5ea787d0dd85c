#include "chat/call_question.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guard/policy_match.h"
#include "json/write.h"
#include "tool/display.h"
#include "tui/scrollback/calls.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sanitize.h"
#include "util/text.h"

/* Limit of a diff; longer ones are not read. */
#define MOST_LINES 2000
/* Limit of an argument shown on the line of its name. */
#define SHORT_TEXT 200

void ik_question_add(struct ik_question *question, enum ik_question_part_kind kind,
	const char *bytes, size_t length)
{
	struct ik_question_part part = { .kind = kind }, *parts;
	struct ik_buf copy;

	ik_buf_init(&copy, IK_LIMIT_ARGUMENTS);
	ik_buf_append(&copy, bytes, length);
	part.text = ik_buf_take(&copy, &part.length);
	parts = ik_alloc_array((void *)question->parts, question->part_count + 1, sizeof(part));
	parts[question->part_count++] = part;
	question->parts = parts;
}

void ik_question_done(struct ik_question *question)
{
	for (size_t i = 0; i < question->part_count; i++)
		free((char *)question->parts[i].text);
	free((void *)question->parts);
}

void ik_question_add_sentence(struct ik_question *question, enum ik_question_part_kind kind,
	const char *sentence)
{
	ik_question_add(question, kind, sentence, strlen(sentence));
}

/* ---- symbolic links ---- */

/* Warn if a path leads elsewhere than it seems, or out of the directory. */
static void add_target(struct ik_question *question, const char *directory, const char *name)
{
	const struct ik_policy_place place = { .directory = directory };
	char *plain = ik_policy_absolute(&place, name), *target = ik_policy_follow(directory, name);
	char *here = ik_path_resolve(directory), *path, *line;
	bool known = target && here;
	bool outside = known && !ik_path_below(target, here),
		 leads = known && !ik_text_equal(plain, target);

	path = leads ? ik_format("%s -> %s", name, target) : ik_strdup(name);
	line = !known ? ik_format(_("%s (it cannot be told where this leads)"), path)
		: outside ? ik_format(_("%s (outside this directory)"), path)
				  : ik_strdup(path);
	if (!known || outside || leads)
		ik_question_add_sentence(question, IK_QUESTION_WARNING, line);
	free(line);
	free(path);
	free(plain);
	free(target);
	free(here);
}

/* ---- changes to a file ---- */

/* The state of a file: its text was read, it doesn't exist yet, or a hint says why it is
 * unknown. */
enum file_state { FILE_THERE, FILE_NEW, FILE_UNKNOWN };

static enum file_state read_file(const char *directory, const char *name, struct ik_buf *contents,
	struct ik_question *question)
{
	char *path = ik_path_join(directory, name);
	enum file_state state = FILE_THERE;
	enum ik_status status = IK_OK;
	struct ik_error error;
	struct stat now;

	/* Files that the kernel generates have size 0, and reading may consume their contents. */
	if (stat(path, &now) != 0 || !S_ISREG(now.st_mode) || now.st_size > 0)
		status = ik_file_read(path, contents, &error);
	if (status == IK_NOT_FOUND) {
		ik_question_add_sentence(question, IK_QUESTION_HINT, _("There is no such file yet."));
		state = FILE_NEW;
	} else if (status == IK_TOO_LARGE) {
		ik_question_add_sentence(question, IK_QUESTION_HINT,
			_("The file is too large to be compared here."));
		state = FILE_UNKNOWN;
	} else if (status != IK_OK) {
		ik_question_add_sentence(question, IK_QUESTION_HINT, error.text);
		state = FILE_UNKNOWN;
	} else if (memchr(contents->data, '\0', contents->length)) {
		ik_question_add_sentence(question, IK_QUESTION_HINT, _("The file is binary."));
		state = FILE_UNKNOWN;
	}
	free(path);
	return state;
}

/* Add the diff of two texts. first: the number of the first line, or 0. */
static void add_diff(struct ik_question *question, const struct ik_buf *before,
	const struct ik_buf *after, size_t first)
{
	struct ik_call_changes changes;
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_ARGUMENTS);
	ik_changes_put(before, after, first, MOST_LINES, &out, &changes);
	if (out.length > 0)
		ik_question_add(question, IK_QUESTION_DIFF, out.data, out.length);
	else
		ik_question_add_sentence(question, IK_QUESTION_HINT,
			_("Nothing would change in the file."));
	if (changes.more > 0) {
		char *sentence = ik_format(ngettext("%zu more line is not shown.",
									   "%zu more lines are not shown.", changes.more),
			changes.more);

		ik_question_add_sentence(question, IK_QUESTION_HINT, sentence);
		free(sentence);
	}
	ik_buf_done(&out);
}

/* Replace the old text with the new one, once or everywhere; return the number of replacements. */
static size_t replace(const struct ik_buf *contents, const struct ik_buf *old_text,
	const struct ik_buf *new_text, struct ik_buf *out)
{
	const char *at = contents->data, *end = at + contents->length, *found;
	size_t count = 0;

	while (old_text->length > 0 &&
		(found = memmem(at, (size_t)(end - at), old_text->data, old_text->length))) {
		ik_buf_append(out, at, (size_t)(found - at));
		ik_buf_append(out, new_text->data, new_text->length);
		at = found + old_text->length;
		count++;
	}
	ik_buf_append(out, at, (size_t)(end - at));
	return count;
}

static void add_edit(struct ik_question *question, const struct ik_buf *contents, bool known,
	struct ik_json_span arguments, const struct ik_buf *old_text, const struct ik_buf *new_text)
{
	struct ik_buf after;
	bool all = false;
	size_t count = 0;

	ik_buf_init(&after, IK_LIMIT_ARGUMENTS);
	(void)ik_json_bool(ik_json_member(arguments, "replace_all"), &all);
	if (known)
		count = replace(contents, old_text, new_text, &after);
	if (known && (count == 1 || (count > 1 && all)) && ik_buf_status(&after) == IK_OK) {
		add_diff(question, contents, &after, 1);
	} else {
		if (known)
			ik_question_add_sentence(question, IK_QUESTION_HINT,
				count == 0
					? _("The text to be replaced is not in the file: the edit would fail.")
					: _("The text to be replaced is there more than once: the edit would fail."));
		add_diff(question, old_text, new_text, 0);
	}
	ik_buf_done(&after);
}

/* Add the changes of a call to its file. */
static void add_change(struct ik_question *question, const char *directory,
	struct ik_json_span arguments, const struct ik_display_change *change)
{
	char *name = ik_json_string_new(change->path, NULL);
	struct ik_buf old_text, new_text, contents;

	ik_buf_init(&old_text, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&new_text, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&contents, IK_LIMIT_COMPARED);
	(void)ik_json_string(change->old_text, &old_text);
	(void)ik_json_string(change->new_text, &new_text);
	enum file_state state = read_file(directory, name, &contents, question);

	if (change->old_text.text)
		add_edit(question, &contents, state == FILE_THERE, arguments, &old_text, &new_text);
	else
		add_diff(question, &contents, &new_text, 1);
	ik_buf_done(&old_text);
	ik_buf_done(&new_text);
	ik_buf_done(&contents);
	free(name);
}

/* ---- arguments ---- */

/* Add one argument, on the line of its name or below it. */
static void add_argument(struct ik_question *question, const struct ik_buf *name,
	struct ik_json_span value)
{
	struct ik_buf shown, line;

	ik_buf_init(&shown, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&line, IK_LIMIT_ARGUMENTS);
	/* The whole name, since a name cut at a NUL would look like another one. */
	ik_sanitize_line(&line, name->data, name->length);
	if (!ik_json_string(value, &shown))
		ik_json_pretty(&shown, value);
	if (shown.length <= SHORT_TEXT && !memchr(shown.data, '\n', shown.length)) {
		ik_buf_puts(&line, ": ");
		ik_buf_append(&line, shown.data, shown.length);
		ik_question_add(question, IK_QUESTION_TEXT, line.data, line.length);
	} else {
		ik_question_add(question, IK_QUESTION_HEADING, line.data, line.length);
		ik_question_add(question, IK_QUESTION_TEXT, shown.data, shown.length);
	}
	ik_buf_done(&shown);
	ik_buf_done(&line);
}

/* Add the arguments that are not shown otherwise, and where paths lead. change: none, or what is
 * shown as a diff. */
static void add_arguments(struct ik_question *question, const char *directory,
	struct ik_json_span display, struct ik_json_span arguments,
	const struct ik_display_change *change)
{
	struct ik_buf name;

	ik_buf_init(&name, IK_LIMIT_ARGUMENTS);
	for (struct ik_json_walk walk = ik_json_walk(arguments); ik_json_next(&walk);) {
		bool changed = change &&
			(walk.value.text == change->old_text.text || walk.value.text == change->new_text.text);
		bool is_path = change && walk.value.text == change->path.text;

		ik_buf_clear(&name);
		(void)ik_json_string(walk.key, &name);
		if (!changed && !ik_display_shows(display, arguments, walk.value))
			add_argument(question, &name, walk.value);
		if (ik_json_span_type(walk.value) == IK_JSON_STRING &&
			(is_path || ik_policy_is_path(name.data))) {
			char *path = ik_json_string_new(walk.value, NULL);

			add_target(question, directory, path);
			free(path);
		}
	}
	ik_buf_done(&name);
}

/* Add what a call does by its tool's account; a command with its line breaks. */
static void add_line(struct ik_question *question, struct ik_json_span display,
	struct ik_json_span arguments)
{
	struct ik_buf line, one_line;

	if (!ik_json_member(display, "line").text)
		return;
	ik_buf_init(&line, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&one_line, IK_LIMIT_ARGUMENTS);
	ik_display_put_line(display, "", arguments, IK_LIMIT_ARGUMENTS, &line);
	ik_sanitize_line(&one_line, line.data, line.length);
	if (ik_display_kind(display) == IK_DISPLAY_EXECUTE)
		ik_question_add(question, IK_QUESTION_TEXT, line.data, line.length);
	else
		ik_question_add(question, IK_QUESTION_TEXT, one_line.data, one_line.length);
	ik_buf_done(&line);
	ik_buf_done(&one_line);
}

void ik_question_add_call(struct ik_question *question, const char *directory,
	struct ik_json_span display, const char *bytes, size_t length)
{
	struct ik_json_span arguments;
	struct ik_display_change change;

	if (ik_json_check(bytes, length, &arguments, NULL) != IK_OK ||
		ik_json_span_type(arguments) != IK_JSON_OBJECT) {
		ik_question_add(question, IK_QUESTION_TEXT, bytes, length);
		return;
	}
	bool changes = ik_display_change(display, arguments, &change);

	add_line(question, display, arguments);
	add_arguments(question, directory, display, arguments, changes ? &change : NULL);
	if (changes)
		add_change(question, directory, arguments, &change);
	if (question->part_count == 0)
		ik_question_add_sentence(question, IK_QUESTION_HINT, _("It has no arguments."));
}
