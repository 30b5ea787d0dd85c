/*
 * history: what a user sent before, newest last, kept in a file.
 *
 * One entry a line, as a JSON string; appended when it is made, so that two
 * programs at once lose nothing.  A line that is no JSON string is skipped.  A file
 * that has half of what all may have becomes PATH.old, in place of an older one.  A
 * file that cannot be read or written stops nobody who writes a message: it is told
 * once, and logged.
 *
 * An entry is looked for by a part of it, while that is being typed: small letters are for both
 * cases, a capital one for itself (tui/text/needle.h).
 *
 * May include: util, json through scan and write only.
 */
#ifndef IK_TUI_EDIT_HISTORY_H
#define IK_TUI_EDIT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"

struct ik_history;

/* path may be NULL: not kept. The files are read when first asked for; they have at most limit bytes. */
struct ik_history *ik_history_new(const char *path, size_t limit);
struct ik_history *ik_history_free(struct ik_history *history);

/* What is wrong with the file, in words: a new string, told once each; NULL: nothing new. */
char *ik_history_take_problem(struct ik_history *history);

/* Not added: nothing, or the same as the newest. */
void ik_history_add(struct ik_history *history, const char *text, size_t length);
size_t ik_history_count(struct ik_history *history);
/* index 0 is the newest. */
const char *ik_history_at(struct ik_history *history, size_t index, size_t *ret_length);

struct ik_history_search {
	struct ik_history *history; /* borrowed */
	struct ik_buf query;
	bool found;              /* the fields below say where */
	bool failed;             /* there is no other: they say where the last one was */
	size_t index;            /* of the entry */
	size_t position, length; /* of the match in it */
};

/* Begin with nothing typed, and nothing found. */
void ik_history_search_init(struct ik_history_search *search, struct ik_history *history);
void ik_history_search_done(struct ik_history_search *search);

/* One more piece of what is searched for; the entry that fits already stays. */
void ik_history_search_type(struct ik_history_search *search, const char *text, size_t length);
/* The last cluster of it is gone; the newest entry that fits is found. */
void ik_history_search_erase(struct ik_history_search *search);
/* The next older entry (1) or newer one (-1) that fits and differs. */
void ik_history_search_move(struct ik_history_search *search, int direction);

#endif
