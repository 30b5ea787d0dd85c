/*
 * faulty.so: loaded with LD_PRELOAD into a program, it makes a system call or an allocation fail,
 * or writes down what the program does to files. For tests/store/torture.py; needs the GNU C library.
 *
 *     IK_FAULT_IN      the name of the program; in any other nothing happens
 *     IK_FAULT_CALL    what fails: write, sync, open, rename, lock or allocate; journal: every opening
 *                      of a file in a directory of that name
 *     IK_FAULT_NUMBER  the how manieth of these calls fails, from 1; 0: none
 *     IK_FAULT_COUNT   a file; at its end a process adds to it how many of them it made
 *     IK_FAULT_LOG     a file: each change to a file gets an entry "NAME\0PATH\0MORE\0OFFSET\0LENGTH\0"
 *                      and LENGTH bytes; in all programs
 */
#undef _FILE_OFFSET_BITS /* each function under both of its names */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

extern char *program_invocation_short_name;

static bool at_work; /* this is the program */
static const char *failing;
static long number, made;
static const char *count_path;
static const char *log_path;

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

__attribute__((constructor)) static void begin(void)
{
	static char call[16], count[PATH_MAX], log[PATH_MAX];

	at_work = strcmp(program_invocation_short_name, setting("IK_FAULT_IN")) == 0;
	number = strtol(setting("IK_FAULT_NUMBER"), NULL, 10);
	/* Copies: the program may wipe its environment. */
	(void)snprintf(call, sizeof(call), "%s", setting("IK_FAULT_CALL"));
	(void)snprintf(count, sizeof(count), "%s", setting("IK_FAULT_COUNT"));
	(void)snprintf(log, sizeof(log), "%s", setting("IK_FAULT_LOG"));
	failing = call;
	count_path = count;
	log_path = log;
}

/* Append to a file, without what is counted here. */
static void append(const char *path, const struct iovec *parts, int count)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
		0600);

	if (fd < 0)
		return;
	(void)syscall(SYS_writev, fd, parts, count);
	(void)syscall(SYS_close, fd);
}

__attribute__((destructor)) static void end(void)
{
	char line[32];
	struct iovec part = { line, 0 };

	if (!at_work || !*count_path)
		return;
	part.iov_len = (size_t)snprintf(line, sizeof(line), "%ld\n", made);
	append(count_path, &part, 1);
}

/* Is this the call that fails? */
static bool fails(const char *call)
{
	return at_work && strcmp(failing, call) == 0 &&
		__atomic_add_fetch(&made, 1, __ATOMIC_SEQ_CST) == number;
}

static int fail(int code)
{
	errno = code;
	return -1;
}

/* ---- what is done to files ---- */

static void note(const char *name, const char *path, const char *more, long long offset,
	const void *bytes, size_t length)
{
	char numbers[64];
	int saved = errno;
	struct iovec parts[] = {
		{ (void *)name, strlen(name) + 1 },
		{ (void *)path, strlen(path) + 1 },
		{ (void *)more, strlen(more) + 1 },
		{ numbers, 0 },
		{ (void *)bytes, length },
	};

	/* Both numbers end with their NUL. */
	parts[3].iov_len = (size_t)snprintf(numbers, sizeof(numbers), "%lld", offset) + 1;
	parts[3].iov_len += (size_t)snprintf(numbers + parts[3].iov_len,
							sizeof(numbers) - parts[3].iov_len, "%zu", length) +
		1;
	append(log_path, parts, length > 0 ? 5 : 4);
	errno = saved;
}

