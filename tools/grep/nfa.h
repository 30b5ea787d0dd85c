/*
 * nfa: the nondeterministic automaton of a tree. Internal to dfa.
 *
 * Owns its steps.  May include: util, tools/grep/syntax.h.
 */
#ifndef IK_TOOLS_GREP_NFA_H
#define IK_TOOLS_GREP_NFA_H

#include "tools/grep/syntax.h"

enum step_kind {
	STEP_SET,    /* consume a byte of the set, go to next */
	STEP_SPLIT,  /* go to next and to other */
	STEP_ASSERT, /* go to next if the assertion holds here */
	STEP_MATCH
};

struct nfa_step {
	enum step_kind kind;
	enum assertion assertion;
	struct byte_set set;
	uint32_t next, other;
};

struct nfa {
	struct nfa_step *steps;
	size_t count, capacity;
	uint32_t start;
	bool has_word_assertions;
	bool has_line_start;
};

/* False if it would have too many steps. Call nfa_done() either way. In a strict NFA, characters
 * that are not plain match no set. */
bool nfa_make(struct nfa *nfa, const struct syntax *syntax, bool strict) IK_MUST_USE;

void nfa_done(struct nfa *nfa);

#endif
