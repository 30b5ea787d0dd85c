/*
 * path: names of files, and small files read and written whole.
 *
 * May include: util.
 */
#ifndef IK_UTIL_PATH_H
#define IK_UTIL_PATH_H

#include "util/buf.h"

#include <stdbool.h>
#include <sys/types.h>

/* directory + "/" + name in new memory (free()); name alone if it is absolute. */
char *ik_path_join(const char *directory, const char *name);

/* A leading "~" or "~/" replaced by home (NULL: kept as it is); new memory. */
char *ik_path_expand(const char *path, const char *home);

/* An absolute path with its symbolic links, "." and ".." resolved as far as it exists,
 * the rest as it stands: the same for each name of one place. New memory. */
char *ik_path_canonical(const char *path);

/* Is the file in directory (canonical) or below it, with all links followed? Also true
 * of what is not there. */
bool ik_path_within(const char *directory, const char *path);

/* Part after the last slash; points into path. */
const char *ik_path_base(const char *path);

/* What comes before that: the directory, without a slash at its end unless it is "/" ("." where
 * path has none). New memory. */
char *ik_path_directory(const char *path);

/* Where files for a short while go: TMPDIR if that is absolute, else "/tmp". */
const char *ik_path_temporary(void);

/* Make directory and its parents with mode; no error when it is there. */
enum ik_status ik_path_make(const char *directory, mode_t mode, struct ik_error *error) IK_MUST_USE;

/*
 * Open a directory by an absolute path (O_PATH), for openat(2) and its like. A symbolic link
 * anywhere in it is refused: a path that had none when it was noted leads where it led then, or
 * nowhere. -1 with errno, ELOOP where there is a link.
 */
int ik_path_open_directory(const char *directory);

/*
 * Where an absolute path leads when all symbolic links are followed, as opening
 * it would; what does not exist yet is kept as it is. New memory; NULL where
 * that cannot be told (a loop, a directory that may not be read).
 */
char *ik_path_resolve(const char *path);

/* Append a regular file's contents to buf, up to the ceiling of buf. */
enum ik_status ik_file_read(const char *path, struct ik_buf *buf,
	struct ik_error *error) IK_MUST_USE;

/* Replace a file as a whole: temporary beside it, fsync, rename. The file has
 * mode afterwards, whatever the umask; a symbolic link is followed. */
enum ik_status ik_file_write(const char *path, const char *bytes, size_t length, mode_t mode,
	struct ik_error *error) IK_MUST_USE;

/* The same without waiting for the disk, for what can be made again: after a power
 * cut the file may hold anything. */
enum ik_status ik_file_write_unsynced(const char *path, const char *bytes, size_t length,
	mode_t mode, struct ik_error *error) IK_MUST_USE;

/* read(2) to the end of file, appended to buf; expected is a guess at its length. 0: none, it is
 * a stream, which is waited for; a file that is not ready (some of the kernel's never are) is
 * EAGAIN. 0 or errno; what does not fit is told by the status of buf. */
int ik_read_all(int fd, struct ik_buf *buf, size_t expected) IK_MUST_USE;

/* write(2) until all is written or an error; EINTR is retried, and a descriptor
 * that is non-blocking is waited for. 0 or errno. */
int ik_write_all(int fd, const char *bytes, size_t length) IK_MUST_USE;

#endif
