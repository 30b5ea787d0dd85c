/*
 * attach: what goes with a message: the files that it mentions, and what the
 * person's own commands printed since the last one, and what /undo did to files.
 *
 * A mention (core/mention.h) is a file where there is one of that name, or where it can be
 * nothing else: it names a directory that is there, or a name with an extension, or
 * stands in quotes.  Anything else that begins with "@" is text.  Punctuation at its end
 * belongs to it only where there is such a file.
 *
 * May include: util, json, conversation, core.
 */
#ifndef IK_CORE_ATTACH_H
#define IK_CORE_ATTACH_H

#include "conversation/conversation.h"
#include "core/places.h"

/* The most of one file; a larger one is no text to be read at once. */
#define IK_ATTACH_FILE_BYTES ((size_t)1 << 20)
/* The most of what one command printed: its beginning and its end. */
#define IK_ATTACH_OUTPUT_BYTES ((size_t)1 << 16)

/* What is sent in the place of a message. */
struct ik_attached {
	struct ik_buf text; /* the message, and what goes with it behind it */
	struct ik_buf data; /* of the message (conversation/message.h); empty: nothing goes with it */
	char last_command[IK_UUID_TEXT]; /* the newest command whose output goes with it; or "" */
};
void ik_attached_init(struct ik_attached *attached);
void ik_attached_done(struct ik_attached *attached);

/*
 * Read what goes with a message, of which the first written bytes were typed, and may mention
 * files. Commands are those of the conversation that begin with "!" or have something told
 * (conversation/message.h),
 * behind the last message and behind the one with the id since (NULL: none). An error names the
 * file and says what to do; nothing is to be sent then.
 */
enum ik_status ik_attach(const char *text, size_t length, size_t written,
	const struct ik_places *places, const struct ik_conversation *conversation, const char *since,
	struct ik_attached *attached, struct ik_error *error) IK_MUST_USE;

#endif
