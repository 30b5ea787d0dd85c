/*
 * sandbox_covered: places that were covered once, wherever they are by now.
 *
 * A call may rename a directory above a covered place; the next call finds the place
 * covered there.  Each is held open, so that the kernel knows its name.
 *
 * Inside of guard/sandbox.h.  May include: util, loop/confine.h.
 */
#ifndef IK_GUARD_SANDBOX_COVERED_H
#define IK_GUARD_SANDBOX_COVERED_H

#include <sys/types.h>

#include "loop/confine.h"

/* So many are held; what comes later is covered by its name alone. */
enum { IK_SANDBOX_COVERED_MOST = 128 };

struct ik_sandbox_covered {
	struct ik_sandbox_covered_item {
		int fd;
		dev_t device; /* which file it is */
		ino_t number;
		enum ik_confine_left left;
	} * items;
	size_t count;
};

/* Hold what is at the path, unless it is held. */
void ik_sandbox_covered_add(struct ik_sandbox_covered *held, const char *path,
	enum ik_confine_left left);
/* Where it is: new memory; NULL: it has been removed, or is nowhere to be seen. */
char *ik_sandbox_covered_path(const struct ik_sandbox_covered *held, size_t index);
void ik_sandbox_covered_done(struct ik_sandbox_covered *held);

#endif
