#include "tui/markdown_references.h"

#include <string.h>

#define LABEL_MOST 200
#define FENCE_LEAST 3

/* learnt->state: the character of the fence that is open, what the line before was, and the
 * length of that fence. */
enum { FENCE = 0xFF, AFTER_TEXT = 0x100, LENGTH = 0x200, LENGTH_MOST = 0xFFFF };

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

static size_t skip_blanks(const char *line, size_t length, size_t at)
{
	while (at < length && is_blank(line[at]))
		at++;
	return at;
}

/* The end of an address that begins at a place: no blanks, brackets only in pairs. */
static size_t address_end(const char *line, size_t length, size_t at)
{
	size_t depth = 0;
	for (; at < length && !is_blank(line[at]); at++) {
		if ((unsigned char)line[at] < 0x20 || strchr("<>\\", line[at]))
			return 0;
		if (line[at] == ')' && depth-- == 0)
			return 0;
		depth += line[at] == '(';
	}
	return depth == 0 ? at : 0;
}

/* Is what stands behind an address a title, or nothing? */
static bool is_title(const char *line, size_t length, size_t at)
{
	while (length > at && is_blank(line[length - 1]))
		length--;
	if (at >= length)
		return true;
	char close = line[at] == '(' ? ')' : line[at];
	return length - at >= 2 && strchr("\"'(", line[at]) && line[length - 1] == close
		&& !memchr(line + at, '\\', length - at)
		&& !memchr(line + at + 1, close, length - at - 2)
		&& !(close == ')' && memchr(line + at + 1, '(', length - at - 2));
}

bool ik_reference_read(const char *line, size_t length, struct ik_reference *ret_reference)
{
	size_t at = 0;
	struct ik_reference reference;
	while (at < length && line[at] == ' ')
		at++;
	if (at > 3 || at >= length || line[at] != '[')
		return false;
	reference.label = ++at;
	bool shows = false;
	for (; at < length && line[at] != ']'; at++) {
		if (line[at] == '[' || line[at] == '\\')
			return false;
		shows |= !is_blank(line[at]);
	}
	reference.label_end = at;
	if (!shows || at - reference.label > LABEL_MOST || line[reference.label] == '^'
		|| at + 1 >= length || line[at + 1] != ':')
		return false;
	reference.address = skip_blanks(line, length, at + 2);
	reference.address_end = address_end(line, length, reference.address);
	if (reference.address_end <= reference.address)
		return false;
	at = skip_blanks(line, length, reference.address_end);
	if (!is_title(line, length, at))
		return false;
	*ret_reference = reference;
	return true;
}

/* Behind the marks of list items that a line begins with. */
static size_t skip_marks(const char *line, size_t length)
{
	size_t at = skip_blanks(line, length, 0), end;
	for (;; at = skip_blanks(line, length, end)) {
		end = at + (at < length && strchr("-+*", line[at]) != NULL);
		if (end == at) {
			while (end < length && line[end] >= '0' && line[end] <= '9')
				end++;
			end += end > at && end < length && (line[end] == '.' || line[end] == ')');
		}
		if (end == at || end >= length || !is_blank(line[end]))
			return at;
	}
}

/* The length of the run of fence characters that a line begins with; 0: too few. *ret_end:
 * behind it. */
static size_t fence_run(const char *line, size_t length, size_t *ret_end)
{
	size_t at = skip_marks(line, length), run = at;
	while (run < length && line[run] == line[at] && (line[at] == '`' || line[at] == '~'))
		run++;
	*ret_end = run;
	return run - at >= FENCE_LEAST ? run - at : 0;
}

/* Take a line that may open a fence, or stands in one that is open; false: neither. */
static bool take_fence(struct ik_learnt *learnt, const char *line, size_t length)
{
	size_t end, run = fence_run(line, length, &end), open = learnt->state / LENGTH;
	char character = run > 0 ? line[end - 1] : '\0';
	if (open > 0) {
		if (run >= open && character == (char)(learnt->state & FENCE)
			&& skip_blanks(line, length, end) == length)
			learnt->state = 0;
		return true;
	}
	if (run == 0 || (character == '`' && memchr(line + end, '`', length - end)))
		return false;
	run = run < LENGTH_MOST ? run : LENGTH_MOST;
	learnt->state = (uint32_t)run * LENGTH + (unsigned char)character;
	return true;
}

/* Take a complete line; true: it defines something. */
static bool take_line(struct ik_learnt *learnt, const char *line, size_t length)
{
	struct ik_reference reference;
	if (take_fence(learnt, line, length))
		return false;
	bool blank = skip_blanks(line, length, 0) == length;
	bool defines = learnt->state == 0 && !blank && ik_reference_read(line, length, &reference);
	learnt->state = blank || defines ? 0 : AFTER_TEXT;
	if (!defines)
		return false;
	/* One that has no room is left out as a whole, and so are all behind it. */
	size_t label = reference.label_end - reference.label;
	size_t address = reference.address_end - reference.address;
	if (!ik_buf_reserve(&learnt->text, label + address + sizeof "[]: \n"))
		return false;
	ik_buf_putc(&learnt->text, '[');
	ik_buf_append(&learnt->text, line + reference.label, label);
	ik_buf_puts(&learnt->text, "]: ");
	ik_buf_append(&learnt->text, line + reference.address, address);
	ik_buf_putc(&learnt->text, '\n');
	return true;
}

bool ik_references_learn(struct ik_learnt *learnt, const char *text, size_t length, bool growing)
{
	bool any = false;
	while (learnt->at < length) {
		const char *line = text + learnt->at;
		const char *feed = memchr(line, '\n', length - learnt->at);
		if (!feed && growing)
			break;
		size_t size = feed ? (size_t)(feed - line) : length - learnt->at;
		any |= take_line(learnt, line, size);
		learnt->at += size + (feed ? 1 : 0);
	}
	return any;
}
