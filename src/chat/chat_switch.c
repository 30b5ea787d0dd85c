/* Resume another session in place of the shown one; delete stored ones. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "commands/stored_session.h"
#include "core/undo_command.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

void ik_agent_session_changed(struct ik_agent *agent)
{
	struct ik_core *core = &agent->chat->core;

	ik_chat_stop_sending(agent);
	agent->children = ik_chat_children_free(agent->children);
	ik_screen_begin(agent->screen);
	ik_chat_lock_done(agent);
	ik_chat_forget_blobs(agent);
	agent->shared_command[0] = '\0';
	/* Permissions for one session don't apply to another. */
	ik_rules_done(ik_policy_session(core->policy));
	ik_core_policy_changed(core);
}

void ik_agent_restored(void *arg, const struct ik_error *error)
{
	struct ik_agent *agent = arg;

	agent->restoring = false;
	if (error)
		ik_session_add_problem(agent->session, error->text);
	if (agent->before)
		ik_session_add_notice(agent->session, agent->before);
	free(agent->before);
	agent->before = NULL;
	if (agent == agent->chat->agent)
		ik_core_tell_store_again(&agent->chat->core);
	if (!error)
		ik_chat_children_look(agent);
	ik_screen_session_runs(agent->screen, ik_session_id(agent->session));
}

/* Resume another session in an agent in which no turn runs. copy: the conversation of a new fork
 * of this session, or NULL. A fork names its parent itself; for other sessions, the user is told
 * how to return, once they have been read. */
static void switch_now(struct ik_agent *agent, const char *id, struct ik_conversation *copy)
{
	bool said = !copy && ik_resume_is_possible(agent->session);

	free(agent->before);
	agent->before = said
		? ik_format(_("The session before this one: /resume %s"), ik_session_id(agent->session))
		: NULL;
	ik_agent_session_changed(agent);
	(void)ik_agent_begin_session(agent);
	ik_screen_session_runs(agent->screen, id);
	ik_screen_close_side(agent->screen);
	ik_session_restore(agent->session,
		&(struct ik_restoring){ .id = id, .copy = copy, .done = ik_agent_restored, .arg = agent });
}

/* Switch an agent whose turn has ended, whether it is shown or not. */
static void try_switch(struct ik_agent *agent)
{
	if (!ik_agent_with(agent->chat, agent->switch_to))
		switch_now(agent, agent->switch_to, NULL);
}

static void on_cancel(struct ik_chat *chat, void *arg)
{
	struct ik_agent *agent = chat->agent; /* only the shown agent is asked */
	const char *id = arg;

	ik_chat_take_queue_back(chat);
	ik_session_cancel(agent->session);
	memcpy(agent->switch_to, id, sizeof(agent->switch_to));
	ik_agent_when_idle(agent, try_switch);
}

static bool is_busy(const struct ik_agent *agent, const void *arg)
{
	return ik_agent_works(agent);
}

static void ask_to_cancel(struct ik_chat *chat, const char *id)
{
	const struct ik_confirmation about = {
		.title = _("Something is under way in this session."),
		.hint = _("What has arrived is kept. Messages that wait come back into the editor."),
		.yes_key = 'c',
		.yes = _("Cancel it, and go on with the other"),
		.no_key = 's',
		.no = _("Stay here"),
		.would_stop = is_busy,
	};

	(void)ik_chat_confirm(chat, &about, on_cancel, ik_strdup(id));
}

/* Show the search's match in an agent's session, now or once the older messages are there;
 * return false if there is none. */
static bool show_place(struct ik_agent *agent)
{
	const struct ik_conversation *conversation = ik_session_conversation(agent->session);
	int64_t wanted = ik_screen_wanted_place(agent->screen);
	size_t i = ik_conversation_count(conversation);

	if (wanted == 0)
		return false;
	while (i > 0 && ik_conversation_at(conversation, i - 1)->sequence != wanted)
		i--;
	if (i > 0)
		ik_screen_show_place(agent->screen, ik_conversation_at(conversation, i - 1));
	return true;
}

void ik_chat_resume(struct ik_chat *chat, const char *id)
{
	struct ik_agent *agent;

	agent = ik_agent_with(chat, id);
	if (agent) {
		ik_screen_close_side(chat->screen);
		if (agent != chat->agent)
			ik_screen_move_place(agent->screen, chat->screen);
		if (!show_place(agent) && agent == chat->agent)
			ik_screen_flash(chat->screen, _("You are in this session"));
		ik_agent_show(agent);
	} else if (ik_session_busy(chat->core.session)) {
		ask_to_cancel(chat, id);
	} else {
		ik_chat_take_queue_back(chat); /* the held messages */
		switch_now(chat->agent, id, NULL);
	}
}

static void on_found(void *arg, const struct ik_store_answer *answer)
{
	struct ik_chat *chat = arg;
	char *words = chat->find_words;

	chat->find = NULL;
	chat->find_words = NULL;
	if (answer->status == IK_OK)
		ik_chat_resume(chat, answer->sessions[0].id);
	else if (answer->status == IK_INVALID)
		ik_sessions_pick(ik_screen_open_sessions(chat->screen), words);
	else
		ik_agent_say(chat->agent, IK_EVENT_ERROR, "%s", answer->error.text);
	free(words);
}

