#include "tui/text/markdown_split.h"

#include <limits.h>
#include <string.h>

#include "tui/text/markdown_references.h"
#include "util/utf8.h"

#define SECTION_LEAST 1024u /* smaller sections are not worth their lines */
#define SECTION_SOFT 4096u  /* from here on lists, tables and code are cut inside */
#define MARK_DIGITS 9       /* of the number of a list item */
#define FENCE_LEAST 3

enum outer { OUTER_TEXT, OUTER_LIST, OUTER_TABLE };
enum answer { NO, YES, UNKNOWN };

struct markdown_split_line {
	const char *text;
	size_t length; /* without the line feed */
	bool complete;
};

struct scan {
	const char *text;
	size_t length;
	enum outer outer;
	bool blank_before;
	size_t fence_length; /* 0: in no fence */
	char fence_char;
	size_t fence_at; /* where its line begins */
	size_t previous; /* where the line before begins */
	size_t table_at;
};

static struct markdown_split_line line_at(const char *text, size_t position, size_t length)
{
	const char *end = memchr(text + position, '\n', length - position);

	return (struct markdown_split_line){
		.text = text + position,
		.length = end ? (size_t)(end - text) - position : length - position,
		.complete = end,
	};
}

/* Blanks at the start of a line. */
static size_t indentation(struct markdown_split_line line)
{
	size_t count = 0;

	while (count < line.length && (line.text[count] == ' ' || line.text[count] == '\t'))
		count++;
	return count;
}

/* Does a line begin with a letter: with no mark of a block? */
static bool begins_with_letter(struct markdown_split_line line)
{
	char first = line.length > 0 ? line.text[0] : '\0';

	return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ||
		(unsigned char)first >= 0x80;
}

/* How often the byte at position is repeated. */
static size_t run_length(struct markdown_split_line line, size_t position)
{
	size_t end = position;

	while (end < line.length && line.text[end] == line.text[position])
		end++;
	return end - position;
}

/* Does a list item begin at position of the line? *ret_length: of its mark. */
static enum answer item_at(struct markdown_split_line line, size_t position, size_t *ret_length)
{
	size_t at = position;

	if (at < line.length && strchr("-+*", line.text[at])) {
		at++;
	} else {
		while (at < line.length && at - position < MARK_DIGITS && line.text[at] >= '0' &&
			line.text[at] <= '9')
			at++;
		if (at == line.length)
			return line.complete || at == position ? NO : UNKNOWN;
		if (at == position || (line.text[at] != '.' && line.text[at] != ')'))
			return NO;
		at++;
	}
	*ret_length = at - position;
	if (at == line.length)
		return line.complete ? YES : UNKNOWN;
	return line.text[at] == ' ' || line.text[at] == '\t' ? YES : NO;
}

/* Does it look like the line under a table's head? */
static bool is_table_rule(struct markdown_split_line line)
{
	bool bar = false, dash = false;

	for (size_t i = 0; i < line.length; i++) {
		if (!strchr("|:- \t", line.text[i]))
			return false;
		bar |= line.text[i] == '|';
		dash |= line.text[i] == '-';
	}
	return bar && dash;
}

/* Enter a fence if the line opens one, behind marks of list items maybe. */
static bool open_fence(struct scan *scan, struct markdown_split_line line)
{
	size_t at = indentation(line), mark;

	while (item_at(line, at, &mark) == YES) {
		at += mark;
		while (at < line.length && line.text[at] == ' ')
			at++;
	}
	if (at >= line.length || (line.text[at] != '`' && line.text[at] != '~'))
		return false;
	if (at > 3 && scan->outer != OUTER_LIST)
		return false;
	size_t run = run_length(line, at);

	if (run < FENCE_LEAST ||
		(line.text[at] == '`' && memchr(line.text + at + run, '`', line.length - at - run)))
		return false;
	scan->fence_length = run;
	scan->fence_char = line.text[at];
	scan->fence_at = (size_t)(line.text - scan->text);
	return true;
}

/* Does the line close the fence that is open? */
static bool closes_fence(const struct scan *scan, struct markdown_split_line line)
{
	size_t at = indentation(line);

	if (at >= line.length || line.text[at] != scan->fence_char)
		return false;
	size_t run = run_length(line, at);
	line.text += at + run;
	line.length -= at + run;
	return run >= scan->fence_length && indentation(line) == line.length;
}

