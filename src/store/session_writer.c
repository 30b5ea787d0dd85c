#include "store/session_writer.h"

#include <stdlib.h>
#include <string.h>

#include "store/requests.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

struct ik_session_writer *ik_session_writer_new(const struct ik_store_place *place, const char *id,
	const char *directory)
{
	struct ik_session_writer *writer = ik_alloc(sizeof(*writer));

	writer->place = place;
	memcpy(writer->id, id, strnlen(id, sizeof(writer->id) - 1));
	writer->directory = ik_strdup(directory);
	writer->created_ms = ik_clock_wall_ms();
	writer->end = &writer->first;
	return writer;
}

/* Remove and free the entry that *link points to. */
static void forget(struct ik_session_writer *writer, struct ik_writer_queued **link)
{
	struct ik_writer_queued *queued = *link;

	*link = queued->next;
	if (!*link)
		writer->end = link;
	ik_message_unref(queued->message);
	(void)ik_bytes_unref(queued->bytes);
	free(queued);
}

static struct ik_writer_queued *add_queued(struct ik_session_writer *writer)
{
	struct ik_writer_queued *queued = ik_alloc(sizeof(*queued));

	*writer->end = queued;
	writer->end = &queued->next;
	return queued;
}

struct ik_session_writer *ik_session_writer_free(struct ik_session_writer *writer)
{
	if (!writer)
		return NULL;
	ik_session_writer_end(writer);
	while (writer->first)
		forget(writer, &writer->first);
	free(writer->name);
	free(writer->directory);
	free(writer);
	return NULL;
}

void ik_session_writer_end(struct ik_session_writer *writer)
{
	writer->journal = ik_journal_close(writer->journal);
	writer->reply_count = 0;
}

/* ---- its journal ---- */

static enum ik_status open_in(struct ik_session_writer *writer, const char *directory,
	struct ik_error *error)
{
	const struct ik_journal_session session = {
		.id = writer->id,
		.directory = writer->directory,
		.created_ms = writer->created_ms,
		.after = writer->journaled,
		.parent = writer->parent[0] ? writer->parent : NULL,
		.forked_at = writer->forked_at,
	};
	enum ik_status status = ik_path_make(directory, 0700, error);

	if (status == IK_OK)
		status = ik_journal_new(directory, writer->place->writer, &session, &writer->journal,
			error);
	if (status != IK_OK)
		return status;
	writer->spared = directory == writer->place->spare;
	free(writer->name);
	writer->name = ik_strdup(ik_journal_name(writer->journal));
	return IK_OK;
}

/* Open a journal, unless one is open. */
static enum ik_status open_journal(struct ik_session_writer *writer, struct ik_error *error)
{
	return writer->journal ? IK_OK : open_in(writer, writer->place->journals, error);
}

/* The disk refuses the record: continue in a journal in the spare directory. Return false if that
 * fails, too. A partial reply starts over there. *ret_full, which may be NULL, is the old journal:
 * close it only after the new one has a record, since until then readers would take its partial
 * reply for the whole. */
static bool switch_to_spare(struct ik_session_writer *writer, struct ik_journal **ret_full)
{
	struct ik_journal *full = writer->journal;
	struct ik_error ignored;

	if (!writer->place->spare || (full && writer->spared))
		return false;
	ik_session_writer_drop_replies(writer);
	writer->journal = NULL;
	if (open_in(writer, writer->place->spare, &ignored) != IK_OK) {
		writer->journal = full;
		return false;
	}
	*ret_full = full;
	return true;
}

/* Return the partial reply with this ID; NULL if there is none. */
static struct ik_writer_reply *find_reply(struct ik_session_writer *writer, const char *id)
{
	for (size_t i = 0; i < writer->reply_count; i++)
		if (ik_text_equal(writer->replies[i].id, id))
			return &writer->replies[i];
	return NULL;
}

/* An event, or a part of a large text. */
struct writer_record {
	const struct ik_message *message; /* NULL: a part */
	const char *blob;
	size_t part;
	struct ik_json_span bytes;
};

static enum ik_status add_record(struct ik_session_writer *writer,
	const struct writer_record *record, struct ik_error *error)
{
	if (record->message)
		return ik_journal_add_event(writer->journal, record->message, error);
	return ik_journal_add_part(writer->journal, record->blob, (int64_t)record->part,
		record->bytes.text, record->bytes.length, error);
}

static enum ik_status write_record(struct ik_session_writer *writer,
	const struct writer_record *record, struct ik_error *error)
{
	enum ik_status status = open_journal(writer, error);
	struct ik_journal *full = NULL;

	if (status == IK_OK)
		status = add_record(writer, record, error);
	if (status != IK_OK && switch_to_spare(writer, &full))
		status = add_record(writer, record, error);
	(void)ik_journal_close(full);
	return status;
}

