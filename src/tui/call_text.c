/* How a call reads in the scrollback: the text half of tui/calls.h. */
#include "tui/calls.h"

#include <stdlib.h>
#include <string.h>

#include "tool/envelope.h"
#include "tui/size_text.h"
#include "tui/status_bar.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

#define SUMMARY_BYTES 2000 /* of arguments: a screenful */
#define BODY_BYTES 4000    /* of a result whose lines are long */
#define LARGE_PART IK_KIB(256) /* that is shown of a large result; the inspector has all */
#define LIVE_LINES 5
#define REASON_LINES 3 /* of a failure, at least */
#define FACT_BYTES 60      /* a longer text stands on a line of its own */

const char *ik_call_mark(enum ik_call_stage stage, bool utf8)
{
	switch (stage) {
	case IK_STAGE_WRITING:
	case IK_STAGE_WAITING:
		return utf8 ? "◌" : "-";
	case IK_STAGE_RUNNING:
		return utf8 ? "◐" : "~";
	case IK_STAGE_OK:
		return utf8 ? "●" : "*";
	case IK_STAGE_FAILED:
		break;
	}
	return utf8 ? "✗" : "x";
}

/* The line of a command of the person's own: as it was typed. */
static void add_own_command(struct ik_call *call)
{
	struct ik_json_span arguments;
	char *command = NULL;
	size_t length = 0;
	if (ik_json_check(call->arguments.data, call->arguments.length, &arguments, NULL) == IK_OK)
		command = ik_json_string_new(ik_json_member(arguments, "command"), &length);
	ik_buf_puts(&call->line, IK_OWN_COMMAND);
	if (command)
		ik_sanitize_line(&call->line, command, length < SUMMARY_BYTES ? length : SUMMARY_BYTES);
	free(command);
}

const char *ik_call_line(struct ik_call *call, size_t *ret_length)
{
	if (call->line.length == 0 && ik_text_equal(call->name, IK_OWN_COMMAND)) {
		add_own_command(call);
	} else if (call->line.length == 0) {
		char *summary = ik_call_summary(call->name, call->arguments.data,
			call->arguments.length, SUMMARY_BYTES);
		ik_sanitize_line(&call->line, summary, strlen(summary));
		free(summary);
	}
	*ret_length = call->line.length;
	return call->line.data;
}

/* End the line that was begun in out, if one was. */
static void fresh_line(struct ik_buf *out)
{
	if (out->length > 0 && out->data[out->length - 1] != '\n')
		ik_buf_putc(out, '\n');
}

/* Put "name: value" on the line of facts, or on one of its own. */
static void add_fact(struct ik_buf *facts, struct ik_json_span key, const char *value,
	size_t length)
{
	if (facts->length > 0)
		ik_buf_puts(facts, length > FACT_BYTES ? "\n" : "  ");
	ik_json_string(key, facts);
	ik_buf_puts(facts, ": ");
	ik_buf_append(facts, value, length);
}

/* Append an object for people: texts as they are, then the small facts. */
static void add_object(struct ik_buf *out, struct ik_json_span object)
{
	struct ik_buf facts, text;
	ik_buf_init(&facts, IK_LIMIT_ENVELOPE);
	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	struct ik_json_walk walk = {0};
	struct ik_json_span key, value;
	while (ik_json_next(object, &walk, &key, &value)) {
		if (ik_json_span_type(value) != IK_JSON_STRING) {
			add_fact(&facts, key, value.text, value.length);
			continue;
		}
		ik_buf_clear(&text);
		ik_json_string(value, &text);
		if (text.length == 0)
			continue;
		if (!memchr(text.data, '\n', text.length)) {
			add_fact(&facts, key, text.data, text.length);
			continue;
		}
		if (out->length > 0) {
			fresh_line(out);
			ik_json_string(key, out);
			ik_buf_puts(out, ":\n");
		}
		ik_buf_append(out, text.data, text.length);
	}
	if (facts.length > 0) {
		fresh_line(out);
		ik_buf_append(out, facts.data, facts.length);
	}
	ik_buf_done(&facts);
	ik_buf_done(&text);
}

