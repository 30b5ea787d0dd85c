#include "tui/scrollback/shown_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"

static const char *run_text(const struct ik_block *block, const struct ik_lines *lines,
	const struct ik_text_run *run)
{
	return (run->added ? lines->added : block->text) + run->offset;
}

static bool is_frame(const struct ik_text_run *run)
{
	return run->added && run->style == IK_STYLE_FRAME;
}

/* Is there nothing but blanks? (An empty stretch is.) */
static bool is_blank(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] != ' ' && text[i] != '\t')
			return false;
	return true;
}

/* ---- in one piece ---- */

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

/* Append a run. */
static void add_run(struct ik_shown_text *shown, const struct ik_block *block,
	const struct ik_lines *lines, uint32_t line, uint32_t index)
{
	const struct ik_text_run *run = &lines->runs[index];

	if (shown->count == shown->capacity) {
		shown->capacity = shown->capacity ? shown->capacity * 2 : 64;
		shown->pieces = ik_alloc_array(shown->pieces, shown->capacity, sizeof(*shown->pieces));
	}
	shown->pieces[shown->count++] = (struct ik_shown_piece){
		.start = (uint32_t)shown->text.length,
		.length = run->length,
		.line = line,
		.run = index,
		.column = run->column,
	};
	ik_buf_append(&shown->text, run_text(block, lines, run), run->length);
}

/* Return whether a run continues the text that ends at a place of the source, with nothing but
 * blanks between; *ret_blank: there are some. */
static bool continues(const struct ik_block *block, size_t end, const struct ik_text_run *run,
	bool *ret_blank)
{
	if (end > run->offset || end == 0)
		return false;
	*ret_blank = run->offset > end;
	return is_blank(block->text + end, run->offset - end);
}

void ik_shown_text_fill(struct ik_shown_text *shown, const struct ik_block *block,
	const struct ik_lines *lines)
{
	size_t end = 0; /* of what came last, in the source; 0: it isn't in there */

	ik_buf_clear(&shown->text);
	shown->count = 0;
	for (uint32_t line = 0; line < lines->count; line++) {
		uint32_t count, first = 0;
		const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);
		bool blank = false;

		while (first < count && runs[first].added)
			first++;
		bool same = first < count && continues(block, end, &runs[first], &blank);

		if (!same)
			first = 0;
		if (line > 0 && (blank || !same))
			ik_buf_putc(&shown->text, same ? ' ' : '\n');
		int column = first < count ? runs[first].column : 0;

		for (uint32_t i = first; i < count; i++) {
			/* The mark of code that continues in the next line. */
			if (is_frame(&runs[i]) && i + 1 == count && line + 1 < lines->count &&
				lines->lines[line + 1].continues)
				break;
			if (runs[i].column > column)
				ik_buf_putc(&shown->text, ' ');
			size_t start = shown->text.length;
			add_run(shown, block, lines, line, lines->lines[line].run + i);
			column = runs[i].column +
				(int)ik_utf8_width(shown->text.data + start, shown->text.length - start);
			end = runs[i].added ? 0 : runs[i].offset + runs[i].length;
		}
	}
}

const struct ik_shown_piece *ik_shown_piece_at(const struct ik_shown_text *shown, size_t offset)
{
	size_t low = 0, high = shown->count;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (shown->pieces[middle].start <= offset)
			low = middle;
		else
			high = middle;
	}
	return &shown->pieces[low];
}

/* ---- words ---- */

/* A word while it is read: bytes of the text. */
struct shown_word {
	size_t start, end;
	size_t last; /* its last cluster, without the full stop of a sentence */
	bool address;
	int open; /* brackets of an address */
};

/* Return whether a word continues with a cluster. */
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

/* Add the cluster that follows a word. */
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

