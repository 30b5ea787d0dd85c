/*
 * confine: what a child and everything it starts may not do, enforced by the kernel.
 *
 * A confinement is a Landlock ruleset (landlock(7)) made from places where something is allowed,
 * and limits: places within them where less is allowed. Landlock has no "except here", so the
 * rights of a place are granted to everything beside the path down to a limit, while the
 * directories on that path only get the rights of the limit itself (so nothing can be created in
 * them). Without network, a seccomp(2) filter also refuses all sockets, of any kind, except
 * connected pairs.
 *
 * Landlock does not restrict chmod, chown and setxattr, nor stat, nor another name of the same file
 * (a hard link, a second mount), nor truncate(2) before ABI 3.
 *
 * A limit may be masked by a mount instead (loop/mount_mask.h). That takes nothing from its
 * neighbours, and Landlock need not know the limit.
 *
 * May include: util, loop/mount_mask.h.
 */
#ifndef IK_LOOP_CONFINE_H
#define IK_LOOP_CONFINE_H

#include "loop/mount_mask.h"
#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Access granted at a place and everywhere below it. */
struct ik_confine_place {
	const char *path; /* absolute, without symbolic links */
	bool write;       /* everything; otherwise reading and executing */
};

/* What is left at a limit. */
enum ik_confine_left { IK_CONFINE_NOTHING, IK_CONFINE_NAMES, IK_CONFINE_READING };

/* A place where less is allowed, whatever the places say. */
struct ik_confine_limit {
	const char *path; /* as above */
	enum ik_confine_left left;
	bool cover; /* by a mount, if possible (then not even names are left) */
};

struct ik_confine_plan {
	const struct ik_confine_place *places;
	size_t place_count;
	const struct ik_confine_limit *limits;
	size_t limit_count;
	bool no_network;    /* no sockets */
	bool own_terminals; /* no terminals except its own; no terminals at all if nothing can be masked
						 */
	bool apart;         /* from ABI 6: no signals to outside processes, and none of their
						   abstract Unix sockets */
};

struct ik_confinement {
	int ruleset; /* Landlock's, close-on-exec */
	bool no_sockets;
	uint64_t terminal_rights;   /* for its own terminals; 0: it has none */
	struct ik_mount_mask *mask; /* NULL: nothing is masked */
};

/* First Landlock ABI that supports `apart`. */
#define IK_CONFINE_APART_ABI 6

/* Return the kernel's Landlock ABI; 0: not supported or switched off. Asks the kernel each time. */
int ik_confine_abi(void);

/* Is there a filter for this processor? Without one, and without network, Landlock refuses TCP only. */
bool ik_confine_has_filter(void);

/*
 * Make a confinement from a plan and the files as they are now. Close it with ik_confine_close(). A
 * place that does not exist allows nothing. IK_UNAVAILABLE: the kernel cannot do it; the sentence
 * says what to do.
 */
enum ik_status ik_confine_open(const struct ik_confine_plan *plan,
	struct ik_confinement *ret_confinement, struct ik_error *error) IK_MUST_USE;
void ik_confine_close(struct ik_confinement *confinement);

/* Confine the calling process permanently, except for its mask. System calls only. 0 or an errno
 * value. */
int ik_confine_self(const struct ik_confinement *confinement);

#endif
