#include "request_rules_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/text.h"

/* Anthropic's limit on a picture; a document may be larger. */
#define MOST_BASE64 IK_MIB(20)

bool refuse(struct judged *judged, const char *format, ...)
{
	struct ik_buf sentence;
	va_list list;

	if (judged->violation)
		return false;
	ik_buf_init(&sentence, IK_KIB(4));
	va_start(list, format);
	ik_buf_vprintf(&sentence, format, list);
	va_end(list);
	judged->violation = ik_buf_take(&sentence, NULL);
	return false;
}

/* ---- ids ---- */

static size_t seen_find(const struct seen *seen, const char *text)
{
	size_t at = 0;

	while (at < seen->count && strcmp(seen->items[at], text) != 0)
		at++;
	return at;
}

bool seen_add(struct seen *seen, char *text)
{
	if (seen_has(seen, text)) {
		free(text);
		return false;
	}
	if (seen->count == seen->capacity) {
		seen->capacity = 2 * seen->capacity + 8;
		seen->items = ik_alloc_array(seen->items, seen->capacity, sizeof *seen->items);
	}
	seen->items[seen->count++] = text;
	return true;
}

bool seen_remove(struct seen *seen, const char *text)
{
	size_t at = seen_find(seen, text);

	if (at == seen->count)
		return false;
	free(seen->items[at]);
	seen->items[at] = seen->items[--seen->count];
	return true;
}

bool seen_has(const struct seen *seen, const char *text)
{
	return seen_find(seen, text) < seen->count;
}

void seen_done(struct seen *seen)
{
	for (size_t at = 0; at < seen->count; at++)
		free(seen->items[at]);
	free(seen->items);
	*seen = (struct seen){ .count = 0 };
}

/* ---- values ---- */

bool is_text(struct ik_json_span value)
{
	return ik_json_span_type(value) == IK_JSON_STRING && value.length > 2;
}

bool says_something(struct ik_json_span value)
{
	size_t length;
	char *text = ik_json_string_new(value, &length);
	bool says = text && strspn(text, " \t\r\n\v\f") < length;

	free(text);
	return says;
}

bool is_name(struct ik_json_span value, size_t longest, const char *further)
{
	size_t length, fine = 0;
	char *text = ik_json_string_new(value, &length);

	while (text && fine < length && text[fine] &&
	       (strchr("0123456789_-", text[fine]) || strchr(further, text[fine]) ||
		(text[fine] >= 'a' && text[fine] <= 'z') || (text[fine] >= 'A' && text[fine] <= 'Z')))
		fine++;
	free(text);
	return text && length > 0 && fine == length && (!longest || length <= longest);
}

/* The types that every provider accepts. */
static const char *const picture_types[] = { "image/png", "image/jpeg", "image/webp" };
#define PICTURE_TYPES (sizeof picture_types / sizeof *picture_types)

bool is_base64(struct ik_json_span value, const char *prefix)
{
	char *text = ik_json_string_new(value, NULL);
	size_t skipped = strlen(prefix), length = text ? strlen(text) : 0;
	bool good = length > skipped && length < skipped + MOST_BASE64 &&
		memcmp(text, prefix, skipped) == 0;
	struct ik_buf bytes;

	ik_buf_init(&bytes, SIZE_MAX);
	good = good && ik_base64_read(&bytes, text + skipped, length - skipped);
	ik_buf_done(&bytes);
	free(text);
	return good;
}

bool is_picture_type(struct ik_json_span value)
{
	for (size_t i = 0; i < PICTURE_TYPES; i++)
		if (ik_json_string_is(value, picture_types[i]))
			return true;
	return false;
}

bool is_picture_url(struct ik_json_span value)
{
	for (size_t i = 0; i < PICTURE_TYPES; i++) {
		char prefix[64];

		snprintf(prefix, sizeof prefix, "data:%s;base64,", picture_types[i]);
		if (is_base64(value, prefix))
			return true;
	}
	return false;
}

bool is_pdf_url(struct ik_json_span value)
{
	return is_base64(value, "data:application/pdf;base64,");
}

bool holds_object(struct ik_json_span value)
{
	struct ik_json_span object;
	size_t length;
	char *text = ik_json_string_new(value, &length);
	bool holds = text && ik_json_check(text, length, &object, NULL) == IK_OK &&
		ik_json_span_type(object) == IK_JSON_OBJECT;

	free(text);
	return holds;
}

bool type_is(struct ik_json_span object, const char *word)
{
	return member_is(object, "type", word);
}

