#include "chat/call_question.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guard/policy_match.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/diff.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sanitize.h"
#include "util/text.h"

/* Limit of a diff; longer ones are not read. */
#define MOST_LINES 2000
/* Limit of an argument shown on the line of its name. */
#define SHORT_TEXT 200

void ik_question_add(struct ik_question_text *text, enum ik_question_part_kind kind,
	const char *bytes, size_t length)
{
	struct ik_question_part part = { .kind = kind };
	struct ik_buf copy;

	ik_buf_init(&copy, IK_LIMIT_ARGUMENTS);
	ik_buf_append(&copy, bytes, length);
	part.text = ik_buf_take(&copy, &part.length);
	text->parts = ik_alloc_array(text->parts, text->count + 1, sizeof(*text->parts));
	text->parts[text->count++] = part;
}

void ik_question_text_done(struct ik_question_text *text)
{
	for (size_t i = 0; i < text->count; i++)
		free((char *)text->parts[i].text);
	free(text->parts);
	*text = (struct ik_question_text){ NULL, 0 };
}

void ik_question_add_sentence(struct ik_question_text *text, enum ik_question_part_kind kind,
	const char *sentence)
{
	ik_question_add(text, kind, sentence, strlen(sentence));
}

/* ---- symbolic links ---- */

/* Return the path that the tool would open, with links resolved, or NULL if unknown. The caller
 * frees it. */
static char *follow(const char *directory, const char *name)
{
	char *path = ik_path_join(directory, name), *target = ik_path_resolve(path);

	free(path);
	return target;
}

/* Warn if a path leads elsewhere than it seems, or out of the directory. Return false if it
 * doesn't. */
static bool add_target(struct ik_question_text *text, const char *directory, const char *name)
{
	const struct ik_policy_place place = { .directory = directory };
	char *plain = ik_policy_absolute(&place, name), *target = follow(directory, name);
	char *here = ik_path_resolve(directory), *path, *line;
	bool known = target && here;
	bool outside = known && !ik_path_below(target, here),
		 leads = known && !ik_text_equal(plain, target);

	path = leads ? ik_format("%s -> %s", name, target) : ik_strdup(name);
	line = !known ? ik_format(_("%s (it cannot be told where this leads)"), path)
		: outside ? ik_format(_("%s (outside this directory)"), path)
				  : ik_strdup(path);
	if (!known || outside || leads)
		ik_question_add_sentence(text, IK_QUESTION_WARNING, line);
	free(line);
	free(path);
	free(plain);
	free(target);
	free(here);
	return !known || outside || leads;
}

char *ik_call_targets(const char *directory, const char *bytes, size_t length)
{
	struct ik_json_span arguments = { NULL, 0 }, key, value;
	struct ik_json_walk walk = { NULL };
	struct ik_buf targets;

	ik_buf_init(&targets, IK_LIMIT_ARGUMENTS);
	if (ik_json_check(bytes, length, &arguments, NULL) != IK_OK ||
		ik_json_span_type(arguments) != IK_JSON_OBJECT)
		arguments = (struct ik_json_span){ NULL, 0 };
	while (ik_json_next(arguments, &walk, &key, &value)) {
		char *name = ik_json_string_new(key, NULL), *path = ik_json_string_new(value, NULL);
		char *target = path && ik_policy_is_path(name) ? follow(directory, path) : NULL;

		ik_buf_printf(&targets, "%s\n", target ? target : "");
		free(name);
		free(path);
		free(target);
	}
	return ik_buf_take(&targets, NULL);
}

/* ---- changes to a file ---- */

/* The state of a file: its text was read, it doesn't exist yet, or a hint says why it is
 * unknown. */
enum file_state { FILE_THERE, FILE_NEW, FILE_UNKNOWN };

static enum file_state read_file(const char *directory, const char *name, struct ik_buf *contents,
	struct ik_question_text *text)
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
		ik_question_add_sentence(text, IK_QUESTION_HINT, _("There is no such file yet."));
		state = FILE_NEW;
	} else if (status == IK_TOO_LARGE) {
		ik_question_add_sentence(text, IK_QUESTION_HINT,
			_("The file is too large to be compared here."));
		state = FILE_UNKNOWN;
	} else if (status != IK_OK) {
		ik_question_add_sentence(text, IK_QUESTION_HINT, error.text);
		state = FILE_UNKNOWN;
	} else if (memchr(contents->data, '\0', contents->length)) {
		ik_question_add_sentence(text, IK_QUESTION_HINT, _("The file is binary."));
		state = FILE_UNKNOWN;
	}
	free(path);
	return state;
}