enum ik_status ik_session_writer_put_part(struct ik_session_writer *writer, const char *blob,
	size_t part, const char *bytes, size_t length, struct ik_error *error)
{
	const struct writer_record record = { NULL, blob, part, { bytes, length } };

	return write_record(writer, &record, error);
}

/* Return the part of a large text with this number; "" past the end. */
static struct ik_json_span part_of(const struct ik_bytes *bytes, size_t part)
{
	size_t from = part * IK_LIMIT_PART, length = ik_bytes_length(bytes);
	size_t left = from < length ? length - from : 0;

	return (struct ik_json_span){ left > 0 ? bytes->data + from : "",
		left < IK_LIMIT_PART ? left : IK_LIMIT_PART };
}

/* Journal an event, or the next part of a large text. */
static enum ik_status write_queued(struct ik_session_writer *writer,
	struct ik_writer_queued *queued, struct ik_error *error)
{
	const struct writer_record record = { queued->message, queued->id, queued->part,
		part_of(queued->bytes, queued->part) };
	enum ik_status status = write_record(writer, &record, error);
	struct ik_writer_reply *reply;

	if (status != IK_OK)
		return status;
	if (!queued->message) {
		queued->part++;
		return IK_OK;
	}
	writer->journaled++;
	reply = find_reply(writer, queued->message->id);
	if (reply)
		*reply = writer->replies[--writer->reply_count];
	return IK_OK;
}

enum ik_status ik_session_writer_flush(struct ik_session_writer *writer, bool all,
	struct ik_error *error)
{
	struct ik_writer_queued **link = &writer->first, *queued;
	enum ik_status result = IK_OK;

	while ((queued = *link)) {
		enum ik_status status = write_queued(writer, queued, error);

		if (status != IK_OK) {
			result = status;
			if (queued->message)
				break;            /* the next ones have higher numbers */
			link = &queued->next; /* a smaller record may fit */
		} else if (queued->message || part_of(queued->bytes, queued->part).length == 0) {
			forget(writer, link);
		} else if (!all) {
			break;
		}
	}
	return result;
}

enum ik_status ik_session_writer_append(struct ik_session_writer *writer,
	struct ik_message *message, struct ik_error *error)
{
	/* Imported events are older than the session here. */
	if (message->time_ms < writer->created_ms)
		writer->created_ms = message->time_ms;
	/* Queue it before writing: memory may run out meanwhile. */
	message->sequence = ++writer->last;
	add_queued(writer)->message = ik_message_ref(message);
	return ik_session_writer_flush(writer, true, error);
}

void ik_session_writer_add_text(struct ik_session_writer *writer, const char *id,
	struct ik_bytes *bytes)
{
	struct ik_writer_queued *queued = add_queued(writer);

	memcpy(queued->id, id, strnlen(id, sizeof(queued->id) - 1));
	queued->bytes = ik_bytes_ref(bytes);
}

/* Start a reply in the journal, after everything queued. */
static enum ik_status begin_reply(struct ik_session_writer *writer,
	const struct ik_message *message, struct ik_error *error)
{
	enum ik_status status = ik_session_writer_flush(writer, true, error);
	struct ik_writer_reply *reply;

	if (status == IK_OK)
		status = open_journal(writer, error);
	if (status == IK_OK)
		status = ik_journal_begin_reply(writer->journal, message, error);
	if (status != IK_OK)
		return status;
	reply = &writer->replies[writer->reply_count++];
	memcpy(reply->id, message->id, sizeof(reply->id));
	reply->length = message->content_length;
	return IK_OK;
}

enum ik_status ik_session_writer_keep_reply(struct ik_session_writer *writer,
	const struct ik_message *message, struct ik_error *error)
{
	struct ik_writer_reply *reply = find_reply(writer, message->id);
	enum ik_status status = IK_OK;

	if (!reply)
		return writer->reply_count < IK_WRITER_REPLIES ? begin_reply(writer, message, error)
													   : IK_OK;
	if (message->content_length > reply->length)
		status = ik_journal_grow_reply(writer->journal, message->id,
			message->content + reply->length, message->content_length - reply->length, error);
	if (status == IK_OK)
		reply->length = message->content_length;
	return status;
}

void ik_session_writer_drop_replies(struct ik_session_writer *writer)
{
	struct ik_error error;

	for (; writer->reply_count > 0; writer->reply_count--)
		(void)!ik_journal_drop_reply(writer->journal, writer->replies[writer->reply_count - 1].id,
			&error);
}
