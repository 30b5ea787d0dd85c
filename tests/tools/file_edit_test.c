#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/support/sanitized.h"
#include "tests/tools/support.h"
#include "util/clock.h"

TestSuite(file_edit, .init = scratch_enter, .fini = scratch_leave, .timeout = 120);

#define EDIT "{'file_path':'%s','old_string':'%s','new_string':'%s'}"
#define EDIT_ALL "{'file_path':'%s','old_string':'%s','new_string':'%s','replace_all':true}"

Test(file_edit, describes_itself)
{
	expect_options("file-edit",
		"{'name':'file_edit','description':'Edit a file by replacing exact text matches. "
		"You must read the file before editing.','parameters':{'type':'object','properties':{"
		"'file_path':{'type':'string','description':'Absolute or relative path to file'},"
		"'old_string':{'type':'string','description':'Exact text to find and replace'},"
		"'new_string':{'type':'string','description':'Text to replace old_string with'},"
		"'replace_all':{'type':'boolean','description':"
		"'Replace all occurrences (default: false, fails if not unique)'}},"
		"'required':['file_path','old_string','new_string']},"
		"'annotations':{'writes':['file_path']},"
		"'display':{'kind':'edit','line':'Edit {file_path}','path':'file_path',"
		"'old_text':'old_string','new_text':'new_string','at':'line','times':'replacements'}}");
}

Test(file_edit, replaces_one)
{
	make_text("config.txt", "a\ndebug = false\nb\n");
	expect_json(ask("file-edit", EDIT, "config.txt", "debug = false", "debug = true"),
		"{'output':'Replaced 1 occurrence in config.txt','replacements':1,'line':2}");
	expect_text("config.txt", "a\ndebug = true\nb\n");
	expect_json(ask("file-edit", EDIT, "./config.txt", "debug = true\\n", ""),
		"{'output':'Replaced 1 occurrence in config.txt','replacements':1,'line':2}");
	expect_text("config.txt", "a\nb\n");
	expect_json(ask("file-edit", EDIT, "config.txt", "a\\nb\\n", "x"),
		"{'output':'Replaced 1 occurrence in config.txt','replacements':1,'line':1}");
	expect_text("config.txt", "x");
	expect_json(ask("file-edit", EDIT, "config.txt", "x", ""),
		"{'output':'Replaced 1 occurrence in config.txt','replacements':1,'line':1}");
	expect_text("config.txt", "");
}

Test(file_edit, replaces_all)
{
	make_text("a", "one two one two one");
	expect_json(ask("file-edit", EDIT_ALL, "a", "one", "three"),
		"{'output':'Replaced 3 occurrences in a','replacements':3,'line':1}");
	expect_text("a", "three two three two three");
	expect_json(ask("file-edit", EDIT_ALL, "a", "nothing", "x"),
		"{'output':'Replaced 0 occurrences in a','replacements':0}");
	expect_text("a", "three two three two three");
	make_text("b", "aaaaa");
	expect_json(ask("file-edit", EDIT_ALL, "b", "aa", "b"),
		"{'output':'Replaced 2 occurrences in b','replacements':2,'line':1}");
	expect_text("b", "bba");
}

Test(file_edit, more_places_than_one_writev_takes)
{
	struct ik_buf old, new;

	ik_buf_init(&old, SIZE_MAX / 2);
	ik_buf_init(&new, SIZE_MAX / 2);
	for (int i = 0; i < 5000; i++) {
		ik_buf_puts(&old, "x,");
		ik_buf_puts(&new, "longer,");
	}
	make_file("a", old.data, old.length);
	expect_json(ask("file-edit", EDIT_ALL, "a", "x", "longer"),
		"{'output':'Replaced 5000 occurrences in a','replacements':5000,'line':1}");
	expect_file("a", new.data, new.length);
	ik_buf_done(&old);
	ik_buf_done(&new);
}

Test(file_edit, wrong_arguments)
{
	make_text("a", "text");
	expect_error(ask("file-edit", EDIT, "a", "text", "text"), "INVALID_ARG",
		"old_string and new_string are identical");
	expect_error(ask("file-edit", EDIT, "a", "", "x"), "INVALID_ARG", "old_string cannot be empty");
	expect_error(ask("file-edit", EDIT, "a", "", ""), "INVALID_ARG", "old_string cannot be empty");
	expect_text("a", "text");
}

