/*
 * openai_chat: OpenAI's Chat Completions format, which most other servers use, too (llama.cpp,
 * Ollama, vLLM, OpenRouter).
 *
 * Source: API reference, "Create chat completion" and "The chat completion chunk object"; OpenRouter,
 * "Web search" under "Server tools"; where
 * real servers deviate, the decoder accepts what they send.
 */
#include "provider/formats.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "provider/joined.h"
#include "provider/models.h"
#include "provider/openai.h"
#include "provider/wire/decoder.h"
#include "provider/wire/think_tags.h"
#include "provider/wire/wire.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* The longest call id that OpenAI accepts in this format. */
#define OPENAI_CALL_ID 40
/* Mistral accepts call ids of exactly this length. */
#define SHORT_CALL_ID 9

/* Opaque data in which the decoder stores the name of the member that contained the thinking (a
 * string), or the additional members of a call (an object). */
#define REASONING_CONTENT "reasoning_content"
#define REASONING "reasoning"
#define EXTRA "extra_content"
#define REASONING_DETAILS "reasoning_details"

/* Is it a Mistral model, on any server? */
static bool is_mistral(const char *model)
{
	return strcasestr(model, "mistral") || strcasestr(model, "mixtral") ||
		strcasestr(model, "ministral") || strcasestr(model, "devstral") ||
		strcasestr(model, "codestral") || strcasestr(model, "magistral");
}

/*
 * How servers that speak this format differ from OpenAI. They are recognised by the host and, for
 * models that are also served elsewhere, by their name: those rules are in the templates that their
 * makers publish.
 */
struct chat_dialect {
	bool openai;         /* OpenAI itself; on other servers user and assistant must alternate, and
	                        adjacent messages are joined */
	bool mistral;        /* call ids are nine letters and digits, and results must be followed by
	                        the assistant, never by the user */
	bool counts_unasked; /* reports usage without being asked, and refuses the request for it */
	bool wants_thoughts; /* refuses a call without the thinking that preceded it */
	bool switches_thinking; /* has a member to switch thinking on and off */
	bool knows_efforts;     /* accepts an effort as well */
};

static struct chat_dialect dialect_of(const struct ik_request *request)
{
	const struct ik_endpoint *endpoint = request->endpoint;
	bool mistral = ik_endpoint_is_in(endpoint, "mistral.ai");
	bool deepseek = ik_endpoint_is_in(endpoint, "deepseek.com");
	bool kimi = ik_endpoint_is_in(endpoint, "moonshot.ai") ||
		ik_endpoint_is_in(endpoint, "moonshot.cn") || ik_endpoint_is_in(endpoint, "kimi.com");
	/* Their later models always think, and accept efforts. */
	bool kimi_switch = kimi && (strstr(request->model, "k2.5") || strstr(request->model, "k2.6"));
	bool glm = ik_endpoint_is_in(endpoint, "z.ai") || ik_endpoint_is_in(endpoint, "bigmodel.cn");

	return (struct chat_dialect){
		.openai = ik_endpoint_is_openai(endpoint),
		.mistral = mistral || is_mistral(request->model),
		.counts_unasked = mistral,
		.wants_thoughts = deepseek || kimi,
		.switches_thinking = deepseek || kimi_switch || glm,
		.knows_efforts = !kimi_switch && !glm,
	};
}

/* Return the id to send for a call, possibly in made: unchanged if the server allows that, since
 * some servers store data in it. */
static const char *call_id_of(const struct ik_request *request, const char *call_id,
	char made[IK_WIRE_MADE_ID])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct chat_dialect dialect = dialect_of(request);
	uint64_t hash = ik_text_hash(call_id);

	if (dialect.openai)
		return ik_wire_call_id(call_id, OPENAI_CALL_ID, made);
	if (!dialect.mistral ||
		(strlen(call_id) == SHORT_CALL_ID && strspn(call_id, digits) == SHORT_CALL_ID))
		return call_id;
	for (size_t at = 0; at < SHORT_CALL_ID; at++) {
		made[at] = digits[hash % (sizeof(digits) - 1)];
		hash /= sizeof(digits) - 1;
	}
	made[SHORT_CALL_ID] = '\0';
	return made;
}