/* The absolute path of a name. */
static const char *whole(int directory, const char *name, char path[PATH_MAX])
{
	char link[64];
	ssize_t length;

	if (*name == '/')
		return name;
	if (directory == AT_FDCWD)
		(void)snprintf(link, sizeof(link), "/proc/self/cwd");
	else
		(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
	length = syscall(SYS_readlink, link, path, PATH_MAX - 1);
	path[length > 0 ? length : 0] = '\0';
	(void)snprintf(path + strlen(path), PATH_MAX - strlen(path), "/%s", name);
	return path;
}

/* Is this descriptor that of a file that is noted? Sets its path. */
static bool is_noted(int fd, char path[PATH_MAX])
{
	char link[64];
	struct stat status;
	ssize_t length;

	if (!log_path || !*log_path || fstat(fd, &status) != 0 ||
		!(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
		return false;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = syscall(SYS_readlink, link, path, PATH_MAX - 1);
	path[length > 0 ? length : 0] = '\0';
	return length > 0;
}

static void note_write(int fd, const void *bytes, size_t length, long long offset)
{
	char path[PATH_MAX];
	struct stat status;

	if (!is_noted(fd, path))
		return;
	if (offset < 0) {
		offset = syscall(SYS_lseek, fd, 0L, SEEK_CUR);
		if ((syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND) && fstat(fd, &status) == 0)
			offset = status.st_size;
	}
	note("write", path, "", offset, bytes, length);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	if (fails("write"))
		return fail(ENOSPC);
	note_write(fd, bytes, length, -1);
	return syscall(SYS_write, fd, bytes, length);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
	if (fails("write"))
		return fail(ENOSPC);
	note_write(fd, bytes, length, offset);
	return syscall(SYS_pwrite64, fd, bytes, length, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset)
{
	return pwrite(fd, bytes, length, offset);
}

static int sync_with(long call, int fd)
{
	char path[PATH_MAX];

	if (fails("sync"))
		return fail(EIO);
	if (is_noted(fd, path))
		note("sync", path, "", 0, NULL, 0);
	return (int)syscall(call, fd);
}

int fsync(int fd)
{
	return sync_with(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return sync_with(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t length)
{
	char path[PATH_MAX];

	if (fails("write"))
		return fail(EIO);
	if (is_noted(fd, path))
		note("truncate", path, "", length, NULL, 0);
	return (int)syscall(SYS_ftruncate, fd, length);
}

int ftruncate64(int fd, off64_t length)
{
	return ftruncate(fd, length);
}

static int open_at(int directory, const char *name, int flags, mode_t mode)
{
	char path[PATH_MAX];
	int fd;

	if (fails("open") || (at_work && strcmp(failing, "journal") == 0 && strstr(name, "/journal/")))
		return fail(EIO);
	fd = (int)syscall(SYS_openat, directory, name, flags, mode);
	if (fd >= 0 && (flags & (O_CREAT | O_TRUNC)) && is_noted(fd, path))
		note("create", path, "", (flags & O_TRUNC) != 0, NULL, 0);
	return fd;
}

#define MODE(flags, mode) \
	if ((flags) & (O_CREAT | O_TMPFILE)) { \
		va_list rest; \
\
		va_start(rest, flags); \
		mode = va_arg(rest, mode_t); \
		va_end(rest); \
	}

int open(const char *name, int flags, ...)
{
	mode_t mode = 0;

	MODE(flags, mode)
	return open_at(AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...)
{
	mode_t mode = 0;

	MODE(flags, mode)
	return open_at(AT_FDCWD, name, flags, mode);
}

int openat(int directory, const char *name, int flags, ...)
{
	mode_t mode = 0;

	MODE(flags, mode)
	return open_at(directory, name, flags, mode);
}

int openat64(int directory, const char *name, int flags, ...)
{
	mode_t mode = 0;

	MODE(flags, mode)
	return open_at(directory, name, flags, mode);
}

static void note_names(const char *name, int from, const char *first, int to, const char *second)
{
	char paths[2][PATH_MAX];

	if (log_path && *log_path)
		note(name, whole(from, first, paths[0]), second ? whole(to, second, paths[1]) : "", 0, NULL,
			0);
}

int renameat(int from, const char *old, int to, const char *name)
{
	int result;

	if (fails("rename"))
		return fail(EIO);
	result = (int)syscall(SYS_renameat2, from, old, to, name, 0);
	if (result == 0)
		note_names("rename", from, old, to, name);
	return result;
}

int rename(const char *old, const char *name)
{
	return renameat(AT_FDCWD, old, AT_FDCWD, name);
}

int unlinkat(int directory, const char *name, int flags)
{
	int result;

	if (fails("rename"))
		return fail(EIO);
	result = (int)syscall(SYS_unlinkat, directory, name, flags);
	if (result == 0)
		note_names("unlink", directory, name, AT_FDCWD, NULL);
	return result;
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

int linkat(int from, const char *old, int to, const char *name, int flags)
{
	int result;

	if (fails("rename"))
		return fail(EIO);
	result = (int)syscall(SYS_linkat, from, old, to, name, flags);
	if (result == 0)
		note_names("link", from, old, to, name);
	return result;
}

int link(const char *old, const char *name)
{
	return linkat(AT_FDCWD, old, AT_FDCWD, name, 0);
}

/* fcntl() for locks and descriptors, and flock(). */
static int control(int fd, int command, void *argument)
{
	if ((command == F_SETLK || command == F_GETLK || command == F_SETLKW) && fails("lock"))
		return fail(ENOLCK);
	return (int)syscall(SYS_fcntl, fd, command, argument);
}

#define ARGUMENT(command, argument) \
	va_list rest; \
	void *argument; \
\
	va_start(rest, command); \
	argument = va_arg(rest, void *); \
	va_end(rest)

int fcntl(int fd, int command, ...)
{
	ARGUMENT(command, argument);
	return control(fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
	ARGUMENT(command, argument);
	return control(fd, command, argument);
}

int flock(int fd, int operation)
{
	return fails("lock") ? fail(ENOLCK) : (int)syscall(SYS_flock, fd, operation);
}

/* ---- memory ---- */

#ifdef __GLIBC__ /* others have no names for what these replace */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
	if (!failing || !fails("allocate"))
		return __libc_malloc(size);
	errno = ENOMEM;
	return NULL;
}

void *calloc(size_t count, size_t size)
{
	if (!failing || !fails("allocate"))
		return __libc_calloc(count, size);
	errno = ENOMEM;
	return NULL;
}

void *realloc(void *memory, size_t size)
{
	if (!failing || !fails("allocate"))
		return __libc_realloc(memory, size);
	errno = ENOMEM;
	return NULL;
}
#endif
