#include "provider/wire/decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "provider/wire/wire.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Limit on a provider's explanation. */
#define EXPLANATION_BYTES 800
/* Limit on the part of an event that is shown in a message. */
#define WORDS_BYTES 120
/* Limits on the pages that are listed, their addresses and titles. */
#define SOURCES_MAX 100
#define URL_BYTES 4096
#define TITLE_BYTES 200
/* Limit on notices about a reply, each of which is stored. */
#define NOTICES_MAX 16
/* Limit on blocks in a reply, more than any reply has. */
#define MARKS_MAX IK_KIB(16)
/* Limit on calls in a reply: no model makes this many, but a broken server might. */
#define CALLS_MAX 1024
/* Limit on names; a longer one is cut. Providers accept up to 64 bytes. */
#define NAME_MAX_BYTES 1024

struct ik_pending_call {
	int64_t index;    /* from the provider; negative: not given */
	struct ik_buf id; /* empty: none */
	struct ik_buf name;
	bool reported;
	/* Position in the JSON text of the arguments, to detect when they are complete. */
	int depth;
	bool in_string;
	bool after_backslash;
	bool complete;
};

struct ik_stream_decoder *ik_decoder_new(const struct ik_wire_format *format)
{
	struct ik_stream_decoder *decoder = ik_alloc(sizeof(*decoder));

	decoder->format = format;
	if (format->state_size)
		decoder->state = ik_alloc(format->state_size);
	ik_sse_init(&decoder->sse, IK_LIMIT_SSE_EVENT);
	ik_buf_init(&decoder->body, IK_LIMIT_REPLY);
	ik_buf_init(&decoder->scratch, IK_LIMIT_REPLY);
	ik_buf_init(&decoder->why, 2 * EXPLANATION_BYTES + 16);
	ik_buf_init(&decoder->repaired, IK_LIMIT_REPLY * 3);
	ik_buf_init(&decoder->marks, MARKS_MAX);
	return decoder;
}

struct ik_stream_decoder *ik_decoder_free(struct ik_stream_decoder *decoder)
{
	if (!decoder)
		return NULL;
	if (decoder->state && decoder->format->state_done)
		decoder->format->state_done(decoder->state);
	free(decoder->state);
	ik_sse_done(&decoder->sse);
	ik_buf_done(&decoder->body);
	ik_buf_done(&decoder->scratch);
	ik_buf_done(&decoder->why);
	ik_buf_done(&decoder->repaired);
	ik_buf_done(&decoder->marks);
	for (int slot = 0; slot < decoder->call_count; slot++) {
		ik_buf_done(&decoder->calls[slot].id);
		ik_buf_done(&decoder->calls[slot].name);
	}
	free(decoder->calls);
	for (size_t index = 0; index < decoder->source_count; index++)
		free(decoder->sources[index]);
	free(decoder->sources);
	free(decoder->unshown);
	free(decoder);
	return NULL;
}

/* Report a delta; none follows the last one. */
static void report(struct ik_stream_decoder *decoder, const struct ik_delta *delta)
{
	if (!decoder->over)
		decoder->sink(decoder->arg, delta);
	decoder->over = decoder->over || delta->kind == IK_DELTA_STOP || delta->kind == IK_DELTA_ERROR;
}

bool ik_decoder_has_text(struct ik_json_span value)
{
	return ik_json_span_type(value) == IK_JSON_STRING && value.length > 2;
}

bool ik_decoder_dispatch(struct ik_stream_decoder *decoder, struct ik_json_span event,
	const struct ik_event_name *rows)
{
	struct ik_json_span type = ik_json_member(event, "type");

	for (; rows->name; rows++) {
		if (ik_json_string_is(type, rows->name)) {
			rows->take(decoder, event);
			return true;
		}
	}
	return false;
}

void ik_decoder_each(struct ik_stream_decoder *decoder, struct ik_json_span array,
	void (*take)(struct ik_stream_decoder *decoder, struct ik_json_span element))
{
	for (struct ik_json_walk walk = ik_json_elements(array); ik_json_next(&walk);)
		take(decoder, walk.value);
}

int64_t ik_decoder_index(struct ik_json_span event, const char *member)
{
	int64_t index;

	return ik_json_integer(ik_json_member(event, member), &index) ? index : -1;
}

