#include "guard/permissions.h"

#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/path.h"

#include "../../support/needs.h"

/* IDs of users and groups without entries. */
enum { SOMEBODY = 4711, ELSE = 4712 };

/* A directory with a tool, and one that everybody may write to. */
struct place {
	char *directory, *tool, *open;
};

static struct place begin(void)
{
	struct place place = { .directory = support_mkdir() };

	place.tool = support_write_tool(place.directory, "x", "#!/bin/sh\n");
	place.open = ik_path_join(place.directory, "open");
	cr_assert_eq(mkdir(place.open, 0700), 0);
	return place;
}

static void end(struct place *place)
{
	free(place->tool);
	free(place->open);
	support_rmdir(place->directory);
}

/* Expect a refusal with these words. */
static void expect_refused(const char *path, const char *words)
{
	struct ik_error error;

	cr_assert_eq(ik_permissions_check(path, &error), IK_DENIED, "%s", words);
	cr_assert_not_null(strstr(error.text, words), "%s", error.text);
}

static void expect_good(const char *path)
{
	struct ik_error error;

	cr_assert_eq(ik_permissions_check(path, &error), IK_OK, "%s", error.text);
}

/* The same for any user. */
static void check_modes(void)
{
	struct place place = begin();

	expect_good(place.tool);
	cr_assert_eq(chmod(place.tool, 0775), 0);
	expect_good(place.tool); /* the own primary group */
	cr_assert_eq(chmod(place.tool, 0757), 0);
	expect_refused(place.tool, "can be changed by everybody; to mend it: chmod o-w /");
	cr_assert_eq(chmod(place.tool, 0755), 0);
	cr_assert_eq(chmod(place.directory, 01777), 0);
	expect_refused(place.tool, "can be changed by everybody");
	end(&place);
}

/* Every directory on the way of links counts. */
static void check_links(void)
{
	struct place place = begin();
	char *first = ik_path_join(place.directory, "first");
	char *middle = ik_path_join(place.open, "middle");

	cr_assert_eq(symlink("open/middle", first), 0);
	cr_assert_eq(symlink("../x", middle), 0);
	expect_good(first);
	cr_assert_eq(chmod(place.open, 0777), 0);
	expect_refused(first, "open can be changed by everybody");
	expect_good(place.tool);
	cr_assert_eq(chmod(place.open, 0700), 0);
	cr_assert_eq(unlink(middle), 0);
	cr_assert_eq(symlink("../first", middle), 0); /* a loop */
	cr_assert_neq(ik_permissions_check(first, &(struct ik_error){ .status = IK_OK }), IK_OK);
	free(first);
	free(middle);
	end(&place);
}

Test(permissions, modes)
{
	check_modes();
}

Test(permissions, links)
{
	check_links();
}

/* The same as an ordinary user, if the tests run as root. */
Test(permissions, as_an_ordinary_user)
{
	if (!is_root())
		return;
	cr_assert_eq(setgroups(0, NULL), 0);
	cr_assert_eq(setresgid(SOMEBODY, SOMEBODY, SOMEBODY), 0);
	cr_assert_eq(setresuid(SOMEBODY, SOMEBODY, SOMEBODY), 0);
	check_modes();
	check_links();
	expect_good("/bin/sh"); /* root's */
}

Test(permissions, others_and_their_groups)
{
	struct place place = begin();

	if (is_root()) {
		cr_assert_eq(chown(place.tool, SOMEBODY, (gid_t)-1), 0);
		expect_refused(place.tool, "belongs to another user");
		cr_assert_eq(chown(place.tool, 0, SOMEBODY), 0);
		cr_assert_eq(chmod(place.tool, 0775), 0);
		expect_refused(place.tool, "can be changed by a group; to mend it: chmod g-w");
		cr_assert_eq(chmod(place.tool, 0755), 0);
		expect_good(place.tool);
	}
	end(&place);
}

/* Lists of <linux/posix_acl_xattr.h>: version 2, then tag, permission, id. */
#define ENTRY(tag, permission, id) \
	(tag), 0, (permission), 0, (id) & 255, (id) >> 8 & 255, (id) >> 16 & 255, (id) >> 24 & 255
#define NOBODY 0xffffffffU

Test(permissions, access_control_lists)
{
	static const unsigned char lets_write[] = {
		2, 0, 0, 0, ENTRY(1, 7, NOBODY), ENTRY(2, 7, ELSE), ENTRY(4, 5, NOBODY),
		ENTRY(16, 7, NOBODY), ENTRY(32, 5, NOBODY)
	};
	static const unsigned char lets_read[] = {
		2, 0, 0, 0, ENTRY(1, 7, NOBODY), ENTRY(2, 5, ELSE), ENTRY(4, 7, NOBODY),
		ENTRY(16, 7, NOBODY), ENTRY(32, 5, NOBODY)
	};
	static const unsigned char masked[] = {
		2, 0, 0, 0, ENTRY(1, 7, NOBODY), ENTRY(2, 7, ELSE), ENTRY(4, 5, NOBODY),
		ENTRY(16, 5, NOBODY), ENTRY(32, 5, NOBODY)
	};
	static const char name[] = "system.posix_acl_access";
	struct place place = begin();

	/* Not every file system has them. */
	if (setxattr(place.tool, name, lets_write, sizeof lets_write, 0) == 0) {
		expect_refused(place.tool, "access control list names; to mend it: setfacl -b");
		cr_assert_eq(setxattr(place.tool, name, lets_read, sizeof lets_read, 0), 0);
		expect_good(place.tool);
		cr_assert_eq(setxattr(place.tool, name, masked, sizeof masked, 0), 0);
		expect_good(place.tool);
		cr_assert_eq(setxattr(place.directory, name, lets_write, sizeof lets_write, 0), 0);
		expect_refused(place.tool, "access control list");
	}
	end(&place);
}
