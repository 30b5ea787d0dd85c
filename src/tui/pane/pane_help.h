/*
 * pane_help: the keys, from their one table, and the commands.
 *
 * May include: util, tui.
 */
#ifndef IK_TUI_PANE_PANE_HELP_H
#define IK_TUI_PANE_PANE_HELP_H

#include "tui/pane/pane.h"

struct ik_help;

/* commands: text for people, one command a line; NULL: none. */
struct ik_help *ik_help_new(const char *commands, const struct ik_keymap *keymap);

/* It is to be shown: from the keys of the pane on that has such a context (one of them), where
 * that has any of its own, else from its start. */
void ik_help_open(struct ik_help *help, unsigned context);

/* Draw it, with the keys that its last line names; writing: what is searched for in it. */
void ik_help_draw(struct ik_help *help, const struct ik_key_hint *keys, bool writing,
	struct ik_cells *cells, struct ik_rectangle area);

#endif
