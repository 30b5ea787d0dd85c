/*
 * machine: the nondeterministic automaton of a tree; inside of automaton.
 *
 * Owns its steps.  May include: util, tools/grep/syntax.h.
 */
#ifndef IK_TOOLS_GREP_MACHINE_H
#define IK_TOOLS_GREP_MACHINE_H

#include "tools/grep/syntax.h"

enum step_kind {
	STEP_SET,    /* take a byte of the set, go to next */
	STEP_SPLIT,  /* go to next and to other */
	STEP_ASSERT, /* go to next if the assertion holds here */
	STEP_MATCH
};

struct machine_step {
	enum step_kind kind;
	enum assertion assertion;
	struct byte_set set;
	uint32_t next, other;
};

struct machine {
	struct machine_step *steps;
	size_t count, capacity;
	uint32_t start;
	bool has_word_assertions;
	bool has_line_start;
};

/* False when it would have too many steps. machine_done() either way. In a
 * strict one characters that are not plain match no set. */
bool machine_make(struct machine *machine, const struct syntax *syntax, bool strict) IK_MUST_USE;

void machine_done(struct machine *machine);

#endif
