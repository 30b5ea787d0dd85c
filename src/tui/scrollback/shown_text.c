#include "tui/scrollback/shown_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

static const char *run_text(const struct ik_block *block, const struct ik_lines *lines,
	const struct ik_text_run *run)
{
	return (run->added ? lines->added : block->text) + run->offset;
}

static int end_column(const struct ik_block *block, const struct ik_lines *lines,
	const struct ik_text_run *run)
{
	return run->column + (int)ik_utf8_width(run_text(block, lines, run), run->length);
}

static bool is_frame(const struct ik_text_run *run)
{
	return run->added && run->style == IK_STYLE_FRAME;
}

/* Is it a rule, not a bar? */
static bool is_rule(const char *text)
{
	return strncmp(text, "─", strlen("─")) == 0 || strncmp(text, "═", strlen("═")) == 0;
}

/* Is there nothing but blanks? (An empty stretch is.) */
static bool is_blank(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] != ' ' && text[i] != '\t')
			return false;
	return true;
}

/* Return where the blanks begin that take this many columns before a place, in its line of the
 * text; the place itself: they don't take exactly as many. */
static size_t indented_from(const char *text, size_t place, int columns)
{
	size_t start = ik_line_begin(text, place > IK_KIB(4) ? place - IK_KIB(4) : 0, place);
	size_t end = place;
	int at = 0;

	while (end > start && is_blank(text + end - 1, 1))
		end--;
	for (size_t i = start; i < place; i++)
		at += text[i] == '\t' ? IK_CODE_TAB_COLUMNS - at % IK_CODE_TAB_COLUMNS : 1;
	int until = at - columns;
	at = 0;
	for (size_t i = start; i < place; i++) {
		if (i >= end && at == until)
			return i;
		at += text[i] == '\t' ? IK_CODE_TAB_COLUMNS - at % IK_CODE_TAB_COLUMNS : 1;
	}
	return place;
}

/* Append what is between the last text and a place after it: the blanks that were written there,
 * or else as many as are shown. */
static void put_gap(const struct ik_block *block, size_t from, size_t to, int columns,
	struct ik_buf *out)
{
	if (from == to && columns > 0) /* the parser has made blanks of tabs */
		from = indented_from(block->text, to, columns);
	if (from < to && columns > 0 && is_blank(block->text + from, to - from)) {
		ik_buf_append(out, block->text + from, to - from);
		return;
	}
	for (; columns > 0; columns--)
		ik_buf_putc(out, ' ');
}

/* Append the blanks that had no room where a line was broken: what is between two places of the
 * block's text. */
static void put_seam(const struct ik_block *block, size_t from, size_t to, struct ik_buf *out)
{
	size_t length = to > from ? to - from : 0;
	const char *gap = block->text + from;

	if (length > 0 && is_blank(gap, length))
		ik_buf_append(out, gap, length);
	else if (length > 0 && (memchr(gap, ' ', length) || memchr(gap, '\n', length)))
		ik_buf_putc(out, ' '); /* and the signs of a markup */
}

void ik_shown_text_init(struct ik_shown_text *shown)
{
	*shown = (struct ik_shown_text){ .count = 0 };
	ik_buf_init(&shown->text, IK_LIMIT_ENVELOPE);
}

void ik_shown_text_done(struct ik_shown_text *shown)
{
	ik_buf_done(&shown->text);
	free(shown->pieces);
}

static void add_piece(struct ik_shown_text *shown, uint32_t line, int column, size_t source,
	const char *text, size_t length)
{
	shown->pieces = ik_alloc_more(shown->pieces, shown->count, sizeof(*shown->pieces));
	shown->pieces[shown->count++] = (struct ik_shown_piece){
		.start = (uint32_t)shown->text.length,
		.length = (uint32_t)length,
		.source = (uint32_t)source,
		.line = line,
		.column = column,
	};
	ik_buf_append(&shown->text, text, length);
}

/* Append a line; *end is where the text of the lines before ends in the source. */
static void add_line(struct ik_shown_text *shown, const struct ik_block *block,
	const struct ik_lines *lines, uint32_t line, size_t *end)
{
	uint32_t count, i = 0;
	const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);
	const struct ik_line *own = &lines->lines[line];
	int column = 0; /* what is before it is written */

	for (; i < count && is_frame(&runs[i]); i++) /* a bar, and the blank after it */
		column = end_column(block, lines, &runs[i]) + 1;
	if (i == count && count > 0 && is_rule(run_text(block, lines, &runs[i - 1])))
		return;
	if (shown->count > 0 && own->continues)
		put_seam(block, *end, own->source, &shown->text);
	else if (shown->count > 0)
		ik_buf_putc(&shown->text, '\n');
	*end = own->source;
	if (own->continues && i < count)
		column = runs[i].column;
	add_piece(shown, line, 0, own->source, "", 0);
	for (; i < count; i++) {
		const char *text = run_text(block, lines, &runs[i]);
		bool added = runs[i].added;

		if (is_frame(&runs[i]) || (added && is_blank(text, runs[i].length)))
			continue; /* blanks that are seen in place of a tab are copied as one */
		if (runs[i].column > column)
			put_gap(block, *end, added ? 0 : runs[i].offset, runs[i].column - column, &shown->text);
		add_piece(shown, line, runs[i].column, added ? own->source : runs[i].offset, text,
			runs[i].length);
		column = end_column(block, lines, &runs[i]);
		if (!added)
			*end = runs[i].offset + runs[i].length;
	}
}

