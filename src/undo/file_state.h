/*
 * file_state: what a file was at one time: whether it was there, its bytes (by their
 * hash), its mode.
 *
 * A path leads through no symbolic link: it had none when it was noted, and one that has come to
 * be there since would lead out of the project.
 *
 * Regular files only; what else stands at a path (a directory, a FIFO) is OTHER and never
 * touched.  A file too large to be read at once has no hash here, and is known by its
 * identity alone (util/identity.h): whatever touches it makes it another one.
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

/* A file that is looked at between two turns of the loop: some milliseconds. */
#define IK_FILE_AT_ONCE IK_MIB(2)

enum ik_file_kind { IK_FILE_ABSENT, IK_FILE_REGULAR, IK_FILE_OTHER };

/* Which directory a file is in. */
struct ik_file_directory {
	uint64_t device, inode; /* 0: not known */
};

struct ik_file_state {
	enum ik_file_kind kind;
	struct ik_file_directory directory; /* not known of one that is missing, or behind a link */
	char hash[IK_SHA256_TEXT];          /* of a regular file's bytes; "": not known */
	int mode;                           /* its permissions */
	struct ik_identity identity;
	char *made_from; /* of an absent one: the first directory on its way that was not there
	                    either; NULL: all were. Released by ik_file_state_done() */
};

void ik_file_state_done(struct ik_file_state *state);
struct ik_file_state ik_file_state_copy(const struct ik_file_state *state);

/* How a file stands now; its bytes are read where there are at most so many. */
struct ik_file_state ik_file_state_look(const char *path, size_t most);

bool ik_file_directory_same(const struct ik_file_directory *one,
	const struct ik_file_directory *other);

/* Open the directory of a file, for ik_file_state_look_in(); -1 with errno. */
int ik_file_directory_open(const char *path);
/* The same in an open directory; number: why it is not (-1). */
struct ik_file_state ik_file_state_look_in(int directory, int number, const char *path,
	size_t most);

/* What fstat(2) or lstat(2) says of one: all but the hash and the directory. */
struct ik_file_state ik_file_state_of(const struct stat *status);

/* Are the contents the same? False where that cannot be told. */
bool ik_file_state_same(const struct ik_file_state *one, const struct ik_file_state *other);

/* One JSON object, written and read; what is no such object is OTHER. */
void ik_file_state_put(struct ik_buf *out, const struct ik_file_state *state);
struct ik_file_state ik_file_state_get(struct ik_json_span value);

#endif
