/* How a call reads in the scrollback: the text half of tui/scrollback/calls.h. */
#include "tui/scrollback/calls.h"

#include <stdlib.h>
#include <string.h>

#include "json/partial.h"
#include "tool/envelope.h"
#include "tui/text/folded.h"
#include "tui/text/quantity.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

#define SUMMARY_BYTES 2000       /* of arguments: a screenful */
#define COMMAND_BYTES IK_KIB(16) /* of a command: enough to count the lines left out */
#define BODY_BYTES 4000          /* of a result whose lines are long */
#define LARGE_PART IK_KIB(256)   /* that is shown of a large result; the inspector has all */
#define LIVE_LINES 6
#define REASON_LINES 3 /* of a failure, at least */
#define FACT_BYTES 60  /* a longer text gets a line of its own */

const char *ik_call_mark(const struct ik_shown_call *call, enum ik_style *ret_style)
{
	static const struct {
		const char *mark;
		enum ik_style style;
	} marks[] = {
		[IK_STAGE_WRITING] = { "◌", IK_STYLE_DIM },
		[IK_STAGE_WAITING] = { "◌", IK_STYLE_DIM },
		[IK_STAGE_RUNNING] = { "◐", IK_STYLE_ACCENT },
		[IK_STAGE_OK] = { "●", IK_STYLE_GOOD },
		[IK_STAGE_FAILED] = { "✗", IK_STYLE_BAD },
	};

	if (call->denied) {
		*ret_style = IK_STYLE_WARNING;
		return "⊘";
	}
	*ret_style = marks[call->stage].style;
	return marks[call->stage].mark;
}

static void add_own_command(struct ik_shown_call *call)
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

/* Read the arguments, or what has come of them; no value: they are not JSON. */
static struct ik_json_span read_arguments(const struct ik_shown_call *call, struct ik_buf *whole)
{
	struct ik_json_span arguments;

	if (call->stage == IK_STAGE_WRITING)
		ik_json_complete(call->arguments.data, call->arguments.length, whole);
	else
		ik_buf_append(whole, call->arguments.data, call->arguments.length);
	if (ik_json_check(whole->data, whole->length, &arguments, NULL) != IK_OK)
		return (struct ik_json_span){ NULL, 0 };
	return arguments;
}

static enum ik_display_kind kind_of(const struct ik_shown_call *call, struct ik_json_span arguments)
{
	struct ik_json_span display = ik_call_display(call);
	bool command = ik_json_span_type(ik_json_member(arguments, "command")) == IK_JSON_STRING;

	if (display.text)
		return ik_display_kind(display);
	return command ? IK_DISPLAY_EXECUTE : IK_DISPLAY_OTHER;
}

/* Append what a call does; a model's mistake as it wrote it. */
static void put_line(struct ik_shown_call *call, struct ik_buf *out)
{
	size_t length = call->arguments.length < SUMMARY_BYTES ? call->arguments.length : SUMMARY_BYTES;
	struct ik_json_span arguments;
	struct ik_buf whole;

	ik_buf_init(&whole, IK_LIMIT_ARGUMENTS);
	arguments = read_arguments(call, &whole);
	call->kind = kind_of(call, arguments);
	if (arguments.text || length == 0)
		ik_display_put_line(ik_call_display(call), call->name, arguments,
			call->kind == IK_DISPLAY_EXECUTE ? COMMAND_BYTES : SUMMARY_BYTES, out);
	else
		ik_buf_printf(out, "%s %.*s", call->name, (int)length, call->arguments.data);
	ik_buf_done(&whole);
}

const char *ik_call_line(struct ik_shown_call *call, size_t *ret_length)
{
	struct ik_buf line;

	ik_buf_init(&line, IK_LIMIT_ARGUMENTS);
	if (call->line.length == 0 && ik_text_equal(call->name, IK_OWN_COMMAND))
		add_own_command(call);
	else if (call->line.length == 0)
		put_line(call, &line);
	ik_sanitize_line(&call->line, line.data, line.length);
	ik_buf_done(&line);
	*ret_length = call->line.length;
	return call->line.data;
}

enum ik_display_kind ik_call_kind(struct ik_shown_call *call)
{
	size_t length;

