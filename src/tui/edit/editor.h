/*
 * editor: the text a user is writing: several lines, a cursor, a selection,
 * undo and redo, a kill ring, history.
 *
 * Works on grapheme clusters of valid UTF-8 (what comes in is repaired and
 * its controls are kept in the text and made visible by the drawing; line ends
 * are LF).  Pure but for the history file.
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

/* history (may be NULL) is borrowed. */
struct ik_editor *ik_editor_new(struct ik_history *history);
struct ik_editor *ik_editor_free(struct ik_editor *editor);

/*
 * Text typed or pasted at the cursor; false, and nothing changed, when the
 * text would exceed IK_LIMIT_USER_TEXT. CR LF and CR become LF. A
 * paste of megabytes is one step of undo and shows as one collapsed mark when
 * it has more than 10 lines or 2,000 bytes; the cursor steps over the mark,
 * IK_ACTION_COMPLETE beside it opens it.
 */
bool ik_editor_insert(struct ik_editor *editor, const char *text, size_t length);
bool ik_editor_paste(struct ik_editor *editor, const char *text, size_t length);

/* A key without an action: a character, or a paste, unless that is not whole. False: no room. */
bool ik_editor_type(struct ik_editor *editor, const struct ik_key *key);

/*
 * An action of the editor's; false when it is not one of them (or SEND). Up and
 * down move in the text, and through the history at its first and last line:
 * through what begins with what stood before the cursor; HISTORY_OLDER and NEWER do
 * so from any line. COMPLETE is the editor's
 * beside a collapsed paste only, END_OF_INPUT (delete to the right) where there
 * is text only.
 */
bool ik_editor_act(struct ik_editor *editor, enum ik_action action);

/*
 * What is selected, by the SELECT_ actions: shown in reverse, replaced by what is
 * typed or pasted, cut by the actions that cut, given to the kill ring by
 * COPY_SELECTION. False: nothing is.
 */
bool ik_editor_selection(const struct ik_editor *editor, size_t *ret_start, size_t *ret_end);
/* Select from anchor to cursor: positions in the text where clusters begin or end; its end
 * for what is after it. */
void ik_editor_select(struct ik_editor *editor, size_t anchor, size_t cursor);

/* Another text for a part, the cursor after it; one step of undo. False, and nothing
 * changed: there is no room. */
bool ik_editor_replace(struct ik_editor *editor, size_t start, size_t end, const char *text,
	size_t length);

/* All the text, pastes in full; valid until the next change. */
const char *ik_editor_text(const struct ik_editor *editor, size_t *ret_length);
bool ik_editor_is_empty(const struct ik_editor *editor);
/* Another text, the cursor after it; one step of undo. */
void ik_editor_set(struct ik_editor *editor, const char *text, size_t length);
/* Forget the text: it goes to the history when keep is true (it was sent), else
 * undo brings it back. */
void ik_editor_clear(struct ik_editor *editor, bool keep);
/* Byte offset of the cursor in the text. */
size_t ik_editor_cursor(const struct ik_editor *editor);

/* Lines on screen that the text needs in that many columns: those beside the
 * prompt, of which the last is kept for the cursor. At least 1; beyond
 * IK_EDITOR_HEIGHT_MAX nothing is counted. */
#define IK_EDITOR_HEIGHT_MAX 40
int ik_editor_height(struct ik_editor *editor, int columns);
/* Put the cursor where a cell of the screen was drawn last. */
void ik_editor_click(struct ik_editor *editor, int row, int column);
/* Draw, scrolled so that the cursor is seen, and set that. prompt
 * ("> ") stands before the first line, blanks of its width before the others. */
void ik_editor_draw(struct ik_editor *editor, struct ik_cells *cells, struct ik_rectangle area,
	const char *prompt);

#endif
