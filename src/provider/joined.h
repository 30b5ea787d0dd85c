/*
 * joined: a JSON value whose members and elements arrive in pieces, strings in several.
 *
 * Pure. May include: util, json.
 */
#ifndef IK_PROVIDER_JOINED_H
#define IK_PROVIDER_JOINED_H

#include "json/scan.h"
#include "util/buf.h"

/* A step from an object to its member, or from an array to its element. */
struct ik_joined_step {
	const char *name; /* NULL: an element */
	size_t length;    /* of the name */
	size_t index;     /* of the element; the next one at most */
};

enum ik_joined_kind {
	IK_JOINED_EMPTY,
	IK_JOINED_STRING,
	IK_JOINED_VALUE,
	IK_JOINED_OBJECT,
	IK_JOINED_ARRAY
};

struct ik_joined_node {
	enum ik_joined_kind kind;
	char *name;         /* of a member */
	struct ik_buf text; /* JSON; of a string, without its quotes */
	struct ik_joined_node *children;
	size_t count;
};

/* Empty when zeroed. */
struct ik_joined {
	struct ik_joined_node root;
	size_t bytes; /* of memory, about */
	bool broken;  /* pieces contradict each other, leave out an element, or are too many */
};

/* Add a piece at the end of a path of at least one step. One of a string continues the one before
 * if joins; otherwise a value replaces the one before, unless it is null. */
void ik_joined_add(struct ik_joined *joined, const struct ik_joined_step *path, size_t steps,
	struct ik_json_span value, bool joins);

/* Return a value that was not joined; no value if there is none at the end of the path. */
struct ik_json_span ik_joined_at(struct ik_joined *joined, const struct ik_joined_step *path,
	size_t steps);

/* Append the whole value. */
void ik_joined_put(struct ik_buf *out, const struct ik_joined *joined);
void ik_joined_done(struct ik_joined *joined);

#endif
