/*
 * markdown_references: the link definitions of a text that grows,
 *
 *     [label]: address "title"
 *
 * which the links [text][label], [label][] and [label] of all its sections name,
 * those before it too.
 *
 * A definition is a line of its own, at the outermost level, behind a blank line or
 * another definition, in no fenced code, and complete.  What is certain to be none
 * for the parser is left out; so are titles, which nobody sees.
 *
 * Pure.  May include: util, tui/wrap.h.
 */
#ifndef IK_TUI_MARKDOWN_REFERENCES_H
#define IK_TUI_MARKDOWN_REFERENCES_H

#include "tui/wrap.h"

/* As learn of struct ik_renderer. */
bool ik_references_learn(struct ik_learnt *learnt, const char *text, size_t length, bool growing);

/* Is the line at start of text a definition, but for where it stands? *ret_label, *ret_address:
 * places in it; their ends behind them. */
struct ik_reference {
	size_t label, label_end, address, address_end;
};
bool ik_reference_read(const char *line, size_t length, struct ik_reference *ret_reference);

#endif
