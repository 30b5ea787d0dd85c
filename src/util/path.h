/*
 * path: file names, and reading and writing small files as a whole.
 *
 * May include: util.
 */
#ifndef IK_UTIL_PATH_H
#define IK_UTIL_PATH_H

#include "util/buf.h"

#include <stdbool.h>
#include <sys/types.h>

/* Return directory + "/" + name in new memory (free()); just name if it is absolute. */
char *ik_path_join(const char *directory, const char *name);

/* Replace a leading "~" or "~/" with home (NULL: leave it). New memory. */
char *ik_path_expand(const char *path, const char *home);

/* Do the opposite: return an absolute path as people write it, with "~" for home (NULL: none). New
 * memory. */
char *ik_path_shorten(const char *path, const char *home);

/* Return the absolute path with symbolic links, "." and ".." resolved as far as it exists; the rest
 * is unchanged. All names of a place give the same result. New memory. */
char *ik_path_canonical(const char *path);

/* Is the file in directory (canonical) or below it, after following all links? Also works for files
 * that do not exist. */
bool ik_path_within(const char *directory, const char *path);

/* Is path directory itself, or below it? Both are absolute; only compares the texts. */
bool ik_path_below(const char *path, const char *directory);

/* Return the part after the last slash; points into path. */
const char *ik_path_base(const char *path);

/* Return the directory part, without a trailing slash unless it is "/"; "." if path has no
 * directory. New memory. */
char *ik_path_directory(const char *path);

/* Return the directory for temporary files: TMPDIR if that is absolute, else "/tmp". */
const char *ik_path_temporary(void);

/* Make directory and its parents with mode; succeeds if it exists. */
enum ik_status ik_path_make(const char *directory, mode_t mode, struct ik_error *error) IK_MUST_USE;

/*
 * Open an absolute path (O_PATH and flags, such as O_DIRECTORY), for openat(2) and the like.
 * Refuses symbolic links anywhere in the path, so a path that had none when it was recorded leads
 * to the same place or nowhere. If the kernel has no openat2(2), it may open a link at the end
 * itself, unless flags include O_DIRECTORY. Only makes system calls. Return -1 with errno on
 * failure: ELOOP if there is a link.
 */
int ik_path_open(const char *path, int flags);

/*
 * Return where an absolute path leads when all symbolic links are followed, as opening it would;
 * components that do not exist yet are kept. New memory; NULL if that cannot be determined (a loop,
 * an unreadable directory).
 */
char *ik_path_resolve(const char *path);

/* Return where the symbolic link at path leads, in the same form as path (new memory), or NULL if
 * it is not a link. */
char *ik_path_follow(const char *path);

/* Append the contents of a regular file to buf, up to its limit. */
enum ik_status ik_file_read(const char *path, struct ik_buf *buf,
	struct ik_error *error) IK_MUST_USE;

/* Replace a file atomically: temporary file next to it, fsync, rename. Afterwards it has mode,
 * whatever the umask. Follows a symbolic link. */
enum ik_status ik_file_write(const char *path, const char *bytes, size_t length, mode_t mode,
	struct ik_error *error) IK_MUST_USE;

/* Replace a file without waiting for the disk, if it can be recreated: after a power failure it may
 * contain anything. */
enum ik_status ik_file_write_unsynced(const char *path, const char *bytes, size_t length,
	mode_t mode, struct ik_error *error) IK_MUST_USE;

/*
 * Append a line (with its line feed) to a file, which is created with mode 0600 if it is missing.
 * If a crash cut off the last line, end that first, so that it doesn't spoil this one. If the line
 * can't be written whole, remove what was written. durable: it is on disk afterwards.
 */
enum ik_status ik_file_append(const char *path, const char *line, size_t length, bool durable,
	struct ik_error *error) IK_MUST_USE;

/* Append everything up to the end of the file, with read(2). expected is a guess at its length. 0
 * means a stream, for which the function waits; otherwise a file that isn't ready (some kernel
 * files never are) gives EAGAIN. Return 0 or errno; the status of buf shows whether it fit. */
int ik_read_all(int fd, struct ik_buf *buf, size_t expected) IK_MUST_USE;

/* Write all bytes with write(2), until an error occurs. Retries EINTR and waits for non-blocking
 * descriptors. Return 0 or errno. */
int ik_write_all(int fd, const char *bytes, size_t length) IK_MUST_USE;

#endif
