#include "tui/text/markdown_source.h"

#include <stdlib.h>
#include <string.h>

#include "util/limits.h"
#include "util/text.h"

#define SECTION_LEAST 1024u /* the overhead of smaller sections is not worth it */
#define BLOCK_MOST 4096u    /* from this size on a block is cut between lines, */
#define UNKNOWN_MOST 32768u /* even where a cut may change its look */
#define MARK_DIGITS 9       /* limit of a list item's number */
#define FENCE_LEAST 3       /* characters */
#define DELIMITER_CELL 3    /* minimum of md4c */
#define LABEL_MOST 200      /* bytes */
#define OPEN_SPANS 8        /* limit of nested spans that are closed */
#define NONE SIZE_MAX

/* ---- lines, and where to cut ---- */

struct markdown_line {
	const char *text;
	size_t start;  /* its position in the text */
	size_t length; /* without the line feed */
	bool complete;
};

/* The blocks that are open at the start of a line. */
struct scan {
	size_t fence_length; /* 0 outside a fence */
	char fence_char;
	size_t fence_indent; /* 0 outside lists */
	size_t opener;       /* where the outermost block begins, if it is a fence or a table */
	bool list;
	size_t list_indent; /* of the first item */
	unsigned number;    /* of the last item; 0 if they are out of sequence */
	bool blank_before;
	bool paragraph;  /* all lines since the last blank one are plain text */
	size_t cells;    /* cells of the previous line, if it may be the head of a table, */
	size_t head;     /* which begins here if it is an outermost block */
	bool table_rule; /* the previous line was the row under the head */
};

static struct markdown_line line_at(const char *text, size_t position, size_t length)
{
	size_t end = ik_line_end(text, position, length);

	return (struct markdown_line){
		.text = text + position,
		.start = position,
		.length = end - position,
		.complete = end < length,
	};
}

/* Return how many bytes from a position on are in a set. */
static size_t span(struct markdown_line line, size_t position, const char *bytes)
{
	size_t end = position;

	while (end < line.length && line.text[end] && strchr(bytes, line.text[end]))
		end++;
	return end - position;
}

/* Does a line begin with a letter, so with no block mark? */
static bool begins_with_letter(struct markdown_line line)
{
	char first = line.length > 0 ? line.text[0] : '\0';

	return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ||
		(unsigned char)first >= 0x80;
}

/* Return the length of a list item's mark at a position, or 0. *ret_unknown: the rest of an
 * incomplete line may still complete a mark. */
static size_t item_mark(struct markdown_line line, size_t position, bool *ret_unknown)
{
	size_t digits = span(line, position, "0123456789"), end = position + digits;

	*ret_unknown = false;
	if (digits > MARK_DIGITS)
		return 0;
	if (end < line.length && !strchr(digits > 0 ? ".)" : "-+*", line.text[end]))
		return 0;
	if (end < line.length)
		end++;
	else if (line.complete || digits == 0)
		return 0;
	*ret_unknown = end == line.length && !line.complete;
	return end == line.length || line.text[end] == ' ' || line.text[end] == '\t' ? end - position
																				 : 0;
}

/* Return the number of an item, or 0 if it has none. */
static unsigned item_number(struct markdown_line line, size_t indent)
{
	return (unsigned)strtoul(line.text + indent, NULL, 10);
}

/* Is a line with this indentation outside all lists? */
static bool is_outermost(const struct scan *scan, size_t indent)
{
	return indent == 0 || (indent <= 3 && !scan->list);
}

/* Note whether the line opens a fence, perhaps after list item marks. Outside lists, a tab makes code. */
static void open_fence(struct scan *scan, struct markdown_line line)
{
	size_t at = span(line, 0, scan->list ? " \t" : " "), mark;
	bool unknown, outermost = is_outermost(scan, at);

	while ((mark = item_mark(line, at, &unknown)) > 0) {
		at += mark;
		at += span(line, at, " ");
		outermost = false;
	}
	size_t run = span(line, at, "`");

	if (run == 0)
		run = span(line, at, "~");
	if (run < FENCE_LEAST || (at > 3 && !scan->list) ||
		(line.text[at] == '`' && memchr(line.text + at + run, '`', line.length - at - run)))
		return;
	scan->fence_length = run;
	scan->fence_char = line.text[at];
	scan->fence_indent = outermost ? 0 : at;
	scan->opener = outermost ? line.start : NONE;
}

