/*
 * edit_hint: hints that help a model fix an edit whose text was not found, or found too often.
 *
 * Hints are whole sentences.  If nothing helps, nothing is appended.  May include: util.
 */
#ifndef IK_TOOLS_EDIT_HINT_H
#define IK_TOOLS_EDIT_HINT_H

#include "util/buf.h"

/* Append what is similar to wanted, which does not occur in text: the place where it does except
 * for white space, line numbers or escapes, and the difference; or the first of its lines that
 * differs; or lines similar to its first. */
void ik_edit_hint_lines(const char *text, size_t length, const char *wanted, size_t wanted_length,
	struct ik_buf *hint);

/* Append whether the new text is there already. */
void ik_edit_hint_present(const char *text, size_t length, const char *new, size_t new_length,
	struct ik_buf *hint);

/* Append the numbers of the first few lines in which wanted begins. */
void ik_edit_hint_places(const char *text, size_t length, const char *wanted, size_t wanted_length,
	struct ik_buf *hint);

#endif
