#include "provider/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "reading.h"
#include "util/limits.h"

static const char all_tools[] = "glob file_read grep bash file_write file_edit own";

TestSuite(practice, .init = asking_begin, .fini = asking_end);

/* Ask with this prompt and these tools (words), and read the answer. */
static char *ask_prompted(const char *prompt, const char *tools, bool forbid, size_t *ret_steps)
{
	struct ik_tool_definition definitions[8] = { { .name = NULL } };
	struct ik_request request = { .model = IK_PRACTICE_MODEL, .system_prompt = prompt,
		.conversation = conversation, .tools = definitions, .forbid_calls = forbid };
	char *words = strdup(tools), *rest = words, *word, *lines;

	while ((word = strsep(&rest, " "))) {
		if (*word)
			definitions[request.tool_count++].name = word;
	}
	lines = read_answer(&ik_practice_format, &request, ret_steps);
	free(words);
	return lines;
}

static char *ask(const char *tools, bool forbid)
{
	size_t steps;

	return ask_prompted(NULL, tools, forbid, &steps);
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
	asking_begin();
	say(IK_KIND_USER, line);
	snprintf(wanted, sizeof wanted, "call 0: id=call_1 name=%s\narguments 0: %s\nstop: tool_calls",
		name, arguments);
	assert_answer(ask(all_tools, false), wanted);
	asking_end();
}

Test(practice, calls_what_it_is_told_to)
{
	asking_end();
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
	/* What only looks like an attachment is part of the order. */
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
	asking_begin();
}

Test(practice, takes_no_order_from_what_goes_with_a_message)
{
	static const char text[] = "run ls\n\n<command line=\"/undo\">\na: restored\n</command>\n\n"
		"<shell command=\"pwd\">\n/\n</shell>";
	static const char data[] = "{\"typed\":6,\"attached\":[]}";
	give(ik_message_new(IK_KIND_USER, text, sizeof text - 1, data, sizeof data - 1));
	assert_answer(ask(all_tools, false), "call 0: id=call_1 name=bash\n"
		"arguments 0: {\"command\":\"ls\"}\nstop: tool_calls");
}

Test(practice, follows_the_prompt_that_a_command_became)
{
	static const char text[] = "/show all\n\n<prompt file=\"show.md\">\nrun ls\n</prompt>\n\n"
		"<file path=\"a\">\n</prompt>\n</file>";
	static const char data[] = "{\"typed\":9,\"attached\":[]}";
	give(ik_message_new(IK_KIND_USER, text, sizeof text - 1, data, sizeof data - 1));
	assert_answer(ask(all_tools, false), "call 0: id=call_1 name=bash\n"
		"arguments 0: {\"command\":\"ls\"}\nstop: tool_calls");
}

Test(practice, says_plainly_what_it_is)
{
	static const char *const lines[] = { "help", "" };
	asking_end();
	for (size_t index = 0; index < sizeof lines / sizeof *lines; index++) {
		asking_begin();
		say(IK_KIND_USER, lines[index]);
		char *answer = ask(all_tools, false);
		cr_assert_eq(strncmp(answer, "text: I am no language model.", 29), 0, "%s", lines[index]);
		cr_assert_not_null(strstr(answer, "OPENAI_API_KEY"));
		cr_assert_not_null(strstr(answer, "\nstop: end"));
		free(answer);
		asking_end();
	}
	asking_begin();
}

/* What it can't do is answered in a sentence that says what to type. */
Test(practice, answers_what_it_does_not_know_to_the_point)
{
	static const char *const lines[][2] = {
		{"hello there", "I don't know `hello there`. I only follow a few rules: try `list *.c`, "
			"`run ls`, or `help`."},
		{"listen\nto this", "I don't know `listen`. I only"},
		{"sh -c 'ls'", "I don't know `sh`; try `run sh -c 'ls'`."},
		{"/bin/sh", "I don't know `/bin/sh`. I only"},
		{"read", "Say it like this: `read FILE`. `help` lists what I understand."},
		{"write x", "Say it like this: `write TEXT to FILE`."},
		{"replace a in b", "Say it like this: `replace A with B in FILE`."},
		{"call", "Say it like this: `call TOOL"},
		{"run", "Say it like this: `run COMMAND`."},
	};
	asking_end();
	for (size_t index = 0; index < sizeof lines / sizeof *lines; index++) {
		asking_begin();
		say(IK_KIND_USER, lines[index][0]);
		char *answer = ask(all_tools, false);
		cr_assert(strstr(answer, lines[index][1]), "%s: %s", lines[index][0], answer);
		cr_assert_not_null(strstr(answer, "\nstop: end"));
		free(answer);
		asking_end();
	}
	asking_begin();
}

