#include "provider/practice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "json/write.h"
#include "reading.h"
#include "util/limits.h"

static const char all_tools[] = "glob file_read grep bash file_write file_edit own";

/* A request in the making: messages are added, then it is asked. */
static struct ik_buf request;

static void begin(void)
{
	ik_buf_init(&request, IK_LIMIT_REQUEST);
	ik_json_open(&request, '{');
	ik_json_key(&request, "messages");
	ik_json_open(&request, '[');
}

static void end(void)
{
	ik_buf_done(&request);
}

TestSuite(practice, .init = begin, .fini = end);

static void add(const char *role, const char *text)
{
	ik_json_open(&request, '{');
	ik_json_key(&request, "role");
	ik_json_put_text(&request, role);
	ik_json_key(&request, "content");
	ik_json_put_text(&request, text);
	ik_json_close(&request, '}');
}

static void add_call(const char *id, const char *name, const char *arguments)
{
	ik_json_open(&request, '{');
	ik_json_key(&request, "role");
	ik_json_put_text(&request, "assistant");
	ik_json_key(&request, "content");
	ik_json_put_null(&request);
	ik_json_key(&request, "tool_calls");
	ik_json_open(&request, '[');
	ik_json_open(&request, '{');
	ik_json_key(&request, "id");
	ik_json_put_text(&request, id);
	ik_json_key(&request, "function");
	ik_json_open(&request, '{');
	ik_json_key(&request, "name");
	ik_json_put_text(&request, name);
	ik_json_key(&request, "arguments");
	ik_json_put_text(&request, arguments);
	ik_json_close(&request, '}');
	ik_json_close(&request, '}');
	ik_json_close(&request, ']');
	ik_json_close(&request, '}');
}

static void add_result(const char *id, const char *envelope)
{
	ik_json_open(&request, '{');
	ik_json_key(&request, "role");
	ik_json_put_text(&request, "tool");
	ik_json_key(&request, "tool_call_id");
	ik_json_put_text(&request, id);
	ik_json_key(&request, "content");
	ik_json_put_text(&request, envelope);
	ik_json_close(&request, '}');
}

/* Ask with these tools (words) and read the answer through the real decoder. */
static char *ask(const char *tools, bool forbid)
{
	struct ik_practice_answer answer;
	struct ik_buf body;
	char *words = strdup(tools), *rest = words, *word;

	ik_json_close(&request, ']');
	ik_json_key(&request, "tools");
	ik_json_open(&request, '[');
	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		ik_json_open(&request, '{');
		ik_json_key(&request, "function");
		ik_json_open(&request, '{');
		ik_json_key(&request, "name");
		ik_json_put_text(&request, word);
		ik_json_close(&request, '}');
		ik_json_close(&request, '}');
	}
	ik_json_close(&request, ']');
	if (forbid) {
		ik_json_key(&request, "tool_choice");
		ik_json_put_text(&request, "none");
	}
	ik_json_close(&request, '}');
	free(words);

	ik_practice_answer(request.data, request.length, &answer);
	cr_assert_eq(answer.status, 200);
	ik_buf_init(&body, IK_LIMIT_REPLY);
	for (size_t index = 0; index < answer.count; index++) {
		cr_assert_eq(strncmp(answer.chunks[index], "data: ", 6), 0);
		cr_assert_str_eq(answer.chunks[index] + strlen(answer.chunks[index]) - 2, "\n\n");
		ik_buf_puts(&body, answer.chunks[index]);
	}
	cr_assert_str_eq(answer.chunks[answer.count - 1], "data: [DONE]\n\n");
	ik_practice_answer_done(&answer);
	char *lines = read_body("openai-chat", body.data, body.length, 7);
	ik_buf_done(&body);
	return lines;
}

/* Without its usage line. */
static void assert_answer(char *lines, const char *wanted)
{
	char *usage = strstr(lines, "\nusage: ");
	cr_assert_not_null(usage, "%s", lines);
	char *after = strchr(usage + 1, '\n');
	memmove(usage, after, strlen(after) + 1);
	cr_assert_str_eq(lines, wanted);
	free(lines);
}

/* What a line makes it call first. */
static void assert_call(const char *line, const char *name, const char *arguments)
{
	char wanted[1000];
	begin();
	add("user", line);
	snprintf(wanted, sizeof wanted, "call 0: id=call_1 name=%s\narguments 0: %s\nstop: tool_calls",
		name, arguments);
	assert_answer(ask(all_tools, false), wanted);
	end();
}

