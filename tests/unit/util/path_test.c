#include "util/path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "../../support/scratch.h"
#include "util/alloc.h"
#include "util/text.h"

static char directory[] = SCRATCH_TEMPLATE;

static void make_directory(void)
{
	cr_assert_eq(chdir(scratch_make(directory)), 0);
}

static void remove_directory(void)
{
	cr_assert_eq(chdir("/"), 0);
	scratch_remove(directory);
}

TestSuite(path, .init = make_directory, .fini = remove_directory);

static void expect(char *got, const char *wanted)
{
	cr_assert_str_eq(got, wanted);
	free(got);
}

Test(path, joins_and_expands)
{
	expect(ik_path_join("/a", "b"), "/a/b");
	expect(ik_path_join("/a/", "b"), "/a/b");
	expect(ik_path_join("/a", "/b"), "/b");
	expect(ik_path_join("", "b"), "b");
	expect(ik_path_expand("~/x", "/home/me"), "/home/me/x");
	expect(ik_path_expand("~", "/home/me"), "/home/me");
	expect(ik_path_expand("~you/x", "/home/me"), "~you/x");
	expect(ik_path_expand("~/x", NULL), "~/x");
	expect(ik_path_shorten("/home/me/x", "/home/me"), "~/x");
	expect(ik_path_shorten("/home/me", "/home/me"), "~");
	expect(ik_path_shorten("/home/men/x", "/home/me"), "/home/men/x");
	expect(ik_path_shorten("/x", "/"), "/x");
	expect(ik_path_shorten("/home/me/x", NULL), "/home/me/x");
	expect(ik_path_shorten("/home/me/x", ""), "/home/me/x");
	cr_assert_str_eq(ik_path_base("/a/b"), "b");
	cr_assert_str_eq(ik_path_base("b"), "b");
	cr_assert_str_eq(ik_path_base("a/"), "");
}

static void check_canonical(const char *name, const char *wanted)
{
	char *base = realpath(directory, NULL);
	char *path = ik_format("%s/%s", directory, name);
	char *expected = ik_format("%s%s", base, wanted), *found = ik_path_canonical(path);

	cr_assert_str_eq(found, expected, "%s: %s instead of %s", name, found, expected);
	free(found);
	free(expected);
	free(path);
	free(base);
}

Test(path, is_the_same_for_each_name_of_a_place)
{
	char *root = ik_path_canonical("/");

	cr_assert_str_eq(root, "/");
	free(root);
	root = ik_path_canonical("/nowhere-at-all/./x/");
	cr_assert_str_eq(root, "/nowhere-at-all/x");
	free(root);
	cr_assert_eq(mkdir("real", 0700), 0);
	cr_assert_eq(symlink("real", "link"), 0);
	cr_assert_eq(symlink("nothing", "dangling"), 0);
	check_canonical("real", "/real");
	check_canonical("link", "/real");
	check_canonical("link/", "/real");
	check_canonical("./link/../link/.", "/real");
	check_canonical("link/later", "/real/later");
	check_canonical("link/later/./still/", "/real/later/still");
	check_canonical("dangling/later", "/dangling/later");
	root = ik_path_canonical("nothing-yet");
	cr_assert_eq(root[0], '/');
	cr_assert(ik_text_ends(root, "/nothing-yet"));
	free(root);
}

Test(path, makes_parents)
{
	struct ik_error error;
	struct stat status;

	cr_assert_eq(ik_path_make("one/two//three/", 0700, &error), IK_OK);
	cr_assert_eq(stat("one/two/three", &status), 0);
	cr_assert_eq(status.st_mode & 07777, 0700);
	cr_assert_eq(ik_path_make("one/two", 0700, &error), IK_OK);
	cr_assert_eq(ik_file_write("file", "x", 1, 0600, &error), IK_OK);
	cr_assert_eq(ik_path_make("file", 0700, &error), IK_NOT_FOUND);
	cr_assert_eq(ik_path_make("file/below", 0700, &error), IK_NOT_FOUND);
	cr_assert_not_null(strstr(error.text, "file/below"));
}

