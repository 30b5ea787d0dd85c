#include "cli/exec_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/sanitize.h"
#include "util/text.h"

/* Append the JSON object that the tool gets; if there is none, null and the model's text. */
static void put_arguments(struct ik_buf *out, const struct ik_event *event)
{
	struct ik_json_span value;
	size_t length = 0;
	char *text;

	if (ik_json_check(event->text, event->text_length, &value, NULL) == IK_OK &&
		ik_json_span_type(value) == IK_JSON_OBJECT) {
		ik_json_printf(out, "'arguments':%.*s", (int)value.length, value.text);
		return;
	}
	if (event->message)
		text = ik_message_arguments(event->message, &length);
	else
		text = ik_strndup(event->text, length = event->text_length);
	ik_json_printf(out, "'arguments':null,'arguments_raw':'%.*s'", (int)length, text ? text : "");
	free(text);
}

static void put_usage(struct ik_buf *out, const struct ik_usage *usage)
{
	ik_json_printf(out,
		"'input_tokens':%lld,'output_tokens':%lld,'cached_tokens':%lld,'written_tokens':%lld,"
		"'reasoning_tokens':%lld,'searches':%lld,'cost':%g",
		(long long)usage->input_tokens, (long long)usage->output_tokens,
		(long long)usage->cached_tokens, (long long)usage->written_tokens,
		(long long)usage->reasoning_tokens, (long long)usage->searches,
		usage->cost >= 0 ? usage->cost : NAN);
}

bool ik_exec_is_call(const struct ik_event *event)
{
	return event->kind == IK_EVENT_MESSAGE && event->id &&
		event->message->kind == IK_KIND_TOOL_CALL;
}

/* Append the id of the call whose process made this one, if it was one. */
static void put_parent(struct ik_buf *out, const struct ik_event *event)
{
	if (event->parent)
		ik_json_printf(out, "'parent':'%s'", event->parent);
}

/* Append a call of this turn, even if it never runs. */
static void print_json_call(const struct ik_event *event, struct ik_buf *out)
{
	ik_json_printf(out, "{'type':'tool_call','round':%d,'id':'%s','name':'%s'", event->round,
		event->id, event->name);
	put_parent(out, event);
	put_arguments(out, event);
	ik_json_printf(out, "}");
	ik_buf_putc(out, '\n');
}

/* Append one JSON object on a line, if the event has one. */
static void print_json(const struct ik_event *event, struct ik_buf *out)
{
	static const char *const types[] = {
		[IK_EVENT_SESSION] = "session",
		[IK_EVENT_TEXT] = "text",
		[IK_EVENT_THINKING] = "thinking",
		[IK_EVENT_SEARCH] = "search",
		[IK_EVENT_SOURCE] = "source",
		[IK_EVENT_TOOL_DONE] = "tool_result",
		[IK_EVENT_USAGE] = "usage",
		[IK_EVENT_NOTICE] = "notice",
		[IK_EVENT_RETRY] = "notice",
		[IK_EVENT_ERROR] = "error",
		[IK_EVENT_TURN_DONE] = "done",
	};

	const char *text = event->text;
	int length = (int)event->text_length;
	struct ik_json_span envelope = { NULL, 0 };

	/* Not what was printed in pieces already, or is part of an earlier turn. */
	if (ik_exec_is_call(event) || (event->kind == IK_EVENT_TOOL_STARTED && event->parent))
		print_json_call(event, out);
	if ((size_t)event->kind >= sizeof(types) / sizeof(types[0]) || !types[event->kind])
		return;
	if (event->kind == IK_EVENT_SEARCH && !length)
		return; /* it comes again, with its query */
	ik_json_printf(out, "{'type':'%s','round':%d", types[event->kind], event->round);
	switch (event->kind) {
	case IK_EVENT_SESSION:
		ik_json_printf(out, "'id':'%s','provider':'%s','model':'%s'", text, event->name,
			event->detail);
		break;
	case IK_EVENT_TEXT:
	case IK_EVENT_THINKING:
		ik_json_printf(out, "'text':'%.*s'", length, text);
		break;
	case IK_EVENT_SEARCH:
		ik_json_printf(out, "'query':'%s'", event->detail);
		break;
	case IK_EVENT_SOURCE:
		ik_json_printf(out, "'url':'%.*s','title':'%s'", length, text, event->detail);
		break;
	case IK_EVENT_TOOL_DONE:
		if (ik_json_check(text, event->text_length, &envelope, NULL) != IK_OK)
			envelope = (struct ik_json_span){ NULL, 0 };
		ik_json_printf(out, "'id':'%s','name':'%s','envelope':%.*s,'duration_ms':%lld", event->id,
			event->name, (int)envelope.length, envelope.text, (long long)event->duration_ms);
		put_parent(out, event);
		break;
	case IK_EVENT_USAGE:
		put_usage(out, &event->usage);
		break;
	case IK_EVENT_ERROR:
		ik_json_printf(out, "'code':'%s','message':'%.*s'", ik_error_code_word(event->code), length,
			text);
		break;
	case IK_EVENT_TURN_DONE:
		ik_json_printf(out, "'stop_reason':'%s'", ik_turn_stop_word(event->stop));
		if (text)
			ik_json_printf(out, "'output':%.*s", length, text);
		break;
	default:
		ik_json_printf(out, "'message':'%.*s'", length, text);
		break;
	}
	ik_json_printf(out, "}");
	ik_buf_putc(out, '\n');
}

/* Begin one of ikigai's lines, after ending a tool's incomplete line. */
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

/* Append text of a reply, holding back the line feeds at its end. */
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
		if (!printer->output_only)
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
		print_note(printer, errors, event->detail, strlen(event->detail));
		break;
	case IK_EVENT_TOOL_OUTPUT:
		/* The user sees a tool's standard error as it arrives. */
		if (event->is_stderr && event->text_length > 0) {
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
		if (event->text)
			print_reply(printer, event->text, event->text_length, out);
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
