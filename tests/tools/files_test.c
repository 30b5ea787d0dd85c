/* Files that are not regular, or that change: all tools treat them alike. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/tools/support.h"
#include "json/write.h"

TestSuite(files, .init = scratch_enter, .fini = scratch_leave, .timeout = 120);

#define EDIT "{'file_path':'%s','old_string':'old','new_string':'new text'}"

/* Expect an error code, and the whole path in the message. */
static void expect_code(struct reply reply, const char *code, const char *path)
{
	char *text = ik_json_string_new(ik_json_member(reply.json, "error"), NULL);

	cr_assert_not_null(text, "%s: wanted %s, got %.300s", path, code, reply.out.data);
	cr_assert(ik_json_string_is(ik_json_member(reply.json, "error_code"), code),
		"%s: wanted %s, got %.300s", path, code, reply.out.data);
	cr_assert(strlen(text) > strlen(path) &&
		strcmp(text + strlen(text) - strlen(path), path) == 0, "%s", text);
	free(text);
	reply_free(&reply);
}

/* Expect that a search found nothing. */
static void expect_nothing(struct reply reply)
{
	expect_json(reply, "{'output':'','count':0}");
}

Test(files, that_are_none)
{
	static const struct {
		const char *path, *read, *edit, *write; /* codes; NULL: it works */
	} cases[] = {
		{ "missing", "FILE_NOT_FOUND", "FILE_NOT_FOUND", NULL },
		{ "no/such/directory", "FILE_NOT_FOUND", "FILE_NOT_FOUND", "OPEN_FAILED" },
		{ "", "FILE_NOT_FOUND", "FILE_NOT_FOUND", "OPEN_FAILED" },
		{ ".", "READ_FAILED", "READ_FAILED", "OPEN_FAILED" },
		{ "dir", "READ_FAILED", "READ_FAILED", "OPEN_FAILED" },
		{ "dir/", "READ_FAILED", "READ_FAILED", "OPEN_FAILED" },
		{ "file/", "OPEN_FAILED", "OPEN_FAILED", "OPEN_FAILED" },
		{ "file/below", "OPEN_FAILED", "OPEN_FAILED", "OPEN_FAILED" },
		{ "fifo", "SEEK_FAILED", "SEEK_FAILED", "OPEN_FAILED" },
		{ "socket", "OPEN_FAILED", "OPEN_FAILED", "OPEN_FAILED" },
		{ "loop1", "OPEN_FAILED", "OPEN_FAILED", "OPEN_FAILED" },
		{ "loop1/below", "OPEN_FAILED", "OPEN_FAILED", "OPEN_FAILED" },
		{ "/dev/null", NULL, "NOT_FOUND", NULL },
		{ "/dev/zero", "SIZE_FAILED", "SIZE_FAILED", NULL },
		{ "/dev/full", "SIZE_FAILED", "SIZE_FAILED", "NO_SPACE" },
		{ "/dev/random", "SIZE_FAILED", "SIZE_FAILED", NULL },
		{ "/proc/self/mem", "READ_FAILED", "READ_FAILED", NULL },
		{ "/proc/self/comm", NULL, "NOT_FOUND", NULL },
	};
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert_eq(bind(listening, (const struct sockaddr *)&address, sizeof(address)), 0);
	cr_assert_eq(mkdir("dir", 0777), 0);
	make_text("file", "text");
	cr_assert_eq(mkfifo("fifo", 0666), 0);
	cr_assert_eq(symlink("loop2", "loop1"), 0);
	cr_assert_eq(symlink("loop1", "loop2"), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = cases[i].path;
		struct reply reply = ask("file-read", "{'file_path':'%s'}", path);

		if (cases[i].read != NULL)
			expect_code(reply, cases[i].read, path);
		else
			done(reply);
		reply = ask("file-edit", EDIT, path);
		if (strcmp(cases[i].edit, "NOT_FOUND") != 0)
			expect_code(reply, cases[i].edit, path);
		else
			expect_error(reply, "NOT_FOUND", "String not found in file");
		/* What a program writes into its own memory is its own affair. */
		if (strcmp(path, "/proc/self/mem") == 0)
			continue;
		reply = ask("file-write", "{'file_path':'%s','content':'x'}", path);
		if (cases[i].write != NULL)
			expect_code(reply, cases[i].write, path);
		else
			cr_assert_not_null(ik_json_member(reply.json, "bytes").text, "%s", path);
		if (cases[i].write == NULL)
			done(reply);
	}
	expect_text("file", "text");
	close(listening);
}