Test(file_edit, not_found)
{
	make_text("a", "int main(void)\n{\n\treturn  0;\n}\n");
	expect_error(ask("file-edit", EDIT, "a", "something else entirely", "x"), "NOT_FOUND",
		"String not found in file");
	expect_hint(ask("file-edit", EDIT, "a", "int main(vid)", "x"), "NOT_FOUND", "1: int main(void)");
	expect_hint(ask("file-edit", EDIT, "a", "{\\n    return 0;", "x"), "NOT_FOUND",
		"it has \"\\n\\t\" where old_string has \"\\n    \".\n"
		"2: {\n3: \treturn  0;");
	expect_hint(ask("file-edit", EDIT, "a", "{\\n\\treturn  1;", "x"), "NOT_FOUND",
		"line 3 is different:\n3: \treturn  0;");
	make_text("crlf", "one\r\ntwo\r\n");
	expect_hint(ask("file-edit", EDIT, "crlf", "one\\ntwo", "x"), "NOT_FOUND", "end in \\r\\n");
	make_text("empty", "");
	expect_error(ask("file-edit", EDIT, "empty", "x", "y"), "NOT_FOUND", "String not found in file");
}

/* Two lines of this length, compared byte by byte, would take minutes. */
Test(file_edit, not_found_in_a_very_long_line)
{
	static char line[300001], other[300001];
	int64_t start = ik_clock_ms();

	memset(line, 'a', sizeof(line) - 1);
	memset(other, 'b', sizeof(other) - 1);
	make_text("a", line);
	expect_error(ask("file-edit", EDIT, "a", other, "x"), "NOT_FOUND", "String not found in file");
	cr_assert_lt(ik_clock_ms() - start, 20000);
}

Test(file_edit, not_unique)
{
	make_text("a", "x\ny\nx x\n");
	expect_error(ask("file-edit", EDIT, "a", "x", "z"), "NOT_UNIQUE",
		"String found 3 times, use replace_all to replace all");
	expect_hint(ask("file-edit", EDIT, "a", "x", "z"), "NOT_UNIQUE", "It begins in lines 1, 3.");
	expect_error(ask("file-edit",
		"{'file_path':'a','old_string':'x','new_string':'z','replace_all':false}"), "NOT_UNIQUE",
		"String found 3 times, use replace_all to replace all");
	expect_text("a", "x\ny\nx x\n");
}

Test(file_edit, any_bytes)
{
	make_file("a", "\xff\0b\xfe\r\n", 6);
	expect_json(ask("file-edit", EDIT, "a", "\\u0000b", "\\u0000\\u0000é"),
		"{'output':'Replaced 1 occurrence in a','replacements':1,'line':1}");
	expect_file("a", "\xff\0\0\xc3\xa9\xfe\r\n", 8);
}

Test(file_edit, what_cannot_be_edited)
{
	expect_error(ask("file-edit", EDIT, "/no/such/missing.txt", "a", "b"), "FILE_NOT_FOUND",
		"File not found: /no/such/missing.txt");
	cr_assert_eq(mkdir("dir", 0777), 0);
	expect_error(ask("file-edit", EDIT, "dir", "a", "b"), "READ_FAILED", "Failed to read file: dir");
	cr_assert_eq(mkfifo("fifo", 0666), 0);
	expect_error(ask("file-edit", EDIT, "fifo", "a", "b"), "SEEK_FAILED", "Cannot seek file: fifo");
	expect_error(ask("file-edit", EDIT, "/dev/zero", "a", "b"), "SIZE_FAILED",
		"Cannot get file size: /dev/zero");
	cr_assert_eq(symlink("loop", "loop"), 0);
	expect_error(ask("file-edit", EDIT, "loop", "a", "b"), "OPEN_FAILED", "Cannot open file: loop");
}

Test(file_edit, permission)
{
	make_text("unwritable", "text");
	cr_assert_eq(chmod("unwritable", 0444), 0);
	expect_error(ask_as_nobody("file-edit", EDIT, "unwritable", "text", "x"), "PERMISSION_DENIED",
		"Permission denied: unwritable");
	cr_assert_eq(chmod("unwritable", 0222), 0);
	expect_error(ask_as_nobody("file-edit", EDIT, "unwritable", "text", "x"), "PERMISSION_DENIED",
		"Permission denied: unwritable");
	cr_assert_eq(chmod("unwritable", 0644), 0);
	expect_text("unwritable", "text");
}

