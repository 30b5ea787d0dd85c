/*
 * file_state: what a file was at one time: whether it existed, the hash of its contents, its mode.
 *
 * The path of a state contains no symbolic link: it had none when the state was recorded, and a
 * link that has appeared since could lead out of the project.
 *
 * Only regular files have contents; anything else (a directory, a FIFO) is OTHER and never touched.
 *  A file too large to be read at once has no hash here and is recognized by its identity alone
 * (util/identity.h), which every change alters.
 *
 * May include: util, json.
 */
#ifndef IK_UNDO_FILE_STATE_H
#define IK_UNDO_FILE_STATE_H

#include "json/scan.h"
#include "util/identity.h"
#include "util/limits.h"
#include "util/sha256.h"

struct stat;

/* Limit on a file that is read between two turns of the loop, which takes some milliseconds. */
#define IK_FILE_AT_ONCE IK_MIB(2)

enum ik_file_kind {
	IK_FILE_ABSENT,
	IK_FILE_REGULAR,
	IK_FILE_OTHER,
	IK_FILE_UNKNOWN /* never the state of a file now */
};

/* Identifies the directory that a file is in. */
struct ik_file_directory {
	uint64_t device, inode; /* 0: unknown */
};

struct ik_file_state {
	enum ik_file_kind kind;
	struct ik_file_directory directory; /* unknown for a missing file, and through a link */
	char hash[IK_SHA256_TEXT];          /* of a regular file's contents; "": unknown */
	int mode;                           /* permissions */
	struct ik_identity identity;
	char *made_from; /* of a missing file: the topmost directory of its path that is missing too;
						NULL: none. Released by ik_file_state_done() */
};

void ik_file_state_done(struct ik_file_state *state);
struct ik_file_state ik_file_state_copy(const struct ik_file_state *state);

/* Return the state of a file now; its contents are read if they are at most this many bytes. */
struct ik_file_state ik_file_state_look(const char *path, size_t most);

bool ik_file_directory_same(const struct ik_file_directory *one,
	const struct ik_file_directory *other);

/* Open the directory of a file for ik_file_state_look_in(); -1 with errno. */
int ik_file_directory_open(const char *path);
/* The same in an open directory; number is the errno if that is -1. */
struct ik_file_state ik_file_state_look_in(int directory, int number, const char *path,
	size_t most);

/* Return what fstat(2) or lstat(2) says of a file: all but the hash and the directory. */
struct ik_file_state ik_file_state_of(const struct stat *status);

/* Are the contents the same? False if that is unknown. */
bool ik_file_state_same(const struct ik_file_state *one, const struct ik_file_state *other);

/* The change that a call or an undo made to a file. */
struct ik_file_change {
	char *path; /* absolute, without links */
	struct ik_file_state before, after;
};

/* Is the file known to be unchanged? */
bool ik_file_change_is_none(const struct ik_file_change *change);
/* Drop the entries that changed nothing. Return how many are left. */
size_t ik_file_changes_drop_none(struct ik_file_change *changes, size_t count);
struct ik_file_change ik_file_change_copy(const struct ik_file_change *change);
void ik_file_changes_free(struct ik_file_change *changes, size_t count);

/* Write and read changes as a JSON array of {"path","before","after"}; an UNKNOWN state is left
 * out, and a state that cannot be read is OTHER. */
void ik_file_changes_put(struct ik_buf *out, const struct ik_file_change *changes, size_t count);
struct ik_file_change *ik_file_changes_get(struct ik_json_span list, size_t *ret_count);

#endif
