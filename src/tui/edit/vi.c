#include "tui/edit/vi.h"

#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define COUNT_MOST 10000
#define TAB_COLUMNS 4 /* as the editor shows them */

/* Keys of two characters, "gg", "iw", as one. */
#define TWO(first, second) ((uint32_t)(first) << 24 | (second))
#define REDO 0x12        /* Ctrl-R */
#define SPAN TWO('v', 1) /* as a motion: so many characters, or lines, for "." after visual mode */
#define SPAN_LINES TWO('V', 1)

/* A command: [count] [operator [count]] key [argument]. */
struct vi_command {
	size_t count;  /* 0: none was given */
	char operator; /* d, c, y, or 0 */
	uint32_t key;
	uint32_t argument; /* of f F t T r */
};

/* A place to go to, or the part of a text that an operator gets. */
struct vi_motion {
	size_t from, to;
	bool lines;     /* whole lines, from that of `from` to that of `to` */
	bool inclusive; /* the character at the end belongs to it */
	bool object;    /* from isn't the cursor */
};

struct ik_vi {
	enum ik_vi_mode mode;
	bool visual_lines;
	size_t shown_length;   /* of the text whose selection was shown */
	size_t anchor, cursor; /* of visual mode; both characters belong to it */

	struct vi_command typed; /* so far */
	size_t operator_count;   /* the count before the operator */
	uint32_t prefix; /* the first character of a key of two, or one that waits for its argument */

	uint32_t find; /* f F t T, as last typed, for ; and , */
	uint32_t found;

	struct ik_buf yanked;
	bool yanked_lines;

	/* The numbers of undo steps before each command, rising: u undoes a whole command. */
	size_t *marks;
	size_t mark_count;

	struct vi_command last; /* for "." */
	struct ik_buf inserted; /* that it inserted */
	bool inserting;         /* insert mode belongs to it */
	size_t insert_start;
	size_t insert_length; /* of all the text when insert mode began */

	bool vertical; /* the last command was j, k or $, */
	size_t goal;   /* and this is the column that the next one aims for */

	/* The text while a key is handled. */
	struct ik_editor *editor;
	const char *text;
	size_t length, at;
};

/* ---- the text ---- */

static void refresh(struct ik_vi *vi)
{
	vi->text = ik_editor_text(vi->editor, &vi->length);
	vi->at = ik_editor_cursor(vi->editor);
}

static void go(struct ik_vi *vi, size_t position)
{
	ik_editor_select(vi->editor, position, position);
	refresh(vi);
}

static void change(struct ik_vi *vi, size_t start, size_t end, const char *text, size_t length)
{
	(void)ik_editor_replace(vi->editor, start, end, text, length);
	refresh(vi);
}

static bool is_line_end(const struct ik_vi *vi, size_t position)
{
	return position >= vi->length || vi->text[position] == '\n';
}

static size_t next(const struct ik_vi *vi, size_t position)
{
	return position + ik_cluster_next(vi->text + position, vi->length - position).length;
}

static size_t line_start(const struct ik_vi *vi, size_t position)
{
	while (position > 0 && vi->text[position - 1] != '\n')
		position--;
	return position;
}

