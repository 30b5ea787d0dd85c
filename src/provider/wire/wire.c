#include "provider/wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conversation/pairing.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/text.h"

struct ik_json_span ik_wire_parameters(const struct ik_tool_definition *tool)
{
	return tool->parameters.text ? tool->parameters
								 : IK_JSON_SPAN("{\"type\":\"object\",\"properties\":{}}");
}

/* Write a stored string value unchanged, if it is a string. */
static void put_stored_text(struct ik_buf *out, struct ik_json_span value)
{
	if (ik_json_span_type(value) == IK_JSON_STRING)
		ik_json_put_raw(out, value);
	else
		ik_json_put_string(out, value.text ? value.text : "", value.length);
}

const char *ik_wire_cache_control(const struct ik_request *request)
{
	static const char *const values[] = {
		[IK_CACHING_SHORT] = "{\"type\":\"ephemeral\"}",
		[IK_CACHING_LONG] = "{\"type\":\"ephemeral\",\"ttl\":\"1h\"}",
		[IK_CACHING_OFF] = NULL,
	};

	return values[request->endpoint ? request->endpoint->caching : IK_CACHING_SHORT];
}

void ik_wire_put_name(struct ik_buf *out, const struct ik_tool_definition *tool)
{
	ik_json_printf(out, "'name':'%s','description':'%s'", tool->name,
		tool->description ? tool->description : "");
}

struct ik_json_span ik_wire_call_name(const struct ik_message *call)
{
	struct ik_json_span name = ik_json_at(ik_message_data(call), "function.name");

	return ik_json_span_type(name) == IK_JSON_STRING && !ik_json_string_is(name, "")
		? name
		: IK_JSON_SPAN("\"unnamed\"");
}

/* Return the arguments as text in new memory (NULL: none). *ret_object is the same as an object; no
 * value if they are not an object. */
static char *read_arguments(const struct ik_message *call, size_t *ret_length,
	struct ik_json_span *ret_object)
{
	char *text = ik_message_arguments(call, ret_length);

	if (!text || ik_json_check(text, *ret_length, ret_object, NULL) != IK_OK ||
		ik_json_span_type(*ret_object) != IK_JSON_OBJECT)
		*ret_object = (struct ik_json_span){ .text = NULL };
	return text;
}

void ik_wire_put_arguments_text(struct ik_buf *out, const struct ik_message *call)
{
	struct ik_json_span object;
	struct ik_buf made;
	size_t length = 0;

	free(read_arguments(call, &length, &object));
	if (object.text) {
		put_stored_text(out, ik_json_at(ik_message_data(call), "function.arguments"));
		return;
	}
	/* Servers that parse arguments in the history would refuse the whole request because of one
	 * truncated call. */
	ik_buf_init(&made, IK_LIMIT_REQUEST);
	ik_wire_put_arguments_object(&made, call);
	ik_json_put_string(out, made.data, made.length);
	ik_buf_done(&made);
}

void ik_wire_put_arguments_object(struct ik_buf *out, const struct ik_message *call)
{
	struct ik_json_span object;
	size_t length = 0;
	char *text = read_arguments(call, &length, &object);

	if (object.text)
		ik_json_put_raw(out, object);
	else if (text && !ik_wire_is_blank(text, length))
		ik_json_printf(out, "{'malformed_arguments':'%.*s'}", (int)length, text);
	else
		ik_json_printf(out, "{}");
	free(text);
}

