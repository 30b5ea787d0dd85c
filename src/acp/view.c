#include "acp/view.h"

#include <stdlib.h>
#include <string.h>

#include "acp/permission.h"
#include "conversation/attachment.h"
#include "conversation/title.h"
#include "json/write.h"
#include "tool/display.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* ---- parts ---- */

void ik_view_tell_title(struct ik_view *view)
{
	char *title = ik_conversation_title(ik_session_conversation(view->core->session));
	struct ik_buf out;

	if (title[0] == '\0' || (view->title && ik_text_equal(title, view->title))) {
		free(title);
		return;
	}
	free(view->title);
	view->title = title;
	ik_update_open(&out, view->viewer, "session_info_update");
	ik_json_printf(&out, "'title':'%s'", title);
	ik_update_send(view->viewer, &out);
}

/* Tell how full the context window is, if its size is known. */
static void tell_usage(struct ik_view *view)
{
	int64_t window = ik_core_model(view->core)->facts.context_window;
	struct ik_buf out;

	if (window <= 0 || view->used <= 0)
		return;
	ik_update_open(&out, view->viewer, "usage_update");
	ik_json_printf(&out, "'used':%lld,'size':%lld", (long long)view->used, (long long)window);
	if (view->cost > 0)
		ik_json_printf(&out, "'cost':{'amount':%g,'currency':'USD'}", view->cost);
	ik_update_send(view->viewer, &out);
}

static void add_usage(struct ik_view *view, const struct ik_usage *usage)
{
	view->used = usage->input_tokens + usage->output_tokens;
	if (usage->cost > 0)
		view->cost += usage->cost;
}

/* Tell of a call with the arguments that its tool gets; line says in words what it does (NULL: as its
 * tool has it). */
static struct ik_viewed_call *tell_call(struct ik_view *view, const char *id, const char *name,
	const char *line, const char *arguments, size_t length, bool live)
{
	struct ik_json_span display = ik_registry_display(ik_core_registry(view->core), name);
	char *own = line ? NULL : ik_display_line(display.text, name, arguments, length);
	struct ik_viewed_call *call;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ARGUMENTS);
	ik_session_put_arguments(view->core->session, name, arguments, length, &text);
	call = ik_viewed_call_tell(&view->calls, id, name, line ? line : own, text.data, text.length,
		live);
	ik_buf_done(&text);
	free(own);
	return call;
}

/* Tell of a call of a message, or of its result, or (the user's own) both. */
static void tell_call_message(struct ik_view *view, const struct ik_message *message, bool live)
{
	size_t length = 0;
	char *name = ik_message_tool_name(message);
	char *text = message->kind == IK_KIND_TOOL_RESULT ? NULL
													  : ik_message_arguments(message, &length);
	const char *id = message->call_id ? message->call_id : message->id;
	struct ik_viewed_call *call;

	if (text && name)
		(void)tell_call(view, id, name,
			message->kind == IK_KIND_TOOL_CALL ? message->content : NULL, text, length, live);
	free(text);
	call = ik_viewed_call_find(&view->calls, id);
	text = message->kind == IK_KIND_TOOL_CALL ? NULL : ik_message_envelope(message, &length);
	if (call && text)
		ik_viewed_call_end(call, text, length, message);
	free(text);
	free(name);
}

/* Tell of a command's output, and (line) of the command. */
static void tell_command(struct ik_view *view, const struct ik_message *message, bool line)
{
	struct ik_buf output;

	if (ik_message_own_call(message) == IK_OWN_TOOL) {
		tell_call_message(view, message, false);
		return;
	}
	ik_buf_init(&output, IK_LIMIT_ENVELOPE);
	(void)ik_json_string(ik_json_member(ik_message_data(message), "output"), &output);
	if (line)
		ik_update_text(view->viewer, "user_message_chunk", message->id, message->content,
			message->content_length);
	/* It is laid out for a terminal. */
	if (output.length > 0) {
		ik_update_fence(&output, "");
		ik_buf_putc(&output, '\n');
	}
	ik_update_text(view->viewer, "agent_message_chunk", message->id, output.data, output.length);
	ik_buf_done(&output);
}

