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

enum ik_status ik_database_check_writable(const struct ik_database *database,
	struct ik_error *error)
{
	if (!database->reads_only)
		return IK_OK;
	return ik_error_set(error, IK_IO,
		_("The database %s cannot be written: check its permissions."), database->name);
}

enum ik_status ik_database_number(struct ik_database *database, const char *statement,
	const struct ik_value *values, int64_t *ret_number, struct ik_error *error)
{
	struct ik_rows *rows;
	enum ik_status status = ik_database_ask(database, statement, values, &rows, error);

	if (status != IK_OK)
		return status;
	if (ik_rows_next(rows, &status, error))
		*ret_number = ik_rows_number(rows, 0);
	(void)ik_rows_free(rows);
	return status;
}

enum ik_status ik_database_id(struct ik_database *database, const char *statement,
	const struct ik_value *values, char ret_id[IK_UUID_TEXT], struct ik_error *error)
{
	struct ik_rows *rows;
	enum ik_status status = ik_database_ask(database, statement, values, &rows, error);

	ret_id[0] = '\0';
	if (status != IK_OK)
		return status;
	if (ik_rows_next(rows, &status, error))
		ik_rows_copy_id(rows, 0, ret_id);
	(void)ik_rows_free(rows);
	return status;
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

bool ik_rows_is_null(struct ik_rows *rows, int column)
{
	return !ik_rows_text_or_null(rows, column);
}

void ik_rows_copy_id(struct ik_rows *rows, int column, char ret_id[IK_UUID_TEXT])
{
	const char *text = ik_rows_text(rows, column);

	memset(ret_id, 0, IK_UUID_TEXT);
	memcpy(ret_id, text, strnlen(text, IK_UUID_TEXT - 1));
}

/* What a text column has, or the one for its exact bytes two columns on. */
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

static enum ik_status check_form(struct ik_database *database, int64_t form, size_t count,
	struct ik_error *error)
{
	if (form <= (int64_t)count)
		return IK_OK;
	return ik_error_set(error, IK_DENIED,
		_("The database %s was made by a newer ikigai (form %lld; this one knows up to %zu). "
		  "Update ikigai, or choose another database with --database."),
		database->name, (long long)form, count);
}

/* In a transaction: all steps that are missing. */
static enum ik_status take_steps(struct ik_database *database, const struct ik_database_form *form,
	struct ik_error *error)
{
	int64_t number = 0;
	enum ik_status status = ik_database_number(database, form->ask, NULL, &number, error);
	char *text;

	if (status == IK_OK)
		status = check_form(database, number, form->count, error);
	for (; status == IK_OK && number < (int64_t)form->count; number++)
		status = ik_database_run(database, form->steps[number], error);
	if (status != IK_OK)
		return status;
	text = ik_format("%s%lld; COMMIT", form->set, (long long)number);
	status = ik_database_run(database, text, error);
	free(text);
	return status;
}

enum ik_status ik_database_migrate(struct ik_database *database,
	const struct ik_database_form *form, struct ik_error *error)
{
	struct ik_error ignored;
	int64_t number = 0;
	enum ik_status status = ik_database_number(database, form->ask, NULL, &number, error);

	if (status == IK_OK)
		status = check_form(database, number, form->count, error);
	if (status != IK_OK || number == (int64_t)form->count)
		return status;
	status = ik_database_run(database, form->lock, error);
	if (status != IK_OK)
		return status;
	status = take_steps(database, form, error);
	/* A connection that was lost has rolled back by itself. */
	if (status != IK_OK && ik_database_is_open(database))
		(void)!ik_database_run(database, "ROLLBACK", &ignored);
	return status;
}
