/*
 * trust: which files of a directory the user has agreed to run or read.
 *
 * Kept in trust.json in the home (mode 0600, but meant to be read, too).  Each decision is a line,
 * appended in one go, so that several programs may write at once: for a directory, by its canonical
 * path, the SHA-256 of each file that the user approved, or null for one that is not trusted any
 * longer.  Later lines change what earlier ones said.  A file is TRUSTED if its contents match, NEW
 * if it is unknown, CHANGED if its contents differ.
 *
 *     {"version":1,"directories":{"/home/me/work":{"files":{
 *         ".ikigai/tools/x":{"sha256":"...","trusted":"2026-...Z"},".ikigai/tools/y":null}}}}
 *     {"version":1,"directories":{"/tmp/theirs":{"files":{},"never":true}}}
 *
 * (without the line break; earlier versions wrote all of it as one such value over many lines.) In
 * names, bytes that are not UTF-8 are written as U+FFFD.  A damaged file is renamed and reported,
 * and trusts nothing.
 *
 * Pure except for that file.  Owns what it read.  May include: util, json.
 */
#ifndef IK_GUARD_TRUST_H
#define IK_GUARD_TRUST_H

#include "util/buf.h"
#include "util/identity.h"
#include "util/sha256.h"

#include <stdbool.h>
#include <stddef.h>

enum ik_trust_state {
	IK_TRUST_TRUSTED,
	IK_TRUST_NEW,
	IK_TRUST_CHANGED,
	IK_TRUST_UNREAD /* its contents decide: ask again with the digest */
};

struct ik_trust;

/*
 * Create the trust for directory (canonical), kept in the file path. NULL: it is not kept, and all
 * files are NEW. Reads nothing yet.
 */
struct ik_trust *ik_trust_new(const char *path, const char *directory);
struct ik_trust *ik_trust_free(struct ik_trust *trust);

const char *ik_trust_directory(const struct ik_trust *trust);
/* NULL: nothing is kept. */
const char *ik_trust_path(const struct ik_trust *trust);

/* Trust every file of the directory while this program runs; writes nothing. */
void ik_trust_all(struct ik_trust *trust);

/*
 * Read the file, again if it has changed. A file that cannot be used is an error, reported once; a
 * damaged one has been renamed by then.
 */
enum ik_status ik_trust_read(struct ik_trust *trust, struct ik_error *error) IK_MUST_USE;

/* Return why the file could not be used when it was last read; NULL: it could. */
const char *ik_trust_problem(const struct ik_trust *trust);

/* Judge a file. path is absolute, or relative to the directory; digest may be NULL as long as the
 * contents have not been read. */
enum ik_trust_state ik_trust_judge(const struct ik_trust *trust, const char *path,
	const char *digest);

/* Judge a file that had this identity before its text was read; NULL: read it now, if its contents
 * decide, which blocks. A file that can't be read is NEW, and *error says why. */
enum ik_trust_state ik_trust_judge_as(const struct ik_trust *trust, const char *path,
	const struct ik_identity *identity, const struct ik_buf *text, struct ik_error *error);

/* Judge a file as it is now: read the trust, and the file if its contents decide, which blocks. A file
 * that can't be read is NEW. *ret_identity is what the state holds for; all zero: the file can't be
 * examined, and *error says why. */
enum ik_trust_state ik_trust_examine(struct ik_trust *trust, const char *path,
	struct ik_identity *ret_identity, struct ik_error *error);

/* Does the user not want to be asked about this directory? */
bool ik_trust_is_refused(const struct ik_trust *trust);

/* Return the known files, sorted, relative to the directory where possible; NULL after the last.
 * Valid until the next change. */
const char *ik_trust_file_at(const struct ik_trust *trust, size_t index);

/* A file whose contents were read. */
struct ik_trust_file {
	const char *path, *digest;
};

/*
 * Trust these files from now on, in addition to the files trusted already (only: instead of them;
 * no files: trust none), and undo a "never". If saving fails, the decision still holds for this
 * process.
 */
enum ik_status ik_trust_grant(struct ik_trust *trust, const struct ik_trust_file *files,
	size_t count, bool only, struct ik_error *error) IK_MUST_USE;

/* Trust no further files, and do not ask about the directory any more. */
enum ik_status ik_trust_refuse(struct ik_trust *trust, struct ik_error *error) IK_MUST_USE;

#endif