Test(practice, calls_what_it_is_told_to)
{
	end();
	assert_call("list *.c", "glob", "{\"pattern\":\"*.c\"}");
	assert_call("  LIST  \"src/**/*.h\" ", "glob", "{\"pattern\":\"src/**/*.h\"}");
	assert_call("list", "glob", "{\"pattern\":\"*\"}");
	assert_call("list *.c in src", "glob", "{\"pattern\":\"*.c\",\"path\":\"src\"}");
	assert_call("read README.md", "file_read", "{\"file_path\":\"README.md\"}");
	assert_call("read 'a file'", "file_read", "{\"file_path\":\"a file\"}");
	assert_call("read every *.md", "glob", "{\"pattern\":\"*.md\"}");
	assert_call("search main", "grep", "{\"pattern\":\"main\"}");
	assert_call("search int main in *.c", "grep", "{\"pattern\":\"int main\",\"glob\":\"*.c\"}");
	assert_call("search x in src/lib/**/*.c", "grep",
		"{\"pattern\":\"x\",\"glob\":\"**/*.c\",\"path\":\"src/lib\"}");
	assert_call("search x in /*", "grep", "{\"pattern\":\"x\",\"glob\":\"*\",\"path\":\"/\"}");
	assert_call("search \"a in b\" in src", "grep", "{\"pattern\":\"a in b\",\"path\":\"src\"}");
	assert_call("run echo 'a  b' | wc", "bash", "{\"command\":\"echo 'a  b' | wc\"}");
	/* What goes with a message is no part of the order; what looks like it may be. */
	assert_call("run ls\n\n<command line=\"/undo\">\na: restored\n</command>\n\n"
		"<shell command=\"pwd\">\n/\n</shell>", "bash", "{\"command\":\"ls\"}");
	assert_call("run cat <<E\n\n<shell command=\"E", "bash",
		"{\"command\":\"cat <<E\\n\\n<shell command=\\\"E\"}");
	assert_call("write hello to you to note.txt", "file_write",
		"{\"file_path\":\"note.txt\",\"content\":\"hello to you\"}");
	assert_call("write two\nlines to x", "file_write", "{\"file_path\":\"x\",\"content\":\"two\\nlines\"}");
	assert_call("replace old with new in f.c", "file_edit",
		"{\"file_path\":\"f.c\",\"old_string\":\"old\",\"new_string\":\"new\"}");
	assert_call("replace 'a with b' with \"c in d\" in f.c", "file_edit",
		"{\"file_path\":\"f.c\",\"old_string\":\"a with b\",\"new_string\":\"c in d\"}");
	assert_call("replace don't with do in f.c", "file_edit",
		"{\"file_path\":\"f.c\",\"old_string\":\"don't\",\"new_string\":\"do\"}");
	assert_call("call own {\"a\": [1, 2]}", "own", "{\"a\": [1, 2]}");
	assert_call("call own", "own", "{}");
	assert_call("call own not json", "own", "not json");
	assert_call("run \xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80", "bash",
		"{\"command\":\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\"}");
	begin();
}

Test(practice, says_plainly_what_it_is)
{
	static const char *const lines[] = { "hello", "help", "", "read", "write x", "replace a in b",
		"call", "run", "search", "listen" };
	end();
	for (size_t index = 0; index < sizeof lines / sizeof *lines; index++) {
		begin();
		add("user", lines[index]);
		char *answer = ask(all_tools, false);
		cr_assert_eq(strncmp(answer, "text: I am no language model.", 29), 0, "%s", lines[index]);
		cr_assert_not_null(strstr(answer, "OPENAI_API_KEY"));
		cr_assert_not_null(strstr(answer, "\nstop: end"));
		free(answer);
		end();
	}
	begin();
}

Test(practice, streams_its_calls_and_words_in_pieces)
{
	struct ik_practice_answer answer;
	add("user", "run 0123456789012345678901234567890123456789");
	ik_buf_puts(&request, "],\"tools\":[{\"function\":{\"name\":\"bash\"}}]}");
	ik_practice_answer(request.data, request.length, &answer);
	cr_assert_gt(answer.count, 7);
	ik_practice_answer_done(&answer);
	cr_assert_eq(answer.count, 0);
}

