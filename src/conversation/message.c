#include "conversation/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Escaping turns a byte into at most six; the rest of data is small. */
#define DATA_LIMIT(payload) ((payload)*6 + IK_KIB(64))

/* Limit on the one-line content of a call or a result, in bytes. */
#define SUMMARY_BYTES 240
#define ELLIPSIS "\xe2\x80\xa6"

static const char *const kinds[IK_KIND_COUNT] = {
	[IK_KIND_SYSTEM] = "system",
	[IK_KIND_USER] = "user",
	[IK_KIND_ASSISTANT] = "assistant",
	[IK_KIND_TOOL_CALL] = "tool_call",
	[IK_KIND_TOOL_RESULT] = "tool_result",
	[IK_KIND_COMMAND] = "command",
	[IK_KIND_NOTICE] = "notice",
	[IK_KIND_THINKING] = "thinking",
	[IK_KIND_USAGE] = "usage",
};

const char *ik_kind_name(enum ik_kind kind)
{
	return kinds[kind];
}

bool ik_kind_from_name(const char *name, enum ik_kind *ret_kind)
{
	for (int kind = 0; kind < IK_KIND_COUNT; kind++) {
		if (ik_text_equal(kinds[kind], name)) {
			*ret_kind = (enum ik_kind)kind;
			return true;
		}
	}
	return false;
}

/* Return the call's id in data; no value for kinds other than tool_call and tool_result. */
static struct ik_json_span call_id_span(enum ik_kind kind, struct ik_json_span data)
{
	if (kind == IK_KIND_TOOL_CALL)
		return ik_json_member(data, "id");
	if (kind == IK_KIND_TOOL_RESULT)
		return ik_json_member(data, "tool_call_id");
	return (struct ik_json_span){ NULL, 0 };
}

/* Note whether the message, which has data, has a summary, ends one, or is a notice of a refusal. */
static void mark_summary(struct ik_message *message)
{
	struct ik_json_span summary;

	if (message->kind != IK_KIND_COMMAND && message->kind != IK_KIND_NOTICE)
		return;
	summary = ik_json_member(ik_message_data(message), "summary");
	message->summarises = ik_json_span_type(summary) == IK_JSON_STRING;
	message->restores = ik_json_span_type(summary) == IK_JSON_NULL;
	message->refused = message->kind == IK_KIND_NOTICE &&
		ik_json_is_true(ik_json_member(ik_message_data(message), "refused"));
}

/*
 * Make a message and its texts in one block of memory, because a long session has very many.
 * content is valid UTF-8, data checked JSON.
 */
static struct ik_message *message_make(enum ik_kind kind, const char *content,
	size_t content_length, const char *data, size_t data_length)
{
	size_t id_length = 0;
	char *id = data
		? ik_json_string_new(call_id_span(kind, (struct ik_json_span){ data, data_length }),
			  &id_length)
		: NULL;
	size_t size = sizeof(struct ik_message) + content_length + 1;

	if (data)
		size += data_length + 1;
	if (id)
		size += id_length + 1;
	struct ik_message *message = ik_alloc(size);
	char *at = (char *)(message + 1);

	message->references = 1;
	message->kind = kind;
	message->content = at;
	message->content_length = content_length;
	if (content_length)
		memcpy(at, content, content_length);
	at += content_length + 1;
	if (data) {
		message->data = memcpy(at, data, data_length);
		message->data_length = data_length;
		struct ik_json_span value = { message->data, data_length };

		mark_summary(message);
		message->attached = (kind == IK_KIND_USER || kind == IK_KIND_TOOL_RESULT ||
								kind == IK_KIND_COMMAND) &&
			ik_json_member(value, "attached").text;
		message->searches = kind == IK_KIND_THINKING && ik_json_member(value, "search").text;
		message->replays = message->searches && ik_json_member(value, "opaque").text;
		at += data_length + 1;
	}
	if (id)
		message->call_id = memcpy(at, id, id_length);
	free(id);
	return message;
}

/* Make a message whose content may be any bytes. */
static struct ik_message *message_from_bytes(enum ik_kind kind, const char *content,
	size_t content_length, const char *data, size_t data_length)
{
	if (ik_utf8_valid_prefix(content, content_length) == content_length)
		return message_make(kind, content, content_length, data, data_length);

	struct ik_buf text;
	ik_buf_init(&text, IK_LIMIT_REQUEST);
	ik_utf8_repair(&text, content, content_length);
	if (ik_buf_status(&text) != IK_OK) {
		ik_buf_clear(&text);
		ik_buf_puts(&text, _("[A text too large to be kept]"));
	}
	struct ik_message *message = message_make(kind, text.data, text.length, data, data_length);
	ik_buf_done(&text);
	return message;
}

