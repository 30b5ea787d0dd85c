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
static void add_words(struct ik_database *database, struct ik_rows *rows, size_t *size)
{
	struct ik_message *message = ik_rows_event(rows);
	struct ik_buf words;

	ik_buf_init(&words, 16 * IK_SEARCH_BYTES);
	ik_index_put_words(message, &words);
	if (message)
		*size += message->content_length + message->data_length;
	if (words.length > 0)
		ik_database_change(database, ik_database_sql.add_words,
			IK_VALUES(ik_value_id(ik_rows_text(rows, SESSION)),
				ik_value_number(ik_rows_number(rows, KEY)),
				ik_value_number(ik_rows_number(rows, MARK)),
				ik_value_chars(words.data, words.length)));
	ik_message_unref(message);
	ik_buf_done(&words);
}

/* Index the events of the rows, and set the mark; false: there were none. */
static bool add_rows(struct ik_database *database, struct ik_rows *rows, bool gives_way)
{
	int64_t mark = 0, key = 0;
	char session[IK_UUID_TEXT];
	bool found = false;
	size_t size = 0;

	while (size < BATCH_BYTES && !(gives_way && ik_connection_has_input(database->client)) &&
		ik_rows_next(rows)) {
		ik_rows_copy_id(rows, SESSION, session);
		mark = ik_rows_number(rows, MARK);
		key = ik_rows_number(rows, ik_rows_is_null(rows, 0) ? LAST_MARK : KEY);
		if (!found)
			ik_database_change(database, ik_database_sql.lock_index,
				IK_VALUES(ik_value_id(session), ik_value_number(mark)));
		found = true;
		if (!ik_rows_is_null(rows, 0))
			add_words(database, rows, &size);
	}
	if (found)
		ik_database_change(database, ik_database_sql.set_mark,
			IK_VALUES(ik_value_id(session), ik_value_number(key), ik_value_number(mark)));
	return found;
}

bool ik_index_some(struct ik_database *database, bool gives_way)
{
	struct ik_rows *rows;
	bool added;

	if (ik_database_number(database, ik_database_sql.behind, NULL) == 0)
		return false;
	ik_database_begin(database);
	database->patient = true;
	rows = ik_database_ask(database, ik_database_sql.unindexed, NULL);
	added = add_rows(database, rows, gives_way);
	(void)ik_rows_free(rows);
	ik_database_end(database);
	database->patient = false;
	return added && !ik_database_failed(database);
}
