/*
 * background: is the terminal light or dark?
 *
 * What it answers to OSC 11 (xterm's ctlseqs), or what rxvt and its like say in
 * COLORFGBG.  Pure.  May include: nothing.
 */
#ifndef IK_TUI_TERM_BACKGROUND_H
#define IK_TUI_TERM_BACKGROUND_H

#include <stdbool.h>
#include <stddef.h>

/* The question, and one for behind it that every terminal answers (DA1): with the
 * second answer all that is going to come has come. */
#define IK_BACKGROUND_QUERY "\033]11;?\033\\"
#define IK_FENCE_QUERY "\033[c"

/* Is a report (IK_KEY_REPORT) the answer to the first, or to the second? */
bool ik_background_read(const char *report, size_t length, bool *ret_light);
bool ik_background_is_fence(const char *report, size_t length);

/* Read "15;0" or "0;default;15"; false for NULL and what says nothing. */
bool ik_background_of_variable(const char *colorfgbg, bool *ret_light);

#endif
