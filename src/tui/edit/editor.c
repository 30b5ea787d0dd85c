#include "tui/edit/editor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/edit/history.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

#define FOLD_LINES 10
#define FOLD_BYTES 2000
#define STATES_MAX 1000
#define SMALL_TEXT IK_KIB(64) /* no memory to copy a shorter text ends the program, as elsewhere */
#define TAB_WIDTH 4
#define TAB_MARK "\xE2\x86\x92   " /* an arrow and blanks */
#define ARROW_LENGTH 3
#define PROMPT_ROOM 6             /* omit a prompt that leaves fewer columns for text */
#define SET_FOLD_BYTES IK_KIB(64) /* longer texts that are set are folded: they draw slowly */
#define KILL_RING 16
#define STRETCH IK_KIB(16) /* bytes of a line after which a new row begins */

/* A part of the text that is shown as one mark. Folds are sorted and don't overlap. */
struct fold {
	size_t position, length;
	size_t lines;
};

struct folds {
	struct fold *at;
	size_t count;
};

/* The last kind of change: another one of the same kind joins its undo step. */
enum editor_chain {
	CHAIN_NONE,
	CHAIN_TYPE,
	CHAIN_DELETE_LEFT,
	CHAIN_DELETE_RIGHT,
	CHAIN_KILL,
	CHAIN_YANK,
	CHAIN_VERTICAL,
	CHAIN_BROWSE
};

/* The text being written. */
struct editor_state {
	struct ik_buf text; /* valid UTF-8 */
	struct folds folds;
	size_t cursor; /* never inside a fold */
};

/* The undo or redo states, oldest first. */
struct states {
	struct editor_state *at;
	size_t count;
	size_t bytes; /* in all texts */
};

/* The part of the text on one screen row. */
struct editor_row {
	size_t start, end;
	bool last; /* the last row of its line: a line end or the end of the text follows */
};

struct ik_editor {
	struct editor_state now;
	bool selecting;
	size_t anchor; /* the other end of the selection; never inside a fold */

	struct states done, undone;
	enum editor_chain chain;

	struct ik_buf kills[KILL_RING]; /* newest first */
	size_t kill_count;
	size_t yanked; /* index of the one before the cursor */
	size_t yank_position;

	struct ik_history *history;
	bool browsing;
	size_t browse_index;

	struct ik_buf shown;         /* scratch space for the piece last returned by piece_at() */
	int width;                   /* columns of text when last drawn; 0 before the first draw */
	size_t top;                  /* a position in the row drawn first */
	int drawn_row, drawn_column; /* where the text was drawn on the screen */
	int goal;                    /* column that vertical movement aims for */
};

/* Free a state's text and folds, and leave it empty. */
static void clear_state(struct editor_state *state)
{
	ik_buf_done(&state->text);
	free(state->folds.at);
	*state = (struct editor_state){ 0 };
	ik_buf_init(&state->text, IK_LIMIT_USER_TEXT);
}

/* Return the index of the first fold that begins at or after position. */
static size_t fold_index(const struct folds *folds, size_t position)
{
	size_t index = 0;

	while (index < folds->count && folds->at[index].position < position)
		index++;
	return index;
}

static void add_fold(struct folds *folds, struct fold fold)
{
	size_t index = fold_index(folds, fold.position);

	folds->at = ik_alloc_more(folds->at, folds->count, sizeof(*folds->at));
	memmove(folds->at + index + 1, folds->at + index, (folds->count - index) * sizeof(*folds->at));
	folds->at[index] = fold;
	folds->count++;
}

/* Return a copy of the current state. If memory runs out, the copy's text has an error status. */
static struct editor_state copy_state(const struct ik_editor *editor)
{
	const struct editor_state *now = &editor->now;
	struct editor_state copy = { .cursor = now->cursor };

	ik_buf_init(&copy.text, IK_LIMIT_USER_TEXT);
	ik_buf_append(&copy.text, now->text.data, now->text.length);
	for (size_t i = 0; i < now->folds.count; i++)
		add_fold(&copy.folds, now->folds.at[i]);
	return copy;
}

/* Return the fold with that index, or NULL if there is none. */
static struct fold *nth_fold(const struct ik_editor *editor, size_t index)
{
	return index < editor->now.folds.count ? &editor->now.folds.at[index] : NULL;
}

/* Return the first fold that begins at or after position (fold_from()), or the last one that
 * begins before it (fold_to()); NULL if there is none. */
static struct fold *fold_from(const struct ik_editor *editor, size_t position)
{
	return nth_fold(editor, fold_index(&editor->now.folds, position));
}

static struct fold *fold_to(const struct ik_editor *editor, size_t position)
{
	return nth_fold(editor, fold_index(&editor->now.folds, position) - 1);
}

static size_t end_of_fold(const struct fold *fold)
{
	return fold ? fold->position + fold->length : 0;
}

/* Return the fold that begins at position, or NULL. */
static struct fold *fold_at(const struct ik_editor *editor, size_t position)
{
	struct fold *fold = fold_from(editor, position);

	return fold && fold->position == position ? fold : NULL;
}

static void unfold(struct ik_editor *editor, struct fold *fold)
{
	struct folds *folds = &editor->now.folds;
	size_t index = (size_t)(fold - folds->at);

	memmove(fold, fold + 1, (folds->count - index - 1) * sizeof(*fold));
	folds->count--;
	editor->chain = CHAIN_NONE;
}