/* Write the members of a call that the server wants back unchanged. */
static void put_call_extra(struct ik_wire_writer *writer, const struct ik_message *call)
{
	struct ik_json_span extra = ik_wire_opaque_member(writer, call, EXTRA);

	if (extra.text)
		ik_json_printf(writer->out, "'" EXTRA "':%.*s", IK_JSON_ARGS(extra));
}

/* Write the thinking level as the name of an effort, which OpenAI and most others accept. */
static void put_effort(struct ik_buf *out, const struct ik_request *request)
{
	struct ik_thinking_words words = ik_thinking_words(request);
	struct chat_dialect dialect = dialect_of(request);
	bool off = request->thinking == IK_THINKING_OFF;

	/* OpenAI's models take tools in this format only without thinking. */
	if (dialect.openai && request->tool_count && ik_text_equal(request->facts->off, "none")) {
		ik_json_printf(out, "'reasoning_effort':'none'");
		return;
	}
	if (!words.level)
		return;
	if (dialect.switches_thinking)
		ik_json_printf(out, "'thinking':{'type':'%s'}", off ? "disabled" : "enabled");
	if (dialect.knows_efforts && !(off && dialect.switches_thinking))
		ik_json_printf(out, "'reasoning_effort':'%s'", words.level);
}

/* Return the name of the member in which this server sent the thinking; NULL if there is no
 * thinking or it is another server's. */
static const char *member_of(const struct ik_wire_writer *writer, const struct ik_message *message)
{
	struct ik_json_span name = { .text = NULL };

	if (message->kind == IK_KIND_THINKING)
		name = ik_wire_opaque(writer, message);
	if (ik_json_span_type(name) != IK_JSON_STRING)
		return NULL;
	return ik_json_string_is(name, REASONING_CONTENT) ? REASONING_CONTENT
		: ik_json_string_is(name, REASONING)          ? REASONING
													  : NULL;
}

/* Write what the server sent with this passage's thinking in addition to the text. Return whether there
 * was anything. */
static bool put_details(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	struct ik_buf *out = writer->out;
	bool any = false;

	for (size_t index = 0; index < passage->count; index++) {
		struct ik_json_span list = ik_wire_opaque_member(writer, passage->messages[index],
			REASONING_DETAILS);

		for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
			if (!any)
				ik_json_printf(out, "'" REASONING_DETAILS "':[");
			any = true;
			ik_json_put_raw(out, walk.value);
		}
	}
	if (any)
		ik_json_printf(out, "]");
	return any;
}

/* Write the member with the passage's thinking, if this server sent any (or requires it): its
 * models continue from it after their calls. */
static void put_reasoning(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	struct ik_buf *out = writer->out;
	const char *member = NULL;
	bool calls = false;

	if (put_details(writer, passage))
		return; /* the details contain the text, too */

	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];
		const char *other = member_of(writer, message);

		calls = calls || message->kind == IK_KIND_TOOL_CALL;
		if (!other || (member && strcmp(member, other) != 0))
			continue;
		if (!member) {
			ik_json_key(out, other);
			ik_json_quote_open(out);
		}
		member = other;
		ik_json_escape(out, message->content, message->content_length);
	}
	if (member)
		ik_json_quote_close(out);
	else if (calls && dialect_of(writer->request).wants_thoughts)
		/* For another provider's call; not every server accepts an empty text. */
		ik_json_printf(out, "'" REASONING_CONTENT "':' '");
}

struct openai_chat_stream_state {
	const char *member;       /* name of the member with the current thinking, or NULL */
	struct ik_joined details; /* of the thinking, including hidden parts: a list */
	bool unwanted;            /* they are not needed: the calls have their own data */
	struct ik_think_tags tags;
};

static void state_done(void *arg)
{
	struct openai_chat_stream_state *state = arg;

	ik_joined_done(&state->details);
	ik_buf_done(&state->tags.held);
}

/* ---- the details of thinking ---- */

/*
 * OpenRouter sends, in addition to the text of a model's thinking, a list of objects with a type
 * (reasoning.text, reasoning.summary, reasoning.encrypted), an index, and members that depend on
 * the type. It is sent back unchanged: without it, models that sign or encrypt their thinking start
 * from scratch after each of their calls, or refuse to continue. Source: OpenRouter, "Preserving
 * reasoning".
 */

