#include "conversation/message.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "conversation/attachment.h"
#include "json/write.h"

/* Assert a string in new memory and free it. */
static void assert_taken(char *text, const char *wanted)
{
	cr_assert_not_null(text);
	cr_assert_str_eq(text, wanted);
	free(text);
}

Test(message, kinds_have_names_and_names_have_kinds)
{
	for (int kind = 0; kind < IK_KIND_COUNT; kind++) {
		enum ik_kind found;
		cr_assert(ik_kind_from_name(ik_kind_name((enum ik_kind)kind), &found));
		cr_assert_eq((int)found, kind);
	}
	enum ik_kind kind;
	cr_assert_not(ik_kind_from_name("hologram", &kind));
}

Test(message, keeps_its_texts_with_nuls_and_mends_bytes)
{
	struct ik_message *message = ik_message_new(IK_KIND_USER, "a\0b\xff", 4, NULL, 0);

	cr_assert_eq(message->content_length, 6);
	cr_assert_eq(memcmp(message->content, "a\0b\xef\xbf\xbd", 7), 0);
	cr_assert_null(message->data);
	cr_assert_null(message->call_id);
	cr_assert_eq(message->sequence, 0);
	cr_assert_gt(message->time_ms, 0);
	cr_assert_eq(strlen(message->id), IK_UUID_TEXT - 1);
	cr_assert_eq(ik_json_span_type(ik_message_data(message)), IK_JSON_NONE);
	ik_message_unref(message);
}

Test(message, is_counted)
{
	struct ik_message *message = ik_message_new(IK_KIND_USER, "x", 1, NULL, 0);

	cr_assert_eq(ik_message_ref(message), message);
	cr_assert_null(ik_message_unref(message));
	cr_assert_str_eq(message->content, "x");
	cr_assert_null(ik_message_unref(message));
	cr_assert_null(ik_message_unref(NULL));
}

Test(message, a_call_is_the_structure_of_the_specification)
{
	const char *arguments = "{\"pattern\":\"*.c\",\"path\":\"src/\"}";
	struct ik_message *call = ik_message_tool_call("call_1", "glob", arguments,
		strlen(arguments), "Find *.c in src/");
	size_t length;

	cr_assert_str_eq(call->data, "{\"id\":\"call_1\",\"type\":\"function\",\"function\":"
		"{\"name\":\"glob\",\"arguments\":\"{\\\"pattern\\\":\\\"*.c\\\","
		"\\\"path\\\":\\\"src/\\\"}\"}}");
	cr_assert_str_eq(call->content, "Find *.c in src/");
	cr_assert_str_eq(call->call_id, "call_1");
	cr_assert_str_eq(call->call_id, "call_1");
	assert_taken(ik_message_tool_name(call), "glob");
	assert_taken(ik_message_arguments(call, &length), arguments);
	cr_assert_eq(length, strlen(arguments));
	cr_assert_null(ik_message_envelope(call, NULL));
	ik_message_unref(call);
}

Test(message, malformed_arguments_stay_as_they_came)
{
	struct ik_message *call = ik_message_tool_call("c", "bash", "{\"command\": \"ls", 15, "bash");

	assert_taken(ik_message_arguments(call, NULL), "{\"command\": \"ls");
	ik_message_unref(call);
}

Test(message, a_result_carries_its_envelope)
{
	const char *envelope = "{\"tool_success\":true,\"result\":{\"output\":\"a.c\\nb.c\\nc.c\\n\","
		"\"count\":3}}";
	struct ik_message *result = ik_message_tool_result("call_1", "glob", envelope,
		strlen(envelope), true, 12, NULL);
	bool success = false;
	int64_t duration = 0;

	assert_taken(ik_message_envelope(result, NULL), envelope);
	cr_assert_str_eq(result->call_id, "call_1");
	assert_taken(ik_message_tool_name(result), "glob");
	cr_assert(ik_json_bool(ik_json_member(ik_message_data(result), "success"), &success));
	cr_assert(success);
	cr_assert(ik_json_integer(ik_json_member(ik_message_data(result), "duration_ms"), &duration));
	cr_assert_eq(duration, 12);
	cr_assert_str_eq(result->content, "a.c (and 2 more lines)");
	cr_assert_null(ik_message_arguments(result, NULL));
	ik_message_unref(result);
}

Test(message, the_line_of_a_result_says_what_matters)
{
	static const struct {
		const char *envelope;
		const char *content;
	} cases[] = {
		{ "{\"tool_success\":false,\"error\":\"Tool 'bash' timed out after 30s\","
		  "\"error_code\":\"TOOL_TIMEOUT\"}", "Tool 'bash' timed out after 30s" },
		{ "{\"tool_success\":true,\"result\":{\"error\":\"File not found: x\","
		  "\"error_code\":\"FILE_NOT_FOUND\"}}", "File not found: x" },
		{ "{\"tool_success\":true,\"result\":\"one\\ntwo\"}", "one (and 1 more line)" },
		{ "{\"tool_success\":true,\"result\":\"one\\n\"}", "one" },
		{ "{\"tool_success\":true,\"result\":\"\"}", "" },
		{ "{\"tool_success\":true,\"result\":[1,\n2]}", "[1, 2]" },
		{ "{\"tool_success\":true,\"result\":42}", "42" },
		{ "no\tenvelope", "no envelope" },
	};
	for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
		struct ik_message *result = ik_message_tool_result("c", "t", cases[index].envelope,
			strlen(cases[index].envelope), true, 0, NULL);
		cr_assert_str_eq(result->content, cases[index].content);
		ik_message_unref(result);
	}
}