Test(files, that_cannot_be_sought)
{
	int ends[2];

	/* The tool's own stdin, from which the input has been read. */
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], "{\"file_path\":\"/dev/stdin\"}", 26), 26);
	close(ends[1]);
	expect_error(call_run(&(struct call){ .tool = "file-read", .stdin_fd = ends[0] }),
		"SEEK_FAILED", "Cannot seek file: /dev/stdin");
	close(ends[0]);
}

Test(files, of_proc_have_contents_without_a_size)
{
	struct stat status;

	cr_assert_eq(stat("/proc/self/comm", &status), 0);
	cr_assert_eq(status.st_size, 0);
	expect_json(ask("file-read", "{'file_path':'/proc/self/comm'}"), "{'output':'file-read\\n'}");
	expect_json(ask("file-read", "{'file_path':'/proc/self/comm','offset':2}"), "{'output':''}");
	expect_json(ask("file-edit", "{'file_path':'/proc/self/comm','old_string':'edit',"
		"'new_string':'x'}"), "{'output':'Replaced 1 occurrence in comm','replacements':1,'line':1}");
	expect_json(ask("file-write", "{'file_path':'/proc/self/comm','content':'name'}"),
		"{'output':'Wrote 4 bytes to comm','bytes':4}");
}

Test(files, with_odd_names)
{
	static const char *const names[] = { "new\nline", "\n", "tab\there", "\"quoted\"", "back\\slash",
		"\x01\x1f\x7f", " ", "-rf", "*", "[a]", "\u202e", "😀", "\\", "$(touch ran)", "%s%n" };
	struct ik_buf quoted, wanted;

	ik_buf_init(&quoted, 10000);
	ik_buf_init(&wanted, 10000);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = names[i];

		done(ask_bytes("file-write", "{'file_path':'%s','content':'an old text'}", name,
			strlen(name)));
		expect_text(name, "an old text");
		done(ask_bytes("file-edit", "{'file_path':'%s','old_string':'old','new_string':'new'}",
			name, strlen(name)));
		struct reply reply = ask_bytes("file-read", "{'file_path':'%s'}", name, strlen(name));
		cr_assert_str_eq(reply.out.data, "{\"output\":\"an new text\"}");
		reply_free(&reply);
		ik_buf_clear(&quoted);
		ik_json_escape(&quoted, name, strlen(name));
		reply = ask("glob", "{'pattern':'*'}");
		ik_buf_clear(&wanted);
		ik_buf_printf(&wanted, "{\"output\":\"%s\",\"count\":1}", quoted.data);
		cr_assert_str_eq(reply.out.data, wanted.data);
		reply_free(&reply);
		reply = ask("grep", "{'pattern':'text'}");
		ik_buf_clear(&wanted);
		ik_buf_printf(&wanted, "{\"output\":\"%s:1: an new text\",\"count\":1}", quoted.data);
		cr_assert_str_eq(reply.out.data, wanted.data);
		reply_free(&reply);
		cr_assert_eq(unlink(name), 0);
	}
	ik_buf_done(&quoted);
	ik_buf_done(&wanted);
}

Test(files, with_names_that_are_no_utf8)
{
	make_text("caf\xe9", "old text");
	expect_json(ask("glob", "{'pattern':'caf*'}"), "{'output':'caf\uFFFD','count':1}");
	expect_json(ask("glob", "{'pattern':'**/caf*'}"), "{'output':'caf\uFFFD','count':1}");
	expect_json(ask("grep", "{'pattern':'text'}"), "{'output':'caf\uFFFD:1: old text','count':1}");
	expect_json(ask("bash", "{'command':'ls'}"), "{'output':'caf\uFFFD','exit_code':0}");
	/* JSON cannot express such names; what it has is another name. */
	expect_error(ask("file-read", "{'file_path':'caf\uFFFD'}"), "FILE_NOT_FOUND",
		"File not found: caf\uFFFD");
	struct reply reply = call_run(&(struct call){ .tool = "file-read",
		.input = "{\"file_path\":\"caf\xe9\"}" });
	expect_error_with(reply, "INVALID_ARG", "no valid JSON");
	expect_json(ask("bash", "{'command':'cat caf?'}"), "{'output':'old text','exit_code':0}");
}