/* A member of the list's object at an index, as a path. */
#define DETAIL(index, name, length) \
	((struct ik_joined_step[]){ { NULL, 0, index }, { name, length, 0 } }), 2

/* Does a piece continue the object at that index? Encrypted objects arrive complete. */
static bool continues(struct ik_joined *details, size_t index, struct ik_json_span piece)
{
	struct ik_json_span type = ik_json_member(piece, "type");

	return !ik_json_string_is(type, "reasoning.encrypted") &&
		ik_json_equal(ik_joined_at(details, DETAIL(index, "type", 4)), type) &&
		ik_json_equal(ik_joined_at(details, DETAIL(index, "index", 5)),
			ik_json_member(piece, "index"));
}

/* Handle an element of the list in a chunk: texts are joined; of other values, the last counts. */
static void take_detail(struct ik_stream_decoder *decoder, struct ik_json_span piece)
{
	struct ik_joined *details = &((struct openai_chat_stream_state *)decoder->state)->details;
	size_t index = details->root.count;

	if (ik_json_span_type(ik_json_member(piece, "type")) != IK_JSON_STRING)
		return;
	if (index > 0 && continues(details, index - 1, piece))
		index--;
	for (struct ik_json_walk walk = ik_json_walk(piece); ik_json_next(&walk);) {
		bool is_text = ik_json_string_is(walk.key, "text") ||
			ik_json_string_is(walk.key, "summary");
		char *name = ik_json_text_new(walk.key);

		if (name)
			ik_joined_add(details, DETAIL(index, name, strlen(name)), walk.value, is_text);
		free(name);
	}
}

/* Report what must be sent back with the thinking, which is complete. */
static void end_thinking(struct ik_stream_decoder *decoder)
{
	struct openai_chat_stream_state *state = decoder->state;
	struct ik_buf name;

	if (!state->member)
		return;
	ik_buf_init(&name, IK_KIB(1));
	ik_json_put_text(&name, state->member);
	ik_decoder_opaque(decoder, IK_DELTA_THINKING, (struct ik_json_span){ name.data, name.length });
	ik_buf_done(&name);
	state->member = NULL;
}

/* Report the details of the thinking, since the reply is complete. They belong to the whole round
 * and are stored with its last message, which always exists. */
static void end_details(struct ik_stream_decoder *decoder)
{
	struct openai_chat_stream_state *state = decoder->state;
	struct ik_json_span sources = ik_decoder_list_sources(decoder);
	struct ik_buf list;

	ik_buf_init(&list, IK_LIMIT_REPLY);
	if (state->details.root.count && !state->unwanted && !state->details.broken)
		ik_joined_put(&list, &state->details);
	ik_decoder_opaque_object(decoder, decoder->call_count ? IK_DELTA_CALL : IK_DELTA_TEXT,
		(struct ik_opaque_member[]){
			{ REASONING_DETAILS, ik_decoder_kept(&list) }, { IK_WIRE_SOURCES, sources }, { 0 } });
	ik_buf_done(&list);
	ik_joined_done(&state->details);
}

/* Does value contain anything? An empty text often accompanies thinking. */
static bool says_something(struct ik_json_span value)
{
	return ik_json_span_type(value) == IK_JSON_STRING ? value.length > 2 : ik_json_count(value) > 0;
}

/* Handle an element of content that arrives in parts, as from some servers: texts, and thinking
 * that contains texts. */
static void take_part(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	struct ik_json_span thinking = ik_json_member(part, "thinking");

	ik_decoder_text(decoder, IK_DELTA_TEXT, part);
	ik_decoder_text(decoder, IK_DELTA_TEXT, ik_json_member(part, "text"));
	ik_decoder_text(decoder, IK_DELTA_THINKING, thinking);
	for (struct ik_json_walk walk = ik_json_elements(thinking); ik_json_next(&walk);)
		ik_decoder_text(decoder, IK_DELTA_THINKING, ik_json_member(walk.value, "text"));
}

