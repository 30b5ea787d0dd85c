/*
 * wire: parts of a request that several wire formats write alike.
 *
 * Private to src/provider. May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_WIRE_WIRE_H
#define IK_PROVIDER_WIRE_WIRE_H

#include "json/write.h"
#include "provider/wire/format.h"
#include "provider/wire/transcript.h"

/* How many ends of the user's messages are remembered for marks. */
#define IK_WIRE_MARKS 2

/*
 * The message list while it is written, passage by passage: what a passage needs to know about the
 * previous ones.
 */
struct ik_wire_writer {
	const struct ik_request *request;
	struct ik_buf *out;
	const char *role;            /* role of the open message, a literal; "": none */
	bool any;                    /* something was written */
	size_t marks[IK_WIRE_MARKS]; /* offsets in out where a mark could be inserted, newest first;
	                                0: none */
};

/*
 * How a format writes a request: head, passages, end, tail. What stays the same from round to round
 * comes first, what may change comes last.
 */
struct ik_wire_spelling {
	/* Write everything before the message list, including the tools, and its opening bracket. */
	void (*put_head)(struct ik_buf *out, const struct ik_request *request);
	void (*put_passage)(struct ik_wire_writer *writer, const struct ik_passage *passage);
	/* Close the open message after the last passage; NULL: there never is one. */
	void (*put_end)(struct ik_wire_writer *writer);
	/* Write the closing bracket of the list and everything after it. */
	void (*put_tail)(struct ik_buf *out, const struct ik_request *request);
	const char *mark; /* to insert at the writer's marks; NULL: none */
};

/* Return the schema of a tool's parameters; one without members if it has none. */
struct ik_json_span ik_wire_parameters(const struct ik_tool_definition *tool);

/* Write a stored string value unchanged, if it is a string. */
void ik_wire_put_stored_text(struct ik_buf *out, struct ik_json_span value);

/* Write the name of a tool_call. */
void ik_wire_put_call_name(struct ik_buf *out, const struct ik_message *call);

/* Write the arguments of a tool_call as a string, unchanged; if they are not a JSON object, wrap
 * the text in one. */
void ik_wire_put_arguments_text(struct ik_buf *out, const struct ik_message *call);

/* The same as an object. */
void ik_wire_put_arguments_object(struct ik_buf *out, const struct ik_message *call);

/* Write a call id that every provider accepts (^[A-Za-z0-9_-]+$, limited length): the id itself, or
 * one derived from it. */
void ik_wire_put_call_id(struct ik_buf *out, const char *call_id, size_t longest);
#define IK_WIRE_CALL_ID 64 /* the maximum, except for OpenAI's chat format */

/* Write the envelope of a tool_result as a string; NULL: there is no result. */
void ik_wire_put_envelope(struct ik_buf *out, const struct ik_message *result);

/* Return the opaque data that this format left with a message, if it was this provider's. */
struct ik_json_span ik_wire_opaque(const struct ik_request *request,
	const struct ik_message *message, const char *type);

/* Write the member "tools" with an object for each. */
void ik_wire_put_tool_list(struct ik_buf *out, const struct ik_request *request,
	void (*put_tool)(struct ik_buf *out, const struct ik_endpoint *endpoint,
		const struct ik_tool_definition *tool));

/* The user's message in place of a lost beginning: the first message must be the user's. */
#define IK_WIRE_BEGINNING "(The beginning of the conversation is missing.)"

/* Is it only white space? Some providers refuse such a text. */
bool ik_wire_is_blank(const char *text, size_t length);

/* Write "key": text, or "key": raw value. */
void ik_wire_put_member(struct ik_buf *out, const char *key, const char *text);
void ik_wire_put_raw_member(struct ik_buf *out, const char *key, struct ik_json_span value);

#endif
