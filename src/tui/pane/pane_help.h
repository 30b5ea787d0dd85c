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
struct ik_help *ik_help_new(const char *commands, const struct ik_keymap *keymap, bool utf8);
struct ik_help *ik_help_free(struct ik_help *help);

/* It is to be shown: from the keys of the pane on that has such a context (one of them), where
 * that has any of its own, else from its start. */
void ik_help_open(struct ik_help *help, unsigned context);

/* Up and down scroll, too. */
bool ik_help_act(struct ik_help *help, enum ik_action action);
void ik_help_scroll(struct ik_help *help, int rows);

/* What its last line names, and in which context the keys are pressed. */
struct ik_help_keys {
	unsigned context;
	const struct ik_key_hint *hints;
	size_t count;
};
void ik_help_draw(struct ik_help *help, const struct ik_help_keys *keys, struct ik_cells *cells,
	struct ik_rectangle area);

/* The text that it shows; borrowed. */
struct ik_scrollback *ik_help_text(struct ik_help *help);

#endif