Test(practice, streams_its_calls_and_words_in_pieces)
{
	size_t steps;

	say(IK_KIND_USER, "run echo 1 2 3 4 5 6 7 8 9");
	free(ask_prompted(NULL, "bash", false, &steps));
	cr_assert_eq(steps, 7);
	/* However long it is, it ends soon. */
	say(IK_KIND_USER, "stream 100000");
	free(ask_prompted(NULL, "bash", false, &steps));
	cr_assert(steps > 50 && steps * IK_SCRIPT_PACE_MS <= 900);
}

Test(practice, speaks_of_what_was_found)
{
	say(IK_KIND_USER, "list *.c");
	call("call_1", "glob", "{\"pattern\":\"*.c\"}");
	result("call_1", "{\"tool_success\":true,\"result\":{\"output\":\"a.c\\nb.c\",\"count\":2}}");
	assert_answer(ask(all_tools, false), "text: `glob` found 2 files:\n\n- `a.c`\n- `b.c`\n\nstop: end");
}

Test(practice, speaks_of_nothing_found)
{
	say(IK_KIND_USER, "list *.x");
	call("call_1", "glob", "{\"pattern\":\"*.x\"}");
	result("call_1", "{\"tool_success\":true,\"result\":{\"output\":\"\",\"count\":0}}");
	assert_answer(ask(all_tools, false), "text: `glob` found no file for `*.x`.\n\nstop: end");
}