/* Unfold the fold that contains position, if any. */
static void unfold_around(struct ik_editor *editor, size_t position)
{
	struct fold *fold = fold_to(editor, position);

	if (end_of_fold(fold) > position)
		unfold(editor, fold);
}

/* Drop the folds that overlap the replaced bytes, and move the folds after them. */
static void adjust_folds(struct folds *folds, size_t position, size_t removed, size_t inserted)
{
	size_t kept = 0;

	for (size_t i = 0; i < folds->count; i++) {
		struct fold fold = folds->at[i];

		if (fold.position < position + removed && fold.position + fold.length > position)
			continue;
		if (fold.position >= position)
			fold.position = fold.position - removed + inserted;
		folds->at[kept++] = fold;
	}
	folds->count = kept;
}

static bool make_room(struct ik_editor *editor, size_t length, size_t count)
{
	struct ik_buf *text = &editor->now.text;

	if (count > text->ceiling - (text->length - length))
		return false;
	if (count > length && !ik_buf_reserve(text, count - length)) {
		text->status = IK_OK; /* the text is unchanged */
		return false;
	}
	return true;
}

/* Free the count oldest states. */
static void drop_states(struct states *states, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		states->bytes -= states->at[i].text.length;
		clear_state(&states->at[i]);
	}
	states->count -= count;
	if (count > 0)
		memmove(states->at, states->at + count, states->count * sizeof(*states->at));
}

static void forget(struct states *states)
{
	drop_states(states, states->count);
	free(states->at);
	*states = (struct states){ 0 };
}

/* Add a state as the newest and take ownership of it; drop the oldest ones beyond the limits. */
static void push_state(struct states *states, struct editor_state state)
{
	size_t dropped = 0, bytes = states->bytes + state.text.length;

	states->at = ik_alloc_more(states->at, states->count, sizeof(*states->at));
	states->at[states->count++] = state;
	states->bytes = bytes;
	while (dropped + 1 < states->count &&
		(bytes > IK_LIMIT_USER_TEXT || states->count - dropped > STATES_MAX))
		bytes -= states->at[dropped++].text.length;
	drop_states(states, dropped);
}

/* Does a change at position join the last undo step? Each typed word is a step of its own. */
static bool joins_step(const struct ik_editor *editor, size_t position, const char *bytes,
	enum editor_chain chain)
{
	if (chain == CHAIN_BROWSE)
		return editor->browsing;
	if (chain != editor->chain || editor->done.count == 0)
		return false;
	if (chain == CHAIN_TYPE) {
		char before = position > 0 ? editor->now.text.data[position - 1] : ' ';

		return (before != ' ' && before != '\n') || *bytes == ' ';
	}
	return chain == CHAIN_DELETE_LEFT || chain == CHAIN_DELETE_RIGHT;
}

static void begin_step(struct ik_editor *editor)
{
	struct editor_state copy = copy_state(editor);

	if (ik_buf_status(&copy.text) == IK_OK) {
		push_state(&editor->done, copy);
		return;
	}
	if (editor->now.text.length < SMALL_TEXT)
		ik_alloc_fail(); /* even a small copy failed */
	clear_state(&copy);
	forget(&editor->done); /* no undo is better than a wrong one */
}

/* Replace length bytes at position and put the cursor after the new ones. The change is an undo
 * step, or joins the last one if chain allows it. Return false if there is no room. */
static bool replace_text(struct ik_editor *editor, size_t position, size_t length,
	const char *bytes, size_t count, enum editor_chain chain)
{
	struct editor_state *now = &editor->now;

	if (!make_room(editor, length, count))
		return false;
	forget(&editor->undone);
	if (!joins_step(editor, position, bytes, chain))
		begin_step(editor);
	adjust_folds(&now->folds, position, length, count);
	ik_buf_erase(&now->text, position, length);
	ik_buf_insert(&now->text, position, bytes, count);
	now->cursor = position + count;
	editor->selecting = false;
	editor->chain = chain;
	return true;
}

