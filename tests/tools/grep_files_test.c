/* grep on files that are unusual in type, size, name, place or permissions. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/tools/support.h"

TestSuite(grep_files, .init = scratch_enter, .fini = scratch_leave, .timeout = 120);

Test(grep_files, empty_ones)
{
	make_text("a", "");
	make_text("b", "\n");
	expect_json(ask("grep", "{'pattern':''}"), "{'output':'b:1: ','count':1}");
	expect_json(ask("grep", "{'pattern':'^$','path':'a'}"), "{'output':'','count':0}");
}

Test(grep_files, that_are_no_files)
{
	cr_assert_eq(mkdir("directory.c", 0777), 0);
	cr_assert_eq(mkfifo("fifo.c", 0666), 0);
	cr_assert_eq(symlink("/dev/zero", "link.c"), 0);
	make_text("file.c", "x\n");
	expect_json(ask("grep", "{'pattern':'x?'}"), "{'output':'file.c:1: x','count':1}");
	expect_json(ask("grep", "{'pattern':'','path':'/dev/zero'}"), "{'output':'','count':0}");
	expect_json(ask("grep", "{'pattern':'','path':'/dev/null'}"), "{'output':'','count':0}");
	expect_json(ask("grep", "{'pattern':'','path':'fifo.c'}"), "{'output':'','count':0}");
	expect_json(ask("grep", "{'pattern':'','path':'link.c'}"), "{'output':'','count':0}");
	expect_json(ask("grep", "{'pattern':'x','path':'file.c/'}"),
		"{'output':'','count':0}");
}

Test(grep_files, of_the_kernel)
{
	/* Of size 0, but not empty. */
	expect_json(ask("grep", "{'pattern':'^Name:','path':'/proc/self/status'}"),
		"{'output':'/proc/self/status:1: Name:\\tgrep','count':1}");
	expect_json(ask("grep", "{'pattern':'^Name:','path':'/proc/self','glob':'stat*s'}"),
		"{'output':'/proc/self/status:1: Name:\\tgrep','count':1}");
	/* Reading fails in the middle. */
	expect_json(ask("grep", "{'pattern':'no such','path':'/proc/self/mem'}"),
		"{'output':'','count':0}");
}

Test(grep_files, links_in_circles)
{
	cr_assert_eq(mkdir("a", 0777), 0);
	cr_assert_eq(symlink("..", "a/up"), 0);
	cr_assert_eq(symlink("self", "self"), 0);
	make_text("a/file", "x\n");
	expect_json(ask("grep", "{'pattern':'x','glob':'**/*'}"), "{'output':'a/file:1: x','count':1}");
	expect_json(ask("grep", "{'pattern':'x','path':'self'}"),
		"{'output':'','count':0}");
	expect_json(ask("grep", "{'pattern':'x','path':'a/up/a/file'}"),
		"{'output':'a/up/a/file:1: x','count':1}");
}

/* Longer than many blocks: each match, including those at the ends of blocks, is found once, with
 * its number. */
