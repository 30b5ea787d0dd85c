/* The data of the pane of sessions: pages of the list, searches, the end of a session. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "commands/session_find.h"
#include "store/lock.h"
#include "util/clock.h"

#define END_MESSAGES 30 /* of a session whose end is shown */

static void take_list(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session_row rows[IK_SESSIONS_PAGE] = { { .sequence = 0 } };
	struct ik_agent *agent = arg;
	size_t i;

	agent->list_read = NULL;
	for (i = 0; i < answer->count && i < IK_SESSIONS_PAGE; i++) {
		const struct ik_session_info *info = &answer->sessions[i];

		memcpy(rows[i].id, info->id, sizeof(rows[i].id));
		rows[i].title = info->title;
		rows[i].directory = info->directory;
		rows[i].updated_ms = info->updated_ms;
		rows[i].messages = info->event_count;
		rows[i].holder = info->holder.pid != 0 && !ik_holder_is_self(&info->holder)
			? info->holder.host
			: NULL;
	}
	ik_sessions_take(ik_screen_sessions(agent->screen), rows, i, ik_clock_wall_ms(),
		answer->status == IK_OK ? NULL : answer->error.text);
}

static void ask_list(void *arg, const char *words, bool here, const struct ik_session_row *last)
{
	struct ik_agent *agent = arg;
	struct ik_chat *chat = agent->chat;
	const struct ik_session_choice choice = {
		.words = words,
		.directory = here ? chat->setup->places.directory : NULL,
	};

	agent->list_read = ik_store_read_close(agent->list_read);
	ik_chat_search_stop(agent);
	if (!chat->core_started)
		return;
	agent->list_read = ik_store_list(chat->core.store, &choice, last ? last->updated_ms : 0,
		last ? last->id : "", IK_SESSIONS_PAGE, take_list, agent);
}

static void take_end(void *arg, const struct ik_store_answer *answer)
{
	struct ik_agent *agent = arg;

	agent->end_read = NULL;
	ik_sessions_take_end(ik_screen_sessions(agent->screen), agent->end_of, answer->messages,
		answer->count);
}

static void ask_found(void *arg, const char *words, bool here, bool writing, bool first)
{
	struct ik_agent *agent = arg;

	agent->list_read = ik_store_read_close(agent->list_read);
	ik_chat_search_ask(agent, words, here, writing, first);
}

static void ask_end(void *arg, const char *id, int64_t sequence)
{
	struct ik_agent *agent = arg;
	struct ik_chat *chat = agent->chat;

	agent->end_read = ik_store_read_close(agent->end_read);
	if (!chat->core_started)
		return;
	memcpy(agent->end_of, id, sizeof(agent->end_of));
	agent->end_read = ik_store_page(chat->core.store, id, sequence > 0 ? sequence + 1 : 0,
		END_MESSAGES, take_end, agent);
}

const struct ik_sessions_source ik_chat_sessions_source = {
	.list = ask_list,
	.search = ask_found,
	.end = ask_end,
};

void ik_chat_sessions_stop(struct ik_chat *chat)
{
	chat->find = ik_session_find_close(chat->find);
	free(chat->find_words);
	chat->find_words = NULL;
}

void ik_chat_sessions_done(struct ik_agent *agent)
{
	agent->list_read = ik_store_read_close(agent->list_read);
	agent->end_read = ik_store_read_close(agent->end_read);
	agent->children = ik_chat_children_free(agent->children);
	agent->search = ik_chat_search_free(agent->search);
	agent->idle_timer = ik_timer_close(agent->idle_timer);
	free(agent->before);
	agent->before = NULL;
	ik_chat_lock_done(agent);
}