/* Count the lines of a text. The last one may lack its line end. */
static size_t count_lines(const char *text, size_t length)
{
	size_t lines = length > 0 && text[length - 1] != '\n';

	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Return the start of the first fold at or after position, else the end of the text. */
static size_t next_fold(const struct ik_editor *editor, size_t position)
{
	const struct fold *fold = fold_from(editor, position);

	return fold ? fold->position : editor->now.text.length;
}

/* Return the end of the cluster or fold at position. */
static size_t next_place(const struct ik_editor *editor, size_t position)
{
	const struct fold *fold = fold_at(editor, position);

	if (fold || position >= editor->now.text.length)
		return fold ? end_of_fold(fold) : position;
	return position +
		ik_cluster_next(editor->now.text.data + position, next_fold(editor, position) - position)
			.length;
}

/* Return the start of the cluster or fold before position. */
static size_t previous_place(const struct ik_editor *editor, size_t position)
{
	const struct fold *fold = fold_to(editor, position);
	size_t floor = end_of_fold(fold);

	if (position == 0)
		return 0;
	if (floor == position)
		return fold->position;
	return floor + ik_cluster_previous(editor->now.text.data + floor, position - floor);
}

/* Return the start of the line that contains position; line ends inside folds don't count. */
static size_t start_of_line(const struct ik_editor *editor, size_t position)
{
	const char *text = editor->now.text.data;

	for (;;) {
		const struct fold *fold = fold_to(editor, position);
		size_t floor = end_of_fold(fold);
		const char *line_end = memrchr(text + floor, '\n', position - floor);

		if (line_end)
			return (size_t)(line_end - text) + 1;
		if (!fold)
			return 0;
		position = fold->position;
	}
}

static size_t end_of_line(const struct ik_editor *editor, size_t position)
{
	const char *text = editor->now.text.data;

	for (;;) {
		size_t end = next_fold(editor, position);
		const char *line_end = memchr(text + position, '\n', end - position);

		if (line_end)
			return (size_t)(line_end - text);
		if (end == editor->now.text.length)
			return end;
		position = end_of_fold(fold_at(editor, end));
	}
}

/* Undo the last step, or, if again is true, redo the last undone step. */
static void undo_step(struct ik_editor *editor, bool again)
{
	struct states *from = again ? &editor->undone : &editor->done;
	struct editor_state before = editor->now;

	if (from->count == 0)
		return;
	from->count--;
	from->bytes -= from->at[from->count].text.length;
	editor->now = from->at[from->count];
	editor->selecting = false;
	editor->chain = CHAIN_NONE;
	push_state(again ? &editor->done : &editor->undone, before);
}

/* A cluster, a tab or a fold as it is drawn. */
struct editor_draw_piece {
	size_t length; /* bytes of the text */
	const char *shown;
	size_t shown_length;
	int width;
	enum ik_style style;
};

static void put_grouped(struct ik_buf *out, size_t number)
{
	char digits[32];
	int count = snprintf(digits, sizeof(digits), "%zu", number);

	for (int i = 0; i < count; i++) {
		if (i > 0 && (count - i) % 3 == 0)
			ik_buf_putc(out, ',');
		ik_buf_putc(out, digits[i]);
	}
}

static void put_fold(struct ik_buf *out, const struct fold *fold)
{
	struct ik_buf lines, size;

	ik_buf_init(&lines, 64);
	ik_buf_init(&size, 64);
	put_grouped(&lines, fold->lines);
	ik_size_text(&size, fold->length);
	ik_buf_printf(out, ngettext("[pasted %s line, %s]", "[pasted %s lines, %s]", fold->lines),
		lines.data, size.data);
	ik_buf_done(&size);
	ik_buf_done(&lines);
}

/* Return the piece at position, drawn from column on. It may point to editor->shown. Of blanks at
 * the end of a row, only those are drawn that have room: they never begin the next row. */
static struct editor_draw_piece piece_at(struct ik_editor *editor, int width, size_t position,
	int column)
{
	const char *text = editor->now.text.data + position;
	struct editor_draw_piece piece = {
		.length = 1, .shown = text, .shown_length = 1, .width = 1, .style = IK_STYLE_NORMAL
	};
	const struct fold *fold = fold_at(editor, position);
	bool next_ascii = position + 1 == editor->now.text.length || (unsigned char)text[1] < 0x80;
	int room = width - column;

	if (!fold && *text == ' ' && room < 1)
		piece.width = 0;
	if (!fold && *text >= 0x20 && *text < 0x7F && next_ascii)
		return piece;
	if (!fold && *text == '\t') {
		piece.style = IK_STYLE_DIM;
		piece.shown = TAB_MARK;
		piece.width = TAB_WIDTH - column % TAB_WIDTH;
		if (piece.width > room)
			piece.width = room;
		piece.shown_length = piece.width > 0 ? (size_t)(ARROW_LENGTH + piece.width - 1) : 0;
		return piece;
	}
	struct ik_cluster cluster = { .length = 0 };

	if (!fold)
		cluster = ik_cluster_next(text, next_fold(editor, position + 1) - position);
	if (!fold && ik_sanitize_is_clean(text, cluster.length)) {
		piece.length = piece.shown_length = cluster.length;
		piece.width = cluster.width < width ? cluster.width : width;
		return piece;
	}
	ik_buf_clear(&editor->shown);
	piece.length = fold ? fold->length : cluster.length;
	if (fold)
		put_fold(&editor->shown, fold);
	else
		ik_sanitize_line(&editor->shown, text, piece.length);
	piece.shown = editor->shown.data;
	piece.shown_length = editor->shown.length;
	piece.width = (int)ik_utf8_width(piece.shown, piece.shown_length);
	piece.style = IK_STYLE_DIM;
	if (piece.width > width)
		piece.width = width;
	return piece;
}

static bool is_end(const struct ik_editor *editor, size_t position)
{
	return position >= editor->now.text.length ||
		(editor->now.text.data[position] == '\n' && !fold_at(editor, position));
}

/* Return the last seam at or before position, or 0 if there is none. A seam is where a row ends
 * at any width: after the cluster that completes a STRETCH of the text without line ends. Layout
 * can start at a seam instead of the start of a long line. */
static size_t seam_before(const struct ik_editor *editor, size_t position)
{
	size_t end = position - position % STRETCH, seam;

	if (end == 0 || end_of_fold(fold_to(editor, end)) > end - STRETCH ||
		memchr(editor->now.text.data + end - STRETCH, '\n', STRETCH))
		return 0;
	seam = next_place(editor, previous_place(editor, end));
	return seam <= position ? seam : 0;
}

/* Lay out the row that begins at start. It ends after blanks or next to what is wide, where it can,
 * else inside a word. */
static struct editor_row row_at(struct ik_editor *editor, int width, size_t start)
{
	struct editor_row row = { .start = start, .end = start };
	size_t breaking = start; /* the last place where the row may end */
	int column = 0;

	while (!is_end(editor, row.end)) {
		struct editor_draw_piece piece = piece_at(editor, width, row.end, column);
		bool crosses = row.end > start && row.end / STRETCH > start / STRETCH;
		bool blank = piece.length == 1 && strchr(" \t", editor->now.text.data[row.end]);

		if (crosses && seam_before(editor, row.end) == row.end)
			return row;
		if (piece.width > 1 && !blank)
			breaking = row.end;
		if (column > 0 && column + piece.width > width) {
			row.end = breaking > start ? breaking : row.end;
			return row;
		}
		column += piece.width;
		row.end += piece.length;
		if (piece.width > 1 || blank)
			breaking = row.end;
	}
	row.last = true;
	return row;
}

/* Find the row after `row`. Return false if `row` is the last. */
static bool row_after(struct ik_editor *editor, int width, const struct editor_row *row,
	struct editor_row *ret_row)
{
	if (row->last && row->end >= editor->now.text.length)
		return false;
	*ret_row = row_at(editor, width, row->last ? row->end + 1 : row->end);
	return true;
}

static struct editor_row row_of(struct ik_editor *editor, int width, size_t position)
{
	size_t line = start_of_line(editor, position), seam = seam_before(editor, position);
	struct editor_row row = row_at(editor, width, seam > line ? seam : line);

	while (position >= row.end && !row.last)
		row = row_at(editor, width, row.end);
	return row;
}

/* Find the row before the one that begins at start. Return false if that one is the first. */
static bool row_before(struct ik_editor *editor, int width, size_t start,
	struct editor_row *ret_row)
{
	if (start == 0)
		return false;
	*ret_row = row_of(editor, width, previous_place(editor, start));
	return true;
}

/* Return the first row to draw, before scroll() adjusts it to the cursor. */
static struct editor_row top_row(struct ik_editor *editor, int width)
{
	size_t length = editor->now.text.length;
	size_t position = editor->top < length ? editor->top : length;
	const struct fold *fold = fold_to(editor, position);

	return row_of(editor, width, end_of_fold(fold) > position ? fold->position : position);
}

static int column_of(struct ik_editor *editor, int width, const struct editor_row *row,
	size_t position)
{
	int column = 0;

	for (size_t at = row->start; at < row->end;) {
		struct editor_draw_piece piece = piece_at(editor, width, at, column);

		at += piece.length;
		if (at > position)
			break;
		column += piece.width;
	}
	return column;
}

/* Return the position in a row at column goal, or the nearest one to the left. */
static size_t position_at(struct ik_editor *editor, int width, const struct editor_row *row,
	int goal)
{
	size_t at = row->start, kept = row->start;
	int column = 0;

	while (at < row->end) {
		struct editor_draw_piece piece = piece_at(editor, width, at, column);

		kept = at;
		if (column + piece.width > goal)
			return at;
		column += piece.width;
		at += piece.length;
	}
	/* If the line continues, the row's end is already the start of the next row. */
	return row->last ? at : kept;
}

/* Move the cursor one row up (-1) or down (1). With keep_goal, aim for the column where the
 * movement began. Return false if there is no such row. */
static bool move_vertically(struct ik_editor *editor, int direction, bool keep_goal)
{
	int width = editor->width ? editor->width : 1 << 20;
	struct editor_row here = row_of(editor, width, editor->now.cursor), there;
	bool found = direction < 0 ? row_before(editor, width, here.start, &there)
							   : row_after(editor, width, &here, &there);

	if (found) {
		if (!keep_goal)
			editor->goal = column_of(editor, width, &here, editor->now.cursor);
		editor->now.cursor = position_at(editor, width, &there, editor->goal);
	}
	return found;
}

void ik_editor_click(struct ik_editor *editor, int row, int column)
{
	if (editor->width == 0 || row < editor->drawn_row)
		return;
	int width = editor->width;
	struct editor_row there = top_row(editor, width);

	for (int i = editor->drawn_row; i < row && row_after(editor, width, &there, &there); i++)
		;
	int goal = column > editor->drawn_column ? column - editor->drawn_column : 0;
	editor->now.cursor = position_at(editor, width, &there, goal);
	editor->selecting = false;
	editor->chain = CHAIN_NONE;
}

int ik_editor_height(struct ik_editor *editor, int columns)
{
	int width = columns > 2 ? columns - 1 : 1;
	struct editor_row row = row_at(editor, width, 0);
	int height = 1;

	while (height < IK_EDITOR_HEIGHT_MAX && row_after(editor, width, &row, &row))
		height++;
	return height;
}

/* Scroll to show the cursor's row, without rows left empty needlessly. Return the first row. */
static struct editor_row scroll(struct ik_editor *editor, int width, int rows)
{
	struct editor_row top = top_row(editor, width);
	struct editor_row cursor = row_of(editor, width, editor->now.cursor), row, before;
	int below = 0;

	if (cursor.start < top.start)
		top = cursor;
	for (row = top; below < rows && row.start != cursor.start; below++)
		row_after(editor, width, &row, &row);
	if (below >= rows) {
		top = cursor;
		for (int i = 1; i < rows && row_before(editor, width, top.start, &before); i++)
			top = before;
	}
	int shown = 1;

	for (row = top; shown < rows && row_after(editor, width, &row, &row); shown++)
		;
	for (; shown < rows && row_before(editor, width, top.start, &before); shown++)
		top = before;
	editor->top = top.start;
	return top;
}

static void draw_row(struct ik_editor *editor, int width, struct ik_cells *cells,
	struct ik_rectangle area, const struct editor_row *row)
{
	size_t start = 0, end = 0;
	int column = 0;

	(void)ik_editor_selection(editor, &start, &end);
	for (size_t at = row->start; at < row->end;) {
		struct editor_draw_piece piece = piece_at(editor, width, at, column);
		enum ik_style style = at >= start && at < end ? IK_STYLE_SELECTION : piece.style;
		struct ik_rectangle place = { area.row, area.column + column, 1, piece.width };

		if (fold_at(editor, at))
			ik_cells_label(cells, place, place.row, place.column, style, piece.shown);
		else
			ik_cells_text(cells, place, place.row, place.column, style, piece.shown,
				piece.shown_length);
		column += piece.width;
		at += piece.length;
	}
}

void ik_editor_draw(struct ik_editor *editor, struct ik_cells *cells, struct ik_rectangle area,
	const char *prompt)
{
	int indent = (int)ik_utf8_width(prompt, strlen(prompt));

	if (area.rows < 1 || area.columns < 1)
		return;
	if (indent + PROMPT_ROOM > area.columns)
		indent = 0;
	ik_cells_fill(cells, area, IK_STYLE_NORMAL);
	editor->width = area.columns - indent > 2 ? area.columns - indent - 1 : 1;
	int width = editor->width;
	struct editor_row row = scroll(editor, width, area.rows);

	if (indent > 0 && row.start == 0)
		ik_cells_text(cells, area, area.row, area.column, IK_STYLE_USER, prompt, strlen(prompt));
	editor->drawn_row = area.row;
	editor->drawn_column = area.column + indent;
	for (int i = 0; i < area.rows; i++) {
		struct ik_rectangle place = { area.row + i, area.column + indent, 1, editor->width };
		size_t cursor = editor->now.cursor;

		draw_row(editor, width, cells, place, &row);
		if (cursor >= row.start && (cursor < row.end || (row.last && cursor == row.end))) {
			int column = place.column + column_of(editor, width, &row, cursor);
			int last = area.column + area.columns - 1;

			/* clamp to the last column if the area has only one */
			ik_cells_set_cursor(cells, area.row + i, column < last ? column : last);
		}
		if (!row_after(editor, width, &row, &row))
			break;
	}
}

bool ik_editor_selection(const struct ik_editor *editor, size_t *ret_start, size_t *ret_end)
{
	bool forward = editor->anchor < editor->now.cursor;

	if (!editor->selecting || editor->anchor == editor->now.cursor)
		return false;
	*ret_start = forward ? editor->anchor : editor->now.cursor;
	*ret_end = forward ? editor->now.cursor : editor->anchor;
	return true;
}

void ik_editor_select(struct ik_editor *editor, size_t anchor, size_t cursor)
{
	const struct ik_buf *text = &editor->now.text;

	editor->now.cursor = ik_utf8_cut(text->data, text->length, cursor);
	editor->anchor = ik_utf8_cut(text->data, text->length, anchor);
	unfold_around(editor, editor->now.cursor);
	unfold_around(editor, editor->anchor);
	editor->selecting = editor->anchor != editor->now.cursor;
	editor->chain = CHAIN_NONE;
}

static void append_lines(struct ik_buf *out, const char *text, size_t length)
{
	const char *end = text + length, *stop;

	for (; (stop = memchr(text, '\r', (size_t)(end - text))); text = stop) {
		ik_buf_append(out, text, (size_t)(stop - text));
		ik_buf_putc(out, '\n');
		stop += stop + 1 < end && stop[1] == '\n' ? 2 : 1;
	}
	ik_buf_append(out, text, (size_t)(end - text));
}

/* Replace a part with external text, repaired, and folded if it is large. */
static bool put_in(struct ik_editor *editor, size_t position, size_t length, const char *text,
	size_t count, enum editor_chain chain, bool pasted)
{
	struct ik_buf lines, repaired;
	bool done = false, large = false;

	ik_buf_init(&lines, IK_LIMIT_USER_TEXT);
	ik_buf_init(&repaired, IK_LIMIT_USER_TEXT);
	if (memchr(text, '\r', count)) {
		append_lines(&lines, text, count);
		text = lines.data;
		count = lines.length;
	}
	if (ik_utf8_valid_prefix(text, count) < count) {
		ik_utf8_repair(&repaired, text, count);
		text = repaired.data;
		count = repaired.length;
	}
	if (ik_buf_status(&lines) == IK_OK && ik_buf_status(&repaired) == IK_OK) {
		large = count > (pasted ? FOLD_BYTES : SET_FOLD_BYTES) ||
			(pasted && count_lines(text, count) > FOLD_LINES);
		done = replace_text(editor, position, length, text, count, chain);
	}
	if (done && large)
		add_fold(&editor->now.folds, (struct fold){ position, count, count_lines(text, count) });
	ik_buf_done(&lines);
	ik_buf_done(&repaired);
	return done;
}

/* Show the history entry at index. Put the cursor where the next step in the same direction
 * leaves the entry: going up, at the end of its first line; going down, at the end of its last. */
static void show_entry(struct ik_editor *editor, size_t index, bool up)
{
	size_t length;
	const char *text = ik_history_at(editor->history, index, &length);

	put_in(editor, 0, editor->now.text.length, text, length, CHAIN_BROWSE, false);
	editor->browsing = editor->done.count > 0;
	editor->browse_index = index;
	editor->now.cursor = up ? end_of_line(editor, 0) : editor->now.text.length;
}

/* Does the entry begin with the draft's text before its cursor, and differ from the text shown? */
static bool matches(const struct ik_editor *editor, size_t index)
{
	/* All browsed entries form one undo step, so its saved state is the draft. */
	const struct editor_state *draft = editor->browsing ? &editor->done.at[editor->done.count - 1]
														: &editor->now;
	const struct ik_buf *now = &editor->now.text;
	size_t length;
	const char *text = ik_history_at(editor->history, index, &length);

	return length >= draft->cursor && memcmp(text, draft->text.data, draft->cursor) == 0 &&
		!(length == now->length && memcmp(text, now->data, length) == 0);
}

/* Show an older (step 1) or newer (-1) history entry; after the newest, restore the draft. */
static void browse(struct ik_editor *editor, int step)
{
	size_t count = editor->history ? ik_history_count(editor->history) : 0;

	if (step < 0 && !editor->browsing)
		return;
	/* Stepping past the newest entry wraps the index, which ends the loop. */
	for (size_t i = editor->browsing ? editor->browse_index + (size_t)step : 0; i < count;
		 i += (size_t)step)
		if (matches(editor, i)) {
			show_entry(editor, i, step > 0);
			return;
		}
	if (step > 0)
		return;
	undo_step(editor, false);
	editor->browsing = false;
}

/* Is the cluster at position part of a word? A fold is one by itself. */
static bool is_word(const struct ik_editor *editor, size_t position)
{
	uint32_t codepoint = 0;

	ik_utf8_decode(editor->now.text.data + position, editor->now.text.length - position,
		&codepoint);
	if (codepoint < 0x80)
		return (codepoint >= '0' && codepoint <= '9') || codepoint == '_' ||
			(codepoint >= 'A' && codepoint <= 'Z') || (codepoint >= 'a' && codepoint <= 'z');
	/* spaces and punctuation outside ASCII: Latin-1, general, CJK */
	return !(codepoint < 0xC0 || (codepoint >= 0x2000 && codepoint < 0x2070) ||
		(codepoint >= 0x3000 && codepoint < 0x3004) ||
		(codepoint >= 0x3008 && codepoint < 0x3012) || (codepoint >= 0xFF00 && codepoint < 0xFF10));
}

/* Return the start of the word before position, or the end of the word after it. */
static size_t word_edge(const struct ik_editor *editor, size_t position, bool left)
{
	bool within = false;

	while (left ? position > 0 : position < editor->now.text.length) {
		size_t next = left ? previous_place(editor, position) : next_place(editor, position);
		size_t passed = left ? next : position;
		bool fold = fold_at(editor, passed), word = fold || is_word(editor, passed);

		if (within && (fold || !word))
			break;
		position = next;
		within = word;
		if (fold)
			break;
	}
	return position;
}

/* Move up or down; from the first or last row, browse the history, or select up to the end. */
static void vertical(struct ik_editor *editor, int direction, bool selects)
{
	bool moved = move_vertically(editor, direction, editor->chain == CHAIN_VERTICAL);

	editor->chain = moved ? CHAIN_VERTICAL : CHAIN_NONE;
	if (moved)
		return;
	if (selects)
		editor->now.cursor = direction < 0 ? 0 : editor->now.text.length;
	else
		browse(editor, -direction);
}

/* Move the cursor, if the action does. With selects, stay in the text: don't browse the history. */
static bool move_cursor(struct ik_editor *editor, enum ik_action action, bool selects)
{
	size_t cursor = editor->now.cursor;

	switch (action) {
	case IK_ACTION_LEFT:
		cursor = previous_place(editor, cursor);
		break;
	case IK_ACTION_RIGHT:
		cursor = next_place(editor, cursor);
		break;
	case IK_ACTION_WORD_LEFT:
	case IK_ACTION_WORD_RIGHT:
		cursor = word_edge(editor, cursor, action == IK_ACTION_WORD_LEFT);
		break;
	case IK_ACTION_LINE_START:
		cursor = start_of_line(editor, cursor);
		break;
	case IK_ACTION_LINE_END:
		cursor = end_of_line(editor, cursor);
		break;
	case IK_ACTION_UP:
	case IK_ACTION_DOWN:
		vertical(editor, action == IK_ACTION_UP ? -1 : 1, selects);
		return true;
	case IK_ACTION_HISTORY_OLDER:
	case IK_ACTION_HISTORY_NEWER:
		browse(editor, action == IK_ACTION_HISTORY_OLDER ? 1 : -1);
		return true;
	default:
		return false;
	}
	editor->now.cursor = cursor;
	editor->chain = CHAIN_NONE;
	return true;
}

/* Extend the selection. Return false if the action does not select. */
static bool extend(struct ik_editor *editor, enum ik_action action)
{
	size_t anchor = editor->selecting ? editor->anchor : editor->now.cursor;

	if (action == IK_ACTION_SELECT_ALL) {
		anchor = 0;
		editor->now.cursor = editor->now.text.length;
		editor->chain = CHAIN_NONE;
	} else if (action >= IK_ACTION_SELECT_LEFT && action <= IK_ACTION_SELECT_WORD_RIGHT) {
		move_cursor(editor, IK_ACTION_LEFT + (action - IK_ACTION_SELECT_LEFT), true);
	} else {
		return false;
	}
	editor->anchor = anchor;
	editor->selecting = anchor != editor->now.cursor;
	return true;
}

static void bound_kills(struct ik_editor *editor)
{
	size_t bytes = 0;

	for (size_t i = 0; i < editor->kill_count; i++) {
		bytes += editor->kills[i].length;
		if (i == 0 || bytes <= IK_LIMIT_USER_TEXT)
			continue;
		while (editor->kill_count > i)
			ik_buf_done(&editor->kills[--editor->kill_count]);
	}
}

/* Add a part to the kill ring, and delete it unless it is a copy. Consecutive kills are one. */
static void kill_part(struct ik_editor *editor, size_t start, size_t end, bool copy)
{
	bool again = editor->chain == CHAIN_KILL && editor->kill_count > 0;
	bool left = end == editor->now.cursor;

	if (start == end)
		return;
	if (!again) {
		struct ik_buf oldest = editor->kills[KILL_RING - 1];

		memmove(editor->kills + 1, editor->kills, (KILL_RING - 1) * sizeof(*editor->kills));
		ik_buf_clear(&oldest);
		editor->kills[0] = oldest;
		if (editor->kill_count < KILL_RING)
			editor->kill_count++;
	}
	ik_buf_insert(&editor->kills[0], left ? 0 : editor->kills[0].length,
		editor->now.text.data + start, end - start);
	if (ik_buf_status(&editor->kills[0]) != IK_OK)
		return; /* no room to keep it, so don't delete it */
	bound_kills(editor);
	if (!copy)
		replace_text(editor, start, end - start, "", 0, CHAIN_KILL);
}

/* Run an action that selects or uses the selection. Return false if it isn't done with that. */
static bool act_on_selection(struct ik_editor *editor, enum ik_action action)
{
	size_t start, end;

	if (extend(editor, action))
		return true;
	if (!ik_editor_selection(editor, &start, &end))
		return false;
	switch (action) {
	case IK_ACTION_COPY_SELECTION:
		kill_part(editor, start, end, true);
		editor->selecting = false;
		return true;
	case IK_ACTION_YANK:
		replace_text(editor, start, end - start, "", 0, CHAIN_NONE);
		return false;
	case IK_ACTION_LEFT: /* to an end of the selection, as in other editors */
	case IK_ACTION_RIGHT:
		editor->now.cursor = action == IK_ACTION_LEFT ? start : end;
		editor->selecting = false;
		return true;
	default:
		return false;
	}
}

/* Find the part that an action deletes or cuts: the selection, or else the action's own range.
 * Return false if the action does neither. */
static bool part_of(const struct ik_editor *editor, enum ik_action action, size_t *ret_start,
	size_t *ret_end)
{
	size_t cursor = editor->now.cursor;

	*ret_start = *ret_end = cursor;
	switch (action) {
	case IK_ACTION_DELETE_LEFT:
		*ret_start = previous_place(editor, cursor);
		break;
	case IK_ACTION_DELETE_RIGHT:
	case IK_ACTION_END_OF_INPUT:
		*ret_end = next_place(editor, cursor);
		break;
	case IK_ACTION_DELETE_WORD_LEFT:
		*ret_start = word_edge(editor, cursor, true);
		break;
	case IK_ACTION_DELETE_WORD_RIGHT:
		*ret_end = word_edge(editor, cursor, false);
		break;
	case IK_ACTION_KILL_TO_END:
		*ret_end = end_of_line(editor, cursor);
		if (*ret_end == cursor) /* already at the end: cut the line end */
			*ret_end = next_place(editor, cursor);
		break;
	case IK_ACTION_KILL_TO_START:
		*ret_start = start_of_line(editor, cursor);
		break;
	default:
		return false;
	}
	(void)ik_editor_selection(editor, ret_start, ret_end);
	return true;
}

/* Delete a part, or cut it. */
static void remove_part(struct ik_editor *editor, enum ik_action action, size_t start, size_t end)
{
	enum editor_chain chain = editor->selecting ? CHAIN_NONE
		: action == IK_ACTION_DELETE_LEFT       ? CHAIN_DELETE_LEFT
												: CHAIN_DELETE_RIGHT;

	if (action != IK_ACTION_DELETE_LEFT && action != IK_ACTION_DELETE_RIGHT &&
		action != IK_ACTION_END_OF_INPUT)
		kill_part(editor, start, end, false);
	else if (start < end)
		replace_text(editor, start, end - start, "", 0, chain);
}

struct ik_editor *ik_editor_new(struct ik_history *history)
{
	struct ik_editor *editor = ik_alloc(sizeof(*editor));

	ik_buf_init(&editor->now.text, IK_LIMIT_USER_TEXT);
	for (size_t i = 0; i < KILL_RING; i++)
		ik_buf_init(&editor->kills[i], IK_LIMIT_USER_TEXT);
	ik_buf_init(&editor->shown, IK_KIB(4));
	editor->history = history;
	return editor;
}

struct ik_editor *ik_editor_free(struct ik_editor *editor)
{
	if (!editor)
		return NULL;
	forget(&editor->done);
	forget(&editor->undone);
	for (size_t i = 0; i < KILL_RING; i++)
		ik_buf_done(&editor->kills[i]);
	clear_state(&editor->now);
	ik_buf_done(&editor->shown);
	free(editor);
	return NULL;
}

/* Insert external text at the cursor, or replace the selection with it. */
static bool put_at_cursor(struct ik_editor *editor, const char *text, size_t length,
	enum editor_chain chain, bool pasted)
{
	size_t start = editor->now.cursor, end = start;

	editor->browsing = false;
	ik_editor_selection(editor, &start, &end);
	return length == 0 || put_in(editor, start, end - start, text, length, chain, pasted);
}

bool ik_editor_insert(struct ik_editor *editor, const char *text, size_t length)
{
	return put_at_cursor(editor, text, length, CHAIN_TYPE, false);
}

bool ik_editor_paste(struct ik_editor *editor, const char *text, size_t length)
{
	return put_at_cursor(editor, text, length, CHAIN_NONE, true);
}

bool ik_editor_type(struct ik_editor *editor, const struct ik_key *key)
{
	char bytes[4];
	int length = 0;

	if (key->code == IK_KEY_PASTE)
		return key->text_cut || ik_editor_paste(editor, key->text, key->text_length);
	if (key->code == IK_KEY_CHARACTER && !(key->modifiers & (IK_ALT | IK_CONTROL)))
		length = ik_utf8_encode(key->codepoint, bytes);
	return ik_editor_insert(editor, bytes, (size_t)length);
}

bool ik_editor_replace(struct ik_editor *editor, size_t start, size_t end, const char *text,
	size_t length)
{
	editor->browsing = false;
	return put_in(editor, start, end - start, text, length, CHAIN_NONE, false);
}

void ik_editor_set(struct ik_editor *editor, const char *text, size_t length)
{
	(void)ik_editor_replace(editor, 0, editor->now.text.length, text, length);
}

void ik_editor_clear(struct ik_editor *editor, bool sent)
{
	editor->browsing = false;
	if (editor->history)
		ik_history_add(editor->history, editor->now.text.data, editor->now.text.length);
	if (sent) {
		forget(&editor->done);
		forget(&editor->undone);
		clear_state(&editor->now);
		editor->selecting = false;
	} else if (editor->now.text.length > 0) {
		replace_text(editor, 0, editor->now.text.length, "", 0, CHAIN_NONE);
	}
	editor->chain = CHAIN_NONE;
}

const char *ik_editor_text(const struct ik_editor *editor, size_t *ret_length)
{
	*ret_length = editor->now.text.length;
	return editor->now.text.data;
}

bool ik_editor_is_empty(const struct ik_editor *editor)
{
	return editor->now.text.length == 0;
}

size_t ik_editor_steps(const struct ik_editor *editor)
{
	return editor->done.count;
}

size_t ik_editor_cursor(const struct ik_editor *editor)
{
	return editor->now.cursor;
}

/* Yank the last kill, or replace the text just yanked with the next older one. */
static void yank(struct ik_editor *editor, bool older)
{
	size_t position = editor->now.cursor, length = 0, index = 0;

	if (editor->kill_count == 0)
		return;
	if (older) {
		if (editor->chain != CHAIN_YANK)
			return;
		index = (editor->yanked + 1) % editor->kill_count;
		position = editor->yank_position;
		length = editor->now.cursor - position;
	}
	const struct ik_buf *kill = &editor->kills[index];

	if (!put_in(editor, position, length, kill->data, kill->length, CHAIN_YANK, true))
		return;
	editor->yanked = index;
	editor->yank_position = position;
}

/* Unfold the fold next to the cursor. Return false if there is none. */
static bool open_fold(struct ik_editor *editor)
{
	size_t cursor = editor->now.cursor;
	struct fold *fold = fold_to(editor, cursor);

	if (!fold || end_of_fold(fold) != cursor)
		fold = fold_at(editor, cursor);
	if (fold)
		unfold(editor, fold);
	return fold;
}

bool ik_editor_act(struct ik_editor *editor, enum ik_action action)
{
	size_t start, end;

	if (act_on_selection(editor, action))
		return true;
	if (move_cursor(editor, action, false)) {
		editor->selecting = false;
		return true;
	}
	if (action == IK_ACTION_END_OF_INPUT && ik_editor_is_empty(editor))
		return false;
	if (part_of(editor, action, &start, &end)) {
		remove_part(editor, action, start, end);
		editor->browsing = false;
		return true;
	}
	switch (action) {
	case IK_ACTION_NEW_LINE:
		ik_editor_insert(editor, "\n", 1);
		return true;
	case IK_ACTION_YANK:
	case IK_ACTION_YANK_OLDER:
		yank(editor, action == IK_ACTION_YANK_OLDER);
		break;
	case IK_ACTION_UNDO:
	case IK_ACTION_REDO:
		undo_step(editor, action == IK_ACTION_REDO);
		break;
	case IK_ACTION_COMPLETE:
		return open_fold(editor);
	default:
		return false;
	}
	editor->browsing = false;
	return true;
}
