#include "json/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/plain.h"
#include "util/text.h"
#include "util/utf8.h"

/* Append a comma unless the last byte shows that a value may follow immediately. */
static void separate(struct ik_buf *out)
{
	if (out->length > 0 && !strchr("{[:, \n", out->data[out->length - 1]))
		ik_buf_putc(out, ',');
}

void ik_json_open(struct ik_buf *out, char bracket)
{
	separate(out);
	ik_buf_putc(out, bracket);
}

void ik_json_close(struct ik_buf *out, char bracket)
{
	ik_buf_putc(out, bracket);
}

void ik_json_key(struct ik_buf *out, const char *name)
{
	ik_json_put_text(out, name);
	ik_buf_putc(out, ':');
}

/* Append the escape of a byte that is not allowed in a string. */
static void put_escape(struct ik_buf *out, unsigned char byte)
{
	static const char letters[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu", hex[] = "0123456789abcdef";
	char letter = byte < 0x20 ? letters[byte] : (char)byte;

	if (letter == 'u')
		ik_buf_append(out, (char[]){ '\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15] }, 6);
	else
		ik_buf_append(out, (char[]){ '\\', letter }, 2);
}

/* Return the length of the longest prefix of valid UTF-8 that needs no escape. */
static size_t unescaped_run(const char *bytes, size_t length)
{
	uint32_t codepoint;
	size_t at = 0;
	int count;

	for (;;) {
		at += ik_json_plain_run(bytes + at, length - at);
		if (at == length || (unsigned char)bytes[at] < 0x80)
			return at;
		count = ik_utf8_decode(bytes + at, length - at, &codepoint);
		if (count <= 0)
			return at;
		at += (size_t)count;
	}
}

void ik_json_escape(struct ik_buf *out, const char *bytes, size_t length)
{
	const char *at = bytes, *end = bytes + length;

	while (at < end) {
		size_t run = unescaped_run(at, (size_t)(end - at));

		ik_buf_append(out, at, run);
		at += run;
		if (at == end)
			return;
		if ((unsigned char)*at < 0x80) {
			put_escape(out, (unsigned char)*at++);
		} else {
			ik_buf_puts(out, IK_UTF8_REPLACEMENT);
			at += ik_utf8_bad(at, (size_t)(end - at));
		}
	}
}

void ik_json_quote_open(struct ik_buf *out)
{
	separate(out);
	ik_buf_putc(out, '"');
}

void ik_json_quote_close(struct ik_buf *out)
{
	ik_buf_putc(out, '"');
}

void ik_json_put_string(struct ik_buf *out, const char *bytes, size_t length)
{
	ik_json_quote_open(out);
	ik_json_escape(out, bytes, length);
	ik_json_quote_close(out);
}

void ik_json_put_text(struct ik_buf *out, const char *text)
{
	if (text)
		ik_json_put_string(out, text, strlen(text));
	else
		ik_json_put_null(out);
}

void ik_json_put_integer(struct ik_buf *out, int64_t number)
{
	separate(out);
	ik_buf_printf(out, "%lld", (long long)number);
}

/* Append a number in its shortest form that reads back the same. */
static void put_double(struct ik_buf *out, double number)
{
	char text[40];

	if (!isfinite(number)) {
		ik_json_put_null(out); /* JSON cannot express it */
		return;
	}
	separate(out);
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	ik_buf_puts(out, text);
}

void ik_json_put_null(struct ik_buf *out)
{
	separate(out);
	ik_buf_puts(out, "null");
}

void ik_json_put_raw(struct ik_buf *out, struct ik_json_span value)
{
	const char *at = value.text, *end = value.text + value.length, *run = at;

	separate(out);
	while (at < end) {
		if (*at == '"') {
			at += ik_json_scalar_length(at, (size_t)(end - at));
		} else if (!ik_json_is_blank(*at)) {
			at++;
		} else {
			ik_buf_append(out, run, (size_t)(at - run));
			while (at < end && ik_json_is_blank(*at))
				at++;
			run = at;
		}
	}
	ik_buf_append(out, run, (size_t)(at - run));
}

/* Append the argument of the conversion at format (see ik_json_printf()). Return the end of the
 * conversion. */
static const char *put_argument(struct ik_buf *out, const char *format, va_list *arguments)
{
	bool quoted = *format == '\'', counted = ik_text_starts(format + quoted, "%.*s");

	if (counted || ik_text_starts(format + quoted, "%s")) {
		int most = counted ? va_arg(*arguments, int) : -1;
		const char *text = va_arg(*arguments, const char *);
		size_t length = most >= 0 ? (size_t)most : text ? strlen(text) : 0;

		if (!text)
			ik_json_put_null(out);
		else if (quoted)
			ik_json_put_string(out, text, length);
		else
			ik_json_put_raw(out, (struct ik_json_span){ text, length });
		return format + (counted ? 4 : 2) + 2 * (size_t)quoted;
	}
	switch (format[1]) {
	case 'g':
		put_double(out, va_arg(*arguments, double));
		return format + 2;
	case 'z':
		ik_json_put_integer(out, (int64_t)va_arg(*arguments, size_t));
		return format + 3;
	case 'l':
		ik_json_put_integer(out, va_arg(*arguments, long long));
		return format + 4;
	default:
		ik_json_put_integer(out, va_arg(*arguments, int));
		return format + 2;
	}
}

/* Append a format up to its next conversion, with ' replaced by ". Return the rest. */
static const char *put_literal(struct ik_buf *out, const char *format)
{
	size_t length = strcspn(format, "%");
	char *place;

	if (length > 0 && format[length] == '%' && format[length - 1] == '\'')
		length--;
	place = ik_buf_reserve(out, length);
	for (size_t at = 0; place && at < length; at++)
		place[at] = format[at] == '\'' ? '"' : format[at];
	if (place)
		ik_buf_commit(out, length);
	return format + length;
}

void ik_json_vprintf(struct ik_buf *out, const char *format, va_list arguments)
{
	va_list rest;

	if (!strchr("]},", *format))
		separate(out);
	va_copy(rest, arguments);
	while (*(format = put_literal(out, format)))
		format = put_argument(out, format, &rest);
	va_end(rest);
}

void ik_json_printf(struct ik_buf *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	ik_json_vprintf(out, format, arguments);
	va_end(arguments);
}

static void new_line(struct ik_buf *out, size_t depth)
{
	ik_buf_printf(out, "\n%*s", (int)depth * 2, "");
}

void ik_json_pretty(struct ik_buf *out, struct ik_json_span value)
{
	const char *at = value.text, *end = value.text + value.length;
	bool empty = true; /* the innermost container is empty so far */
	size_t depth = 0;

	while (at < end && ik_buf_status(out) == IK_OK) {
		size_t length = 1;

		if (ik_json_is_blank(*at)) {
			at++;
			continue;
		}
		if (*at == '}' || *at == ']') {
			depth--;
			if (!empty)
				new_line(out, depth);
			empty = false;
			ik_buf_putc(out, *at);
		} else if (*at == ',') {
			ik_buf_putc(out, ',');
			new_line(out, depth);
		} else if (*at == ':') {
			ik_buf_puts(out, ": ");
		} else {
			if (empty && depth > 0)
				new_line(out, depth);
			empty = *at == '{' || *at == '[';
			if (empty)
				depth++;
			else
				length = ik_json_scalar_length(at, (size_t)(end - at));
			ik_buf_append(out, at, length);
		}
		at += length;
	}
}
