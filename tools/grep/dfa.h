/*
 * automaton: a tree of syntax.h run over whole lines, in time linear in them.
 *
 * A deterministic automaton whose states are made when they are first
 * needed, in a table of bounded size.  It looks one byte ahead, so that the
 * assertions are decided while it runs.  What it says holds as exactly as the
 * tree does: surely for plain lines, as "perhaps" for all others.  A strict one
 * finds only what is sure everywhere: characters that are not plain match nothing.
 *
 * May include: util, tools/grep/syntax.h, tools/grep/lines.h.
 */
#ifndef IK_TOOLS_GREP_DFA_H
#define IK_TOOLS_GREP_DFA_H

#include "tools/grep/lines.h"
#include "tools/grep/syntax.h"

struct dfa;

/* NULL when the expression is too large for one. Strict only if the tree is not loose. */
struct dfa *dfa_new(const struct syntax *syntax, bool strict);

/* Returns NULL. Takes NULL. */
struct dfa *dfa_free(struct dfa *dfa);

/* Append the lines in [text, end) that match. text begins a line, and the byte
 * before end is a line feed. */
void dfa_search(struct dfa *dfa, const char *text, const char *end, struct lines *found);

/* Does the one line that begins at text and ends with the line feed before end match? */
bool dfa_matches(struct dfa *dfa, const char *text, const char *end);

#endif
