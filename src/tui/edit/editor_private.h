/*
 * editor_private: what the editor's own files share; nobody else includes it.
 *
 * editor.c: actions, kill ring, history.  editor_text.c: the text, its folds.
 * editor_undo.c: undo and redo.  editor_selection.c: a part that is selected.
 * editor_draw.c: rows on screen.  editor_rows.c: what is known of them.
 *
 * May include: util, tui/term, tui/edit.
 */
#ifndef IK_TUI_EDIT_EDITOR_PRIVATE_H
#define IK_TUI_EDIT_EDITOR_PRIVATE_H

#include "tui/edit/editor.h"
#include "util/buf.h"

#define KILL_RING 16

/* A part of the text that shows as one mark. Folds are sorted and apart. */
struct fold {
	size_t position, length;
	size_t lines;
};

struct folds {
	struct fold *at;
	size_t count, capacity;
};

/* What was done last, where doing it again is one step with it. */
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

/* One step of undo or redo: inserted bytes at position took the place of removed. */
struct editor_step {
	enum editor_chain chain;
	size_t position, inserted;
	struct ik_buf removed;
	struct folds folds; /* that were in it; positions in the text of then */
	size_t cursor;
};

struct steps {
	struct editor_step *at;
	size_t count, capacity;
	size_t bytes; /* in all removed */
};

/* What one row on screen shows. */
struct editor_row {
	size_t start, end;
	bool last;   /* of its line: a line end or the end of the text follows */
	size_t seen; /* it holds as long as nothing changes up to here */
};

/* Rows that were laid out at a width, by their starts, not always all of them. */
struct rows {
	struct editor_row *at;
	size_t count, capacity;
	int width;
};

struct ik_editor {
	struct ik_buf text; /* valid UTF-8 */
	size_t cursor;      /* never inside a fold */
	bool selecting;
	size_t anchor; /* the other end of what is selected; like the cursor */
	struct folds folds;

	struct steps done, undone;
	enum editor_chain chain;

	struct ik_buf kills[KILL_RING]; /* newest first */
	size_t kill_count;
	size_t yanked; /* which of them stands before the cursor */
	size_t yank_position;

	struct ik_history *history;
	bool browsing;
	size_t browse_index;
	struct ik_buf draft; /* what was there before browsing */
	struct folds draft_folds;
	size_t draft_cursor;

	struct rows *rows;           /* known of the text as it is: a frame asks for each many times */
	int width;                   /* columns of text when last drawn; 0: not drawn yet */
	size_t top;                  /* where the first drawn row begins, */
	int drawn_row, drawn_column; /* and where it stands on the screen */
	int goal;                    /* column that moving up and down keeps to */
};

/* The text with its folds (editor_text.c) */

void ik_folds_copy(struct folds *to, const struct folds *from);
void ik_folds_done(struct folds *folds);

/* Put a fold in where it belongs. */
void ik_folds_add(struct folds *folds, struct fold fold);

/* The fold that begins at position, ends there, NULL: none. */
struct fold *ik_fold_at(const struct ik_editor *editor, size_t position);
struct fold *ik_fold_before(const struct ik_editor *editor, size_t position);
void ik_fold_open(struct ik_editor *editor, struct fold *fold);
/* Where the first fold behind position begins; the end of the text: there is none. */
size_t ik_fold_behind(const struct ik_editor *editor, size_t position);

/* Replace length bytes at position by others as a step of undo, which joins the
 * last one where chain says so; the cursor goes behind them. False: no room. */
bool ik_text_replace(struct ik_editor *editor, size_t position, size_t length, const char *bytes,
	size_t count, enum editor_chain chain);
/* The same without a step; there must be room (ik_text_make_room()). The folds
 * that were in it are added to taken. */
void ik_text_change(struct ik_editor *editor, size_t position, size_t length, const char *bytes,
	size_t count, struct folds *taken);
/* Make sure that count bytes can take the place of length ones. */
bool ik_text_make_room(struct ik_editor *editor, size_t length, size_t count);
/* Fold what was just put in. */
void ik_text_fold(struct ik_editor *editor, size_t position, size_t length);
/* Is this so much that a paste of it is folded? */
bool ik_text_is_large(const char *text, size_t length);

/* Where the cluster or fold behind (before) position ends (begins). */
size_t ik_text_next(const struct ik_editor *editor, size_t position);
size_t ik_text_previous(const struct ik_editor *editor, size_t position);
/* Start and end of the line of position; a fold has no line ends. */
size_t ik_text_line_start(const struct ik_editor *editor, size_t position);
size_t ik_text_line_end(const struct ik_editor *editor, size_t position);

/* Rows that are known (editor_rows.c) */

/* The row at a width that begins at start, or the last that begins at or before position and
 * not before least; NULL: none is known. Valid until the next of these calls. */
const struct editor_row *ik_rows_find(struct rows *rows, int width, size_t start);
const struct editor_row *ik_rows_find_before(struct rows *rows, int width, size_t least,
	size_t position);
void ik_rows_keep(struct rows *rows, const struct editor_row *row);
/* The text, or what is folded in it, is another from position on. */
void ik_rows_changed(struct rows *rows, size_t position);
struct rows *ik_rows_free(struct rows *rows);

/* Undo (editor_undo.c) */

/* A change is about to be made: make it part of the last step, or begin one. The step
 * that is to take the folds that were there; NULL: none is. */
struct editor_step *ik_undo_note(struct ik_editor *editor, size_t position, size_t length,
	const char *bytes, size_t count, enum editor_chain chain);
/* Undo the last step, or redo what was undone last. */
void ik_editor_undo_step(struct ik_editor *editor, bool again);
void ik_editor_undo_forget(struct ik_editor *editor);

/* What is selected (editor_selection.c) */

/* An action on what is selected, or that selects; false: it is for others. */
bool ik_selection_act(struct ik_editor *editor, enum ik_action action);

/* Editor.c's own, for the others: */

/* Move the cursor; false when the action is another. */
bool ik_editor_move(struct ik_editor *editor, enum ik_action action);
/* Cut out a part, or (copy) only keep it in the kill ring. */
void ik_editor_kill(struct ik_editor *editor, size_t start, size_t end, bool copy);

/* Rows on screen (editor_draw.c) */

/* Move the cursor a row up (-1) or down (1), keeping the column where rows are
 * long enough; false when there is no such row. */
bool ik_editor_vertical(struct ik_editor *editor, int direction, bool keep_goal);

#endif