Test(files, with_paths_as_long_as_they_may_be)
{
	char path[PATH_MAX + 2];

	/* 4,095 bytes are the system's limit. */
	memset(path, '/', sizeof(path));
	path[0] = '.';
	memcpy(path + PATH_MAX - 1 - 4, "file", 5);
	expect_json(ask("file-write", "{'file_path':'%s','content':'old'}", path),
		"{'output':'Wrote 3 bytes to file','bytes':3}");
	expect_json(ask("file-edit", EDIT, path),
		"{'output':'Replaced 1 occurrence in file','replacements':1,'line':1}");
	expect_json(ask("file-read", "{'file_path':'%s'}", path), "{'output':'new text'}");
	expect_json(ask("glob", "{'pattern':'%s'}", path), "{'output':'%s','count':1}", path);
	expect_json(ask("grep", "{'pattern':'text','path':'%s'}", path),
		"{'output':'%s:1: new text','count':1}", path);
	memset(path, '/', sizeof(path));
	path[0] = '.';
	memcpy(path + PATH_MAX - 4, "file", 5);
	expect_code(ask("file-write", "{'file_path':'%s','content':'old'}", path), "OPEN_FAILED", path);
	expect_code(ask("file-edit", EDIT, path), "OPEN_FAILED", path);
	expect_code(ask("file-read", "{'file_path':'%s'}", path), "OPEN_FAILED", path);
	expect_nothing(ask("glob", "{'pattern':'%s'}", path));
	expect_nothing(ask("glob", "{'pattern':'**','path':'%s'}", path));
	expect_nothing(ask("grep", "{'pattern':'text','path':'%s'}", path));
}

/* Start reading a large file into a pipe, as far as that goes. */
static struct running read_begun(int *ret_end, size_t length)
{
	char *content = malloc(length);
	int ends[2];

	memset(content, 'x', length);
	make_file("changing", content, length);
	free(content);
	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	struct running running = call_start(&(struct call){ .tool = "file-read", .output = ends[1],
		.input = "{\"file_path\":\"changing\"}" });
	close(ends[1]);
	char first;
	cr_assert_eq(read(ends[0], &first, 1), 1);
	cr_assert_eq(first, '{');
	*ret_end = ends[0];
	return running;
}

/* Read the rest and return the number of bytes, which must end the object. */
static size_t read_rest(struct running running, int end)
{
	static char block[100000];
	size_t got = 1;
	char last = 0;

	for (ssize_t count; (count = read(end, block, sizeof(block))) > 0; last = block[count - 1])
		got += (size_t)count;
	close(end);
	cr_assert_eq(last, '}');
	struct reply reply = call_finish(running);
	cr_assert_eq(reply.status, 0);
	reply_free(&reply);
	return got - strlen("{\"output\":\"\"}");
}

Test(files, that_vanish_while_they_are_read)
{
	int end;
	struct running running = read_begun(&end, 3000000);

	cr_assert_eq(unlink("changing"), 0);
	cr_assert_eq(read_rest(running, end), 3000000);
}

Test(files, that_shrink_while_they_are_read)
{
	int end;
	struct running running = read_begun(&end, 3000000);

	cr_assert_eq(truncate("changing", 0), 0);
	cr_assert_lt(read_rest(running, end), 3000000);
}

Test(files, that_grow_while_they_are_read)
{
	int end;
	struct running running = read_begun(&end, 3000000);
	int fd = open("changing", O_WRONLY | O_APPEND);

	cr_assert_eq(write(fd, "more", 4), 4);
	close(fd);
	cr_assert_eq(read_rest(running, end), 3000004);
}

Test(files, of_5_gigabytes)
{
	off_t length = (off_t)5 << 30;
	int fd = open("sparse", O_RDWR | O_CREAT, 0666);
	struct stat status;
	char end[20];

	cr_assert_eq(write(fd, "first\n", 6), 6);
	cr_assert_eq(pwrite(fd, "\nold\nlast", 9, length), 9);
	cr_assert_eq(fstat(fd, &status), 0);
	if (status.st_blocks > 1000000)
		cr_skip("the file system has no sparse files");
	expect_json(ask("file-read", "{'file_path':'sparse','limit':1}"), "{'output':'first\\n'}");
	struct reply reply = ask("file-read", "{'file_path':'sparse','offset':3,'limit':1}");
	cr_assert_lt(reply.peak_kib, 256 * 1024);
	expect_json(reply, "{'output':'old\\n'}");
	expect_json(ask("file-read", "{'file_path':'sparse','offset':5}"), "{'output':''}");
	/* With a rename and, because of the second link, in place. */
	for (int i = 0; i < 2; i++) {
		reply = ask("file-edit", "{'file_path':'sparse','old_string':'%s','new_string':'%s'}",
			i == 0 ? "old" : "longer", i == 0 ? "longer" : "old");
		cr_assert_lt(reply.peak_kib, 256 * 1024);
		expect_json(reply, "{'output':'Replaced 1 occurrence in sparse','replacements':1,'line':3}");
		close(fd);
		fd = open("sparse", O_RDONLY);
		cr_assert_eq(fstat(fd, &status), 0);
		cr_assert_eq(status.st_size, length + (i == 0 ? 12 : 9));
		cr_assert_lt(status.st_blocks, 1000000, "the hole was filled");
		cr_assert_eq(pread(fd, end, 6, 0), 6);
		cr_assert_eq(memcmp(end, "first\n", 6), 0);
		ssize_t rest = i == 0 ? 13 : 10;
		cr_assert_eq(pread(fd, end, sizeof(end), length - 1), rest);
		cr_assert_eq(memcmp(end, i == 0 ? "\0\nlonger\nlast" : "\0\nold\nlast", (size_t)rest), 0);
		cr_assert_eq(link("sparse", i == 0 ? "second" : "third"), 0);
	}
	expect_error(ask("file-edit", "{'file_path':'sparse','old_string':'none','new_string':'x'}"),
		"NOT_FOUND", "String not found in file");
	close(fd);
}