/* Return the first words of bytes, for a sentence; valid until scratch is used again. */
static const char *words_of(struct ik_stream_decoder *decoder, const char *bytes, size_t length)
{
	ik_buf_clear(&decoder->scratch);
	ik_error_first_words(bytes, length, WORDS_BYTES, &decoder->scratch);
	return decoder->scratch.data;
}

/* Get the decoded bytes of a string, in place if nothing is escaped. */
static bool string_bytes(struct ik_stream_decoder *decoder, struct ik_json_span value,
	const char **ret_bytes, size_t *ret_length)
{
	if (ik_json_span_type(value) != IK_JSON_STRING)
		return false;
	if (!memchr(value.text, '\\', value.length)) {
		*ret_bytes = value.text + 1;
		*ret_length = value.length - 2;
		return true;
	}
	ik_buf_clear(&decoder->scratch);
	ik_json_string(value, &decoder->scratch);
	*ret_bytes = decoder->scratch.data;
	*ret_length = decoder->scratch.length;
	return true;
}

bool ik_decoder_text(struct ik_stream_decoder *decoder, enum ik_delta_kind kind,
	struct ik_json_span value)
{
	struct ik_delta delta = { .kind = kind };

	if (!string_bytes(decoder, value, &delta.text, &delta.text_length) || !delta.text_length)
		return false;
	report(decoder, &delta);
	return true;
}

void ik_decoder_bytes(struct ik_stream_decoder *decoder, enum ik_delta_kind kind, const char *text,
	size_t length)
{
	report(decoder, &(struct ik_delta){ .kind = kind, .text = text, .text_length = length });
}

void ik_decoder_search(struct ik_stream_decoder *decoder, struct ik_json_span value)
{
	struct ik_delta delta = { .kind = IK_DELTA_SEARCH, .text = "" };

	(void)string_bytes(decoder, value, &delta.text, &delta.text_length);
	report(decoder, &delta);
}

/* Report a notice, and free its sentence. */
static void report_notice(struct ik_stream_decoder *decoder, char *sentence)
{
	if (decoder->notices++ < NOTICES_MAX)
		ik_decoder_bytes(decoder, IK_DELTA_NOTICE, sentence, strlen(sentence));
	free(sentence);
}

void ik_decoder_failed_search(struct ik_stream_decoder *decoder, struct ik_json_span value)
{
	char *why = ik_decoder_has_text(value) ? ik_json_text_new(value) : NULL;

	if (why)
		report_notice(decoder,
			ik_format(_("The provider's search of the web failed (%s)."),
				words_of(decoder, why, strlen(why))));
	free(why);
}

void ik_decoder_unshown(struct ik_stream_decoder *decoder, struct ik_json_span type)
{
	char *name = ik_json_text_new(type);

	/* More of the same is not told again. */
	if (name && !(decoder->unshown && ik_text_equal(decoder->unshown, name)))
		report_notice(decoder,
			ik_format(_("The reply has a part that ikigai cannot show (%s)."),
				words_of(decoder, name, strlen(name))));
	free(decoder->unshown);
	decoder->unshown = name;
}

/* ---- lists that grow with the stream ---- */

void ik_decoder_list_add(struct ik_buf *list, struct ik_json_span element)
{
	if (!list->length) {
		ik_buf_init(list, IK_LIMIT_REPLY);
		ik_json_open(list, '[');
	}
	ik_json_put_raw(list, element);
}

struct ik_json_span ik_decoder_list_end(struct ik_buf *list)
{
	if (list->length)
		ik_json_close(list, ']');
	return ik_decoder_kept(list);
}

struct ik_json_span ik_decoder_kept(const struct ik_buf *kept)
{
	bool whole = kept->length && ik_buf_status(kept) == IK_OK;

	return whole ? (struct ik_json_span){ kept->data, kept->length }
				 : (struct ik_json_span){ NULL, 0 };
}

/* ---- sources ---- */

/* Append a page's title to a line of a list; what Markdown might take for markup is escaped. */
static void put_title(struct ik_buf *out, struct ik_json_span title)
{
	struct ik_buf text, words;

	ik_buf_init(&text, IK_LIMIT_REPLY);
	ik_buf_init(&words, IK_KIB(4));
	(void)ik_json_string(title, &text);
	ik_error_first_words(text.data, text.length, TITLE_BYTES, &words);
	for (size_t at = 0; at < words.length; at++) {
		if (strchr("\\`*[]<>", words.data[at]))
			ik_buf_putc(out, '\\');
		ik_buf_putc(out, words.data[at]);
	}
	ik_buf_puts(out, words.length ? " " : "");
	ik_buf_done(&text);
	ik_buf_done(&words);
}

