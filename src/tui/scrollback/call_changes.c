#include "tui/scrollback/call_changes.h"

#include <string.h>

#include "json/scan.h"
#include "util/diff.h"
#include "util/limits.h"
#include "util/text.h"

/* Part of a file goes on behind it: that it ends inside a line says nothing. */
static void complete_line(struct ik_buf *part)
{
	if (part->length > 0 && part->data[part->length - 1] != '\n')
		ik_buf_putc(part, '\n');
}

/* Append a diff without the numbers of its lines: they would count from the part's start, not
 * the file's. */
static void put_changes(struct ik_buf *out, const struct ik_buf *diff)
{
	const char *line = diff->data, *end = line + diff->length, *next;

	for (; line < end; line = next) {
		const char *feed = memchr(line, '\n', (size_t)(end - line));

		next = feed ? feed + 1 : end;
		if (*line != '@')
			ik_buf_append(out, line, (size_t)(next - line));
		else if (line > diff->data)
			ik_buf_puts(out, "@@\n");
	}
}

bool ik_call_changes(const struct ik_shown_call *call, struct ik_buf *out)
{
	bool edit = ik_text_equal(call->name, "file_edit");
	struct ik_json_span arguments, path;
	struct ik_buf before, after, diff;

	if ((!edit && !ik_text_equal(call->name, "file_write")) ||
		ik_json_check(call->arguments.data, call->arguments.length, &arguments, NULL) != IK_OK)
		return false;
	ik_buf_init(&before, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&after, IK_LIMIT_ARGUMENTS);
	path = ik_json_member(arguments, "file_path");
	bool whole = ik_json_span_type(path) == IK_JSON_STRING &&
		ik_json_string(ik_json_member(arguments, edit ? "new_string" : "content"), &after) &&
		(!edit || ik_json_string(ik_json_member(arguments, "old_string"), &before));
	if (whole) {
		(void)ik_json_string(path, out);
		ik_buf_putc(out, '\n');
		if (edit) {
			complete_line(&before);
			complete_line(&after);
		}
		ik_buf_init(&diff, out->ceiling);
		size_t more = ik_diff_lines(&diff, before.data, before.length, after.data, after.length,
			IK_CHANGES_LINES);
		put_changes(out, &diff);
		ik_buf_done(&diff);
		if (more > 0)
			ik_buf_printf(out, ngettext("... %zu more line\n", "... %zu more lines\n", more), more);
	}
	ik_buf_done(&before);
	ik_buf_done(&after);
	return whole;
}
