#include "json/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define EXCERPT_BYTES 60

/* Append a member's name with the pointer's two special characters escaped. */
static void put_name(struct ik_buf *out, struct ik_json_span name)
{
	char *text = ik_json_string_new(name, NULL);

	for (const char *at = text; at && *at; at++) {
		if (*at == '~')
			ik_buf_puts(out, "~0");
		else if (*at == '/')
			ik_buf_puts(out, "~1");
		else
			ik_buf_putc(out, *at);
	}
	free(text);
}

/* Append the JSON Pointer (RFC 6901) of a place; nothing for the root (NULL). */
static void put_place(struct ik_buf *out, const struct ik_place *place)
{
	if (!place)
		return;
	put_place(out, place->parent);
	if (place->name.text) {
		ik_buf_putc(out, '/');
		put_name(out, place->name);
	} else {
		ik_buf_printf(out, "/%zu", place->index);
	}
}

size_t ik_place_depth(const struct ik_place *place)
{
	size_t depth = 0;

	for (; place; place = place->parent)
		depth++;
	return depth;
}

void ik_excerpt(struct ik_json_span value, char out[IK_EXCERPT])
{
	struct ik_buf buf, text;
	bool more = false;
	size_t at = 0, cut;

	switch (ik_json_span_type(value)) {
	case IK_JSON_ARRAY:
		snprintf(out, IK_EXCERPT, "%s", _("an array"));
		return;
	case IK_JSON_OBJECT:
		snprintf(out, IK_EXCERPT, "%s", _("an object"));
		return;
	case IK_JSON_STRING:
		/* Escaped again, 60 bytes can become 360. */
		ik_buf_init(&buf, 400);
		ik_buf_init(&text, 2 * EXCERPT_BYTES);
		more = ik_json_string_slice(value, &at, EXCERPT_BYTES, &text);
		ik_json_put_string(&buf, text.data, ik_utf8_valid_prefix(text.data, text.length));
		ik_buf_done(&text);
		break;
	default:
		ik_buf_init(&buf, SIZE_MAX);
		ik_json_put_raw(&buf, value);
	}
	cut = ik_utf8_cut(buf.data, buf.length, EXCERPT_BYTES + 2);
	snprintf(out, IK_EXCERPT, "%.*s%s", (int)cut, buf.data,
		more || cut < buf.length ? "\xe2\x80\xa6" : "");
	ik_buf_done(&buf);
}

bool ik_place_vrefuse(const struct ik_place *place, struct ik_error *error, const char *format,
	va_list arguments)
{
	struct ik_buf text;

	if (!error)
		return false;
	ik_buf_init(&text, IK_KIB(64));
	put_place(&text, place);
	if (ik_buf_status(&text) != IK_OK) {
		ik_buf_clear(&text);
		ik_buf_puts(&text, _("deep inside"));
	}
	if (text.length)
		ik_buf_puts(&text, ": ");
	ik_buf_vprintf(&text, format, arguments);
	(void)ik_error_set(error, IK_INVALID, "%s", text.data);
	while (place && !place->name.text)
		place = place->parent;
	error->at = place ? place->name.text : NULL;
	ik_buf_done(&text);
	return false;
}

bool ik_place_refuse(const struct ik_place *place, struct ik_error *error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	ik_place_vrefuse(place, error, format, arguments);
	va_end(arguments);
	return false;
}

static int compare_name(const void *name, const void *row)
{
	const struct ik_json_span *key = name;
	const char *word = *(const char *const *)row;
	size_t length = key->length - 2; /* exclude its quotes */
	int order = strncmp(key->text + 1, word, length);

	return order != 0 ? order : -(word[length] != '\0');
}

const void *ik_keyword_find(struct ik_json_span name, const void *rows, size_t count, size_t size)
{
	return bsearch(&name, rows, count, size, compare_name);
}
