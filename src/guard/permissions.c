#include "guard/permissions.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/path.h"
#include "util/shell_word.h"
#include "util/text.h"

/* Limit on links in a row, as in the kernel. */
enum { LINKS_MOST = 40 };

/* Fill *error with the reason and the command that fixes it. */
static enum ik_status refuse(struct ik_error *error, const char *path, const char *reason,
	const char *command)
{
	struct ik_buf word;
	enum ik_status status;

	ik_buf_init(&word, 4 * PATH_MAX);
	ik_shell_word_put(&word, path);
	/* TRANSLATORS: a path, what is wrong with it, then a shell command. */
	status = ik_error_set(error, IK_DENIED, _("%s %s; to mend it: %s %s"), path, reason, command,
		word.data);
	ik_buf_done(&word);
	return status;
}

/* Read a little-endian number of two or four bytes. */
static uint32_t little_endian(const unsigned char *bytes, size_t count)
{
	uint32_t value = 0;

	while (count-- > 0)
		value = value << 8 | bytes[count];
	return value;
}

/*
 * Does an access control list let another user write? In a file that has a list, the group bits of
 * the mode limit what named users and groups may do. The attribute's layout is in
 * <linux/posix_acl_xattr.h>: a version, then entries of a tag, permissions and an ID.
 */
static bool list_lets_others_write(const char *path)
{
	enum { HEADER = 4, ENTRY = 8, USER = 0x02, GROUP = 0x08, WRITE = 2 };
	unsigned char list[HEADER + 64 * ENTRY];
	ssize_t length = getxattr(path, "system.posix_acl_access", list, sizeof(list));
	ssize_t at;

	if (length < 0)
		return errno == ERANGE; /* too long to check: refuse */
	for (at = HEADER; at + ENTRY <= length; at += ENTRY) {
		uint32_t tag = little_endian(list + at, 2), id = little_endian(list + at + 4, 4);

		if ((little_endian(list + at + 2, 2) & WRITE) == 0)
			continue;
		if ((tag == USER && id != geteuid() && id != 0) || (tag == GROUP && id != getgid()))
			return true;
	}
	return false;
}

/* Check one file or directory, whose status is known. */
static enum ik_status check_status(const char *path, const struct stat *status,
	struct ik_error *error)
{
	bool others, group;

	if (status->st_uid != geteuid() && status->st_uid != 0)
		return refuse(error, path, _("belongs to another user"), "sudo chown \"$USER\"");
	others = (status->st_mode & S_IWOTH) != 0;
	group = (status->st_mode & S_IWGRP) != 0 && status->st_gid != getgid();
	if (others && group)
		return refuse(error, path, _("can be changed by everybody"), "chmod go-w");
	if (others)
		return refuse(error, path, _("can be changed by everybody"), "chmod o-w");
	if (group)
		return refuse(error, path, _("can be changed by a group"), "chmod g-w");
	if ((status->st_mode & S_IWGRP) != 0 && list_lets_others_write(path))
		return refuse(error, path, _("can be changed by others whom its access control list names"),
			"setfacl -b");
	return IK_OK;
}

/* Check one file or directory. */
static enum ik_status check_one(const char *path, struct ik_error *error)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return ik_error_set_errno(error, errno, _("%s cannot be examined"), path);
	return check_status(path, &status, error);
}

/* Check the directory that contains path. */
static enum ik_status check_parent(const char *path, struct ik_error *error)
{
	char *parent = ik_path_directory(path);
	enum ik_status status = check_one(parent, error);

	free(parent);
	return status;
}

enum ik_status ik_permissions_check(const char *path, struct ik_error *error)
{
	char *place = ik_strdup(path);
	enum ik_status result = IK_OK;
	int hops;

	/* Whoever can change a link, or the directory that contains it, decides where it leads. */
	for (hops = 0; place && result == IK_OK && hops <= LINKS_MOST; hops++) {
		char *next = ik_path_follow(place);

		result = check_parent(place, error);
		free(place);
		place = next;
	}
	free(place);
	return result == IK_OK ? check_one(path, error) : result;
}
