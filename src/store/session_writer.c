#include "store/session_writer.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

struct ik_session_writer *ik_session_writer_new(const struct ik_writer_place *place, const char *id,
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

static void forget_first(struct ik_session_writer *writer)
{
	struct ik_writer_queued *queued = writer->first;

	writer->first = queued->next;
	if (!writer->first)
		writer->end = &writer->first;
	ik_message_unref(queued->message);
	free(queued);
}

struct ik_session_writer *ik_session_writer_free(struct ik_session_writer *writer)
{
	if (!writer)
		return NULL;
	ik_session_writer_end(writer);
	while (writer->first)
		forget_first(writer);
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
		status = ik_journal_new(directory, writer->place->process, &session, &writer->journal,
			error);
	if (status != IK_OK)
		return status;
	writer->spared = directory == writer->place->spare;
	free(writer->name);
	writer->name = ik_strdup(ik_journal_name(writer->journal));
	return IK_OK;
}

/* Have a journal that takes records. */
static enum ik_status open_journal(struct ik_session_writer *writer, struct ik_error *error)
{
	return writer->journal ? IK_OK : open_in(writer, writer->place->journals, error);
}

/* This disk takes nothing: go on in a journal on the other one. False: there is none that does. A
 * reply that is arriving begins anew there. Close *ret_full, which may be NULL, once the new one has
 * a record: until then nobody takes what it has of a reply for all of it. */
static bool go_to_spare(struct ik_session_writer *writer, struct ik_journal **ret_full)
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

static size_t find_reply(const struct ik_session_writer *writer, const char *id)
{
	size_t i = 0;

	while (i < writer->reply_count && !ik_text_equal(writer->replies[i].id, id))
		i++;
	return i;
}

static void forget_reply(struct ik_session_writer *writer, size_t index)
{
	writer->reply_count--;
	memmove(&writer->replies[index], &writer->replies[index + 1],
		(writer->reply_count - index) * sizeof(writer->replies[0]));
}

static enum ik_status write_event(struct ik_session_writer *writer,
	const struct ik_message *message, struct ik_error *error)
{
	enum ik_status status = open_journal(writer, error);
	struct ik_journal *full = NULL;
	size_t reply;

	if (status == IK_OK)
		status = ik_journal_add_event(writer->journal, message, error);
	if (status != IK_OK && go_to_spare(writer, &full))
		status = ik_journal_add_event(writer->journal, message, error);
	(void)ik_journal_close(full);
	if (status != IK_OK)
		return status;
	writer->journaled++;
	reply = find_reply(writer, message->id);
	if (reply < writer->reply_count)
		forget_reply(writer, reply);
	return IK_OK;
}

enum ik_status ik_session_writer_flush(struct ik_session_writer *writer, struct ik_error *error)
{
	while (writer->first) {
		enum ik_status status = write_event(writer, writer->first->message, error);

		if (status != IK_OK)
			return status;
		forget_first(writer);
	}
	return IK_OK;
}

enum ik_status ik_session_writer_append(struct ik_session_writer *writer,
	struct ik_message *message, struct ik_error *error)
{
	struct ik_writer_queued *queued = ik_alloc(sizeof(*queued));

	/* What is imported is older than its session here. */
	if (message->time_ms < writer->created_ms)
		writer->created_ms = message->time_ms;
	/* It waits from here on: memory may run out while it is written. */
	message->sequence = ++writer->last;
	queued->message = ik_message_ref(message);
	*writer->end = queued;
	writer->end = &queued->next;
	return ik_session_writer_flush(writer, error);
}

enum ik_status ik_session_writer_put_part(struct ik_session_writer *writer, const char *blob,
	size_t part, const char *bytes, size_t length, struct ik_error *error)
{
	enum ik_status status = open_journal(writer, error);
	struct ik_journal *full = NULL;

	if (status == IK_OK)
		status = ik_journal_add_part(writer->journal, blob, (int64_t)part, bytes, length, error);
	if (status != IK_OK && go_to_spare(writer, &full))
		status = ik_journal_add_part(writer->journal, blob, (int64_t)part, bytes, length, error);
	(void)ik_journal_close(full);
	return status;
}

/* Begin a reply in the journal: what waits comes before it. */
static enum ik_status begin_reply(struct ik_session_writer *writer,
	const struct ik_message *message, struct ik_error *error)
{
	enum ik_status status = ik_session_writer_flush(writer, error);

	if (status == IK_OK)
		status = open_journal(writer, error);
	if (status == IK_OK)
		status = ik_journal_begin_reply(writer->journal, message, error);
	if (status == IK_OK)
		memcpy(writer->replies[writer->reply_count++].id, message->id, sizeof(message->id));
	return status;
}

enum ik_status ik_session_writer_keep_reply(struct ik_session_writer *writer,
	const struct ik_message *message, struct ik_error *error)
{
	size_t index = find_reply(writer, message->id), had;
	enum ik_status status = IK_OK;

	if (index == IK_WRITER_REPLIES)
		return IK_OK;
	had = index < writer->reply_count ? writer->replies[index].length : 0;
	if (index == writer->reply_count)
		status = begin_reply(writer, message, error);
	else if (message->content_length > had)
		status = ik_journal_grow_reply(writer->journal, message->id, message->content + had,
			message->content_length - had, error);
	if (status == IK_OK)
		writer->replies[find_reply(writer, message->id)].length = message->content_length;
	return status;
}

void ik_session_writer_drop_replies(struct ik_session_writer *writer)
{
	struct ik_error error;

	while (writer->reply_count > 0) {
		(void)!ik_journal_drop_reply(writer->journal, writer->replies[0].id, &error);
		forget_reply(writer, 0);
	}
}
