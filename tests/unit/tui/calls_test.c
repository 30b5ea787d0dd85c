#include "tui/scrollback/calls.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"
#include "tui/scrollback/call_parts.h"
#include "util/alloc.h"
#include "util/limits.h"

/* The text of a call with that outcome; '|' before the mark of what is left out. */
static const char *text_of(const char *envelope)
{
	static char out[16384];
	struct ik_calls *calls = ik_calls_new();
	ik_calls_set_open_key(calls, "Alt-i");
	struct ik_shown_call *call = ik_calls_get(calls, "id", "glob");
	ik_calls_set_arguments(calls, call, "{\"pattern\":\"*.c\"}", 17);
	ik_calls_set_envelope(calls, call, envelope, strlen(envelope), 12);
	struct ik_buf text;
	size_t head, tail;
	ik_buf_init(&text, IK_MIB(1));
	ik_call_text(call, IK_CALL_LINES, &text, &head, &tail);
	cr_assert_leq(head, text.length);
	if (tail < text.length)
		ik_buf_insert(&text, tail, "|", 1);
	(void)snprintf(out, sizeof out, "%s", text.data);
	ik_buf_done(&text);
	ik_calls_free(calls);
	return out;
}

#define HEAD "glob pattern=*.c · 12 ms"
#define EXIT "glob pattern=*.c · exit 2 · 12 ms"

Test(calls, results_read_as_text)
{
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":\"plain\"}"), HEAD "\nplain");
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":{\"output\":\"a.c\\nb.c\\n\",\"count\":2}}"),
		HEAD "\na.c\nb.c\ncount: 2");
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":{\"output\":\"a.c\",\"count\":1}}"),
		HEAD "\noutput: a.c  count: 1");
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":{\"output\":\"\",\"code\":0}}"),
		HEAD "\ncode: 0");
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":[1,{\"a\":2}]}"), HEAD "\n[1,{\"a\":2}]");
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":{}}"), HEAD "\n{}");
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":{\"a\":\"1\\n2\",\"b\":\"3\\n4\"}}"),
		HEAD "\n1\n2\nb:\n3\n4");
}

Test(calls, failures_read_as_a_sentence_with_what_was_printed)
{
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":{\"error\":\"File not found: x\","
		"\"error_code\":\"FILE_NOT_FOUND\"}}"), HEAD "\nFile not found: x (FILE_NOT_FOUND)");
	cr_assert_str_eq(text_of("{\"tool_success\":false,\"error\":\"Tool 'glob' crashed with exit code 1\","
		"\"error_code\":\"TOOL_CRASHED\",\"exit_code\":1,\"stdout\":\"\",\"stderr\":\"oh\\u001b[31m no\\n\"}"),
		HEAD "\nTool 'glob' crashed with exit code 1 (TOOL_CRASHED)\noh␛[31m no");
	cr_assert_str_eq(text_of("no JSON"), HEAD "\nno result");
}

Test(calls, a_command_that_failed_is_no_secret)
{
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":{\"output\":\"no\",\"exit_code\":2}}"),
		EXIT "\noutput: no  exit_code: 2");
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":{\"output\":\"no\",\"exit_code\":0}}"),
		HEAD "\noutput: no  exit_code: 0");
	cr_assert_str_eq(text_of("{\"tool_success\":true,\"result\":{\"exit_code\":\"2\"}}"),
		HEAD "\nexit_code: 2");
}

Test(calls, long_results_are_folded)
{
	struct ik_buf envelope;
	ik_buf_init(&envelope, IK_MIB(1));
	ik_buf_puts(&envelope, "{\"tool_success\":true,\"result\":{\"output\":\"");
	for (int i = 1; i <= 50; i++)
		ik_buf_printf(&envelope, "%d\\n", i);
	ik_buf_puts(&envelope, "\"}}");
	const char *text = text_of(envelope.data);
	cr_assert(strstr(text, "\n20|\n… 30 more lines (Alt-i)"), "%s", text);
	cr_assert_not(strstr(text, "\n21"));
	ik_buf_clear(&envelope);
	ik_buf_puts(&envelope, "{\"tool_success\":true,\"result\":\"");
	for (int i = 0; i < 10000; i++)
		ik_buf_puts(&envelope, "é");
	ik_buf_puts(&envelope, "\"}");
	text = text_of(envelope.data);
	cr_assert_lt(strlen(text), 4200);
	cr_assert(strstr(text, "é|\n… 1 more line (Alt-i)"));
	ik_buf_done(&envelope);
}

