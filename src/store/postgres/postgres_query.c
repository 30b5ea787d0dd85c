#include "store/postgres/postgres_private.h"

#include <endian.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/limits.h"
#include "util/utf8.h"

/* All parameters of one statement: a large part, or a transaction's events. */
#define STATEMENT_BYTES IK_MIB(1000)

void ik_pq_statement_init(struct ik_pq_statement *statement, const char *text)
{
	statement->text = text;
	statement->count = 0;
	ik_buf_init(&statement->bytes, STATEMENT_BYTES);
}

void ik_pq_statement_done(struct ik_pq_statement *statement)
{
	ik_buf_done(&statement->bytes);
}

/* Begin a parameter; its bytes follow. */
static void begin_parameter(struct ik_pq_statement *statement, unsigned type)
{
	statement->types[statement->count] = type;
	statement->starts[statement->count] = statement->bytes.length;
}

static void end_parameter(struct ik_pq_statement *statement)
{
	size_t length = statement->bytes.length - statement->starts[statement->count];

	statement->lengths[statement->count++] = (int)length;
	/* A parameter of no bytes has to stand somewhere all the same. */
	ik_buf_putc(&statement->bytes, '\0');
}

void ik_pq_put_bytes(struct ik_pq_statement *statement, unsigned type, const char *bytes,
	size_t length)
{
	begin_parameter(statement, type);
	ik_buf_append(&statement->bytes, bytes, length);
	end_parameter(statement);
}

void ik_pq_put_readable(struct ik_buf *out, const char *bytes, size_t length, bool ascii)
{
	size_t i;

	ik_utf8_repair(out, bytes, length);
	for (i = 0; i < out->length; i++) {
		if (!out->data[i])
			out->data[i] = ' ';
		else if (ascii && (unsigned char)out->data[i] >= 0x80)
			out->data[i] = '?';
	}
}

void ik_pq_put_name(struct ik_pq_statement *statement, const char *text, bool ascii)
{
	struct ik_buf out;

	ik_buf_init(&out, 3 * strlen(text) + 1);
	ik_pq_put_readable(&out, text, strlen(text), ascii);
	ik_pq_put_bytes(statement, IK_PQ_TEXT, out.data, out.length);
	ik_buf_done(&out);
}

void ik_pq_put_text(struct ik_pq_statement *statement, const char *text)
{
	ik_pq_put_name(statement, text, false);
}

void ik_pq_put_null(struct ik_pq_statement *statement, unsigned type)
{
	begin_parameter(statement, type);
	statement->lengths[statement->count++] = -1;
}

void ik_pq_put_number(struct ik_pq_statement *statement, int64_t number)
{
	uint64_t bytes = htobe64((uint64_t)number);

	ik_pq_put_bytes(statement, IK_PQ_INT8, (const char *)&bytes, sizeof(bytes));
}

void ik_pq_put_uuid(struct ik_pq_statement *statement, const char *text)
{
	char bytes[16];

	if (ik_pq_uuid(text, bytes))
		ik_pq_put_bytes(statement, IK_PQ_UUID, bytes, sizeof(bytes));
	else
		ik_pq_put_null(statement, IK_PQ_UUID);
}

/* ---- arrays, as the server's array_recv() takes them ---- */

static void put_int32(struct ik_pq_statement *statement, int32_t number)
{
	uint32_t bytes = htobe32((uint32_t)number);

	ik_buf_append(&statement->bytes, (const char *)&bytes, sizeof(bytes));
}

/* The type whose elements are of this one. */
static unsigned array_of(unsigned type)
{
	switch (type) {
	case IK_PQ_BYTEA:
		return 1001;
	case IK_PQ_INT8:
		return 1016;
	case IK_PQ_UUID:
		return 2951;
	default:
		return 1009; /* text */
	}
}

void ik_pq_begin_array(struct ik_pq_statement *statement, unsigned type, size_t count)
{
	begin_parameter(statement, array_of(type));
	put_int32(statement, 1); /* dimensions */
	put_int32(statement, 1); /* there may be NULLs */
	put_int32(statement, (int32_t)type);
	put_int32(statement, (int32_t)count);
	put_int32(statement, 1); /* the first one's number */
}

void ik_pq_put_element(struct ik_pq_statement *statement, const char *bytes, size_t length)
{
	put_int32(statement, (int32_t)length);
	ik_buf_append(&statement->bytes, bytes, length);
}

void ik_pq_put_element_null(struct ik_pq_statement *statement)
{
	put_int32(statement, -1);
}

void ik_pq_put_element_number(struct ik_pq_statement *statement, int64_t number)
{
	uint64_t bytes = htobe64((uint64_t)number);

	ik_pq_put_element(statement, (const char *)&bytes, sizeof(bytes));
}

void ik_pq_put_element_uuid(struct ik_pq_statement *statement, const char *text)
{
	char bytes[16];

	if (ik_pq_uuid(text, bytes))
		ik_pq_put_element(statement, bytes, sizeof(bytes));
	else
		ik_pq_put_element_null(statement);
}

void ik_pq_end_array(struct ik_pq_statement *statement)
{
	end_parameter(statement);
}

static int hex_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

bool ik_pq_uuid(const char *text, char out[16])
{
	size_t count = 0;

	for (; *text && count < 32; text++) {
		int value = hex_value(*text);

		if (*text == '-')
			continue;
		if (value < 0)
			return false;
		out[count / 2] = (char)(count % 2 ? out[count / 2] | value : value << 4);
		count++;
	}
	return count == 32 && !*text;
}

/* ---- sending ---- */

bool ik_pq_send(struct postgres *postgres, const struct ik_pq_statement *statement)
{
	const char *values[IK_PQ_PARAMETERS];
	int formats[IK_PQ_PARAMETERS], i;

	if (ik_buf_status(&statement->bytes) != IK_OK || statement->bytes.length > INT_MAX)
		return false;
	for (i = 0; i < statement->count; i++) {
		values[i] = statement->lengths[i] < 0 ? NULL : statement->bytes.data + statement->starts[i];
		formats[i] = 1;
	}
	/* Results as bytes: texts come as they are, and nothing has to be unescaped. */
	return PQsendQueryParams(postgres->connection, statement->text, statement->count,
			   statement->types, values, statement->lengths, formats, 1) == 1;
}

bool ik_pq_begin(struct postgres *postgres)
{
	struct ik_pq_statement statement;
	bool sent;

	/* For this transaction alone: a pooler gives the connection to others afterwards. */
	ik_pq_statement_init(&statement,
		"SELECT set_config('statement_timeout', $1::bigint::text, true)");
	ik_pq_put_number(&statement, postgres->base.timeout_ms);
	sent = ik_pq_send(postgres, &statement);
	ik_pq_statement_done(&statement);
	return sent;
}

const char *ik_pq_text(const PGresult *result, int row, int column)
{
	return PQgetisnull(result, row, column) ? "" : PQgetvalue(result, row, column);
}

int64_t ik_pq_number(const PGresult *result, int row, int column)
{
	return strtoll(ik_pq_text(result, row, column), NULL, 10);
}
