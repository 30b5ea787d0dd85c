/*
 * history: what a user sent before, newest last, kept in a file.
 *
 * One entry a line, as a JSON string; appended when it is made, so that two
 * programs at once lose nothing.  A line that is no JSON string is skipped; of a
 * long file the end is read (IK_LIMIT_HISTORY).  A file that cannot be read or
 * written stops nobody who writes a message: it is told once, and logged.
 *
 * May include: util, json through scan and write only.
 */
#ifndef IK_TUI_EDIT_HISTORY_H
#define IK_TUI_EDIT_HISTORY_H

#include <stddef.h>

struct ik_history;

/* path may be NULL: not kept. The file is read when first asked for. */
struct ik_history *ik_history_new(const char *path);
struct ik_history *ik_history_free(struct ik_history *history);

/* What is wrong with the file, in words: a new string, told once each; NULL: nothing new. */
char *ik_history_take_problem(struct ik_history *history);

/* Not added: nothing, or the same as the newest. */
void ik_history_add(struct ik_history *history, const char *text, size_t length);
size_t ik_history_count(struct ik_history *history);
/* index 0 is the newest. */
const char *ik_history_at(struct ik_history *history, size_t index, size_t *ret_length);

#endif