Test(file_edit, keeps_what_the_file_is)
{
	struct stat before, after;
	char value[100];

	cr_assert_eq(mkdir("dir", 0777), 0);
	make_text("dir/target", "old");
	cr_assert_eq(symlink("dir/target", "link"), 0);
	cr_assert_eq(chmod("dir/target", 0751), 0);
	int attributes = setxattr("dir/target", "user.note", "kept", 4, 0) == 0;
	cr_assert_eq(stat("dir/target", &before), 0);
	expect_json(ask("file-edit", EDIT, "link", "old", "new"),
		"{'output':'Replaced 1 occurrence in link','replacements':1,'line':1}");
	expect_text("dir/target", "new");
	cr_assert_eq(lstat("link", &after), 0);
	cr_assert(S_ISLNK(after.st_mode));
	cr_assert_eq(stat("dir/target", &after), 0);
	cr_assert_eq(after.st_mode, before.st_mode);
	cr_assert_eq(after.st_uid, before.st_uid);
	cr_assert_neq(after.st_ino, before.st_ino, "it was not replaced as a whole");
	if (attributes)
		cr_assert_eq(getxattr("dir/target", "user.note", value, sizeof(value)), 4);
	cr_assert_eq(link("dir/target", "hard"), 0);
	done(ask("file-edit", EDIT, "hard", "new", "through a hard link"));
	expect_text("dir/target", "through a hard link");
	done(ask("file-edit", EDIT, "hard", "through a hard link", "shorter"));
	expect_text("dir/target", "shorter");
}

Test(file_edit, keeps_owner_and_mode)
{
	static const mode_t modes[] = { 0600, 0444, 0777, 01644, 02755, 04711, 06771 };
	struct stat before, after;

	SKIP_UNLESS_ROOT();
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		make_text("a", "old");
		cr_assert_eq(chown("a", 1234, 5678), 0);
		cr_assert_eq(chmod("a", modes[i]), 0);
		cr_assert_eq(stat("a", &before), 0);
		done(ask("file-edit", EDIT, "a", "old", "new"));
		expect_text("a", "new");
		cr_assert_eq(stat("a", &after), 0);
		cr_assert_eq(after.st_mode, before.st_mode, "%o became %o", before.st_mode, after.st_mode);
		cr_assert_eq(after.st_uid, 1234);
		cr_assert_eq(after.st_gid, 5678);
		cr_assert_neq(after.st_ino, before.st_ino, "it was not replaced as a whole");
	}
}

Test(file_edit, follows_links_to_where_the_file_lies)
{
	struct stat status;

	cr_assert_eq(mkdir("one", 0777), 0);
	cr_assert_eq(mkdir("one/two", 0777), 0);
	make_text("one/file", "old");
	cr_assert_eq(symlink("../file", "one/two/link"), 0);
	cr_assert_eq(symlink("one/two", "dir"), 0);
	cr_assert_eq(symlink("dir/link", "chain"), 0);
	expect_json(ask("file-edit", EDIT, "chain", "old", "new"),
		"{'output':'Replaced 1 occurrence in chain','replacements':1,'line':1}");
	expect_text("one/file", "new");
	expect_json(ask("file-edit", EDIT, "dir/../file", "new", "newer"),
		"{'output':'Replaced 1 occurrence in file','replacements':1,'line':1}");
	expect_text("one/file", "newer");
	cr_assert_eq(lstat("one/two/link", &status), 0);
	cr_assert(S_ISLNK(status.st_mode));
	cr_assert_eq(lstat("chain", &status), 0);
	cr_assert(S_ISLNK(status.st_mode));
	cr_assert_eq(count_names(".ikigai-"), 0);
}

Test(file_edit, larger_files_are_edited_alike)
{
	/* In one piece and in several, with and without links. */
	static const size_t sizes[] = { 1000, 1048575, 1048576, 1048577, 5000000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = sizes[i];
		char *text = malloc(size + 10);

		memset(text, '.', size);
		memcpy(text, "first", 5);
		memcpy(text + size - 4, "last", 4);
		make_file("a", text, size);
		for (int linked = 0; linked < 2; linked++) {
			done(ask("file-edit", EDIT, "a", linked ? "FIRST" : "first", linked ? "1st" : "FIRST"));
			done(ask("file-edit", EDIT, "a", linked ? "LAST" : "last", linked ? "the end" : "LAST"));
			if (!linked) {
				memcpy(text, "FIRST", 5);
				memcpy(text + size - 4, "LAST", 4);
				expect_file("a", text, size);
				cr_assert_eq(link("a", "b"), 0);
			}
		}
		memmove(text + 3, text + 5, size - 5);
		memcpy(text, "1st", 3);
		memcpy(text + size - 6, "the end", 7);
		expect_file("a", text, size + 1);
		expect_file("b", text, size + 1);
		cr_assert_eq(unlink("b"), 0);
		free(text);
	}
}

