#include "conversation/search_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/limits.h"
#include "util/utf8.h"
#include "util/words.h"

#define LONGEST_ESCAPE 12 /* two \uXXXX, a surrogate pair */
/* Limit on the bytes of an envelope that are read: enough even if all of them are escapes. */
#define BEGINNING (8 * IK_SEARCH_BYTES)

/* Return where a JSON string ends: at its closing quote, or at the end of text. */
static size_t string_end(const char *text, size_t length, size_t at)
{
	while (at < length && text[at] != '"')
		at += text[at] == '\\' ? 2 : 1;
	return at < length ? at : length;
}

/* Is the string that ended just before at the name of a member? */
static bool is_name(const char *text, size_t length, size_t at)
{
	while (at < length && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	return at < length && text[at] == ':';
}

/* Append as much of an overlong string as fits, with its quotes. */
static void cut_string(struct ik_buf *out, const char *text, size_t length)
{
	size_t end = ik_utf8_cut(text, length, IK_SEARCH_BYTES), tail = end - LONGEST_ESCAPE;
	const char *escape = memchr(text + tail, '\\', end - tail);

	if (escape)
		end = (size_t)(escape - text);
	for (tail = end; tail > 0 && text[tail - 1] == '\\'; tail--)
		;
	ik_json_repair(out, text, end - (end - tail) % 2);
	ik_buf_putc(out, '"');
}

/* Append the characters of an unchecked JSON string; skip an invalid one. */
static void put_string(struct ik_buf *out, const char *text, size_t length)
{
	struct ik_json_span value;
	struct ik_buf part;

	ik_buf_init(&part, 2 * IK_SEARCH_BYTES);
	if (length > IK_SEARCH_BYTES) {
		cut_string(&part, text, length);
		text = part.data;
		length = part.length;
	}
	if (ik_json_check(text, length, &value, NULL) == IK_OK)
		(void)ik_json_string(value, out);
	ik_buf_putc(out, '\n');
	ik_buf_done(&part);
}

/* Append the string values of JSON, valid or not, until there are IK_SEARCH_BYTES. */
static void put_strings(struct ik_buf *out, const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && out->length < IK_SEARCH_BYTES) {
		const char *quote = memchr(text + at, '"', length - at);
		size_t start, end;

		if (!quote)
			return;
		start = (size_t)(quote - text);
		end = string_end(text, length, start + 1);
		at = end + 1;
		if (end < length ? !is_name(text, length, at) : length - start > IK_SEARCH_BYTES)
			put_string(out, text + start, end < length ? at - start : length - start);
	}
}

/* Append the string values of text, and free it. Return false if it is NULL or empty. */
static bool put_json(struct ik_buf *out, char *text, size_t length)
{
	bool there = text && length > 0;

	if (there)
		put_strings(out, text, length);
	free(text);
	return there;
}

static void put_call(struct ik_buf *out, const struct ik_message *message)
{
	size_t length = 0;
	char *name = ik_message_tool_name(message);
	char *arguments = ik_message_arguments(message, &length);

	ik_buf_puts(out, name ? name : "");
	ik_buf_putc(out, '\n');
	free(name);
	if (!put_json(out, arguments, length))
		ik_buf_append(out, message->content, message->content_length);
}

/* Append the string values at the beginning of an envelope, or content if it has none. */
static void put_result(struct ik_buf *out, const struct ik_message *message)
{
	struct ik_json_span envelope = ik_json_member(ik_message_data(message), "output");
	struct ik_buf text;
	size_t at = 0;

	ik_buf_init(&text, BEGINNING + IK_KIB(1));
	if (ik_json_span_type(envelope) == IK_JSON_STRING)
		(void)ik_json_string_slice(envelope, &at, BEGINNING, &text);
	else
		ik_buf_append(&text, envelope.text,
			envelope.length < BEGINNING ? envelope.length : BEGINNING);
	if (text.length > 0)
		put_strings(out, text.data, text.length);
	else
		ik_buf_append(out, message->content, message->content_length);
	ik_buf_done(&text);
}

void ik_search_text(struct ik_buf *out, const struct ik_message *message)
{
	struct ik_json_span printed;

	switch (message->kind) {
	case IK_KIND_TOOL_CALL:
		put_call(out, message);
		break;
	case IK_KIND_TOOL_RESULT:
		put_result(out, message);
		break;
	case IK_KIND_COMMAND:
		ik_buf_append(out, message->content, message->content_length);
		ik_buf_putc(out, '\n');
		printed = ik_json_member(ik_message_data(message), "output");
		if (ik_message_own_call(message) == IK_OWN_TOOL)
			put_result(out, message);
		else
			(void)ik_json_string(printed, out);
		break;
	case IK_KIND_USER:
	case IK_KIND_ASSISTANT:
	case IK_KIND_THINKING:
	case IK_KIND_NOTICE:
		ik_buf_append(out, message->content, message->content_length);
		break;
	default:
		break;
	}
	if (out->length > IK_SEARCH_BYTES)
		ik_buf_truncate(out, ik_utf8_cut(out->data, out->length, IK_SEARCH_BYTES));
}

void ik_search_words(struct ik_buf *out, const char *text, size_t length, enum ik_search_form form)
{
	struct ik_words words;
	struct ik_word word;
	int count = 0;

	ik_words_begin(&words, text, length);
	while (count++ < IK_SEARCH_WORDS && ik_words_next(&words, &word)) {
		if (form == IK_SEARCH_PLACES) {
			ik_buf_putc(out, '\'');
			ik_buf_append(out, word.text, word.length);
			ik_buf_printf(out, "':%d", count);
		} else {
			ik_buf_append(out, word.text, word.length);
		}
		ik_buf_putc(out, ' ');
	}
}
