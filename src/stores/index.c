#include "stores/index.h"

#include "conversation/search_text.h"
#include "json/write.h"
#include "util/limits.h"
#include "util/text.h"

/* Limit on bytes per transaction; others can write in between. */
#define BATCH_BYTES IK_MIB(16)
/* Words sent to the database at once, in bytes: it processes them while more are prepared. */
#define WORDS_BYTES IK_KIB(64)

enum { KEY = IK_EVENT_COLUMN_COUNT, SESSION, MARK };

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

/* Append the words of a row's event under its key; add the event's bytes to *size. */
static void put_event(struct ik_rows *rows, struct ik_buf *words, size_t *size)
{
	struct ik_message *message = ik_rows_event(rows);

	if (words->length == 0)
		ik_json_open(words, '{');
	ik_json_key(words, ik_rows_text(rows, KEY));
	ik_json_quote_open(words);
	ik_index_put_words(message, words);
	ik_json_quote_close(words);
	if (message)
		*size += message->content_length + message->data_length;
	ik_message_unref(message);
}

static void add_words(struct ik_database *database, struct ik_buf *words)
{
	if (words->length == 0)
		return;
	ik_json_close(words, '}');
	ik_database_change(database, ik_database_sql.add_words,
		IK_VALUES(ik_value_chars(words->data, words->length)));
	ik_buf_clear(words);
}

/* Set the mark up to which all events of a session are indexed; 0: none were indexed. */
static void set_mark(struct ik_database *database, const char *session, int64_t mark)
{
	if (mark > 0)
		ik_database_change(database, ik_database_sql.set_mark,
			IK_VALUES(ik_value_id(session), ik_value_number(mark)));
}

/* Index the events of the rows. Return false if there were none. */
static bool add_rows(struct ik_database *database, struct ik_rows *rows, bool gives_way)
{
	char session[IK_UUID_TEXT] = "";
	struct ik_buf words;
	int64_t mark = 0;
	size_t size = 0;

	ik_buf_init(&words, SIZE_MAX / 2);
	while (size < BATCH_BYTES && !(gives_way && ik_connection_has_input(database->client)) &&
		ik_rows_next(rows)) {
		if (!ik_text_equal(session, ik_rows_text(rows, SESSION)))
			set_mark(database, session, mark);
		ik_rows_copy_id(rows, SESSION, session);
		mark = ik_rows_number(rows, MARK);
		if (ik_rows_text_or_null(rows, 0))
			put_event(rows, &words, &size);
		if (words.length >= WORDS_BYTES)
			add_words(database, &words);
	}
	add_words(database, &words);
	set_mark(database, session, mark);
	ik_buf_done(&words);
	return mark > 0;
}

bool ik_index_some(struct ik_database *database, bool gives_way)
{
	int64_t behind = ik_database_number(database, ik_database_sql.behind, NULL);
	struct ik_rows *chosen, *rows = NULL;
	bool added;

	if (behind > database->unindexed || behind == 0)
		database->unindexed = behind;
	if (behind == 0)
		return false;
	(void)ik_connection_progress(database->client, "index", database->unindexed - behind,
		database->unindexed);
	ik_database_begin(database);
	database->patient = true;
	chosen = ik_database_ask(database, ik_database_sql.choose, NULL);
	if (ik_rows_next(chosen))
		rows = ik_database_ask(database, ik_database_sql.unindexed,
			IK_VALUES(ik_value_text(ik_rows_text(chosen, 0))));
	added = add_rows(database, rows, gives_way);
	(void)ik_rows_free(rows);
	(void)ik_rows_free(chosen);
	ik_database_end(database);
	database->patient = false;
	/* A search waits for what other programs are indexing. */
	return (added || !gives_way) && !ik_database_failed(database);
}