struct ik_message *ik_message_new(enum ik_kind kind, const char *content, size_t content_length,
	const char *data, size_t data_length)
{
	struct ik_message *message = message_from_bytes(kind, content, content_length, data,
		data_length);

	ik_uuid_new(message->id);
	message->time_ms = ik_clock_wall_ms();
	return message;
}

struct ik_message *ik_message_stored(enum ik_kind kind, const char *id, int64_t sequence,
	int64_t time_ms, const char *content, size_t content_length, const char *data,
	size_t data_length)
{
	struct ik_json_span value = { NULL, 0 };
	struct ik_buf line;

	if (data && ik_json_check(data, data_length, &value, NULL) != IK_OK)
		value = (struct ik_json_span){ NULL, 0 };
	ik_buf_init(&line, value.length);
	if (value.text && memchr(value.text, '\n', value.length)) {
		ik_json_put_raw(&line, value);
		value = (struct ik_json_span){ line.data, line.length };
	}
	struct ik_message *message = message_from_bytes(kind, content, content_length, value.text,
		value.length);
	ik_buf_done(&line);

	snprintf(message->id, sizeof(message->id), "%s", id);
	message->sequence = sequence;
	message->time_ms = time_ms;
	return message;
}

struct ik_message *ik_message_tool_call(const char *call_id, const char *name,
	const char *arguments, size_t arguments_length, const char *line)
{
	struct ik_message *message;
	struct ik_buf data;

	ik_buf_init(&data, DATA_LIMIT(IK_LIMIT_ARGUMENTS));

	/* If the arguments are too large, try again without them. */
	for (int attempt = 0; attempt < 2; attempt++) {
		ik_buf_clear(&data);
		ik_json_printf(&data,
			"{'id':'%s','type':'function','function':{'name':'%s','arguments':'%.*s'}}", call_id,
			name, (int)arguments_length, arguments);
		if (ik_buf_status(&data) == IK_OK)
			break;
		arguments_length = 0;
	}
	message = ik_message_new(IK_KIND_TOOL_CALL, line, strlen(line), data.data, data.length);
	ik_buf_done(&data);
	return message;
}

/* Turn text into one line of at most limit bytes: control characters become blanks. */
static void one_line(struct ik_buf *text, size_t limit)
{
	if (text->length > limit) {
		ik_buf_truncate(text, ik_utf8_cut(text->data, text->length, limit - strlen(ELLIPSIS)));
		ik_buf_puts(text, ELLIPSIS);
	}
	for (size_t at = 0; at < text->length; at++) {
		unsigned char byte = (unsigned char)text->data[at];

		if (byte < 0x20 || byte == 0x7f)
			text->data[at] = ' ';
	}
}

/* Append the first line of a tool's error or output, the part that says most. */
static void first_line(struct ik_buf *out, struct ik_json_span value)
{
	struct ik_json_span text = ik_json_member(value, "error");

	if (ik_json_span_type(text) != IK_JSON_STRING)
		text = ik_json_member(value, "output");
	if (ik_json_span_type(text) != IK_JSON_STRING)
		text = value;
	if (!ik_json_string(text, out)) {
		/* Don't decode more of a large value than can be shown. */
		size_t length = text.length < SUMMARY_BYTES * 2
			? text.length
			: ik_utf8_cut(text.text, text.length, SUMMARY_BYTES * 2);
		ik_buf_append(out, text.text, length);
		return;
	}
	char *end = memchr(out->data, '\n', out->length);

	if (!end)
		return;
	size_t lines = 0;

	for (size_t at = (size_t)(end - out->data); at + 1 < out->length; lines++) {
		char *next = memchr(out->data + at + 1, '\n', out->length - at - 1);

		at = next ? (size_t)(next - out->data) : out->length;
	}
	ik_buf_truncate(out, (size_t)(end - out->data));
	one_line(out, SUMMARY_BYTES / 2);
	if (lines)
		ik_buf_printf(out, ngettext(" (and %zu more line)", " (and %zu more lines)", lines), lines);
}