void ik_shown_text_fill(struct ik_shown_text *shown, const struct ik_block *block,
	const struct ik_lines *lines)
{
	size_t end = 0;

	ik_buf_clear(&shown->text);
	shown->count = 0;
	for (uint32_t line = 0; line < lines->count; line++)
		add_line(shown, block, lines, line, &end);
}

const struct ik_shown_piece *ik_shown_piece_at(const struct ik_shown_text *shown, size_t offset)
{
	return &shown->pieces[ik_text_item_at(shown->pieces, shown->count, sizeof(*shown->pieces),
		offset)];
}

/* ---- cells ---- */

/* Return how many bytes of a piece are shown before a column. */
static size_t bytes_before(const struct ik_shown_text *shown, const struct ik_shown_piece *piece,
	int column)
{
	if (column <= piece->column)
		return 0;
	return ik_utf8_fit(shown->text.data + piece->start, piece->length,
		(size_t)(column - piece->column), NULL);
}

size_t ik_shown_from(const struct ik_shown_text *shown, struct ik_shown_cell cell)
{
	for (size_t i = 0; i < shown->count; i++) {
		const struct ik_shown_piece *piece = &shown->pieces[i];
		size_t before = bytes_before(shown, piece, cell.column);
		bool first = i > 0 && piece[-1].length == 0;

		if (piece->line > cell.line)
			return piece->start;
		if (piece->line == cell.line && before < piece->length)
			return cell.column < piece->column && first ? piece[-1].start : piece->start + before;
	}
	return shown->text.length;
}

size_t ik_shown_until(const struct ik_shown_text *shown, struct ik_shown_cell cell)
{
	const struct ik_shown_piece *piece = shown->pieces, *end = piece + shown->count;

	while (piece < end &&
		(piece->line < cell.line || (piece->line == cell.line && piece->column <= cell.column)))
		piece++;
	if (piece-- == shown->pieces)
		return 0;
	size_t before = piece->line < cell.line ? piece->length
											: bytes_before(shown, piece, cell.column);
	const char *rest = shown->text.data + piece->start + before;

	if (before < piece->length)
		before += ik_cluster_next(rest, piece->length - before).length;
	return piece->start + before;
}

int ik_shown_line_end(const struct ik_block *block, const struct ik_lines *lines, uint32_t line)
{
	uint32_t count;
	const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);

	return count > 0 ? end_column(block, lines, &runs[count - 1]) : 0;
}

/* ---- words ---- */

/* A word while it is read: bytes of the text. */
struct shown_word {
	size_t start, end;
	size_t last; /* its last cluster, without the full stop of a sentence */
	bool address;
	int open; /* brackets of an address */
};

static bool is_of_word(const struct shown_word *word, const char *cluster, size_t length)
{
	char byte = cluster[0];

	if (length > 1 || (unsigned char)byte >= 0x80)
		return true;
	if (word->address && byte && strchr("(,;!$*'", byte))
		return true;
	if (byte == ')')
		return word->open > 0;
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
		(byte >= 'A' && byte <= 'Z') || (byte && strchr("_-./~@%+#?&=:", byte));
}

static void add_to_word(struct shown_word *word, const char *text, size_t length)
{
	const char *cluster = text + word->end;

	if (word->start == word->end || !strchr(".:?,;!", *cluster))
		word->last = word->end;
	word->open += *cluster == '(' ? 1 : *cluster == ')' ? -1 : 0;
	word->end += length;
	word->address = word->address ||
		(word->end - word->start >= 3 && memcmp(text + word->end - 3, "://", 3) == 0);
}

static struct ik_shown_cell cell_at(const struct ik_shown_text *shown, size_t offset)
{
	const struct ik_shown_piece *piece = ik_shown_piece_at(shown, offset);

	return (struct ik_shown_cell){ piece->line,
		piece->column +
			(int)ik_utf8_width(shown->text.data + piece->start, offset - piece->start) };
}

bool ik_shown_word(const struct ik_shown_text *shown, struct ik_shown_cell cell,
	struct ik_shown_cell *ret_first, struct ik_shown_cell *ret_last)
{
	const char *text = shown->text.data;
	size_t at = ik_shown_from(shown, cell), length = shown->text.length;

	if (ik_shown_until(shown, cell) <= at)
		return false; /* nothing is shown there */
	size_t start = ik_line_begin(text, 0, at);
	struct shown_word word = { .start = start, .end = start };

	while (word.end < length) {
		size_t size = ik_cluster_next(text + word.end, length - word.end).length;

		if (is_of_word(&word, text + word.end, size)) {
			add_to_word(&word, text, size);
			continue;
		}
		if (word.end > at)
			break;
		start = word.end + size;
		word = (struct shown_word){ .start = start, .end = start };
	}
	if (word.start > at || word.end <= at)
		return false;
	*ret_first = cell_at(shown, word.start);
	*ret_last = cell_at(shown, word.last);
	return true;
}