/* A call of bash, as it reads when that many lines of its outcome are shown. */
static const char *command_text(const char *result, size_t lines)
{
	static char out[4096];
	static const char arguments[] = "{\"command\":\"make\"}";
	struct ik_calls *calls = ik_calls_new();
	tools_use(calls);
	struct ik_shown_call *call = ik_calls_get(calls, "id", "bash");
	struct ik_buf text;
	size_t head, tail;
	ik_calls_set_open_key(calls, "F3");
	call->open_key = "F3";
	ik_calls_set_arguments(calls, call, arguments, strlen(arguments));
	ik_calls_set_envelope(calls, call, result, strlen(result), 12);
	cr_assert_eq(ik_call_kind(call), IK_DISPLAY_EXECUTE);
	ik_buf_init(&text, IK_MIB(1));
	ik_call_text(call, lines, &text, &head, &tail);
	(void)snprintf(out, sizeof out, "%s", text.data);
	ik_buf_done(&text);
	ik_calls_free(calls);
	return out;
}

#define MAKE "$ make · 12 ms"
#define BASH(output) "{\"tool_success\":true,\"result\":{\"output\":\"" output "\",\"exit_code\":0}}"

Test(calls, of_a_command_the_last_lines_are_shown)
{
	cr_assert_str_eq(command_text(BASH("1\\n2\\n3\\n"), 6), MAKE "\n1\n2\n3");
	cr_assert_str_eq(command_text(BASH("1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n"), 6),
		MAKE "\n… 2 more lines (F3)\n3\n4\n5\n6\n7\n8");
	cr_assert_str_eq(command_text(BASH("one"), 6), MAKE "\none");
	cr_assert_str_eq(command_text(BASH(""), 6), MAKE);
	cr_assert_str_eq(command_text(BASH("1\\n2"), 0), MAKE " · 2 lines");
	cr_assert_str_eq(command_text(BASH("1\\n2\\n3"), IK_CALL_ALL), MAKE "\n1\n2\n3\nexit_code: 0");
	cr_assert_str_eq(command_text("{\"tool_success\":false,\"error\":\"Tool 'bash' timed out\","
		"\"error_code\":\"TOOL_TIMEOUT\",\"stdout\":\"1\\n2\\n3\\n\"}", 2),
		MAKE "\nTool 'bash' timed out (TOOL_TIMEOUT)\n1\n2\n… 1 more line (F3)");
}

#define CANCELLED(stdout)                                                                          \
	"{\"tool_success\":false,\"error\":\"Tool 'bash' was cancelled\","                               \
	"\"error_code\":\"TOOL_CANCELLED\",\"exit_code\":null,\"stdout\":\"" stdout                       \
	"\",\"stderr\":\"1\\n2\\n\"}"

/* What it printed is for people, the JSON that it answered is not. */
Test(calls, of_a_cancelled_command_the_output_is_shown)
{
	static const char text[] = MAKE "\nTool 'bash' was cancelled (TOOL_CANCELLED)\n1\n2";

	cr_assert_str_eq(command_text(CANCELLED("{\\\"output\\\":\\\"1\\\"}"), 6), text);
	cr_assert_str_eq(command_text(CANCELLED(""), 6), text);
	cr_assert_str_eq(command_text(CANCELLED("3"), 6), MAKE
		"\nTool 'bash' was cancelled (TOOL_CANCELLED)\n1\n2\n3");
}