Test(grep_files, large_ones)
{
	static const size_t length = 64; /* of a line: a block holds whole ones */
	struct ik_buf text, wanted;
	size_t line = 1;
	int count = 1;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_init(&wanted, SIZE_MAX / 2);
	for (; text.length < 45000000; line++) {
		bool seam = text.length % 4194304 < length || (text.length + length) % 4194304 < length;

		/* The second half is shifted; between the two, one line is longer than several blocks. */
		if (text.length == 16 * 1048576) {
			ik_buf_printf(&text, "%09000001d needle\n", 0);
			ik_buf_printf(&wanted, "large:%zu: %09000001d needle\\n", line++, 0);
			count++;
		}
		ik_buf_printf(&text, "%-56zu%s\n", line, seam ? " needle" : " eldeen");
		count += seam;
		if (seam)
			ik_buf_printf(&wanted, "large:%zu: %-56zu needle\\n", line, line);
	}
	ik_buf_puts(&text, "needle without a line feed");
	ik_buf_printf(&wanted, "large:%zu: needle without a line feed", line);
	make_file("large", text.data, text.length);
	make_text("a", "needle\n");
	make_text("z", "needle\n");
	for (int i = 0; i < 2; i++) {
		struct ik_buf answer;

		ik_buf_init(&answer, SIZE_MAX / 2);
		ik_buf_printf(&answer, "{\"output\":\"%s%s%s\",\"count\":%d}", i == 1 ? "a:1: needle\\n" : "",
			wanted.data, i == 1 ? "\\nz:1: needle" : "", count + 2 * i);
		struct reply reply = i == 0 ? ask("grep", "{'pattern':'needle','path':'large'}") :
			ask("grep", "{'pattern':'n[e]edle'}");
		/* Too large to show. */
		cr_assert(strcmp(reply.out.data, answer.data) == 0);
		reply_free(&reply);
		ik_buf_done(&answer);
	}
	ik_buf_done(&text);
	ik_buf_done(&wanted);
}

Test(grep_files, an_unreadable_directory_ends_nothing)
{
	SKIP_UNLESS_ROOT();
	for (const char *const *name = (const char *const[]){ "a", "b", "c", NULL }; *name != NULL; name++) {
		char path[20];

		cr_assert_eq(mkdir(*name, 0777), 0);
		snprintf(path, sizeof(path), "%s/file", *name);
		make_text(path, "x\n");
	}
	cr_assert_eq(chmod("b", 0), 0);
	expect_json(ask_as_nobody("grep", "{'pattern':'x','glob':'**/*'}"),
		"{'output':'a/file:1: x\\nc/file:1: x','count':2}");
	cr_assert_eq(chmod("b", 0777), 0);
}

Test(grep_files, names_of_any_bytes)
{
	make_text("a\nb", "x\n");
	make_text("\xff\"\\\t", "x\n");
	expect_json(ask("grep", "{'pattern':'x'}"),
		"{'output':'a\\nb:1: x\\n\uFFFD\\\"\\\\\\t:1: x','count':2}");
}

/* As deep as a path that the kernel accepts. */
Test(grep_files, deep_directories)
{
	char here[PATH_MAX], name[201];
	struct ik_buf path;

	cr_assert_not_null(getcwd(here, sizeof(here)));
	ik_buf_init(&path, SIZE_MAX / 2);
	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 20; i++) {
		cr_assert_eq(mkdir(name, 0777), 0);
		cr_assert_eq(chdir(name), 0);
		ik_buf_printf(&path, "%s/", name);
	}
	make_text("bottom", "x\n");
	cr_assert_eq(chdir(here), 0);
	expect_json(ask("grep", "{'pattern':'x','glob':'**/*'}"),
		"{'output':'%sbottom:1: x','count':1}", path.data);
	expect_json(ask("glob", "{'pattern':'**/bottom'}"), "{'output':'%sbottom','count':1}", path.data);
	ik_buf_done(&path);
}

/* Append a byte many times. */
static void append_many(struct ik_buf *text, char byte, size_t count)
{
	char *to = ik_buf_reserve(text, count);

	cr_assert_not_null(to);
	memset(to, byte, count);
	ik_buf_commit(text, count);
}

