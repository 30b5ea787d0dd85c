#include "rpc/jsonrpc.h"

#include <criterion/criterion.h>
#include <string.h>

#include "util/limits.h"

/* Read a message from a literal. */
static struct ik_rpc_message read_text(const char *text)
{
	struct ik_json_span value;

	cr_assert(ik_json_check(text, strlen(text), &value, NULL) == IK_OK, "%s", text);
	return ik_rpc_read(value);
}

Test(jsonrpc, kinds)
{
	static const struct {
		const char *text;
		enum ik_rpc_kind kind;
		const char *id; /* NULL: none */
	} cases[] = {
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}", IK_RPC_REQUEST, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"a\",\"params\":[]}", IK_RPC_REQUEST,
			"\"x\"" },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{}}", IK_RPC_NOTIFICATION, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", IK_RPC_RESPONSE, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"error\":{}}", IK_RPC_RESPONSE, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1}", IK_RPC_INVALID, "1" },
		{ "{\"id\":1,\"method\":\"a\"}", IK_RPC_INVALID, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":2}", IK_RPC_INVALID, "1" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", IK_RPC_INVALID, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}", IK_RPC_INVALID, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1e3,\"method\":\"a\"}", IK_RPC_INVALID, NULL },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":3}", IK_RPC_INVALID, "1" },
		{ "3", IK_RPC_INVALID, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ik_rpc_message message = read_text(cases[i].text);
		const char *id = cases[i].id;

		cr_assert(message.kind == cases[i].kind, "%s", cases[i].text);
		cr_assert(id ? message.id.length == strlen(id) &&
					memcmp(message.id.text, id, message.id.length) == 0
					 : !message.id.text,
			"%s", cases[i].text);
	}
}

Test(jsonrpc, responses)
{
	struct ik_rpc_message message =
		read_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}");

	cr_assert(message.result.length == 7 && !message.error.text);
	message = read_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1}}");
	cr_assert(message.error.length == 11 && !message.result.text);
}

Test(jsonrpc, requests_are_lines)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_rpc_put_request(&out, 7, "a/b", IK_JSON_SPAN("{\n}"));
	cr_assert_str_eq(out.data, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a/b\",\"params\":{}}");
	ik_buf_clear(&out);
	ik_rpc_put_request(&out, 8, "ping", (struct ik_json_span){ NULL, 0 });
	cr_assert_str_eq(out.data, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}");
	ik_buf_done(&out);
}

Test(jsonrpc, answers_are_lines)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_rpc_put_result(&out, IK_JSON_SPAN("\"a\""), IK_JSON_SPAN("{ \"b\":\n[1, 2] }"));
	cr_assert_str_eq(out.data, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"b\":[1,2]}}");
	ik_buf_clear(&out);
	ik_rpc_put_error(&out, (struct ik_json_span){ NULL, 0 }, IK_RPC_PARSE_ERROR, "a\nb",
		IK_JSON_SPAN("[]"));
	cr_assert_str_eq(out.data,
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"a\\nb\","
		"\"data\":[]}}");
	ik_buf_clear(&out);
	ik_rpc_put_notification(&out, "m", (struct ik_json_span){ NULL, 0 });
	ik_buf_putc(&out, '\n');
	ik_rpc_put_notification(&out, "m", IK_JSON_SPAN("{}"));
	cr_assert_str_eq(out.data,
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{"
		"}}");
	ik_buf_done(&out);
}