static size_t line_end(const struct ik_vi *vi, size_t position)
{
	while (!is_line_end(vi, position))
		position++;
	return position;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

/* Return the first character of a line that isn't blank, or its last. */
static size_t first_word(const struct ik_vi *vi, size_t position)
{
	size_t start = line_start(vi, position);

	for (position = start; !is_line_end(vi, position) && is_blank(vi->text[position]); position++)
		;
	return is_line_end(vi, position) && position > start ? position - 1 : position;
}

/* Return the last character of the line, if a position is past it. */
static size_t clamp(const struct ik_vi *vi, size_t position)
{
	return is_line_end(vi, position) && position > line_start(vi, position)
		? ik_cluster_previous(vi->text, position)
		: position;
}

/* Step to the next place, as Vim's inc() does: 1 to another line, 2 to the end of one, -1: none. */
static int forward(const struct ik_vi *vi, size_t *position)
{
	if (*position >= vi->length)
		return -1;
	if (vi->text[*position] == '\n') {
		++*position;
		return 1;
	}
	*position = next(vi, *position);
	return is_line_end(vi, *position) ? 2 : 0;
}

/* Step to the place before, as dec() does. */
static int backward(const struct ik_vi *vi, size_t *position)
{
	if (*position == 0)
		return -1;
	bool line = vi->text[*position - 1] == '\n';

	*position = ik_cluster_previous(vi->text, *position);
	return line;
}

static bool is_empty_line(const struct ik_vi *vi, size_t position)
{
	return is_line_end(vi, position) && (position == 0 || vi->text[position - 1] == '\n');
}

/* Return the class of a character: 0 blank, 1 punctuation, 2 words; with big, only 0 and 2. */
static int class_of(const struct ik_vi *vi, size_t position, bool big)
{
	unsigned char byte = is_line_end(vi, position) ? ' ' : (unsigned char)vi->text[position];

	if (is_blank((char)byte))
		return 0;
	return big || byte >= 0x80 || byte == '_' || (byte >= '0' && byte <= '9') ||
			((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z')
		? 2
		: 1;
}

/* ---- words: Vim's fwd_word(), bck_word(), end_word() and bckend_word() ---- */

/* Step over characters of a class. Return false at an end of the text. */
static bool skip(const struct ik_vi *vi, size_t *position, bool big, int class, bool ahead)
{
	while (class_of(vi, *position, big) == class)
		if ((ahead ? forward(vi, position) : backward(vi, position)) == -1)
			return false;
	return true;
}

/* To the next word; with stays, not to another line from the last word of one. */
static bool next_word(const struct ik_vi *vi, size_t *position, bool big, bool stays)
{
	int class = class_of(vi, *position, big);
	bool last_line = line_end(vi, *position) == vi->length;
	int step = forward(vi, position);

	if (step == -1 || (step >= 1 && last_line))
		return false;
	if (step >= 1 && stays)
		return true;
	while (class != 0 && class_of(vi, *position, big) == class) {
		step = forward(vi, position);
		if (step == -1 || (step >= 1 && stays))
			return true;
	}
	while (class_of(vi, *position, big) == 0 && !is_empty_line(vi, *position)) {
		step = forward(vi, position);
		if (step == -1 || (step >= 1 && last_line))
			return true;
	}
	return true;
}

static bool word_before(const struct ik_vi *vi, size_t *position, bool big)
{
	if (backward(vi, position) == -1)
		return false;
	while (class_of(vi, *position, big) == 0) {
		if (is_empty_line(vi, *position))
			return true;
		if (backward(vi, position) == -1)
			return true;
	}
	if (skip(vi, position, big, class_of(vi, *position, big), false))
		(void)forward(vi, position); /* it went one too far */
	return true;
}

/* To the end of a word; with here, the one that the cursor is at the end of counts. */
static bool word_end(const struct ik_vi *vi, size_t *position, bool big, bool here)
{
	int class = class_of(vi, *position, big);

	if (forward(vi, position) == -1)
		return false;
	if (class_of(vi, *position, big) == class && class != 0) {
		if (!skip(vi, position, big, class, true))
			return false;
	} else if (!here || class == 0) {
		while (class_of(vi, *position, big) == 0)
			if (forward(vi, position) == -1)
				return false;
		if (!skip(vi, position, big, class_of(vi, *position, big), true))
			return false;
	}
	(void)backward(vi, position);
	return true;
}

static bool word_end_before(const struct ik_vi *vi, size_t *position, bool big)
{
	int class = class_of(vi, *position, big);

	if (backward(vi, position) == -1)
		return false;
	if (class != 0 && !skip(vi, position, big, class, false))
		return true;
	while (class_of(vi, *position, big) == 0 && !is_empty_line(vi, *position))
		if (backward(vi, position) == -1)
			return true;
	return true;
}

/* ---- motions ---- */

static bool by_words(const struct ik_vi *vi, const struct vi_command *command, size_t count,
	struct vi_motion *motion)
{
	bool big = command->key == 'W' || command->key == 'B' || command->key == 'E' ||
		command->key == TWO('g', 'E');
	bool done = true, ends = command->key == 'e' || command->key == 'E';
	bool changes = command->operator== 'c' &&(command->key == 'w' || command->key == 'W') &&
		class_of(vi, vi->at, true) != 0; /* "cw" is "ce" */
	bool back = command->key == 'b' || command->key == 'B';
	size_t *to = &motion->to;

	motion->inclusive = ends || changes || command->key >= TWO('g', 0);
	for (size_t i = 0; i < count && done; i++) {
		if (back && *to == 0 && i > 0)
			break; /* as far as it goes */
		else if (back)
			done = word_before(vi, to, big);
		else if (command->key >= TWO('g', 0))
			done = word_end_before(vi, to, big);
		else if (ends || changes)
			done = word_end(vi, to, big, changes && i == 0);
		else
			done = next_word(vi, to, big, command->operator&& i + 1 == count);
	}
	if (*to > vi->at && is_line_end(vi, *to) && clamp(vi, *to) < *to) {
		*to = clamp(vi, *to);
		motion->inclusive = true;
	}
	if (command->operator)
		return done || !(back || command->key >= TWO('g', 0));
	return done || *to != vi->at;
}

/* Move to a character of the line, as f, F, t and T do. again: not to the one next to the cursor. */
static bool by_character(const struct ik_vi *vi, uint32_t how, uint32_t what, size_t count,
	bool again, struct vi_motion *motion)
{
	bool ahead = how == 'f' || how == 't', before = how == 't' || how == 'T';
	size_t position = vi->at, found = position;

	if (again && before && count == 1 && ahead && !is_line_end(vi, position))
		position = next(vi, position);
	else if (again && before && count == 1 && position > line_start(vi, position))
		position = ik_cluster_previous(vi->text, position);
	while (count > 0) {
		uint32_t codepoint = 0;

		if (ahead ? is_line_end(vi, position) : position == line_start(vi, position))
			return false;
		position = ahead ? next(vi, position) : ik_cluster_previous(vi->text, position);
		if (is_line_end(vi, position))
			return false;
		ik_utf8_decode(vi->text + position, vi->length - position, &codepoint);
		count -= codepoint == what;
		found = position;
	}
	if (before)
		found = ahead ? ik_cluster_previous(vi->text, found) : next(vi, found);
	motion->to = found;
	motion->inclusive = ahead;
	return true;
}

/* Move to the bracket that fits the first one from the cursor on. */
static bool by_bracket(const struct ik_vi *vi, struct vi_motion *motion)
{
	static const char brackets[] = "()[]{}";
	size_t position = vi->at, depth = 0;
	const char *found;

	while (!is_line_end(vi, position) && !strchr(brackets, vi->text[position]))
		position++;
	if (is_line_end(vi, position))
		return false;
	found = strchr(brackets, vi->text[position]);
	bool opens = (found - brackets) % 2 == 0;
	char one = *found, other = opens ? found[1] : found[-1];

	for (;;) {
		depth += vi->text[position] == one;
		depth -= vi->text[position] == other;
		if (depth == 0)
			break;
		if (opens ? position + 1 >= vi->length : position == 0)
			return false;
		position += opens ? 1 : (size_t)-1;
	}
	motion->to = position;
	motion->inclusive = true;
	return true;
}

/* Return the start of the line so many lines on; fewer where the text ends. */
static size_t lines_on(const struct ik_vi *vi, size_t position, size_t count)
{
	position = line_start(vi, position);
	for (; count > 0 && line_end(vi, position) < vi->length; count--)
		position = line_end(vi, position) + 1;
	return position;
}

static size_t columns_to(const struct ik_vi *vi, size_t start, size_t end)
{
	size_t columns = ik_utf8_width(vi->text + start, end - start);

	for (; start < end; start++)
		columns += vi->text[start] == '\t' ? TAB_COLUMNS : 0;
	return columns;
}

/* Move by lines, to the same column. Return false where there is no line. */
static bool by_lines(struct ik_vi *vi, bool down, size_t count, struct vi_motion *motion)
{
	size_t start = line_start(vi, vi->at);
	size_t to = start;

	if (!vi->vertical)
		vi->goal = columns_to(vi, start, vi->at);
	if (down ? line_end(vi, start) == vi->length : start == 0)
		return false;
	if (down)
		to = lines_on(vi, start, count);
	for (; !down && count > 0 && to > 0; count--)
		to = line_start(vi, to - 1);
	while (!is_line_end(vi, to) && columns_to(vi, line_start(vi, to), next(vi, to)) <= vi->goal)
		to = next(vi, to);
	motion->to = to;
	motion->lines = true;
	return true;
}

/* ---- text objects ---- */

/* A word, with the blanks after it (else before it) if around. */
static bool word_object(const struct ik_vi *vi, bool around, bool big, size_t count,
	struct vi_motion *motion)
{
	size_t start = vi->at, end = vi->at, first = line_start(vi, vi->at);
	int class = class_of(vi, vi->at, big);
	bool blanks = false;

	if (is_line_end(vi, vi->at))
		return false;
	while (start > first && class_of(vi, ik_cluster_previous(vi->text, start), big) == class)
		start = ik_cluster_previous(vi->text, start);
	for (size_t part = 0; part < (around ? 2 * count : count); part++) {
		if (is_line_end(vi, end))
			break;
		class = class_of(vi, end, big);
		blanks = class == 0; /* at the end */
		while (!is_line_end(vi, end) && class_of(vi, end, big) == class)
			end = next(vi, end);
		/* Two words may be next to each other. */
		if (around && class != 0 && class_of(vi, end, big) != 0)
			part++;
	}
	if (around && !blanks && start > first && is_blank(vi->text[start - 1])) {
		size_t blank = start;

		while (blank > first && is_blank(vi->text[blank - 1]))
			blank--;
		start = blank > first ? blank : start; /* not the indentation */
	}
	motion->from = start;
	motion->to = end;
	return end > start;
}

/* What is between quotation marks, in the line. */
static bool quote_object(const struct ik_vi *vi, bool around, char quote, struct vi_motion *motion)
{
	size_t first = line_start(vi, vi->at), end = line_end(vi, vi->at), start = end, stop;
	const char *text = vi->text;

	if (vi->at < end && text[vi->at] == quote) {
		/* On one: which of a pair it is, only counting tells. */
		for (start = first; start < end;) {
			while (start < end && text[start] != quote)
				start += text[start] == '\\' ? 2 : 1;
			for (stop = start + 1; stop < end && text[stop] != quote; stop++)
				stop += text[stop] == '\\';
			if (start >= end || stop >= end)
				return false;
			if (vi->at <= stop)
				break;
			start = stop + 1;
		}
	} else {
		for (start = vi->at; start > first && text[start - 1] != quote; start--)
			;
		start = start > first ? start - 1 : vi->at;
		while (start < end && text[start] != quote)
			start++;
	}
	for (stop = start + 1; stop < end && text[stop] != quote; stop++)
		stop += text[stop] == '\\';
	if (start >= end || stop >= end)
		return false;
	motion->from = around ? start : start + 1;
	motion->to = around ? stop + 1 : stop;
	if (!around)
		return true;
	while (motion->to < end && is_blank(text[motion->to]))
		motion->to++;
	if (motion->to == stop + 1)
		while (motion->from > first && is_blank(text[motion->from - 1]))
			motion->from--;
	return true;
}

/* Find the count-th bracket that is open at the cursor, or the next one in the line. */
static bool find_open(const struct ik_vi *vi, char open, char close, size_t count,
	size_t *ret_start)
{
	size_t depth = 0;

	if (vi->at < vi->length && vi->text[vi->at] == open && --count == 0) {
		*ret_start = vi->at;
		return true;
	}
	for (size_t at = vi->at; at > 0; at--) {
		char byte = vi->text[at - 1];

		depth += byte == close;
		if (byte == open && depth-- == 0) {
			depth = 0;
			if (--count > 0)
				continue;
			*ret_start = at - 1;
			return true;
		}
	}
	for (*ret_start = vi->at; !is_line_end(vi, *ret_start); ++*ret_start)
		if (vi->text[*ret_start] == open)
			return count == 1;
	return false;
}

/* What is between brackets, the count-th around the cursor. */
static bool bracket_object(const struct ik_vi *vi, bool around, char open, char close, size_t count,
	struct vi_motion *motion)
{
	size_t start, end, depth = 0;

	if (!find_open(vi, open, close, count, &start))
		return false;
	for (end = start; end < vi->length; end++) {
		depth += vi->text[end] == open;
		depth -= vi->text[end] == close;
		if (depth == 0)
			break;
	}
	if (end >= vi->length)
		return false;
	motion->from = around ? start : start + 1;
	motion->to = around ? end + 1 : end;
	if (around)
		return true;
	if (vi->text[motion->from] == '\n' && motion->from < end)
		motion->from++;
	size_t line = line_start(vi, end);

	if (line > motion->from && line + strspn(vi->text + line, " \t") == end)
		motion->to = line;
	return true;
}

static bool object(const struct ik_vi *vi, const struct vi_command *command, size_t count,
	struct vi_motion *motion)
{
	bool around = command->key >> 24 == 'a';
	char what = (char)(command->key & 0x7f);
	static const char pairs[] = "()[]{}<>";
	const char *pair;

	motion->object = true;
	if (what == 'w' || what == 'W')
		return word_object(vi, around, what == 'W', count, motion);
	if (strchr("\"'`", what))
		return quote_object(vi, around, what, motion);
	pair = strchr(pairs, what == 'b' ? '(' : what == 'B' ? '{' : what);
	if (!pair)
		return false;
	pair -= (pair - pairs) % 2;
	return bracket_object(vi, around, pair[0], pair[1], count, motion);
}

/* ---- any motion ---- */

/* Find where a motion leads, or what an object is. Return false if it fails, or is none. */
static bool find_motion(struct ik_vi *vi, const struct vi_command *command,
	struct vi_motion *motion)
{
	size_t count = command->count > 0 ? command->count : 1, start = line_start(vi, vi->at);
	uint32_t key = command->key;

	*motion = (struct vi_motion){ .from = vi->at, .to = vi->at };
	switch (key) {
	case 'h':
		for (; count > 0 && motion->to > start; count--)
			motion->to = ik_cluster_previous(vi->text, motion->to);
		return motion->to < vi->at;
	case 'l':
	case ' ':
	case SPAN:
		for (; count > 0 && !is_line_end(vi, motion->to); count--)
			motion->to = next(vi, motion->to);
		if (!command->operator&& vi->mode == IK_VI_NORMAL)
			motion->to = clamp(vi, motion->to);
		return motion->to > vi->at;
	case 'w':
	case 'W':
	case 'b':
	case 'B':
	case 'e':
	case 'E':
	case TWO('g', 'e'):
	case TWO('g', 'E'):
		return by_words(vi, command, count, motion);
	case '0':
		motion->to = start;
		return true;
	case '^':
		motion->to = first_word(vi, vi->at);
		return true;
	case '|':
		motion->to = start;
		for (; count > 1 && !is_line_end(vi, motion->to); count--)
			motion->to = next(vi, motion->to);
		return true;
	case '$':
		motion->to = line_end(vi, lines_on(vi, vi->at, count - 1));
		if (vi->mode == IK_VI_NORMAL)
			motion->to = clamp(vi, motion->to);
		vi->goal = SIZE_MAX;
		motion->inclusive = !is_line_end(vi, motion->to);
		return count == 1 || motion->to >= line_end(vi, vi->at);
	case 'j':
	case 'k':
		return by_lines(vi, key == 'j', count, motion);
	case '_':
	case SPAN_LINES:
		if (count > 1 && line_end(vi, vi->at) == vi->length)
			return false;
		motion->to = first_word(vi, lines_on(vi, vi->at, count - 1));
		motion->lines = true;
		return true;
	case 'G':
	case TWO('g', 'g'):
		motion->to = first_word(vi,
			lines_on(vi, 0,
				command->count > 0 ? count - 1
					: key == 'G'   ? SIZE_MAX
								   : 0));
		motion->lines = true;
		return true;
	case '%':
		return by_bracket(vi, motion);
	case 'f':
	case 'F':
	case 't':
	case 'T':
		vi->find = key;
		vi->found = command->argument;
		return by_character(vi, key, command->argument, count, false, motion);
	case ';':
	case ',':
		if (key == ',')
			key = vi->find ^ 0x20; /* the other case: the other direction */
		else
			key = vi->find;
		return vi->find && by_character(vi, key, vi->found, count, true, motion);
	default:
		return key > TWO('a', 0) && (key >> 24 == 'a' || key >> 24 == 'i') &&
			object(vi, command, count, motion);
	}
}

/* ---- operators ---- */

/* Enter insert mode at a place; the command goes on until Esc. */
static void insert_at(struct ik_vi *vi, size_t position)
{
	go(vi, position);
	vi->mode = IK_VI_INSERT;
	vi->inserting = true;
	vi->insert_start = position;
	vi->insert_length = vi->length;
}

static void yank(struct ik_vi *vi, size_t start, size_t end, bool lines)
{
	ik_buf_clear(&vi->yanked);
	ik_buf_append(&vi->yanked, vi->text + start, end - start);
	if (lines && (end == start || vi->text[end - 1] != '\n'))
		ik_buf_putc(&vi->yanked, '\n');
	vi->yanked_lines = lines;
}

/* Delete, change or copy whole lines. */
static void operate_on_lines(struct ik_vi *vi, char operator, size_t from, size_t to)
{
	size_t start = line_start(vi, from), end = line_end(vi, to);

	go(vi, from); /* where undo returns to */
	yank(vi, start, end, true);
	if (operator== 'y')
		return;
	if (operator== 'c') {
		change(vi, start, end, "", 0);
		insert_at(vi, start);
		return;
	}
	if (end < vi->length)
		end++;
	else if (start > 0)
		start--;
	change(vi, start, end, "", 0);
	go(vi, first_word(vi, start));
}

/* Are there only blanks between the start of the line and a place? */
static bool is_in_indent(const struct ik_vi *vi, size_t position)
{
	size_t at = line_start(vi, position);

	while (at < position && is_blank(vi->text[at]))
		at++;
	return at == position;
}

static void operate(struct ik_vi *vi, char operator, struct vi_motion motion, bool visual)
{
	bool ahead = motion.to >= motion.from;
	size_t start = ahead ? motion.from : motion.to, end = ahead ? motion.to : motion.from;

	if (motion.lines) {
		operate_on_lines(vi, operator, start, end);
		if (operator== 'y')
			go(vi, visual || motion.to < line_start(vi, motion.from) ? start : motion.from);
		return;
	}
	if (motion.inclusive && end < vi->length && vi->text[end] != '\n')
		end = next(vi, end);
	else if (motion.inclusive && visual && end < vi->length)
		end++;
	else if (!motion.inclusive && !visual && end > line_end(vi, start) &&
		end == line_start(vi, end)) {
		/* A part that ends where a line begins ends with the line before, and is whole lines if
		 * it begins in an indentation. */
		end--;
		if (is_in_indent(vi, start)) {
			operate_on_lines(vi, operator, start, end);
			if (operator== 'y')
				go(vi, start);
			return;
		}
	}
	/* So is one over several lines that leaves a blank one. */
	if (operator== 'd' && !visual && end> line_end(vi, start) && is_in_indent(vi, start) &&
		strspn(vi->text + end, " \t") == line_end(vi, end) - end) {
		operate_on_lines(vi, operator, start, end);
		return;
	}
	go(vi, start); /* where undo returns to */
	yank(vi, start, end, false);
	if (operator!= 'y')
		change(vi, start, end, "", 0);
	if (operator== 'c')
		insert_at(vi, start);
	else
		go(vi, clamp(vi, start));
}

/* ---- commands ---- */

static void paste(struct ik_vi *vi, bool after, size_t count)
{
	size_t position = vi->at, length = vi->yanked.length;
	struct ik_buf all;

	if (length == 0)
		return;
	ik_buf_init(&all, IK_LIMIT_USER_TEXT);
	for (size_t i = 0; i < count && ik_buf_status(&all) == IK_OK; i++)
		ik_buf_append(&all, vi->yanked.data, length);
	if (ik_buf_status(&all) != IK_OK) {
		ik_buf_done(&all);
		return;
	}
	if (vi->yanked_lines) {
		position = after ? line_end(vi, position) : line_start(vi, position);
		if (after) { /* the line end goes to the front */
			ik_buf_truncate(&all, all.length - 1);
			ik_buf_insert(&all, 0, "\n", 1);
		}
		change(vi, position, position, all.data, all.length);
		go(vi, first_word(vi, position + after));
	} else {
		if (after && !is_line_end(vi, position))
			position = next(vi, position);
		change(vi, position, position, all.data, all.length);
		if (memchr(vi->yanked.data, '\n', length))
			go(vi, position);
		else
			go(vi, ik_cluster_previous(vi->text, position + all.length));
	}
	ik_buf_done(&all);
}

static void join(struct ik_vi *vi, size_t position, size_t lines)
{
	size_t seam = position;

	if (line_end(vi, position) == vi->length)
		return;
	for (; lines > 1 && line_end(vi, position) < vi->length; lines--) {
		size_t start = line_end(vi, position), end = start + 1;
		bool blank;

		while (!is_line_end(vi, end) && is_blank(vi->text[end]))
			end++;
		blank = start > line_start(vi, start) && !is_blank(vi->text[start - 1]) &&
			!is_line_end(vi, end) && vi->text[end] != ')';
		seam = start;
		change(vi, start, end, " ", blank);
	}
	go(vi, clamp(vi, seam));
}

/* Return a character as ~, u, U or r changes it. */
static uint32_t changed(uint32_t codepoint, uint32_t how, uint32_t argument)
{
	bool raises = how == 'U' || (how == '~' && towlower(codepoint) == codepoint);

	if (codepoint == '\n')
		return codepoint;
	return how == 'r' ? argument : (uint32_t)(raises ? towupper(codepoint) : towlower(codepoint));
}

/* Change each character of [start, end) but line ends. */
static void change_each(struct ik_vi *vi, uint32_t how, uint32_t argument, size_t start, size_t end)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_USER_TEXT);
	for (size_t at = start, step; at < end; at += step) {
		uint32_t codepoint = 0;
		char bytes[4];
		int length = ik_utf8_decode(vi->text + at, end - at, &codepoint);

		step = how == 'r' ? next(vi, at) - at : (size_t)(length > 0 ? length : 1);
		ik_buf_append(&out, bytes,
			(size_t)ik_utf8_encode(changed(codepoint, how, argument), bytes));
	}
	if (ik_buf_status(&out) == IK_OK)
		change(vi, start, end, out.data, out.length);
	ik_buf_done(&out);
}

static void replace(struct ik_vi *vi, uint32_t codepoint, size_t count)
{
	struct ik_buf text;
	char bytes[4];
	size_t end = vi->at, length = ik_utf8_encode(codepoint, bytes), start = vi->at;

	for (size_t i = 0; i < count; i++) {
		if (is_line_end(vi, end))
			return;
		end = next(vi, end);
	}
	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	for (size_t i = 0; i < (codepoint == '\n' ? 1 : count); i++)
		ik_buf_append(&text, bytes, length);
	change(vi, start, end, text.data, text.length);
	go(vi, codepoint == '\n' ? first_word(vi, start + 1) : start + text.length - length);
	ik_buf_done(&text);
}

/* Run a command that is neither a motion nor an operator. Return false if it is none. */
static bool run_simple(struct ik_vi *vi, const struct vi_command *command, size_t count)
{
	size_t end = vi->at;

	switch (command->key) {
	case 'i':
		insert_at(vi, vi->at);
		break;
	case 'I':
		insert_at(vi, line_start(vi, vi->at) + strspn(vi->text + line_start(vi, vi->at), " \t"));
		break;
	case 'a':
		insert_at(vi, is_line_end(vi, vi->at) ? vi->at : next(vi, vi->at));
		break;
	case 'A':
		insert_at(vi, line_end(vi, vi->at));
		break;
	case 'o':
	case 'O':
		end = command->key == 'o' ? line_end(vi, vi->at) : line_start(vi, vi->at);
		change(vi, end, end, "\n", 1);
		insert_at(vi, end + (command->key == 'o'));
		break;
	case 'p':
	case 'P':
		paste(vi, command->key == 'p', count);
		break;
	case 'J':
		join(vi, vi->at, count > 2 ? count : 2);
		break;
	case '~':
		for (size_t i = 0; i < count && !is_line_end(vi, end); i++)
			end = next(vi, end);
		change_each(vi, '~', 0, vi->at, end);
		go(vi, clamp(vi, end));
		break;
	case 'r':
		replace(vi, command->argument, count);
		break;
	default:
		return false;
	}
	return true;
}

/* Commands that stand for an operator with a motion. */
static const struct {
	char key, operator;
	uint32_t motion;
} shorthands[] = {
	{ 'x', 'd', 'l' },
	{ 'X', 'd', 'h' },
	{ 's', 'c', SPAN },
	{ 'S', 'c', '_' },
	{ 'D', 'd', '$' },
	{ 'C', 'c', '$' },
	{ 'Y', 'y', '_' },
};

/* Run a whole command, if there is one of that name. */
static void run(struct ik_vi *vi, struct vi_command command)
{
	struct vi_motion motion;
	bool empty;

	for (size_t i = 0; i < sizeof(shorthands) / sizeof(*shorthands) && !command.operator; i++)
		if (command.key == (uint32_t)shorthands[i].key) {
			command.operator= shorthands[i].operator;
			command.key = shorthands[i].motion;
		}
	if (!command.operator&& run_simple(vi, &command, command.count > 0 ? command.count : 1))
		return;
	if (command.operator&& command.key ==(uint32_t) command.operator)
		command.key = '_';
	if (find_motion(vi, &command, &motion)) {
		if (command.operator)
			operate(vi, command.operator, motion, false);
		else
			go(vi, clamp(vi, motion.to));
		return;
	}
	/* What changes nothing still begins to insert. */
	empty = command.key == SPAN || (command.key == '$' && is_line_end(vi, vi->at));
	if (command.operator== 'c' && empty)
		insert_at(vi, vi->at);
}

/* Does a command change the text, so that "." repeats it? */
static bool is_change(const struct vi_command *command)
{
	return command->operator? command->operator!= 'y'
		: command->key<0x80 && strchr("iIaAoOpPJ~rxXsSDC", (char)command->key);
}

/* Leave insert mode: repeat what was typed as often as the command says, and step back. */
static void end_insert(struct ik_vi *vi)
{
	size_t grown = vi->length > vi->insert_length ? vi->length - vi->insert_length : 0;
	bool whole = vi->inserting && grown > 0 && vi->at == vi->insert_start + grown;
	size_t count = strchr("iIaAoO", (char)(vi->last.key & 0x7f)) && vi->last.key < 0x80 &&
			!vi->last.operator
		? vi->last.count
		: 1;
	bool opens = vi->last.key == 'o' || vi->last.key == 'O';

	ik_buf_clear(&vi->inserted);
	if (whole)
		ik_buf_append(&vi->inserted, vi->text + vi->insert_start, grown);
	for (size_t i = 1; whole && i < count; i++) {
		if (opens)
			change(vi, vi->at, vi->at, "\n", 1);
		change(vi, vi->at, vi->at, vi->inserted.data, vi->inserted.length);
	}
	vi->inserting = false;
	vi->mode = IK_VI_NORMAL;
	go(vi, vi->at > line_start(vi, vi->at) ? ik_cluster_previous(vi->text, vi->at) : vi->at);
}

/* "." */
static void repeat(struct ik_vi *vi, size_t count)
{
	struct ik_buf inserted = { 0 };

	if (vi->last.key == 0)
		return;
	if (count > 0)
		vi->last.count = count;
	ik_buf_init(&inserted, IK_LIMIT_USER_TEXT);
	ik_buf_append(&inserted, vi->inserted.data, vi->inserted.length);
	run(vi, vi->last);
	if (vi->mode == IK_VI_INSERT) {
		change(vi, vi->at, vi->at, inserted.data, inserted.length);
		end_insert(vi);
	}
	ik_buf_done(&inserted);
}

/* ---- visual mode ---- */

/* Find the text that is selected. */
static void find_selected(const struct ik_vi *vi, size_t *ret_start, size_t *ret_end)
{
	bool ahead = vi->cursor >= vi->anchor;
	size_t start = ahead ? vi->anchor : vi->cursor, end = ahead ? vi->cursor : vi->anchor;

	*ret_start = vi->visual_lines ? line_start(vi, start) : start;
	*ret_end = vi->visual_lines ? line_end(vi, end) : end < vi->length ? next(vi, end) : end;
}

static void show_selection(struct ik_vi *vi)
{
	bool ahead = vi->cursor >= vi->anchor;
	size_t start, end;

	find_selected(vi, &start, &end);
	ik_editor_select(vi->editor, ahead ? start : end, ahead ? end : start);
	vi->shown_length = vi->length;
}

static void operate_on_selection(struct ik_vi *vi, uint32_t key, uint32_t argument)
{
	bool ahead = vi->cursor >= vi->anchor;
	size_t start = ahead ? vi->anchor : vi->cursor, end = ahead ? vi->cursor : vi->anchor;
	struct vi_motion motion = { .from = start, .to = end, .inclusive = true };
	size_t units = 1;

	motion.lines = vi->visual_lines || strchr("DXYSCR", (char)key);
	if (motion.lines && ahead && end > start)
		motion.from = line_start(vi, start);
	for (size_t at = start; at < end; at = next(vi, at))
		units += motion.lines || key == 'J' ? vi->text[at] == '\n' : 1;
	vi->mode = IK_VI_NORMAL;
	go(vi, start);
	if (key == 'J') {
		join(vi, start, units > 2 ? units : 2);
	} else if (strchr("~uUr", (char)key)) {
		find_selected(vi, &start, &end);
		change_each(vi, key, argument, start, end);
		go(vi, clamp(vi, start));
	} else {
		char operator= strchr("xXdD", (char)key) ? 'd' : strchr("yY", (char)key) ? 'y' : 'c';

		vi->last = operator== 'y'
			? vi->last
			: (struct vi_command){
				  .count = units, .operator= operator, .key = motion.lines ? SPAN_LINES : SPAN };
		operate(vi, operator, motion, true);
	}
}

/* Replace the selection by the register, which gets what was selected. */
static void paste_over_selection(struct ik_vi *vi, size_t count)
{
	bool lines = vi->yanked_lines;
	size_t start, end;
	struct ik_buf text;

	find_selected(vi, &start, &end);
	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	if (lines && !vi->visual_lines)
		ik_buf_putc(&text, '\n');
	for (size_t i = 0; i < count && ik_buf_status(&text) == IK_OK; i++)
		ik_buf_append(&text, vi->yanked.data, vi->yanked.length);
	if (lines && vi->visual_lines)
		ik_buf_truncate(&text, text.length - 1);
	vi->mode = IK_VI_NORMAL;
	if (ik_buf_status(&text) == IK_OK) {
		go(vi, start);
		yank(vi, start, end, vi->visual_lines);
		change(vi, start, end, text.data, text.length);
		if (lines)
			go(vi, first_word(vi, start + !vi->visual_lines));
		else if (memchr(text.data, '\n', text.length) || text.length == 0 || vi->visual_lines)
			go(vi, clamp(vi, start));
		else
			go(vi, ik_cluster_previous(vi->text, start + text.length));
	}
	ik_buf_done(&text);
}

/* Handle a whole command in visual mode. */
static void run_visual(struct ik_vi *vi, const struct vi_command *command)
{
	size_t count = command->count > 0 ? command->count : 1, other = vi->anchor;
	struct vi_motion motion;

	if (command->key == 'v' || command->key == 'V') {
		bool lines = command->key == 'V';

		if (vi->visual_lines == lines)
			vi->mode = IK_VI_NORMAL;
		vi->visual_lines = lines;
	} else if (command->key == 'o') {
		vi->anchor = vi->cursor;
		vi->cursor = other;
	} else if (command->key < 0x80 && strchr("dxXDcsCSRyYJ~ruU", (char)command->key)) {
		operate_on_selection(vi, command->key, command->argument);
		return;
	} else if (command->key == 'p' || command->key == 'P') {
		paste_over_selection(vi, count);
		return;
	} else {
		/* Another word is added to those that are selected. */
		bool more = vi->cursor > vi->anchor && (command->key & 0x5f) == 'W' &&
			command->key > TWO('a', 0);

		vi->at = more ? next(vi, vi->cursor) : vi->cursor;
		if (find_motion(vi, command, &motion)) {
			vi->anchor = motion.object && !more ? motion.from : vi->anchor;
			vi->cursor = motion.object && motion.to > motion.from
				? ik_cluster_previous(vi->text, motion.to)
				: motion.to;
		}
	}
	if (vi->mode == IK_VI_NORMAL)
		go(vi, clamp(vi, vi->cursor));
}

/* ---- keys ---- */

/* Does a key wait for another one, in this state? */
static bool is_prefix(const struct ik_vi *vi, uint32_t key)
{
	bool visual = vi->mode == IK_VI_VISUAL;

	if (key == 'g' || key == 'f' || key == 'F' || key == 't' || key == 'T')
		return true;
	if (key == 'r')
		return !vi->typed.operator;
	return (key == 'i' || key == 'a') && (vi->typed.operator|| visual);
}

static size_t total_count(const struct ik_vi *vi)
{
	size_t before = vi->operator_count, after = vi->typed.count;

	if (before > 0 && after > 0)
		return before * after > COUNT_MOST ? COUNT_MOST : before * after;
	return before > 0 ? before : after;
}

static void forget_typed(struct ik_vi *vi)
{
	vi->typed = (struct vi_command){ 0 };
	vi->operator_count = 0;
	vi->prefix = 0;
}

/* Note that a command begins that may change the text. */
static void mark_step(struct ik_vi *vi)
{
	size_t steps = ik_editor_steps(vi->editor);

	while (vi->mark_count > 0 && vi->marks[vi->mark_count - 1] >= steps)
		vi->mark_count--;
	vi->marks = ik_alloc_more(vi->marks, vi->mark_count, sizeof(*vi->marks));
	vi->marks[vi->mark_count++] = steps;
}

/* Undo a command, all of what it did, or redo one. */
static void undo(struct ik_vi *vi, bool again)
{
	size_t steps = ik_editor_steps(vi->editor), before = steps, mark = vi->mark_count;

	while (mark > 0 && vi->marks[mark - 1] >= steps + again)
		mark--;
	/* From the mark before, or up to the next one. */
	size_t target = again ? (mark < vi->mark_count ? vi->marks[mark] : SIZE_MAX)
		: mark > 0        ? vi->marks[mark - 1]
						  : steps - 1;

	do {
		before = steps;
		(void)ik_editor_act(vi->editor, again ? IK_ACTION_REDO : IK_ACTION_UNDO);
		steps = ik_editor_steps(vi->editor);
	} while (steps != before && steps != target);
	refresh(vi);
	go(vi, clamp(vi, vi->at));
}

/* Have j and k keep to the column where they began. */
static void note_column(struct ik_vi *vi, const struct vi_command *command)
{
	vi->vertical = !command->operator&&(command->key == 'j' || command->key == 'k' ||
		command->key == '$');
}

static void finish(struct ik_vi *vi)
{
	struct vi_command command = vi->typed;

	command.count = total_count(vi);
	forget_typed(vi);
	if ((command.key != 'u' && command.key != REDO) || vi->mode == IK_VI_VISUAL)
		mark_step(vi);
	if (vi->mode == IK_VI_VISUAL) {
		run_visual(vi, &command);
		note_column(vi, &command);
		return;
	}
	if (command.key == 'v' || command.key == 'V') {
		vi->mode = IK_VI_VISUAL;
		vi->visual_lines = command.key == 'V';
		vi->anchor = vi->cursor = vi->at;
	} else if (command.key == '.') {
		repeat(vi, command.count);
	} else if (command.key == 'u' || command.key == REDO) {
		for (size_t i = 0; i < (command.count > 0 ? command.count : 1); i++)
			undo(vi, command.key == REDO);
	} else {
		if (is_change(&command)) {
			vi->last = command;
			ik_buf_clear(&vi->inserted);
		}
		run(vi, command);
	}
	note_column(vi, &command);
}

/* Take another key into the command. */
static void take(struct ik_vi *vi, uint32_t key)
{
	struct vi_command *typed = &vi->typed;

	if (vi->prefix) {
		if (strchr("fFtTr", (char)vi->prefix)) {
			typed->key = vi->prefix;
			typed->argument = key;
		} else {
			typed->key = TWO(vi->prefix, key & 0x7f);
		}
		finish(vi);
	} else if ((key >= '1' && key <= '9') || (key == '0' && typed->count > 0)) {
		typed->count = typed->count * 10 + (key - '0');
		if (typed->count > COUNT_MOST)
			typed->count = COUNT_MOST;
	} else if (is_prefix(vi, key)) {
		vi->prefix = key;
	} else if (vi->mode == IK_VI_NORMAL &&
		!typed->operator&&(key == 'd' || key == 'c' || key == 'y')) {
		typed->operator=(char) key;
		vi->operator_count = typed->count;
		typed->count = 0;
	} else {
		typed->key = key;
		finish(vi);
	}
}

/* Return what a key is for a command: a character, or 0. */
static uint32_t character_of(const struct ik_vi *vi, const struct ik_key *key)
{
	if (key->code == IK_KEY_ENTER && vi->prefix)
		return '\n';
	if (key->code == IK_KEY_BACKSPACE && key->modifiers == 0)
		return 'h';
	if (key->code != IK_KEY_CHARACTER)
		return 0;
	if (key->modifiers == IK_CONTROL && key->codepoint == 'r' && !vi->prefix)
		return REDO;
	return key->modifiers & (IK_CONTROL | IK_ALT) ? 0 : key->codepoint;
}

/* Is a key what a terminal sends for Esc and a letter typed fast, and for Alt with the letter? */
static bool is_escape_and_letter(const struct ik_key *key)
{
	return key->code == IK_KEY_CHARACTER && key->modifiers == IK_ALT && key->codepoint > ' ' &&
		!(key->codepoint >= '0' && key->codepoint <= '9');
}

/* Handle Esc. Return false if it means nothing here. */
static bool escape(struct ik_vi *vi)
{
	bool begun = vi->typed.operator|| vi->typed.count> 0 || vi->prefix;

	if (vi->mode == IK_VI_INSERT) {
		end_insert(vi);
		return true;
	}
	forget_typed(vi);
	if (vi->mode == IK_VI_VISUAL) {
		vi->mode = IK_VI_NORMAL;
		go(vi, clamp(vi, vi->cursor));
		return true;
	}
	return begun;
}

/* Return the action that a key is in place of a command: j and k beyond the text, and / */
static enum ik_action action_for(const struct ik_vi *vi, uint32_t key)
{
	if (vi->mode != IK_VI_NORMAL || vi->prefix || vi->typed.operator|| vi->typed.count> 0)
		return IK_ACTION_NONE;
	if (key == '/')
		return IK_ACTION_HISTORY_SEARCH;
	if (key == 'k' && line_start(vi, vi->at) == 0)
		return IK_ACTION_UP;
	return key == 'j' && line_end(vi, vi->at) == vi->length ? IK_ACTION_DOWN : IK_ACTION_NONE;
}

bool ik_vi_key(struct ik_vi *vi, struct ik_editor *editor, const struct ik_key *key,
	enum ik_action *ret_action)
{
	struct ik_key letter;
	uint32_t character;
	bool taken;

	*ret_action = IK_ACTION_NONE;
	vi->editor = editor;
	refresh(vi);
	if (vi->mode == IK_VI_VISUAL && vi->length != vi->shown_length)
		vi->mode = IK_VI_NORMAL; /* another text: what was selected is gone */
	if (key->code == IK_KEY_ESCAPE && key->modifiers == 0)
		return escape(vi);
	if (vi->mode != IK_VI_NORMAL && is_escape_and_letter(key)) {
		(void)escape(vi);
		letter = *key;
		letter.modifiers = 0;
		key = &letter;
	}
	character = vi->mode == IK_VI_INSERT ? 0 : character_of(vi, key);
	*ret_action = action_for(vi, character);
	taken = character != 0 && *ret_action == IK_ACTION_NONE;
	if (taken)
		take(vi, character);
	else if (vi->mode != IK_VI_INSERT && key->code != IK_KEY_MOUSE)
		forget_typed(vi);
	vi->vertical = vi->vertical && taken;
	/* What isn't vi's may change the text. */
	if (vi->mode == IK_VI_VISUAL && !taken)
		vi->mode = IK_VI_NORMAL;
	if (vi->mode == IK_VI_VISUAL)
		show_selection(vi);
	return taken;
}

enum ik_vi_mode ik_vi_mode(const struct ik_vi *vi)
{
	return vi->mode;
}

const char *ik_vi_mode_name(const struct ik_vi *vi)
{
	switch (vi->mode) {
	case IK_VI_NORMAL:
		/* Translators: this and the next two are modes of vi. */
		return _("NORMAL");
	case IK_VI_VISUAL:
		return _("VISUAL");
	default:
		return _("INSERT");
	}
}

void ik_vi_reset(struct ik_vi *vi)
{
	forget_typed(vi);
	vi->mode = IK_VI_INSERT;
	vi->inserting = false;
}

struct ik_vi *ik_vi_new(void)
{
	struct ik_vi *vi = ik_alloc(sizeof(*vi));

	ik_buf_init(&vi->yanked, IK_LIMIT_USER_TEXT);
	ik_buf_init(&vi->inserted, IK_LIMIT_USER_TEXT);
	return vi;
}

struct ik_vi *ik_vi_free(struct ik_vi *vi)
{
	if (!vi)
		return NULL;
	ik_buf_done(&vi->yanked);
	ik_buf_done(&vi->inserted);
	free(vi->marks);
	free(vi);
	return NULL;
}
