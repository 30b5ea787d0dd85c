#include "speech.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "tests/support/request_seal.h"
#include "util/alloc.h"
#include "util/limits.h"

bool speech_wire(const char *type, enum wire *ret_wire)
{
	static const char *const types[] = { "openai-chat", "openai-responses", "anthropic", "google" };

	for (int wire = WIRE_CHAT; wire <= WIRE_GOOGLE; wire++) {
		if (strcmp(type, types[wire]) == 0) {
			*ret_wire = (enum wire)wire;
			return true;
		}
	}
	return false;
}

void speech_init(struct speech *speech, enum wire wire)
{
	memset(speech, 0, sizeof *speech);
	speech->wire = wire;
}

void speech_done(struct speech *speech)
{
	for (int at = 0; at < speech->count; at++) {
		free(speech->items[at].id);
		free(speech->items[at].name);
		ik_buf_done(&speech->items[at].text);
	}
	free(speech->reason);
	speech_init(speech, speech->wire);
}

/* Append a JSON string. */
static void put_string(struct ik_buf *out, const char *text, size_t length)
{
	ik_buf_putc(out, '"');
	ik_json_escape(out, text, length);
	ik_buf_putc(out, '"');
}

/*
 * Append an event of that type (NULL: none is said). In format, %q is a string
 * (char *) as JSON, %n a number (long long), %s text as it stands.
 */
static void put_event(struct ik_buf *out, const char *type, const char *format, ...)
{
	va_list list;

	if (type)
		ik_buf_printf(out, "event: %s\n", type);
	ik_buf_puts(out, "data: ");
	va_start(list, format);
	for (const char *at = format; *at; at++) {
		if (*at != '%') {
			ik_buf_putc(out, *at);
			continue;
		}
		const char *text = *++at == 'n' ? "" : va_arg(list, const char *);
		if (*at == 'q')
			put_string(out, text, strlen(text));
		else if (*at == 's')
			ik_buf_puts(out, text);
		else
			ik_buf_printf(out, "%lld", va_arg(list, long long));
	}
	va_end(list);
	ik_buf_puts(out, "\n\n");
}

#define CHAT(members) "{\"id\":\"chatcmpl-loopback\",\"object\":\"chat.completion.chunk\"," \
	"\"created\":0,\"model\":\"loopback\"," members "}"
#define CHOICE(delta, reason) CHAT("\"choices\":[{\"index\":0,\"delta\":{" delta "}," \
	"\"finish_reason\":" reason "}]")
#define PART(part) "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{" part "}]}," \
	"\"index\":0}]}"

