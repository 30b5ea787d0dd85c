/*
 * wire: pieces of a request that more than one wire format spells alike.
 *
 * Private to src/provider.  May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_WIRE_WIRE_H
#define IK_PROVIDER_WIRE_WIRE_H

#include "json/write.h"
#include "provider/wire/format.h"
#include "provider/wire/transcript.h"

/* How many ends of the user's messages are remembered for marks. */
#define IK_WIRE_MARKS 2

/*
 * The list of messages as it is written, passage by passage: what a passage needs to know of
 * those before it.
 */
struct ik_wire_writer {
	const struct ik_request *request;
	struct ik_buf *out;
	const char *role;            /* of the message that is open; "": none. A literal */
	bool any;                    /* something was said */
	size_t marks[IK_WIRE_MARKS]; /* places in out where a mark could stand, the newest
	                                first; 0: none */
};

/*
 * How a format spells a request: head, passages, end, tail; what stays the same from round to
 * round first, what a round may say otherwise last.
 */
struct ik_wire_spelling {
	/* All before the list of messages, the tools among it, and its bracket. */
	void (*put_head)(struct ik_buf *out, const struct ik_request *request);
	void (*put_passage)(struct ik_wire_writer *writer, const struct ik_passage *passage);
	/* Close the message that is open behind the last passage; NULL: none ever is. */
	void (*put_end)(struct ik_wire_writer *writer);
	/* The bracket behind the list, and all that follows. */
	void (*put_tail)(struct ik_buf *out, const struct ik_request *request);
	const char *mark; /* to be inserted at the writer's marks; NULL: none */
};

/* The schema of a tool's parameters; one without members where it has none. */
struct ik_json_span ik_wire_parameters(const struct ik_tool_definition *tool);

/* A string from a stored value: as it stands, when it is a string. */
void ik_wire_put_stored_text(struct ik_buf *out, struct ik_json_span value);

/* The name of a tool_call. */
void ik_wire_put_call_name(struct ik_buf *out, const struct ik_message *call);

/* The arguments of a tool_call as a string: as they came; what is no JSON object stands as a
 * text in one. */
void ik_wire_put_arguments_text(struct ik_buf *out, const struct ik_message *call);

/* The same as an object; what is no JSON object stands in it as a text. */
void ik_wire_put_arguments_object(struct ik_buf *out, const struct ik_message *call);

/* A call id that every provider takes (^[A-Za-z0-9_-]+$, and not longer): the id, or one made
 * of it. */
void ik_wire_put_call_id(struct ik_buf *out, const char *call_id, size_t longest);
#define IK_WIRE_CALL_ID 64 /* the longest, but for OpenAI's chat format */

/* The envelope of a tool_result as a string; NULL: that none came. */
void ik_wire_put_envelope(struct ik_buf *out, const struct ik_message *result);

/* What the format that serializes left with a message, if it was this provider's. */
struct ik_json_span ik_wire_opaque(const struct ik_request *request,
	const struct ik_message *message, const char *type);

/* The member "tools" with an object for each. */
void ik_wire_put_tool_list(struct ik_buf *out, const struct ik_request *request,
	void (*put_tool)(struct ik_buf *out, const struct ik_endpoint *endpoint,
		const struct ik_tool_definition *tool));

/* What the user says in place of a beginning that is lost: the first word must be theirs. */
#define IK_WIRE_BEGINNING "(The beginning of the conversation is missing.)"

/* Nothing but white space? Some providers refuse such a text. */
bool ik_wire_is_blank(const char *text, size_t length);

/* "key": text; "key": raw value. */
void ik_wire_put_member(struct ik_buf *out, const char *key, const char *text);
void ik_wire_put_raw_member(struct ik_buf *out, const char *key, struct ik_json_span value);

#endif
