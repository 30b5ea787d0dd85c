/*
 * pane_inspector: every tool call of the session, and one of them in full.
 *
 * The newest call is selected until the user selects another.  A large text
 * (what a tool printed in full) is shown a part at a time: the first
 * with the rest of the call, each further one by itself once the user scrolls
 * beyond the end.  The cursor is in the list of calls, or in the text of the
 * selected one, where JSON folds and unfolds by node.
 * Borrows the list of calls.  May include: util, json, tui.
 */
#ifndef IK_TUI_PANE_PANE_INSPECTOR_H
#define IK_TUI_PANE_PANE_INSPECTOR_H

#include "tui/pane/pane.h"
#include "tui/scrollback/call_parts.h"

struct ik_inspector;

struct ik_inspector *ik_inspector_new(struct ik_calls *calls, const struct ik_keymap *keymap);

/* Who reads the stored outputs of calls, a part when it is looked at; NULL: nobody. */
void ik_inspector_on_read(struct ik_inspector *inspector, ik_blob_reader *read, void *arg);
/* A part that was on its way is there: it is asked for again. */
void ik_inspector_part_arrived(struct ik_inspector *inspector);

/* The calls are going: it is another session. */
void ik_inspector_forget(struct ik_inspector *inspector);

/* Select the newest call, and those that come after it. */
void ik_inspector_follow(struct ik_inspector *inspector);

#endif