/* All that a call was given, in its order and with its names. */
Test(calls, an_opened_edit_reads_as_one)
{
	static const char arguments[] = "{\"file_path\":\"parse.c\",\"old_string\":\"    return 1;\","
		"\"new_string\":\"    /* more */\\n    return 2;\",\"replace_all\":false}";
	static const char other[] = "{\"content\":\"one\\ntwo\\n\",\"file_path\":\"parse.c\",\"mode\":420}";
	static const char envelope[] = "{\"tool_success\":true,\"result\":{\"line\":7}}";
	static const char several[] = "{\"tool_success\":true,\"result\":{\"line\":7,\"count\":3}}";
	struct ik_calls *calls = ik_calls_new();
	tools_use(calls);
	struct ik_shown_call *call = ik_calls_get(calls, "a", "file_edit");
	struct ik_buf text;
	size_t head, tail;
	ik_buf_init(&text, IK_MIB(1));
	ik_calls_set_arguments(calls, call, arguments, strlen(arguments));
	ik_calls_set_envelope(calls, call, envelope, strlen(envelope), 1);
	ik_call_text(call, IK_CALL_ALL, &text, &head, &tail);
	cr_assert_str_eq(text.data + head, " · +2 -1 · 1 ms\nfile_path: parse.c\nreplace_all: false\n\n"
		"7 -     return 1;\n7 +     /* more */\n8 +     return 2;");
	/* All places count. */
	ik_buf_clear(&text);
	call = ik_calls_get(calls, "c", "file_edit");
	ik_calls_set_arguments(calls, call, arguments, strlen(arguments));
	ik_calls_set_envelope(calls, call, several, strlen(several), 1);
	ik_call_text(call, 1, &text, &head, &tail);
	cr_assert_str_eq(text.data + head, " · +6 -3 · 1 ms\n7 -     return 1;\n… 2 more lines");
	ik_buf_clear(&text);
	call = ik_calls_get(calls, "b", "file_write");
	ik_calls_set_arguments(calls, call, other, strlen(other));
	ik_calls_set_envelope(calls, call, envelope, strlen(envelope), 1);
	ik_call_text(call, IK_CALL_ALL, &text, &head, &tail);
	cr_assert_str_eq(text.data + head, " · 2 lines · 1 ms\nfile_path: parse.c\nmode: 420\n\n1 + one\n2 + two");
	ik_buf_done(&text);
	ik_calls_free(calls);
}

/* An edit without texts has nothing to compare. */
Test(calls, facts_are_shown_once)
{
	static const char arguments[] = "{\"path\":\"old.txt\"}";
	static const char envelope[] = "{\"tool_success\":true,\"result\":{\"count\":2}}";
	struct ik_calls *calls = ik_calls_new();
	struct ik_buf text;
	size_t head, tail;
	tools_use(calls);
	struct ik_shown_call *call = ik_calls_get(calls, "a", "remove");
	ik_buf_init(&text, IK_MIB(1));
	ik_calls_set_arguments(calls, call, arguments, strlen(arguments));
	ik_calls_set_envelope(calls, call, envelope, strlen(envelope), 5);
	cr_assert_not(ik_call_text(call, 12, &text, &head, &tail));
	cr_assert_str_eq(text.data, "Remove old.txt · 2 files · 5 ms\ncount: 2");
	ik_buf_done(&text);
	ik_calls_free(calls);
}

/* A tool that says nothing of its calls, with an argument "command". */
Test(calls, an_unknown_command_is_shown_as_one)
{
	static const char arguments[] = "{\"command\":\"make\"}";
	struct ik_calls *calls = ik_calls_new();
	struct ik_shown_call *call = ik_calls_get(calls, "a", "shell");
	size_t length;
	ik_calls_set_arguments(calls, call, arguments, strlen(arguments));
	cr_assert_eq(ik_call_kind(call), IK_DISPLAY_EXECUTE);
	cr_assert_str_eq(ik_call_line(call, &length), "shell command=make");
	tools_use(calls);
	cr_assert_eq(ik_call_kind(call), IK_DISPLAY_EXECUTE);
	call = ik_calls_get(calls, "b", "glob");
	ik_calls_set_arguments(calls, call, arguments, strlen(arguments));
	cr_assert_eq(ik_call_kind(call), IK_DISPLAY_SEARCH);
	ik_calls_free(calls);
}

