#include "stores/database.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/text.h"

/* ---- values ---- */

struct ik_value ik_value_number(int64_t number)
{
	return (struct ik_value){ .type = IK_VALUE_NUMBER, .number = number };
}

struct ik_value ik_value_chars(const char *text, size_t length)
{
	return (struct ik_value){ .type = IK_VALUE_TEXT, .text = text, .length = length };
}

struct ik_value ik_value_text(const char *text)
{
	return ik_value_chars(text, text ? strlen(text) : 0);
}

struct ik_value ik_value_id(const char *id)
{
	struct ik_value value = ik_value_text(id);

	value.type = IK_VALUE_ID;
	if (value.length != IK_UUID_TEXT - 1 || strspn(id, "0123456789abcdef-") != value.length)
		value.text = NULL;
	return value;
}

struct ik_value ik_value_bytes(const char *bytes, size_t length)
{
	return (struct ik_value){ .type = IK_VALUE_BYTES, .text = bytes, .length = length };
}

/* ---- statements ---- */

bool ik_database_failed(const struct ik_database *database)
{
	return database->error.status != IK_OK;
}

void ik_database_check_writable(struct ik_database *database)
{
	if (database->reads_only && !ik_database_failed(database))
		ik_error_set(&database->error, IK_IO,
			_("The database %s cannot be written: check its permissions."), database->name);
}

int64_t ik_database_number(struct ik_database *database, const char *statement,
	const struct ik_value *values)
{
	struct ik_rows *rows = ik_database_ask(database, statement, values);
	int64_t number = ik_rows_next(rows) ? ik_rows_number(rows, 0) : 0;

	(void)ik_rows_free(rows);
	return number;
}

void ik_database_id(struct ik_database *database, const char *statement,
	const struct ik_value *values, char ret_id[IK_UUID_TEXT])
{
	struct ik_rows *rows = ik_database_ask(database, statement, values);

	ret_id[0] = '\0';
	if (ik_rows_next(rows))
		ik_rows_copy_id(rows, 0, ret_id);
	(void)ik_rows_free(rows);
}

/* ---- rows ---- */

const char *ik_rows_text_or_null(struct ik_rows *rows, int column)
{
	size_t length;

	return ik_rows_chars(rows, column, &length);
}

const char *ik_rows_text(struct ik_rows *rows, int column)
{
	const char *text = ik_rows_text_or_null(rows, column);

	return text ? text : "";
}

void ik_rows_put_members(struct ik_rows *rows, int column, struct ik_buf *line)
{
	const char *object = ik_rows_text(rows, column);
	size_t length = strlen(object);

	if (length > 2)
		ik_json_put_raw(line, (struct ik_json_span){ object + 1, length - 2 });
}

int64_t ik_rows_number(struct ik_rows *rows, int column)
{
	return strtoll(ik_rows_text(rows, column), NULL, 10);
}

void ik_rows_copy_id(struct ik_rows *rows, int column, char ret_id[IK_UUID_TEXT])
{
	const char *text = ik_rows_text(rows, column);

	memset(ret_id, 0, IK_UUID_TEXT);
	memcpy(ret_id, text, strnlen(text, IK_UUID_TEXT - 1));
}

/* Return the exact bytes of a text column, which are two columns further on, or else its text. */
static const char *exact(struct ik_rows *rows, int column, size_t *ret_length)
{
	const char *bytes = ik_rows_bytes(rows, column + 2, ret_length);

	return bytes ? bytes : ik_rows_chars(rows, column, ret_length);
}

struct ik_message *ik_rows_event(struct ik_rows *rows)
{
	size_t content_length = 0, data_length = 0;
	const char *content, *data;
	enum ik_kind kind;

	if (!ik_kind_from_name(ik_rows_text(rows, 2), &kind))
		return NULL;
	content = exact(rows, 3, &content_length);
	data = exact(rows, 4, &data_length);
	return ik_message_stored(kind, ik_rows_text(rows, 0), ik_rows_number(rows, 1),
		ik_rows_number(rows, 7), content ? content : "", content_length, data, data_length);
}

/* ---- tables ---- */

/* Return the version of the tables; fail if a newer program made them. */
static size_t form_of(struct ik_database *database, const struct ik_database_form *form)
{
	int64_t number = ik_database_number(database, form->ask, NULL);

	if (number > (int64_t)form->count)
		ik_error_set(&database->error, IK_DENIED,
			_("The database %s was made by a newer ikigai (form %lld; this one knows up to %zu). "
			  "Update ikigai, or choose another database with --database."),
			database->name, (long long)number, form->count);
	return (size_t)number;
}

void ik_database_migrate(struct ik_database *database, const struct ik_database_form *form)
{
	size_t number = form_of(database, form);
	char *set;

	if (number == form->count || ik_database_failed(database))
		return;
	database->patient = true;
	ik_database_begin(database);
	ik_database_change(database, form->lock, NULL);
	for (number = form_of(database, form); number < form->count; number++) {
		(void)ik_connection_progress(database->client, "update", (int64_t)number,
			(int64_t)form->count);
		ik_database_run(database, form->steps[number]);
	}
	set = ik_format("%s%zu", form->set, form->count);
	ik_database_run(database, set);
	free(set);
	ik_database_end(database);
	database->patient = false;
}
