/*
 * popup: the candidates for the word at the cursor, over the line above the
 * editor: a few rows, of which one may be selected, and a last one that says
 * where one is and which keys there are.
 *
 * Owns copies of what it shows.  May include: util, tui/term, tui/edit.
 */
#ifndef IK_TUI_SCREEN_POPUP_H
#define IK_TUI_SCREEN_POPUP_H

#include "tui/edit/completion.h"
#include "tui/edit/keymap.h"
#include "tui/term/cells.h"

#define IK_POPUP_ROWS 8
#define IK_POPUP_NONE SIZE_MAX

struct ik_popup;

/* keymap is borrowed. */
struct ik_popup *ik_popup_new(const struct ik_keymap *keymap);
struct ik_popup *ik_popup_free(struct ik_popup *popup);

/* Show these; nothing to show closes it. What they point to is borrowed until the next call of
 * this or until it is closed. The one that the user went to stays selected. Else, with
 * preselect, the first is, unless what was typed is one of them already. */
void ik_popup_show(struct ik_popup *popup, const struct ik_completions *completions,
	bool preselect);
void ik_popup_close(struct ik_popup *popup);
bool ik_popup_is_open(const struct ik_popup *popup);

/* What it shows now; only while it is open. */
const struct ik_completions *ik_popup_completions(const struct ik_popup *popup);
/* The candidates that fit, in their order. */
const uint32_t *ik_popup_matches(const struct ik_popup *popup, size_t *ret_count);

/* The next (1) or the one before (-1), round at the ends; 0: the one that is selected. */
void ik_popup_move(struct ik_popup *popup, int direction);
/* Did the user go to the selected one? */
bool ik_popup_is_moved(const struct ik_popup *popup);
/* Select what stands in that cell; false: no candidate does. */
bool ik_popup_click(struct ik_popup *popup, int row, int column);
/* The selected one, as an index of the candidates; IK_POPUP_NONE: none is. */
size_t ik_popup_selected(const struct ik_popup *popup);

/* Where the candidates stood when it was drawn last; no rows when it is closed. */
struct ik_rectangle ik_popup_area(const struct ik_popup *popup);

/* Draw within area, at its bottom; the word begins at that column. */
void ik_popup_draw(struct ik_popup *popup, struct ik_cells *cells, struct ik_rectangle area,
	int column);

#endif
