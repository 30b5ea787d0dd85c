/*
 * markdown_references: the link definitions of a text that grows,
 *
 *     [label]: address "title"
 *
 * which the links [text][label], [label][] and [label] of all its sections name,
 * those before it too.
 *
 * A definition is a line of its own, in quotes and list items too, behind a blank line or
 * another definition or first of what it stands in, in no fenced code, and complete.  What is
 * certain to be none for the parser is left out; so are titles, which nobody sees.
 *
 * Pure.  May include: util, tui/text/wrap.h.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_REFERENCES_H
#define IK_TUI_TEXT_MARKDOWN_REFERENCES_H

#include "tui/text/wrap.h"

/* As learn of struct ik_renderer. */
bool ik_references_learn(struct ik_learnt *learnt, const char *text, size_t length, bool growing);

/* Behind the marks of quotes and items that a line begins with, and blanks. */
size_t ik_reference_start(const char *line, size_t length);

/* Is what stands in a line behind these a definition, but for where it stands? *ret_label,
 * *ret_address: places in it; their ends behind them. An address may be in angle brackets. */
struct ik_reference {
	size_t label, label_end, address, address_end;
};
bool ik_reference_read(const char *line, size_t length, struct ik_reference *ret_reference);

#endif
