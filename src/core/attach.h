/*
 * attach: attachments of a message: the files that it mentions, the output of the user's shell
 * commands since the last message, and the changes that /undo made to files.
 *
 * A mention is a file if one of that name exists, or if it can't be
 * anything else: its directory exists, it has an extension, or it is in quotes.  Anything
 * else that begins with "@" is text.  Punctuation at the end belongs to the name only if
 * such a file exists.
 *
 * May include: util, json, conversation, agent/session/session.h, core.
 */
#ifndef IK_CORE_ATTACH_H
#define IK_CORE_ATTACH_H

#include "agent/session/session.h"
#include "conversation/conversation.h"
#include "core/places.h"

/* A place where a message mentions a file: "@PATH", up to the next blank, or @"PATH with blanks".
 * The "@" must begin a word: neither an address (me@example.org) nor "\@" is a mention. */
struct ik_mention {
	size_t start, end; /* in the text, including the "@" */
	const char *path;  /* points into the text */
	size_t length;
	bool quoted;
	bool open; /* the closing quote is missing */
};

/* Find the first mention after *position, and move *position to its end. Return false if there is
 * none. */
bool ik_mention_next(const char *text, size_t length, size_t *position,
	struct ik_mention *ret_mention);

/* Return the first mention that names no file, and so is sent as text, in new memory; NULL if there
 * is none. */
char *ik_mention_unknown(const char *text, size_t length, const struct ik_places *places);

/* Limit on the size of an attached file. */
#define IK_ATTACH_FILE_BYTES ((size_t)1 << 20)
/* Limit on the attached output of a command; its beginning and end are sent. */
#define IK_ATTACH_OUTPUT_BYTES ((size_t)1 << 16)

/* What is sent instead of the message as typed. */
struct ik_attached {
	struct ik_buf text; /* the message, followed by its attachments */
	struct ik_buf data; /* the message's data (conversation/message.h); empty if nothing is
	                       attached */
	char last_command[IK_UUID_TEXT]; /* id of the newest attached command, or "" */
};
void ik_attached_init(struct ik_attached *attached);
void ik_attached_done(struct ik_attached *attached);

/*
 * Read the attachments of a message. Only its first `written` bytes, which were typed, may mention
 * files. Commands are included if they begin with "!" or have something to report to the model
 * (conversation/message.h), and follow the last message and the command with the id since (NULL:
 * none). The error names the file and says what to do; then send nothing.
 */
enum ik_status ik_attach(const char *text, size_t length, size_t written,
	const struct ik_places *places, const struct ik_conversation *conversation, const char *since,
	struct ik_attached *attached, struct ik_error *error) IK_MUST_USE;

/* Send a message to a session with its attachments. since is updated; it may be NULL. On error,
 * nothing is sent. */
enum ik_status ik_attach_and_submit(struct ik_session *session, const char *text, size_t length,
	size_t written, const struct ik_places *places, char since[IK_UUID_TEXT],
	struct ik_error *error) IK_MUST_USE;

#endif