Test(grep_files, very_long_lines)
{
	const size_t length = 100000000, kept = 20000000;
	struct ik_buf text;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_puts(&text, "one needle\n");
	append_many(&text, 'x', length);
	ik_buf_puts(&text, "\nthree needle\n");
	append_many(&text, 'x', kept);
	ik_buf_puts(&text, "needle");
	append_many(&text, 'y', kept);
	ik_buf_puts(&text, "\nfive needle");
	make_file("a", text.data, text.length);
	/* The second line is skipped, the fourth is kept. */
	struct reply reply = ask("grep", "{'pattern':'needle'}");
	cr_assert_eq(reply.out.length, strlen("{\"output\":\"a:1: one needle\\na:3: three needle\\na:4: "
		"needle\\na:5: five needle\",\"count\":4}") + 2 * kept);
	cr_assert_eq(memcmp(reply.out.data, "{\"output\":\"a:1: one needle\\na:3: three needle\\na:4: xx", 51), 0);
	const char *end = "yy\\na:5: five needle\",\"count\":4}";
	cr_assert_str_eq(reply.out.data + reply.out.length - strlen(end), end);
	reply_free(&reply);
	expect_json(ask("grep", "{'pattern':'^t.*needle$'}"), "{'output':'a:3: three needle','count':1}");
	/* Where the prefilter's sequence spans two blocks. */
	expect_json(ask("grep", "{'pattern':'xneedley+z'}"), "{'output':'','count':0}");
	expect_json(ask("grep", "{'pattern':'^[a-w]+ needle'}"),
		"{'output':'a:1: one needle\\na:3: three needle\\na:5: five needle','count':3}");
	ik_buf_done(&text);
}

Test(grep_files, the_window_of_a_long_line_lies_across_blocks)
{
	struct ik_buf text;

	ik_buf_init(&text, SIZE_MAX / 2);
	for (size_t before = ((4 << 20) + (256 << 10)) - 44; before < (4 << 20) + (256 << 10); before += 5) {
		ik_buf_clear(&text);
		append_many(&text, 'x', before);
		ik_buf_puts(&text, "needle\nlast");
		make_file("a", text.data, text.length);
		struct reply reply = ask("grep", "{'pattern':'needle'}");
		cr_assert_eq(reply.out.length,
			strlen("{\"output\":\"a:1: needle\",\"count\":1}") + before);
		reply_free(&reply);
	}
	ik_buf_done(&text);
}

/* Five gigabytes of which little is stored. */
Test(grep_files, holes)
{
	const off_t size = (off_t)5 << 30;
	struct rusage usage;

	make_text("a", "first needle\n");
	cr_assert_eq(truncate("a", size), 0);
	expect_json(ask("grep", "{'pattern':'needle'}"), "{'output':'a:1: first needle','count':1}");
	int fd = open("a", O_WRONLY | O_APPEND | O_CLOEXEC);
	cr_assert_eq(write(fd, "\nthird needle\n", 14), 14);
	close(fd);
	expect_json(ask("grep", "{'pattern':'needle'}"),
		"{'output':'a:1: first needle\\na:3: third needle','count':2}");
	expect_json(ask("grep", "{'pattern':'[a-z]+ n[e]+dle$'}"),
		"{'output':'a:1: first needle\\na:3: third needle','count':2}");
	/* The line of NULs was not kept. */
	cr_assert_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
	cr_assert_lt(usage.ru_maxrss, 1 << 20);
}

Test(grep_files, that_grow)
{
	struct ik_buf text;

	ik_buf_init(&text, SIZE_MAX / 2);
	while (text.length < 4000000)
		ik_buf_puts(&text, "some text in a line\n");
	make_file("a", text.data, text.length);
	int fd = open("a", O_WRONLY | O_APPEND | O_CLOEXEC);
	struct running running = call_start(&(struct call){ .tool = "grep",
		.input = "{\"pattern\":\"no such\"}" });
	for (int i = 0; i < 10; i++)
		cr_assert_eq(write(fd, text.data, text.length), (ssize_t)text.length);
	close(fd);
	expect_json(call_finish(running), "{'output':'','count':0}");
	ik_buf_done(&text);
}

Test(grep_files, output_that_nobody_takes)
{
	make_text("a", "x\n");
	struct reply reply = call_run(&(struct call){ .tool = "grep", .output = -1,
		.input = "{\"pattern\":\"x\"}" });
	cr_assert_eq(reply.status, 1);
	cr_assert_neq(reply.err.length, 0);
	reply_free(&reply);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	reply = call_run(&(struct call){ .tool = "grep", .output = full,
		.input = "{\"pattern\":\"x\"}" });
	cr_assert_eq(reply.status, 1);
	reply_free(&reply);
	close(full);
}
