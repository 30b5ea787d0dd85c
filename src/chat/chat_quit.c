/* The end of the program, and the question before it if something runs. */
#include "chat/chat.h"

#include "loop/children.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* How long cancelled calls have to end: more than the 2 s before a tool is killed. */
#define PATIENCE_MS 4000
#define LOOK_MS 20 /* interval of the checks */

static bool anybody_works(const struct ik_chat *chat)
{
	const struct ik_agent *agent = chat->agents;

	while (agent && !ik_agent_works(agent))
		agent = agent->next;
	return agent;
}

void ik_chat_stop(void *arg)
{
	struct ik_chat *chat = arg;

	/* Calls that end now are stored with what they have printed. */
	if (anybody_works(chat) && ik_clock_ms() < chat->end_by_ms)
		ik_timer_start(chat->end_timer, LOOK_MS);
	else if (ik_core_may_end(&chat->core, ik_chat_stop, chat))
		ik_loop_stop(chat->loop);
}

static void cancel_all(struct ik_chat *chat)
{
	for (struct ik_agent *agent = chat->agents; agent; agent = agent->next)
		if (ik_agent_works(agent))
			ik_session_cancel(agent->session);
}

void ik_chat_end(struct ik_chat *chat, int status)
{
	if (!chat->ending)
		chat->status = status;
	chat->ending = true;
	/* After a signal, do not wait. */
	if (status >= 128) {
		ik_loop_stop(chat->loop);
		return;
	}
	cancel_all(chat);
	if (anybody_works(chat))
		ik_chat_flash(chat, _("Ending: what runs is being stopped."));
	chat->end_by_ms = ik_clock_ms() + PATIENCE_MS;
	ik_chat_stop(chat);
}

static void on_quit(struct ik_chat *chat, void *arg)
{
	ik_chat_end(chat, 0);
}

/* Append what quitting would stop, one per line. */
static void put_running(const struct ik_chat *chat, struct ik_buf *out)
{
	const struct ik_agent *agent;
	int background = ik_children_orphans(chat->loop);

	for (agent = chat->agents; agent; agent = agent->next) {
		if (!ik_agent_works(agent))
			continue;
		if (agent == chat->agent)
			ik_buf_puts(out, _("The turn or call that runs now"));
		else
			ik_buf_printf(out, _("Agent %d, which is at work"), agent->number);
		ik_buf_putc(out, '\n');
	}
	if (background > 0) {
		ik_buf_printf(out,
			ngettext("%d process in the background", "%d processes in the background",
				(unsigned long)background),
			background);
		ik_buf_putc(out, '\n');
	}
	if (out->length > 0)
		ik_buf_truncate(out, out->length - 1);
}

static bool runs_anything(const struct ik_agent *agent, const void *arg)
{
	return anybody_works(agent->chat) || ik_children_orphans(agent->chat->loop) > 0;
}

void ik_chat_quit(struct ik_chat *chat)
{
	struct ik_confirmation about = {
		.title = _("End ikigai? This stops:"),
		.hint = _("What has arrived is kept, and every session can be resumed."),
		.yes_key = 'e',
		.yes = _("End ikigai"),
		.no_key = 's',
		.no = _("Stay"),
		.would_stop = runs_anything,
	};
	struct ik_buf running;

	ik_buf_init(&running, IK_KIB(16));
	put_running(chat, &running);
	if (running.length == 0) {
		ik_chat_end(chat, 0);
	} else {
		/* A held key asks again and again, which is no answer. The list may have changed, and
		 * the question may be on another agent's screen. */
		ik_chat_withdraw(chat, chat->quit_question);
		about.text = running.data;
		chat->quit_question = ik_chat_confirm(chat, &about, on_quit, NULL);
	}
	ik_buf_done(&running);
}
