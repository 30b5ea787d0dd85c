#include "agent/session/file_reader.h"

#include <stdlib.h>

#include "conversation/attachment.h"
#include "util/alloc.h"
#include "util/limits.h"

struct ik_file_reader {
	struct ik_store *store;
	const struct ik_conversation *conversation;
	void (*done)(void *arg);
	void *arg;
	size_t first; /* index of the first message whose files are sent, */
	size_t asked; /* and of one before it, if there is one */
	/* The file that is being read: */
	size_t at;    /* index of its message */
	size_t index; /* of the attachment */
	struct ik_attachment file;
	struct ik_store_read *read;
	size_t part; /* number of the next part */
	struct ik_buf bytes;
};

/* Find the next file that is not in memory. */
static bool find_next(struct ik_file_reader *reader)
{
	size_t count = ik_conversation_count(reader->conversation);

	for (; reader->at < count; reader->at++, reader->index = 0) {
		const struct ik_message *message = ik_conversation_at(reader->conversation, reader->at);

		if ((reader->at < reader->first && reader->at != reader->asked) ||
			message->kind == IK_KIND_COMMAND) /* the user's own calls are not sent */
			continue;
		for (; ik_message_attachment(message, reader->index, &reader->file); reader->index++)
			if (ik_attachment_is_file(&reader->file) && !reader->file.contents &&
				reader->file.bytes <= (int64_t)IK_LIMIT_DOCUMENT)
				return true;
	}
	return false;
}

static ik_store_reader on_part;

static void read_part(struct ik_file_reader *reader)
{
	reader->read = ik_store_read_part(reader->store, reader->file.blob, reader->part++, on_part,
		reader);
}

/* Begin the next file; return false if there is none. */
static bool begin_next(struct ik_file_reader *reader)
{
	reader->part = 0;
	ik_buf_clear(&reader->bytes);
	if (!find_next(reader))
		return false;
	read_part(reader);
	return true;
}

/* Keep the bytes of a file with its message, if they are complete. */
static void keep(struct ik_file_reader *reader)
{
	struct ik_bytes *bytes = NULL;

	if ((int64_t)reader->bytes.length == reader->file.bytes &&
		ik_buf_status(&reader->bytes) == IK_OK)
		bytes = ik_bytes_take(&reader->bytes);
	if (bytes)
		ik_message_set_contents(ik_conversation_at(reader->conversation, reader->at), reader->index,
			bytes);
	ik_bytes_unref(bytes);
}

static void on_part(void *arg, const struct ik_store_answer *answer)
{
	struct ik_file_reader *reader = arg;

	reader->read = NULL;
	if (answer->status == IK_OK)
		ik_buf_append(&reader->bytes, answer->bytes, answer->length);
	if (answer->status == IK_OK && answer->length > 0 &&
		(int64_t)reader->bytes.length < reader->file.bytes) {
		read_part(reader);
		return;
	}
	keep(reader);
	reader->index++;
	if (!begin_next(reader))
		reader->done(reader->arg);
}

/* Release the bytes of files that are not sent. */
static void release_others(const struct ik_file_reader *reader)
{
	for (size_t at = 0; at < reader->first; at++) {
		struct ik_message *message = ik_conversation_at(reader->conversation, at);

		for (size_t i = 0; at != reader->asked && i < message->contents_count; i++)
			ik_message_set_contents(message, i, NULL);
	}
}

struct ik_file_reader *ik_file_reader_start(struct ik_store *store,
	const struct ik_conversation *conversation, void (*done)(void *arg), void *arg)
{
	struct ik_file_reader *reader = ik_alloc(sizeof(*reader));

	reader->store = store;
	reader->conversation = conversation;
	reader->done = done;
	reader->arg = arg;
	reader->first = ik_attachments_first(conversation);
	reader->asked = reader->first > ik_conversation_first(conversation)
		? reader->first
		: ik_conversation_asked(conversation);
	reader->at = reader->asked < reader->first ? reader->asked : reader->first;
	ik_buf_init(&reader->bytes, IK_LIMIT_DOCUMENT);
	release_others(reader);
	return begin_next(reader) ? reader : ik_file_reader_close(reader);
}

struct ik_file_reader *ik_file_reader_close(struct ik_file_reader *reader)
{
	if (!reader)
		return NULL;
	reader->read = ik_store_read_close(reader->read);
	ik_buf_done(&reader->bytes);
	free(reader);
	return NULL;
}
