/*
 * pane_help: the keys, from their table, and the commands, by group; in two columns where there is
 * room.
 *
 * May include: util, tui.
 */
#ifndef IK_TUI_PANE_PANE_HELP_H
#define IK_TUI_PANE_PANE_HELP_H

#include "tui/pane/pane.h"

struct ik_help;

/* commands: of each group, lines "USAGE\tDESCRIPTION" for the user, or NULL; NULL: none. */
struct ik_help *ik_help_new(char *const *commands, const struct ik_keymap *keymap);

/* Show the help from the group of the focused pane's keys on, which context says, or else from the
 * top. */
void ik_help_open(struct ik_help *help, unsigned context);

/* Draw the help with the keys in its last line. writing: the query of a search in it. Return true
 * if its text was laid out anew. */
bool ik_help_draw(struct ik_help *help, const struct ik_key_hint *keys, bool writing,
	struct ik_cells *cells, struct ik_rectangle area);

#endif