/* Report additional members of a call: Gemini later refuses the call without its signatures. */
static void report_extra(struct ik_stream_decoder *decoder, struct ik_json_span item)
{
	struct ik_json_span extra = ik_json_member(item, EXTRA);

	if (ik_json_span_type(extra) != IK_JSON_OBJECT || !decoder->call_count)
		return;
	ik_decoder_opaque_object(decoder, IK_DELTA_CALL,
		(struct ik_opaque_member[]){ { EXTRA, extra }, { 0 } });
	((struct openai_chat_stream_state *)decoder->state)->unwanted = true;
}

/* Handle a call with its function. */
static void take_function(struct ik_stream_decoder *decoder, struct ik_json_span item,
	struct ik_json_span function)
{
	struct ik_call_piece piece = {
		.index = ik_decoder_index(item, "index"),
		.id = ik_json_member(item, "id"),
		.name = ik_json_member(function, "name"),
		.arguments = ik_json_member(function, "arguments"),
	};

	ik_decoder_call(decoder, &piece);
	report_extra(decoder, item);
}

/* Handle an element of tool_calls. */
static void take_call(struct ik_stream_decoder *decoder, struct ik_json_span item)
{
	take_function(decoder, item, ik_json_member(item, "function"));
}

static void report_piece(void *decoder, enum ik_delta_kind kind, const char *text, size_t length)
{
	ik_decoder_bytes(decoder, kind, text, length);
}

/* Handle a piece of the text, at whose start there may be thinking. */
static void take_content(struct ik_stream_decoder *decoder, struct ik_json_span value)
{
	struct openai_chat_stream_state *state = decoder->state;
	size_t length = 0;
	char *text;

	if (state->tags.state == IK_TAGS_NONE) {
		ik_decoder_text(decoder, IK_DELTA_TEXT, value);
		return;
	}
	text = ik_json_string_new(value, &length);
	if (text)
		ik_think_tags_take(&state->tags, text, length, report_piece, decoder);
	free(text);
}

/* Handle the delta of a streamed choice, or the message of a complete one. */
static void take_message(struct ik_stream_decoder *decoder, struct ik_json_span message)
{
	bool thought = false; /* the same text may arrive in both members */
	struct openai_chat_stream_state *state = decoder->state;

	for (struct ik_json_walk walk = ik_json_walk(message); ik_json_next(&walk);) {
		if (ik_json_span_type(walk.value) == IK_JSON_NULL)
			continue;
		if ((ik_json_string_is(walk.key, "content") || ik_json_string_is(walk.key, "tool_calls")) &&
			says_something(walk.value))
			end_thinking(decoder);
		if (ik_json_string_is(walk.key, "content")) {
			take_content(decoder, walk.value);
			ik_decoder_each(decoder, walk.value, take_part);
		} else if (ik_json_string_is(walk.key, "tool_calls")) {
			ik_decoder_each(decoder, walk.value, take_call);
		} else if (ik_json_string_is(walk.key, REASONING_CONTENT) ||
			ik_json_string_is(walk.key, REASONING)) {
			if (thought || !ik_decoder_text(decoder, IK_DELTA_THINKING, walk.value))
				continue;
			thought = true;
			state->member = ik_json_string_is(walk.key, REASONING) ? REASONING : REASONING_CONTENT;
		} else if (ik_json_string_is(walk.key, REASONING_DETAILS)) {
			ik_decoder_each(decoder, walk.value, take_detail);
		} else if (ik_json_string_is(walk.key, "refusal")) {
			if (ik_decoder_text(decoder, IK_DELTA_TEXT, walk.value))
				decoder->refused = true;
		} else if (ik_json_string_is(walk.key, "annotations")) {
			ik_decoder_cite_all(decoder, walk.value, "url_citation", "url");
		} else if (ik_json_string_is(walk.key, "audio")) {
			ik_decoder_text(decoder, IK_DELTA_TEXT, ik_json_member(walk.value, "transcript"));
		} else if (ik_json_string_is(walk.key, "function_call")) {
			take_function(decoder, (struct ik_json_span){ NULL, 0 }, walk.value);
		}
	}
}

static void take_finish_reason(struct ik_stream_decoder *decoder, struct ik_json_span reason)
{
	if (!ik_decoder_has_text(reason))
		return;
	ik_think_tags_end(&((struct openai_chat_stream_state *)decoder->state)->tags, report_piece,
		decoder);
	end_thinking(decoder);
	end_details(decoder);
	ik_decoder_stop_name(decoder, reason, (struct ik_json_span){ NULL, 0 });
}