Test(path, reads_what_it_wrote)
{
	struct ik_error error;
	struct stat status;
	struct ik_buf buf;

	umask(077);
	cr_assert_eq(ik_file_write("file", "a\0b", 3, 0640, &error), IK_OK);
	cr_assert_eq(stat("file", &status), 0);
	cr_assert_eq(status.st_mode & 07777, 0640);
	ik_buf_init(&buf, 10);
	ik_buf_puts(&buf, "<");
	cr_assert_eq(ik_file_read("file", &buf, &error), IK_OK);
	cr_assert_eq(buf.length, 4);
	cr_assert_arr_eq(buf.data, "<a\0b", 5);
	ik_buf_done(&buf);
}

Test(path, a_link_stays_a_link)
{
	struct ik_error error;
	struct stat status;

	cr_assert_eq(ik_file_write("real", "old", 3, 0600, &error), IK_OK);
	cr_assert_eq(symlink("real", "link"), 0);
	cr_assert_eq(ik_file_write("link", "new", 3, 0600, &error), IK_OK);
	cr_assert_eq(lstat("link", &status), 0);
	cr_assert(S_ISLNK(status.st_mode));
	cr_assert_eq(stat("real", &status), 0);
	cr_assert_eq(status.st_size, 3);
}

Test(path, a_failed_write_leaves_nothing_behind)
{
	struct ik_error error;

	cr_assert_eq(mkdir("target", 0700), 0);
	cr_assert_neq(ik_file_write("target", "x", 1, 0600, &error), IK_OK);
	cr_assert_not_null(strstr(error.text, "target"));
	cr_assert_eq(rmdir("target"), 0);
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(rmdir(directory), 0, "no temporary is left");
	cr_assert_eq(mkdir(directory, 0700), 0);
}

Test(path, appends_whole_lines)
{
	const struct rlimit small = { 8, 8 };
	struct ik_error error;
	struct ik_buf buf;

	cr_assert_eq(ik_file_append("lines", "one\n", 4, true, &error), IK_OK, "%s", error.text);
	cr_assert_eq(truncate("lines", 2), 0);
	cr_assert_eq(ik_file_append("lines", "two\n", 4, false, &error), IK_OK, "%s", error.text);
	cr_assert_eq(ik_file_append("no/lines", "x\n", 2, false, &error), IK_NOT_FOUND);
	/* What does not fit is taken back. */
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_neq(ik_file_append("lines", "three\n", 6, false, &error), IK_OK);
	ik_buf_init(&buf, 100);
	cr_assert_eq(ik_file_read("lines", &buf, &error), IK_OK);
	cr_assert_str_eq(buf.data, "on\ntwo\n");
	ik_buf_done(&buf);
}

Test(path, reads_up_to_the_ceiling_and_no_more)
{
	struct ik_error error;
	struct ik_buf buf;
	char *large = malloc(200000);

	memset(large, 'x', 200000);
	cr_assert_eq(ik_file_write("large", large, 200000, 0600, &error), IK_OK);
	ik_buf_init(&buf, 200000);
	cr_assert_eq(ik_file_read("large", &buf, &error), IK_OK);
	cr_assert_eq(buf.length, 200000);
	cr_assert_eq(memcmp(buf.data, large, 200000), 0);
	ik_buf_done(&buf);
	ik_buf_init(&buf, 199999);
	cr_assert_eq(ik_file_read("large", &buf, &error), IK_TOO_LARGE);
	cr_assert_not_null(strstr(error.text, "large"));
	cr_assert_eq(buf.length, 0);
	ik_buf_done(&buf);
	free(large);
}

Test(path, reads_files_that_do_not_know_their_size)
{
	struct ik_error error;
	struct ik_buf buf;

	ik_buf_init(&buf, 100000);
	cr_assert_eq(ik_file_read("/proc/self/status", &buf, &error), IK_OK);
	cr_assert_gt(buf.length, 100);
	ik_buf_done(&buf);
}

