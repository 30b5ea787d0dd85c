#include "stores/index.h"

#include "conversation/search_text.h"
#include "util/limits.h"

/* Bytes of one transaction, between two of which others can write. */
#define BATCH_BYTES IK_MIB(16)

enum { SESSION = IK_EVENT_COLUMN_COUNT, KEY, MARK, LAST_MARK };

void ik_index_put_words(const struct ik_message *message, struct ik_buf *out)
{
	struct ik_buf text;

	if (!message)
		return;
	ik_buf_init(&text, SIZE_MAX / 2);
	ik_search_text(&text, message);
	ik_database_put_words(out, text.data, text.length);
	ik_buf_done(&text);
}

/* Index the event of a row; *size grows by its bytes. */
static enum ik_status add_words(struct ik_database *database, struct ik_rows *rows, size_t *size,
	struct ik_error *error)
{
	struct ik_message *message = ik_rows_event(rows);
	enum ik_status status = IK_OK;
	struct ik_buf words;

	ik_buf_init(&words, 16 * IK_SEARCH_BYTES);
	ik_index_put_words(message, &words);
	if (message)
		*size += message->content_length + message->data_length;
	if (words.length > 0)
		status = ik_database_change(database, ik_database_sql.add_words,
			IK_VALUES(ik_value_id(ik_rows_text(rows, SESSION)),
				ik_value_number(ik_rows_number(rows, KEY)),
				ik_value_number(ik_rows_number(rows, MARK)),
				ik_value_chars(words.data, words.length)),
			error);
	ik_message_unref(message);
	ik_buf_done(&words);
	return status;
}

/* Index the events of the rows, and set the mark; *ret_count: how many rows that were. */
static enum ik_status add_rows(struct ik_database *database, struct ik_rows *rows, bool gives_way,
	int64_t *ret_count, struct ik_error *error)
{
	enum ik_status status = IK_OK;
	int64_t mark = 0, key = 0;
	char session[IK_UUID_TEXT];
	size_t size = 0;

	*ret_count = 0;
	while (size < BATCH_BYTES && !(gives_way && ik_connection_has_input(database->client)) &&
		ik_rows_next(rows, &status, error)) {
		ik_rows_copy_id(rows, SESSION, session);
		mark = ik_rows_number(rows, MARK);
		key = ik_rows_number(rows, ik_rows_is_null(rows, 0) ? LAST_MARK : KEY);
		if ((*ret_count)++ == 0)
			status = ik_database_change(database, ik_database_sql.lock_index,
				IK_VALUES(ik_value_id(session), ik_value_number(mark)), error);
		if (status == IK_OK && !ik_rows_is_null(rows, 0))
			status = add_words(database, rows, &size, error);
	}
	if (status == IK_OK && *ret_count > 0)
		status = ik_database_change(database, ik_database_sql.set_mark,
			IK_VALUES(ik_value_id(session), ik_value_number(key), ik_value_number(mark)), error);
	return status;
}

enum ik_status ik_index_some(struct ik_database *database, bool gives_way, bool *ret_more,
	struct ik_error *error)
{
	int64_t count = 0, behind = 0;
	struct ik_rows *rows;
	enum ik_status status = ik_database_number(database, ik_database_sql.behind, NULL, &behind,
		error);

	*ret_more = false;
	if (status == IK_OK && behind)
		status = ik_database_begin(database, error);
	if (status != IK_OK || !behind)
		return status;
	database->patient = true;
	status = ik_database_ask(database, ik_database_sql.unindexed, NULL, &rows, error);
	if (status == IK_OK) {
		status = add_rows(database, rows, gives_way, &count, error);
		(void)ik_rows_free(rows);
	}
	status = ik_database_end(database, status, error);
	database->patient = false;
	*ret_more = status == IK_OK && count > 0;
	return status;
}
