#include "rpc/jsonrpc.h"

#include <string.h>

#include "json/write.h"
#include "util/limits.h"

/* Is it a number without fraction and exponent? */
static bool is_integer(struct ik_json_span value)
{
	return ik_json_span_type(value) == IK_JSON_NUMBER && !memchr(value.text, '.', value.length) &&
		!memchr(value.text, 'e', value.length) && !memchr(value.text, 'E', value.length);
}

struct ik_rpc_message ik_rpc_read(struct ik_json_span value)
{
	struct ik_json_span id = ik_json_member(value, "id");
	struct ik_rpc_message message = {
		.method = ik_json_member(value, "method"),
		.params = ik_json_member(value, "params"),
	};
	enum ik_json_type params = ik_json_span_type(message.params);
	bool identified = ik_json_span_type(id) == IK_JSON_STRING || is_integer(id);

	if (identified)
		message.id = id;
	if (!ik_json_string_is(ik_json_member(value, "jsonrpc"), "2.0") || (id.text && !identified) ||
		(params != IK_JSON_NONE && params != IK_JSON_OBJECT && params != IK_JSON_ARRAY))
		return message;
	if (ik_json_span_type(message.method) == IK_JSON_STRING)
		message.kind = identified ? IK_RPC_REQUEST : IK_RPC_NOTIFICATION;
	message.result = ik_json_member(value, "result");
	message.error = ik_json_member(value, "error");
	if (!message.method.text && (message.result.text || message.error.text))
		message.kind = IK_RPC_RESPONSE;
	return message;
}

void ik_rpc_put_result(struct ik_buf *out, struct ik_json_span id, struct ik_json_span result)
{
	ik_json_printf(out, "{'jsonrpc':'2.0','id':%.*s,'result':%.*s}", IK_JSON_ARGS(id),
		IK_JSON_ARGS(result));
}

void ik_rpc_put_error(struct ik_buf *out, struct ik_json_span id, int code, const char *message,
	struct ik_json_span data)
{
	ik_json_printf(out, "{'jsonrpc':'2.0','id':%.*s,'error':{'code':%d,'message':'%s'",
		IK_JSON_ARGS(id), code, message);
	if (data.text)
		ik_json_printf(out, "'data':%.*s", IK_JSON_ARGS(data));
	ik_json_printf(out, "}}");
}

/* Append the rest of a message that calls a method. */
static void put_method(struct ik_buf *out, const char *method, struct ik_json_span params)
{
	ik_json_printf(out, "'method':'%s'", method);
	if (params.length > 0)
		ik_json_printf(out, "'params':%.*s", IK_JSON_ARGS(params));
	ik_json_close(out, '}');
}

void ik_rpc_put_request(struct ik_buf *out, int64_t id, const char *method,
	struct ik_json_span params)
{
	ik_json_printf(out, "{'jsonrpc':'2.0','id':%lld", (long long)id);
	put_method(out, method, params);
}

void ik_rpc_put_notification(struct ik_buf *out, const char *method, struct ik_json_span params)
{
	ik_json_printf(out, "{'jsonrpc':'2.0'");
	put_method(out, method, params);
}