/* Append "sentence (CODE)" if value has an error in words; false if not. */
static bool add_error(struct ik_buf *out, struct ik_json_span value)
{
	if (!ik_json_string(ik_json_member(value, "error"), out))
		return false;
	struct ik_json_span code = ik_json_member(value, "error_code");
	if (ik_json_span_type(code) == IK_JSON_STRING) {
		ik_buf_puts(out, " (");
		ik_json_string(code, out);
		ik_buf_putc(out, ')');
	}
	return true;
}

/* Append one of the streams of a failure. */
static void add_stream(struct ik_buf *out, struct ik_json_span stream)
{
	if (ik_json_span_type(stream) != IK_JSON_STRING || stream.length <= 2)
		return;
	fresh_line(out);
	ik_json_string(stream, out);
}

/* Append the outcome for people. */
static void add_outcome(struct ik_buf *out, struct ik_json_span envelope)
{
	if (!ik_envelope_succeeded(envelope)) {
		add_error(out, envelope);
		add_stream(out, ik_json_member(envelope, "stderr"));
		add_stream(out, ik_json_member(envelope, "stdout"));
		return;
	}
	struct ik_json_span result = ik_json_member(envelope, "result");
	enum ik_json_type type = ik_json_span_type(result);
	if (type == IK_JSON_STRING)
		ik_json_string(result, out);
	else if (type == IK_JSON_OBJECT && ik_json_count(result) > 0) {
		if (!add_error(out, result))
			add_object(out, result);
	} else if (type != IK_JSON_NONE)
		ik_buf_append(out, result.text, result.length);
	struct ik_json_span limit = ik_json_member(envelope, "limit_message");
	if (ik_json_span_type(limit) == IK_JSON_STRING) {
		fresh_line(out);
		ik_json_string(limit, out);
	}
}

