/*
 * pane_help: the keys, from their table, and the commands.
 *
 * May include: util, tui.
 */
#ifndef IK_TUI_PANE_PANE_HELP_H
#define IK_TUI_PANE_PANE_HELP_H

#include "tui/pane/pane.h"

struct ik_help;

/* commands: text for the user, one command a line, or NULL. */
struct ik_help *ik_help_new(const char *commands, const struct ik_keymap *keymap);

/* Prepare the help: start at the keys of the focused pane's context (one of them) if it has a
 * section, or else at the top. */
void ik_help_open(struct ik_help *help, unsigned context);

/* Draw the help with the keys in its last line. writing: the query of a search in it. */
void ik_help_draw(struct ik_help *help, const struct ik_key_hint *keys, bool writing,
	struct ik_cells *cells, struct ik_rectangle area);

#endif