/* Append a page's address as a Markdown link. */
static void put_url(struct ik_buf *out, const char *url, size_t length)
{
	ik_buf_putc(out, '<');
	for (size_t at = 0; at < length; at++) {
		unsigned char byte = (unsigned char)url[at];

		if (byte <= ' ' || byte == '<' || byte == '>' || byte == '\\' || byte == 0x7F)
			ik_buf_printf(out, "%%%02X", byte);
		else
			ik_buf_putc(out, url[at]);
	}
	ik_buf_putc(out, '>');
}

static void report_source(struct ik_stream_decoder *decoder, const char *url, size_t length,
	struct ik_json_span title)
{
	char *name = ik_json_text_new(title);

	report(decoder,
		&(struct ik_delta){ .kind = IK_DELTA_SOURCE,
			.text = url,
			.text_length = length,
			.name = name ? name : "" });
	free(name);
}

size_t ik_decoder_cite(struct ik_stream_decoder *decoder, struct ik_json_span page, const char *url)
{
	struct ik_json_span title = ik_json_member(page, "title");
	struct ik_buf link, line;
	size_t index = 0, length = 0;
	const char *bytes = "";
	bool is_page;

	ik_buf_init(&link, 4 * URL_BYTES);
	ik_buf_init(&line, 4 * URL_BYTES + IK_KIB(1));
	(void)string_bytes(decoder, ik_json_member(page, url), &bytes, &length);
	is_page = !decoder->plain && length <= URL_BYTES &&
		((length > 8 && memcmp(bytes, "https://", 8) == 0) ||
			(length > 7 && memcmp(bytes, "http://", 7) == 0));
	if (is_page)
		put_url(&link, bytes, length);
	while (index < decoder->source_count && !ik_text_ends(decoder->sources[index], link.data))
		index++;
	if (is_page && index == decoder->source_count && index < SOURCES_MAX) {
		put_title(&line, title);
		ik_buf_append(&line, link.data, link.length);
		decoder->sources = ik_alloc_more(decoder->sources, index, sizeof(*decoder->sources));
		decoder->sources[decoder->source_count++] = ik_strdup(line.data);
		report_source(decoder, bytes, length, title);
	}
	ik_buf_done(&link);
	ik_buf_done(&line);
	return is_page && index < decoder->source_count ? index + 1 : 0;
}

void ik_decoder_cite_all(struct ik_stream_decoder *decoder, struct ik_json_span pages,
	const char *inner, const char *url)
{
	for (struct ik_json_walk walk = ik_json_elements(pages); ik_json_next(&walk);)
		(void)ik_decoder_cite(decoder, inner ? ik_json_member(walk.value, inner) : walk.value, url);
}

struct ik_json_span ik_decoder_list_sources(struct ik_stream_decoder *decoder)
{
	struct ik_buf list;

	if (decoder->listed == decoder->source_count)
		return (struct ik_json_span){ NULL, 0 };
	ik_buf_init(&list, IK_LIMIT_REPLY);
	/* Translators: the pages that a model's reply cites; a list follows. */
	ik_buf_printf(&list, "%s%s\n\n", decoder->call_count ? "" : "\n\n", _("Sources:"));
	for (; decoder->listed < decoder->source_count; decoder->listed++)
		ik_buf_printf(&list, "%zu. %s\n", decoder->listed + 1, decoder->sources[decoder->listed]);
	ik_decoder_bytes(decoder, decoder->call_count ? IK_DELTA_NOTICE : IK_DELTA_TEXT, list.data,
		list.length);
	(void)snprintf(decoder->list_bytes, sizeof(decoder->list_bytes), "%zu", list.length);
	ik_buf_done(&list);
	return decoder->call_count
		? (struct ik_json_span){ NULL, 0 }
		: (struct ik_json_span){ decoder->list_bytes, strlen(decoder->list_bytes) };
}

static bool same(const struct ik_buf *text, struct ik_json_span value)
{
	return ik_json_string_is(value, text->data);
}

/* Return the slot of the newest call with this index, this id, or both; -1: none. */
static int find(const struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span id)
{
	for (int slot = decoder->call_count - 1; slot >= 0; slot--) {
		const struct ik_pending_call *call = &decoder->calls[slot];

		if (index >= 0 && call->index != index)
			continue;
		if (id.text && !same(&call->id, id))
			continue;
		return slot;
	}
	return -1;
}

