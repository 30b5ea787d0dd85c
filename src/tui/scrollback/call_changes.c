/* The changes that a call makes in its file: the part of tui/scrollback/calls.h that compares. */
#include "tui/scrollback/calls.h"

#include <stdio.h>
#include <string.h>

#include "util/diff.h"
#include "util/text.h"

struct ik_json_span ik_call_display(const struct ik_shown_call *call)
{
	return (struct ik_json_span){ call->display, call->display ? strlen(call->display) : 0 };
}

struct ik_json_span ik_call_role(const struct ik_shown_call *call, const char *role)
{
	struct ik_json_span arguments;

	if (!call->display ||
		ik_json_check(call->arguments.data, call->arguments.length, &arguments, NULL) != IK_OK)
		return (struct ik_json_span){ NULL, 0 };
	return ik_display_value(ik_call_display(call), role, arguments);
}

/* Return the positive number in the call's result that has a role; 0: there is none. */
static size_t result_number(const struct ik_shown_call *call, const char *role)
{
	struct ik_json_span envelope, value;
	struct ik_buf text;
	int64_t number = 0;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	if (!ik_call_is_large(call) && ik_call_envelope(call, SIZE_MAX, &text) &&
		ik_json_check(text.data, text.length, &envelope, NULL) == IK_OK) {
		value = ik_display_value(ik_call_display(call), role, ik_json_member(envelope, "result"));
		if (!ik_json_integer(value, &number) || number < 1)
			number = 0;
	}
	ik_buf_done(&text);
	return (size_t)number;
}

/* A diff that is being written with the numbers of its lines. */
struct numbered_diff {
	size_t numbers[2]; /* of the next line, in the old text and in the new one */
	size_t first;      /* number of the first line; 0: show no numbers */
	int width;         /* of a number */
	size_t most;       /* lines that are still to be written */
	struct ik_buf *out;
	struct ik_call_changes changes;
};

/* Begin a hunk: "@@ -4,7 +4,8 @@". Without numbers, "@@" is between two. */
static void begin_hunk(struct numbered_diff *diff, const char *line)
{
	size_t old_line = 0, new_line = 0;

	if (diff->first == 0 && diff->numbers[1] > 0 && diff->most > 0)
		ik_buf_puts(diff->out, "@@\n");
	(void)sscanf(line, "@@ -%zu%*[0-9,] +%zu", &old_line, &new_line);
	diff->numbers[0] = diff->first + old_line - (old_line > 0);
	diff->numbers[1] = diff->first + new_line - (new_line > 0);
}

/* Append a line "+...", "-..." or " ...", without its line feed. */
static void put_line(struct numbered_diff *diff, const char *line, size_t length)
{
	bool removed = line[0] == '-', added = line[0] == '+';
	size_t number = diff->numbers[!removed];

	diff->changes.added += added;
	diff->changes.removed += removed;
	diff->numbers[0] += !added;
	diff->numbers[1] += !removed;
	if (diff->most == 0) {
		diff->changes.more++;
		return;
	}
	diff->most--;
	if (diff->first > 0)
		ik_buf_printf(diff->out, "%*zu ", diff->width, number);
	ik_buf_printf(diff->out, "%c ", line[0]);
	ik_buf_append(diff->out, line + 1, length - 1);
	ik_buf_putc(diff->out, '\n');
}

void ik_changes_put(const struct ik_buf *before, const struct ik_buf *after, size_t first,
	size_t most, struct ik_buf *out, struct ik_call_changes *ret_changes)
{
	struct numbered_diff numbered = { .first = first, .width = 1, .most = most, .out = out };
	struct numbered_diff *diff = &numbered;
	struct ik_buf lines;
	size_t removed = ik_line_feeds(before->data, before->length);
	size_t added = ik_line_feeds(after->data, after->length);
	size_t last = first + (removed > added ? removed : added);

	/* Each line ends with a line feed, so that last is the number after the last one. */
	for (last -= last > 0; last >= 10; last /= 10)
		diff->width++;
	ik_buf_init(&lines, 2 * IK_LIMIT_ARGUMENTS);
	(void)ik_diff_lines(&lines, before->data, before->length, after->data, after->length, SIZE_MAX);
	for (size_t at = 0, end; at < lines.length; at = end + 1) {
		const char *line = lines.data + at;

		end = ik_line_end(lines.data, at, lines.length);
		if (*line == '@')
			begin_hunk(diff, line);
		else if (strchr("+- ", *line))
			put_line(diff, line, end - at);
	}
	ik_buf_done(&lines);
	*ret_changes = diff->changes;
}

/* Append a text, completed to whole lines. Return false if it isn't a string. */
static bool put_lines(struct ik_json_span value, struct ik_buf *out)
{
	if (!ik_json_string(value, out))
		return false;
	if (out->length > 0 && out->data[out->length - 1] != '\n')
		ik_buf_putc(out, '\n');
	return true;
}

bool ik_call_changes(const struct ik_shown_call *call, size_t most, struct ik_buf *out,
	struct ik_call_changes *ret_changes)
{
	struct ik_json_span old_text = ik_call_role(call, "old_text");
	struct ik_buf before, after;
	size_t times;
	bool any;

	if (ik_display_kind(ik_call_display(call)) != IK_DISPLAY_EDIT)
		return false;
	ik_buf_init(&before, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&after, IK_LIMIT_ARGUMENTS);
	any = put_lines(ik_call_role(call, "new_text"), &after) &&
		(!old_text.text || put_lines(old_text, &before));
	if (any) {
		ik_changes_put(&before, &after, old_text.text ? result_number(call, "at") : 1, most, out,
			ret_changes);
		ret_changes->whole = !old_text.text;
		times = result_number(call, "times");
		ret_changes->added *= times > 1 ? times : 1;
		ret_changes->removed *= times > 1 ? times : 1;
	}
	ik_buf_done(&before);
	ik_buf_done(&after);
	return any;
}
