#include "store/left_behind.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "journal/event_line.h"
#include "journal/journal_reader.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define REPLIES_LIMIT 16

struct left_behind {
	int64_t sequence; /* only what comes after it */
	struct ik_message **messages;
	size_t count, room;
	/* Of the journal that is being read: */
	int64_t number; /* of its last event */
	struct {
		struct ik_message *begun;
		struct ik_buf text;
	} replies[REPLIES_LIMIT];
	size_t reply_count;
};

/* Add the next event; takes over the reference. */
static void add(struct left_behind *left, struct ik_message *message)
{
	if (!message)
		return;
	message->sequence = ++left->number;
	if (message->sequence <= left->sequence) {
		ik_message_unref(message);
		return;
	}
	if (left->count == left->room) {
		left->room = left->room ? 2 * left->room : 16;
		left->messages = ik_alloc_array(left->messages, left->room, sizeof(struct ik_message *));
	}
	left->messages[left->count++] = message;
}

/* ---- replies that are not whole ---- */

static size_t find_reply(const struct left_behind *left, const char *id)
{
	size_t i = 0;

	while (i < left->reply_count && !ik_text_equal(left->replies[i].begun->id, id))
		i++;
	return i;
}

static void forget_reply(struct left_behind *left, const char *id)
{
	size_t i = find_reply(left, id);

	if (i == left->reply_count)
		return;
	ik_message_unref(left->replies[i].begun);
	ik_buf_done(&left->replies[i].text);
	left->reply_count--;
	memmove(&left->replies[i], &left->replies[i + 1],
		(left->reply_count - i) * sizeof(left->replies[0]));
}

static void begin_reply(struct left_behind *left, struct ik_json_span value)
{
	struct ik_message *begun = left->reply_count < REPLIES_LIMIT ? ik_event_line_read(value) : NULL;
	size_t i = left->reply_count;

	if (!begun)
		return;
	left->reply_count++;
	left->replies[i].begun = begun;
	ik_buf_init(&left->replies[i].text, IK_LIMIT_REPLY);
	ik_buf_append(&left->replies[i].text, begun->content, begun->content_length);
}

/* As the store program stores it. */
static struct ik_message *interrupted(const struct ik_message *begun, const struct ik_buf *text)
{
	static const char data[] = "{\"interrupted\":true}";
	bool marked = begun->kind == IK_KIND_ASSISTANT;

	return ik_message_stored(begun->kind, begun->id, 0, begun->time_ms, text->data, text->length,
		marked ? data : NULL, marked ? sizeof(data) - 1 : 0);
}

/* ---- journals ---- */

static void take_record(struct left_behind *left, const struct ik_journal_record *record)
{
	char id[IK_UUID_TEXT];
	size_t i;

	switch (record->kind) {
	case IK_JOURNAL_EVENT:
		if (ik_event_line_id(record->value, "id", id))
			forget_reply(left, id);
		add(left, ik_event_line_read(record->value));
		break;
	case IK_JOURNAL_BEGIN:
		begin_reply(left, record->value);
		break;
	case IK_JOURNAL_MORE:
		i = ik_event_line_id(record->value, "more", id) ? find_reply(left, id) : left->reply_count;
		if (i < left->reply_count)
			(void)ik_json_string(ik_json_member(record->value, "text"), &left->replies[i].text);
		break;
	case IK_JOURNAL_DROP:
		if (ik_event_line_id(record->value, "drop", id))
			forget_reply(left, id);
		break;
	case IK_JOURNAL_PART:
	case IK_JOURNAL_CLOSED:
	case IK_JOURNAL_OTHER:
		break;
	}
}

static void read_journal(struct left_behind *left, const char *directory, const char *name)
{
	struct ik_journal_reader *reader = NULL;
	struct ik_journal_record record;
	struct ik_error error;
	enum ik_status status;
	bool abandoned;

	if (ik_journal_reader_open(directory, name, &reader, &error) != IK_OK)
		return;
	abandoned = ik_journal_reader_is_abandoned(reader);
	left->number = ik_journal_reader_head(reader)->after;
	while ((status = ik_journal_reader_next(reader, &record, &error)) == IK_OK ||
		status == IK_INVALID)
		if (status == IK_OK)
			take_record(left, &record);
	while (left->reply_count > 0) {
		if (abandoned)
			add(left, interrupted(left->replies[0].begun, &left->replies[0].text));
		forget_reply(left, left->replies[0].begun->id);
	}
	(void)ik_journal_reader_close(reader);
}

static int compare(const void *one, const void *other)
{
	const struct ik_message *first = *(struct ik_message *const *)one;
	const struct ik_message *second = *(struct ik_message *const *)other;

	return (first->sequence > second->sequence) - (first->sequence < second->sequence);
}

static void read_directory(struct left_behind *left, const char *directory, const char *session)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (ik_text_starts(entry->d_name, session) && entry->d_name[IK_UUID_TEXT - 1] == '.')
			read_journal(left, directory, entry->d_name);
	if (stream)
		(void)closedir(stream);
}

struct ik_message **ik_left_behind(const char *const *directories, size_t directory_count,
	const char *session, int64_t sequence, size_t *ret_count)
{
	struct left_behind left = { .sequence = sequence };

	for (size_t i = 0; i < directory_count; i++)
		if (directories[i])
			read_directory(&left, directories[i], session);
	if (left.count > 1)
		qsort(left.messages, left.count, sizeof(struct ik_message *), compare);
	*ret_count = left.count;
	return left.messages;
}
