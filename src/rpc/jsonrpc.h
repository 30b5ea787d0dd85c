/*
 * jsonrpc: JSON-RPC 2.0: what a message is, requests and answers.
 *
 * Written after jsonrpc.org/specification. Knows no method and no transport.
 *
 * Pure. May include: util, json.
 */
#ifndef IK_RPC_JSONRPC_H
#define IK_RPC_JSONRPC_H

#include "json/scan.h"

/* The error codes of JSON-RPC. */
enum ik_rpc_code {
	IK_RPC_PARSE_ERROR = -32700,
	IK_RPC_INVALID_REQUEST = -32600,
	IK_RPC_UNKNOWN_METHOD = -32601,
	IK_RPC_INVALID_PARAMS = -32602,
	IK_RPC_INTERNAL_ERROR = -32603
};

enum ik_rpc_kind { IK_RPC_INVALID, IK_RPC_REQUEST, IK_RPC_NOTIFICATION, IK_RPC_RESPONSE };

/* Spans of the message's text. */
struct ik_rpc_message {
	enum ik_rpc_kind kind;
	struct ik_json_span id;     /* a string or an integer; no value in a notification, and in an
	                               invalid message whose id could not be read */
	struct ik_json_span method; /* a string */
	struct ik_json_span params; /* an object, an array, or no value */
	struct ik_json_span result, error; /* of a response; one of them has no value */
};

/* Read what a value, which is not a batch, is as a message. */
struct ik_rpc_message ik_rpc_read(struct ik_json_span value);

/*
 * Append the answer to a request, on one line without a line feed: its result, which is checked
 * JSON, or an error. An id without a value becomes null. data is checked JSON, or no value.
 */
void ik_rpc_put_result(struct ik_buf *out, struct ik_json_span id, struct ik_json_span result);
void ik_rpc_put_error(struct ik_buf *out, struct ik_json_span id, int code, const char *message,
	struct ik_json_span data);
/* Append a request of ours, or a notification; params is checked JSON, or no value. */
void ik_rpc_put_request(struct ik_buf *out, int64_t id, const char *method,
	struct ik_json_span params);
void ik_rpc_put_notification(struct ik_buf *out, const char *method, struct ik_json_span params);

#endif
