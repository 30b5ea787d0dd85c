#include "provider/practice_rules.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Lines of an output that are repeated in the text; the call shows all of it. */
#define LINES_SHOWN 20
#define BYTES_SHOWN 4000

/* Count the lines of a text, including a last one without a line feed. */
static size_t count_lines(const char *text, size_t length)
{
	size_t lines = 0;

	for (size_t at = 0; at < length; lines++) {
		const char *end = memchr(text + at, '\n', length - at);

		at = end ? (size_t)(end - text) + 1 : length;
	}
	return lines;
}

/* Return the length of the lines that are shown. */
static size_t shown_length(const char *text, size_t length)
{
	size_t limit = ik_utf8_cut(text, length, length < BYTES_SHOWN ? length : BYTES_SHOWN);
	size_t at = 0;

	for (int line = 0; line < LINES_SHOWN && at < limit; line++) {
		const char *end = memchr(text + at, '\n', limit - at);

		at = end ? (size_t)(end - text) + 1 : limit;
	}
	return at;
}

/* Say how many lines are not shown, if any. */
static void put_rest(struct ik_buf *out, const char *text, size_t length, size_t shown)
{
	size_t rest = count_lines(text + shown, length - shown);

	if (rest)
		ik_buf_printf(out,
			ngettext("\n%zu more line is with the call.\n", "\n%zu more lines are with the call.\n",
				rest),
			rest);
}

/* Write the first lines as a code block, with a fence that they do not contain. */
static void put_block(struct ik_buf *out, const char *language, const char *text, size_t length)
{
	size_t shown = shown_length(text, length);
	size_t fence = 3, run = 0;

	for (size_t at = 0; at < shown; at++) {
		run = text[at] == '`' ? run + 1 : 0;
		if (run >= fence)
			fence = run + 1;
	}
	ik_buf_putc(out, '\n');
	for (size_t count = 0; count < fence; count++)
		ik_buf_putc(out, '`');
	ik_buf_printf(out, "%s\n", language);
	ik_buf_append(out, text, shown);
	if (shown && text[shown - 1] != '\n')
		ik_buf_putc(out, '\n');
	for (size_t count = 0; count < fence; count++)
		ik_buf_putc(out, '`');
	ik_buf_putc(out, '\n');
	put_rest(out, text, length, shown);
}

/* Write the first lines as list items. */
static void put_list(struct ik_buf *out, const char *text, size_t length)
{
	size_t shown = shown_length(text, length);

	ik_buf_putc(out, '\n');
	for (size_t at = 0; at < shown;) {
		const char *end = memchr(text + at, '\n', shown - at);
		size_t line = end ? (size_t)(end - text) - at : shown - at;

		ik_buf_puts(out, "- `");
		ik_buf_append(out, text + at, line);
		ik_buf_puts(out, "`\n");
		at += line + 1;
	}
	put_rest(out, text, length, shown);
}

/* Return the decoded text of a member, "" if it is not a string; in new memory. */
static char *text_of(struct ik_json_span object, const char *name, size_t *ret_length)
{
	struct ik_buf empty;
	char *text = ik_json_string_new(ik_json_member(object, name), ret_length);

	if (text)
		return text;
	ik_buf_init(&empty, 1);
	return ik_buf_take(&empty, ret_length);
}

/* Describe what went wrong, according to the envelope or the tool itself. Return false if nothing
 * did. */
static bool put_failure(struct ik_buf *out, const char *tool, struct ik_json_span envelope)
{
	struct ik_json_span result = ik_json_member(envelope, "result");
	bool success = false;

	ik_json_bool(ik_json_member(envelope, "tool_success"), &success);
	struct ik_json_span where = success ? result : envelope;

	if (success && ik_json_span_type(ik_json_member(result, "error")) != IK_JSON_STRING)
		return false;
	size_t length;
	char *message = text_of(where, "error", NULL);
	char *code = text_of(where, "error_code", NULL);
	char *errors = text_of(where, "stderr", &length);

	if (success)
		ik_buf_printf(out, _("`%s` could not do it: %s"), tool, message);
	else
		ik_buf_printf(out, _("The call of `%s` failed: %s"), tool, message);
	if (*code)
		ik_buf_printf(out, " (`%s`)", code);
	ik_buf_putc(out, '\n');
	if (length)
		put_block(out, "", errors, length);
	free(message);
	free(code);
	free(errors);
	return true;
}

