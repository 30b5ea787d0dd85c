/*
 * check: files of a project looked at, in pieces, while the loop goes on.
 *
 * Check finds out which of them may be run: those whose contents the person
 * trusts (guard/trust.h).  A file is read only where the kernel's word does
 * not do, 4 ms at a time; nothing of it is run.  Granting reads all of them
 * and notes that they are trusted, but only while they are still what the
 * person was shown.
 *
 * A file that was written this very moment is waited for (20 ms, 2 s where a
 * file system keeps whole seconds), so that its identity stands for its
 * contents: whoever runs it later compares that right before.
 *
 * Owns copies of the paths; borrows the trust.
 * May include: util, config, loop.
 */
#ifndef IK_GUARD_TRUST_CHECK_H
#define IK_GUARD_TRUST_CHECK_H

#include "guard/trust.h"
#include "loop/loop.h"

struct ik_trust_check;

/* What is known of a file. */
struct ik_checked_file {
	enum ik_trust_state state;   /* TRUSTED, NEW or CHANGED. After a grant: TRUSTED, or CHANGED
	                                when it was no longer what was shown; NEW: not readable */
	struct ik_identity identity; /* that belongs to the state; all zero: it cannot be examined */
	char *problem;               /* why it cannot be read, in words; NULL: nothing is in the way */
};

typedef void ik_trust_check_done(void *arg);

/* Vet count files. done runs once, never inside; trust is read again first (what is
 * wrong with its file: ik_trust_problem()). */
struct ik_trust_check *ik_trust_check_start(struct ik_loop *loop, struct ik_trust *trust,
	const char *const *paths, size_t count, ik_trust_check_done *done, void *arg);

/*
 * Trust these files from now on, each as long as it has this identity; only:
 * instead of those that are trusted now. ik_trust_check_error() tells after done whether
 * that could be kept.
 */
struct ik_trust_check *ik_trust_check_grant(struct ik_loop *loop, struct ik_trust *trust,
	const char *const *paths, const struct ik_identity *shown, size_t count, bool only,
	ik_trust_check_done *done, void *arg);

/* Of the file with that index; after done. */
const struct ik_checked_file *ik_trust_check_at(const struct ik_trust_check *check, size_t index);

/* IK_OK, or why what was granted holds for this program only. */
const struct ik_error *ik_trust_check_error(const struct ik_trust_check *check);

/* Silent at once. Takes and returns NULL. */
struct ik_trust_check *ik_trust_check_close(struct ik_trust_check *check);

#endif