/* Return the slot of the call that piece continues; -1: it begins another call. */
static int continued(const struct ik_stream_decoder *decoder, const struct ik_call_piece *piece)
{
	static const struct ik_json_span none = { NULL, 0 };
	bool has_id = ik_decoder_has_text(piece->id), has_name = ik_decoder_has_text(piece->name);
	int slot;

	if (has_id) {
		slot = find(decoder, piece->index, piece->id);
		if (slot >= 0)
			return slot;
		/* A new id with a known index is another call, unless that call still lacks its id. */
		if (piece->index < 0)
			return -1;
		slot = find(decoder, piece->index, none);
		return slot >= 0 && !decoder->calls[slot].id.length && !decoder->calls[slot].complete ? slot
																							  : -1;
	}
	slot = find(decoder, piece->index, none);
	if (slot < 0 || !has_name)
		return slot;
	/* A repeated name continues the same call, unless that call is complete. */
	if (decoder->calls[slot].complete)
		return -1;
	if (piece->index < 0 && !same(&decoder->calls[slot].name, piece->name))
		return -1;
	return slot;
}

/* Report the calls up to and including slot last. */
static void report_calls(struct ik_stream_decoder *decoder, int last)
{
	for (int slot = 0; slot <= last; slot++) {
		struct ik_pending_call *call = &decoder->calls[slot];

		if (call->reported)
			continue;
		call->reported = true;
		struct ik_delta delta = { .kind = IK_DELTA_CALL,
			.slot = slot,
			.id = call->id.length ? call->id.data : NULL,
			.name = call->name.data };
		for (int other = 0; delta.id && other < slot; other++)
			if (strcmp(decoder->calls[other].id.data, delta.id) == 0)
				delta.id = NULL;
		report(decoder, &delta);
	}
}

/* Track the brackets of the arguments. */
static void follow(struct ik_pending_call *call, const char *text, size_t length)
{
	for (size_t at = 0; at < length && !call->complete; at++) {
		char byte = text[at];

		if (call->after_backslash) {
			call->after_backslash = false;
		} else if (call->in_string) {
			call->after_backslash = byte == '\\';
			call->in_string = byte != '"';
		} else if (byte == '"') {
			call->in_string = true;
		} else if (byte == '{' || byte == '[') {
			call->depth++;
		} else if (byte == '}' || byte == ']') {
			call->complete = --call->depth <= 0;
		}
	}
}

/* Append a decoded string to a small buffer, truncated to fit. */
static void take_text(struct ik_buf *buf, struct ik_json_span value)
{
	char *text = ik_json_string_new(value, NULL);

	if (text) {
		size_t length = strlen(text), room = buf->ceiling - buf->length;

		ik_buf_append(buf, text, length < room ? length : room);
	}
	free(text);
}

/* Begin another call. Return false if there are too many. */
static bool begin_call(struct ik_stream_decoder *decoder, int64_t index)
{
	struct ik_pending_call *call;

	if (decoder->call_count == CALLS_MAX)
		return false;
	decoder->calls = ik_alloc_more(decoder->calls, (size_t)decoder->call_count,
		sizeof(*decoder->calls));
	report_calls(decoder, decoder->call_count - 1);
	call = &decoder->calls[decoder->call_count++];
	*call = (struct ik_pending_call){ .index = index };
	ik_buf_init(&call->id, NAME_MAX_BYTES);
	ik_buf_init(&call->name, NAME_MAX_BYTES);
	return true;
}

void ik_decoder_call(struct ik_stream_decoder *decoder, const struct ik_call_piece *piece)
{
	struct ik_json_span arguments = piece->arguments;
	struct ik_delta delta = { .kind = IK_DELTA_ARGUMENTS, .slot = continued(decoder, piece) };
	struct ik_pending_call *call;

	if (!string_bytes(decoder, arguments, &delta.text, &delta.text_length) &&
		(ik_json_span_type(arguments) == IK_JSON_OBJECT ||
			ik_json_span_type(arguments) == IK_JSON_ARRAY)) {
		delta.text = arguments.text;
		delta.text_length = arguments.length;
	}
	/* An index alone does not begin a call. */
	if (!piece->id.text && !piece->name.text && !arguments.text)
		return;
	if (delta.slot < 0) {
		if (!begin_call(decoder, piece->index)) {
			ik_error_set(&decoder->error, IK_INVALID, "%s",
				_("The reply has too many tool calls."));
			return;
		}
		delta.slot = decoder->call_count - 1;
	}
	call = &decoder->calls[delta.slot];
	if (!call->reported) {
		if (!call->id.length)
			take_text(&call->id, piece->id);
		if (ik_decoder_has_text(piece->name) && !same(&call->name, piece->name))
			take_text(&call->name, piece->name);
	}
	if (delta.text_length) {
		report_calls(decoder, delta.slot);
		follow(call, delta.text, delta.text_length);
		report(decoder, &delta);
	}
}