Test(path, refuses_what_is_no_regular_file)
{
	struct ik_error error;
	struct ik_buf buf;

	ik_buf_init(&buf, 100);
	cr_assert_eq(mkfifo("fifo", 0600), 0);
	cr_assert_eq(ik_file_read("fifo", &buf, &error), IK_INVALID);
	cr_assert_eq(ik_file_read(".", &buf, &error), IK_INVALID);
	cr_assert_not_null(strstr(error.text, "directory"));
	cr_assert_eq(ik_file_read("none", &buf, &error), IK_NOT_FOUND);
	cr_assert_eq(buf.length, 0);
	ik_buf_done(&buf);
}

Test(path, follows_links_as_opening_does)
{
	char *here = ik_path_resolve(directory), *wanted;

	cr_assert_eq(mkdir("real", 0700), 0);
	cr_assert_eq(mkdir("real/deep", 0700), 0);
	cr_assert_eq(symlink("real/deep", "link"), 0);
	cr_assert_eq(symlink("nowhere", "dangling"), 0);
	cr_assert_eq(symlink("circle", "circle"), 0);
	static const struct { const char *path, *leads; } rows[] = {
		{ "real/x", "/real/x" },
		{ "./real//deep/../x", "/real/x" },
		{ "link", "/real/deep" },
		{ "link/new", "/real/deep/new" },
		{ "link/../x", "/real/x" },
		{ "dangling", "/nowhere" },
		{ "new/../x", "/x" },
		{ "circle/x", NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *path = ik_format("%s/%s", directory, rows[i].path);
		char *got = ik_path_resolve(path);

		wanted = rows[i].leads ? ik_format("%s%s", here, rows[i].leads) : NULL;
		if (wanted)
			cr_assert_str_eq(got, wanted, "%s", rows[i].path);
		else
			cr_assert_null(got, "%s", rows[i].path);
		free(path);
		free(got);
		free(wanted);
	}
	free(here);
	expect(ik_path_resolve("/"), "/");
	expect(ik_path_resolve("/.."), "/");
	/* In a directory that was removed there is no end of "." and what it is in. */
	cr_assert_eq(mkdir("removed", 0700), 0);
	cr_assert_eq(chdir("removed"), 0);
	cr_assert_eq(rmdir("../removed"), 0);
	cr_assert_null(ik_path_resolve("."));
	cr_assert_null(ik_path_resolve("file"));
}

/* The kernel has no openat2(2) for this process from here on. */
static void forbid_openat2(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
		cr_skip_test("system calls can't be filtered here");
}

/* Opening a directory below the test's; number: the error, 0: it is opened. */
static void opens(const char *name, int number)
{
	char *base = realpath(directory, NULL), *path = ik_format("%s/%s", base, name);
	struct stat found, wanted;
	int fd = ik_path_open(path, O_DIRECTORY);

	cr_assert_eq(fd < 0 ? errno : 0, number, "%s: %s", name, strerror(errno));
	if (fd >= 0) {
		cr_assert(fstat(fd, &found) == 0 && stat(path, &wanted) == 0 &&
			found.st_ino == wanted.st_ino);
		close(fd);
	}
	free(path);
	free(base);
}

static void opens_all(void)
{
	opens("", 0);
	opens("real/deep", 0);
	opens("real//deep/", 0);
	opens("link", ELOOP);
	opens("link/deep", ELOOP);
	opens("real/missing/deep", ENOENT);
	opens("file", ENOTDIR);
	opens("file/deep", ENOTDIR);
}

Test(path, opens_no_directory_through_a_link)
{
	struct ik_error error;

	cr_assert_eq(ik_path_make("real/deep", 0755, &error), IK_OK);
	cr_assert_eq(symlink("real", "link"), 0);
	cr_assert_eq(ik_file_write("file", "x", 1, 0644, &error), IK_OK);
	opens_all();
	forbid_openat2();
	opens_all();
}
