#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/tools/support.h"

TestSuite(file_read, .init = scratch_enter, .fini = scratch_leave, .timeout = 60);

Test(file_read, describes_itself)
{
	expect_options("file-read",
		"{'name':'file_read','description':'Read contents of a file','parameters':{'type':'object',"
		"'properties':{'file_path':{'type':'string','description':'Absolute or relative path to file'},"
		"'offset':{'type':'integer','description':'Line number to start reading from (1-based)'},"
		"'limit':{'type':'integer','description':'Number of lines to read'},"
		"'byte_offset':{'type':'integer',"
		"'description':'Byte to start reading from (0-based), instead of a line'},"
		"'byte_limit':{'type':'integer','description':'Number of bytes to read (default 16384)'}},"
		"'required':['file_path']},'annotations':{'readOnly':true},"
		"'display':{'kind':'read','line':'Read {file_path}[, from line {offset}]"
		"[, {limit|line|lines}][, from byte {byte_offset}][, {byte_limit|byte|bytes}]',"
		"'path':'file_path'}}");
}

Test(file_read, whole_files)
{
	make_text("a", "myserver.example.com\n");
	expect_json(ask("file-read", "{'file_path':'a'}"), "{'output':'myserver.example.com\\n'}");
	make_text("b", "no end of line");
	expect_json(ask("file-read", "{'file_path':'b'}"), "{'output':'no end of line'}");
	make_text("empty", "");
	expect_json(ask("file-read", "{'file_path':'empty'}"), "{'output':''}");
	char here[PATH_MAX];
	cr_assert_not_null(getcwd(here, sizeof(here)));
	expect_json(ask("file-read", "{'file_path':'%s/b'}", here), "{'output':'no end of line'}");
}

Test(file_read, lines)
{
	make_text("a", "1\n2\n3\n\n5");
	expect_json(ask("file-read", "{'file_path':'a','offset':2,'limit':2}"), "{'output':'2\\n3\\n'}");
	expect_json(ask("file-read", "{'file_path':'a','offset':4}"), "{'output':'\\n5'}");
	expect_json(ask("file-read", "{'file_path':'a','limit':1}"), "{'output':'1\\n'}");
	expect_json(ask("file-read", "{'file_path':'a','offset':5,'limit':100}"), "{'output':'5'}");
	expect_json(ask("file-read", "{'file_path':'a','offset':6}"), "{'output':''}");
	expect_json(ask("file-read", "{'file_path':'a','offset':9223372036854775807,"
		"'limit':9223372036854775807}"), "{'output':''}");
	make_text("empty", "");
	expect_json(ask("file-read", "{'file_path':'empty','offset':1,'limit':1}"), "{'output':''}");
	make_text("feed", "\n");
	expect_json(ask("file-read", "{'file_path':'feed','offset':2}"), "{'output':''}");
}

/* Expect an output of that length. */
static void expect_length(const char *input, size_t length)
{
	struct reply reply = ask("file-read", "%s", input);
	char *output = ik_json_string_new(ik_json_member(reply.json, "output"), NULL);

	cr_assert_eq(strlen(output), length, "%zu", strlen(output));
	free(output);
	reply_free(&reply);
}

Test(file_read, bytes)
{
	struct ik_buf text;

	make_text("a", "1\n2\n3\n\n5");
	expect_json(ask("file-read", "{'file_path':'a','byte_offset':2,'byte_limit':3}"),
		"{'output':'2\\n3'}");
	expect_json(ask("file-read", "{'file_path':'a','byte_offset':7}"), "{'output':'5'}");
	expect_json(ask("file-read", "{'file_path':'a','byte_offset':0,'byte_limit':1}"), "{'output':'1'}");
	expect_json(ask("file-read", "{'file_path':'a','byte_limit':1}"), "{'output':'1'}");
	expect_json(ask("file-read", "{'file_path':'a','byte_offset':8}"), "{'output':''}");
	expect_json(ask("file-read", "{'file_path':'a','byte_offset':9223372036854775807}"), "{'output':''}");
	expect_error(ask("file-read", "{'file_path':'a','offset':1,'byte_offset':1}"), "INVALID_ARG",
		"offset and limit are lines and cannot be given with byte_offset or byte_limit");
	/* A line that is longer than any result, in parts. */
	ik_buf_init(&text, SIZE_MAX / 2);
	for (int i = 0; i < 300000; i++)
		ik_buf_putc(&text, (char)('a' + i % 26));
	make_file("line", text.data, text.length);
	ik_buf_done(&text);
	expect_json(ask("file-read", "{'file_path':'line','byte_offset':260000,'byte_limit':3}"),
		"{'output':'abc'}");
	expect_length("{'file_path':'line','byte_offset':1}", 16384);
	expect_length("{'file_path':'line','byte_limit':200000}", 200000);
}

