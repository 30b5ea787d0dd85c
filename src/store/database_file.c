#include "store/database_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

/* What is tried to be shared. */
#define TRIED_BYTES 4096

bool ik_database_file_is_told(const char *path)
{
	/* statfs(2), linux/magic.h */
	static const uint32_t silent[] = {
		0x6969,     /* NFS */
		0x517b,     /* SMB */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB2 */
		0x01021997, /* 9p */
		0x65735546, /* FUSE */
		0x00c36400, /* Ceph */
		0x5346414f, /* AFS */
		0x6b414653, /* AFS of the kernel */
		0x73757245, /* Coda */
		0x0bd00bd0, /* Lustre */
		0x01161970, /* GFS2 */
		0x7461636f  /* OCFS2 */
	};
	struct statfs facts;

	if (statfs(path, &facts) != 0)
		return true;
	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
		if ((uint32_t)facts.f_type == silent[i])
			return false;
	return true;
}

bool ik_database_file_is_read_only(const char *path)
{
	struct statvfs facts;

	return statvfs(path, &facts) == 0 && (facts.f_flag & ST_RDONLY) != 0;
}

bool ik_database_file_is_another(const char *path, const struct ik_identity *identity)
{
	struct stat now;

	if (stat(path, &now) != 0)
		return errno == ENOENT || errno == ENOTDIR;
	return (uint64_t)now.st_dev != identity->device || (uint64_t)now.st_ino != identity->inode;
}

bool ik_database_file_log(const char *path, struct ik_identity *ret_log)
{
	char *name = ik_format("%s-wal", path);
	struct ik_error error;
	bool there = ik_identity_read(name, ret_log, &error) == IK_OK;

	free(name);
	return there;
}

/* Has another process the log's index open? Each holds a lock on one byte of it
 * (https://www.sqlite.org/walformat.html, 2.3.2; the byte is UNIX_SHM_DMS of os_unix.c). */
static bool is_in_use(const char *index)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 128, .l_len = 1 };
	int fd = open(index, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool used = fd >= 0 && (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK);

	if (fd >= 0)
		(void)close(fd);
	return used;
}

void ik_database_file_drop_log(const char *path, const struct ik_identity *log)
{
	char *name = ik_format("%s-wal", path), *index = ik_format("%s-shm", path);

	if (!ik_database_file_is_another(name, log) && !is_in_use(index)) {
		(void)unlink(name);
		(void)unlink(index);
	}
	free(name);
	free(index);
}

/* Give the log of a database its new name, or remove it with its index: a stale one must not be
 * played into the new file. */
static void put_log_aside(const char *path, const char *aside)
{
	char *log = ik_format("%s-wal", path), *index = ik_format("%s-shm", path);
	char *to = ik_format("%s-wal", aside);
	struct stat about;

	if (stat(log, &about) != 0 || about.st_size == 0 || rename(log, to) != 0)
		(void)unlink(log);
	(void)unlink(index); /* made anew from the log */
	free(log);
	free(index);
	free(to);
}

enum ik_status ik_database_file_put_aside(const char *path, const char *instead,
	struct ik_buf *notice, struct ik_error *error)
{
	char time[IK_CLOCK_TEXT];
	char *aside;

	ik_clock_text(ik_clock_wall_ms(), time);
	aside = ik_format("%s" IK_DAMAGED "%s", path, time);
	if (rename(path, aside) != 0 && errno != ENOENT) {
		free(aside);
		return ik_error_set_errno(error, errno, _("The damaged database %s cannot be put aside"),
			path);
	}
	put_log_aside(path, aside);
	if (instead && rename(instead, path) != 0) {
		free(aside);
		return ik_error_set_errno(error, errno, _("Cannot make the database %s"), path);
	}
	ik_buf_printf(notice,
		_("The database was damaged. It was put aside as %s and a new one was begun."), aside);
	free(aside);
	return IK_OK;
}

enum ik_status ik_database_file_make(const char *path, struct ik_error *error)
{
	char *directory = ik_strndup(path, (size_t)(ik_path_base(path) - path));
	enum ik_status status = IK_OK;
	int fd;

	/* An existing file is not opened: closing it would drop the locks that
	 * another handle of this process holds (POSIX). */
	if (access(path, F_OK) != 0) {
		if (directory[0])
			status = ik_path_make(directory, 0700, error);
		if (status == IK_OK) {
			fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
			if (fd >= 0)
				(void)close(fd);
			else if (errno != EEXIST)
				status = ik_error_set_errno(error, errno, _("Cannot make the database %s"), path);
		}
	}
	free(directory);
	return status;
}

bool ik_database_file_can_share(const char *path)
{
	char *log = ik_format("%s-shm", path), *name = ik_format("%s-XXXXXX", path);
	bool can = access(log, F_OK) == 0;
	int fd = can ? -1 : mkostemp(name, O_CLOEXEC);
	void *shared = MAP_FAILED;

	if (fd >= 0) {
		(void)unlink(name);
		if (ftruncate(fd, TRIED_BYTES) == 0)
			shared = mmap(NULL, TRIED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		/* Another reason, a full disk, is not to be taken for this one. */
		can = shared != MAP_FAILED || (errno != ENODEV && errno != EINVAL && errno != EACCES);
		if (shared != MAP_FAILED)
			(void)munmap(shared, TRIED_BYTES);
		(void)close(fd);
	} else {
		can = true;
	}
	free(log);
	free(name);
	return can;
}
