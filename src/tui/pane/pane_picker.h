/*
 * pane_picker: choose one of a few things: what one types filters them, Enter takes the
 * selected one, Esc leaves.
 *
 * Owns copies of what it is told (tui/pane/pick.h); sanitised here.
 * May include: util, tui.
 */
#ifndef IK_TUI_PANE_PANE_PICKER_H
#define IK_TUI_PANE_PANE_PICKER_H

#include "tui/edit/editor.h"
#include "tui/pane/pane.h"
#include "tui/pane/pick.h"

struct ik_picker;

/* keymap is borrowed, and so is the editor that what is chosen may be written into. */
struct ik_picker *ik_picker_new(const struct ik_keymap *keymap, bool utf8,
	const struct ik_editor *editor);

/* Begin to choose: nothing is filtered, the first is selected. */
void ik_picker_open(struct ik_picker *picker, const struct ik_pick_list *list);
/* The same things as they are now: filter and selection stay. */
void ik_picker_again(struct ik_picker *picker, const struct ik_pick_list *list);
/* The pane that it is, for the screen. */
struct ik_pane *ik_picker_pane(struct ik_picker *picker);

#endif