/* Take a complete line. */
static void take_line(struct scan *scan, struct markdown_split_line line)
{
	size_t mark, indent = indentation(line);
	size_t at = (size_t)(line.text - scan->text);

	if (scan->fence_length > 0) {
		if (closes_fence(scan, line))
			scan->fence_length = 0;
		scan->blank_before = false;
		return;
	}
	if (indent == line.length) {
		if (scan->outer == OUTER_TABLE)
			scan->outer = OUTER_TEXT;
		scan->blank_before = true;
		return;
	}
	if (begins_with_letter(line)) {
		/* Most lines: of a paragraph, whatever it belongs to. */
		if (scan->outer == OUTER_LIST && scan->blank_before)
			scan->outer = OUTER_TEXT;
		scan->blank_before = false;
		scan->previous = at;
		return;
	}
	if (indent < 4 && item_at(line, indent, &mark) == YES)
		scan->outer = OUTER_LIST;
	else if (scan->outer == OUTER_LIST && indent == 0 && scan->blank_before)
		scan->outer = OUTER_TEXT;
	if (!open_fence(scan, line) && scan->outer == OUTER_TEXT && !scan->blank_before && at > 0 &&
		is_table_rule(line)) {
		scan->outer = OUTER_TABLE;
		scan->table_at = scan->previous;
	}
	scan->blank_before = false;
	scan->previous = at;
}

/* May a section end before the line that begins so many bytes behind its start? */
static enum answer may_cut(const struct scan *scan, struct markdown_split_line line, size_t size,
	struct ik_carry *ret_carry)
{
	size_t mark;

	*ret_carry = (struct ik_carry){ 0 };
	if (scan->fence_length > 0) {
		*ret_carry = (struct ik_carry){ IK_MARKDOWN_CODE, (uint32_t)scan->fence_at };
		return size >= SECTION_SOFT ? YES : NO;
	}
	if (size < SECTION_LEAST)
		return NO;
	if (line.length == 0 || line.text[0] == ' ' || line.text[0] == '\t')
		return NO;
	if (scan->outer == OUTER_LIST) {
		enum answer item = item_at(line, 0, &mark);

		if (item == UNKNOWN)
			return UNKNOWN;
		if (item == YES)
			return size >= SECTION_SOFT ? YES : NO;
	}
	if (scan->outer == OUTER_TABLE && !scan->blank_before) {
		*ret_carry = (struct ik_carry){ IK_MARKDOWN_TABLE, (uint32_t)scan->table_at };
		return size >= SECTION_SOFT ? YES : NO;
	}
	return scan->blank_before ? YES : NO;
}

/* Cut a line that no section holds, behind a word or else a character. */
static size_t cut_line(const char *text, size_t length)
{
	const char *blank = memrchr(text, ' ', IK_SECTION_MAX);

	if (blank)
		return (size_t)(blank - text) + 1;
	size_t cut = ik_utf8_cut(text, length, IK_SECTION_MAX);

	return cut > 0 ? cut : IK_SECTION_MAX;
}

/* A scan that begins where a section does. */
static struct scan scan_start(const char *text, size_t length, size_t start, struct ik_carry carry)
{
	struct scan scan = { .text = text, .length = length, .previous = start };

	if (carry.kind == IK_MARKDOWN_CODE) {
		scan.outer = OUTER_LIST; /* a fence may stand anywhere in one */
		open_fence(&scan, line_at(text, carry.origin, length));
		scan.outer = OUTER_TEXT;
	} else if (carry.kind == IK_MARKDOWN_TABLE) {
		scan.outer = OUTER_TABLE;
		scan.table_at = carry.origin;
	}
	return scan;
}

size_t ik_markdown_split(const char *text, size_t start, size_t length, struct ik_carry *carry)
{
	struct scan scan = scan_start(text, length, start, *carry);
	struct ik_carry next;

	for (size_t position = start; position < length;) {
		struct markdown_split_line line = line_at(text, position, length);
		size_t size = position - start;
		enum answer cut = size > 0 ? may_cut(&scan, line, size, &next) : NO;

		if (cut == UNKNOWN)
			return 0;
		if (cut == YES || (size > 0 && size + line.length >= IK_SECTION_MAX)) {
			*carry = next;
			return size;
		}
		if (line.length >= IK_SECTION_MAX) {
			size = cut_line(text + start, length - start);
			*carry = scan.fence_length > 0
				? (struct ik_carry){ IK_MARKDOWN_CODE, (uint32_t)scan.fence_at }
				: (struct ik_carry){ IK_MARKDOWN_LINE, 0 };
			return size;
		}
		if (!line.complete)
			return 0;
		take_line(&scan, line);
		position += line.length + 1;
	}
	return 0;
}