Test(practice, speaks_of_failures)
{
	say(IK_KIND_USER, "run sleep 99");
	call("call_1", "bash", "{\"command\":\"sleep 99\"}");
	result("call_1", "{\"tool_success\":false,\"error\":\"Tool 'bash' timed out after 30s\","
		"\"error_code\":\"TOOL_TIMEOUT\",\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"oh ``` no\"}");
	assert_answer(ask(all_tools, false), "text: The call of `bash` failed: Tool 'bash' timed out "
		"after 30s (`TOOL_TIMEOUT`)\n\n````\noh ``` no\n````\n\nstop: end");
}

Test(practice, speaks_of_a_tools_own_error)
{
	say(IK_KIND_USER, "read x");
	call("call_1", "file_read", "{\"file_path\":\"x\"}");
	result("call_1", "{\"tool_success\":true,\"result\":{\"error\":\"File not found: x\","
		"\"error_code\":\"FILE_NOT_FOUND\"},\"limit_reached\":true,\"limit_message\":\"Stop.\"}");
	assert_answer(ask(all_tools, true), "text: `file_read` could not do it: File not found: x "
		"(`FILE_NOT_FOUND`)\n\nStop.\n\nstop: end");
}

Test(practice, speaks_of_any_tool)
{
	say(IK_KIND_USER, "call own {}");
	call("call_1", "own", "{}");
	result("call_1", "{\"tool_success\":true,\"result\":{\"answer\":42}}");
	assert_answer(ask(all_tools, false),
		"text: `own` answered:\n\n```json\n{\n  \"answer\": 42\n}\n```\n\nstop: end");
}

Test(practice, shows_the_first_lines_of_a_long_output)
{
	struct ik_buf envelope;
	say(IK_KIND_USER, "read big");
	call("call_1", "file_read", "{\"file_path\":\"big\"}");
	ik_buf_init(&envelope, IK_MIB(1));
	ik_buf_puts(&envelope, "{\"tool_success\":true,\"result\":{\"output\":\"");
	for (int line = 0; line < 500; line++)
		ik_buf_printf(&envelope, "line %d\\n", line);
	ik_buf_puts(&envelope, "\"}}");
	result("call_1", envelope.data);
	ik_buf_done(&envelope);
	char *lines = ask(all_tools, false);
	cr_assert_not_null(strstr(lines, "`big` has 500 lines"));
	cr_assert_not_null(strstr(lines, "line 19\n```\n\n480 more lines are with the call: F3 "));
	free(lines);
}

Test(practice, reads_every_file_in_two_rounds)
{
	say(IK_KIND_USER, "an earlier message");
	call("call_1", "glob", "{}");
	result("call_1", "{}");
	say(IK_KIND_ASSISTANT, "words");
	say(IK_KIND_USER, "read every *.md");
	call("call_2", "glob", "{\"pattern\":\"*.md\"}");
	result("call_2", "{\"tool_success\":true,\"result\":{\"output\":\"a.md\\nb.md\",\"count\":2}}");
	assert_answer(ask(all_tools, false), "call 0: id=call_3 name=file_read\n"
		"arguments 0: {\"file_path\":\"a.md\"}\ncall 1: id=call_4 name=file_read\n"
		"arguments 1: {\"file_path\":\"b.md\"}\nstop: tool_calls");

	call("call_3", "file_read", "{\"file_path\":\"a.md\"}");
	call("call_4", "file_read", "{\"file_path\":\"b.md\"}");
	result("call_3", "{\"tool_success\":true,\"result\":{\"output\":\"one\\ntwo\\n\"}}");
	result("call_4", "{\"tool_success\":true,\"result\":{\"error\":\"Permission denied: b.md\"}}");
	assert_answer(ask(all_tools, false), "text: I have read 2 files:\n\n- `a.md`: 2 lines, 8 bytes\n"
		"- `b.md`: `file_read` could not do it: Permission denied: b.md\n\nstop: end");
}

Test(practice, finds_nothing_to_read)
{
	say(IK_KIND_USER, "read every *.md");
	call("call_1", "glob", "{\"pattern\":\"*.md\"}");
	result("call_1", "{\"tool_success\":true,\"result\":{\"output\":\"\",\"count\":0}}");
	assert_answer(ask(all_tools, false), "text: `glob` found no file for `*.md`.\n\nstop: end");
}

Test(practice, calls_only_what_is_offered)
{
	say(IK_KIND_USER, "list *.c");
	assert_answer(ask("own other", false), "text: I would call the tool `glob`, but it is not "
		"offered to me. Those that are: `own`, `other`.\n\nstop: end");
}

Test(practice, knows_when_there_are_no_tools)
{
	say(IK_KIND_USER, "list *.c");
	assert_answer(ask("", false), "text: I would call the tool `glob`, but it is not offered to "
		"me. No tool is.\n\nstop: end");
}

Test(practice, obeys_a_round_without_calls)
{
	say(IK_KIND_USER, "list *.c");
	assert_answer(ask(all_tools, true), "text: I would call the tool `glob`, but no call is "
		"allowed in this round.\n\nstop: end");
}

Test(practice, streams_and_thinks)
{
	say(IK_KIND_USER, "stream 7");
	assert_answer(ask("", false), "text: water runs past the old mill and\nstop: end");

	say(IK_KIND_USER, "think about bread");
	char *lines = ask("", false);
	cr_assert_eq(strncmp(lines, "thinking: The person wants me to think about bread.", 50), 0);
	cr_assert_not_null(strstr(lines, "\ntext: I have thought"));
	free(lines);
}

Test(practice, counts_words)
{
	size_t steps;
	char *lines;

	say(IK_KIND_USER, "list x");
	say(IK_KIND_ASSISTANT, "I  do");
	call("call_1", "glob", "{\"pattern\": \"x\"}");
	result("call_1", "{ \"a\":\n1 }");
	say(IK_KIND_USER, "stream 7");
	lines = ask_prompted("one two", "", false, &steps);
	cr_assert_not_null(strstr(lines, "\nusage: 12 7 0 0\n"), "%s", lines);
	free(lines);
}

Test(practice, answers_the_last_message_that_was_sent)
{
	say(IK_KIND_USER, "stream 9");
	say(IK_KIND_USER, "stream 3");
	assert_answer(ask("", false), "text: water runs past\nstop: end");
}

Test(practice, survives_odd_conversations)
{
	/* Nothing was said; a result without its call, a call without its result. */
	free(ask(all_tools, false));
	result("call_9", "x");
	free(ask(all_tools, false));
	call("call_1", "glob", "{");
	assert_answer(ask(all_tools, false), "text: The call of `glob` failed: The program ended before "
		"this call had a result (`TOOL_CANCELLED`)\n\nstop: end");
	say(IK_KIND_USER, "read every *");
	call("call_2", "", "1");
	result("call_2", "");
	free(ask(all_tools, false));
}

/* As /compact asks for it, after an earlier summary. */
Test(practice, sums_up_what_was_asked_and_called)
{
	say(IK_KIND_USER, "This is a summary of what was said and done before:\n\n- `hello`\n");
	say(IK_KIND_USER, "list *.c\nplease");
	call("call_1", "glob", "{\"pattern\":\"*.c\"}");
	result("call_1", "{\"tool_success\":true,\"result\":{\"output\":\"\",\"count\":0}}");
	say(IK_KIND_ASSISTANT, "None.");
	say(IK_KIND_USER, "Summarise the conversation so far, for yourself: from now on");
	assert_answer(ask("", false),
		"text: - `hello`\n- `list *.c`\n  - `glob {\"pattern\":\"*.c\"}`\n\nstop: end");
}
