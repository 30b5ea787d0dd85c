/*
 * dfa: decide which lines match a tree of syntax.h, in one pass over them.
 *
 * A deterministic automaton whose states are made when they are first needed, in a table of limited
 * size.  It looks one byte ahead, so that assertions are decided while it runs.  Its result is as
 * exact as the tree: certain for plain lines, "perhaps" for all others.  A strict DFA finds only
 * what is certain in any line: characters that are not plain match nothing.
 *
 * May include: util, tools/grep/syntax.h, tools/grep/lines.h.
 */
#ifndef IK_TOOLS_GREP_DFA_H
#define IK_TOOLS_GREP_DFA_H

#include "tools/grep/lines.h"
#include "tools/grep/syntax.h"

struct dfa;

/* NULL if the expression is too large. strict requires a tree that is not loose. */
struct dfa *dfa_new(const struct syntax *syntax, bool strict);

/* Returns NULL. Takes NULL. */
struct dfa *dfa_free(struct dfa *dfa);

/* Append the lines in [text, end) that match. text is at the start of a line, and the byte before
 * end is a line feed. */
void dfa_search(struct dfa *dfa, const char *text, const char *end, struct lines *found);

/* Does the one line from text to the line feed before end match? */
bool dfa_matches(struct dfa *dfa, const char *text, const char *end);

#endif
