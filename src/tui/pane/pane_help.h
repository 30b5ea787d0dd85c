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

/* Append the commands of a group: lines "USAGE\tDESCRIPTION" for the user. */
typedef void ik_help_commands(void *arg, enum ik_group group, struct ik_buf *out);

/* commands is called each time the help is opened; NULL: there are none. */
struct ik_help *ik_help_new(ik_help_commands *commands, void *arg, const struct ik_keymap *keymap);

/* Show the help from the group of the focused pane's keys on, which context says, or else from the
 * top. */
void ik_help_open(struct ik_help *help, unsigned context);

/* Draw the help with the keys in its last line. writing: the query of a search in it. Return true
 * if its text was laid out anew. */
bool ik_help_draw(struct ik_help *help, const struct ik_key_hint *keys, bool writing,
	struct ik_cells *cells, struct ik_rectangle area);

#endif
