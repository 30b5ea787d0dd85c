/*
 * nearest: hints that let a model mend a call that found nothing.
 *
 * Hints are for reading, in whole sentences; when nothing is near, nothing is
 * appended.  May include: util.
 */
#ifndef IK_TOOLS_NEAREST_H
#define IK_TOOLS_NEAREST_H

#include "util/buf.h"

/* What exists that path, which does not, may have meant: names in the same
 * directory, or the directory where the path ends to exist. */
void ik_nearest_names(const char *path, struct ik_buf *hint);

/* Lines of text that resemble the first line of wanted, which does not occur
 * in text; or the difference in white space or line ends that is in the way. */
void ik_nearest_lines(const char *text, size_t length, const char *wanted, size_t wanted_length,
	struct ik_buf *hint);

/* The numbers of the lines in which wanted begins, the first few of count. */
void ik_nearest_places(const char *text, size_t length, const char *wanted, size_t wanted_length,
	struct ik_buf *hint);

#endif