void ik_chat_resume_named(struct ik_chat *chat, const char *text)
{
	ik_chat_sessions_stop(chat);
	chat->find_words = ik_strdup(text);
	chat->find = ik_session_find(chat->core.store, text, false, on_found, chat);
}

void ik_chat_resume_fork(struct ik_chat *chat, const char *id, struct ik_conversation *copy)
{
	ik_chat_take_queue_back(chat); /* the held messages */
	switch_now(chat->agent, id, copy);
}

/* ---- deleting ---- */

/* A session that is being deleted. */
struct deletion {
	struct ik_chat *chat;
	char id[IK_UUID_TEXT];
	bool expired;           /* it has expired; the user didn't ask for it */
	struct ik_taken *taken; /* keeps others from writing to it meanwhile */
};

static void expire_next(struct ik_chat *chat);

static void end_deletion(struct deletion *deletion, const char *sentence)
{
	struct ik_chat *chat = deletion->chat;
	bool expired = deletion->expired;

	ik_taken_close(deletion->taken);
	free(deletion);
	if (expired)
		expire_next(chat);
	else
		ik_screen_flash(chat->screen, sentence);
}

static void on_deleted(void *arg, const struct ik_store_answer *answer)
{
	struct deletion *deletion = arg;
	const struct ik_agent *agent;

	for (agent = deletion->chat->agents; agent; agent = agent->next)
		ik_sessions_gone(ik_screen_sessions(agent->screen), deletion->id);
	if (answer->status == IK_OK)
		ik_undo_session_deleted(&deletion->chat->setup->places, deletion->id);
	end_deletion(deletion,
		answer->status == IK_OK ? _("The session is deleted") : answer->error.text);
}

static void on_taken(void *arg, const struct ik_error *error)
{
	struct deletion *deletion = arg;

	if (error)
		end_deletion(deletion, error->text);
	else
		(void)ik_store_delete(deletion->chat->core.store, deletion->id, on_deleted, deletion);
}

static void begin_deletion(struct ik_chat *chat, const char *id, bool expired)
{
	struct deletion *deletion = ik_alloc(sizeof(*deletion));

	deletion->chat = chat;
	deletion->expired = expired;
	memcpy(deletion->id, id, sizeof(deletion->id));
	deletion->taken = ik_take_session(chat->core.store, deletion->id, on_taken, deletion);
}

/* Delete the newest expired session, or skip it if an agent has it. */
static void on_old_session(void *arg, const struct ik_store_answer *answer)
{
	struct ik_chat *chat = arg;

	chat->old_read = NULL;
	if (answer->status != IK_OK || answer->count == 0)
		return;
	chat->old_ms = answer->sessions[0].updated_ms;
	memcpy(chat->old_id, answer->sessions[0].id, sizeof(chat->old_id));
	if (ik_agent_with(chat, chat->old_id))
		expire_next(chat);
	else
		begin_deletion(chat, chat->old_id, true);
}

static void expire_next(struct ik_chat *chat)
{
	chat->old_read = ik_store_list(chat->core.store, NULL, chat->old_ms, chat->old_id, 1,
		on_old_session, chat);
}

void ik_chat_expire_sessions(struct ik_chat *chat)
{
	int64_t days = chat->setup->config->keep_sessions_days;

	if (days == 0 || chat->options->resume)
		return;
	chat->old_ms = ik_clock_wall_ms() - days * 24 * 60 * 60 * 1000;
	memcpy(chat->old_id, "00000000-0000-0000-0000-000000000000", sizeof(chat->old_id));
	expire_next(chat);
}

/* Refuse to delete a session that is open in an agent; return false if none has it. */
static bool refuse_deletion(struct ik_chat *chat, const char *id)
{
	const struct ik_agent *agent = ik_agent_with(chat, id);

	if (agent && agent == chat->agent)
		ik_chat_flash(chat, _("You are in this session: /new first, then delete it"));
	else if (agent)
		ik_chat_flash(chat, _("Agent %d is in this session: /close %d first, then delete it"),
			agent->number, agent->number);
	return agent;
}

static void on_delete(struct ik_chat *chat, void *arg)
{
	const char *id = arg;

	/* An agent may have resumed it while the question was postponed. */
	if (!refuse_deletion(chat, id))
		begin_deletion(chat, id, false);
}

/* Append a name for the session now, since its row may be gone by the answer. */
static void name_session(const struct ik_session_row *row, struct ik_buf *out)
{
	ik_buf_init(out, IK_KIB(64));
	ik_sanitize_line(out, row->title, strlen(row->title));
	if (out->length == 0)
		ik_buf_puts(out, _("without a title"));
	ik_buf_puts(out, "\n");
	ik_sanitize_line(out, row->directory, strlen(row->directory));
}

void ik_chat_delete_session(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	const char *id = invocation->text;
	const struct ik_session_row *row = ik_sessions_selected(ik_screen_sessions(chat->screen));
	struct ik_confirmation about = {
		.title = _("Delete this session?"),
		.hint = _("Everything said in it is lost for good. To keep a copy, run ikigai session "
				  "export first."),
		.yes_key = 'd',
		.yes = _("Delete it"),
		.no_key = 'k',
		.no = _("Keep it"),
		.guarded = true,
	};
	struct ik_buf name;

	if (!row || refuse_deletion(chat, id))
		return;
	name_session(row, &name);
	about.text = name.data;
	(void)ik_chat_confirm(chat, &about, on_delete, ik_strdup(id));
	ik_buf_done(&name);
}