/* A fence that is indented further than the open one is a line of the code. */
static bool closes_fence(const struct scan *scan, struct markdown_line line)
{
	const char fence[2] = { scan->fence_char, '\0' };
	size_t at = span(line, 0, scan->fence_indent > 0 ? " \t" : " "), run = span(line, at, fence);

	return run >= scan->fence_length && at <= scan->fence_indent + 3 &&
		at + run + span(line, at + run, " \t\r") == line.length;
}

/* Return the number of cells in a row: the parts between bars, ignoring the outer bars. */
static size_t count_cells(struct markdown_line line)
{
	size_t start = span(line, 0, " \t"), end = line.length, cells = 1;

	if (!memchr(line.text, '|', line.length))
		return 0;
	while (end > start && strchr(" \t\r", line.text[end - 1]))
		end--;
	if (start < end && line.text[start] == '|')
		start++;
	if (end > start && line.text[end - 1] == '|')
		end--;
	for (size_t i = start; i < end; i++)
		cells += line.text[i] == '|' && (i == 0 || line.text[i - 1] != '\\');
	return cells;
}

/* Is the line a row of dashes, colons and bars? */
static bool is_delimiter(struct markdown_line line)
{
	return span(line, 0, "|:- \t\r") == line.length && span(line, 0, " ") <= 3 &&
		memchr(line.text, '-', line.length) && memchr(line.text, '|', line.length);
}

/* Note the start or end of a table. */
static void scan_cells(struct scan *scan, struct markdown_line line, size_t indent)
{
	size_t cells = count_cells(line);

	scan->table_rule = cells > 0 && cells == scan->cells && is_delimiter(line);
	if (scan->table_rule)
		scan->opener = scan->head;
	else if (line.text[0] != '|')
		scan->opener = NONE;
	scan->head = scan->blank_before && is_outermost(scan, indent) ? line.start : NONE;
	scan->cells = cells;
}

/* Note that a line is a list item, or ends a list. */
static void scan_list(struct scan *scan, struct markdown_line line, size_t indent)
{
	bool unknown, item = indent < 4 && item_mark(line, indent, &unknown) > 0;

	if (item && (!scan->list || indent <= scan->list_indent)) {
		unsigned number = item_number(line, indent);

		if (!scan->list)
			scan->list_indent = indent;
		scan->number = !scan->list || number == scan->number + 1 ? number : 0;
	}
	if (item)
		scan->list = true;
	else if (scan->blank_before && indent == 0)
		scan->list = false;
}

static void scan_line(struct scan *scan, struct markdown_line line)
{
	size_t indent = span(line, 0, " \t");

	scan->table_rule = false;
	if (scan->fence_length > 0) {
		if (closes_fence(scan, line)) {
			scan->fence_length = 0;
			scan->opener = NONE;
		}
		scan->blank_before = scan->paragraph = false;
		scan->cells = 0;
		return;
	}
	if (indent == line.length) {
		scan->blank_before = true;
		scan->opener = NONE;
		scan->cells = 0;
		return;
	}
	scan_list(scan, line, indent);
	scan_cells(scan, line, indent);
	scan->paragraph = (scan->blank_before || scan->paragraph) && begins_with_letter(line) &&
		scan->cells == 0;
	scan->blank_before = false;
	open_fence(scan, line);
}

/* Start scanning a section. Return the end of the lines that open the block it continues: one
 * line for a fence, two for a table. */
static size_t scan_begin(struct scan *scan, const char *text, size_t opener, size_t start)
{
	*scan = (struct scan){ .blank_before = true, .opener = NONE };
	while (opener < start && scan->opener == NONE) {
		struct markdown_line line = line_at(text, opener, start);

		scan_line(scan, line);
		opener += line.length + 1;
	}
	return opener < start ? opener : start;
}