/* Is the line that ends before position one of code, and has a next one the same frame? */
static bool is_behind_code(const struct scan *scan, size_t start, size_t position)
{
	if (scan->fence_length == 0 || scan->outer != OUTER_TEXT ||
		scan->text[scan->fence_at] != scan->fence_char || position - start < 2)
		return false;
	const char *before = memrchr(scan->text + start, '\n', position - 1 - start);
	size_t line = before ? (size_t)(before - scan->text) + 1 : start;

	return line != scan->fence_at && line + 1 < position;
}

size_t ik_markdown_settle(const char *text, size_t start, size_t end, struct ik_carry *carry)
{
	struct scan scan = scan_start(text, end, start, *carry);
	size_t settled = 0;

	for (size_t position = start; position < end;) {
		struct markdown_split_line line = line_at(text, position, end);
		struct ik_carry next;
		bool code = is_behind_code(&scan, start, position);

		if (position > start &&
			may_cut(&scan, line, code ? SECTION_SOFT : SECTION_LEAST, &next) == YES) {
			settled = position - start;
			*carry = next;
		}
		if (!line.complete)
			break;
		take_line(&scan, line);
		position += line.length + 1;
	}
	return settled;
}

/* What may be a mark that stands in a pair, or is more than it looks. */
/* clang-format off */
static const bool is_mark[UCHAR_MAX + 1] = {
	['*'] = true, ['_'] = true, ['`'] = true, ['~'] = true, ['['] = true, [']'] = true,
	['<'] = true, ['>'] = true, ['&'] = true, ['\\'] = true, ['|'] = true, ['\t'] = true,
	['\0'] = true,
};
/* clang-format on */

/* Is a complete line of a paragraph without a mark that another line may answer? */
static bool is_plain_line(struct markdown_split_line line)
{
	if (!line.complete || !begins_with_letter(line))
		return false;
	for (size_t i = 0; i < line.length; i++)
		if (is_mark[(unsigned char)line.text[i]])
			return false;
	return true;
}

/* Does a line make a heading of what stands before it? */
static bool is_underline(struct markdown_split_line line)
{
	for (size_t i = 0; i < line.length; i++)
		if (!strchr("=- \t", line.text[i]))
			return false;
	return true;
}

bool ik_markdown_is_settled(const char *text, size_t start, size_t end)
{
	size_t position = start;

	if (start == end || !begins_with_letter(line_at(text, start, end)))
		return false;
	while (position < end) {
		struct markdown_split_line line = line_at(text, position, end);

		if (indentation(line) == line.length)
			return true;
		if (memchr(line.text, '|', line.length) || is_underline(line))
			return false;
		position += line.length + 1;
	}
	return true;
}

size_t ik_markdown_settle_lines(const char *text, size_t start, size_t end)
{
	size_t position = start, before = start;

	while (position < end) {
		struct markdown_split_line line = line_at(text, position, end);

		if (!is_plain_line(line)) {
			if (!begins_with_letter(line))
				position = before;
			break;
		}
		before = position;
		position += line.length + 1;
	}
	if (position >= end)
		position = before;
	return ik_markdown_is_settled(text, position, end) ? position - start : 0;
}

void ik_markdown_keep_settled(const struct ik_render *request, struct ik_lines *lines,
	struct ik_render *part)
{
	struct ik_settled *settled = &lines->settled[IK_SETTLED_LINES];

	if (settled->at > 0 && !ik_markdown_is_settled(request->text, settled->at, request->end))
		settled->at = 0;
	if (settled->at == 0)
		settled = &lines->settled[IK_SETTLED_BLOCKS];
	if (!request->piecewise || settled->at == 0) {
		ik_lines_clear(lines);
		return;
	}
	ik_lines_truncate(lines, settled->lines);
	lines->added_length = settled->added;
	part->start = settled->at;
	part->carry = settled->carry;
}

bool ik_markdown_goes_on(const struct ik_render *request)
{
	struct ik_carry carry = request->carry;

	return request->end < request->length &&
		ik_markdown_split(request->text, request->start, request->length, &carry) > 0 &&
		carry.kind == IK_MARKDOWN_CODE;
}

/* Where the last line of the section begins. */
static size_t last_line(const struct ik_render *request, size_t until)
{
	const char *feed = memrchr(request->text + request->start, '\n', until - request->start);

	return feed ? (size_t)(feed - request->text) + 1 : request->start;
}

/* Does the stretch consist of such bytes only? */
static bool only(const char *text, size_t length, const char *bytes)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\0' || !strchr(bytes, text[i]))
			return false;
	return true;
}

