/*
 * attach: attachments of a message: the prompt that a custom command makes, the files that both
 * mention, the output of the user's shell commands since the last message, and the changes that /undo
 * made to files.  Texts become a part of the message; pictures and documents are attached to it
 * (conversation/attachment.h).
 *
 * A mention is a file if one of that name exists, or if it can't be
 * anything else: its directory exists, it has an extension, or it is in quotes.  Anything
 * else that begins with "@" is text.  Punctuation at the end belongs to the name only if
 * such a file exists.
 *
 * May include: util, json, conversation, tool, agent/model.h, core.
 */
#ifndef IK_CORE_ATTACH_H
#define IK_CORE_ATTACH_H

#include "agent/model.h"
#include "conversation/conversation.h"
#include "core/core.h"
#include "loop/loop.h"

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

/* Limit on the size of an attached text. */
#define IK_ATTACH_FILE_BYTES ((size_t)1 << 20)
/* Limit on the attached output of a command; its beginning and end are sent. */
#define IK_ATTACH_OUTPUT_BYTES ((size_t)1 << 16)

struct ik_attach;

/* A file that comes with a message by itself: a picture, a document, or a text. */
struct ik_given_file {
	char *name;
	char *bytes;
	size_t length;
};

/* Everything is borrowed until done, or the close. */
struct ik_attach_options {
	struct ik_loop *loop;
	const struct ik_places *places;
	struct ik_core *core; /* to expand custom commands; NULL: they are text */
	const struct ik_conversation *conversation;
	const char *since;            /* id of the last command that went with a message; "": none */
	const struct ik_model *model; /* gets the message; NULL: not known */
	bool unattended;              /* no user can type commands: give other advice */
	const struct ik_given_file *given; /* go with the message, as does what it mentions */
	size_t given_count;
};

/* message is what is to be sent in place of the text as typed, valid during the call; NULL: nothing,
 * and error names the file and says what to do. last_command is the id of the newest command that
 * goes with it, or "". */
typedef void ik_attach_done(void *arg, struct ik_message *message, const char *last_command,
	const struct ik_error *error);

/*
 * Make a message of a text and all that goes with it. Only its first `written` bytes, which were
 * typed, may mention files. Commands are included if they begin with "!" or have something to report
 * to the model (conversation/message.h), and follow the last message and the command `since`.
 *
 * Pictures and documents are read by processes, and a custom command may run some: then done is
 * called in a later turn of the loop, and the caller closes the object. Without any, done is called
 * at once, and NULL is returned.
 */
struct ik_attach *ik_attach_start(const struct ik_attach_options *options, const char *text,
	size_t length, size_t written, ik_attach_done *done, void *arg);
/* Stop it. Takes NULL. Returns NULL. */
struct ik_attach *ik_attach_close(struct ik_attach *attach);

#endif
