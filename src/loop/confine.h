/*
 * confine: what a child and all that it starts may not do, by the kernel's word.
 *
 * A confinement is a ruleset of Landlock (landlock(7)) made from places where
 * something is allowed, and limits, places within them where less is; the kernel
 * knows no "but not here", so what a place allows is allowed to what lies beside a
 * limit, on the way down to it, and to the directories on that way only what is to
 * the limit itself (so that nothing can be made in them).  Without
 * network there is a filter of system calls too (seccomp(2)): no socket at all, of whatever
 * kind, but pairs of connected ones.
 *
 * What Landlock does not hold: chmod, chown, setxattr; stat; another name of the
 * same file (a hard link, a second mount); before ABI 3 truncate(2).
 *
 * A limit may be covered instead (loop/mount_mask.h), which takes nothing from what lies beside
 * it; the kernel then needs to know nothing of the limit.
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

/* What is allowed at a place, and at all below it. */
struct ik_confine_place {
	const char *path; /* absolute, without a symbolic link in it */
	bool write;       /* all; else to read and to execute */
};

/* What is left where less is allowed. */
enum ik_confine_left { IK_CONFINE_NOTHING, IK_CONFINE_NAMES, IK_CONFINE_READING };

/* Where less is allowed, whatever the places say. */
struct ik_confine_limit {
	const char *path; /* as above */
	enum ik_confine_left left;
	bool cover; /* with a mount, where that can be done (then no names are left) */
};

struct ik_confine_plan {
	const struct ik_confine_place *places;
	size_t place_count;
	const struct ik_confine_limit *limits;
	size_t limit_count;
	bool no_network;    /* no sockets */
	bool own_terminals; /* no terminals but those that it makes itself; where nothing can be
	                       covered, none at all */
	bool apart;         /* from ABI 6 on no signals to processes outside, and no abstract
	                       Unix sockets of theirs */
};

struct ik_confinement {
	int ruleset; /* of Landlock, close-on-exec */
	bool no_sockets;
	uint64_t terminal_rights;   /* at terminals of its own; 0: it has none */
	struct ik_mount_mask *mask; /* NULL: nothing is covered */
};

/* From this ABI of Landlock on a plan's `apart` holds. */
#define IK_CONFINE_APART_ABI 6

/* The kernel's ABI of Landlock; 0: it has none, or has it switched off. Asked each time. */
int ik_confine_abi(void);

/*
 * Make a confinement of a plan, from the files as they are now; the caller's, to be
 * closed with ik_confine_close(). A place that is not there allows nothing.
 * IK_UNAVAILABLE: the kernel cannot do it; the sentence says what to do.
 */
enum ik_status ik_confine_open(const struct ik_confine_plan *plan,
	struct ik_confinement *ret_confinement, struct ik_error *error) IK_MUST_USE;
void ik_confine_close(struct ik_confinement *confinement);

/* Confine the calling process, for good, its covering apart: nothing but system calls. 0 or
 * an errno value. */
int ik_confine_self(const struct ik_confinement *confinement);

/* Is path the directory itself, or below it? Both are absolute. */
bool ik_confine_below(const char *path, const char *directory);

#endif
