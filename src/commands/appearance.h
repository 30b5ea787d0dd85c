/*
 * appearance: the colours and the theme that suit the terminal.
 *
 * May include: util, tui/term/term.h.
 */
#ifndef IK_COMMANDS_APPEARANCE_H
#define IK_COMMANDS_APPEARANCE_H

#include "tui/term/term.h"

/* Set which colours may be used on options->type: all that the terminal has, unless NO_COLOR is
 * set, and 24-bit ones if COLORTERM promises them. */
void ik_appearance_colours(struct ik_term_options *options);

/* Return the theme of this name; for "auto" and a name that is none, the one for a light or dark
 * background. */
const struct ik_theme *ik_appearance_theme(const struct ik_themes *themes, const char *name,
	bool light);

#endif
