#include "store/store_private.h"

#include <stdlib.h>
#include <string.h>

#include "store/lock_private.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* Put a read at the end. */
static struct ik_store_read *begin(struct ik_store *store, enum ik_store_read_kind kind,
	const char *text, ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = ik_alloc(sizeof(*read));

	read->kind = kind;
	read->text = text ? ik_strdup(text) : NULL;
	read->reader = reader;
	read->arg = arg;
	ik_buf_init(&read->bytes, IK_LIMIT_PART);
	*store->reads_end = read;
	store->reads_end = &read->next;
	ik_store_turn_later(store);
	return read;
}

struct ik_store_read *ik_store_newest(struct ik_store *store, const char *directory,
	ik_store_reader *reader, void *arg)
{
	return begin(store, IK_READ_NEWEST, directory, reader, arg);
}

struct ik_store_read *ik_store_find(struct ik_store *store, const char *id_prefix,
	ik_store_reader *reader, void *arg)
{
	return begin(store, IK_READ_FIND, id_prefix, reader, arg);
}

struct ik_store_read *ik_store_list(struct ik_store *store, int64_t updated_ms, const char *id,
	size_t count, ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, IK_READ_LIST, id, reader, arg);

	read->number = updated_ms;
	read->count = count;
	return read;
}

/* A pattern that fits what has all words in it, in their order; NULL: there are none. */
static char *make_pattern(const char *words)
{
	struct ik_buf out;

	words += strspn(words, " ");
	if (!words[0])
		return NULL;
	ik_buf_init(&out, 2 * strlen(words) + 8);
	ik_buf_putc(&out, '%');
	for (; *words; words++) {
		if (*words == '%' || *words == '_' || *words == '\\')
			ik_buf_putc(&out, '\\');
		ik_buf_putc(&out, *words == ' ' ? '%' : *words);
	}
	ik_buf_putc(&out, '%');
	return ik_buf_take(&out, NULL);
}

struct ik_store_read *ik_store_select(struct ik_store *store,
	const struct ik_session_choice *choice, int64_t updated_ms, const char *id, size_t count,
	ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = ik_store_list(store, updated_ms, id, count, reader, arg);

	read->directory = choice->directory ? ik_strdup(choice->directory) : NULL;
	read->pattern = choice->words ? make_pattern(choice->words) : NULL;
	return read;
}

struct ik_store_read *ik_store_delete(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg)
{
	return begin(store, IK_READ_DELETE, session, reader, arg);
}

struct ik_store_read *ik_store_page(struct ik_store *store, const char *session, int64_t before,
	size_t count, ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, IK_READ_PAGE, session, reader, arg);

	read->number = before;
	read->count = count;
	return read;
}

struct ik_store_read *ik_store_after(struct ik_store *store, const char *session, int64_t sequence,
	size_t count, ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, IK_READ_AFTER, session, reader, arg);

	read->number = sequence;
	read->count = count;
	return read;
}

struct ik_store_read *ik_store_lock_step(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg)
{
	return begin(store, IK_READ_LOCK, session, reader, arg);
}

struct ik_store_read *ik_store_read_part(struct ik_store *store, const char *id, size_t part,
	ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, IK_READ_PART, id, reader, arg);

	read->number = (int64_t)part;
	return read;
}

struct ik_store_read *ik_store_write_part(struct ik_store *store, const char *id, size_t part,
	const char *bytes, size_t length, ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, IK_READ_WRITE_PART, id, reader, arg);

	read->number = (int64_t)part;
	ik_buf_append(&read->bytes, bytes, length);
	return read;
}

struct ik_store_read *ik_store_search(struct ik_store *store, const struct ik_search_query *query,
	const char *directory, const struct ik_search_place *behind, size_t count,
	ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, IK_READ_SEARCH, NULL, reader, arg);

	read->query = ik_alloc(sizeof(*read->query));
	*read->query = *query;
	read->directory = directory ? ik_strdup(directory) : NULL;
	read->place.first = INT64_MAX;
	if (behind)
		read->place = *behind;
	read->told_by_ms = ik_clock_ms() + store->search_ms;
	read->count = count;
	return read;
}

struct ik_store_read *ik_store_read_close(struct ik_store_read *read)
{
	if (read)
		read->reader = NULL;
	return NULL;
}

/* ---- what a backend finds ---- */

struct ik_session_info *ik_store_read_add_session(struct ik_store_read *read)
{
	struct ik_session_info *info;

	read->sessions = ik_alloc_array(read->sessions, read->found + 1, sizeof(*read->sessions));
	info = &read->sessions[read->found++];
	*info = (struct ik_session_info){ .id = "" };
	return info;
}

void ik_store_read_add_message(struct ik_store_read *read, struct ik_message *message)
{
	if (!read->messages)
		read->messages = ik_alloc_array(NULL, read->count, sizeof(struct ik_message *));
	read->messages[read->found++] = message;
}

