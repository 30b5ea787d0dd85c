#include "json/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/plain.h"
#include "util/utf8.h"

/* Append a comma unless a value may follow immediately, as the last byte tells. */
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

/* Escaped text is produced in pieces of this size. */
#define PIECE 2048
/* The most that one step adds to a piece: a word and an escape. */
#define STEP 16

/* Write the escape of a byte that is not allowed in a string; return the end. */
static char *write_escape(char *to, unsigned char byte)
{
	static const char letters[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";
	static const char digits[] = "0123456789abcdef";

	to[0] = '\\';
	to[1] = byte < 0x20 ? letters[byte] : (char)byte;
	if (to[1] != 'u')
		return to + 2;
	to[2] = '0';
	to[3] = '0';
	to[4] = digits[byte >> 4];
	to[5] = digits[byte & 15];
	return to + 6;
}

/* Write the non-ASCII character at *at, or the replacement of invalid bytes. */
static char *write_character(char *to, const char **at, const char *end)
{
	uint32_t codepoint;
	int count = ik_utf8_decode(*at, (size_t)(end - *at), &codepoint);

	if (count > 0) {
		memcpy(to, *at, (size_t)count);
		*at += count;
		return to + count;
	}
	*at += ik_utf8_bad(*at, (size_t)(end - *at));
	return stpcpy(to, IK_UTF8_REPLACEMENT);
}

/* Copy the plain characters at the start and return their number. Eight bytes are copied at a time,
 * whatever they are. */
static size_t copy_plain(char *to, const char *at, const char *end)
{
	uint64_t word, special;

	if (end - at < (ptrdiff_t)sizeof(word)) {
		*to = *at;
		return ik_json_is_plain(*at);
	}
	memcpy(&word, at, sizeof(word));
	memcpy(to, &word, sizeof(word));
	special = ik_json_special(word);
	return special ? ik_json_special_place(special) : sizeof(word);
}

void ik_json_escape(struct ik_buf *out, const char *bytes, size_t length)
{
	const char *at = bytes, *end = bytes + length;
	char piece[PIECE];

	while (at < end) {
		char *to = piece;

		while (at < end && to <= piece + PIECE - STEP) {
			size_t plain = copy_plain(to, at, end);

			at += plain;
			to += plain;
			if (at == end || ik_json_is_plain(*at))
				continue;
			if ((unsigned char)*at < 0x80)
				to = write_escape(to, (unsigned char)*at++);
			else
				to = write_character(to, &at, end);
		}
		ik_buf_append(out, piece, (size_t)(to - piece));
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

/* Write digits * 10^exponent, with the exponent counted from after the first digit. */
static void put_digits(struct ik_buf *out, const char *digits, int exponent)
{
	int count = (int)strlen(digits);

	if (exponent >= 0 && exponent < 21) {
		for (int i = 0; i <= exponent || i < count; i++) {
			if (i == exponent + 1)
				ik_buf_putc(out, '.');
			ik_buf_putc(out, i < count ? digits[i] : '0');
		}
	} else if (exponent < 0 && exponent > -7) {
		ik_buf_printf(out, "0.%.*s%s", -exponent - 1, "000000", digits);
	} else {
		ik_buf_printf(out, "%c%s%se%d", digits[0], count > 1 ? "." : "", digits + 1, exponent);
	}
}

void ik_json_put_double(struct ik_buf *out, double number)
{
	char text[40], digits[20];
	size_t count = 0;
	char *at;

	if (!isfinite(number)) {
		ik_json_put_null(out); /* JSON cannot express it */
		return;
	}
	separate(out);
	if (signbit(number))
		ik_buf_putc(out, '-');
	number = fabs(number);
	for (int precision = 14; precision <= 16; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, number);
		if (strtod(text, NULL) == number)
			break;
	}
	/* Copy only the digits: the decimal point is the locale's. */
	for (at = text; *at && *at != 'e'; at++) {
		if (*at >= '0' && *at <= '9')
			digits[count++] = *at;
	}
	while (count > 1 && digits[count - 1] == '0')
		count--;
	digits[count] = '\0';
	put_digits(out, digits, (int)strtol(at + 1, NULL, 10));
}

void ik_json_put_bool(struct ik_buf *out, bool value)
{
	separate(out);
	ik_buf_puts(out, value ? "true" : "false");
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

static void new_line(struct ik_buf *out, size_t depth)
{
	ik_buf_printf(out, "\n%*s", (int)depth * 2, "");
}

void ik_json_pretty(struct ik_buf *out, struct ik_json_span value)
{
	const char *at = value.text, *end = value.text + value.length;
	bool empty = true; /* nothing is in the innermost container yet */
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
