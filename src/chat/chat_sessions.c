/* The data of the sessions pane: pages of the list, searches, the end of a session. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "commands/stored_session.h"
#include "conversation/search_query.h"
#include "conversation/search_text.h"
#include "store/lock.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

#define END_MESSAGES 30 /* number of messages shown from a session's end */

/* ---- search in all sessions ---- */

#define PLACES 50     /* limit of an answer */
#define TYPING_MS 120 /* pause in typing before the words are searched */

_Static_assert(IK_ROW_MARKS == IK_SNIPPET_MARKS, "a row has the marks of a snippet");

struct ik_chat_search {
	struct ik_agent *agent;
	struct ik_timer *timer;     /* runs until typing pauses */
	struct ik_store_read *read; /* the read under way, or NULL */
	struct ik_search_query query;
	char *words;
	char *row; /* where the last page ended; NULL if there are no more */
	enum ik_sessions_scope scope;
	bool first;
};

/* Return the filter for a list or a search; borrows words. */
static struct ik_session_choice choice_of(const struct ik_chat *chat, const char *words,
	enum ik_sessions_scope scope)
{
	return (struct ik_session_choice){
		.words = words,
		.directory = scope == IK_SESSIONS_HERE ? chat->setup->places.directory : NULL,
		.everybody = scope == IK_SESSIONS_EVERYBODY,
	};
}

/* Make the row of a match, with the text around it. */
static void make_row(const struct ik_chat_search *search, const struct ik_session_info *info,
	const struct ik_message *message, struct ik_snippet *snippet, struct ik_session_row *ret_row)
{
	struct ik_session_row row = {
		.title = info->title,
		.directory = info->directory,
		.owner = info->owner,
		.updated_ms = message->time_ms,
		.messages = info->event_count,
		.sequence = message->sequence,
	};
	struct ik_buf text;

	memcpy(row.id, info->id, sizeof(row.id));
	ik_buf_init(&text, SIZE_MAX / 2);
	ik_search_text(&text, message);
	(void)ik_snippet_make(snippet, &search->query, text.data, text.length);
	ik_buf_done(&text);
	row.snippet = snippet->line.data;
	row.mark_count = snippet->count;
	for (size_t i = 0; i < snippet->count; i++) {
		row.marks[i].start = snippet->marks[i].start;
		row.marks[i].length = snippet->marks[i].length;
	}
	*ret_row = row;
}

static void take_places(void *arg, const struct ik_store_answer *answer)
{
	struct ik_chat_search *search = arg;
	bool found = answer->status == IK_OK;
	struct ik_session_row rows[PLACES];
	struct ik_snippet snippets[PLACES];
	size_t count = 0;

	search->read = NULL;
	for (; found && count < answer->count && count < PLACES; count++)
		make_row(search, &answer->sessions[count], answer->messages[count], &snippets[count],
			&rows[count]);
	if (found) {
		free(search->row);
		search->row = answer->row ? ik_strdup(answer->row) : NULL;
	}
	ik_sessions_take(ik_screen_sessions(search->agent->screen), rows, count, answer->row,
		ik_clock_wall_ms(), found ? NULL : answer->error.text);
	while (count > 0)
		ik_snippet_done(&snippets[--count]);
}

/* Search, because typing has paused. */
static void on_timer(void *arg)
{
	struct ik_chat_search *search = arg;
	struct ik_chat *chat = search->agent->chat;
	const struct ik_session_choice choice = choice_of(chat, search->words, search->scope);

	search->read = ik_store_search(chat->core.store, &choice, search->first ? NULL : search->row,
		PLACES, take_places, search);
}

static void stop_search(struct ik_agent *agent)
{
	struct ik_chat_search *search = agent->search;

	if (!search)
		return;
	search->read = ik_store_read_close(search->read);
	ik_timer_stop(search->timer);
}

/* Return the agent's search, stopped; create it if needed. */
static struct ik_chat_search *have(struct ik_agent *agent)
{
	if (!agent->search) {
		agent->search = ik_alloc(sizeof(*agent->search));
		agent->search->agent = agent;
		agent->search->timer = ik_timer_new(agent->chat->loop, on_timer, agent->search);
	}
	stop_search(agent);
	return agent->search;
}

/* Search all sessions, as struct ik_sessions_source describes: shortly after typing pauses, and
 * again by itself while there are more results. */
static void ask_found(void *arg, const char *words, enum ik_sessions_scope scope, bool writing,
	bool first)
{
	struct ik_agent *agent = arg;
	struct ik_chat_search *search;
	struct ik_error error;

	agent->list_read = ik_store_read_close(agent->list_read);
	search = have(agent);
	free(search->words);
	search->words = ik_strdup(words);
	search->scope = scope;
	search->first = first;
	if (ik_search_query_read(&search->query, words, strlen(words), &error) != IK_OK)
		ik_sessions_take(ik_screen_sessions(agent->screen), NULL, 0, false, ik_clock_wall_ms(),
			error.text);
	else
		ik_timer_start(search->timer, first && writing ? TYPING_MS : 0);
}

static struct ik_chat_search *search_free(struct ik_chat_search *search)
{
	if (!search)
		return NULL;
	stop_search(search->agent);
	search->timer = ik_timer_close(search->timer);
	free(search->words);
	free(search->row);
	free(search);
	return NULL;
}

/* ---- the list ---- */

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
		rows[i].owner = info->owner;
		rows[i].updated_ms = info->updated_ms;
		rows[i].messages = info->event_count;
		rows[i].holder = info->holder.pid != 0 && !ik_holder_is_self(&info->holder)
			? info->holder.host
			: NULL;
	}
	ik_sessions_take(ik_screen_sessions(agent->screen), rows, i, i == IK_SESSIONS_PAGE,
		ik_clock_wall_ms(), answer->status == IK_OK ? NULL : answer->error.text);
}

static void ask_list(void *arg, const char *words, enum ik_sessions_scope scope,
	const struct ik_session_row *last)
{
	struct ik_agent *agent = arg;
	struct ik_chat *chat = agent->chat;
	const struct ik_session_choice choice = choice_of(chat, words, scope);

	agent->list_read = ik_store_read_close(agent->list_read);
	stop_search(agent);
	ik_sessions_set_shared(ik_screen_sessions(agent->screen),
		ik_text_equal(ik_store_name(chat->core.store), "postgresql"));
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

static void ask_end(void *arg, const char *id, int64_t sequence)
{
	struct ik_agent *agent = arg;
	struct ik_chat *chat = agent->chat;

	agent->end_read = ik_store_read_close(agent->end_read);
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
	chat->old_read = ik_store_read_close(chat->old_read);
	free(chat->find_words);
	chat->find_words = NULL;
}

void ik_chat_sessions_done(struct ik_agent *agent)
{
	agent->list_read = ik_store_read_close(agent->list_read);
	agent->end_read = ik_store_read_close(agent->end_read);
	agent->children = ik_chat_children_free(agent->children);
	agent->search = search_free(agent->search);
	agent->idle_timer = ik_timer_close(agent->idle_timer);
	free(agent->before);
	agent->before = NULL;
	ik_chat_lock_done(agent);
}