Test(message, the_line_of_a_large_result_is_short)
{
	struct ik_buf envelope;
	ik_buf_init(&envelope, 1 << 20);
	ik_buf_puts(&envelope, "{\"tool_success\":true,\"result\":{\"output\":\"");
	for (int count = 0; count < 5000; count++)
		ik_buf_puts(&envelope, "\xc3\xa4\xc3\xa4 ");
	ik_buf_puts(&envelope, "\"}}");
	struct ik_message *result = ik_message_tool_result("c", "t", envelope.data,
		envelope.length, true, 0, NULL);

	cr_assert_leq(result->content_length, 260);
	cr_assert_eq(memcmp(result->content + result->content_length - 3, "\xe2\x80\xa6", 3), 0);
	ik_message_unref(result);
	ik_buf_done(&envelope);
}

Test(message, data_is_on_one_line)
{
	static const char indented[] = "{\n  \"output\": \"a  b\"\n}\n", opaque[] = "{\n  \"n\": 1.0\n}";
	struct ik_message *message = ik_message_stored(IK_KIND_COMMAND, "", 1, 0, "", 0, indented,
		sizeof indented - 1);

	cr_assert_str_eq(message->data, "{\"output\":\"a  b\"}");
	ik_message_unref(message);
	message = ik_message_with(ik_message_new(IK_KIND_THINKING, "", 0, NULL, 0), "opaque", opaque,
		sizeof opaque - 1);
	cr_assert_str_eq(message->data, "{\"opaque\":{\"n\":1.0}}");
	ik_message_unref(message);
}

Test(message, stored_ones_come_back_and_damage_is_no_trap)
{
	const char *data = "{\"id\":\"x\",\"function\":{\"name\":\"glob\",\"arguments\":{\"a\":1}}}";
	struct ik_message *message = ik_message_stored(IK_KIND_TOOL_CALL,
		"018f0000-0000-7000-8000-000000000000", 7, 1234, "glob()", 6, data, strlen(data));
	cr_assert_eq(message->sequence, 7);
	cr_assert_eq(message->time_ms, 1234);
	cr_assert_str_eq(message->id, "018f0000-0000-7000-8000-000000000000");
	cr_assert_str_eq(message->call_id, "x");
	assert_taken(ik_message_arguments(message, NULL), "{\"a\":1}");
	ik_message_unref(message);

	message = ik_message_stored(IK_KIND_TOOL_CALL, "short", 8, 0, "", 0, "{\"id\":", 6);
	cr_assert_null(message->data);
	cr_assert_null(message->call_id);
	cr_assert_null(ik_message_tool_name(message));
	cr_assert_null(ik_message_arguments(message, NULL));
	ik_message_unref(message);

	message = ik_message_stored(IK_KIND_TOOL_RESULT, "", 9, 0, "", 0, "[]", 2);
	cr_assert_null(message->call_id);
	cr_assert_null(ik_message_envelope(message, NULL));
	ik_message_unref(message);
}

Test(message, keeps_what_a_provider_wants_back)
{
	static const char opaque[] = "{\"provider\":\"p\",\"type\":\"t\",\"data\":[1]}";
	struct ik_message *messages[] = {
		ik_message_new(IK_KIND_THINKING, "hm", 2, NULL, 0),
		ik_message_new(IK_KIND_ASSISTANT, "a", 1, "{\"interrupted\":true}", 20),
		ik_message_tool_call("id", "name", "{}", 2, "name"),
	};
	for (size_t index = 0; index < 3; index++) {
		struct ik_message *message = ik_message_with(messages[index], "opaque", opaque,
			sizeof opaque - 1);
		cr_assert_eq(ik_json_check(message->data, message->data_length, NULL, NULL), IK_OK);
		struct ik_json_span data = ik_message_opaque(message, "p", "t");
		cr_assert_eq(data.length, 3);
		cr_assert_eq(memcmp(data.text, "[1]", 3), 0);
		cr_assert_not_null(ik_message_opaque(message, NULL, "t").text);
		cr_assert_null(ik_message_opaque(message, "q", "t").text);
		cr_assert_null(ik_message_opaque(message, "p", "u").text);
		if (index == 1)
			cr_assert_not_null(ik_json_member(ik_message_data(message), "interrupted").text);
		if (index == 2)
			cr_assert_str_eq(message->call_id, "id");
		ik_message_unref(message);
	}
	struct ik_message *plain = ik_message_new(IK_KIND_USER, "u", 1, NULL, 0);
	cr_assert_null(ik_message_opaque(plain, NULL, "t").text);
	ik_message_unref(plain);
}

