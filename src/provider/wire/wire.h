/*
 * wire: parts of a request that several wire formats share, and reading errors.
 *
 * Private to src/provider. May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_WIRE_WIRE_H
#define IK_PROVIDER_WIRE_WIRE_H

#include "conversation/attachment.h"
#include "json/write.h"
#include "provider/wire/format.h"
#include "provider/wire/transcript.h"

/* Number of ends of user messages that are remembered for cache marks. */
#define IK_WIRE_MARKS 2

/* State of the message list while it is written: what a message depends on in earlier ones. */
struct ik_wire_writer {
	const struct ik_wire_format *format;
	const struct ik_request *request;
	struct ik_buf *out;
	const char *role;            /* role of the open message, a literal; "": none */
	char bound[IK_BINDING];      /* ik_request_binding() */
	bool any;                    /* something has been written */
	size_t content;              /* offset in out of the open user's message's text */
	int64_t bound_ms;            /* opaque data of messages before this time is left out */
	size_t marks[IK_WIRE_MARKS]; /* offsets in out where a mark could be inserted, newest first;
	                                0: none */
};

/* How a format writes a conversation, passage by passage (transcript.h). */
struct ik_wire_messages {
	/* files: a message whose files belong to the text; NULL: none do. */
	void (*user)(struct ik_wire_writer *writer, const char *text, size_t length,
		const struct ik_message *files);
	void (*assistant)(struct ik_wire_writer *writer, const struct ik_passage *passage);
	/* result may be NULL. */
	void (*result)(struct ik_wire_writer *writer, const struct ik_message *call,
		const struct ik_message *result);
	/* Write what follows all results of a passage; may be NULL. */
	void (*after)(struct ik_wire_writer *writer, const struct ik_passage *passage);
};

/* Write the messages of the conversation. The last may be left open. */
void ik_wire_put_messages(struct ik_wire_writer *writer, const struct ik_wire_messages *messages);

/* For formats in which adjacent messages of one role must be one message. Unless a message of role
 * is open, close the open message and open {"role":ROLE,LIST:[. Return whether a message was
 * opened. */
bool ik_wire_open_message(struct ik_wire_writer *writer, const char *role, const char *list);
void ik_wire_close_message(struct ik_wire_writer *writer);

/* Write a member with a list of the tools and of the provider's own tool of the type hosted (NULL:
 * none), if there are any. */
void ik_wire_put_tools(struct ik_wire_writer *writer, const char *name, const char *hosted);

/* Return the value of "cache_control", which lets Anthropic's models cache everything up to it;
 * NULL: nothing is to be cached. */
const char *ik_wire_cache_control(const struct ik_request *request);

/* Write the members "name" and "description" of a tool. */
void ik_wire_put_name(struct ik_buf *out, const struct ik_tool_definition *tool);

/* Return the schema of a tool's parameters; an empty object's if it has none. */
struct ik_json_span ik_wire_parameters(const struct ik_tool_definition *tool);

/* Return the name of a tool_call, as JSON. */
struct ik_json_span ik_wire_call_name(const struct ik_message *call);

/* Write the arguments of a tool_call as a string, unchanged if they are a JSON object, else wrapped
 * in one. */
void ik_wire_put_arguments_text(struct ik_buf *out, const struct ik_message *call);

/* Write the arguments of a tool_call as an object. */
void ik_wire_put_arguments_object(struct ik_buf *out, const struct ik_message *call);

/* Return a call id that every provider accepts (^[A-Za-z0-9_-]+$, limited length): the id itself,
 * or an id derived from it, in made. */
#define IK_WIRE_MADE_ID 32
const char *ik_wire_call_id(const char *call_id, size_t longest, char made[IK_WIRE_MADE_ID]);
#define IK_WIRE_CALL_ID 64 /* the maximum, except for OpenAI's chat format */

/* Write the envelope of a tool_result as a string; result may be NULL. */
void ik_wire_put_envelope(struct ik_buf *out, const struct ik_message *result);

/* A file of a message, as a format is to write it. */
struct ik_wire_file {
	const char *words;      /* this text, since the model doesn't accept it, or its bytes are lost;
	                           NULL: the file itself */
	const char *media_type; /* "image/png" */
	bool is_picture;        /* else a PDF */
	struct ik_json_span name;
	const struct ik_bytes *bytes;
};
typedef void ik_wire_put_file(struct ik_wire_writer *writer, const struct ik_wire_file *file);

/* Does the message (NULL: none) have files? */
bool ik_wire_has_files(const struct ik_message *message);
/* Call put for each of them. */
void ik_wire_put_files(struct ik_wire_writer *writer, const struct ik_message *message,
	ik_wire_put_file *put);

/* Write a file's bytes as a string of base64, after prefix; as a data URL. */
void ik_wire_put_base64(struct ik_buf *out, const char *prefix, const struct ik_bytes *bytes);
void ik_wire_put_data_url(struct ik_buf *out, const struct ik_wire_file *file);

/* Return the opaque data that this format stored with a message, or one of its members; no value if
 * the message is another provider's. */
struct ik_json_span ik_wire_opaque(const struct ik_wire_writer *writer,
	const struct ik_message *message);
struct ik_json_span ik_wire_opaque_member(const struct ik_wire_writer *writer,
	const struct ik_message *message, const char *name);

/* Member of a text's opaque data: how many bytes at its end list the pages that it cites, which
 * ikigai added. */
#define IK_WIRE_SOURCES "sources"

/* Return how much of an assistant's text the model said: without such a list. */
size_t ik_wire_said_length(const struct ik_wire_writer *writer, const struct ik_message *message);

/* A user message in place of a lost beginning: the first message must be the user's. */
#define IK_WIRE_BEGINNING "(The beginning of the conversation is missing.)"

/*
 * Read an error body, or an error object inside a stream, in any known form (OpenAI, Anthropic,
 * Google, Ollama, vLLM, FastAPI): append its message (possibly empty), set *ret_code and
 * *ret_retryable. status is the response's, or 0 inside a stream. Return false and set nothing if
 * value is not an error.
 */
bool ik_error_read(struct ik_json_span value, int status, struct ik_buf *out_message,
	enum ik_error_code *ret_code, bool *ret_retryable);

/* Append the first words of text, on one line, at most limit bytes. */
void ik_error_first_words(const char *text, size_t length, size_t limit, struct ik_buf *out);

/* Is text only white space? Some providers refuse such a text. */
bool ik_wire_is_blank(const char *text, size_t length);

#endif
