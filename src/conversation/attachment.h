/*
 * attachment: the files and outputs that belong to a message, as its data lists them
 * (conversation/message.h).
 *
 * Limits are the same for all providers, so that what is stored is what is sent, to any of them.
 *
 * A text is a part of the message's content. A picture or a document is stored separately, as a
 * blob, and its bytes hang on the message while they are in memory.
 *
 * May include: util, json.
 */
#ifndef IK_CONVERSATION_ATTACHMENT_H
#define IK_CONVERSATION_ATTACHMENT_H

#include "conversation/conversation.h"
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
 * past the last one, and past more than ikigai ever attaches (in a message from a file). */
bool ik_message_attachment(const struct ik_message *message, size_t index,
	struct ik_attachment *ret_attachment);

/* Is it a picture or a document? */
bool ik_attachment_is_file(const struct ik_attachment *attachment);

/* Append a picture or document as a content block, which MCP and ACP have in common; nothing if its
 * bytes are not in memory. */
void ik_attachment_put_block(const struct ik_attachment *attachment, struct ik_buf *out);

/* Return the blob at index (from 0) of all that the store has for a message: whole outputs, then
 * files. */
bool ik_message_blob_at(const struct ik_message *message, size_t index, struct ik_blob *ret_blob);

/* Limits on a picture that is stored and sent. Anthropic refuses more pixels if there are many
 * pictures, and more than 5 MiB in base64 (Vision, "Evaluate image size"). */
#define IK_PICTURE_EDGE 2000
#define IK_PICTURE_BYTES (IK_MIB(5) / 4 * 3)
/* Limit on the files of a request, besides IK_LIMIT_DOCUMENT; it is Anthropic's. */
#define IK_ATTACHMENTS_MOST 100
/* Limit on the files of one message. */
#define IK_MESSAGE_FILES_MOST 20

/*
 * Return the index of the first message whose files are sent: what was said before a summary is not
 * (except ik_conversation_asked(), if this is ik_conversation_first()), and when they become too many,
 * those of all earlier messages are left out at once, so that the beginning of requests seldom changes,
 * which caches depend on.
 */
size_t ik_attachments_first(const struct ik_conversation *conversation);

/* Attachments of a message that is being made. */
struct ik_attachments {
	struct ik_buf list; /* JSON, without its last bracket; empty: none */
	struct ik_bytes **contents;
	size_t count;
	size_t files; /* those that are not text */
	size_t bytes; /* of all these */
};
void ik_attachments_init(struct ik_attachments *attachments);
void ik_attachments_done(struct ik_attachments *attachments);

/* Add a text that is a part of the content. */
void ik_attachments_add_text(struct ik_attachments *attachments, const char *name, size_t bytes);

/* Add a file, which gets an id for the store and a reference to its bytes. */
struct ik_attached_file {
	char media_type[32];
	int64_t width, height; /* 0: not a picture */
	struct ik_bytes *bytes;
};
void ik_attachments_add_file(struct ik_attachments *attachments, const char *name,
	const struct ik_attached_file *file);
/* May it be added? A message has IK_MESSAGE_FILES_MOST files at most, of IK_LIMIT_DOCUMENT bytes
 * together. */
bool ik_attachments_fits(const struct ik_attachments *attachments,
	const struct ik_attached_file *file);

/* Return message with these attachments; it is unchanged if there are none. Takes over the caller's
 * reference. */
struct ik_message *ik_message_with_attachments(struct ik_message *message,
	const struct ik_attachments *attachments);

#endif
