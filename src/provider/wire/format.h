/*
 * format: what a wire format is: a request to bytes, bytes to deltas; or a request
 * to deltas, where the model is in the program.
 *
 * Pure: no loop, no sockets.  The table of them is provider/formats.h.
 *
 * May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_WIRE_FORMAT_H
#define IK_PROVIDER_WIRE_FORMAT_H

#include "provider/wire/delta.h"
#include "provider/wire/request.h"
#include "provider/wire/script.h"

/* The types of formats, as the configuration names them. */
#define IK_OPENAI_CHAT "openai-chat"
#define IK_ANTHROPIC "anthropic"
#define IK_GOOGLE "google"
#define IK_OPENAI_RESPONSES "openai-responses"

/* Where and how to reach a model; strings borrowed. */
struct ik_endpoint {
	const char *provider;     /* "openai", "practice", a configured name */
	const char *base_url;     /* as the provider's client libraries mean it; no slash at the end */
	const char *api_key;      /* NULL: none is sent */
	const char *key_variable; /* the variable that holds it, for messages */
	const char *const *headers; /* further ones, NULL-terminated; may be NULL */
	bool unattended;            /* nobody types commands: failures advise otherwise */
	bool strict_tools; /* hold the model to the schemas, where format and schema allow it */
};

/* Is it a host of OpenAI's own, not a compatible server? */
bool ik_endpoint_is_openai(const struct ik_endpoint *endpoint);

struct ik_stream_decoder;
struct ik_wire_spelling;

struct ik_wire_format {
	const char *type; /* "openai-chat" */

	/* The URL and headers of a request: each in new memory, appended to a
	 * NULL-terminated array that ik_wire_headers_free() releases. */
	char *(*url)(const struct ik_endpoint *endpoint, const char *model);
	char **(*headers)(const struct ik_endpoint *endpoint);

	/* Where its models are listed (provider/models.h); new memory. */
	char *(*models_url)(const struct ik_endpoint *endpoint);

	/* Append the object by which the model is told of a tool; endpoint may be NULL. */
	void (*put_tool)(struct ik_buf *out, const struct ik_endpoint *endpoint,
		const struct ik_tool_definition *tool);

	/*
	 * Append a call's arguments as the tool is to get them, where the format made
	 * the model write something else (nulls for what is left out in strict mode).
	 * False, and nothing appended: they are right as they are. NULL: they always are.
	 */
	bool (*put_arguments)(struct ik_buf *out, const struct ik_endpoint *endpoint,
		const struct ik_tool_definition *tool, struct ik_json_span arguments);

	/* The words of the body of a streamed request (provider/wire/wire.h). */
	const struct ik_wire_spelling *spelling;

	/*
	 * A decoder for one response body with a status of success. Feed it every
	 * split of bytes; call finish when the body has ended, in whatever way:
	 * what had its stop reason before the connection broke is a whole reply.
	 * Both return IK_INVALID when what came is not the format (BAD_RESPONSE,
	 * from then on every time), finish IK_UNAVAILABLE when it ended too early.
	 * After IK_DELTA_STOP or IK_DELTA_ERROR no delta comes and finish is IK_OK.
	 */
	struct ik_stream_decoder *(*decoder_new)(void);
	struct ik_stream_decoder *(*decoder_free)(struct ik_stream_decoder *decoder);
	enum ik_status (*feed)(struct ik_stream_decoder *decoder, const char *bytes, size_t length,
		ik_delta_sink *sink, void *arg, struct ik_error *error);
	enum ik_status (*finish)(struct ik_stream_decoder *decoder, ik_delta_sink *sink, void *arg,
		struct ik_error *error);

	/*
	 * NULL: a server is asked. Otherwise the model is in the program: this gives its whole
	 * reply (to an empty ret_script, up to IK_DELTA_STOP) and is all there is but put_tool.
	 */
	void (*answer)(const struct ik_request *request, struct ik_script *ret_script);
};

/* The level of that name ("off", "low", "medium", "high"); UNSET for NULL and others. */
enum ik_thinking ik_thinking_level(const char *name);

/* Append the body of a streamed request. */
enum ik_status ik_request_serialize(const struct ik_wire_format *format,
	const struct ik_request *request, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;

void ik_wire_headers_free(char **headers);

/*
 * A failed response in words, with what to do: status 401 or 403 names the key's variable, an
 * error body in any of the providers' shapes gives its message, HTML or other
 * text its first words. Sets *ret_code and *ret_retryable. The key
 * itself never stands in the sentence.
 */
void ik_provider_error(const struct ik_endpoint *endpoint, int status, const char *body,
	size_t length, struct ik_buf *out_sentence, enum ik_error_code *ret_code, bool *ret_retryable);

/* The paragraph of the system prompt that tells a model of the envelope. */
const char *ik_envelope_paragraph(void);

#endif