void ik_decoder_end_calls(struct ik_stream_decoder *decoder)
{
	report_calls(decoder, decoder->call_count - 1);
}

char ik_decoder_mark(const struct ik_stream_decoder *decoder, int64_t index)
{
	return index >= 0 && (size_t)index < decoder->marks.length ? decoder->marks.data[index] : 0;
}

void ik_decoder_set_mark(struct ik_stream_decoder *decoder, int64_t index, char mark)
{
	if (index < 0 || (size_t)index >= MARKS_MAX)
		return;
	while (decoder->marks.length <= (size_t)index && ik_buf_status(&decoder->marks) == IK_OK)
		ik_buf_putc(&decoder->marks, 0);
	if (ik_buf_status(&decoder->marks) == IK_OK)
		decoder->marks.data[index] = mark;
}

void ik_decoder_opaque(struct ik_stream_decoder *decoder, enum ik_delta_kind of,
	struct ik_json_span value)
{
	struct ik_delta delta = { .kind = IK_DELTA_OPAQUE,
		.of = of,
		.slot = of == IK_DELTA_CALL ? decoder->call_count - 1 : -1,
		.name = decoder->format->type,
		.text = value.text,
		.text_length = value.length };

	/* Opaque data can only belong to a call that was reported. */
	if (of == IK_DELTA_CALL)
		ik_decoder_end_calls(decoder);
	if (of != IK_DELTA_CALL || decoder->call_count)
		report(decoder, &delta);
}

void ik_decoder_opaque_object(struct ik_stream_decoder *decoder, enum ik_delta_kind of,
	const struct ik_opaque_member *members)
{
	struct ik_buf object;
	bool any = false;

	ik_buf_init(&object, IK_LIMIT_REPLY);
	ik_json_open(&object, '{');
	for (; members->name; members++) {
		if (!members->value.text)
			continue;
		any = true;
		ik_json_key(&object, members->name);
		ik_json_put_raw(&object, members->value);
	}
	ik_json_close(&object, '}');
	if (any && ik_json_check(object.data, object.length, NULL, NULL) == IK_OK)
		ik_decoder_opaque(decoder, of, (struct ik_json_span){ object.data, object.length });
	ik_buf_done(&object);
}

void ik_decoder_usage(struct ik_stream_decoder *decoder, struct ik_json_span usage)
{
	const struct ik_count_name *rows = decoder->format->counts;
	int64_t counts[IK_COUNTS] = { 0 }, count;

	for (size_t i = 0; rows[i].path; i++) {
		int64_t *total = &counts[rows[i].count];

		if (ik_json_integer(ik_json_at(usage, rows[i].path), &count) && count >= 0 &&
			count <= INT32_MAX)
			decoder->given[i] = count;
		count = decoder->given[i];
		if (rows[i].count != IK_COUNT_CACHED)
			*total += count;
		else if (count > *total)
			*total = count;
	}
	counts[IK_COUNT_SEARCHES] += decoder->searches;
	if (memcmp(counts, decoder->counts, sizeof(counts)) == 0)
		return;
	memcpy(decoder->counts, counts, sizeof(counts));
	report(decoder,
		&(struct ik_delta){ .kind = IK_DELTA_USAGE,
			.input_tokens = counts[IK_COUNT_INPUT],
			.output_tokens = counts[IK_COUNT_OUTPUT],
			.cached_tokens = counts[IK_COUNT_CACHED],
			.written_tokens = counts[IK_COUNT_WRITTEN],
			.reasoning_tokens = counts[IK_COUNT_REASONING],
			.searches = counts[IK_COUNT_SEARCHES] });
}