/* May a list of this size be cut before an item? Only if the item's number, with which the next
 * section starts, is the one that it has in the whole list. */
static bool may_cut_list(const struct scan *scan, struct markdown_line line, size_t indent,
	size_t size)
{
	unsigned number = item_number(line, indent);

	return (scan->blank_before || size >= BLOCK_MOST) &&
		(number == 0 || (scan->number > 0 && number == scan->number + 1));
}

/* May a section of this size end before a line? *ret_unknown: it depends on the rest of the
 * line. */
static bool may_cut(const struct scan *scan, struct markdown_line line, size_t size,
	bool *ret_unknown)
{
	size_t indent = span(line, 0, " \t");

	*ret_unknown = false;
	if (size < SECTION_LEAST || line.length == 0)
		return false;
	if (scan->fence_length > 0)
		return scan->opener != NONE && size >= BLOCK_MOST;
	if (indent > (scan->list ? scan->list_indent : 0) || indent == line.length)
		return false;
	if (scan->list && item_mark(line, indent, ret_unknown) > 0)
		return !*ret_unknown && may_cut_list(scan, line, indent, size);
	if (indent > 0)
		return false;
	if (scan->blank_before)
		return true;
	if (scan->opener != NONE)
		return size >= UNKNOWN_MOST && line.text[0] == '|'; /* its columns may be narrower */
	if (scan->paragraph && !scan->list && begins_with_letter(line))
		return size >= BLOCK_MOST;
	return size >= UNKNOWN_MOST && !strchr("=-|:", line.text[0]);
}

size_t ik_markdown_split(const char *text, size_t start, size_t length, size_t *opener)
{
	struct scan scan;

	(void)scan_begin(&scan, text, *opener, start);
	for (size_t position = start; position < length;) {
		struct markdown_line line = line_at(text, position, length);
		bool unknown;

		if (may_cut(&scan, line, position - start, &unknown)) {
			bool inside = scan.fence_length > 0 || line.text[0] == '|';

			*opener = inside && scan.opener != NONE ? scan.opener : position;
			return position - start;
		}
		if (unknown || !line.complete)
			return 0;
		scan_line(&scan, line);
		position += line.length + 1;
	}
	return 0;
}

bool ik_markdown_last_code(const char *text, size_t length, const char **ret_code,
	size_t *ret_length)
{
	struct scan scan;
	bool found = false;

	(void)scan_begin(&scan, text, 0, 0);
	for (size_t position = 0; position < length;) {
		struct markdown_line line = line_at(text, position, length);
		bool inside = scan.fence_length > 0;

		scan_line(&scan, line);
		position = line.start + line.length + line.complete;
		if (!inside && scan.fence_length > 0) {
			*ret_code = text + position;
			*ret_length = length - position;
			found = true;
		} else if (inside && scan.fence_length == 0) {
			*ret_length = (size_t)(line.text - *ret_code);
		}
	}
	return found;
}

/* ---- the end of a growing text ---- */

/* Return the end of the text without marks whose meaning is still open. */
static size_t hold_back(const struct ik_render *request, size_t until)
{
	const char *text = request->text;
	size_t start = ik_line_begin(text, request->start, until);
	struct markdown_line line = { .text = text + start, .length = until - start };

	if (span(line, 0, "-=*_#>+`~|: \t0123456789.)") == line.length)
		until = start;
	/* A row of cells becomes a head when the rule under it arrives. */
	size_t end = until > request->start && text[until - 1] == '\n' ? until - 1 : until;

	start = ik_line_begin(text, request->start, end);
	bool first = start < request->start + 2;

	if (end > start && text[start] == '|' &&
		(first ? request->opener == request->start : text[start - 2] == '\n'))
		return start;
	while (until > request->start && strchr("*_`~", text[until - 1]))
		until--;
	return until;
}

/* Append marks that close the spans left open by the last paragraph. Extra marks come after the
 * text, so they are not shown. */
