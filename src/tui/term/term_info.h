/*
 * term_info: what terminfo says of a terminal.
 *
 * Goes by terminfo's own notion of a current terminal: that of the last
 * ik_term_info_read(), or of the ncurses screen that was set last.
 *
 * May include: <curses.h>, <term.h>, util, tui/term/theme.h.
 */
#ifndef IK_TUI_TERM_TERM_INFO_H
#define IK_TUI_TERM_TERM_INFO_H

#define NCURSES_NOMACROS
#include <curses.h>
#include <term.h>
/* <term.h> names its capabilities with macros; these would hit our members. */
#undef columns
#undef lines

#include "tui/term/theme.h"
#include "util/buf.h"

#define IK_PALETTE 256 /* colours that have numbers, where all are known */

/* Read a type's description and make it the current one; NULL where there is none, or it
 * cannot move its cursor. The one that was looked at last is not read again. The caller
 * releases it, unless no screen of ncurses goes by it. */
TERMINAL *ik_term_info_read(const char *type);
TERMINAL *ik_term_info_free(TERMINAL *terminal);

/* A capability of the current terminal, NULL where it has none. */
const char *ik_term_capability(const char *name);
/* The same as a string of its own, "" where it has none, and without its padding. */
char *ik_term_new_capability(const char *name);
void ik_term_put_capability(struct ik_buf *out, const char *name);

/* Does the terminal take ECMA-48 sequences at all? */
bool ik_term_is_ansi(void);

/* Which of enum IK_ATTRIBUTE_... it has. */
uint8_t ik_term_attributes(void);

/* Does the cursor stay in the last column until more comes, and do colours exclude no
 * attribute (tui/term/term_paint.h)? */
bool ik_term_can_paint(void);

/*
 * newterm(), but without the signal handlers that it installs, as the loop has
 * its own, and of the size that we say: it looks for one in the environment,
 * and fails where there is none and the description (linux) names none.
 */
SCREEN *ik_term_info_screen(const char *type, FILE *out, FILE *in, int rows, int columns);

#endif