const char *ik_wire_call_id(const char *call_id, size_t longest, char made[IK_WIRE_MADE_ID])
{
	static const char fine[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t length = strlen(call_id);

	if (length > 0 && length <= longest && strspn(call_id, fine) == length)
		return call_id;
	(void)snprintf(made, IK_WIRE_MADE_ID, "call_%016" PRIx64, ik_text_hash(call_id));
	return made;
}

void ik_wire_put_envelope(struct ik_buf *out, const struct ik_message *result)
{
	struct ik_json_span output = { .text = NULL };
	struct ik_buf envelope;

	if (result)
		output = ik_json_member(ik_message_data(result), "output");
	if (output.length && !ik_json_string_is(output, "")) {
		put_stored_text(out, output);
		return;
	}
	ik_buf_init(&envelope, IK_KIB(4));
	ik_pairing_lost_envelope(&envelope);
	ik_json_put_string(out, envelope.data, envelope.length);
	ik_buf_done(&envelope);
}

bool ik_model_accepts(const struct ik_model_facts *facts, const char *media_type)
{
	return facts->inputs &
		(ik_text_equal(media_type, IK_MEDIA_PDF) ? IK_ACCEPTS_PDF : IK_ACCEPTS_IMAGES);
}

bool ik_wire_has_files(const struct ik_message *message)
{
	struct ik_attachment attachment;
	bool has = false;

	for (size_t i = 0; message && !has && ik_message_attachment(message, i, &attachment); i++)
		has = ik_attachment_is_file(&attachment);
	return has;
}

void ik_wire_put_files(struct ik_wire_writer *writer, const struct ik_message *message,
	ik_wire_put_file *put)
{
	struct ik_attachment attachment;

	for (size_t i = 0; message && ik_message_attachment(message, i, &attachment); i++) {
		bool accepted = ik_model_accepts(writer->request->facts, attachment.media_type);
		struct ik_wire_file file = {
			.media_type = attachment.media_type,
			.is_picture = !ik_text_equal(attachment.media_type, IK_MEDIA_PDF),
			.name = attachment.name,
			.bytes = attachment.contents,
		};
		struct ik_buf words;

		if (!ik_attachment_is_file(&attachment))
			continue;
		ik_buf_init(&words, IK_LIMIT_USER_TEXT);
		ik_buf_puts(&words, "[");
		ik_json_string(attachment.name, &words);
		ik_buf_puts(&words,
			accepted ? " is not included: it is no longer available.]"
					 : " is not included: this model does not accept such files.]");
		if (!accepted || !attachment.contents)
			file.words = words.data;
		put(writer, &file);
		ik_buf_done(&words);
	}
}

void ik_wire_put_base64(struct ik_buf *out, const char *prefix, const struct ik_bytes *bytes)
{
	ik_json_quote_open(out);
	ik_buf_puts(out, prefix);
	ik_base64_put(out, bytes->data, bytes->length);
	ik_json_quote_close(out);
}

void ik_wire_put_data_url(struct ik_buf *out, const struct ik_wire_file *file)
{
	char *prefix = ik_format("data:%s;base64,", file->media_type);

	ik_wire_put_base64(out, prefix, file->bytes);
	free(prefix);
}

void ik_request_binding(const struct ik_wire_format *format, const struct ik_request *request,
	char ret_bound[IK_BINDING])
{
	size_t at;
	const struct ik_message *summary = ik_conversation_summary(request->conversation, &at);
	const char *prompt = request->system_prompt, *search = ik_request_search(request);
	struct ik_buf text;

	*ret_bound = '\0';
	if (!format->binds)
		return;
	ik_buf_init(&text, IK_LIMIT_REQUEST);
	ik_json_printf(&text, "['%s','%s','%s'", request->model, prompt ? prompt : "",
		search ? search : "");
	if (summary)
		ik_json_string(ik_json_member(ik_message_data(summary), "summary"), &text);
	for (size_t index = 0; index < request->tool_count; index++)
		format->put_tool(&text, request->endpoint, &request->tools[index]);
	(void)snprintf(ret_bound, IK_BINDING, "%016" PRIx64, ik_text_hash(text.data ? text.data : ""));
	ik_buf_done(&text);
}

/* Is it thinking that was made for a request with another model, system prompt, summary or tools? */
static bool is_bound_elsewhere(const struct ik_wire_writer *writer,
	const struct ik_message *message)
{
	struct ik_json_span bound = ik_json_at(ik_message_data(message), "opaque.bound");

	return writer->format->binds && bound.text && !ik_json_string_is(bound, writer->bound);
}

struct ik_json_span ik_wire_opaque(const struct ik_wire_writer *writer,
	const struct ik_message *message)
{
	const struct ik_request *request = writer->request;
	const struct ik_endpoint *endpoint = request->endpoint;

	if ((request->refused.opaque_ms > 0 && message->time_ms <= request->refused.opaque_ms) ||
		message->time_ms < writer->bound_ms)
		return (struct ik_json_span){ NULL, 0 };
	/* The thinking of another model, before a switch: one that doesn't think refuses it. */
	if (message->kind == IK_KIND_THINKING && !message->searches &&
		request->facts->form == IK_THINKING_UNSAID)
		return (struct ik_json_span){ NULL, 0 };
	if (is_bound_elsewhere(writer, message))
		return (struct ik_json_span){ NULL, 0 };
	return ik_message_opaque(message, endpoint ? endpoint->provider : NULL, writer->format->type);
}

struct ik_json_span ik_wire_opaque_member(const struct ik_wire_writer *writer,
	const struct ik_message *message, const char *name)
{
	return ik_json_member(ik_wire_opaque(writer, message), name);
}

size_t ik_wire_said_length(const struct ik_wire_writer *writer, const struct ik_message *message)
{
	int64_t added = 0;

	(void)ik_json_integer(ik_wire_opaque_member(writer, message, IK_WIRE_SOURCES), &added);
	return added > 0 && (size_t)added <= message->content_length
		? message->content_length - (size_t)added
		: message->content_length;
}

void ik_wire_put_tools(struct ik_wire_writer *writer, const char *name, const char *hosted)
{
	const struct ik_request *request = writer->request;

	if (!request->tool_count && !hosted)
		return;
	ik_json_key(writer->out, name);
	ik_json_printf(writer->out, "[");
	for (size_t index = 0; index < request->tool_count; index++)
		writer->format->put_tool(writer->out, request->endpoint, &request->tools[index]);
	if (hosted)
		ik_json_printf(writer->out, "{'type':'%s'}", hosted);
	ik_json_printf(writer->out, "]");
}

bool ik_wire_open_message(struct ik_wire_writer *writer, const char *role, const char *list)
{
	writer->any = true;
	if (ik_text_equal(writer->role, role))
		return false;
	ik_wire_close_message(writer);
	ik_json_printf(writer->out, "{'role':'%s'", role);
	ik_json_key(writer->out, list);
	ik_json_printf(writer->out, "[");
	writer->role = role;
	return true;
}

void ik_wire_close_message(struct ik_wire_writer *writer)
{
	if (*writer->role)
		ik_json_printf(writer->out, "]}");
	writer->role = "";
}

/* Reserve room for nearly everything, since memory that grows step by step is copied each time. */
static void make_room(struct ik_wire_writer *writer)
{
	const struct ik_conversation *conversation = writer->request->conversation;
	size_t count = ik_conversation_count(conversation), length = 0;

	for (size_t index = ik_conversation_first(conversation); index < count; index++) {
		const struct ik_message *message = ik_conversation_at(conversation, index);

		length += message->content_length;
		for (size_t i = 0; i < message->contents_count; i++)
			length += ik_bytes_length(message->contents[i]) / 3 * 4;
	}
	ik_buf_reserve(writer->out, length);
}

void ik_wire_put_messages(struct ik_wire_writer *writer, const struct ik_wire_messages *messages)
{
	const struct ik_message *summary;
	struct ik_transcript transcript;
	const struct ik_passage *passage;
	size_t index;

	make_room(writer);
	/* Providers bind it to what came before, which a summary has replaced. */
	summary = ik_conversation_summary(writer->request->conversation, &index);
	writer->bound_ms = summary ? summary->time_ms : 0;
	ik_transcript_init(&transcript, writer->request->conversation);
	while ((passage = ik_transcript_next(&transcript))) {
		const struct ik_message **message = passage->messages;

		if ((*message)->kind == IK_KIND_USER)
			messages->user(writer, (*message)->content, (*message)->content_length, *message);
		else
			messages->assistant(writer, passage);
		for (size_t i = 0; i < passage->count; i++)
			if (message[i]->kind == IK_KIND_TOOL_CALL)
				messages->result(writer, message[i], passage->results[i]);
		if (messages->after)
			messages->after(writer, passage);
	}
	ik_transcript_done(&transcript);
}

static void put_patched(struct ik_buf *out, struct ik_json_span object, struct ik_json_span patch);

/* Write a member, patched unless patch is no value. */
static void put_member(struct ik_buf *out, struct ik_json_span name, struct ik_json_span value,
	struct ik_json_span patch)
{
	ik_json_printf(out, "%.*s:", IK_JSON_ARGS(name));
	if (ik_json_span_type(patch) != IK_JSON_OBJECT)
		ik_json_put_raw(out, patch.text ? patch : value);
	else
		put_patched(out, ik_json_span_type(value) == IK_JSON_OBJECT ? value : IK_JSON_SPAN("{}"),
			patch);
}

/* Write an object, patched by another one as RFC 7396 says: its members are added, or replace those of
 * the same name; of two objects each member does; null removes. */
static void put_patched(struct ik_buf *out, struct ik_json_span object, struct ik_json_span patch)
{
	ik_json_open(out, '{');
	for (struct ik_json_walk walk = ik_json_walk(object); ik_json_next(&walk);) {
		struct ik_json_span patched = ik_json_member_named(patch, walk.key);

		if (ik_json_span_type(patched) != IK_JSON_NULL)
			put_member(out, walk.key, walk.value, patched);
	}
	for (struct ik_json_walk walk = ik_json_walk(patch); ik_json_next(&walk);)
		if (!ik_json_member_named(object, walk.key).text &&
			ik_json_span_type(walk.value) != IK_JSON_NULL)
			put_member(out, walk.key, IK_JSON_SPAN("{}"), walk.value);
	ik_json_close(out, '}');
}

/* Patch a request with the members that the user wants in it. */
static void merge_body(struct ik_buf *out, const char *body)
{
	struct ik_json_span object, patch;
	struct ik_buf plain = *out;

	if (ik_buf_status(out) != IK_OK ||
		ik_json_check(out->data, out->length, &object, NULL) != IK_OK ||
		ik_json_check(body, strlen(body), &patch, NULL) != IK_OK)
		return;
	ik_buf_init(out, IK_LIMIT_REQUEST);
	put_patched(out, object, patch);
	ik_buf_done(&plain);
}

enum ik_status ik_request_serialize(const struct ik_wire_format *format,
	const struct ik_request *request, struct ik_buf *out, struct ik_error *error)
{
	struct ik_wire_writer writer = { .format = format, .request = request, .out = out, .role = "" };

	ik_request_binding(format, request, writer.bound);
	format->put_request(&writer);
	if (request->endpoint && request->endpoint->body)
		merge_body(out, request->endpoint->body);
	return ik_buf_check(out, _("the request"), error);
}

bool ik_wire_is_blank(const char *text, size_t length)
{
	for (size_t at = 0; at < length; at++)
		if (text[at] == '\0' || !strchr(" \t\r\n\v\f", text[at]))
			return false;
	return true;
}

const char *ik_envelope_paragraph(void)
{
	/* The model reads this, so it is not translated. */
	return "Each tool call is answered with a JSON envelope. "
		   "{\"tool_success\": true, \"result\": ...} means that the tool ran; its result may "
		   "still report a problem in a member \"error\". "
		   "{\"tool_success\": false, \"error\": ..., \"error_code\": ..., \"exit_code\": ..., "
		   "\"stdout\": ..., \"stderr\": ...} means that it could not run or did not end "
		   "properly. \"truncated\": true says that a part of the output was left out; a mark "
		   "in the text says where and how much. \"limit_reached\": true says that no further "
		   "tool call is possible in this turn: answer with what you have.";
}