/* Return the content of a tool_result, in new memory. */
static char *result_summary(const char *envelope, size_t envelope_length)
{
	struct ik_buf line;
	struct ik_json_span value;

	ik_buf_init(&line, IK_LIMIT_ENVELOPE);

	if (ik_json_check(envelope, envelope_length, &value, NULL) == IK_OK) {
		struct ik_json_span result = ik_json_member(value, "result");

		first_line(&line, ik_json_span_type(result) == IK_JSON_NONE ? value : result);
	} else {
		ik_utf8_repair(&line, envelope, envelope_length);
	}
	one_line(&line, SUMMARY_BYTES);
	return ik_buf_take(&line, NULL);
}

static const char *const stream_names[2] = { "stdout", "stderr" };

static void put_blobs(struct ik_buf *data, const size_t kept[2])
{
	char id[IK_UUID_TEXT];

	if (!kept || (kept[0] == 0 && kept[1] == 0))
		return;
	ik_json_printf(data, "'blobs':{");
	for (int i = 0; i < 2; i++) {
		if (kept[i] == 0)
			continue;
		ik_uuid_new(id);
		ik_json_printf(data, "'%s':{'id':'%s','bytes':%zu}", stream_names[i], id, kept[i]);
	}
	ik_json_printf(data, "}");
}

/* Read a member of "blobs"; false if it is missing or invalid. */
static bool take_blob(struct ik_json_span blob, struct ik_blob *ret_blob)
{
	struct ik_blob found;

	if (!ik_json_uuid(ik_json_member(blob, "id"), found.id) ||
		!ik_json_integer(ik_json_member(blob, "bytes"), &found.bytes) || found.bytes <= 0)
		return false;
	*ret_blob = found;
	return true;
}

static void take_duration(struct ik_json_span value, struct ik_result *ret_result)
{
	if (!ik_json_integer(value, &ret_result->duration_ms))
		ret_result->duration_ms = -1;
}

void ik_message_result(const struct ik_message *message, struct ik_result *ret_result)
{
	const enum ik_own_call own = ik_message_own_call(message);

	*ret_result = (struct ik_result){ .duration_ms = -1 };
	for (struct ik_json_walk walk = ik_json_walk(ik_message_data(message));
		 (message->kind == IK_KIND_TOOL_RESULT || own != IK_OWN_NONE) && ik_json_next(&walk);) {
		if (ik_json_string_is(walk.key, "call"))
			take_duration(ik_json_member(walk.value, "duration_ms"), ret_result);
		else if (ik_json_string_is(walk.key, "duration_ms"))
			take_duration(walk.value, ret_result);
		else if (ik_json_string_is(walk.key, "output") && own != IK_OWN_SHELL)
			ret_result->envelope = walk.value;
		else if (ik_json_string_is(walk.key, "blobs"))
			for (int i = 0; i < 2; i++)
				(void)take_blob(ik_json_member(walk.value, stream_names[i]), &ret_result->blobs[i]);
	}
}

bool ik_message_blob(const struct ik_message *message, int stream, struct ik_blob *ret_blob)
{
	return (message->kind == IK_KIND_TOOL_RESULT || message->kind == IK_KIND_COMMAND) &&
		take_blob(ik_json_member(ik_json_member(ik_message_data(message), "blobs"),
					  stream_names[stream]),
			ret_blob);
}

struct ik_message *ik_message_tool_result(const char *call_id, const char *name,
	const char *envelope, size_t envelope_length, bool success, int64_t duration_ms,
	const size_t kept[2])
{
	static const char too_large[] =
		"{\"tool_success\":false,"
		"\"error\":\"The result was too large to be kept\","
		"\"error_code\":\"INVALID_OUTPUT\",\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"\"}";
	struct ik_buf data;

	ik_buf_init(&data, DATA_LIMIT(IK_LIMIT_ENVELOPE));

	/* If the envelope is too large, try again with one that says so. */
	for (int attempt = 0; attempt < 2; attempt++) {
		ik_buf_clear(&data);
		ik_json_printf(&data, "{'tool_call_id':'%s','name':'%s'", call_id, name);
		put_blobs(&data, kept); /* before the large envelope, where reading finds them quickly */
		ik_json_printf(&data, "'output':'%.*s','success':%s,'duration_ms':%lld}",
			(int)envelope_length, envelope, ik_json_word(success), (long long)duration_ms);
		if (ik_buf_status(&data) == IK_OK)
			break;
		envelope = too_large;
		envelope_length = sizeof(too_large) - 1;
		success = false;
	}
	char *summary = result_summary(envelope, envelope_length);
	struct ik_message *message = ik_message_new(IK_KIND_TOOL_RESULT, summary, strlen(summary),
		data.data, data.length);
	free(summary);
	ik_buf_done(&data);
	return message;
}

