/*
 * completion: the candidates for the word at the cursor.
 *
 * The code that knows commands, tools and files supplies the candidates
 * (ik_screen_on_complete()). This module selects and orders those that match,
 * and says what to insert.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_EDIT_COMPLETION_H
#define IK_TUI_EDIT_COMPLETION_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a candidate is quoted in the text. */
enum ik_quoting {
	IK_QUOTING_NONE,
	IK_QUOTING_MENTION, /* @PATH, @"PATH with blanks" */
	IK_QUOTING_SHELL    /* special characters escaped with backslashes */
};

struct ik_proposal {
	const char *text; /* valid UTF-8 without controls; after a final "/" completion continues */
	const char *description; /* NULL: none */
	bool completes;          /* with it the line is a whole command, so Enter also sends it */
};

/* Candidates for the word at the cursor. All pointers are borrowed. */
struct ik_completions {
	bool asked;        /* input to the supplier: the user asked for completion */
	size_t start;      /* byte offset of the word in the text */
	const char *typed; /* the unquoted text to match candidates against */
	const char *head;  /* prefix of every candidate in the word, such as "src/"; or "" */
	enum ik_quoting quoting;
	const struct ik_proposal *candidates;
	size_t count;
	const char *note;     /* such as "asking openai…" while more are expected; NULL: complete */
	bool on_demand;       /* show only on request */
	bool free;            /* the word may be something else: select none at first */
	bool optional;        /* the word may be missing: select none until it begins */
	bool unsorted;        /* names in no particular order: sort the matches */
	bool caret_in_quotes; /* put the cursor inside the first "" that is inserted */
};

/*
 * Complete the word at the end of text (the editor's, up to the cursor); return
 * false if there are no completions. The result is valid until the next call.
 */
typedef bool ik_completer(void *arg, const char *text, size_t length,
	struct ik_completions *ret_completions);

/* Find the candidates that match, as indexes: prefix matches first, then prefix matches in any
 * case, then matches elsewhere in the text. Return their number; the caller frees the array. */
size_t ik_completion_match(const struct ik_completions *completions, uint32_t **ret_indexes);

/* Return the length in bytes of the common prefix of the candidates that begin with the typed
 * text, at a character boundary. *ret_prefixed is the number of those candidates; they come
 * first. */
size_t ik_completion_common(const struct ik_completions *completions, const uint32_t *indexes,
	size_t count, size_t *ret_prefixed);

/*
 * Append the replacement for the word: the first length bytes of a candidate, or, for SIZE_MAX,
 * all of it and what ends the word. Return the cursor's byte offset in the replacement.
 */
size_t ik_completion_put(const struct ik_completions *completions, size_t index, size_t length,
	struct ik_buf *out);

#endif
