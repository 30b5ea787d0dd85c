/*
 * trust_check: find out which files of a project may be run, without blocking the loop.
 *
 * A check decides for each file whether the user trusts its contents (guard/trust.h).  Files are read
 * in slices of 4 ms; nothing is executed.  A grant reads
 * all of the files and records them as trusted, provided they are still what the user was shown.
 *
 * A file that has just been written is waited for (20 ms, or 2 s on file systems that store whole
 * seconds), until its identity is certain to reflect its contents. Whoever runs it later compares
 * the identity right before.
 *
 * Owns copies of the paths; borrows the trust. May include: util, config, loop.
 */
#ifndef IK_GUARD_TRUST_CHECK_H
#define IK_GUARD_TRUST_CHECK_H

#include "guard/trust.h"
#include "loop/loop.h"
#include "util/identity.h"

struct ik_trust_check;

/* The result for a file. */
struct ik_checked_file {
	enum ik_trust_state state;   /* TRUSTED, NEW or CHANGED. After a grant: TRUSTED; CHANGED if
	                                it was not what was shown; NEW if it is not readable */
	struct ik_identity identity; /* that the state is valid for; all zero: the file cannot be
	                                examined */
	char *problem;               /* why it cannot be read; NULL: it can */
};

typedef void ik_trust_check_done(void *arg);

/*
 * Check count files. done is called once, never from inside. The trust file is read first
 * (ik_trust_problem() has its error). shown: grant them instead, so that they are trusted, too, as
 * long as each has this identity; after done, ik_trust_check_error() tells whether that could be
 * saved.
 */
struct ik_trust_check *ik_trust_check_start(struct ik_loop *loop, struct ik_trust *trust,
	const char *const *paths, const struct ik_identity *shown, size_t count,
	ik_trust_check_done *done, void *arg);

/* Return the result for the file with that index; after done. */
const struct ik_checked_file *ik_trust_check_at(const struct ik_trust_check *check, size_t index);

/* Return IK_OK, or why the grant holds for this program only. */
const struct ik_error *ik_trust_check_error(const struct ik_trust_check *check);

/* Stop at once, without a callback. Takes and returns NULL. */
struct ik_trust_check *ik_trust_check_close(struct ik_trust_check *check);

#endif
