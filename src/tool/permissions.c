#include "tool/permissions.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/text.h"

/* Append path as one word of a shell command. */
static void put_word(struct ik_buf *out, const char *path)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+,:@%";

	if (path[strspn(path, plain)] == '\0') {
		ik_buf_puts(out, path);
		return;
	}
	ik_buf_putc(out, '\'');
	for (; *path != '\0'; path++) {
		if (*path == '\'')
			ik_buf_puts(out, "'\\''");
		else
			ik_buf_putc(out, *path);
	}
	ik_buf_putc(out, '\'');
}

/* Fill *error with a reason and the command that mends it. */
static enum ik_status refuse(struct ik_error *error, const char *path, const char *reason,
	const char *command)
{
	struct ik_buf word;
	enum ik_status status;

	ik_buf_init(&word, 4 * PATH_MAX);
	put_word(&word, path);
	/* TRANSLATORS: a path, what is wrong with it, then a shell command. */
	status = ik_error_set(error, IK_DENIED, _("%s %s; to mend it: %s %s"), path, reason,
		command, word.data);
	ik_buf_done(&word);
	return status;
}

/* Judge one file or directory. */
static enum ik_status check_one(const char *path, struct ik_error *error)
{
	struct stat status;
	bool others, group;

	if (stat(path, &status) != 0)
		return ik_error_set_errno(error, errno, _("%s cannot be examined"), path);
	if (status.st_uid != geteuid() && status.st_uid != 0)
		return refuse(error, path, _("belongs to another user"), "sudo chown \"$USER\"");
	others = (status.st_mode & S_IWOTH) != 0;
	group = (status.st_mode & S_IWGRP) != 0 && status.st_gid != getgid();
	if (others && group)
		return refuse(error, path, _("can be changed by everybody"), "chmod go-w");
	if (others)
		return refuse(error, path, _("can be changed by everybody"), "chmod o-w");
	if (group)
		return refuse(error, path, _("can be changed by a group"), "chmod g-w");
	return IK_OK;
}

/* Judge the directory that path lies in. */
static enum ik_status check_parent(const char *path, struct ik_error *error)
{
	const char *slash = strrchr(path, '/');
	char *parent;
	enum ik_status status;

	if (slash == NULL)
		parent = ik_strdup(".");
	else
		parent = ik_strndup(path, slash == path ? 1 : (size_t)(slash - path));
	status = check_one(parent, error);
	free(parent);
	return status;
}

enum ik_status ik_permissions_check(const char *path, struct ik_error *error)
{
	struct stat status;
	enum ik_status result = check_parent(path, error);

	if (result == IK_OK)
		result = check_one(path, error);
	if (result == IK_OK && lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) {
		char *target = realpath(path, NULL);

		if (target != NULL)
			result = check_parent(target, error);
		free(target);
	}
	return result;
}