Test(file_read, lines_across_blocks)
{
	struct ik_buf text;

	ik_buf_init(&text, SIZE_MAX / 2);
	for (int i = 1; i <= 100000; i++)
		ik_buf_printf(&text, "line %d\n", i);
	make_file("a", text.data, text.length);
	ik_buf_done(&text);
	expect_json(ask("file-read", "{'file_path':'a','offset':77777,'limit':2}"),
		"{'output':'line 77777\\nline 77778\\n'}");
	expect_json(ask("file-read", "{'file_path':'a','offset':100000}"), "{'output':'line 100000\\n'}");
}

Test(file_read, offset_and_limit_below_one)
{
	make_text("a", "1\n");
	expect_error(ask("file-read", "{'file_path':'a','offset':0}"), "INVALID_ARG",
		"offset must be an integer of at least 1, but is 0");
	expect_error(ask("file-read", "{'file_path':'a','limit':0}"), "INVALID_ARG",
		"limit must be an integer of at least 1, but is 0");
	expect_error(ask("file-read", "{'file_path':'a','limit':-3}"), "INVALID_ARG",
		"limit must be an integer of at least 1, but is -3");
}

Test(file_read, any_bytes)
{
	make_file("a", "a\0b\x01\x1f\"\\\b\f\r\t/", 12);
	expect_json(ask("file-read", "{'file_path':'a'}"),
		"{'output':'a\\u0000b\\u0001\\u001f\\\"\\\\\\b\\f\\r\\t/'}");
	make_text("b", "\xff|\xc3(|\xed\xa0\x80|\xf0\x9f\x98|\xe2\x82\xac|\xc3");
	expect_json(ask("file-read", "{'file_path':'b'}"),
		"{'output':'\uFFFD|\uFFFD(|\uFFFD\uFFFD\uFFFD|\uFFFD|€|\uFFFD'}");
}

Test(file_read, characters_across_blocks)
{
	struct ik_buf text, wanted;

	/* Blocks of 128 KiB: a character of three bytes is split in each possible way. */
	for (int shift = 0; shift < 3; shift++) {
		ik_buf_init(&text, SIZE_MAX / 2);
		ik_buf_init(&wanted, SIZE_MAX / 2);
		for (int i = 0; i < shift; i++)
			ik_buf_putc(&text, 'x');
		while (text.length < 600000)
			ik_buf_puts(&text, "€");
		ik_buf_printf(&wanted, "{'output':'%s\uFFFD'}", text.data);
		ik_buf_puts(&text, "\xe2\x82");
		make_file("a", text.data, text.length);
		expect_json(ask("file-read", "{'file_path':'a'}"), "%s", wanted.data);
		ik_buf_done(&text);
		ik_buf_done(&wanted);
	}
}

Test(file_read, missing)
{
	expect_error(ask("file-read", "{'file_path':'/no/such/missing.txt'}"), "FILE_NOT_FOUND",
		"File not found: /no/such/missing.txt");
	expect_error(ask("file-read", "{'file_path':''}"), "FILE_NOT_FOUND", "File not found: ");
	make_text("configure.ac", "");
	expect_hint(ask("file-read", "{'file_path':'./configure.in'}"), "FILE_NOT_FOUND",
		"Did you mean ./configure.ac?");
	expect_hint(ask("file-read", "{'file_path':'sub/dir/file'}"), "FILE_NOT_FOUND",
		"There is no directory sub.");
	cr_assert_eq(symlink("nowhere", "dangling"), 0);
	expect_error(ask("file-read", "{'file_path':'dangling'}"), "FILE_NOT_FOUND",
		"File not found: dangling");
}

Test(file_read, permission)
{
	make_text("secret", "x");
	cr_assert_eq(chmod("secret", 0), 0);
	expect_error(ask_as_nobody("file-read", "{'file_path':'secret'}"), "PERMISSION_DENIED",
		"Permission denied: secret");
}

