#include "cli/exec_print.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/sanitize.h"
#include "util/text.h"

/* Limit on the bytes of arguments that a call's line on standard error shows. */
#define SUMMARY_BYTES 200

/* Append {"type":TYPE,"round":N and leave the object open. */
static void open_line(struct ik_buf *out, const char *type, int round)
{
	ik_json_open(out, '{');
	ik_json_key(out, "type");
	ik_json_put_text(out, type);
	ik_json_key(out, "round");
	ik_json_put_integer(out, round);
}

static void close_line(struct ik_buf *out)
{
	ik_json_close(out, '}');
	ik_buf_putc(out, '\n');
}

static void put_member(struct ik_buf *out, const char *key, const char *text, size_t length)
{
	ik_json_key(out, key);
	if (!text)
		ik_json_put_null(out);
	else
		ik_json_put_string(out, text, length);
}

static void put_text_member(struct ik_buf *out, const char *key, const char *text)
{
	put_member(out, key, text, !text ? 0 : strlen(text));
}

/* Append the JSON object that the tool gets, else null and the model's text. */
static void put_arguments(struct ik_buf *out, const struct ik_event *event)
{
	struct ik_json_span value;
	size_t length = 0;
	char *text;

	ik_json_key(out, "arguments");
	if (ik_json_check(event->text, event->text_length, &value, NULL) == IK_OK &&
		ik_json_span_type(value) == IK_JSON_OBJECT) {
		ik_json_put_raw(out, value);
		return;
	}
	ik_json_put_null(out);
	text = ik_message_arguments(event->message, &length);
	put_member(out, "arguments_raw", text ? text : "", length);
	free(text);
}

static void put_usage(struct ik_buf *out, const struct ik_usage *usage)
{
	ik_json_key(out, "input_tokens");
	ik_json_put_integer(out, usage->input_tokens);
	ik_json_key(out, "output_tokens");
	ik_json_put_integer(out, usage->output_tokens);
	ik_json_key(out, "cached_tokens");
	ik_json_put_integer(out, usage->cached_tokens);
	ik_json_key(out, "reasoning_tokens");
	ik_json_put_integer(out, usage->reasoning_tokens);
	ik_json_key(out, "cost");
	if (usage->cost >= 0)
		ik_json_put_double(out, usage->cost);
	else
		ik_json_put_null(out);
}

static void put_envelope(struct ik_buf *out, const struct ik_event *event)
{
	struct ik_json_span value;

	ik_json_key(out, "envelope");
	if (ik_json_check(event->text, event->text_length, &value, NULL) == IK_OK)
		ik_json_put_raw(out, value);
	else
		ik_json_put_null(out);
	ik_json_key(out, "duration_ms");
	ik_json_put_integer(out, event->number);
}

bool ik_exec_is_call(const struct ik_event *event)
{
	return event->kind == IK_EVENT_MESSAGE && event->id &&
		event->message->kind == IK_KIND_TOOL_CALL;
}

/* Append a call of this turn, even if it never runs. */
static void print_json_call(const struct ik_event *event, struct ik_buf *out)
{
	if (!ik_exec_is_call(event))
		return; /* already printed in pieces, or part of an earlier turn */
	open_line(out, "tool_call", event->round);
	put_text_member(out, "id", event->id);
	put_text_member(out, "name", event->name);
	put_arguments(out, event);
	close_line(out);
}

/* Append one JSON object on a line, if the event has one. */
static void print_json(const struct ik_event *event, struct ik_buf *out)
{
	static const char *const types[] = {
		[IK_EVENT_SESSION] = "session",
		[IK_EVENT_TEXT] = "text",
		[IK_EVENT_THINKING] = "thinking",
		[IK_EVENT_TOOL_DONE] = "tool_result",
		[IK_EVENT_USAGE] = "usage",
		[IK_EVENT_NOTICE] = "notice",
		[IK_EVENT_RETRY] = "notice",
		[IK_EVENT_ERROR] = "error",
		[IK_EVENT_TURN_DONE] = "done",
	};

	if (event->kind == IK_EVENT_MESSAGE)
		print_json_call(event, out);
	if ((size_t)event->kind >= sizeof(types) / sizeof(types[0]) || !types[event->kind])
		return;
	open_line(out, types[event->kind], event->round);
	switch (event->kind) {
	case IK_EVENT_SESSION:
		put_text_member(out, "id", event->text);
		put_text_member(out, "provider", event->name);
		put_text_member(out, "model", event->detail);
		break;
	case IK_EVENT_TEXT:
	case IK_EVENT_THINKING:
		put_member(out, "text", event->text, event->text_length);
		break;
	case IK_EVENT_TOOL_DONE:
		put_text_member(out, "id", event->id);
		put_text_member(out, "name", event->name);
		put_envelope(out, event);
		break;
	case IK_EVENT_USAGE:
		put_usage(out, &event->usage);
		break;
	case IK_EVENT_ERROR:
		put_text_member(out, "code", ik_error_code_word(event->code));
		put_member(out, "message", event->text, event->text_length);
		break;
	case IK_EVENT_TURN_DONE:
		put_text_member(out, "stop_reason", ik_turn_stop_word(event->stop));
		break;
	default:
		put_member(out, "message", event->text, event->text_length);
		break;
	}
	close_line(out);
}