Test(files, on_a_full_file_system)
{
	size_t length = 1000000;
	char *content = malloc(length + 1);

	memset(content, 'x', length);
	content[length] = '\0';
	make_mount("small", 0, "size=256k,mode=777");
	make_text("small/file", "old");
	make_text("small/linked", "old linked");
	cr_assert_eq(link("small/linked", "small/second"), 0);
	expect_error(ask("file-write", "{'file_path':'small/file','content':'%s'}", content),
		"NO_SPACE", "No space left on device: small/file");
	expect_error(ask("file-write", "{'file_path':'small/made','content':'%s'}", content),
		"NO_SPACE", "No space left on device: small/made");
	expect_error(ask("file-write", "{'file_path':'small/linked','content':'%s'}", content),
		"NO_SPACE", "No space left on device: small/linked");
	for (int i = 0; i < 2; i++)
		expect_error(ask("file-edit", "{'file_path':'%s','old_string':'old','new_string':'%s'}",
			i == 0 ? "small/file" : "small/linked", content), "NO_SPACE",
			"No space left on device: %s", i == 0 ? "small/file" : "small/linked");
	expect_text("small/file", "old");
	expect_text("small/linked", "old linked");
	cr_assert_neq(access("small/made", F_OK), 0, "a file that could not be written must not appear");
	cr_assert_eq(chdir("small"), 0);
	cr_assert_eq(count_names(".ikigai-"), 0);
	expect_json(ask("file-edit", EDIT, "file"),
		"{'output':'Replaced 1 occurrence in file','replacements':1,'line':1}");
	expect_json(ask("bash", "{'command':'cat file'}"), "{'output':'new text','exit_code':0}");
	cr_assert_eq(chdir(".."), 0);
	drop_mount("small");
	free(content);
}

Test(files, on_a_read_only_file_system)
{
	make_mount("fixed", 0, "size=64k,mode=777");
	make_text("fixed/file", "old");
	cr_assert_eq(mount("none", "fixed", "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k"), 0);
	expect_json(ask("file-read", "{'file_path':'fixed/file'}"), "{'output':'old'}");
	expect_hint(ask("file-write", "{'file_path':'fixed/file','content':'x'}"), "OPEN_FAILED",
		"Read-only file system");
	expect_error(ask("file-write", "{'file_path':'fixed/made','content':'x'}"), "OPEN_FAILED",
		"Cannot open file: fixed/made");
	expect_hint(ask("file-edit", EDIT, "fixed/file"), "OPEN_FAILED", "Read-only file system");
	expect_text("fixed/file", "old");
	expect_json(ask("glob", "{'pattern':'**','path':'fixed'}"),
		"{'output':'fixed/file','count':1}");
	drop_mount("fixed");
}

Test(files, that_grow_beyond_a_limit_of_size)
{
	static const char *const tools[] = { "file-write", "file-edit" };
	static const char *const beginnings[] = {
		"{\"file_path\":\"a\",\"content\":\"",
		"{\"file_path\":\"a\",\"old_string\":\"old\",\"new_string\":\"",
	};
	char text[2000];

	make_text("a", "old");
	memset(text, 'x', sizeof(text));
	for (int i = 0; i < 4; i++) {
		struct ik_buf input;

		/* The second time in place, because of a second link. */
		if (i == 2)
			cr_assert_eq(link("a", "b"), 0);
		ik_buf_init(&input, SIZE_MAX / 2);
		ik_buf_puts(&input, beginnings[i % 2]);
		ik_buf_append(&input, text, sizeof(text));
		ik_buf_puts(&input, "\"}");
		make_file("input", input.data, input.length);
		ik_buf_done(&input);
		expect_json(ask("bash", "{'command':'ulimit -f 1; exec %s/libexec/%s <input'}",
			getenv("IK_TOP_BUILDDIR"), tools[i % 2]),
			"{'output':'{\\'error\\':\\'Failed to write file: a\\',\\'error_code\\':"
			"\\'WRITE_FAILED\\',\\'hint\\':\\'File too large\\'}','exit_code':0}");
		expect_text("a", "old");
		cr_assert_eq(count_names(".ikigai-"), 0);
	}
}