/* Return the byte of the text at a cell; SIZE_MAX: nothing is shown there. */
static size_t byte_at(const struct ik_shown_text *shown, struct ik_shown_cell cell)
{
	for (size_t i = 0; i < shown->count; i++) {
		const struct ik_shown_piece *piece = &shown->pieces[i];
		const char *text = shown->text.data + piece->start;

		if (piece->line == cell.line && piece->column <= cell.column &&
			(int)ik_utf8_width(text, piece->length) > cell.column - piece->column)
			return piece->start +
				ik_utf8_fit(text, piece->length, (size_t)(cell.column - piece->column), NULL);
	}
	return SIZE_MAX;
}

/* Return the cell of the byte at offset. */
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
	size_t at = byte_at(shown, cell), length = shown->text.length;

	if (at == SIZE_MAX)
		return false;
	const char *feed = memrchr(text, '\n', at);
	size_t start = feed ? (size_t)(feed - text) + 1 : 0;
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

/* ---- line by line ---- */

int ik_shown_line_end(const struct ik_block *block, const struct ik_lines *lines, uint32_t line)
{
	uint32_t count;
	const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);

	if (count == 0)
		return 0;
	const struct ik_text_run *last = &runs[count - 1];

	return last->column + (int)ik_utf8_width(run_text(block, lines, last), last->length);
}

/* Return where the part of the text that a line shows ends. */
static size_t source_end(const struct ik_lines *lines, uint32_t line)
{
	uint32_t count;
	const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);
	size_t end = lines->lines[line].source;

	for (uint32_t i = 0; i < count; i++)
		if (!runs[i].added)
			end = (size_t)runs[i].offset + runs[i].length;
	return end;
}

/* Return where the blanks begin that take this many columns before a place, in its line of the
 * text; the place itself: they don't take exactly as many. */
static size_t indented_from(const char *text, size_t place, int columns)
{
	size_t start = place, end = place;
	int at = 0;

	while (start > 0 && place - start < IK_KIB(4) && text[start - 1] != '\n')
		start--;
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

bool ik_shown_put_line(const struct ik_block *block, const struct ik_lines *lines, uint32_t line,
	int from, int to, struct ik_buf *out)
{
	uint32_t count;
	const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);
	const struct ik_line *own = &lines->lines[line];
	int end = own->continues ? -1 : from; /* columns up to here are written */
	size_t source = own->source;
	bool text = count == 0;

	for (uint32_t i = 0; i < count; i++) {
		const char *bytes = run_text(block, lines, &runs[i]);
		int at = runs[i].column;

		if (is_frame(&runs[i])) {
			if (!text && end >= 0) /* a bar, and the blank after it */
				end = at + (int)ik_utf8_width(bytes, runs[i].length) + 1;
			continue;
		}
		text = true;
		if (runs[i].added && is_blank(bytes, runs[i].length))
			continue; /* seen in place of a tab */
		struct ik_cluster cluster;

		for (size_t done = 0; done < runs[i].length; done += cluster.length) {
			cluster = ik_cluster_next(bytes + done, runs[i].length - done);
			if (at < to && at + cluster.width > from) {
				if (end >= 0 && at > end)
					put_gap(block, source, runs[i].added ? 0 : runs[i].offset + done, at - end,
						out);
				ik_buf_append(out, bytes + done, cluster.length);
				end = at + cluster.width;
			}
			at += cluster.width;
		}
		if (!runs[i].added)
			source = (size_t)runs[i].offset + runs[i].length;
	}
	return text;
}

void ik_shown_put_seam(const struct ik_block *block, const struct ik_lines *lines, uint32_t line,
	size_t next, struct ik_buf *out)
{
	size_t end = source_end(lines, line);
	size_t length = next > end ? next - end : 0;
	const char *gap = block->text + end;

	if (length > 0 && is_blank(gap, length))
		ik_buf_append(out, gap, length);
	else if (length > 0 && (memchr(gap, ' ', length) || memchr(gap, '\n', length)))
		ik_buf_putc(out, ' '); /* and the signs of a markup */
}