/* Report the end by an error, in words; empty: the provider said none. */
static void report_error(struct ik_stream_decoder *decoder, enum ik_error_code code, bool retryable,
	const char *words)
{
	struct ik_delta delta = { .kind = IK_DELTA_ERROR, .code = code, .retryable = retryable };

	delta.text = *words ? words : _("The provider reported an error and did not say which.");
	delta.text_length = strlen(delta.text);
	report(decoder, &delta);
}

void ik_decoder_fail(struct ik_stream_decoder *decoder, const char *words)
{
	report_error(decoder, IK_CODE_PROVIDER, true, words);
}

void ik_decoder_error(struct ik_stream_decoder *decoder, struct ik_json_span value)
{
	struct ik_buf message, words;
	enum ik_error_code code;
	bool retryable;

	ik_buf_init(&message, IK_LIMIT_ERROR_BODY);
	ik_buf_init(&words, IK_LIMIT_ERROR_BODY);
	if (!decoder->over && ik_error_read(value, 0, &message, &code, &retryable)) {
		ik_error_first_words(message.data, message.length, EXPLANATION_BYTES, &words);
		report_error(decoder, code, retryable, words.data);
	}
	ik_buf_done(&message);
	ik_buf_done(&words);
}

void ik_decoder_stop(struct ik_stream_decoder *decoder, enum ik_stop_reason stop)
{
	decoder->stopped = true;
	decoder->stop = stop;
}

/* Report that the reply ended because the model failed, with the provider's message or else its name
 * for that. */
static void report_failure(struct ik_stream_decoder *decoder, struct ik_json_span name,
	struct ik_json_span message)
{
	struct ik_buf words;

	ik_buf_init(&words, IK_LIMIT_ERROR_BODY);
	ik_buf_puts(&words, _("The model ended its reply with an error: "));
	(void)ik_json_string(ik_decoder_has_text(message) ? message : name, &words);
	ik_decoder_fail(decoder, words.data);
	ik_buf_done(&words);
}

/* Set the provider's explanation of the stop reason: the words, one line. */
static void explain(struct ik_stream_decoder *decoder, struct ik_json_span words)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ERROR_BODY);
	if (ik_json_string(words, &text) && text.length > 0) {
		ik_buf_puts(&decoder->why, decoder->why.length > 0 ? ": " : "");
		ik_error_first_words(text.data, text.length, EXPLANATION_BYTES, &decoder->why);
	}
	ik_buf_done(&text);
}

void ik_decoder_refuse(struct ik_stream_decoder *decoder, struct ik_json_span category,
	struct ik_json_span explanation)
{
	ik_decoder_stop(decoder, IK_STOP_REFUSED);
	ik_buf_clear(&decoder->why);
	explain(decoder, category);
	explain(decoder, explanation);
}

void ik_decoder_stop_name(struct ik_stream_decoder *decoder, struct ik_json_span value,
	struct ik_json_span message)
{
	const struct ik_stop_name *row = decoder->format->stops;

	if (!ik_decoder_has_text(value))
		return;
	while (row->name && !ik_json_string_is(value, row->name))
		row++;
	if (!row->name || row->stop == IK_STOP_FAILED)
		report_failure(decoder, value, message);
	else if (row->stop == IK_STOP_CONTEXT)
		report_error(decoder, IK_CODE_CONTEXT, false,
			_("The context window of the model is full."));
	else if (row->stop == IK_STOP_REFUSED)
		ik_decoder_refuse(decoder, value, message);
	else
		ik_decoder_stop(decoder, row->stop);
}

void ik_decoder_complete(struct ik_stream_decoder *decoder)
{
	struct ik_delta delta = { .kind = IK_DELTA_STOP, .stop = decoder->stop };

	ik_decoder_end_calls(decoder);
	/* Servers differ in the stop reason for a reply with calls. */
	if (delta.stop == IK_STOP_END && decoder->call_count)
		delta.stop = IK_STOP_TOOL_CALLS;
	else if (delta.stop == IK_STOP_TOOL_CALLS && !decoder->call_count)
		delta.stop = IK_STOP_END;
	if (delta.stop == IK_STOP_END && decoder->refused)
		delta.stop = IK_STOP_REFUSED;
	delta.text = decoder->why.data;
	delta.text_length = decoder->why.length;
	report(decoder, &delta);
}