/* Begin a line of our own, after ending a tool's incomplete line. */
static void begin_note(struct ik_exec_printer *printer, struct ik_buf *errors)
{
	ik_buf_puts(errors, printer->open_line ? "\nikigai: " : "ikigai: ");
	printer->open_line = false;
}

/* Append "ikigai: SENTENCE", sanitised. */
static void print_note(struct ik_exec_printer *printer, struct ik_buf *errors, const char *text,
	size_t length)
{
	if (!text || length == 0)
		return;
	begin_note(printer, errors);
	ik_sanitize(errors, text, length);
	ik_buf_putc(errors, '\n');
}

/* Append "ikigai: glob(pattern="*.c")". */
static void print_call(struct ik_exec_printer *printer, struct ik_buf *errors,
	const struct ik_event *event)
{
	char *summary = ik_call_summary(event->name, event->text, event->text_length, SUMMARY_BYTES);

	begin_note(printer, errors);
	ik_sanitize_line(errors, summary, strlen(summary));
	ik_buf_putc(errors, '\n');
	free(summary);
}

/* Append why a call failed. */
static void print_failure(struct ik_exec_printer *printer, struct ik_buf *errors,
	const struct ik_event *event)
{
	struct ik_json_span envelope;
	char *why;

	if (ik_json_check(event->text, event->text_length, &envelope, NULL) != IK_OK ||
		ik_envelope_succeeded(envelope))
		return;
	why = ik_json_string_new(ik_json_member(envelope, "error"), NULL);
	if (why)
		print_note(printer, errors, why, strlen(why));
	free(why);
}

/* Append text of a reply, without the line feeds at its end. */
static void print_reply(struct ik_exec_printer *printer, const char *text, size_t length,
	struct ik_buf *out)
{
	size_t body = length;

	while (body > 0 && text[body - 1] == '\n')
		body--;
	if (body > 0) {
		for (; printer->line_feeds > 0; printer->line_feeds--)
			ik_buf_putc(out, '\n');
		ik_buf_append(out, text, body);
		printer->printed = true;
	}
	printer->line_feeds += length - body;
}

/* Append text to standard output, everything else to standard error. */
static void print_text(struct ik_exec_printer *printer, const struct ik_event *event,
	struct ik_buf *out, struct ik_buf *errors)
{
	switch (event->kind) {
	case IK_EVENT_TEXT:
		print_reply(printer, event->text, event->text_length, out);
		break;
	case IK_EVENT_MESSAGE:
		/* The next round continues in the middle of a line. */
		printer->continues = printer->continues || ik_message_is_automatic(event->message);
		break;
	case IK_EVENT_ROUND_STARTED:
		if (printer->printed && printer->line_feeds == 0 && !printer->continues)
			printer->line_feeds = 1;
		printer->continues = false;
		break;
	case IK_EVENT_TOOL_STARTED:
		print_call(printer, errors, event);
		break;
	case IK_EVENT_TOOL_OUTPUT:
		/* A tool's standard error goes to the user as it comes. */
		if (event->number == 1 && event->text_length > 0) {
			ik_buf_append(errors, event->text, event->text_length);
			printer->open_line = event->text[event->text_length - 1] != '\n';
		}
		break;
	case IK_EVENT_TOOL_DONE:
		print_failure(printer, errors, event);
		break;
	case IK_EVENT_NOTICE:
	case IK_EVENT_RETRY:
	case IK_EVENT_ERROR:
		print_note(printer, errors, event->text, event->text_length);
		break;
	case IK_EVENT_TURN_DONE:
		if (event->stop != IK_TURN_STOP_END && event->stop != IK_TURN_STOP_ERROR) {
			char *line = ik_format(_("the turn ended before its time: %s"),
				ik_turn_stop_word(event->stop));

			print_note(printer, errors, line, strlen(line));
			free(line);
		}
		break;
	default:
		break;
	}
}

void ik_exec_print(struct ik_exec_printer *printer, const struct ik_event *event,
	struct ik_buf *out, struct ik_buf *errors)
{
	if (!printer->json) {
		print_text(printer, event, out, errors);
		return;
	}
	print_json(event, out);
	if (event->kind == IK_EVENT_ERROR)
		print_note(printer, errors, event->text, event->text_length);
}

void ik_exec_print_end(struct ik_exec_printer *printer, struct ik_buf *out)
{
	if (!printer->json && printer->printed)
		ik_buf_putc(out, '\n');
}