/* Handle an element of choices. There is one, since only one was requested. */
static void take_choice(struct ik_stream_decoder *decoder, struct ik_json_span choice)
{
	struct ik_json_span message = ik_json_member(choice, "delta");
	struct ik_json_span error = ik_json_member(choice, "error");

	if (ik_decoder_index(choice, "index") > 0)
		return;
	if (ik_json_span_type(message) != IK_JSON_OBJECT)
		message = ik_json_member(choice, "message");
	take_message(decoder, message);
	ik_decoder_usage(decoder, ik_json_member(choice, "usage"));
	if (error.text && ik_json_span_type(error) != IK_JSON_NULL)
		ik_decoder_error(decoder, choice);
	take_finish_reason(decoder, ik_json_member(choice, "finish_reason"));
}

/* Handle one chunk, or a complete answer. */
static void take_chunk(struct ik_stream_decoder *decoder, struct ik_json_span chunk)
{
	struct ik_json_span choices = ik_json_member(chunk, "choices");
	struct ik_json_span usage = ik_json_member(chunk, "usage");
	struct ik_json_span error = ik_json_member(chunk, "error");
	bool known = ik_json_span_type(choices) == IK_JSON_ARRAY ||
		ik_json_span_type(usage) == IK_JSON_OBJECT;

	ik_decoder_each(decoder, choices, take_choice);
	ik_decoder_usage(decoder, usage);
	/* Some errors are not in a member "error". */
	if (!known || ik_json_span_type(error) == IK_JSON_OBJECT ||
		ik_json_span_type(error) == IK_JSON_STRING)
		ik_decoder_error(decoder, chunk);
}

static const struct ik_count_name counts[] = {
	{ "prompt_tokens", IK_COUNT_INPUT },
	{ "completion_tokens", IK_COUNT_OUTPUT },
	{ "prompt_tokens_details.cached_tokens", IK_COUNT_CACHED },
	{ "prompt_cache_hit_tokens", IK_COUNT_CACHED },
	{ "prompt_tokens_details.cache_write_tokens", IK_COUNT_WRITTEN },
	{ "completion_tokens_details.reasoning_tokens", IK_COUNT_REASONING },
	{ "server_tool_use.web_search_requests", IK_COUNT_SEARCHES },
	{ 0 },
};

/* What OpenAI and the makers of compatible servers publish. Others (error, network_error,
 * insufficient_system_resource) mean failures. */
static const struct ik_stop_name stops[] = {
	{ "stop", IK_STOP_END },
	{ "eos", IK_STOP_END },
	{ "eos_token", IK_STOP_END },
	{ "end_turn", IK_STOP_END },
	{ "stop_sequence", IK_STOP_END },
	{ "tool_calls", IK_STOP_TOOL_CALLS },
	{ "tool_call", IK_STOP_TOOL_CALLS },
	{ "tool_use", IK_STOP_TOOL_CALLS },
	{ "function_call", IK_STOP_TOOL_CALLS },
	{ "length", IK_STOP_LENGTH },
	{ "max_tokens", IK_STOP_LENGTH },
	{ "model_length", IK_STOP_CONTEXT },
	{ "model_context_window_exceeded", IK_STOP_CONTEXT },
	{ "content_filter", IK_STOP_REFUSED },
	{ "sensitive", IK_STOP_REFUSED },
	{ 0 },
};

/* Inserted between results and the user's next message, for servers that require an answer. */
#define INTERRUPTED "(interrupted)"

void ik_openai_chat_put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	ik_json_printf(out, "{'type':'function','function':{");
	if (ik_openai_put_function(out, endpoint, tool))
		ik_json_printf(out, "'strict':true");
	ik_json_printf(out, "}}");
}

static void put_call(struct ik_wire_writer *writer, const struct ik_message *call)
{
	struct ik_buf *out = writer->out;
	char made[IK_WIRE_MADE_ID];

	ik_json_printf(out, "{'id':'%s','type':'function','function':{'name':%.*s,'arguments':",
		call_id_of(writer->request, call->call_id, made), IK_JSON_ARGS(ik_wire_call_name(call)));
	ik_wire_put_arguments_text(out, call);
	ik_json_printf(out, "}");
	put_call_extra(writer, call);
	ik_json_printf(out, "}");
}