struct ik_message *ik_message_system_notice(const struct ik_message *message)
{
	char *text = ik_format(_("A system prompt from a file, which is not used:\n%s"),
		message->content);
	struct ik_message *notice = ik_message_stored(IK_KIND_NOTICE, message->id, 0, message->time_ms,
		text, strlen(text), NULL, 0);

	free(text);
	return notice;
}

struct ik_message *ik_message_automatic(const char *content)
{
	static const char data[] = "{\"automatic\":true}";

	return ik_message_new(IK_KIND_USER, content, strlen(content), data, strlen(data));
}

bool ik_message_is_automatic(const struct ik_message *message)
{
	return message->kind == IK_KIND_USER && message->data &&
		ik_json_member(ik_message_data(message), "automatic").text;
}

bool ik_message_is_question(const struct ik_message *message)
{
	return message->kind == IK_KIND_USER && !ik_message_is_automatic(message);
}

size_t ik_message_typed(const struct ik_message *message)
{
	int64_t typed;

	if (message->kind != IK_KIND_USER ||
		!ik_json_integer(ik_json_member(ik_message_data(message), "typed"), &typed) || typed < 0 ||
		(uint64_t)typed > message->content_length)
		return message->content_length;
	return (size_t)typed;
}

struct ik_message *ik_message_with(struct ik_message *message, const char *name, const char *json,
	size_t length)
{
	struct ik_buf data;

	ik_buf_init(&data, DATA_LIMIT(IK_LIMIT_ENVELOPE));
	if (message->data_length)
		ik_buf_append(&data, message->data, message->data_length - 1);
	else
		ik_json_open(&data, '{');
	ik_json_key(&data, name);
	ik_json_printf(&data, "%.*s}", (int)length, json);
	if (ik_buf_status(&data) == IK_OK) {
		struct ik_message *with = ik_message_new(message->kind, message->content,
			message->content_length, data.data, data.length);

		ik_message_unref(message);
		message = with;
	}
	ik_buf_done(&data);
	return message;
}

struct ik_message *ik_message_with_text(struct ik_message *message, const char *name,
	const char *text, size_t length)
{
	struct ik_buf json;

	ik_buf_init(&json, DATA_LIMIT(IK_LIMIT_ENVELOPE));
	ik_json_put_string(&json, text, length);
	if (ik_buf_status(&json) == IK_OK)
		message = ik_message_with(message, name, json.data, json.length);
	ik_buf_done(&json);
	return message;
}

struct ik_json_span ik_message_opaque(const struct ik_message *message, const char *provider,
	const char *type)
{
	struct ik_json_span opaque = ik_json_member(ik_message_data(message), "opaque");
	struct ik_json_span none = { NULL, 0 };

	if (!ik_json_string_is(ik_json_member(opaque, "type"), type) ||
		(provider && !ik_json_string_is(ik_json_member(opaque, "provider"), provider)))
		return none;
	return ik_json_member(opaque, "data");
}

struct ik_message *ik_message_ref(struct ik_message *message)
{
	message->references++;
	return message;
}

struct ik_message *ik_message_unref(struct ik_message *message)
{
	if (!message || --message->references > 0)
		return NULL;
	for (size_t i = 0; i < message->contents_count; i++)
		ik_bytes_unref(message->contents[i]);
	free(message->contents);
	free(message);
	return NULL;
}

void ik_message_set_contents(struct ik_message *message, size_t index, struct ik_bytes *bytes)
{
	while (message->contents_count <= index) {
		message->contents = ik_alloc_array(message->contents, message->contents_count + 1,
			sizeof(*message->contents));
		message->contents[message->contents_count++] = NULL;
	}
	bytes = ik_bytes_ref(bytes);
	ik_bytes_unref(message->contents[index]);
	message->contents[index] = bytes;
}

struct ik_bytes *ik_message_contents(const struct ik_message *message, size_t index)
{
	return index < message->contents_count ? message->contents[index] : NULL;
}