	(void)ik_call_line(call, &length);
	return call->kind;
}

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
	for (struct ik_json_walk walk = ik_json_walk(object); ik_json_next(&walk);) {
		if (ik_json_span_type(walk.value) != IK_JSON_STRING) {
			add_fact(&facts, walk.key, walk.value.text, walk.value.length);
			continue;
		}
		ik_buf_clear(&text);
		ik_json_string(walk.value, &text);
		if (text.length == 0)
			continue;
		if (!memchr(text.data, '\n', text.length)) {
			add_fact(&facts, walk.key, text.data, text.length);
			continue;
		}
		if (out->length > 0) {
			fresh_line(out);
			ik_json_string(walk.key, out);
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

static void add_stream(struct ik_buf *out, struct ik_json_span stream)
{
	if (ik_json_span_type(stream) != IK_JSON_STRING || stream.length <= 2)
		return;
	fresh_line(out);
	ik_json_string(stream, out);
}

/* Return whether a stream of a failure is what a tool answers: a JSON object. */
static bool is_answer(struct ik_json_span stream)
{
	struct ik_json_span value;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	bool answer = ik_json_string(stream, &text) &&
		ik_json_check(text.data, text.length, &value, NULL) == IK_OK &&
		ik_json_span_type(value) == IK_JSON_OBJECT;
	ik_buf_done(&text);
	return answer;
}

/* Append the outcome of a failure, without what a cancelled tool answered: the model has use for
 * that, and the inspector shows it. */
static void add_failure(struct ik_buf *out, struct ik_json_span envelope)
{
	struct ik_json_span output = ik_json_member(envelope, "stdout");
	const char *cancelled = ik_tool_failure_code(IK_TOOL_CANCELLED);

	add_error(out, envelope);
	add_stream(out, ik_json_member(envelope, "stderr"));
	if (!ik_json_string_is(ik_json_member(envelope, "error_code"), cancelled) || !is_answer(output))
		add_stream(out, output);
}

/* Append the outcome for people. output: nothing but what a command printed, where that is
 * known. */
static void add_outcome(struct ik_buf *out, struct ik_json_span envelope, bool output)
{
	if (!ik_envelope_succeeded(envelope)) {
		add_failure(out, envelope);
		return;
	}
	struct ik_json_span result = ik_json_member(envelope, "result");
	enum ik_json_type type = ik_json_span_type(result);

	if (output && ik_json_string(ik_json_member(result, "output"), out))
		return;
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

/* Return where the last lines of text begin, at most this many: what is worth seeing while it
 * grows. */
static size_t last_lines(const struct ik_buf *text, size_t most)
{
	size_t floor = text->length > BODY_BYTES ? text->length - BODY_BYTES : 0;
	size_t start = text->length;

	if (start > 0 && text->data[start - 1] == '\n')
		start--;
	for (size_t lines = 0; lines < most && start > floor; lines++)
		start = ik_line_begin(text->data, floor, start - (lines > 0));
	return start;
}

/* Append the last lines that a running call has printed, or all that is kept of them. */
static void add_live(struct ik_shown_call *call, size_t lines, struct ik_buf *out)
{
	const struct ik_buf *live = call->errors.length > 0 ? &call->errors : &call->output;

	if (live->length == 0)
		return;
	size_t most = ik_call_kind(call) == IK_DISPLAY_EXECUTE && lines > 0 ? lines : LIVE_LINES;
	size_t start = lines == IK_CALL_ALL ? 0 : last_lines(live, most);
	size_t head = out->length;
	ik_buf_putc(out, '\n');
	ik_sanitize(out, live->data + start, live->length - start);
	ik_buf_trim(out, head, "\n ");
}

/* Append what a call that is over came to, or only its output; of a large one its beginning. */
static void add_body(const struct ik_shown_call *call, bool output, struct ik_buf *out)
{
	struct ik_buf envelope;

	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	struct ik_json_span value;
	bool any = ik_call_envelope(call, ik_call_is_large(call) ? LARGE_PART : SIZE_MAX, &envelope);

	if (any && ik_json_check(envelope.data, envelope.length, &value, NULL) == IK_OK)
		add_outcome(out, value, output);
	else
		ik_buf_puts(out, _("no result"));
	ik_buf_trim(out, 0, "\n ");
	ik_buf_done(&envelope);
}

static void make_result_words(struct ik_shown_call *call)
{
	struct ik_call_changes changes;
	struct ik_json_span envelope;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	ik_buf_clear(&call->result_words);
	bool changed = call->stage == IK_STAGE_OK && ik_call_changes(call, 0, &text, &changes);

	if (changed && changes.whole) /* what was in the file before isn't known */
		ik_buf_printf(&call->result_words, ngettext("%zu line", "%zu lines", changes.added),
			changes.added);
	else if (changed)
		ik_buf_printf(&call->result_words, "+%zu -%zu", changes.added, changes.removed);
	else if (call->stage == IK_STAGE_OK && !ik_call_is_large(call) &&
		ik_call_envelope(call, SIZE_MAX, &text) &&
		ik_json_check(text.data, text.length, &envelope, NULL) == IK_OK)
		ik_display_put_result(ik_call_display(call), ik_json_member(envelope, "result"),
			&call->result_words);
	ik_buf_done(&text);
	call->words_version = call->version;
}

static void put_fact(struct ik_buf *out, size_t start, const char *between, const char *fact)
{
	if (fact[0] == '\0')
		return;
	if (out->length > start)
		ik_buf_puts(out, between);
	ik_sanitize_line(out, fact, strlen(fact));
}

void ik_call_facts(struct ik_shown_call *call, const char *between, struct ik_buf *out)
{
	size_t start = out->length;

	if (call->exit_code != 0)
		ik_buf_printf(out, _("exit %lld"), (long long)call->exit_code);
	if (call->words_version != call->version)
		make_result_words(call);
	if (call->result_words.length > 0)
		put_fact(out, start, between, call->result_words.data);
	if (call->duration_ms >= 0 && out->length > start)
		ik_buf_puts(out, between);
	if (call->duration_ms >= 0)
		ik_duration_put(out, call->duration_ms);
}

/* Append facts after the first line, and how much is not shown. */
static void add_facts(struct ik_shown_call *call, size_t hidden, bool large, struct ik_buf *out)
{
	const char *dot = " · ";
	size_t start = out->length;

	ik_buf_puts(out, dot);
	ik_call_facts(call, dot, out);
	if (out->length == start + strlen(dot))
		ik_buf_truncate(out, start);
	if (hidden > 0)
		ik_buf_puts(out, dot);
	if (hidden > 0 && large) {
		ik_size_text(out, ik_call_envelope_size(call));
	} else if (hidden > 0) {
		ik_buf_printf(out, ngettext("%zu line", "%zu lines", hidden), hidden);
	}
}

/* Append an object's members in their order, each on a line, or below its name. but: these values
 * are left out. */
static void add_members(struct ik_buf *out, struct ik_json_span object,
	const struct ik_json_span but[2])
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	for (struct ik_json_walk walk = ik_json_walk(object); ik_json_next(&walk);) {
		if (walk.value.text == but[0].text || walk.value.text == but[1].text)
			continue;
		ik_buf_clear(&text);
		if (!ik_json_string(walk.value, &text))
			ik_buf_append(&text, walk.value.text, walk.value.length);
		fresh_line(out);
		ik_json_string(walk.key, out);
		ik_buf_puts(out, memchr(text.data, '\n', text.length) ? ":\n" : ": ");
		ik_buf_append(out, text.data, text.length);
	}
	ik_buf_done(&text);
}

/* Append all arguments where the first line cannot show them as they are; changes: but for those
 * that are shown as a diff. */
static void add_arguments(const struct ik_shown_call *call, bool changes, struct ik_buf *out)
{
	const struct ik_json_span none = { NULL, 0 };
	const struct ik_json_span texts[2] = {
		changes ? ik_call_role(call, "old_text") : none,
		changes ? ik_call_role(call, "new_text") : none,
	};
	struct ik_json_span value;
	bool shown = call->arguments.length < FACT_BYTES &&
		!memmem(call->arguments.data, call->arguments.length, "\\n", 2);

	if (shown ||
		ik_json_check(call->arguments.data, call->arguments.length, &value, NULL) != IK_OK ||
		ik_json_span_type(value) != IK_JSON_OBJECT)
		return;
	struct ik_buf text;
	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	add_members(&text, value, texts);
	ik_buf_trim(&text, 0, "\n ");
	ik_buf_putc(out, '\n');
	ik_sanitize(out, text.data, text.length);
	ik_buf_putc(out, '\n');
	ik_buf_done(&text);
}

/* Append how many lines are left out, of a large one how much there is, and the key that shows
 * it. */
static void add_left_out(const struct ik_shown_call *call, size_t lines, bool large,
	struct ik_buf *out)
{
	if (large) {
		ik_buf_puts(out, "… ");
		ik_size_text(out, ik_call_envelope_size(call));
	} else {
		ik_folded_put_mark(out, lines);
	}
	if (call->open_key)
		ik_buf_printf(out, " (%s)", call->open_key);
}

/* Append the last lines of what a command printed, after how many come before them. */
static void add_last_lines(const struct ik_shown_call *call, const struct ik_buf *body,
	size_t lines, struct ik_buf *out)
{
	size_t start = last_lines(body, lines), head = out->length;
	size_t before = ik_line_feeds(body->data, start);

	if (start > 0) {
		ik_buf_putc(out, '\n');
		add_left_out(call, before > 0 ? before : 1, false, out);
	}
	if (body->length > 0) {
		ik_buf_putc(out, '\n');
		ik_sanitize(out, body->data + start, body->length - start);
	}
	ik_buf_trim(out, head, "\n ");
}

/* Append the facts of a call that changes a text, and the changes, at most this many lines. Return
 * false, and append nothing, for any other call. */
static bool add_edit(struct ik_shown_call *call, size_t lines, struct ik_buf *out, size_t *ret_tail)
{
	struct ik_call_changes changes;
	struct ik_buf diff;

	ik_buf_init(&diff, out->ceiling);
	bool any = ik_call_changes(call, lines, &diff, &changes);

	if (any)
		add_facts(call, 0, false, out);
	if (any && lines == IK_CALL_ALL)
		add_arguments(call, true, out);
	if (any && diff.length > 0) {
		ik_buf_putc(out, '\n');
		ik_sanitize(out, diff.data, diff.length - 1);
		*ret_tail = out->length;
	}
	if (any && changes.more > 0 && lines > 0) {
		ik_buf_putc(out, '\n');
		add_left_out(call, changes.more, false, out);
	}
	ik_buf_done(&diff);
	return any;
}

/* Append the call that is over: what came of it. Return whether that is a diff. */
static bool add_over(struct ik_shown_call *call, size_t lines, struct ik_buf *out, size_t *ret_tail)
{
	enum ik_display_kind kind = ik_call_kind(call);
	bool all = lines == IK_CALL_ALL, large = ik_call_is_large(call);
	/* The call itself, not the command that it ran. */
	bool failed = call->stage == IK_STAGE_FAILED && call->exit_code == 0;
	bool command = kind == IK_DISPLAY_EXECUTE && (!call->own || call->nested) && !failed && !all;
	bool quiet = !all &&
		(call->nested || (kind != IK_DISPLAY_EXECUTE && kind != IK_DISPLAY_OTHER && !call->own));
	size_t head = out->length, hidden = 0, shown;
	struct ik_buf body;

	if (call->stage == IK_STAGE_OK && add_edit(call, lines, out, ret_tail))
		return true;
	ik_buf_init(&body, IK_LIMIT_ENVELOPE);
	/* The end of a large one would have to be looked for. */
	if (command && large)
		lines = 0;
	add_body(call, command, &body);
	if (command && lines > 0) {
		add_facts(call, 0, false, out);
		add_last_lines(call, &body, lines, out);
		ik_buf_done(&body);
		return false;
	}
	if (failed && lines < REASON_LINES && !call->nested)
		lines = REASON_LINES;
	shown = ik_folded_size(body.data, body.length, lines, all ? SIZE_MAX : BODY_BYTES, &hidden);
	hidden += large;
	add_facts(call, shown == 0 && !quiet ? hidden : 0, large, out);
	if (all)
		add_arguments(call, false, out);
	if (shown > 0) {
		ik_buf_putc(out, '\n');
		ik_sanitize(out, body.data, shown);
		ik_buf_trim(out, head, "\n ");
		*ret_tail = out->length;
		if (hidden > 0) {
			ik_buf_putc(out, '\n');
			add_left_out(call, hidden, large, out);
		}
	}
	ik_buf_done(&body);
	return false;
}

bool ik_call_text(struct ik_shown_call *call, size_t lines, struct ik_buf *out, size_t *ret_head,
	size_t *ret_tail)
{
	const char *line = ik_call_line(call, ret_head);

	ik_buf_append(out, line, *ret_head);
	*ret_head = out->length;
	*ret_tail = SIZE_MAX;
	if (call->stage == IK_STAGE_OK || call->stage == IK_STAGE_FAILED)
		return add_over(call, lines, out, ret_tail);
	if (lines == IK_CALL_ALL)
		add_arguments(call, false, out);
	add_live(call, lines, out);
	return false;
}

void ik_call_copy(struct ik_shown_call *call, struct ik_buf *out)
{
	size_t length;

	if (call->stage == IK_STAGE_OK || call->stage == IK_STAGE_FAILED) {
		add_body(call, false, out);
		return;
	}
	ik_buf_append(out, call->output.data, call->output.length);
	ik_buf_append(out, call->errors.data, call->errors.length);
	if (out->length > 0)
		return;
	const char *line = ik_call_line(call, &length);
	ik_buf_append(out, line, length);
}
