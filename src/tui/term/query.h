/*
 * query: questions to the terminal, and how to read the answers.
 *
 * Is its background light or dark?  OSC 11 of xterm's ctlseqs, or the
 * environment variable COLORFGBG of rxvt and others.  Does it support kitty's
 * keyboard protocol?  What is its name (XTVERSION)?  Each answer is an IK_KEY_REPORT (tui/term/input.h).
 *
 * Pure.  May include: nothing.
 */
#ifndef IK_TUI_TERM_QUERY_H
#define IK_TUI_TERM_QUERY_H

#include <stdbool.h>
#include <stddef.h>

/* Some terminals ignore the first three. All answer the last, DA1, after which no other answer can
 * come. */
#define IK_BACKGROUND_QUERY "\033]11;?\033\\"
#define IK_KEYBOARD_QUERY "\033[?u"
#define IK_NAME_QUERY "\033[>q"
#define IK_FENCE_QUERY "\033[c"

/* Is a report the answer to the query? */
bool ik_background_read(const char *report, size_t length, bool *ret_light);
bool ik_keyboard_is_offered(const char *report, size_t length);
/* Is it the name of a terminal that knows the placeholders of kitty's graphics protocol? Others know
 * the protocol without them. */
bool ik_placeholders_are_known(const char *report, size_t length);
/* Is it an answer to the last query, and does that say that the terminal draws sixels? */
bool ik_sixels_are_known(const char *report, size_t length);
bool ik_background_is_fence(const char *report, size_t length);

/* Parse COLORFGBG, such as "15;0" or "0;default;15"; return false for NULL and if it doesn't
 * tell. */
bool ik_background_of_variable(const char *colorfgbg, bool *ret_light);

#endif