/* Tell of a message that somebody else has stored, or that was stored before. */
static void tell_message(struct ik_view *view, const struct ik_message *message)
{
	struct ik_usage usage;

	switch (message->kind) {
	case IK_KIND_USER:
		/* Its files are only named. */
		if (!ik_message_is_automatic(message))
			ik_update_text(view->viewer, "user_message_chunk", message->id, message->content,
				ik_message_typed(message));
		break;
	case IK_KIND_ASSISTANT:
	case IK_KIND_THINKING:
		ik_update_text(view->viewer,
			message->kind == IK_KIND_THINKING ? "agent_thought_chunk" : "agent_message_chunk",
			message->id, message->content, message->content_length);
		break;
	case IK_KIND_TOOL_CALL:
	case IK_KIND_TOOL_RESULT:
		tell_call_message(view, message, false);
		break;
	case IK_KIND_COMMAND:
		tell_command(view, message, true);
		break;
	case IK_KIND_NOTICE:
		ik_update_notice(view->viewer, "info", message->content, message->content_length);
		break;
	case IK_KIND_USAGE:
		if (ik_usage_read(message, &usage))
			add_usage(view, &usage);
		break;
	default:
		break;
	}
}

void ik_view_replay(struct ik_view *view)
{
	const struct ik_conversation *conversation = ik_session_conversation(view->core->session);
	size_t count = ik_conversation_count(conversation);

	for (size_t i = 0; i < count; i++)
		tell_message(view, ik_conversation_at(conversation, i));
	ik_calls_viewed_end(&view->calls);
	tell_usage(view);
}

/* ---- events ---- */

/* Tell of a message of this session's own turn; its text was told as it came. */
static void tell_own(struct ik_view *view, const struct ik_message *message)
{
	if (message->kind == IK_KIND_TOOL_CALL || message->kind == IK_KIND_TOOL_RESULT)
		tell_call_message(view, message, true);
	else if (message->kind == IK_KIND_COMMAND)
		tell_command(view, message, false);
	else if (message->kind == IK_KIND_NOTICE)
		tell_message(view, message);
}

/* Tell of an event of a call. */
static void tell_call_event(struct ik_view *view, const struct ik_event *event)
{
	struct ik_viewed_call *call = ik_viewed_call_find(&view->calls, event->id);

	if (!call && event->kind != IK_EVENT_TOOL_OUTPUT && event->kind != IK_EVENT_TOOL_DONE &&
		event->kind != IK_EVENT_ASKED)
		call = tell_call(view, event->id, event->name, NULL, event->text, event->text_length, true);
	if (!call)
		return;
	if (event->kind == IK_EVENT_ASKING)
		ik_permission_ask(call, event->detail, event->ends_turn);
	else if (event->kind == IK_EVENT_ASKED)
		ik_permission_withdraw(call);
	else if (event->kind == IK_EVENT_TOOL_STARTED)
		ik_viewed_call_run(call);
	else if (event->kind == IK_EVENT_TOOL_OUTPUT && event->is_stderr)
		ik_viewed_call_print(call, event->text, event->text_length);
	else if (event->kind == IK_EVENT_TOOL_DONE)
		ik_viewed_call_end(call, event->text, event->text_length, event->message);
}

void ik_view_event(struct ik_view *view, const struct ik_event *event)
{
	switch (event->kind) {
	case IK_EVENT_MESSAGE:
		if (ik_session_is_following(view->core->session))
			tell_message(view, event->message);
		else
			tell_own(view, event->message);
		ik_view_tell_title(view);
		break;
	case IK_EVENT_TEXT:
	case IK_EVENT_THINKING:
		ik_update_text(view->viewer,
			event->kind == IK_EVENT_TEXT ? "agent_message_chunk" : "agent_thought_chunk", NULL,
			event->text, event->text_length);
		break;
	case IK_EVENT_CALL_PROGRESS:
		ik_viewed_call_begin(&view->calls, event->id, event->name);
		break;
	case IK_EVENT_ASKING:
	case IK_EVENT_ASKED:
	case IK_EVENT_TOOL_STARTED:
	case IK_EVENT_TOOL_OUTPUT:
	case IK_EVENT_TOOL_DONE:
		tell_call_event(view, event);
		break;
	case IK_EVENT_USAGE:
		add_usage(view, &event->usage);
		tell_usage(view);
		break;
	case IK_EVENT_NOTICE:
	case IK_EVENT_RETRY:
		ik_update_notice(view->viewer, event->kind == IK_EVENT_RETRY ? "warning" : "info",
			event->text, event->text_length);
		break;
	default:
		break;
	}
}

void ik_view_done(struct ik_view *view)
{
	ik_calls_viewed_done(&view->calls);
	free(view->title);
	view->title = NULL;
}
