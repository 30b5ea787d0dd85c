/*
 * front_matter: the fields at the beginning of a Markdown file, as in a skill or a prompt file.
 *
 *     ---
 *     name: review
 *     description: Reviews a change. Use it: before each commit
 *     metadata:
 *       author: me
 *     ---
 *
 * This is the part of YAML that such files use: plain and quoted values, also over several lines,
 * blocks (">" and "|"), lists, and maps in maps, whose fields are called "metadata.author". Where
 * YAML would refuse a file for little, this doesn't: everything after the first ": " of a line is
 * its value, a "#" begins a comment only before a blank, and a byte order mark may come first.
 * (YAML 1.2.2; agentskills.io, "Adding skills support", lenient validation.)
 *
 * Pure. May include: util.
 */
#ifndef IK_UTIL_FRONT_MATTER_H
#define IK_UTIL_FRONT_MATTER_H

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>

struct ik_front_field {
	char *name;  /* as in the file; a long one is cut */
	char *value; /* valid UTF-8; a list has a line for each item */
	int line;
};

struct ik_front_matter {
	struct ik_front_field *fields; /* in the order of the file */
	size_t count;
	const char *body; /* what follows, in the text that was read */
	size_t body_length;
	int body_line;
};

/* Read a text; one that begins with no "---" has no fields, and is all body. An error names path
 * and line. Release with ik_front_matter_done(), after an error, too. */
enum ik_status ik_front_matter_read(struct ik_front_matter *matter, const char *path,
	const char *text, size_t length, struct ik_error *error) IK_MUST_USE;
void ik_front_matter_done(struct ik_front_matter *matter);

/* Return the field of that name (the first), or NULL. */
const struct ik_front_field *ik_front_matter_field(const struct ik_front_matter *matter,
	const char *name);

/* Return its value; NULL if it is missing or empty. */
const char *ik_front_matter_value(const struct ik_front_matter *matter, const char *name);

/* Is its value "true" or "yes"? missing: the answer if there is none. */
bool ik_front_matter_is(const struct ik_front_matter *matter, const char *name, bool missing);

#endif
