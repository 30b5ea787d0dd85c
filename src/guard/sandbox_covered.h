/*
 * sandbox_covered: remember the places that were covered, wherever they are by now.
 *
 * A call may rename a directory that contains a covered place; the next call must cover the place
 * under its new name.  Each is covered open, so that the kernel knows its present name.
 *
 * Internal to guard/sandbox.h.  May include: util, loop/confine.h.
 */
#ifndef IK_GUARD_SANDBOX_COVERED_H
#define IK_GUARD_SANDBOX_COVERED_H

#include <sys/types.h>

#include "loop/confine.h"

/* Limit on places covered open; further ones are covered by name only. */
enum { IK_SANDBOX_COVERED_MOST = 128 };

struct ik_sandbox_covered {
	struct ik_sandbox_covered_item {
		int fd;
		dev_t device; /* identifies the file */
		ino_t number;
		enum ik_confine_left left;
	} * items;
	size_t count;
};

/* Remember the file at path, unless it is known. */
void ik_sandbox_covered_add(struct ik_sandbox_covered *covered, const char *path,
	enum ik_confine_left left);
/* Return its present path (new memory); NULL: it was removed or cannot be seen. */
char *ik_sandbox_covered_path(const struct ik_sandbox_covered *covered, size_t index);
void ik_sandbox_covered_done(struct ik_sandbox_covered *covered);

#endif