/* The end of a growing text without the marks that may yet become anything. */
static size_t hold_back(const struct ik_render *request, size_t until)
{
	const char *text = request->text;
	size_t line = last_line(request, until);

	if (only(text + line, until - line, "-=*_#>+`~|: \t0123456789.)"))
		until = line;
	/* A line of cells, which is a head once the rule under it is there. */
	size_t end = until > request->start && text[until - 1] == '\n' ? until - 1 : until;
	line = last_line(request, end);
	if (end > line && text[line] == '|' && request->carry.kind != IK_MARKDOWN_TABLE &&
		(line == request->start || text[line - 1] != '\n' || line < 2 || text[line - 2] == '\n'))
		return line;
	while (until > request->start && strchr("*_`~", text[until - 1]))
		until--;
	return until;
}

/* Append what closes the spans that the last paragraph leaves open; what closes
 * nothing is not shown, as it lies behind the text. */
static void close_spans(const char *text, size_t length, struct ik_buf *out)
{
	char open[8][3] = { { 0 } };
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
			else if (depth < 8 && i + run < length && !strchr(" \t\n", text[i + run]))
				memcpy(open[depth++], mark, sizeof(mark));
		}
		i += run;
	}
	for (; code > 0; code--)
		ik_buf_putc(out, '`');
	while (depth > 0)
		ik_buf_puts(out, open[--depth]);
}

/* Append ")" for a link whose address is still coming. */
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

/* Is the end of the section inside a fenced block? If not, *ret_behind is where the last one
 * was closed, or the section begins. */
static bool ends_in_fence(const struct ik_render *request, size_t until, size_t *ret_behind)
{
	*ret_behind = request->start;
	struct scan scan = scan_start(request->text, until, request->start, request->carry);

	for (size_t position = request->start; position < until;) {
		struct markdown_split_line line = line_at(request->text, position, until);
		bool fence = scan.fence_length > 0;

		take_line(&scan, line);
		position += line.length + 1;
		if (fence && scan.fence_length == 0)
			*ret_behind = position < until ? position : until;
	}
	return scan.fence_length > 0;
}

/* Close what the open end, which begins at least so far back, leaves open. */
static void complete(const struct ik_render *request, size_t least, size_t until,
	struct ik_buf *out)
{
	size_t start = until;

	while (start > least &&
		!(request->text[start - 1] == '\n' &&
			(start - 1 == least || request->text[start - 2] == '\n')))
		start--;
	close_link(request->text + start, until - start, out);
	/* Marks at the beginning of a line could open a block: keep them on the last one. */
	if (out->length > 0 && out->data[out->length - 1] == '\n')
		ik_buf_truncate(out, out->length - 1);
	close_spans(request->text + start, until - start, out);
}

/* Append the line or lines that a section continues. */
static void append_before(const struct ik_render *request, struct ik_buf *out)
{
	if (request->carry.kind != IK_MARKDOWN_CODE && request->carry.kind != IK_MARKDOWN_TABLE)
		return;
	size_t lines = request->carry.kind == IK_MARKDOWN_TABLE ? 2 : 1;
	size_t position = request->carry.origin;

	for (size_t i = 0; i < lines && position < request->start; i++) {
		struct markdown_split_line line = line_at(request->text, position, request->start);

		ik_buf_append(out, line.text, line.length);
		ik_buf_putc(out, '\n');
		position += line.length + 1;
	}
}

/* Let no line define a link, nor name one that is defined: it is shown as it stands. */
static void hide_definitions(char *text, size_t length)
{
	struct ik_reference reference;
	char *const end = text + length;

	for (char *line = text, *at = text; (at = strstr(at, "]:")); at += 2) {
		char *feed = memrchr(line, '\n', (size_t)(at - line));

		line = feed ? feed + 1 : line;
		feed = memchr(at, '\n', (size_t)(end - at));
		feed = feed ? feed : end;
		char *behind = line + ik_reference_start(line, (size_t)(feed - line));

		if (ik_reference_read(behind, (size_t)(feed - behind), &reference))
			behind[reference.label - 1] = '(';
		at[1] = ';';
	}
}

void ik_markdown_prepare(const struct ik_render *request, struct ik_buf *out, size_t *ret_before,
	size_t *ret_origin, size_t *ret_until)
{
	size_t until = request->end < request->tail ? request->end : request->tail;
	size_t start = out->length;

	append_before(request, out);
	*ret_before = out->length - start;
	*ret_origin = request->carry.origin;
	size_t behind;
	bool open = request->growing && !ends_in_fence(request, until, &behind);

	if (open)
		until = hold_back(request, until);
	*ret_until = until;
	size_t body = out->length;
	ik_buf_append(out, request->text + request->start, until - request->start);
	if (ik_buf_status(out) != IK_OK)
		return;
	hide_definitions(out->data + body, out->length - body);
	if (open)
		complete(request, behind < until ? behind : until, until, out);
}
