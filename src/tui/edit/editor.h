/*
 * editor: the text the user is writing: multiple lines, a cursor, a selection,
 * undo and redo, a kill ring, history.
 *
 * Works on grapheme clusters of valid UTF-8. Input is repaired and its line
 * ends become LF; controls stay in the text, and drawing makes them visible.
 * Pure but for the history file.
 *
 * May include: util, tui/term, tui/edit.
 */
#ifndef IK_TUI_EDIT_EDITOR_H
#define IK_TUI_EDIT_EDITOR_H

#include "tui/edit/keymap.h"
#include "tui/term/cells.h"

#include <stdbool.h>
#include <stddef.h>

struct ik_editor;
struct ik_history;

/* Return a new editor. history (may be NULL) is borrowed. */
struct ik_editor *ik_editor_new(struct ik_history *history);
struct ik_editor *ik_editor_free(struct ik_editor *editor);

/*
 * Insert typed or pasted text at the cursor, replacing the selection. Return false, and change
 * nothing, if the text would exceed IK_LIMIT_USER_TEXT. CR LF and CR become LF. A paste is one
 * undo step. With more than 10 lines or 2,000 bytes it is folded into one mark, which the
 * cursor steps over; IK_ACTION_COMPLETE next to the mark unfolds it.
 */
bool ik_editor_insert(struct ik_editor *editor, const char *text, size_t length);
bool ik_editor_paste(struct ik_editor *editor, const char *text, size_t length);

/* Insert a key without an action: a character, or a paste; ignore a truncated paste. Return
 * false if there is no room. */
bool ik_editor_type(struct ik_editor *editor, const struct ik_key *key);

/*
 * Run an action. Return false if it is not one of the editor's (SEND is not). Up and down move
 * in the text; on its first and last row they browse the history entries that begin with the
 * text before the cursor; HISTORY_OLDER and HISTORY_NEWER do so from any row. The editor
 * accepts COMPLETE only next to a folded paste, and END_OF_INPUT (delete to the right) only if
 * there is text.
 */
bool ik_editor_act(struct ik_editor *editor, enum ik_action action);

/*
 * Return whether there is a selection, and its range in bytes. The SELECT_ actions make it. It
 * is shown in reverse; typing or pasting replaces it, the actions that cut remove it, and
 * COPY_SELECTION copies it to the kill ring.
 */
bool ik_editor_selection(const struct ik_editor *editor, size_t *ret_start, size_t *ret_end);
/* Select from anchor to cursor, byte offsets of cluster boundaries in the text. */
void ik_editor_select(struct ik_editor *editor, size_t anchor, size_t cursor);

/* Replace a part of the text as one undo step, and put the cursor after it. Return false, and
 * change nothing, if there is no room. */
bool ik_editor_replace(struct ik_editor *editor, size_t start, size_t end, const char *text,
	size_t length);

/* Return all the text, with folded pastes in full; valid until the next change. */
const char *ik_editor_text(const struct ik_editor *editor, size_t *ret_length);
bool ik_editor_is_empty(const struct ik_editor *editor);
/* Replace all the text as one undo step, and put the cursor at its end. */
void ik_editor_set(struct ik_editor *editor, const char *text, size_t length);
/* Clear the text, and add it to the history. If it was sent, forget undo and redo; otherwise undo
 * restores it. */
void ik_editor_clear(struct ik_editor *editor, bool sent);
/* Return how many steps can be undone. */
size_t ik_editor_steps(const struct ik_editor *editor);
/* Return the byte offset of the cursor in the text. */
size_t ik_editor_cursor(const struct ik_editor *editor);

/* Return the number of rows the text needs, from 1 to IK_EDITOR_HEIGHT_MAX. columns are those
 * right of the prompt; the last one is reserved for the cursor. */
#define IK_EDITOR_HEIGHT_MAX 40
int ik_editor_height(struct ik_editor *editor, int columns);
/* Move the cursor to a screen cell of the last drawing. */
void ik_editor_click(struct ik_editor *editor, int row, int column);
/* Draw the text, scrolled to show the cursor, and set the screen's cursor. prompt ("> ") comes
 * before the first line; the other lines are indented by its width. */
void ik_editor_draw(struct ik_editor *editor, struct ik_cells *cells, struct ik_rectangle area,
	const char *prompt);

#endif