Test(practice, speaks_of_what_was_found)
{
	add("user", "list *.c");
	add_call("call_1", "glob", "{\"pattern\":\"*.c\"}");
	add_result("call_1", "{\"tool_success\":true,\"result\":{\"output\":\"a.c\\nb.c\",\"count\":2}}");
	assert_answer(ask(all_tools, false), "text: `glob` found 2 files:\n\n- `a.c`\n- `b.c`\n\nstop: end");
}

Test(practice, speaks_of_nothing_found)
{
	add("user", "list *.x");
	add_call("call_1", "glob", "{\"pattern\":\"*.x\"}");
	add_result("call_1", "{\"tool_success\":true,\"result\":{\"output\":\"\",\"count\":0}}");
	assert_answer(ask(all_tools, false), "text: `glob` found no file for `*.x`.\n\nstop: end");
}

Test(practice, speaks_of_failures)
{
	add("user", "run sleep 99");
	add_call("call_1", "bash", "{\"command\":\"sleep 99\"}");
	add_result("call_1", "{\"tool_success\":false,\"error\":\"Tool 'bash' timed out after 30s\","
		"\"error_code\":\"TOOL_TIMEOUT\",\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"oh ``` no\"}");
	assert_answer(ask(all_tools, false), "text: The call of `bash` failed: Tool 'bash' timed out "
		"after 30s (`TOOL_TIMEOUT`)\n\n````\noh ``` no\n````\n\nstop: end");
}

Test(practice, speaks_of_a_tools_own_error)
{
	add("user", "read x");
	add_call("call_1", "file_read", "{\"file_path\":\"x\"}");
	add_result("call_1", "{\"tool_success\":true,\"result\":{\"error\":\"File not found: x\","
		"\"error_code\":\"FILE_NOT_FOUND\"},\"limit_reached\":true,\"limit_message\":\"Stop.\"}");
	assert_answer(ask(all_tools, true), "text: `file_read` could not do it: File not found: x "
		"(`FILE_NOT_FOUND`)\n\nStop.\n\nstop: end");
}

Test(practice, speaks_of_any_tool)
{
	add("user", "call own {}");
	add_call("call_1", "own", "{}");
	add_result("call_1", "{\"tool_success\":true,\"result\":{\"answer\":42}}");
	assert_answer(ask(all_tools, false),
		"text: `own` answered:\n\n```json\n{\n  \"answer\": 42\n}\n```\n\nstop: end");
}

Test(practice, shows_the_first_lines_of_a_long_output)
{
	struct ik_buf envelope;
	add("user", "read big");
	add_call("call_1", "file_read", "{\"file_path\":\"big\"}");
	ik_buf_init(&envelope, IK_MIB(1));
	ik_buf_puts(&envelope, "{\"tool_success\":true,\"result\":{\"output\":\"");
	for (int line = 0; line < 500; line++)
		ik_buf_printf(&envelope, "line %d\\n", line);
	ik_buf_puts(&envelope, "\"}}");
	add_result("call_1", envelope.data);
	ik_buf_done(&envelope);
	char *lines = ask(all_tools, false);
	cr_assert_not_null(strstr(lines, "`big` has 500 lines"));
	cr_assert_not_null(strstr(lines, "line 19\n```\n\n480 more lines"));
	free(lines);
}

Test(practice, reads_every_file_in_two_rounds)
{
	add("user", "an earlier message");
	add_call("call_1", "glob", "{}");
	add_result("call_1", "{}");
	add("assistant", "words");
	add("user", "read every *.md");
	add_call("call_2", "glob", "{\"pattern\":\"*.md\"}");
	add_result("call_2", "{\"tool_success\":true,\"result\":{\"output\":\"a.md\\nb.md\",\"count\":2}}");
	size_t length = request.length;
	assert_answer(ask(all_tools, false), "call 0: id=call_3 name=file_read\n"
		"arguments 0: {\"file_path\":\"a.md\"}\ncall 1: id=call_4 name=file_read\n"
		"arguments 1: {\"file_path\":\"b.md\"}\nstop: tool_calls");

	ik_buf_truncate(&request, length);
	add_call("call_3", "file_read", "{\"file_path\":\"a.md\"}");
	add_call("call_4", "file_read", "{\"file_path\":\"b.md\"}");
	add_result("call_3", "{\"tool_success\":true,\"result\":{\"output\":\"one\\ntwo\\n\"}}");
	add_result("call_4", "{\"tool_success\":true,\"result\":{\"error\":\"Permission denied: b.md\"}}");
	assert_answer(ask(all_tools, false), "text: I have read 2 files:\n\n- `a.md`: 2 lines, 8 bytes\n"
		"- `b.md`: `file_read` could not do it: Permission denied: b.md\n\nstop: end");
}

Test(practice, finds_nothing_to_read)
{
	add("user", "read every *.md");
	add_call("call_1", "glob", "{\"pattern\":\"*.md\"}");
	add_result("call_1", "{\"tool_success\":true,\"result\":{\"output\":\"\",\"count\":0}}");
	assert_answer(ask(all_tools, false), "text: `glob` found no file for `*.md`.\n\nstop: end");
}

Test(practice, calls_only_what_is_offered)
{
	add("user", "list *.c");
	assert_answer(ask("own other", false), "text: I would call the tool `glob`, but it is not "
		"offered to me. Those that are: `own`, `other`.\n\nstop: end");
}

Test(practice, knows_when_there_are_no_tools)
{
	add("user", "list *.c");
	assert_answer(ask("", false), "text: I would call the tool `glob`, but it is not offered to "
		"me. No tool is.\n\nstop: end");
}

Test(practice, obeys_a_round_without_calls)
{
	add("user", "list *.c");
	assert_answer(ask(all_tools, true), "text: I would call the tool `glob`, but no call is "
		"allowed in this round.\n\nstop: end");
}

Test(practice, streams_and_thinks)
{
	add("user", "stream 7");
	size_t length = request.length;
	assert_answer(ask("", false), "text: water runs past the old mill and\nstop: end");

	ik_buf_truncate(&request, length);
	add("user", "think about bread");
	char *lines = ask("", false);
	cr_assert_eq(strncmp(lines, "thinking: The person wants me to think about bread.", 50), 0);
	cr_assert_not_null(strstr(lines, "\ntext: I have thought"));
	free(lines);
}

Test(practice, counts_words)
{
	add("system", "one two");
	add("user", "stream 7");
	char *lines = ask("", false);
	cr_assert_not_null(strstr(lines, "\nusage: 4 7 0 0\n"), "%s", lines);
	free(lines);
}

Test(practice, reads_texts_in_parts)
{
	ik_buf_puts(&request, "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"list \"},"
		"{\"type\":\"text\",\"text\":\"*.c\"}]}");
	assert_answer(ask(all_tools, false), "call 0: id=call_1 name=glob\n"
		"arguments 0: {\"pattern\":\"*.c\"}\nstop: tool_calls");
}

Test(practice, refuses_what_is_no_request)
{
	static const char *const bodies[] = { "", "{", "[]", "{\"messages\":{}}", "null" };
	for (size_t index = 0; index < sizeof bodies / sizeof *bodies; index++) {
		struct ik_practice_answer answer;
		struct ik_json_span value;
		ik_practice_answer(bodies[index], strlen(bodies[index]), &answer);
		cr_assert_eq(answer.status, 400);
		cr_assert_eq(answer.count, 1);
		cr_assert_eq(ik_json_check(answer.chunks[0], strlen(answer.chunks[0]), &value, NULL), IK_OK);
		cr_assert_gt(ik_json_at(value, "error.message").length, 5);
		ik_practice_answer_done(&answer);
	}
}

Test(practice, survives_odd_requests)
{
	static const char *const bodies[] = {
		"{\"messages\":[]}",
		"{\"messages\":[null,1,\"x\",{},{\"role\":1},{\"role\":\"user\"},{\"role\":\"tool\"}]}",
		"{\"messages\":[{\"role\":\"user\",\"content\":\"read every *\"},{\"role\":\"tool\",\"content\":\"x\"}]}",
		("{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[null,{\"id\":3}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":[]}],\"tools\":{\"a\":1}}"),
	};
	for (size_t index = 0; index < sizeof bodies / sizeof *bodies; index++) {
		struct ik_practice_answer answer;
		ik_practice_answer(bodies[index], strlen(bodies[index]), &answer);
		cr_assert_eq(answer.status, 200);
		cr_assert_geq(answer.count, 3);
		ik_practice_answer_done(&answer);
	}
}