/* Add the diff of two texts. */
static void add_diff(struct ik_question_text *text, const struct ik_buf *before,
	const struct ik_buf *after)
{
	struct ik_buf out;
	size_t more;

	ik_buf_init(&out, IK_LIMIT_ARGUMENTS);
	more = ik_diff_lines(&out, before->data, before->length, after->data, after->length,
		MOST_LINES);
	if (out.length > 0)
		ik_question_add(text, IK_QUESTION_DIFF, out.data, out.length);
	else
		ik_question_add_sentence(text, IK_QUESTION_HINT, _("Nothing would change in the file."));
	if (more > 0) {
		char *sentence = ik_format(ngettext("%zu more line is not shown.",
									   "%zu more lines are not shown.", more),
			more);

		ik_question_add_sentence(text, IK_QUESTION_HINT, sentence);
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

/* Decode a string member; return false if it is not a string. */
static bool take_string(struct ik_json_span object, const char *name, struct ik_buf *out)
{
	ik_buf_init(out, IK_LIMIT_ARGUMENTS);
	return ik_json_string(ik_json_member(object, name), out);
}

/* Add the changes of an edit. */
static void add_edit(struct ik_question_text *text, const struct ik_buf *contents, bool known,
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
		add_diff(text, contents, &after);
	} else {
		if (known)
			ik_question_add_sentence(text, IK_QUESTION_HINT,
				count == 0
					? _("The text to be replaced is not in the file: the edit would fail.")
					: _("The text to be replaced is there more than once: the edit would fail."));
		add_diff(text, old_text, new_text);
	}
	ik_buf_done(&after);
}

/* Add file and diff; return false if the arguments don't fit such a tool. */
static bool add_file(struct ik_question_text *text, const char *directory, const char *tool,
	struct ik_json_span arguments)
{
	bool edits = ik_text_equal(tool, "file_edit");
	struct ik_buf name, one, other, contents;
	bool fits = (edits || ik_text_equal(tool, "file_write"));

	fits &= take_string(arguments, "file_path", &name);
	fits &= take_string(arguments, edits ? "old_string" : "content", &one);
	fits = take_string(arguments, "new_string", &other) == edits && fits;
	ik_buf_init(&contents, IK_LIMIT_COMPARED);
	if (fits) {
		enum file_state state;

		if (!add_target(text, directory, name.data))
			ik_question_add(text, IK_QUESTION_TEXT, name.data, name.length);
		state = read_file(directory, name.data, &contents, text);
		if (edits)
			add_edit(text, &contents, state == FILE_THERE, arguments, &one, &other);
		else
			add_diff(text, &contents, &one);
	}
	ik_buf_done(&name);
	ik_buf_done(&one);
	ik_buf_done(&other);
	ik_buf_done(&contents);
	return fits;
}

/* ---- arguments ---- */

/* Add one argument, on the line of its name or below it. */
static void add_argument(struct ik_question_text *text, const char *directory,
	struct ik_json_span key, struct ik_json_span value)
{
	struct ik_buf name, shown, line;

	ik_buf_init(&name, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&shown, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&line, IK_LIMIT_ARGUMENTS);
	(void)ik_json_string(key, &name);
	/* The whole name, since a name cut at a NUL would look like another one. */
	ik_sanitize_line(&line, name.data, name.length);
	if (!ik_json_string(value, &shown))
		ik_json_pretty(&shown, value);
	if (shown.length <= SHORT_TEXT && !memchr(shown.data, '\n', shown.length)) {
		ik_buf_puts(&line, ": ");
		ik_buf_append(&line, shown.data, shown.length);
		ik_question_add(text, IK_QUESTION_TEXT, line.data, line.length);
	} else {
		ik_question_add(text, IK_QUESTION_HEADING, line.data, line.length);
		ik_question_add(text, IK_QUESTION_TEXT, shown.data, shown.length);
	}
	if (ik_json_span_type(value) == IK_JSON_STRING && ik_policy_is_path(name.data))
		(void)add_target(text, directory, shown.data);
	ik_buf_done(&name);
	ik_buf_done(&shown);
	ik_buf_done(&line);
}

void ik_question_add_call(struct ik_question_text *text, const char *directory, const char *tool,
	const char *bytes, size_t length)
{
	struct ik_json_span arguments = { NULL, 0 }, key, value;
	struct ik_json_walk walk = { NULL };

	if (ik_json_check(bytes, length, &arguments, NULL) != IK_OK ||
		ik_json_span_type(arguments) != IK_JSON_OBJECT) {
		ik_question_add(text, IK_QUESTION_TEXT, bytes, length);
		return;
	}
	if (add_file(text, directory, tool, arguments))
		return;
	if (ik_json_count(arguments) == 0)
		ik_question_add_sentence(text, IK_QUESTION_HINT, _("It has no arguments."));
	while (ik_json_next(arguments, &walk, &key, &value))
		add_argument(text, directory, key, value);
}