/* The role of an open user message whose content is a list of parts. */
static const char user_parts[] = "user parts";

/* Leave the content of a text message open, so that an adjacent message of the same role can be
 * joined: many servers refuse two in a row. */
static void close_message(struct ik_wire_writer *writer)
{
	if (ik_text_equal(writer->role, user_parts))
		ik_json_printf(writer->out, "]}");
	else if (*writer->role && !ik_text_equal(writer->role, "tool"))
		ik_buf_puts(writer->out, "\"}");
	writer->role = "";
}

/* Can a text of this role be added to the open message? */
static bool can_join(const struct ik_wire_writer *writer, const char *role)
{
	return ik_text_equal(writer->role, role) && !dialect_of(writer->request).openai;
}

/* Begin a user's message, up to its content. */
static void begin_user(struct ik_wire_writer *writer)
{
	if (ik_text_equal(writer->role, "tool") && dialect_of(writer->request).mistral)
		ik_json_printf(writer->out, "{'role':'assistant','content':'" INTERRUPTED "'}");
	close_message(writer);
	ik_json_printf(writer->out, "{'role':'user','content':");
	writer->any = true;
}

/* Have a user's message open whose content is a list of parts; the text of an open message becomes
 * the first one. */
static void open_parts(struct ik_wire_writer *writer)
{
	static const char first[] = "[{\"type\":\"text\",\"text\":";

	if (can_join(writer, "user")) {
		ik_buf_insert(writer->out, writer->content, first, sizeof(first) - 1);
		ik_buf_puts(writer->out, "\"}");
	} else if (!can_join(writer, user_parts)) {
		begin_user(writer);
		ik_json_printf(writer->out, "[");
	}
	writer->role = user_parts;
}

/* Write a part with a file, or with words in its place. */
static void put_file(struct ik_wire_writer *writer, const struct ik_wire_file *file)
{
	struct ik_buf *out = writer->out;

	if (file->words) {
		ik_json_printf(out, "{'type':'text','text':'%s'}", file->words);
	} else if (file->is_picture) {
		ik_json_printf(out, "{'type':'image_url','image_url':{'url':");
		ik_wire_put_data_url(out, file);
		ik_json_printf(out, "}}");
	} else {
		ik_json_printf(out,
			"{'type':'file','file':{'filename':%.*s,'file_data':", IK_JSON_ARGS(file->name));
		ik_wire_put_data_url(out, file);
		ik_json_printf(out, "}}");
	}
}

static void put_user(struct ik_wire_writer *writer, const char *text, size_t length,
	const struct ik_message *files)
{
	if (ik_wire_has_files(files) || can_join(writer, user_parts)) {
		open_parts(writer);
		ik_json_printf(writer->out, "{'type':'text','text':'%.*s'}", (int)length, text);
		ik_wire_put_files(writer, files, put_file);
		return;
	}
	if (can_join(writer, "user")) {
		ik_buf_puts(writer->out, "\\n\\n");
	} else {
		begin_user(writer);
		writer->content = writer->out->length;
		ik_json_quote_open(writer->out);
	}
	ik_json_escape(writer->out, text, length);
	writer->role = "user";
}

/* Write the files of a passage's results: only a user's message can have any. */
static void put_result_files(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	for (size_t index = 0; index < passage->count; index++) {
		if (passage->messages[index]->kind != IK_KIND_TOOL_CALL ||
			!ik_wire_has_files(passage->results[index]))
			continue;
		open_parts(writer);
		ik_wire_put_files(writer, passage->results[index], put_file);
	}
}

static void put_calls(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	ik_json_printf(writer->out, "'tool_calls':[");
	for (size_t index = 0; index < passage->count; index++)
		if (passage->messages[index]->kind == IK_KIND_TOOL_CALL)
			put_call(writer, passage->messages[index]);
	ik_json_printf(writer->out, "]}");
}

