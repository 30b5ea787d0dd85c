#include "tools/common/attributes.h"

#include <errno.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "util/alloc.h"

/* List a file's attributes, NUL-terminated, in new memory. False: they are unknown. */
static bool list_names(int fd, char **ret_names, size_t *ret_length)
{
	char *names = ik_alloc(XATTR_LIST_MAX);
	ssize_t length = flistxattr(fd, names, XATTR_LIST_MAX);

	/* A file system without attributes has none to lose. */
	if (length < 0 && errno != ENOTSUP) {
		free(names);
		return false;
	}
	*ret_names = names;
	*ret_length = length > 0 ? (size_t)length : 0;
	return true;
}

/* Does the attribute of fd have this value? */
static bool has_value(int fd, const char *name, const char *value, size_t length)
{
	char *other = ik_alloc(XATTR_SIZE_MAX);
	ssize_t size = fgetxattr(fd, name, other, XATTR_SIZE_MAX);
	bool same = size >= 0 && (size_t)size == length && memcmp(other, value, length) == 0;

	free(other);
	return same;
}

/* Copy one attribute. */
static bool copy_one(int from, int to, const char *name)
{
	char *value = ik_alloc(XATTR_SIZE_MAX);
	ssize_t length = fgetxattr(from, name, value, XATTR_SIZE_MAX);
	bool copied = length >= 0 &&
		(has_value(to, name, value, (size_t)length) ||
			fsetxattr(to, name, value, (size_t)length, 0) == 0);

	free(value);
	return copied;
}

/* Is name one of the NUL-terminated names? */
static bool has_name(const char *names, size_t length, const char *name)
{
	for (const char *at = names; at < names + length; at += strlen(at) + 1)
		if (strcmp(at, name) == 0)
			return true;
	return false;
}

/* Remove attributes that a new file has by default, such as the directory's default ACL. */
static bool remove_others(int to, const char *names, size_t length)
{
	char *made;
	size_t made_length;
	bool removed = true;

	if (!list_names(to, &made, &made_length))
		return false;
	for (const char *at = made; at < made + made_length; at += strlen(at) + 1)
		if (!has_name(names, length, at) && fremovexattr(to, at) < 0)
			removed = false;
	free(made);
	return removed;
}

bool ik_attributes_copy(int from, int to)
{
	char *names;
	size_t length;

	if (!list_names(from, &names, &length))
		return false;
	bool copied = remove_others(to, names, length);

	for (const char *at = names; copied && at < names + length; at += strlen(at) + 1)
		copied = copy_one(from, to, at);
	free(names);
	return copied;
}