Test(calls, a_call_goes_through_its_states)
{
	struct ik_calls *calls = ik_calls_new();
	struct ik_shown_call *call = ik_calls_get(calls, "a", NULL);
	cr_assert_eq(call->stage, IK_STAGE_WRITING);
	cr_assert_eq(ik_calls_get(calls, "a", "bash"), call);
	cr_assert_str_eq(call->name, "bash");
	ik_calls_set_stage(calls, call, IK_STAGE_RUNNING);
	cr_assert_eq(ik_calls_running(calls), 1);
	cr_assert_eq(call->started_ms, -1);
	ik_calls_tick(calls, 5000);
	cr_assert_eq(call->started_ms, 5000);
	unsigned version = call->version;
	ik_calls_add_output(calls, call, true, "1\n2\n3\n4\n5\n6\n7\n", 14);
	cr_assert_neq(call->version, version);
	struct ik_buf text;
	size_t head, tail;
	ik_buf_init(&text, IK_MIB(1));
	ik_call_text(call, IK_CALL_LINES, &text, &head, &tail);
	cr_assert_str_eq(text.data + head, "\n2\n3\n4\n5\n6\n7");
	ik_buf_done(&text);
	static const char envelope[] = "{\"tool_success\":true,\"result\":1}";
	struct ik_message *message = ik_message_tool_result("a", "bash", envelope, strlen(envelope),
		true, 77, NULL);
	ik_calls_set_result(calls, call, message);
	ik_message_unref(message);
	cr_assert_eq(call->stage, IK_STAGE_OK);
	cr_assert_eq(call->duration_ms, 77);
	cr_assert_eq(ik_calls_running(calls), 0);
	ik_calls_set_envelope(calls, call, "{}", 2, 1);
	ik_calls_set_stage(calls, call, IK_STAGE_RUNNING);
	cr_assert_eq(call->stage, IK_STAGE_OK);
	ik_calls_free(calls);
}

Test(calls, arguments_grow_and_their_line_with_them)
{
	struct ik_calls *calls = ik_calls_new();
	struct ik_shown_call *call = ik_calls_get(calls, "a", "x");
	size_t length;
	ik_calls_grow_arguments(calls, call, "{\"a\":", 5);
	cr_assert_str_eq(ik_call_line(call, &length), "x");
	/* What is there already isn't read again: many pieces would take quadratic time. */
	ik_calls_grow_arguments(calls, call, "?????1}", 7);
	cr_assert_str_eq(ik_call_line(call, &length), "x a=1");
	unsigned version = call->version;
	ik_calls_set_arguments(calls, call, "{\"a\":1}", 7);
	cr_assert_eq(call->version, version);
	ik_calls_set_arguments(calls, call, "{\"b\":\"\033\"}", 9);
	cr_assert_str_eq(ik_call_line(call, &length), "x {\"b\":\"␛\"}");
	cr_assert_str_eq(call->arguments.data, "{\"b\":\"\033\"}");
	ik_calls_get(calls, "a", "y");
	cr_assert_eq(ik_call_line(call, &length)[0], 'y');
	ik_calls_free(calls);
}

Test(calls, the_end_of_a_turn_ends_what_never_got_a_result)
{
	struct ik_calls *calls = ik_calls_new();
	struct ik_shown_call *call = ik_calls_get(calls, "a", "x");
	ik_calls_set_stage(calls, call, IK_STAGE_RUNNING);
	ik_calls_end_turn(calls);
	cr_assert_eq(call->stage, IK_STAGE_FAILED);
	cr_assert_eq(ik_calls_running(calls), 0);
	static const char late[] = "{\"tool_success\":true,\"result\":1}";
	ik_calls_set_envelope(calls, call, late, strlen(late), 3);
	cr_assert_eq(call->stage, IK_STAGE_OK);
	ik_calls_free(calls);
}

Test(calls, thousands_are_found_by_id_and_keep_their_order)
{
	struct ik_calls *calls = ik_calls_new();
	char id[20];
	for (int i = 0; i < 5000; i++) {
		(void)snprintf(id, sizeof id, "new%d", i);
		ik_calls_get(calls, id, "t");
	}
	for (int i = 0; i < 100; i++) {
		(void)snprintf(id, sizeof id, "old%d", i);
		ik_calls_get_at(calls, (size_t)i, id, "t");
	}
	cr_assert_eq(ik_calls_count(calls), 5100);
	cr_assert_str_eq(ik_calls_at(calls, 0)->id, "old0");
	cr_assert_str_eq(ik_calls_at(calls, 99)->id, "old99");
	cr_assert_str_eq(ik_calls_at(calls, 100)->id, "new0");
	cr_assert_eq(ik_calls_get(calls, "new4999", NULL), ik_calls_at(calls, 5099));
	ik_calls_free(calls);
}

