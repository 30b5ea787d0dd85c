#include "cli/exec_print.h"

#include <criterion/criterion.h>
#include <string.h>

#include "util/limits.h"

static struct ik_buf out, errors;

static void setup(void)
{
	ik_buf_init(&out, IK_MIB(1));
	ik_buf_init(&errors, IK_MIB(1));
}

static void teardown(void)
{
	ik_buf_done(&out);
	ik_buf_done(&errors);
}

TestSuite(exec_print, .init = setup, .fini = teardown);

static struct ik_event event_of(enum ik_event_kind kind, int round, const char *text)
{
	struct ik_event event;

	memset(&event, 0, sizeof event);
	event.kind = kind;
	event.round = round;
	event.text = text;
	event.text_length = text == NULL ? 0 : strlen(text);
	return event;
}

Test(exec_print, json_lines_are_objects_with_type_and_round)
{
	struct ik_exec_printer printer = {.json = true};
	struct ik_event event = event_of(IK_EVENT_TEXT, 2, "a \"b\"\n");

	ik_exec_print(&printer, &event, &out, &errors);
	cr_assert_str_eq(out.data, "{\"type\":\"text\",\"round\":2,\"text\":\"a \\\"b\\\"\\n\"}\n");
	cr_assert_eq(errors.length, 0);
}

/* A model's call, as in the event at the end of the reply. */
static struct ik_event call_event(const char *arguments)
{
	struct ik_event event = event_of(IK_EVENT_MESSAGE, 1, NULL);

	event.id = "call_1";
	event.name = "echo";
	event.text = arguments;
	event.text_length = strlen(arguments);
	event.message = ik_message_tool_call("call_1", "echo", arguments, strlen(arguments), "echo");
	return event;
}

Test(exec_print, json_call_with_and_without_an_object)
{
	struct ik_exec_printer printer = {.json = true};
	struct ik_event event = call_event("{\n\t\"n\": 9007199254740993\n}");

	ik_exec_print(&printer, &event, &out, &errors);
	event.message = ik_message_unref(event.message);
	cr_assert_str_eq(out.data, "{\"type\":\"tool_call\",\"round\":1,\"id\":\"call_1\",\"name\":\"echo\","
		"\"arguments\":{\"n\":9007199254740993}}\n");
	ik_buf_clear(&out);
	event = call_event("[1");
	ik_exec_print(&printer, &event, &out, &errors);
	event.message = ik_message_unref(event.message);
	cr_assert_str_eq(out.data, "{\"type\":\"tool_call\",\"round\":1,\"id\":\"call_1\",\"name\":\"echo\","
		"\"arguments\":null,\"arguments_raw\":\"[1\"}\n");
}

Test(exec_print, json_tells_a_call_once_and_none_of_an_earlier_turn)
{
	struct ik_exec_printer printer = {.json = true};
	struct ik_event event = event_of(IK_EVENT_TOOL_STARTED, 1, "{}");

	event.id = "call_1";
	event.name = "echo";
	ik_exec_print(&printer, &event, &out, &errors);
	event = call_event("{}");
	event.id = NULL;
	ik_exec_print(&printer, &event, &out, &errors);
	event.message = ik_message_unref(event.message);
	cr_assert_eq(out.length, 0);
}

Test(exec_print, json_error_stands_on_standard_error_too)
{
	struct ik_exec_printer printer = {.json = true};
	struct ik_event event = event_of(IK_EVENT_ERROR, 1, "it broke");

	event.code = IK_CODE_PROVIDER;
	ik_exec_print(&printer, &event, &out, &errors);
	cr_assert_str_eq(out.data,
		"{\"type\":\"error\",\"round\":1,\"code\":\"PROVIDER\",\"message\":\"it broke\"}\n");
	cr_assert_str_eq(errors.data, "ikigai: it broke\n");
}

Test(exec_print, json_result_keeps_the_envelope)
{
	struct ik_exec_printer printer = {.json = true};
	struct ik_event event = event_of(IK_EVENT_TOOL_DONE, 1, "{\"tool_success\":true,\"result\":{\"a\":1.50}}");

	event.id = "c";
	event.name = "t";
	event.duration_ms = 7;
	ik_exec_print(&printer, &event, &out, &errors);
	cr_assert_str_eq(out.data, "{\"type\":\"tool_result\",\"round\":1,\"id\":\"c\",\"name\":\"t\","
		"\"envelope\":{\"tool_success\":true,\"result\":{\"a\":1.50}},\"duration_ms\":7}\n");
}

Test(exec_print, text_goes_to_one_place_and_the_rest_to_the_other)
{
	struct ik_exec_printer printer = {.json = false};
	struct ik_event event = event_of(IK_EVENT_TEXT, 1, "hello");

	ik_exec_print(&printer, &event, &out, &errors);
	event = event_of(IK_EVENT_ERROR, 1, "it \033[31mbroke");
	event.code = IK_CODE_PROVIDER;
	ik_exec_print(&printer, &event, &out, &errors);
	ik_exec_print_end(&printer, &out);
	cr_assert_str_eq(out.data, "hello\n");
	cr_assert_null(strchr(errors.data, '\033'), "no escape may reach a terminal");
	cr_assert_not_null(strstr(errors.data, "broke"));
}

Test(exec_print, one_line_feed_closes_the_text)
{
	static const char *const pieces[] = {"hello\n", "\nworld", "\n", "\n\n"};
	struct ik_exec_printer printer = {.json = false};
	size_t i;

	for (i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
		struct ik_event event = event_of(IK_EVENT_TEXT, 1, pieces[i]);

		ik_exec_print(&printer, &event, &out, &errors);
	}
	ik_exec_print_end(&printer, &out);
	cr_assert_str_eq(out.data, "hello\n\nworld\n");
}

Test(exec_print, texts_of_rounds_stand_on_lines_of_their_own)
{
	struct ik_exec_printer printer = {.json = false};
	struct ik_event text = event_of(IK_EVENT_TEXT, 1, "one"), round = event_of(IK_EVENT_ROUND_STARTED, 2, NULL);

	ik_exec_print(&printer, &text, &out, &errors);
	ik_exec_print(&printer, &round, &out, &errors);
	ik_exec_print(&printer, &round, &out, &errors);
	ik_exec_print(&printer, &text, &out, &errors);
	ik_exec_print_end(&printer, &out);
	cr_assert_str_eq(out.data, "one\none\n");
}

Test(exec_print, no_text_leaves_nothing)
{
	struct ik_exec_printer printer = {.json = false};
	struct ik_event event = event_of(IK_EVENT_WAITING, 0, "Loading tools");

	ik_exec_print(&printer, &event, &out, &errors);
	ik_exec_print_end(&printer, &out);
	cr_assert_eq(out.length, 0);
	cr_assert_eq(errors.length, 0, "a wait of a few milliseconds is no news");
}

Test(exec_print, a_tools_words_stand_on_standard_error_as_they_come)
{
	struct ik_exec_printer printer = {.json = false};
	struct ik_event words = event_of(IK_EVENT_TOOL_OUTPUT, 1, "half a"), error = event_of(IK_EVENT_ERROR, 1, "it broke");

	words.is_stderr = true;
	ik_exec_print(&printer, &words, &out, &errors);
	words.text = " line";
	words.text_length = 5;
	ik_exec_print(&printer, &words, &out, &errors);
	ik_exec_print(&printer, &error, &out, &errors);
	words.is_stderr = false;
	ik_exec_print(&printer, &words, &out, &errors);
	cr_assert_str_eq(errors.data, "half a line\nikigai: it broke\n");
	cr_assert_eq(out.length, 0);
}
