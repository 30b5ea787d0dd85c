#include "tui/text/markdown_references.h"

#include <string.h>

#define LABEL_MOST 200
#define FENCE_LEAST 3

/* How deep quotes are followed, and how far items are indented. */
#define DEPTH_MOST 100

/* What learnt->state has. */
struct markdown_references_state {
	char fence;           /* the character of the one that is open; NUL: none is */
	bool after_text;      /* of the line before: */
	unsigned char quotes; /* in so many quotes it stands, */
	unsigned char item;   /* in an item whose text is indented so far in them; 0: in none */
	unsigned fence_length;
};

static struct markdown_references_state unpack(uint64_t packed)
{
	return (struct markdown_references_state){ .fence = (char)(packed & 0xff),
		.after_text = packed >> 8 & 1,
		.quotes = (unsigned char)(packed >> 16),
		.item = (unsigned char)(packed >> 24),
		.fence_length = (unsigned)(packed >> 32) };
}

static uint64_t pack(struct markdown_references_state state)
{
	return (unsigned char)state.fence | (uint64_t)state.after_text << 8 |
		(uint64_t)state.quotes << 16 | (uint64_t)state.item << 24 |
		(uint64_t)state.fence_length << 32;
}

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

/* The end of an address that begins at a place: in angle brackets, or with no blanks and brackets
 * only in pairs; 0: it is none. */
static size_t address_end(const char *line, size_t length, size_t at)
{
	size_t depth = 0;

	if (at < length && line[at] == '<') {
		for (at++; at < length && line[at] != '>'; at++)
			if ((unsigned char)line[at] < 0x20 || line[at] == '<' || line[at] == '\\')
				return 0;
		return at + 1 < length && !is_blank(line[at + 1]) ? 0 : at < length ? at + 1 : 0;
	}
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

	return length - at >= 2 && strchr("\"'(", line[at]) && line[length - 1] == close &&
		!memchr(line + at, '\\', length - at) && !memchr(line + at + 1, close, length - at - 2) &&
		!(close == ')' && memchr(line + at + 1, '(', length - at - 2));
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
	if (!shows || at - reference.label > LABEL_MOST || line[reference.label] == '^' ||
		at + 1 >= length || line[at + 1] != ':')
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

/* Behind the mark of a list item at a place, with the blank after it; 0: there is none. */
static size_t item_end(const char *line, size_t length, size_t at)
{
	size_t end = at;

	if (end < length && (line[end] == '-' || line[end] == '+' || line[end] == '*')) {
		end++;
	} else {
		while (end < length && line[end] >= '0' && line[end] <= '9')
			end++;
		if (end == at || end >= length || (line[end] != '.' && line[end] != ')'))
			return 0;
		end++;
	}
	return end < length && is_blank(line[end]) ? end + 1 : 0;
}

/* What a line stands in, by the marks that it begins with. */
struct marks {
	size_t at;       /* behind them and the blanks that follow */
	size_t indented; /* so many blanks */
	unsigned quotes;
	size_t item; /* how far the text of the last item is indented; 0: none begins here */
};

/* quotes: so many are looked for at most; items: those of items, too. */
static struct marks read_marks(const char *line, size_t length, unsigned quotes, bool items)
{
	struct marks marks = { .at = 0 };
	size_t start = 0, end;

	for (;;) {
		size_t text = skip_blanks(line, length, marks.at);

		marks.indented = text - marks.at;
		if (text < length && line[text] == '>' && marks.quotes < quotes) {
			marks.at = start = text + 1 + (text + 1 < length && is_blank(line[text + 1]));
			marks.quotes++;
			marks.item = 0;
		} else if (items && (end = item_end(line, length, text)) > 0) {
			marks.at = end;
			marks.item = end - start;
		} else {
			marks.at = text;
			return marks;
		}
	}
}

size_t ik_reference_start(const char *line, size_t length)
{
	return read_marks(line, length, DEPTH_MOST, true).at;
}

/* Take a line that may open a fence, or stands in one that is open; false: neither. */
static bool take_fence(struct markdown_references_state *state, const char *line, size_t length,
	struct marks marks)
{
	size_t run = marks.at;
	bool open = state->fence_length > 0;

	while (run < length && line[run] == line[marks.at] && (line[run] == '`' || line[run] == '~'))
		run++;
	size_t count = run - marks.at;
	/* One ends with the quote that it stands in. */
	if (open && marks.quotes < state->quotes) {
		state->fence_length = 0;
		open = false;
	}
	if (open) {
		if (count > 0 && count >= state->fence_length && line[marks.at] == state->fence &&
			skip_blanks(line, length, run) == length)
			state->fence_length = 0;
		state->after_text = false;
		return true;
	}
	if (count < FENCE_LEAST || (line[marks.at] == '`' && memchr(line + run, '`', length - run)))
		return false;
	state->fence = line[marks.at];
	state->fence_length = count < UINT32_MAX ? (unsigned)count : UINT32_MAX;
	state->quotes = (unsigned char)marks.quotes;
	state->after_text = false;
	return true;
}

/* Does a line that stands behind these marks define something? */
static bool is_definition(const struct markdown_references_state *state, struct marks marks,
	const char *line, size_t length, struct ik_reference *ret_reference)
{
	bool begins = marks.item > 0 || marks.quotes > state->quotes;
	size_t usual = marks.item == 0 && marks.quotes == state->quotes ? state->item : 0;

	if ((state->after_text && !begins) || marks.indented > usual + 3)
		return false;
	return ik_reference_read(line + marks.at, length - marks.at, ret_reference);
}

/* Go on with what a line says of the one behind it. */
static void leave_line(struct markdown_references_state *state, struct marks marks, bool blank,
	bool defines)
{
	bool lazy = state->after_text && marks.quotes < state->quotes && !blank && !defines;
	size_t item = marks.item;

	if (item == 0 && marks.quotes == state->quotes &&
		(blank || marks.indented > 0 || (state->after_text && !defines)))
		item = state->item;
	state->after_text = !blank && !defines;
	if (lazy) /* it belongs to the paragraph of the line before */
		return;
	state->quotes = (unsigned char)marks.quotes;
	state->item = (unsigned char)(item < DEPTH_MOST ? item : DEPTH_MOST);
}

/* Take a complete line; true: it defines something. */
static bool take_line(struct ik_learnt *learnt, const char *line, size_t length)
{
	struct ik_reference reference;
	struct markdown_references_state state = unpack(learnt->state);
	bool open = state.fence_length > 0;
	struct marks marks = read_marks(line, length, open ? state.quotes : DEPTH_MOST, !open);

	if (take_fence(&state, line, length, marks)) {
		learnt->state = pack(state);
		return false;
	}
	bool blank = marks.at == length;
	bool defines = !blank && is_definition(&state, marks, line, length, &reference);
	leave_line(&state, marks, blank, defines);
	learnt->state = pack(state);
	if (!defines)
		return false;
	line += marks.at;
	/* One that has no room is left out as a whole, and so are all behind it. */
	size_t label = reference.label_end - reference.label;
	size_t address = reference.address_end - reference.address;

	if (!ik_buf_reserve(&learnt->text, label + address + sizeof("[]: \n")))
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