static void put_assistant(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	struct ik_buf *out = writer->out;
	const struct ik_message *text = NULL;
	size_t calls = 0;

	for (size_t index = 0; index < passage->count; index++) {
		if (passage->messages[index]->kind == IK_KIND_ASSISTANT)
			text = passage->messages[index];
		else if (passage->messages[index]->kind == IK_KIND_TOOL_CALL)
			calls++;
	}
	if (!text && !calls)
		return; /* another provider's search */
	if (!writer->any)
		put_user(writer, IK_WIRE_BEGINNING, strlen(IK_WIRE_BEGINNING), NULL);
	bool joined = can_join(writer, "assistant");

	if (joined) {
		ik_buf_puts(out, text ? "\\n\\n" : "");
	} else {
		close_message(writer);
		ik_json_printf(out, "{'role':'assistant'");
		put_reasoning(writer, passage);
		ik_json_printf(out, text ? "'content':" : "'content':null");
		if (text)
			ik_json_quote_open(out);
	}
	if (text)
		ik_json_escape(out, text->content, ik_wire_said_length(writer, text));
	writer->role = "assistant";
	if (!calls)
		return;
	if (joined || text)
		ik_buf_putc(out, '"');
	put_calls(writer, passage);
	writer->role = "";
}

static void put_result(struct ik_wire_writer *writer, const struct ik_message *call,
	const struct ik_message *result)
{
	char made[IK_WIRE_MADE_ID];

	ik_json_printf(writer->out, "{'role':'tool','tool_call_id':'%s','content':",
		call_id_of(writer->request, call->call_id, made));
	ik_wire_put_envelope(writer->out, result);
	ik_json_printf(writer->out, "}");
	writer->role = "tool";
}

/* Write the members about caching. At OpenRouter, Anthropic's models cache only what a mark asks
 * for; this one is applied to the last block. Source: OpenRouter, "Prompt caching". */
static void put_caching(struct ik_buf *out, const struct ik_request *request)
{
	const char *value = ik_wire_cache_control(request);

	if (value && ik_endpoint_is_in(request->endpoint, "openrouter.ai") &&
		ik_text_starts(request->model, "anthropic/"))
		ik_json_printf(out, "'cache_control':%s", value);
	ik_openai_put_caching(out, request);
}

static void put_request(struct ik_wire_writer *writer)
{
	static const struct ik_wire_messages messages = { put_user, put_assistant, put_result,
		put_result_files };
	const struct ik_request *request = writer->request;
	const char *search = ik_request_search(request);
	bool is_tool = search && strchr(search, ':');
	struct ik_buf *out = writer->out;

	ik_json_printf(out, "{'model':'%s'", request->model);
	ik_wire_put_tools(writer, "tools", is_tool ? search : NULL);
	ik_json_printf(out, "'messages':[");
	if (request->system_prompt && *request->system_prompt)
		ik_json_printf(out, "{'role':'system','content':'%s'}", request->system_prompt);
	ik_wire_put_messages(writer, &messages);
	close_message(writer);
	ik_json_printf(out, "],'stream':true");
	if (!dialect_of(request).counts_unasked)
		ik_json_printf(out, "'stream_options':{'include_usage':true}");
	if (search && !is_tool)
		ik_json_printf(out, "'%s':{}", search);
	if (request->forbid_calls && request->tool_count)
		ik_json_printf(out, "'tool_choice':'none'");
	if (request->max_output_tokens > 0)
		ik_json_printf(out,
			dialect_of(request).openai ? "'max_completion_tokens':%lld" : "'max_tokens':%lld",
			(long long)request->max_output_tokens);
	put_effort(out, request);
	if (request->output_schema.text) {
		ik_json_printf(out, "'response_format':{'type':'json_schema','json_schema':{");
		ik_openai_put_output_schema(out, request);
		ik_json_printf(out, "}}");
	}
	put_caching(out, request);
	ik_json_printf(out, "}");
}

const struct ik_wire_format ik_openai_chat_format = {
	.type = IK_OPENAI_CHAT,
	.path = "/chat/completions",
	.models_path = "/models",
	.key_header = "Authorization: Bearer ",
	.put_tool = ik_openai_chat_put_tool,
	.put_arguments = ik_openai_put_arguments,
	.put_request = put_request,
	.state_size = sizeof(struct openai_chat_stream_state),
	.state_done = state_done,
	.take = take_chunk,
	.counts = counts,
	.stops = stops,
};
