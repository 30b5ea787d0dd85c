/* The beginning of a large envelope reads as JSON. */
#include "tui/scrollback/calls.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"

/* A call with that envelope, live, or as it is stored. */
static struct ik_shown_call *call_with(struct ik_calls *calls, const char *envelope, size_t length,
	bool stored)
{
	struct ik_shown_call *call = ik_calls_get(calls, "id", "bash");
	if (!stored) {
		ik_calls_set_envelope(calls, call, envelope, length, 5);
		return call;
	}
	struct ik_buf data;
	ik_buf_init(&data, IK_LIMIT_ENVELOPE);
	ik_buf_puts(&data, "{\"tool_call_id\":\"id\",\"name\":\"bash\",\"duration_ms\":7,\"output\":");
	ik_json_put_string(&data, envelope, length);
	ik_buf_puts(&data, ",\"success\":true}");
	struct ik_message *message = ik_message_new(IK_KIND_TOOL_RESULT, "", 0, data.data,
		data.length);
	ik_calls_set_result(calls, call, message);
	ik_message_unref(message);
	ik_buf_done(&data);
	return call;
}

static const char sample[] = "{\"tool_success\":true,\"result\":{\"a\":[1,{\"b\":\"x\\n\"},\"\\\\\"],"
	"\"\\u00fc\":\"gr\xC3\xBC\xC3\x9F\\ud83d\\ude00\\\"\",\"n\":-12.5,\"t\":true}}";

Test(call_envelope, its_beginning_is_whole_wherever_it_is_cut)
{
	for (int stored = 0; stored < 2; stored++) {
		struct ik_calls *calls = ik_calls_new();
		struct ik_shown_call *call = call_with(calls, sample, sizeof sample - 1, stored);
		for (size_t most = 1; most < sizeof sample + 20; most++) {
			struct ik_buf out;
			ik_buf_init(&out, IK_KIB(4));
			cr_assert(ik_call_envelope(call, most, &out), "%zu", most);
			cr_assert_eq(ik_json_check(out.data, out.length, NULL, NULL), IK_OK, "%zu: %s", most,
				out.data);
			ik_buf_done(&out);
		}
		ik_calls_free(calls);
	}
}

Test(call_envelope, is_whole_where_it_is_not_cut)
{
	for (int stored = 0; stored < 2; stored++) {
		struct ik_calls *calls = ik_calls_new();
		struct ik_shown_call *call = call_with(calls, sample, sizeof sample - 1, stored);
		struct ik_buf out;
		ik_buf_init(&out, IK_KIB(4));
		cr_assert(ik_call_envelope(call, SIZE_MAX, &out));
		cr_assert_str_eq(out.data, sample);
		ik_buf_clear(&out);
		cr_assert(ik_call_envelope(call, stored ? 46 + 9 : 46, &out)); /* nine quotes are escaped */
		cr_assert_str_eq(out.data, "{\"tool_success\":true,\"result\":{\"a\":[1,{\"b\":\"x\"}]}}");
		ik_buf_done(&out);
		ik_calls_free(calls);
	}
}

Test(call_envelope, of_a_large_result_the_beginning_is_shown_and_its_size)
{
	struct ik_buf envelope, text;
	size_t head, tail;
	ik_buf_init(&envelope, IK_MIB(8));
	ik_buf_init(&text, IK_MIB(8));
	ik_buf_puts(&envelope, "{\"tool_success\":true,\"result\":{\"output\":\"");
	while (envelope.length < IK_MIB(3))
		ik_buf_puts(&envelope, "a line of it\\n");
	ik_buf_puts(&envelope, "\",\"exit_code\":0}}");
	for (int stored = 0; stored < 2; stored++) {
		struct ik_calls *calls = ik_calls_new();
		struct ik_shown_call *call = call_with(calls, envelope.data, envelope.length, stored);
		cr_assert_eq(call->stage, IK_STAGE_OK);
		ik_buf_clear(&text);
		ik_call_text(call, 0, &text, &head, &tail);
		cr_assert_not_null(strstr(text.data, " MB"), "%s", text.data);
		cr_assert_null(memchr(text.data, '\n', text.length));
		ik_buf_clear(&text);
		ik_call_text(call, IK_CALL_ALL, &text, &head, &tail);
		cr_assert_gt(text.length, IK_KIB(200));
		cr_assert_lt(text.length, IK_KIB(300));
		cr_assert_not_null(strstr(text.data + text.length - 20, " MB"));
		ik_buf_clear(&text);
		ik_call_copy(call, &text);
		cr_assert_gt(text.length, IK_KIB(200));
		cr_assert_lt(text.length, IK_KIB(300));
		cr_assert(ik_call_is_large(call) && ik_call_has_more(call));
		ik_calls_free(calls);
	}
	ik_buf_done(&envelope);
	ik_buf_done(&text);
}
