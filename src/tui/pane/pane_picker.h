/*
 * pane_picker: choose one of a few things: what one types filters them, Enter takes the
 * selected one, Esc leaves.
 *
 * Owns copies of what it is told (tui/pane/pick.h); sanitised here.
 * May include: util, tui.
 */
#ifndef IK_TUI_PANE_PANE_PICKER_H
#define IK_TUI_PANE_PANE_PICKER_H

#include "tui/pane/pane.h"
#include "tui/pane/pick.h"

struct ik_picker;

/* keymap is borrowed. */
struct ik_picker *ik_picker_new(const struct ik_keymap *keymap, bool utf8);
struct ik_picker *ik_picker_free(struct ik_picker *picker);

/* Begin to choose: nothing is filtered, the first is selected. */
void ik_picker_open(struct ik_picker *picker, const struct ik_pick_list *list);
/* The same things as they are now: filter and selection stay. */
void ik_picker_again(struct ik_picker *picker, const struct ik_pick_list *list);
/* Has the editor to be empty for what comes of it? */
bool ik_picker_fills_editor(const struct ik_picker *picker);

/* A key (and what it is bound to) while the pane has them, which is all of them that write;
 * false: it means nothing here. Wishes: IK_WISH_LINE, IK_WISH_LEAVE. */
bool ik_picker_key(struct ik_picker *picker, const struct ik_key *key, enum ik_action action,
	struct ik_pane_wish *ret_wish);
bool ik_picker_act(struct ik_picker *picker, enum ik_action action);
void ik_picker_click(struct ik_picker *picker, int row);
void ik_picker_scroll(struct ik_picker *picker, int rows);

/* The cursor is set into the filter while the pane has the focus, else left alone. */
void ik_picker_draw(struct ik_picker *picker, struct ik_cells *cells, struct ik_rectangle area,
	bool focus, int *ret_cursor_row, int *ret_cursor_column);

/* Is nothing written yet that filters it? */
bool ik_picker_is_unfiltered(const struct ik_picker *picker);

/* The text of the selected one; borrowed. */
struct ik_scrollback *ik_picker_text(struct ik_picker *picker);

#endif
