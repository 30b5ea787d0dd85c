/*
 * attachment: the files and outputs that belong to a message, as its data lists them
 * (conversation/message.h).
 *
 * A text is a part of the message's content. A picture or a document is stored separately, as a
 * blob, and its bytes hang on the message while they are in memory.
 *
 * May include: util, json.
 */
#ifndef IK_CONVERSATION_ATTACHMENT_H
#define IK_CONVERSATION_ATTACHMENT_H

#include "conversation/message.h"
#include "util/bytes.h"

/* The type of a document; that of a picture begins with "image/". */
#define IK_MEDIA_PDF "application/pdf"

/* Valid as long as the message. */
struct ik_attachment {
	struct ik_json_span name;  /* a JSON string: the path as it was typed, or a tool's */
	int64_t bytes;             /* size of the file, or of what of it is sent */
	const char *media_type;    /* "image/png"; "": a text, which is in the content */
	int64_t width, height;     /* of a picture, in pixels; 0: none or unknown */
	char blob[IK_UUID_TEXT];   /* where the store has it; "": a text */
	struct ik_bytes *contents; /* borrowed; NULL: not in memory */
};

/* Read the attachment at index (from 0) of a user message, a tool_result or a command. Return false
 * past the last one. */
bool ik_message_attachment(const struct ik_message *message, size_t index,
	struct ik_attachment *ret_attachment);

#endif