/* The bytes of body that are shown where that many lines are, and how many are not. */
static size_t fold(const struct ik_buf *body, size_t most, size_t *ret_hidden)
{
	size_t shown = 0;
	size_t lines = 0;
	while (lines < most && shown < body->length) {
		const char *end = memchr(body->data + shown, '\n', body->length - shown);
		shown = end ? (size_t)(end - body->data) + 1 : body->length;
		lines++;
	}
	if (most != IK_CALL_ALL && shown > BODY_BYTES) {
		shown = ik_utf8_cut(body->data, body->length, BODY_BYTES);
		if (shown == 0)
			shown = BODY_BYTES;
	}
	size_t hidden = shown < body->length;
	for (const char *at = body->data + shown, *end = body->data + body->length;
		at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
		hidden++;
	*ret_hidden = hidden;
	return shown;
}

/* Start of the last lines of text: what is worth to be seen while it grows. */
static size_t last_lines(const struct ik_buf *text)
{
	size_t floor = text->length > BODY_BYTES ? text->length - BODY_BYTES : 0;
	size_t start = text->length;
	if (start > 0 && text->data[start - 1] == '\n')
		start--;
	for (int lines = 0; lines < LIVE_LINES && start > floor; lines++) {
		const char *line_feed = memrchr(text->data + floor, '\n', start - floor);
		if (!line_feed)
			return floor;
		start = (size_t)(line_feed - text->data);
	}
	return start > floor ? start + 1 : floor;
}

/* Take the line ends off the end of out, but not below least. */
static void trim_end(struct ik_buf *out, size_t least)
{
	size_t length = out->length;
	while (length > least && (out->data[length - 1] == '\n' || out->data[length - 1] == ' '))
		length--;
	ik_buf_truncate(out, length);
}

/* Append what a call that runs has printed last, or all that is kept of it. */
static void add_live(const struct ik_call *call, bool all, struct ik_buf *out)
{
	const struct ik_buf *live = call->errors.length > 0 ? &call->errors : &call->output;
	if (live->length == 0)
		return;
	size_t start = all ? 0 : last_lines(live);
	size_t head = out->length;
	ik_buf_putc(out, '\n');
	ik_sanitize(out, live->data + start, live->length - start);
	trim_end(out, head);
}

/* Append what a call that is over came to, for people; of a large one its beginning unless
 * whole. */
static void add_body(const struct ik_call *call, bool whole, struct ik_buf *out)
{
	struct ik_buf envelope;
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	struct ik_json_span value;
	bool any = whole ? ik_call_envelope(call, &envelope)
		: ik_call_envelope_beginning(call, LARGE_PART, &envelope);
	if (any && ik_json_check(envelope.data, envelope.length, &value, NULL) == IK_OK)
		add_outcome(out, value);
	else
		ik_buf_puts(out, _("no result"));
	trim_end(out, 0);
	ik_buf_done(&envelope);
}

void ik_call_facts(const struct ik_call *call, const char *between, struct ik_buf *out)
{
	if (call->exit_code != 0)
		ik_buf_printf(out, _("exit %lld"), (long long)call->exit_code);
	if (call->exit_code != 0 && call->duration_ms >= 0)
		ik_buf_puts(out, between);
	if (call->duration_ms >= 0)
		ik_duration_put(out, call->duration_ms);
}

/* Append facts behind the first line, and how much is not shown. */
static void add_facts(const struct ik_call *call, bool utf8, size_t hidden, bool large,
	struct ik_buf *out)
{
	const char *dot = utf8 ? " · " : " - ";
	if (call->exit_code != 0 || call->duration_ms >= 0)
		ik_buf_puts(out, dot);
	ik_call_facts(call, dot, out);
	if (hidden > 0)
		ik_buf_puts(out, dot);
	if (hidden > 0 && large) {
		ik_size_text(out, ik_call_envelope_size(call));
	} else if (hidden > 0) {
		ik_buf_printf(out, ngettext("%zu line", "%zu lines", hidden), hidden);
	}
}

/* Append all arguments where the first line cannot show them as they are. */
static void add_arguments(const struct ik_call *call, struct ik_buf *out)
{
	struct ik_json_span value;
	bool shown = call->arguments.length < FACT_BYTES
		&& !memmem(call->arguments.data, call->arguments.length, "\\n", 2);
	if (shown || ik_json_check(call->arguments.data, call->arguments.length, &value, NULL) != IK_OK
		|| ik_json_span_type(value) != IK_JSON_OBJECT)
		return;
	struct ik_buf text;
	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	add_object(&text, value);
	trim_end(&text, 0);
	ik_buf_putc(out, '\n');
	ik_sanitize(out, text.data, text.length);
	ik_buf_putc(out, '\n');
	ik_buf_done(&text);
}

void ik_call_text(struct ik_call *call, bool utf8, size_t lines, struct ik_buf *out,
	size_t *ret_head, size_t *ret_tail)
{
	const char *line = ik_call_line(call, ret_head);
	ik_buf_append(out, line, *ret_head);
	*ret_head = out->length;
	*ret_tail = SIZE_MAX;
	bool over = call->stage == IK_STAGE_OK || call->stage == IK_STAGE_FAILED;
	if (!over) {
		if (lines == IK_CALL_ALL)
			add_arguments(call, out);
		add_live(call, lines == IK_CALL_ALL, out);
		return;
	}
	struct ik_buf body;
	size_t hidden = 0;
	ik_buf_init(&body, IK_LIMIT_ENVELOPE);
	bool large = ik_call_is_large(call);
	add_body(call, !large, &body);
	if (call->stage == IK_STAGE_FAILED && lines < REASON_LINES)
		lines = REASON_LINES;
	size_t shown = fold(&body, lines, &hidden);
	hidden += large;
	add_facts(call, utf8, shown == 0 ? hidden : 0, large, out);
	if (lines == IK_CALL_ALL)
		add_arguments(call, out);
	if (shown > 0) {
		ik_buf_putc(out, '\n');
		ik_sanitize(out, body.data, shown);
		trim_end(out, *ret_head);
		*ret_tail = out->length;
		if (hidden > 0) {
			ik_buf_putc(out, '\n');
			ik_buf_puts(out, utf8 ? "… " : "... ");
			if (large)
				ik_size_text(out, ik_call_envelope_size(call));
			else
				ik_buf_printf(out, ngettext("%zu more line", "%zu more lines", hidden), hidden);
			if (call->open_key)
				ik_buf_printf(out, " (%s)", call->open_key);
		}
	}
	ik_buf_done(&body);
}

void ik_call_copy(struct ik_call *call, struct ik_buf *out)
{
	size_t length;
	if (call->stage == IK_STAGE_OK || call->stage == IK_STAGE_FAILED) {
		add_body(call, !ik_call_is_large(call), out);
		return;
	}
	ik_buf_append(out, call->output.data, call->output.length);
	ik_buf_append(out, call->errors.data, call->errors.length);
	if (out->length > 0)
		return;
	const char *line = ik_call_line(call, &length);
	ik_buf_append(out, line, length);
}