static void close_spans(const char *text, size_t length, struct ik_buf *out)
{
	char open[OPEN_SPANS][3] = { { 0 } };
	size_t depth = 0, code = 0;

	for (size_t i = 0; i < length;) {
		char byte = text[i];
		size_t run = 1;

		while (i + run < length && text[i + run] == byte)
			run++;
		if (byte == '`') {
			code = code == 0 ? run : code == run ? 0 : code;
		} else if (byte == '\\' && code == 0) {
			run = 2;
		} else if (code == 0 && run <= 2 && (byte == '*' || (byte == '~' && run == 2))) {
			char mark[3] = { byte, run == 2 ? byte : '\0', '\0' };
			bool before = i > 0 && !strchr(" \t\n", text[i - 1]);

			if (depth > 0 && before && strcmp(open[depth - 1], mark) == 0)
				depth--;
			else if (depth < OPEN_SPANS && i + run < length && !strchr(" \t\n", text[i + run]))
				memcpy(open[depth++], mark, sizeof(mark));
		}
		i += run;
	}
	for (; code > 0; code--)
		ik_buf_putc(out, '`');
	while (depth > 0)
		ik_buf_puts(out, open[--depth]);
}

/* Append ")" for a link whose address is incomplete. */
static void close_link(const char *text, size_t length, struct ik_buf *out)
{
	for (size_t i = length; i-- > 1;) {
		if (strchr(" \t\n)", text[i]))
			return;
		if (text[i] == '(' && text[i - 1] == ']') {
			ik_buf_putc(out, ')');
			return;
		}
	}
}

/* Does the section end inside a fence? If not, *ret_after is the end of the last one, or the
 * start of the section. */
static bool ends_in_fence(const struct ik_render *request, size_t until, size_t *ret_after)
{
	struct scan scan;

	(void)scan_begin(&scan, request->text, request->opener, request->start);
	*ret_after = request->start;
	for (size_t position = request->start; position < until;) {
		struct markdown_line line = line_at(request->text, position, until);
		bool fence = scan.fence_length > 0;

		scan_line(&scan, line);
		position += line.length + 1;
		if (fence && scan.fence_length == 0)
			*ret_after = position < until ? position : until;
	}
	return scan.fence_length > 0;
}

/* Close what the last paragraph leaves open. The paragraph begins at or after `least`. */
static void complete(const struct ik_render *request, size_t least, size_t until,
	struct ik_buf *out)
{
	size_t start = until;

	while (start > least &&
		!(request->text[start - 1] == '\n' &&
			(start - 1 == least || request->text[start - 2] == '\n')))
		start--;
	close_link(request->text + start, until - start, out);
	/* At the start of a line, marks could open a block, so keep them on the last line. */
	if (out->length > 0 && out->data[out->length - 1] == '\n')
		ik_buf_truncate(out, out->length - 1);
	close_spans(request->text + start, until - start, out);
}

/* ---- link definitions ---- */

bool ik_reference_next(const char *text, size_t length, size_t *position,
	struct ik_reference *ret_reference)
{
	const char *end = text + length, *at = text + *position, *feed;

	while ((at = memmem(at, (size_t)(end - at), "]:", 2))) {
		struct markdown_line rest = line_at(text, ik_line_begin(text, 0, (size_t)(at - text)),
			length);
		size_t marks = span(rest, 0, " \t>-+*0123456789.)");

		at += 2;
		*ret_reference = (struct ik_reference){ .line = rest.text + marks,
			.label = (size_t)(at - rest.text) - marks - 3 };
		/* Footnotes look the same. */
		if (rest.text[marks] == '[' && rest.text[marks + 1] != '^' &&
			ret_reference->label <= LABEL_MOST &&
			strcspn(rest.text + marks + 1, "[]<\\") == ret_reference->label &&
			span(rest, marks + 1, " \t") < ret_reference->label) {
			*position = (size_t)(at - text);
			return true;
		}
		/* Only the first bracket in a line can end the label that the line begins with. */
		feed = memchr(at, '\n', (size_t)(end - at));
		if (!feed)
			return false;
		at = feed;
	}
	return false;
}

