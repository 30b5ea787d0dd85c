/*
 * completion: what a word that is being written may become.
 *
 * Whoever knows commands, tools and files says what the candidates are
 * (ik_screen_on_complete()); this says which of them fit what was typed, in
 * which order, and what is to be put into the text.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_EDIT_COMPLETION_H
#define IK_TUI_EDIT_COMPLETION_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a candidate is written into the text. */
enum ik_quoting {
	IK_QUOTING_NONE,
	IK_QUOTING_MENTION, /* @PATH, @"PATH with blanks" */
	IK_QUOTING_SHELL    /* what a shell would read otherwise behind backslashes */
};

struct ik_proposal {
	const char *text;        /* valid UTF-8 without controls; one that ends in "/" goes on */
	const char *description; /* NULL: none */
};

/* What is known about the word at the cursor. All is borrowed. */
struct ik_completions {
	bool asked;        /* set for whoever answers: the user wants them now */
	size_t start;      /* where in the text it begins */
	const char *typed; /* what is compared with the candidates, without quoting */
	const char *head;  /* what is before each candidate in the word: "src/"; or "" */
	enum ik_quoting quoting;
	const struct ik_proposal *candidates;
	size_t count;
	const char *note;     /* "asking openai…": there will be more; NULL: these are all */
	bool on_demand;       /* not to be shown before it is asked for */
	bool free;            /* what is typed may mean something else: none is selected at first */
	bool unsorted;        /* they are names in no order: what fits is to be sorted */
	bool caret_in_quotes; /* the cursor goes into the first "" of what is put in */
};

/* Those that fit, as indexes: what begins with what was typed, then what begins with
 * it in other letters' case, then what has it within. Returns how many; free() the array. */
size_t ik_completion_match(const struct ik_completions *completions, uint32_t **ret_indexes);

/* Bytes that those of these candidates have in common at their start which begin with
 * what was typed; at a character's end. *ret_prefixed: how many those are; they come first. */
size_t ik_completion_common(const struct ik_completions *completions, const uint32_t *indexes,
	size_t count, size_t *ret_prefixed);

/*
 * Append what takes the place of the word: the first length bytes of a candidate
 * (SIZE_MAX: it is taken, and what ends the word comes after it). Returns where in
 * it the cursor goes.
 */
size_t ik_completion_put(const struct ik_completions *completions, size_t index, size_t length,
	struct ik_buf *out);

#endif