/* The event of that type of Anthropic or Responses. */
#define TYPED(out, type, members, ...) \
	put_event(out, type, "{\"type\":\"" type "\"" members "}", ##__VA_ARGS__)

/* What comes before the first word. */
static void begin(struct speech *speech, struct ik_buf *out)
{
	if (speech->begun)
		return;
	speech->begun = true;
	if (speech->wire == WIRE_ANTHROPIC)
		TYPED(out, "message_start", ",\"message\":{\"id\":\"msg_loopback\",\"type\":\"message\","
			"\"role\":\"assistant\",\"content\":[],\"model\":\"loopback\","
			"\"usage\":{\"input_tokens\":0,\"output_tokens\":0}}");
	else if (speech->wire == WIRE_RESPONSES)
		TYPED(out, "response.created", ",\"response\":{\"id\":\"resp_loopback\","
			"\"object\":\"response\",\"status\":\"in_progress\",\"output\":[]}");
}

/* The end of an item of Responses, which says it once more. */
static void close_response_item(const struct speech_item *item, long long index, struct ik_buf *out)
{
	static long long reasoned;

	if (item->kind == 't')
		TYPED(out, "response.output_item.done", ",\"output_index\":%n,\"item\":{"
			"\"type\":\"message\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":["
			"{\"type\":\"output_text\",\"text\":%q,\"annotations\":[]}]}", index,
			item->text.data);
	else if (item->kind == 'k')
		TYPED(out, "response.output_item.done", ",\"output_index\":%n,\"item\":{"
			"\"id\":\"rs_%n\",\"type\":\"reasoning\",\"encrypted_content\":\"" UNSEALED "\","
			"\"summary\":[{\"type\":\"summary_text\",\"text\":%q}]}", index, ++reasoned,
			item->text.data);
	else
		TYPED(out, "response.output_item.done", ",\"output_index\":%n,\"item\":{"
			"\"type\":\"function_call\",\"call_id\":%q,\"name\":%q,\"arguments\":%q}", index,
			item->id, item->name, item->text.data);
}

/* End the items that are open; calls only with all. */
static void close_items(struct speech *speech, bool all, struct ik_buf *out)
{
	bool thought = false;

	for (int at = 0; at < speech->count; at++) {
		struct speech_item *item = &speech->items[at];

		thought = thought || item->kind == 'k';
		if (!item->is_open || (!all && item->kind == 'c' && speech->wire != WIRE_GOOGLE))
			continue;
		item->is_open = false;
		if (speech->wire == WIRE_ANTHROPIC) {
			if (item->kind == 'k')
				TYPED(out, "content_block_delta", ",\"index\":%n,\"delta\":{"
					"\"type\":\"signature_delta\",\"signature\":\"" UNSEALED "\"}",
					(long long)at);
			TYPED(out, "content_block_stop", ",\"index\":%n", (long long)at);
		} else if (speech->wire == WIRE_RESPONSES) {
			close_response_item(item, at, out);
		} else if (speech->wire == WIRE_GOOGLE && item->kind == 'c') {
			put_event(out, NULL, PART("\"functionCall\":{\"name\":%q,\"args\":%s}%s"),
				item->name, item->text.length ? item->text.data : "{}",
				thought ? ",\"thoughtSignature\":\"" UNSEALED "\"" : "");
		}
	}
}

/* A new item, the others closed as far as the format wants it. */
static struct speech_item *open_item(struct speech *speech, char kind, struct ik_buf *out)
{
	begin(speech, out);
	close_items(speech, false, out);
	if (speech->count == SPEECH_ITEMS)
		abort();
	struct speech_item *item = &speech->items[speech->count++];
	item->kind = kind;
	item->is_open = true;
	ik_buf_init(&item->text, IK_LIMIT_REPLY);
	return item;
}

void speech_text(struct speech *speech, char kind, const char *text, size_t length,
	struct ik_buf *out)
{
	struct speech_item *item = speech->count ? &speech->items[speech->count - 1] : NULL;
	bool is_new = !item || item->kind != kind || !item->is_open, thinks = kind == 'k';
	long long index;

	if (is_new)
		item = open_item(speech, kind, out);
	index = item - speech->items;
	ik_buf_append(&item->text, text, length);
	switch (speech->wire) {
	case WIRE_CHAT:
		put_event(out, NULL, CHOICE("%q:%q", "null"), thinks ? "reasoning_content" : "content",
			text);
		break;
	case WIRE_RESPONSES:
		if (is_new)
			TYPED(out, "response.output_item.added", ",\"output_index\":%n,\"item\":{"
				"\"type\":%q}", index, thinks ? "reasoning" : "message");
		if (thinks)
			TYPED(out, "response.reasoning_summary_text.delta", ",\"output_index\":%n,"
				"\"summary_index\":0,\"delta\":%q", index, text);
		else
			TYPED(out, "response.output_text.delta", ",\"output_index\":%n,"
				"\"content_index\":0,\"delta\":%q", index, text);
		break;
	case WIRE_ANTHROPIC:
		if (is_new)
			TYPED(out, "content_block_start", ",\"index\":%n,\"content_block\":{\"type\":%q,"
				"%q:\"\"}", index, thinks ? "thinking" : "text",
				thinks ? "thinking" : "text");
		TYPED(out, "content_block_delta", ",\"index\":%n,\"delta\":{\"type\":%q,%q:%q}", index,
			thinks ? "thinking_delta" : "text_delta", thinks ? "thinking" : "text", text);
		break;
	case WIRE_GOOGLE:
		put_event(out, NULL, thinks ? PART("\"text\":%q,\"thought\":true") : PART("\"text\":%q"),
			text);
		break;
	}
}

void speech_arguments(struct speech *speech, int64_t index, const char *arguments,
	struct ik_buf *out)
{
	int at = speech->count - 1;

	while (at >= 0 && (speech->items[at].kind != 'c' || speech->items[at].index != index))
		at--;
	if (at >= 0)
		ik_buf_puts(&speech->items[at].text, arguments);
	if (speech->wire == WIRE_CHAT)
		put_event(out, NULL, CHOICE("\"tool_calls\":[{\"index\":%n,\"function\":{"
			"\"arguments\":%q}}]", "null"), (long long)index, arguments);
	else if (speech->wire == WIRE_RESPONSES)
		TYPED(out, "response.function_call_arguments.delta", ",\"output_index\":%n,\"delta\":%q",
			(long long)at, arguments);
	else if (speech->wire == WIRE_ANTHROPIC)
		TYPED(out, "content_block_delta", ",\"index\":%n,\"delta\":{"
			"\"type\":\"input_json_delta\",\"partial_json\":%q}", (long long)at, arguments);
}

void speech_call(struct speech *speech, int64_t index, const char *id, const char *name,
	const char *arguments, struct ik_buf *out)
{
	struct speech_item *item = open_item(speech, 'c', out);
	long long at = item - speech->items;

	item->index = index;
	item->id = ik_strdup(id);
	item->name = ik_strdup(name);
	if (speech->wire == WIRE_CHAT) {
		ik_buf_puts(&item->text, arguments);
		put_event(out, NULL, CHOICE("\"tool_calls\":[{\"index\":%n,\"id\":%q,"
			"\"type\":\"function\",\"function\":{\"name\":%q,\"arguments\":%q}}]", "null"),
			(long long)index, id, name, arguments);
		return;
	}
	if (speech->wire == WIRE_RESPONSES)
		TYPED(out, "response.output_item.added", ",\"output_index\":%n,\"item\":{"
			"\"type\":\"function_call\",\"call_id\":%q,\"name\":%q,\"arguments\":\"\"}", at,
			id, name);
	else if (speech->wire == WIRE_ANTHROPIC)
		TYPED(out, "content_block_start", ",\"index\":%n,\"content_block\":{"
			"\"type\":\"tool_use\",\"id\":%q,\"name\":%q,\"input\":{}}", at, id, name);
	if (*arguments)
		speech_arguments(speech, index, arguments, out);
}

void speech_finish(struct speech *speech, const char *reason, struct ik_buf *out)
{
	static const char *const reasons[][4] = {
		{ "stop", "completed", "end_turn", "STOP" },
		{ "tool_calls", "completed", "tool_use", "STOP" },
		{ "length", "incomplete", "max_tokens", "MAX_TOKENS" },
	};
	const char *word = reason;

	for (size_t at = 0; at < sizeof reasons / sizeof *reasons; at++) {
		if (strcmp(reason, reasons[at][0]) == 0)
			word = reasons[at][speech->wire];
	}
	begin(speech, out);
	close_items(speech, true, out);
	free(speech->reason);
	speech->reason = ik_strdup(word);
	if (speech->wire == WIRE_CHAT)
		put_event(out, NULL, CHOICE("", "%q"), word);
	else if (speech->wire == WIRE_ANTHROPIC)
		TYPED(out, "message_delta", ",\"delta\":{\"stop_reason\":%q},\"usage\":{"
			"\"output_tokens\":0}", word);
	else if (speech->wire == WIRE_GOOGLE)
		put_event(out, NULL, "{\"candidates\":[{\"finishReason\":%q,\"index\":0}]}", word);
}

void speech_usage(struct speech *speech, int64_t input, int64_t output, struct ik_buf *out)
{
	speech->input = input;
	speech->output = output;
	if (speech->wire == WIRE_CHAT)
		put_event(out, NULL, CHAT("\"choices\":[],\"usage\":{\"prompt_tokens\":%n,"
			"\"completion_tokens\":%n}"), (long long)input, (long long)output);
	else if (speech->wire == WIRE_ANTHROPIC)
		TYPED(out, "message_delta", ",\"delta\":{},\"usage\":{\"input_tokens\":%n,"
			"\"output_tokens\":%n}", (long long)input, (long long)output);
	else if (speech->wire == WIRE_GOOGLE)
		put_event(out, NULL, "{\"usageMetadata\":{\"promptTokenCount\":%n,"
			"\"candidatesTokenCount\":%n}}", (long long)input, (long long)output);
}

void speech_end(struct speech *speech, struct ik_buf *out)
{
	if (speech->wire == WIRE_CHAT)
		put_event(out, NULL, "[DONE]");
	else if (speech->wire == WIRE_ANTHROPIC)
		TYPED(out, "message_stop", "");
	else if (speech->wire == WIRE_RESPONSES)
		TYPED(out, "response.completed", ",\"response\":{\"object\":\"response\",\"status\":%q,"
			"\"usage\":{\"input_tokens\":%n,\"output_tokens\":%n}}",
			speech->reason ? speech->reason : "completed", (long long)speech->input,
			(long long)speech->output);
	speech_done(speech);
}

/* What each provider calls a kind of error; Google says its status as a number too. */
static const struct {
	const char *kind, *openai, *anthropic, *google;
	int status;
} errors[] = {
	{ "overloaded", "server_error", "overloaded_error", "UNAVAILABLE", 503 },
	{ "limit", "rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED", 429 },
	{ "server", "server_error", "api_error", "INTERNAL", 500 },
	{ "invalid", "invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT", 400 },
	{ "key", "invalid_api_key", "authentication_error", "UNAUTHENTICATED", 401 },
	{ "missing", "model_not_found", "not_found_error", "NOT_FOUND", 404 },
};

bool speech_error(const struct speech *speech, const char *kind, const char *message,
	bool in_stream, struct ik_buf *out)
{
	size_t at = 0;
	size_t before = out->length;

	while (at < sizeof errors / sizeof *errors && strcmp(kind, errors[at].kind) != 0)
		at++;
	if (at == sizeof errors / sizeof *errors)
		return false;
	switch (speech->wire) {
	case WIRE_RESPONSES:
		if (in_stream) {
			TYPED(out, "response.failed", ",\"response\":{\"object\":\"response\","
				"\"status\":\"failed\",\"error\":{\"code\":%q,\"message\":%q}}",
				errors[at].openai, message);
			break;
		}
		/* fall through */
	case WIRE_CHAT:
		put_event(out, NULL, "{\"error\":{\"message\":%q,\"type\":%q,\"code\":%q}}", message,
			errors[at].openai, errors[at].openai);
		break;
	case WIRE_ANTHROPIC:
		TYPED(out, "error", ",\"error\":{\"type\":%q,\"message\":%q}", errors[at].anthropic,
			message);
		break;
	case WIRE_GOOGLE:
		put_event(out, NULL, "{\"error\":{\"code\":%n,\"message\":%q,\"status\":%q}}",
			(long long)errors[at].status, message, errors[at].google);
		break;
	}
	if (!in_stream) {
		/* The data alone. */
		const char *data = strstr(out->data + before, "data: ");
		ik_buf_erase(out, before, (size_t)(data - (out->data + before)) + 6);
	}
	return true;
}
