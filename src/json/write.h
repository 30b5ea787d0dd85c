/*
 * write: JSON text made by appending, without a tree.
 *
 * Commas are added automatically: a key or value that follows another gets one.
 *     ik_json_printf(b, "{'name':'%s','size':%lld,'list':[", name, size);
 *     while (...)
 *         ik_json_printf(b, "'%s'", element);
 *     ik_json_printf(b, "]}");
 * The buffer's last byte shows whether a comma is needed: not at the start, nor after { [ : ,
 * blank and line feed. So a buffer may already contain other text ("data: ", or lines of JSON that
 * end in a line feed). Check the buffer's status once, at the end.
 *
 * Pure. May include: util, json/scan.h.
 */
#ifndef IK_JSON_WRITE_H
#define IK_JSON_WRITE_H

#include <stdarg.h>

#include "json/scan.h"

/*
 * Append any piece of JSON by a format, in which ' stands for ". Conversions:
 *     '%s' '%.*s'       a string (its length first), or null for NULL
 *     %s %.*s           checked JSON text as in ik_json_put_raw(), or null for NULL
 *     %d %zu %lld %g    a number; a double in the shortest form that reads back the same, or null
 *                       for NaN and infinities
 * A comma is added before it if needed.
 */
void ik_json_printf(struct ik_buf *out, const char *format, ...) IK_PRINTF(2, 3);
void ik_json_vprintf(struct ik_buf *out, const char *format, va_list arguments) IK_PRINTF(2, 0);

/* A span as the arguments of %.*s. */
#define IK_JSON_ARGS(span) (int)(span).length, (span).text

/* Return the word for a boolean, for use with %s. */
static inline const char *ik_json_word(bool value)
{
	return value ? "true" : "false";
}

void ik_json_open(struct ik_buf *out, char bracket);
void ik_json_close(struct ik_buf *out, char bracket);
void ik_json_key(struct ik_buf *out, const char *name);

/* Append a string of length bytes: escaped, NUL as \u0000, invalid UTF-8 as U+FFFD. */
void ik_json_put_string(struct ik_buf *out, const char *bytes, size_t length);
void ik_json_put_text(struct ik_buf *out, const char *text); /* NULL: null */
void ik_json_put_integer(struct ik_buf *out, int64_t number);
void ik_json_put_null(struct ik_buf *out);

/* Append checked JSON text without the blanks between its parts, so that it is on one line; strings
 * and numbers are unchanged. */
void ik_json_put_raw(struct ik_buf *out, struct ik_json_span value);

/* Append only the escaped contents of a string, without quotes and comma, to write a string in
 * pieces between its two quotes. A piece must end at a character boundary. */
void ik_json_quote_open(struct ik_buf *out);
void ik_json_escape(struct ik_buf *out, const char *bytes, size_t length);
void ik_json_quote_close(struct ik_buf *out);

/* Append value (without a comma before it) in readable form: two blanks per level, one member per
 * line, empty containers on one line. */
void ik_json_pretty(struct ik_buf *out, struct ik_json_span value);

#endif