Test(message, an_own_call_is_a_command_that_can_be_shown_as_a_call)
{
	static const char arguments[] = "{\"n\":1}", envelope[] = "{\"tool_success\":true,\"result\":2}";
	const struct ik_own tool = { .name = "counts", .arguments = arguments,
		.arguments_length = strlen(arguments), .duration_ms = 12, .kept = { 0, 700000 } };
	const struct ik_own shell = { .name = IK_OWN_COMMAND, .arguments = "{}", .arguments_length = 2 };
	struct ik_message *message = ik_message_own("/run counts {\"n\":1}", &tool, envelope,
		strlen(envelope));
	struct ik_message *restored = ik_message_stored(message->kind, message->id, 7, message->time_ms,
		message->content, message->content_length, message->data, message->data_length);
	struct ik_result result;
	struct ik_blob blob;

	cr_assert_eq(restored->kind, IK_KIND_COMMAND);
	cr_assert_eq(ik_message_own_call(restored), IK_OWN_TOOL);
	assert_taken(ik_message_tool_name(restored), "counts");
	assert_taken(ik_message_arguments(restored, NULL), arguments);
	assert_taken(ik_message_envelope(restored, NULL), envelope);
	ik_message_result(restored, &result);
	cr_assert_eq(result.duration_ms, 12);
	cr_assert_eq(ik_json_span_type(result.envelope), IK_JSON_STRING);
	cr_assert_eq(result.blobs[0].bytes, 0);
	cr_assert_eq(result.blobs[1].bytes, 700000);
	cr_assert_not(ik_message_blob(restored, 0, &blob));
	cr_assert(ik_message_blob(restored, 1, &blob));
	ik_message_unref(restored);
	ik_message_unref(message);

	/* What a command of the shell printed is no envelope. */
	message = ik_message_own("!ls", &shell, "a\nb", 3);
	cr_assert_eq(ik_message_own_call(message), IK_OWN_SHELL);
	cr_assert_null(ik_message_envelope(message, NULL));
	ik_message_result(message, &result);
	cr_assert_eq(ik_json_span_type(result.envelope), IK_JSON_NONE);
	ik_message_unref(message);

	message = ik_message_command("/help", "text");
	cr_assert_eq(ik_message_own_call(message), IK_OWN_NONE);
	cr_assert_null(ik_message_tool_name(message));
	ik_message_unref(message);
}

Test(message, lists_what_is_attached_to_it)
{
	static const char data[] =
		"{\"typed\":2,\"attached\":[{\"name\":\"a.c\",\"bytes\":7},"
		"{\"name\":\"s \\\"x\\\".png\",\"bytes\":900,\"media_type\":\"image/png\",\"width\":640,"
		"\"height\":480,\"blob\":\"0198c0de-0000-7000-8000-000000000001\"},"
		/* Of a type that is not known, or with a broken name in the store, it is no file. */
		"{\"name\":\"x\",\"bytes\":1,\"media_type\":\"text/html\","
		"\"blob\":\"0198c0de-0000-7000-8000-000000000002\"},"
		"{\"name\":7,\"bytes\":-1,\"media_type\":\"application/pdf\",\"blob\":\"../x\"}]}";
	struct ik_message *message = ik_message_new(IK_KIND_USER, "hi", 2, data, strlen(data));
	struct ik_attachment found;
	struct ik_bytes *bytes;
	struct ik_buf buf;

	cr_assert(ik_message_attachment(message, 0, &found));
	cr_assert(ik_json_string_is(found.name, "a.c"));
	cr_assert_eq(found.bytes, 7);
	cr_assert_str_empty(found.media_type);
	cr_assert(ik_message_attachment(message, 1, &found));
	cr_assert(ik_json_string_is(found.name, "s \"x\".png"));
	cr_assert_str_eq(found.media_type, "image/png");
	cr_assert_str_eq(found.blob, "0198c0de-0000-7000-8000-000000000001");
	cr_assert(found.width == 640 && found.height == 480);
	cr_assert_null(found.contents);
	for (size_t i = 2; i < 4; i++) {
		cr_assert(ik_message_attachment(message, i, &found));
		cr_assert_str_empty(found.media_type);
		cr_assert_str_empty(found.blob);
		cr_assert_eq(found.bytes, i == 2);
	}
	cr_assert_not(ik_message_attachment(message, 4, &found));

	/* The bytes come and go without a change of the message. */
	ik_buf_init(&buf, 64);
	ik_buf_puts(&buf, "PNG");
	bytes = ik_bytes_take(&buf);
	ik_buf_done(&buf);
	ik_message_set_contents(message, 1, bytes);
	ik_bytes_unref(bytes);
	cr_assert(ik_message_attachment(message, 1, &found));
	cr_assert_eq(ik_bytes_length(found.contents), 3);
	ik_message_set_contents(message, 1, NULL);
	cr_assert_null(ik_message_contents(message, 1));
	ik_message_unref(message);
}