struct ik_json_span ik_message_data(const struct ik_message *message)
{
	return (struct ik_json_span){ message->data, message->data_length };
}

char *ik_message_tool_name(const struct ik_message *message)
{
	static const char *const places[IK_KIND_COUNT] = {
		[IK_KIND_TOOL_CALL] = "function.name",
		[IK_KIND_TOOL_RESULT] = "name",
		[IK_KIND_COMMAND] = "call.name",
	};
	const char *place = places[message->kind];

	return place ? ik_json_string_new(ik_json_at(ik_message_data(message), place), NULL) : NULL;
}

/* Return a decoded string, or the JSON text of any other value; NULL if there is no value. */
static char *text_of(struct ik_json_span value, size_t *ret_length)
{
	if (ik_json_span_type(value) == IK_JSON_NONE)
		return NULL;
	if (ik_json_span_type(value) == IK_JSON_STRING)
		return ik_json_string_new(value, ret_length);
	if (ret_length)
		*ret_length = value.length;
	return ik_strndup(value.text, value.length);
}

char *ik_message_arguments(const struct ik_message *message, size_t *ret_length)
{
	if (message->kind == IK_KIND_TOOL_CALL)
		return text_of(ik_json_at(ik_message_data(message), "function.arguments"), ret_length);
	if (message->kind == IK_KIND_COMMAND)
		return text_of(ik_json_at(ik_message_data(message), "call.arguments"), ret_length);
	return NULL;
}

char *ik_message_envelope(const struct ik_message *message, size_t *ret_length)
{
	if (message->kind != IK_KIND_TOOL_RESULT && ik_message_own_call(message) != IK_OWN_TOOL)
		return NULL;
	return text_of(ik_json_member(ik_message_data(message), "output"), ret_length);
}

struct ik_message *ik_message_notice(const char *sentence, const char *data)
{
	return ik_message_new(IK_KIND_NOTICE, sentence, strlen(sentence), data,
		data ? strlen(data) : 0);
}

/* Commands: what the user typed that is not sent to a model. */

struct ik_message *ik_message_command(const char *line, const char *output)
{
	struct ik_message *message = ik_message_new(IK_KIND_COMMAND, line, strlen(line), NULL, 0);

	return ik_message_with_text(message, "output", output, strlen(output));
}

struct ik_message *ik_message_summary(struct ik_message *message, const char *from,
	const char *summary, size_t length)
{
	if (from)
		message = ik_message_with_text(message, "from", from, strlen(from));
	return ik_message_with_text(message, "summary", summary, length);
}

struct ik_message *ik_message_own(const char *line, const struct ik_own *own, const char *output,
	size_t output_length)
{
	struct ik_message *message;
	struct ik_buf data;
	bool fits;

	ik_buf_init(&data, DATA_LIMIT(IK_LIMIT_ENVELOPE));
	/* The call and the blobs precede the output, where reading finds them quickly. */
	ik_json_printf(&data,
		"{'call':{'name':'%s','arguments':'%.*s','duration_ms':%lld,'exit_code':%d", own->name,
		(int)own->arguments_length, own->arguments, (long long)own->duration_ms, own->exit_code);
	if (own->parent)
		ik_json_printf(&data, "'parent':'%s'", own->parent);
	ik_json_close(&data, '}');
	put_blobs(&data, own->kept);
	ik_json_printf(&data, "'output':'%.*s'}", (int)output_length, output);
	fits = ik_buf_status(&data) == IK_OK;
	message = ik_message_new(IK_KIND_COMMAND, line, strlen(line), fits ? data.data : NULL,
		fits ? data.length : 0);
	ik_buf_done(&data);
	return message;
}

char *ik_message_parent(const struct ik_message *message)
{
	if (message->kind != IK_KIND_COMMAND)
		return NULL;
	return ik_json_text_new(ik_json_at(ik_message_data(message), "call.parent"));
}

enum ik_own_call ik_message_own_call(const struct ik_message *message)
{
	struct ik_json_span name;

	if (message->kind != IK_KIND_COMMAND)
		return IK_OWN_NONE;
	name = ik_json_at(ik_message_data(message), "call.name");
	if (ik_json_span_type(name) != IK_JSON_STRING)
		return IK_OWN_NONE;
	return ik_json_string_is(name, IK_OWN_COMMAND) ? IK_OWN_SHELL : IK_OWN_TOOL;
}
