/*
 * pane_inspector: every tool call of the session, and one of them in full.
 *
 * The newest call is selected until the user selects another.  A large text
 * (the full output of a tool) is shown in parts: the first with the rest of
 * the call, each further one by itself once the user scrolls past the end.
 * Focus is on the list of calls or on the text of the selected one, where JSON
 * folds and unfolds by node.
 *
 * Borrows the list of calls.  May include: util, json, tui.
 */
#ifndef IK_TUI_PANE_PANE_INSPECTOR_H
#define IK_TUI_PANE_PANE_INSPECTOR_H

#include "tui/pane/pane.h"
#include "tui/scrollback/call_parts.h"

struct ik_inspector;

/* drawer draws the pictures that calls returned; borrowed; NULL: they are only named. */
struct ik_inspector *ik_inspector_new(struct ik_calls *calls, const struct ik_keymap *keymap,
	const struct ik_drawer *drawer);

/* Set the reader of stored outputs, which reads a part when it is shown; NULL: unavailable. */
void ik_inspector_on_read(struct ik_inspector *inspector, ik_blob_reader *read, void *arg);
/* Read the requested part again: it has arrived. */
void ik_inspector_part_arrived(struct ik_inspector *inspector);

/* Drop all references to the calls before they are freed for another session. */
void ik_inspector_forget(struct ik_inspector *inspector);

/* Focus the list and keep the newest call selected as calls are added. */
void ik_inspector_follow(struct ik_inspector *inspector);

#endif
