/*
 * sandbox_held: places that were covered once, wherever they are by now.
 *
 * A call may rename a directory above a covered place; the next call finds the place
 * covered there.  Each is held open, so that the kernel knows its name.
 *
 * Inside of guard/sandbox.h.  May include: util, loop/confine.h.
 */
#ifndef IK_GUARD_SANDBOX_HELD_H
#define IK_GUARD_SANDBOX_HELD_H

#include <sys/types.h>

#include "loop/confine.h"

/* So many are held; what comes later is covered by its name alone. */
enum { IK_SANDBOX_HELD_MOST = 128 };

struct ik_sandbox_held {
	struct ik_sandbox_held_item {
		int fd;
		dev_t device; /* which file it is */
		ino_t number;
		enum ik_confine_left left;
	} * items;
	size_t count;
};

/* Hold what is at the path, unless it is held. */
void ik_sandbox_held_keep(struct ik_sandbox_held *held, const char *path,
	enum ik_confine_left left);
/* Where it is: new memory; NULL: it has been removed, or is nowhere to be seen. */
char *ik_sandbox_held_path(const struct ik_sandbox_held *held, size_t index);
void ik_sandbox_held_done(struct ik_sandbox_held *held);

#endif
