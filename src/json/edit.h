/*
 * edit: change one member of a JSON text that people write, and no other byte of it: comments,
 * order, indentation and line ends stay as they are.
 *
 * Pure. May include: util, json.
 */
#ifndef IK_JSON_EDIT_H
#define IK_JSON_EDIT_H

#include "json/scan.h"

/* A text, and a copy of equal length in which blanks replace all comments. */
struct ik_json_edit {
	const char *text, *plain;
	struct ik_json_span root; /* an object in plain; no value: there are only blanks and comments */
	struct ik_buf *out;       /* gets the changed text */
};

/* Where a value is, or would be: the members called names, each in the one before, are missing from
 * object. */
struct ik_json_gap {
	struct ik_json_span value, object;
	const char *const *names;
	size_t count;
};

/* Find the value at a path of at least one name in an object. */
struct ik_json_gap ik_json_gap_find(struct ik_json_span object, const char *const *names,
	size_t count);

/* Put a value (JSON text) in the place of the one that is there. Otherwise the missing members become
 * the last of their object, in a line of their own if the others are. */
void ik_json_edit_put(const struct ik_json_edit *edit, const struct ik_json_gap *gap,
	const char *value);

/* Remove the member with the value, its comma, and a comment after it in its line. */
void ik_json_edit_remove(const struct ik_json_edit *edit, const struct ik_json_gap *gap);

#endif
