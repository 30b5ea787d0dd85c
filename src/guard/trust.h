/*
 * trust: which files of a directory this person wants to have run or read.
 *
 * Kept in trust.json in the home (mode 0600, made for reading too): for each
 * directory, by its canonical path, the SHA-256 of each file that was looked
 * at and found good, and what the kernel said of the file then.  A file is
 * TRUSTED when its contents are those, NEW when nothing is known of it,
 * CHANGED when its contents are others.
 *
 *     {"version": 1, "directories": {
 *       "/home/me/work": {"files": {
 *         ".ikigai/tools/x": {"sha256": "...", "size": 12, "trusted": "2026-...Z",
 *                             "seen": "DEVICE INODE MTIME CTIME"}}},
 *       "/tmp/theirs": {"never": true}}}
 *
 * A file that is still the one that was seen (device, inode, size, both
 * times) is not read again.  That is safe because ctime cannot be set back by
 * an ordinary user (util/identity.h says what it does not hold against), and
 * because nothing is noted as seen whose next change might fall into the same
 * tick.  Names with bytes that are no UTF-8 are written with %XX, and % as %25.
 *
 * Two programs may write at once: a change is made under a lock of the
 * directory, to what is in the file then, and put in its place by a rename.
 * A file that is damaged is kept aside, said so, and counts for nothing.
 *
 * Pure but for that file.  Owns what it read.  May include: util, json.
 */
#ifndef IK_GUARD_TRUST_H
#define IK_GUARD_TRUST_H

#include "util/identity.h"
#include "util/sha256.h"

#include <stdbool.h>
#include <stddef.h>

enum ik_trust_state {
	IK_TRUST_TRUSTED,
	IK_TRUST_NEW,
	IK_TRUST_CHANGED,
	IK_TRUST_UNREAD /* its contents must be known to say: ask again with the digest */
};

struct ik_trust;

/*
 * The trust in directory (canonical), as kept in the file path; NULL: it is
 * kept nowhere, and all is NEW. Nothing is read yet.
 */
struct ik_trust *ik_trust_new(const char *path, const char *directory);
struct ik_trust *ik_trust_free(struct ik_trust *trust);

const char *ik_trust_directory(const struct ik_trust *trust);

/* Trust every file of the directory for as long as this program runs; nothing
 * is written. */
void ik_trust_all(struct ik_trust *trust);

/*
 * Read the file, or read it again if it is another by now. A file that cannot
 * be used is an error in words, once: a damaged one has a new name then.
 */
enum ik_status ik_trust_read(struct ik_trust *trust, struct ik_error *error) IK_MUST_USE;

/* Why the file could not be used when it was last read, in words; NULL: it could. */
const char *ik_trust_problem(const struct ik_trust *trust);

/*
 * What is known of a file. path is absolute, or below the directory; digest may
 * be NULL while its contents have not been read.
 */
enum ik_trust_state ik_trust_judge(const struct ik_trust *trust, const char *path,
	const struct ik_identity *identity, const char *digest);

/* Does the person not want to be asked about this directory? */
bool ik_trust_is_refused(const struct ik_trust *trust);

/* The files that are known: NULL after the last; *ret_size may be NULL. As paths
 * of the kind that was given: below the directory where that is possible. */
const char *ik_trust_file_at(const struct ik_trust *trust, size_t index);

/* A file that was looked at. */
struct ik_trust_file {
	const char *path;
	struct ik_identity identity;
	const char *digest;
};

/*
 * Trust these files from now on, besides those that are trusted already (only:
 * instead of them). Asks no more "never". Fails when it cannot be kept; it holds
 * for this program then all the same.
 */
enum ik_status ik_trust_grant(struct ik_trust *trust, const struct ik_trust_file *files,
	size_t count, bool only, struct ik_error *error) IK_MUST_USE;

/* These files are trusted, and have these identities by now: note it, so that they are
 * not read again. Does nothing where that cannot be kept. */
void ik_trust_seen(struct ik_trust *trust, const struct ik_trust_file *files, size_t count);

/* Trust nothing of the directory any more, and ask again. */
enum ik_status ik_trust_revoke(struct ik_trust *trust, struct ik_error *error) IK_MUST_USE;

/* Trust no more than now, and do not ask about the directory any more. */
enum ik_status ik_trust_refuse(struct ik_trust *trust, struct ik_error *error) IK_MUST_USE;

#endif