Test(file_read, what_is_no_file)
{
	cr_assert_eq(mkdir("dir", 0777), 0);
	expect_error(ask("file-read", "{'file_path':'dir'}"), "READ_FAILED", "Failed to read file: dir");
	expect_error(ask("file-read", "{'file_path':'dir','limit':1}"), "READ_FAILED",
		"Failed to read file: dir");
	cr_assert_eq(mkfifo("fifo", 0666), 0);
	expect_error(ask("file-read", "{'file_path':'fifo'}"), "SEEK_FAILED", "Cannot seek file: fifo");
	expect_error(ask("file-read", "{'file_path':'/dev/zero'}"), "SIZE_FAILED",
		"Cannot get file size: /dev/zero");
	expect_json(ask("file-read", "{'file_path':'/dev/null'}"), "{'output':''}");
}

Test(file_read, what_cannot_be_opened)
{
	char name[5000];

	make_text("a", "x");
	expect_error(ask("file-read", "{'file_path':'a/b'}"), "OPEN_FAILED", "Cannot open file: a/b");
	cr_assert_eq(symlink("loop2", "loop1"), 0);
	cr_assert_eq(symlink("loop1", "loop2"), 0);
	expect_error(ask("file-read", "{'file_path':'loop1'}"), "OPEN_FAILED", "Cannot open file: loop1");
	memset(name, 'n', sizeof(name));
	name[4096] = '\0';
	expect_error(ask("file-read", "{'file_path':'%s'}", name), "OPEN_FAILED",
		"Cannot open file: %s", name);
}

Test(file_read, follows_links_and_odd_names)
{
	make_text("a", "target");
	cr_assert_eq(symlink("a", "link"), 0);
	expect_json(ask("file-read", "{'file_path':'link'}"), "{'output':'target'}");
	make_text("new\nline", "odd");
	expect_json(ask("file-read", "{'file_path':'new\\nline'}"), "{'output':'odd'}");
	make_text("ä\"\\", "quoted");
	expect_json(ask("file-read", "{'file_path':'\\u00e4\\\"\\\\'}"), "{'output':'quoted'}");
}

Test(file_read, proc_files_have_no_size)
{
	struct reply reply = ask("file-read", "{'file_path':'/proc/self/status','limit':1}");

	expect_json(reply, "{'output':'Name:\\tfile-read\\n'}");
}

Test(file_read, files_that_cannot_seek)
{
	struct call call = { .tool = "file-read", .unseekable = true };

	make_text("a", "1\n2\n3\n");
	call.input = "{\"file_path\":\"a\"}";
	expect_json(call_run(&call), "{'output':'1\\n2\\n3\\n'}");
	call.input = "{\"file_path\":\"a\",\"offset\":2,\"limit\":1}";
	expect_json(call_run(&call), "{'output':'2\\n'}");
	call.input = "{\"file_path\":\"a\",\"byte_limit\":3}";
	expect_json(call_run(&call), "{'output':'1\\n2'}");
	call.input = "{\"file_path\":\"a\",\"byte_offset\":2}";
	expect_error(call_run(&call), "READ_FAILED", "Failed to read file: a");
}

Test(file_read, sparse_file_of_5_gigabytes)
{
	int fd = open("sparse", O_RDWR | O_CREAT, 0666);

	cr_assert_eq(pwrite(fd, "first\n", 6, 0), 6);
	cr_assert_eq(ftruncate(fd, (off_t)5 << 30), 0);
	close(fd);
	expect_json(ask("file-read", "{'file_path':'sparse','offset':1,'limit':1}"),
		"{'output':'first\\n'}");
}

Test(file_read, grows_while_it_is_read)
{
	make_text("grow", "start\n");
	struct running running = call_start(&(struct call){ .tool = "file-read",
		.input = "{\"file_path\":\"grow\"}" });
	int fd = open("grow", O_WRONLY | O_APPEND);
	for (int i = 0; i < 1000; i++)
		cr_assert_eq(write(fd, "more\n", 5), 5);
	close(fd);
	struct reply reply = call_finish(running);
	cr_assert_eq(reply.status, 0);
	cr_assert_not_null(reply.json.text);
	reply_free(&reply);
}