bool member_is(struct ik_json_span object, const char *member, const char *word)
{
	struct ik_json_span value = ik_json_member(object, member);

	return ik_json_span_type(value) == IK_JSON_STRING && ik_json_string_is(value, word);
}

/* ---- tools ---- */

static bool check_tool(struct judged *judged, struct ik_json_span tool, size_t number,
	struct seen *names, const char *schema, size_t longest)
{
	struct ik_json_span name = ik_json_member(tool, "name");
	struct ik_json_span parameters = ik_json_member(tool, schema);

	if (!is_name(name, longest, ""))
		return refuse(judged, "tools.%zu: its name is none", number);
	if (!seen_add(names, ik_json_string_new(name, NULL)))
		return refuse(judged, "tools.%zu: tool names must be unique", number);
	if (ik_json_span_type(parameters) != IK_JSON_OBJECT ||
	    (!type_is(parameters, "object") && !type_is(parameters, "OBJECT")))
		return refuse(judged, "tools.%zu: its schema must be of type object", number);
	return true;
}

bool is_hosted(struct ik_json_span tool)
{
	char *type = ik_json_text_new(ik_json_member(tool, "type"));
	bool is = type && (ik_text_starts(type, "web_search") || ik_text_starts(type, "openrouter:"));

	free(type);
	return is;
}

bool check_tools(struct judged *judged, struct ik_json_span tools, const char *at,
	const char *schema, size_t longest)
{
	struct ik_json_walk walk = ik_json_walk(tools);
	struct seen names = { .count = 0 };
	bool good = true;

	if (!tools.text)
		return true;
	if (ik_json_span_type(tools) != IK_JSON_ARRAY || !ik_json_count(tools))
		return refuse(judged, "tools: an empty list is too short");
	for (size_t number = 0; good && ik_json_next(&walk); number++)
		good = is_hosted(walk.value) || check_tool(judged, at ? ik_json_member(walk.value, at) : walk.value, number, &names, schema,
			longest);
	seen_done(&names);
	return good;
}

/* ---- the four ---- */

static const struct {
	const char *type, *path;
	bool (*check)(struct judged *judged);
} formats[] = {
	{ "openai-chat", "/chat/completions", check_chat },
	{ "openai-responses", "/responses", check_responses },
	{ "anthropic", "/v1/messages", check_anthropic },
	{ "google", ":streamGenerateContent", check_google },
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

char *request_violation(const char *type, const char *model, const char *body, size_t length)
{
	struct judged judged = { .model = model ? model : "" };
	struct ik_json_span named;
	struct ik_error error;
	char *name = NULL;
	size_t at = 0;

	while (at < FORMAT_COUNT && !ik_text_equal(formats[at].type, type))
		at++;
	if (at == FORMAT_COUNT)
		return ik_format("there is no format %s", type);
	if (ik_json_check(body, length, &judged.body, &error) != IK_OK)
		return ik_format("the body is no JSON: %s", error.text);
	if (ik_json_span_type(judged.body) != IK_JSON_OBJECT)
		return ik_strdup("the body is no object");
	named = ik_json_member(judged.body, "model");
	if (strcmp(type, "google") != 0 && !is_text(named))
		return ik_strdup("model: field required");
	if (strcmp(type, "google") != 0)
		judged.model = name = ik_json_string_new(named, NULL);
	if (formats[at].check(&judged))
		check_model(&judged, type);
	free(name);
	return judged.violation;
}

char *request_violation_at(const char *path, const char *body, size_t length)
{
	char *plain = ik_strndup(path, strcspn(path, "? "));
	char *model = NULL, *violation = NULL;

	for (size_t at = 0; at < FORMAT_COUNT; at++) {
		const char *name = strrchr(plain, '/');

		if (!ik_text_ends(plain, formats[at].path))
			continue;
		if (formats[at].path[0] == ':')
			model = ik_strndup(name + 1, strcspn(name + 1, ":"));
		violation = request_violation(formats[at].type, model, body, length);
	}
	free(model);
	free(plain);
	return violation;
}

char *request_refusal_at(const char *path, const char *body, size_t length)
{
	char *violation = request_violation_at(path, body, length);
	struct ik_buf text;

	if (!violation)
		return NULL;
	ik_buf_init(&text, IK_KIB(64));
	ik_buf_puts(&text, "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"REFUSED: ");
	ik_json_escape(&text, violation, strlen(violation));
	ik_buf_puts(&text, "\"}}");
	free(violation);
	return ik_buf_take(&text, NULL);
}