/* Keep all lines from defining links; definitions are shown as they are, not as links. */
static void hide_definitions(const struct ik_render *request, char *text, size_t length)
{
	struct ik_reference reference;
	size_t position = 0;

	while (ik_reference_next(text, length, &position, &reference))
		if (memmem(request->learnt->data, request->learnt->length, reference.line,
				reference.label + 3))
			text[reference.line - text] = '(';
	for (char *at = text; (at = memmem(at, (size_t)(text + length - at), "]:", 2)); at += 2)
		at[1] = ';';
}

/* ---- the row under a table's head ---- */

/* Put dashes into the row at start and return its new length. */
static size_t widen_row(struct ik_markdown_source *source, size_t start, size_t length)
{
	char *text;

	for (size_t i = start, cell; i<start + length; i += cell> 0 ? cell : 1) {
		text = source->text.data;
		cell = strspn(text + i, ":-");
		const char *dash = memchr(text + i, '-', cell);

		if (!dash || cell >= DELIMITER_CELL || source->widened_count == IK_DELIMITER_CELLS)
			continue;
		size_t offset = (size_t)(dash - text), more = DELIMITER_CELL - cell;

		ik_buf_insert(&source->text, offset, "--", more);
		if (offset < source->before) {
			source->before += more;
		} else {
			source->widened[source->widened_count].offset = offset;
			source->widened[source->widened_count++].count = more;
		}
		cell += more;
		length += more;
	}
	return length;
}

/* Widen all cells that are too narrow, from position `at` on. */
static void widen_tables(struct ik_markdown_source *source, size_t at)
{
	struct ik_buf *text = &source->text;
	struct scan scan = { .blank_before = true };

	while (at < text->length) {
		struct markdown_line line = line_at(text->data, at, text->length);

		scan_line(&scan, line);
		at += (scan.table_rule ? widen_row(source, at, line.length) : line.length) + 1;
	}
}

/* ---- a section ---- */

void ik_markdown_source_init(struct ik_markdown_source *source, const struct ik_render *request)
{
	struct ik_buf *text = &source->text;
	struct scan scan;
	size_t after, until = request->end < request->tail ? request->end : request->tail;

	*source = (struct ik_markdown_source){ .request = request };
	ik_buf_init(text, IK_LIMIT_ENVELOPE);
	if (request->learnt->length > 0 &&
		memchr(request->text + request->start, '[', request->end - request->start)) {
		ik_buf_append(text, request->learnt->data, request->learnt->length);
		ik_buf_putc(text, '\n');
	}
	size_t definitions = text->length;

	ik_buf_append(text, request->text + request->opener,
		scan_begin(&scan, request->text, request->opener, request->start) - request->opener);
	source->before = text->length;
	bool open = request->growing && !ends_in_fence(request, until, &after);

	if (open)
		until = hold_back(request, until);
	source->until = until;
	ik_buf_append(text, request->text + request->start, until - request->start);
	if (ik_buf_status(text) != IK_OK)
		return;
	hide_definitions(request, text->data + source->before, until - request->start);
	if (open)
		complete(request, after < until ? after : until, until, text);
	widen_tables(source, definitions);
}

void ik_markdown_source_done(struct ik_markdown_source *source)
{
	ik_buf_done(&source->text);
}

size_t ik_markdown_source_place(const struct ik_markdown_source *source, const char *bytes)
{
	const char *start = source->text.data + source->before;

	if (bytes < start || bytes >= source->text.data + source->text.length)
		return IK_MARKDOWN_NOWHERE;
	size_t offset = (size_t)(bytes - source->text.data), added = 0;

	for (size_t i = 0; i < source->widened_count && source->widened[i].offset < offset; i++) {
		size_t inside = offset - source->widened[i].offset;

		added += inside < source->widened[i].count ? inside : source->widened[i].count;
	}
	return source->request->start + offset - source->before - added;
}