Test(file_edit, keeps_access_control_lists)
{
	/* Version 2; the owner rw, user 1234 r, the group r, mask rw, others none. */
	static const unsigned char list[] = { 2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0,
		0xd2, 4, 0, 0, 4, 0, 4, 0, 255, 255, 255, 255, 16, 0, 6, 0, 255, 255, 255, 255,
		32, 0, 0, 0, 255, 255, 255, 255 };
	unsigned char found[sizeof(list)];

	make_text("a", "old");
	if (setxattr("a", "system.posix_acl_access", list, sizeof(list), 0) < 0)
		cr_skip("the file system has no access control lists");
	done(ask("file-edit", EDIT, "a", "old", "new"));
	cr_assert_eq(getxattr("a", "system.posix_acl_access", found, sizeof(found)),
		(ssize_t)sizeof(list));
	cr_assert_arr_eq(found, list, sizeof(list));
	/* A directory's default list applies to new files, not to this one. */
	cr_assert_eq(setxattr(".", "system.posix_acl_default", list, sizeof(list), 0), 0);
	make_text("b", "old");
	cr_assert_eq(removexattr("b", "system.posix_acl_access"), 0);
	cr_assert_eq(chmod("b", 0640), 0);
	done(ask("file-edit", EDIT, "b", "old", "new"));
	expect_text("b", "new");
	cr_assert_lt(getxattr("b", "system.posix_acl_access", found, sizeof(found)), 0);
}

Test(file_edit, edits_at_the_same_time_lose_nothing)
{
	struct running running[8];

	make_text("a", "<0><1><2><3><4><5><6><7>");
	for (int i = 0; i < 8; i++) {
		char input[200];
		snprintf(input, sizeof(input),
			"{\"file_path\":\"a\",\"old_string\":\"<%d>\",\"new_string\":\"[%d]\"}", i, i);
		running[i] = call_start(&(struct call){ .tool = "file-edit", .input = input });
	}
	for (int i = 0; i < 8; i++)
		expect_json(call_finish(running[i]),
			"{'output':'Replaced 1 occurrence in a','replacements':1,'line':1}");
	expect_text("a", "[0][1][2][3][4][5][6][7]");
	cr_assert_eq(count_names(".ikigai-"), 0);
}

Test(file_edit, and_file_write_at_the_same_time_leave_one_of_their_texts)
{
	struct running running[9];

	make_text("a", "x");
	for (int i = 0; i < 9; i++)
		running[i] = call_start(&(struct call){ .tool = i % 3 == 0 ? "file-write" : "file-edit",
			.input = i % 3 == 0 ? "{\"file_path\":\"a\",\"content\":\"x\"}" :
				"{\"file_path\":\"a\",\"old_string\":\"x\",\"new_string\":\"xy\"}" });
	for (int i = 0; i < 9; i++) {
		struct reply reply = call_finish(running[i]);

		cr_assert_eq(reply.status, 0);
		cr_assert_not_null(ik_json_member(reply.json, "output").text, "%s", reply.out.data);
		reply_free(&reply);
	}
	/* A write undoes all edits before it. */
	int fd = open("a", O_RDONLY);
	char text[20] = "";
	ssize_t length = read(fd, text, sizeof(text) - 1);
	close(fd);
	cr_assert(length >= 1 && length <= 7, "%zd bytes", length);
	cr_assert_eq((ssize_t)strspn(text + 1, "y") + 1, length, "%s", text);
	cr_assert_eq(count_names(".ikigai-"), 0);
}

Test(file_edit, sweeps_what_a_killed_run_left_but_not_what_is_being_written)
{
	make_text(".ikigai-0123456789abcdef.tmp", "left");
	make_text("a", "old");
	done(ask("file-edit", EDIT, "a", "old", "new"));
	cr_assert_eq(count_names(".ikigai-"), 0);
}

/* Four million places in 20 MB: memory does not grow with their number. */
Test(file_edit, many_places)
{
	static const struct {
		const char *old, *new;
		bool linked; /* the file has a second name, so it is written in place */
	} edits[] = {
		{ "!", "", false },
		{ "x", "yz", false },
		{ "y", "1234", true },
	};
	const int places = SANITIZED ? 40000 : 4000000; /* which are slow with sanitizers */
	struct ik_buf text, wanted;

	ik_buf_init(&text, SIZE_MAX / 2);
	for (int i = 0; i < places; i++)
		ik_buf_puts(&text, "ab!x\n");
	make_file("many", text.data, text.length);
	ik_buf_init(&wanted, SIZE_MAX / 2);
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		if (edits[i].linked)
			cr_assert_eq(link("many", "second"), 0);
		struct reply reply = ask("file-edit", "{'file_path':'many','old_string':'%s',"
			"'new_string':'%s','replace_all':true}", edits[i].old, edits[i].new);
		if (!SANITIZED)
			cr_assert_lt(reply.peak_kib, 32 << 10, "%ld KiB", reply.peak_kib);
		expect_json(reply, "{'output':'Replaced %d occurrences in many','replacements':%d,'line':1}", places,
			places);
	}
	for (int i = 0; i < places; i++)
		ik_buf_puts(&wanted, "ab1234z\n");
	expect_file("many", wanted.data, wanted.length);
	expect_file("second", wanted.data, wanted.length);
	ik_buf_done(&text);
	ik_buf_done(&wanted);
}
