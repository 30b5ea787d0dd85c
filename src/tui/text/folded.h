/*
 * folded: how something that is folded is laid out: a row that says what it
 * is, cut where it must be so that the facts at its end stay, and what else is
 * shown of it as plain text below.  Where the head may take several rows
 * (head_rows) it is wrapped, and what is left out is counted.
 *
 * May include: util, tui/text/wrap.h.
 */
#ifndef IK_TUI_TEXT_FOLDED_H
#define IK_TUI_TEXT_FOLDED_H

#include "tui/text/wrap.h"

/* Of the first line of a text, [0, head) says what it is, the rest of it are facts. */
extern const struct ik_renderer ik_renderer_folded;

#endif