void ik_store_read_add_hit(struct ik_store_read *read, const struct ik_session_info *info,
	struct ik_message *message)
{
	*ik_store_read_add_session(read) = *info;
	read->found--;
	ik_store_read_add_message(read, message);
}

void ik_session_info_done(struct ik_session_info *info)
{
	free(info->title);
	free(info->directory);
	info->title = NULL;
	info->directory = NULL;
}

enum ik_status ik_store_read_not_found(const struct ik_store_read *read, struct ik_error *error)
{
	if (read->kind == IK_READ_DELETE)
		return ik_error_set(error, IK_NOT_FOUND, _("There is no session %s."), read->text);
	if (read->kind == IK_READ_FIND)
		return ik_error_set(error, IK_NOT_FOUND,
			_("There is no session %s. --resume without an id takes the newest of this directory."),
			read->text);
	if (read->text)
		return ik_error_set(error, IK_NOT_FOUND, _("There is no stored session of %s."),
			read->text);
	return ik_error_set(error, IK_NOT_FOUND, _("There is no stored session."));
}

enum ik_status ik_store_read_choose(struct ik_store_read *read, struct ik_error *error)
{
	if (read->found == 0)
		return ik_store_read_not_found(read, error);
	if (read->found == 1)
		return IK_OK;
	if (!ik_text_equal(read->sessions[0].id, read->text))
		return ik_error_set(error, IK_INVALID,
			_("Several sessions begin with %s; give more of the id."), read->text);
	ik_session_info_done(&read->sessions[--read->found]);
	return IK_OK;
}

void ik_store_read_turn_round(struct ik_store_read *read)
{
	size_t i, j;

	for (i = 0, j = read->found; i + 1 < j; i++) {
		struct ik_message *message = read->messages[--j];

		read->messages[j] = read->messages[i];
		read->messages[i] = message;
	}
}

/* ---- answers ---- */

/* Release what it was given. */
static void drop_found(struct ik_store_read *read)
{
	size_t i;

	for (i = 0; read->sessions && i < read->found; i++)
		ik_session_info_done(&read->sessions[i]);
	for (i = 0; read->messages && i < read->found; i++)
		ik_message_unref(read->messages[i]);
	free(read->sessions);
	free(read->messages);
	read->sessions = NULL;
	read->messages = NULL;
	read->found = 0;
}

void ik_store_read_again(struct ik_store_read *read)
{
	if (read->kind == IK_READ_SEARCH || read->continued)
		return;
	drop_found(read);
	if (read->kind != IK_READ_WRITE_PART)
		ik_buf_clear(&read->bytes);
}

static void read_free(struct ik_store_read *read)
{
	drop_found(read);
	ik_buf_done(&read->bytes);
	free(read->text);
	free(read->directory);
	free(read->pattern);
	free(read->query);
	free(read);
}

/* Take the first one off the list. */
static struct ik_store_read *pop(struct ik_store *store)
{
	struct ik_store_read *read = store->reads;

	store->reads = read->next;
	if (!store->reads)
		store->reads_end = &store->reads;
	return read;
}

struct ik_store_read *ik_store_read_first(struct ik_store *store)
{
	struct ik_store_read *read = store->reads;

	while (read && read->finished)
		read = read->next;
	return read;
}

void ik_store_read_finish(struct ik_store_read *read, enum ik_status status,
	const struct ik_error *error)
{
	read->finished = true;
	read->status = status;
	if (status != IK_OK)
		read->error = *error;
}

void ik_store_reads_fail(struct ik_store *store, enum ik_status status,
	const struct ik_error *error)
{
	struct ik_store_read *read;

	while ((read = ik_store_read_first(store)))
		ik_store_read_finish(read, status, error);
}

void ik_store_reads_deliver(struct ik_store *store)
{
	while (store->reads && store->reads->finished) {
		struct ik_store_read *read = pop(store);
		const struct ik_store_answer answer = {
			.status = read->status,
			.error = read->error,
			.sessions = read->sessions,
			.messages = read->messages,
			.count = read->status == IK_OK ? read->found : 0,
			.bytes = read->bytes.data,
			.length = read->bytes.length,
			.row = &read->row,
			.place = &read->place,
			.more = read->more,
			.indexed = store->indexed,
			.events = store->events,
		};

		if (read->reader)
			read->reader(read->arg, &answer);
		read_free(read);
	}
}

void ik_store_reads_silence(struct ik_store *store)
{
	struct ik_store_read *read,
		*begun = store->work == IK_WORK_READ ? ik_store_read_first(store) : NULL;

	for (read = store->reads; read; read = read->next) {
		read->reader = NULL;
		if (read != begun && read->kind != IK_READ_LOCK)
			read->finished = true;
	}
}

void ik_store_reads_done(struct ik_store *store)
{
	while (store->reads)
		read_free(pop(store));
}