/* Handle an event of the stream. */
static void take_event(void *arg, const char *event, const char *data, size_t length)
{
	struct ik_stream_decoder *decoder = arg;
	bool is_error = ik_text_equal(event, "error");
	struct ik_json_span value;

	decoder->any_event = true;
	if (decoder->over || decoder->error.status != IK_OK)
		return;
	while (length && data[length - 1] == ' ')
		length--;
	if (length == 6 && memcmp(data, "[DONE]", 6) == 0) {
		ik_decoder_complete(decoder);
		return;
	}
	if (!length)
		return;
	if (ik_json_check_repaired(data, length, &decoder->repaired, &value)) {
		decoder->format->take(decoder, value);
	} else if (!is_error && !decoder->stopped) {
		/* Once the stop reason is known, the reply is complete, whatever follows. */
		ik_error_set(&decoder->error, IK_INVALID,
			_("The provider sent something that is no JSON: %s"), words_of(decoder, data, length));
	}
	if (is_error && !decoder->over)
		ik_decoder_fail(decoder, words_of(decoder, data, length));
}

/* Recognise the form of the body by its first character. Return the length of what precedes it. */
static size_t find_form(struct ik_stream_decoder *decoder, const char *bytes, size_t length)
{
	/* The last three are the bytes of a BOM. */
	size_t blank = 0;

	while (decoder->form == IK_FORM_UNKNOWN && blank < length &&
		memchr(" \t\r\n\xef\xbb\xbf", bytes[blank], 7))
		blank++;
	if (decoder->form == IK_FORM_UNKNOWN && blank < length)
		decoder->form = bytes[blank] == '{' || bytes[blank] == '[' ? IK_FORM_OBJECT
																   : IK_FORM_EVENTS;
	return blank;
}

enum ik_status ik_decoder_feed(struct ik_stream_decoder *decoder, const char *bytes, size_t length,
	ik_delta_sink *sink, void *arg, struct ik_error *error)
{
	size_t blank;

	if (decoder->error.status == IK_OK && !decoder->over) {
		enum ik_status status = IK_OK;

		decoder->sink = sink;
		decoder->arg = arg;
		blank = find_form(decoder, bytes, length);
		if (decoder->form == IK_FORM_OBJECT) {
			ik_buf_append(&decoder->body, bytes + blank, length - blank);
			status = ik_buf_status(&decoder->body);
		} else {
			status = ik_sse_feed(&decoder->sse, bytes, length, take_event, decoder);
		}
		if (status != IK_OK)
			ik_error_set(&decoder->error, IK_INVALID, "%s",
				_("The provider sent one event that is too large."));
	}
	if (decoder->error.status != IK_OK && error)
		*error = decoder->error;
	return decoder->error.status;
}

/* Handle a body that is one JSON text. Return false if it is not a reply. */
static bool take_body(struct ik_stream_decoder *decoder)
{
	struct ik_json_span value;

	if (!ik_json_check_repaired(decoder->body.data, decoder->body.length, &decoder->repaired,
			&value))
		return false;
	if (ik_json_span_type(value) == IK_JSON_ARRAY) {
		for (struct ik_json_walk walk = ik_json_walk(value); !decoder->over && ik_json_next(&walk);)
			decoder->format->take(decoder, walk.value);
	} else {
		decoder->format->take(decoder, value);
	}
	if (decoder->stopped && !decoder->over && decoder->error.status == IK_OK)
		ik_decoder_complete(decoder);
	return decoder->over || decoder->error.status != IK_OK;
}

enum ik_status ik_decoder_finish(struct ik_stream_decoder *decoder, ik_delta_sink *sink, void *arg,
	struct ik_error *error)
{
	decoder->sink = sink;
	decoder->arg = arg;
	if (decoder->error.status == IK_OK && !decoder->over) {
		if (decoder->stopped)
			ik_decoder_complete(decoder);
		else if (decoder->any_event || ik_sse_is_begun(&decoder->sse))
			ik_error_set(&decoder->error, IK_UNAVAILABLE, "%s",
				_("The reply ended before it was complete."));
		else if (decoder->form == IK_FORM_UNKNOWN)
			ik_error_set(&decoder->error, IK_UNAVAILABLE, "%s",
				_("The provider sent an empty answer."));
		else if (decoder->form != IK_FORM_OBJECT || !take_body(decoder))
			ik_error_set(&decoder->error, IK_INVALID, "%s",
				_("The provider answered with something that is no reply."));
	}
	if (decoder->error.status != IK_OK && error)
		*error = decoder->error;
	return decoder->error.status;
}
