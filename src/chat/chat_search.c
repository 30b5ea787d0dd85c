#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/search_query.h"
#include "conversation/search_text.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

#define PAGE 50       /* places of an answer */
#define TYPING_MS 120 /* without another key: the words are searched */

_Static_assert(IK_ROW_MARKS == IK_SNIPPET_MARKS, "a row has the marks of a snippet");

struct ik_chat_search {
	struct ik_agent *agent;
	struct ik_timer *timer;     /* the words have to rest */
	struct ik_store_read *read; /* NULL: none is out */
	struct ik_search_query query;
	char *words;
	char *row; /* where the page before ended; NULL: there are no more */
	bool here, first;
};

/* Make the row of a place, with what stands around it. */
static void make_row(const struct ik_chat_search *search, const struct ik_session_info *info,
	const struct ik_message *message, struct ik_snippet *snippet, struct ik_session_row *ret_row)
{
	struct ik_session_row row = {
		.title = info->title,
		.directory = info->directory,
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

static void take_page(void *arg, const struct ik_store_answer *answer)
{
	struct ik_chat_search *search = arg;
	struct ik_search_page page = { .anew = search->first, .more = answer->row };
	bool found = answer->status == IK_OK;
	struct ik_session_row rows[PAGE];
	struct ik_snippet snippets[PAGE];
	size_t count = 0;

	search->read = NULL;
	for (; found && count < answer->count && count < PAGE; count++)
		make_row(search, &answer->sessions[count], answer->messages[count], &snippets[count],
			&rows[count]);
	if (found) {
		free(search->row);
		search->row = answer->row ? ik_strdup(answer->row) : NULL;
	}
	ik_sessions_take_found(ik_screen_sessions(search->agent->screen), rows, count, &page,
		ik_clock_wall_ms(), found ? NULL : answer->error.text);
	while (count > 0)
		ik_snippet_done(&snippets[--count]);
}

/* The words have rested. */
static void on_timer(void *arg)
{
	struct ik_chat_search *search = arg;
	struct ik_chat *chat = search->agent->chat;

	search->read = ik_store_search(chat->core.store, search->words,
		search->here ? chat->setup->places.directory : NULL, search->first ? NULL : search->row,
		PAGE, take_page, search);
}

/* Have one, at rest. */
static struct ik_chat_search *have(struct ik_agent *agent)
{
	if (!agent->search) {
		agent->search = ik_alloc(sizeof(*agent->search));
		agent->search->agent = agent;
		agent->search->timer = ik_timer_new(agent->chat->loop, on_timer, agent->search);
	}
	ik_chat_search_stop(agent);
	return agent->search;
}

void ik_chat_search_ask(struct ik_agent *agent, const char *words, bool here, bool writing,
	bool first)
{
	const struct ik_search_page nothing = { .anew = true };
	struct ik_chat_search *search;
	struct ik_error error;

	if (!agent->chat->core_started)
		return;
	search = have(agent);
	free(search->words);
	search->words = ik_strdup(words);
	search->here = here;
	search->first = first;
	if (ik_search_query_read(&search->query, words, strlen(words), &error) != IK_OK)
		ik_sessions_take_found(ik_screen_sessions(agent->screen), NULL, 0, &nothing,
			ik_clock_wall_ms(), error.text);
	else
		ik_timer_start(search->timer, first && writing ? TYPING_MS : 0);
}

void ik_chat_search_stop(struct ik_agent *agent)
{
	struct ik_chat_search *search = agent->search;

	if (!search)
		return;
	search->read = ik_store_read_close(search->read);
	ik_timer_stop(search->timer);
}

struct ik_chat_search *ik_chat_search_free(struct ik_chat_search *search)
{
	if (!search)
		return NULL;
	ik_chat_search_stop(search->agent);
	search->timer = ik_timer_close(search->timer);
	free(search->words);
	free(search->row);
	free(search);
	return NULL;
}