/* Describe what grep, glob or any tool with an "output" found. */
static void put_output(struct ik_buf *out, const char *tool, struct ik_json_span arguments,
	struct ik_json_span result)
{
	size_t length;
	char *text = text_of(result, "output", &length);
	char *pattern = text_of(arguments, "pattern", NULL);
	char *path = text_of(arguments, "file_path", NULL);
	size_t lines = count_lines(text, length);
	int64_t code = 0;

	if (ik_text_equal(tool, "glob") && !lines) {
		ik_buf_printf(out, _("`glob` found no file for `%s`.\n"), pattern);
	} else if (ik_text_equal(tool, "glob")) {
		ik_buf_printf(out, ngettext("`glob` found %zu file:\n", "`glob` found %zu files:\n", lines),
			lines);
		put_list(out, text, length);
	} else if (ik_text_equal(tool, "grep") && !lines) {
		ik_buf_printf(out, _("`grep` found nothing for `%s`.\n"), pattern);
	} else if (ik_text_equal(tool, "grep")) {
		ik_buf_printf(out, ngettext("`grep` found %zu line:\n", "`grep` found %zu lines:\n", lines),
			lines);
		put_block(out, "", text, length);
	} else if (ik_text_equal(tool, "file_read") && !length) {
		ik_buf_printf(out, _("`%s` is empty.\n"), path);
	} else if (ik_text_equal(tool, "file_read")) {
		ik_buf_printf(out, ngettext("`%s` has %zu line:\n", "`%s` has %zu lines:\n", lines), path,
			lines);
		put_block(out, "", text, length);
	} else if (ik_json_integer(ik_json_member(result, "exit_code"), &code)) {
		ik_buf_printf(out,
			length ? _("The command ended with exit code %lld:\n")
				   : _("The command ended with exit code %lld and no output.\n"),
			(long long)code);
		if (length)
			put_block(out, "", text, length);
	} else if (lines <= 1) {
		ik_buf_printf(out, _("`%s` says: "), tool);
		ik_buf_append(out, text, length);
		ik_buf_putc(out, '\n');
	} else {
		ik_buf_printf(out, _("`%s` says:\n"), tool);
		put_block(out, "", text, length);
	}
	free(text);
	free(pattern);
	free(path);
}

void ik_practice_describe(struct ik_buf *out, const char *tool, struct ik_json_span arguments,
	const char *envelope, size_t length)
{
	struct ik_json_span value;
	bool limit = false;

	if (ik_json_check(envelope, length, &value, NULL) != IK_OK) {
		ik_buf_printf(out, _("`%s` says:\n"), tool);
		put_block(out, "", envelope, length);
		return;
	}
	if (!put_failure(out, tool, value)) {
		struct ik_json_span result = ik_json_member(value, "result");

		if (ik_json_span_type(ik_json_member(result, "output")) == IK_JSON_STRING) {
			put_output(out, tool, arguments, result);
		} else {
			struct ik_buf pretty;

			ik_buf_init(&pretty, IK_LIMIT_ENVELOPE);
			ik_json_pretty(&pretty, result.text ? result : value);
			ik_buf_printf(out, _("`%s` answered:\n"), tool);
			put_block(out, "json", pretty.data, pretty.length);
			ik_buf_done(&pretty);
		}
	}
	if (ik_json_bool(ik_json_member(value, "limit_reached"), &limit) && limit) {
		char *message = text_of(value, "limit_message", NULL);

		ik_buf_printf(out, "\n%s\n", message);
		free(message);
	}
}

void ik_practice_describe_file(struct ik_buf *out, struct ik_json_span arguments,
	const char *envelope, size_t length)
{
	struct ik_json_span value;
	char *path = text_of(arguments, "file_path", NULL);

	if (ik_json_check(envelope, length, &value, NULL) != IK_OK)
		value = (struct ik_json_span){ NULL, 0 };
	ik_buf_printf(out, "- `%s`: ", path);
	if (!put_failure(out, "file_read", value)) {
		size_t text_length;
		char *text = text_of(ik_json_member(value, "result"), "output", &text_length);
		size_t lines = count_lines(text, text_length);

		ik_buf_printf(out, ngettext("%zu line, %zu bytes\n", "%zu lines, %zu bytes\n", lines),
			lines, text_length);
		free(text);
	}
	free(path);
}
