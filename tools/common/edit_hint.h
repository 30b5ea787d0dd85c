/*
 * nearest: hints that let a model mend an edit that found nothing, or too much.
 *
 * Hints are for reading, in whole sentences; when nothing is near, nothing is
 * appended.  May include: util.
 */
#ifndef IK_TOOLS_EDIT_HINT_H
#define IK_TOOLS_EDIT_HINT_H

#include "util/buf.h"

/* What is near to wanted, which does not occur in text: the place where it
 * does but for white space, line numbers or escapes, and how that differs; the
 * first of its lines that is different; or lines like its first. */
void ik_edit_hint_lines(const char *text, size_t length, const char *wanted, size_t wanted_length,
	struct ik_buf *hint);

/* Whether what was to be written is there already. */
void ik_edit_hint_present(const char *text, size_t length, const char *new, size_t new_length,
	struct ik_buf *hint);

/* The numbers of the lines in which wanted begins, the first few of count. */
void ik_edit_hint_places(const char *text, size_t length, const char *wanted, size_t wanted_length,
	struct ik_buf *hint);

#endif