Test(calls, whole_outputs_of_old_calls_are_let_go)
{
	static const char envelope[] = "{\"tool_success\":true,\"result\":1}";
	const size_t length = IK_LIMIT_OLD_OUTPUT / 3;
	struct ik_bytes *bytes;
	struct ik_buf large;
	struct ik_calls *calls = ik_calls_new();
	struct ik_shown_call *call[5];

	ik_buf_init(&large, length);
	cr_assert(ik_buf_reserve(&large, length));
	ik_buf_commit(&large, length);
	bytes = ik_bytes_take(&large);
	call[0] = ik_calls_get(calls, "running", "t");
	ik_calls_set_stage(calls, call[0], IK_STAGE_RUNNING);
	ik_calls_add_output(calls, call[0], true, "still here", 10);
	for (int i = 1; i < 5; i++) {
		char id[] = {(char)('0' + i), '\0'};
		call[i] = ik_calls_get(calls, id, "t");
		ik_calls_set_stage(calls, call[i], IK_STAGE_RUNNING);
		ik_calls_set_envelope(calls, call[i], envelope, strlen(envelope), 1);
		ik_calls_set_whole(calls, call[i], (struct ik_bytes *[2]){
			i % 2 ? NULL : bytes, i % 2 ? bytes : NULL});
	}
	cr_assert_eq(call[0]->errors.length, 10, "one that runs keeps what it has");
	cr_assert_null(call[1]->whole[1], "the oldest gives way");
	cr_assert_eq(call[2]->whole[0], bytes);
	cr_assert_eq(call[3]->whole[1], bytes);
	cr_assert_eq(call[4]->whole[0], bytes);
	ik_calls_free(calls);
	ik_bytes_unref(bytes);
}

/* What the store was handed is not held a second time. */
Test(calls, whole_outputs_that_are_stored_are_not_held)
{
	static const char envelope[] = "{\"tool_success\":true,\"result\":1}";
	struct ik_message *result = ik_message_tool_result("c", "t", envelope, strlen(envelope),
		true, 1, (size_t[2]){ 3, 0 });
	struct ik_calls *calls = ik_calls_new();
	struct ik_shown_call *call = ik_calls_get(calls, "c", "t");
	struct ik_bytes *bytes[2];

	for (int i = 0; i < 2; i++) {
		struct ik_buf text;

		ik_buf_init(&text, 10);
		ik_buf_puts(&text, "abc");
		bytes[i] = ik_bytes_take(&text);
	}
	ik_calls_set_result(calls, call, result);
	ik_calls_set_whole(calls, call, bytes);
	cr_assert_eq(call->whole[0], bytes[0], "the store cannot give it");
	ik_calls_set_stored(calls, true);
	ik_calls_set_whole(calls, call, bytes);
	cr_assert_null(call->whole[0]);
	cr_assert_eq(ik_call_text_length(call, IK_CALL_OUTPUT), 3);
	cr_assert_eq(call->whole[1], bytes[1], "the store was not handed it");
	ik_calls_free(calls);
	ik_message_unref(result);
	for (int i = 0; i < 2; i++)
		ik_bytes_unref(bytes[i]);
}

Test(calls, keep_the_end_of_what_comes)
{
	struct ik_calls *calls = ik_calls_new();
	struct ik_shown_call *call = ik_calls_get(calls, "c", "t");
	char piece[1000];
	size_t sent = 0;

	memset(piece, 'x', sizeof piece);
	ik_calls_set_stage(calls, call, IK_STAGE_RUNNING);
	for (; sent < 3 * IK_LIMIT_LIVE_OUTPUT; sent += sizeof piece) {
		ik_calls_add_output(calls, call, false, piece, sizeof piece);
		cr_assert_leq(call->output.length, IK_LIMIT_LIVE_OUTPUT);
	}
	ik_calls_add_output(calls, call, false, "end", 3);
	cr_assert_geq(call->output.length, IK_LIMIT_LIVE_OUTPUT / 2);
	cr_assert_eq(call->left_out[0] + call->output.length, sent + 3);
	cr_assert_str_eq(call->output.data + call->output.length - 3, "end");
	cr_assert_eq(call->left_out[1], 0);
	ik_calls_free(calls);
}
