#include "json/edit.h"

#include <string.h>

#include "json/write.h"

/* Return the offset of a place in plain. */
static size_t offset(const struct ik_json_edit *edit, const char *place)
{
	return (size_t)(place - edit->plain);
}

/* Append the text between two offsets. */
static void copy(const struct ik_json_edit *edit, size_t from, size_t to)
{
	ik_buf_append(edit->out, edit->text + from, to - from);
}

/* Return the end of the comments that follow a place in its line. *ret_line: the last one reaches
 * to the end of the line. */
static size_t skip_comments(const char *text, size_t at, bool *ret_line)
{
	size_t end = at;
	const char *close;

	*ret_line = false;
	for (;;) {
		at += strspn(text + at, " \t");
		if (strncmp(text + at, "//", 2) == 0) {
			*ret_line = true;
			return at + strcspn(text + at, "\r\n");
		}
		close = strncmp(text + at, "/*", 2) == 0 ? strstr(text + at + 2, "*/") : NULL;
		if (!close)
			return end;
		end = at = (size_t)(close - text) + 2;
	}
}

/* Return where the line of a place begins, and in *ret_blanks how many blanks it begins with. */
static size_t line_of(const struct ik_json_edit *edit, size_t at, size_t *ret_blanks)
{
	while (at > 0 && edit->text[at - 1] != '\n')
		at--;
	*ret_blanks = strspn(edit->text + at, " \t");
	return at;
}

/* Begin a line as the text does: with its line ends. */
static void new_line(const struct ik_json_edit *edit)
{
	const char *end = strchr(edit->text, '\n');

	ik_buf_puts(edit->out, end && end > edit->text && end[-1] == '\r' ? "\r\n" : "\n");
}

/* Append the missing members around the value: "ui": { "theme": "light" }. */
static void put_member(const struct ik_json_edit *edit, const struct ik_json_gap *gap,
	const char *value)
{
	for (size_t i = 0; i < gap->count; i++) {
		ik_buf_puts(edit->out, i > 0 ? "{ \"" : "\"");
		ik_json_escape(edit->out, gap->names[i], strlen(gap->names[i]));
		ik_buf_puts(edit->out, "\": ");
	}
	ik_buf_puts(edit->out, value);
	for (size_t i = 1; i < gap->count; i++)
		ik_buf_puts(edit->out, " }");
}

/* Add the missing members at the end of their object, in a line of their own if the others are. */
static void insert(const struct ik_json_edit *edit, const struct ik_json_gap *gap,
	const char *value)
{
	size_t first = offset(edit, gap->object.text), after = first + 1, line, blanks, end;
	bool empty = true, alone, own_line;

	for (struct ik_json_walk walk = ik_json_walk(gap->object); ik_json_next(&walk);) {
		first = empty ? offset(edit, walk.key.text) : first;
		after = offset(edit, walk.value.text) + walk.value.length;
		empty = false;
	}
	line = line_of(edit, first, &blanks);
	alone = !empty && line + blanks == first;
	end = skip_comments(edit->text, after, &own_line);
	own_line = own_line || alone || strchr("\r\n", edit->text[end]);
	copy(edit, 0, after);
	ik_buf_puts(edit->out, empty ? "" : ",");
	copy(edit, after, end);
	if (own_line) {
		new_line(edit);
		copy(edit, line, line + blanks);
	}
	if (!alone)
		ik_buf_puts(edit->out, !own_line ? " " : edit->text[line] == '\t' ? "\t" : "  ");
	put_member(edit, gap, value);
	ik_buf_puts(edit->out, empty && edit->text[end] == '}' ? " " : "");
	ik_buf_puts(edit->out, edit->text + end);
}

struct ik_json_gap ik_json_gap_find(struct ik_json_span object, const char *const *names,
	size_t count)
{
	struct ik_json_gap gap = { .object = object, .names = names, .count = count };
	struct ik_json_span inner = ik_json_member(object, names[0]);

	if (count > 1 && inner.text)
		return ik_json_gap_find(inner, names + 1, count - 1);
	gap.value = inner;
	return gap;
}

/* Begin an object around the missing members, after comments if there are any. */
static void begin(const struct ik_json_edit *edit, const struct ik_json_gap *gap, const char *value)
{
	size_t length = strlen(edit->text);

	copy(edit, 0, length);
	if (length > 0 && edit->text[length - 1] != '\n')
		new_line(edit);
	ik_buf_puts(edit->out, "{");
	new_line(edit);
	ik_buf_puts(edit->out, "  ");
	put_member(edit, gap, value);
	new_line(edit);
	ik_buf_puts(edit->out, "}");
	new_line(edit);
}

void ik_json_edit_put(const struct ik_json_edit *edit, const struct ik_json_gap *gap,
	const char *value)
{
	if (!edit->root.text) {
		begin(edit, gap, value);
	} else if (!gap->value.text) {
		insert(edit, gap, value);
	} else {
		copy(edit, 0, offset(edit, gap->value.text));
		ik_buf_puts(edit->out, value);
		ik_buf_puts(edit->out, edit->text + offset(edit, gap->value.text) + gap->value.length);
	}
}

/* Return where the blanks before a place begin; with line, the end of the line before is one. */
static size_t skip_back(const struct ik_json_edit *edit, size_t at, bool line)
{
	while (at > 0 && strchr(" \t", edit->text[at - 1]))
		at--;
	if (line && at > 0 && edit->text[at - 1] == '\n')
		at -= at > 1 && edit->text[at - 2] == '\r' ? 2 : 1;
	return at;
}

void ik_json_edit_remove(const struct ik_json_edit *edit, const struct ik_json_gap *gap)
{
	struct ik_json_walk walk = ik_json_walk(gap->object);
	size_t before = offset(edit, gap->object.text) + 1, start, end, comma;
	bool first = true, last, line;

	while (ik_json_next(&walk) && walk.value.text != gap->value.text) {
		before = offset(edit, walk.value.text) + walk.value.length;
		first = false;
	}
	end = offset(edit, walk.value.text) + walk.value.length;
	comma = end + strspn(edit->plain + end, " \t\r\n");
	last = edit->plain[comma] != ',';
	end = skip_comments(edit->text, last ? end : comma + 1, &line);
	/* A line that was the member's goes. One with a comment before the member must end. */
	line = strchr("\r\n", edit->text[end + strspn(edit->text + end, " \t")]);
	start = skip_back(edit, offset(edit, walk.key.text), line);
	if (last && !first) { /* the comma before it goes, too */
		comma = before + strcspn(edit->plain + before, ",");
		copy(edit, 0, comma);
		before = comma + 1;
	} else {
		before = 0;
	}
	copy(edit, before, start);
	ik_buf_puts(edit->out, edit->text + end);
}
