#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/tools/support.h"

TestSuite(file_write, .init = scratch_enter, .fini = scratch_leave, .timeout = 120);

static struct stat status_of(const char *path)
{
	struct stat status;

	cr_assert_eq(lstat(path, &status), 0, "%s is missing", path);
	return status;
}

Test(file_write, describes_itself)
{
	expect_options("file-write",
		"{'name':'file_write','description':'Write content to a file (creates or overwrites)',"
		"'parameters':{'type':'object','properties':{'file_path':{'type':'string','description':"
		"'Absolute or relative path to file'},'content':{'type':'string','description':"
		"'Content to write to file'}},'required':['file_path','content']},"
		"'annotations':{'writes':['file_path']},"
		"'display':{'kind':'edit','line':'Write {file_path}','path':'file_path',"
		"'new_text':'content'}}");
}

Test(file_write, new_files)
{
	umask(022);
	expect_json(ask("file-write", "{'file_path':'test.txt','content':'Hello, world!\\n'}"),
		"{'output':'Wrote 14 bytes to test.txt','bytes':14}");
	expect_text("test.txt", "Hello, world!\n");
	cr_assert_eq(status_of("test.txt").st_mode & 07777, 0644);
	expect_json(ask("file-write", "{'file_path':'./empty','content':''}"),
		"{'output':'Wrote 0 bytes to empty','bytes':0}");
	expect_text("empty", "");
	umask(077);
	expect_json(ask("file-write", "{'file_path':'private','content':'é'}"),
		"{'output':'Wrote 2 bytes to private','bytes':2}");
	cr_assert_eq(status_of("private").st_mode & 07777, 0600);
	cr_assert_eq(count_names(".ikigai-"), 0);
}

Test(file_write, overwrites_and_keeps_mode)
{
	make_text("a", "something that is longer than what comes");
	cr_assert_eq(chmod("a", 04751), 0);
	expect_json(ask("file-write", "{'file_path':'a','content':'short'}"),
		"{'output':'Wrote 5 bytes to a','bytes':5}");
	expect_text("a", "short");
	cr_assert_eq(status_of("a").st_mode & 07777, 04751);
}

Test(file_write, exact_bytes)
{
	static const char content[] = "a\0b\r\n\x7f\x01\"\\/é€😀";

	done(ask_bytes("file-write", "{'file_path':'a','content':'%s'}", content, sizeof(content) - 1));
	expect_file("a", content, sizeof(content) - 1);
	expect_json(ask("file-write", "{'file_path':'b','content':'\\u0000\\ud83d\\ude00'}"),
		"{'output':'Wrote 5 bytes to b','bytes':5}");
	expect_file("b", "\0😀", 5);
}

Test(file_write, follows_symbolic_links)
{
	cr_assert_eq(mkdir("dir", 0777), 0);
	make_text("dir/target", "old");
	cr_assert_eq(symlink("dir/target", "link"), 0);
	cr_assert_eq(symlink("link", "link2"), 0);
	expect_json(ask("file-write", "{'file_path':'link2','content':'new'}"),
		"{'output':'Wrote 3 bytes to link2','bytes':3}");
	expect_text("dir/target", "new");
	cr_assert(S_ISLNK(status_of("link").st_mode));
	cr_assert(S_ISLNK(status_of("link2").st_mode));
	cr_assert_eq(symlink("dir/made", "dangling"), 0);
	expect_json(ask("file-write", "{'file_path':'dangling','content':'x'}"),
		"{'output':'Wrote 1 bytes to dangling','bytes':1}");
	expect_text("dir/made", "x");
}

Test(file_write, keeps_hard_links)
{
	make_text("a", "old");
	cr_assert_eq(link("a", "b"), 0);
	expect_json(ask("file-write", "{'file_path':'a','content':'newer'}"),
		"{'output':'Wrote 5 bytes to a','bytes':5}");
	expect_text("b", "newer");
	cr_assert_eq(status_of("a").st_ino, status_of("b").st_ino);
}

Test(file_write, keeps_attributes)
{
	char value[10];

	make_text("a", "old");
	if (setxattr("a", "user.note", "kept", 4, 0) < 0)
		cr_skip("the file system has no extended attributes");
	expect_json(ask("file-write", "{'file_path':'a','content':'new'}"),
		"{'output':'Wrote 3 bytes to a','bytes':3}");
	cr_assert_eq(getxattr("a", "user.note", value, sizeof(value)), 4);
	cr_assert_eq(memcmp(value, "kept", 4), 0);
}

Test(file_write, devices_and_fifos_in_place)
{
	expect_json(ask("file-write", "{'file_path':'/dev/null','content':'x'}"),
		"{'output':'Wrote 1 bytes to null','bytes':1}");
	expect_error(ask("file-write", "{'file_path':'/dev/full','content':'x'}"), "NO_SPACE",
		"No space left on device: /dev/full");
	cr_assert_eq(mkfifo("fifo", 0666), 0);
	expect_error(ask("file-write", "{'file_path':'fifo','content':'x'}"), "OPEN_FAILED",
		"Cannot open file: fifo");
	int reader = open("fifo", O_RDONLY | O_NONBLOCK);
	expect_json(ask("file-write", "{'file_path':'fifo','content':'through'}"),
		"{'output':'Wrote 7 bytes to fifo','bytes':7}");
	char got[10];
	cr_assert_eq(read(reader, got, sizeof(got)), 7);
	close(reader);
	cr_assert(S_ISFIFO(status_of("fifo").st_mode));
}

