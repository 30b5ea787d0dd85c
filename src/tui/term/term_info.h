/*
 * term_info: what terminfo, and the name of a terminal's type, say about it.
 *
 * Capabilities are those of terminfo's current terminal, the one that ik_term_new() opened.
 *
 * May include: <curses.h>, util, tui/term/theme.h.
 */
#ifndef IK_TUI_TERM_TERM_INFO_H
#define IK_TUI_TERM_TERM_INFO_H

#include "tui/term/theme.h"
#include "util/buf.h"

/*
 * Return the type that a terminal can be drawn as where its own entry is not installed, by the
 * name before its first dash; NULL for families that are not known. Known ones ignore private
 * modes and queries that they do not have.
 */
const char *ik_term_stand_in(const char *type);

/* Return a capability, NULL where the terminal does not have it; append it without padding. */
const char *ik_term_capability(const char *name);
void ik_term_put_capability(struct ik_buf *out, const char *name);

/* Does the terminal understand ECMA-48 control sequences at all? */
bool ik_term_is_ansi(void);

/* Return the colours of the terminal, whose type is drawn as another one where stands_in;
 * direct: 24-bit colours are promised elsewhere. */
enum ik_colour_depth ik_term_read_colours(const char *type, bool stands_in, bool direct);

#endif
