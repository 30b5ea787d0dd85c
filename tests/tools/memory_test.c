/* Run the tools with less address space than they need (RLIMIT_AS): whatever the limit, the answer
 * is right or OUT_OF_MEMORY. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/support/sanitized.h"
#include "tests/tools/support.h"
#include "util/limits.h"

TestSuite(memory, .init = scratch_enter, .fini = scratch_leave, .timeout = 300);

/* From a limit at which a program cannot even be loaded to more than any of these calls needs. */
#define LEAST IK_KIB(2000)
#define MOST IK_MIB(12)
/* Between two limits; a fault may show only in a narrow range. */
#define STEP IK_KIB(100)

/* Did the process end before main() for lack of memory? The dynamic linker reports that. */
static bool not_loaded(const struct reply *reply)
{
	return (reply->status == 127 && strstr(reply->err.data, "loading shared libraries") != NULL) ||
		strstr(reply->err.data, "cannot allocate TLS data") != NULL ||
		(reply->status == 128 + 11 && reply->out.length == 0 && reply->err.length == 0);
}

/* After so many right answers in a row, there is enough memory. */
#define ENOUGH 8

/* Call the tool with rising limits until there is enough memory; return how often it answered
 * OUT_OF_MEMORY. */
static int answers_without_memory(const char *tool, const char *input, void (*prepare)(void))
{
	struct call call = { .tool = tool, .input = input };
	struct reply wanted;
	int refused = 0, right = 0;

	prepare();
	wanted = call_run(&call);
	for (call.memory = LEAST; call.memory < MOST && right < ENOUGH; call.memory += STEP) {
		prepare();
		struct reply reply = call_run(&call);
		bool same = reply.out.length == wanted.out.length &&
			memcmp(reply.out.data, wanted.out.data, wanted.out.length) == 0;

		if (!not_loaded(&reply)) {
			cr_assert_eq(reply.status, 0, "%s with %ju bytes: status %d, %.200s", tool,
				(uintmax_t)call.memory, reply.status, reply.err.data);
			cr_assert(same || ik_json_string_is(ik_json_member(reply.json, "error_code"),
					"OUT_OF_MEMORY"),
				"%s with %ju bytes: %.200s", tool, (uintmax_t)call.memory, reply.out.data);
			refused += !same;
			right = same ? right + 1 : 0;
		}
		reply_free(&reply);
	}
	reply_free(&wanted);
	return refused;
}

static void prepare_nothing(void)
{
}

/* Expect that OUT_OF_MEMORY occurs between the limits. */
static void expect_refusals(const char *tool, const char *input, void (*prepare)(void))
{
	if (SANITIZED)
		cr_skip("the sanitizer needs the address space itself");
	cr_assert_gt(answers_without_memory(tool, input, prepare), 0, "%s was never out of memory", tool);
}

/* Many files in many directories. */
static void make_files(void)
{
	char name[80];

	cr_assert_eq(mkdir("many", 0777), 0);
	for (int i = 0; i < 4000; i++) {
		snprintf(name, sizeof(name), "many/a_name_that_takes_some_room_in_memory_%04d", i);
		make_text(name, "needle\n");
	}
}

Test(memory, glob)
{
	make_files();
	expect_refusals("glob", "{\"pattern\":\"*\",\"path\":\"many\"}", prepare_nothing);
	expect_refusals("glob", "{\"pattern\":\"**/*\"}", prepare_nothing);
}

Test(memory, grep)
{
	make_files();
	expect_refusals("grep", "{\"pattern\":\"needle\",\"path\":\"many\"}", prepare_nothing);
	expect_refusals("grep", "{\"pattern\":\"^n.*(e|d)\",\"glob\":\"**/*\"}", prepare_nothing);
}

/* A line that does not fit is not the end of its file. */
Test(memory, grep_of_a_long_line)
{
	struct call call = { .tool = "grep", .memory = IK_MIB(48),
		.input = "{\"pattern\":\"needle\",\"path\":\"long\",\"context\":1}" };

	if (SANITIZED)
		cr_skip("the sanitizer needs the address space itself");
	make_text("long", "");
	cr_assert_eq(truncate("long", (off_t)IK_MIB(64)), 0);
	struct reply reply = call_run(&call);
	cr_assert_eq(reply.status, 0);
	expect_error(reply, "OUT_OF_MEMORY", "Out of memory");
}

/* One and a half megabytes, a fifth of which is replaced. */
static void make_large_file(void)
{
	struct ik_buf text;

	ik_buf_init(&text, SIZE_MAX / 2);
	while (text.length < 1500000)
		ik_buf_puts(&text, "12o45");
	make_file("large", text.data, text.length);
	ik_buf_done(&text);
}

Test(memory, file_write)
{
	struct ik_buf input;

	ik_buf_init(&input, SIZE_MAX / 2);
	ik_buf_puts(&input, "{\"file_path\":\"a\",\"content\":\"");
	for (int i = 0; i < 300000; i++)
		ik_buf_putc(&input, 'x');
	ik_buf_puts(&input, "\"}");
	expect_refusals("file-write", input.data, prepare_nothing);
	ik_buf_done(&input);
}

/* These work in blocks, so they never need more memory than at their start. */
Test(memory, file_read_and_file_edit)
{
	if (SANITIZED)
		cr_skip("the sanitizer needs the address space itself");
	make_large_file();
	(void)answers_without_memory("file-read", "{\"file_path\":\"large\"}", prepare_nothing);
	(void)answers_without_memory("file-edit", "{\"file_path\":\"large\",\"old_string\":\"o\","
		"\"new_string\":\"new\",\"replace_all\":true}", make_large_file);
}