Test(file_write, what_cannot_be_opened)
{
	char name[5000];

	expect_error(ask("file-write", "{'file_path':'/nonexistent/dir/file.txt','content':'x'}"),
		"OPEN_FAILED", "Cannot open file: /nonexistent/dir/file.txt");
	expect_error(ask("file-write", "{'file_path':'.','content':'x'}"), "OPEN_FAILED",
		"Cannot open file: .");
	expect_error(ask("file-write", "{'file_path':'','content':'x'}"), "OPEN_FAILED",
		"Cannot open file: ");
	expect_error(ask("file-write", "{'file_path':'new/','content':'x'}"), "OPEN_FAILED",
		"Cannot open file: new/");
	make_text("a", "kept");
	expect_error(ask("file-write", "{'file_path':'a/b','content':'x'}"), "OPEN_FAILED",
		"Cannot open file: a/b");
	expect_error(ask("file-write", "{'file_path':'a/','content':'x'}"), "OPEN_FAILED",
		"Cannot open file: a/");
	expect_text("a", "kept");
	cr_assert_eq(symlink("loop2", "loop1"), 0);
	cr_assert_eq(symlink("loop1", "loop2"), 0);
	expect_error(ask("file-write", "{'file_path':'loop1','content':'x'}"), "OPEN_FAILED",
		"Cannot open file: loop1");
	memset(name, 'n', sizeof(name));
	name[4096] = '\0';
	expect_error(ask("file-write", "{'file_path':'%s','content':'x'}", name), "OPEN_FAILED",
		"Cannot open file: %s", name);
	name[255] = '\0';
	expect_json(ask("file-write", "{'file_path':'%s','content':'x'}", name),
		"{'output':'Wrote 1 bytes to %s','bytes':1}", name);
}

Test(file_write, permission)
{
	make_text("a", "kept");
	cr_assert_eq(chmod("a", 0444), 0);
	expect_error(ask_as_nobody("file-write", "{'file_path':'a','content':'x'}"),
		"PERMISSION_DENIED", "Permission denied: a");
	cr_assert_eq(mkdir("dir", 0555), 0);
	expect_error(ask_as_nobody("file-write", "{'file_path':'dir/new','content':'x'}"),
		"PERMISSION_DENIED", "Permission denied: dir/new");
	expect_text("a", "kept");
}

Test(file_write, in_place_where_a_rename_would_change_the_owner)
{
	SKIP_UNLESS_ROOT();
	make_text("foreign", "old content");
	cr_assert_eq(chmod("foreign", 0666), 0);
	ino_t before = status_of("foreign").st_ino;
	expect_json(ask_as_nobody("file-write", "{'file_path':'foreign','content':'new'}"),
		"{'output':'Wrote 3 bytes to foreign','bytes':3}");
	expect_text("foreign", "new");
	cr_assert_eq(status_of("foreign").st_ino, before);
	cr_assert_eq(status_of("foreign").st_uid, 0);
	/* The superuser keeps a foreign owner through the rename. */
	cr_assert_eq(chown("foreign", 65534, 65534), 0);
	done(ask("file-write", "{'file_path':'foreign','content':'newer'}"));
	cr_assert_eq(status_of("foreign").st_uid, 65534);
	cr_assert_neq(status_of("foreign").st_ino, before);
	/* In a directory that cannot be written, only the file itself can be. */
	cr_assert_eq(mkdir("dir", 0755), 0);
	make_text("dir/own", "old");
	cr_assert_eq(chown("dir/own", 65534, 65534), 0);
	expect_json(ask_as_nobody("file-write", "{'file_path':'dir/own','content':'in place'}"),
		"{'output':'Wrote 8 bytes to own','bytes':8}");
	expect_text("dir/own", "in place");
	cr_assert_eq(count_names(".ikigai-"), 0);
}

Test(file_write, a_program_that_runs_is_replaced)
{
	done(ask("bash", "{'command':'cp /bin/sleep runs'}"));
	struct running running = call_start(&(struct call){ .tool = "bash",
		.input = "{\"command\":\"./runs 100 & echo $! >pid; wait\"}" });
	const struct timespec pause = { .tv_nsec = 2000000 };
	int fd;
	while ((fd = open("runs", O_WRONLY)) >= 0) {
		close(fd);
		nanosleep(&pause, NULL);
	}
	expect_json(ask("file-write", "{'file_path':'runs','content':'text'}"),
		"{'output':'Wrote 4 bytes to runs','bytes':4}");
	kill(running.pid, SIGTERM);
	struct reply reply = call_finish(running);
	reply_free(&reply);
	expect_text("runs", "text");
}

Test(file_write, sweeps_what_a_killed_run_left)
{
	make_text(".ikigai-0123456789abcdef.tmp", "left");
	make_text(".ikigai-notes", "a person's own");
	make_text("a", "old");
	done(ask("file-write", "{'file_path':'a','content':'new'}"));
	cr_assert_neq(access(".ikigai-0123456789abcdef.tmp", F_OK), 0);
	expect_text(".ikigai-notes", "a person's own");
	expect_text("a", "new");
}
