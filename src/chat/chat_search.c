#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/search_query.h"
#include "conversation/search_text.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

#define PAGE 50
#define TYPING_MS 120 /* without another key: the words are searched */
#define SLICE_US 4000 /* of a loop turn, for snippets */

_Static_assert(IK_ROW_MARKS == IK_SNIPPET_MARKS, "a row has the marks of a snippet");

/* A place whose row has yet to be made. */
struct chat_search_found {
	struct ik_message *message;
	struct ik_session_row row;
	struct ik_snippet snippet;
};

struct ik_chat_search {
	struct ik_agent *agent;
	struct ik_timer *timer;     /* the words have to rest; more snippets are to be made */
	struct ik_store_read *read; /* NULL: none is out */
	struct ik_search_query query;
	char *words;
	char *row; /* where the page before ended; NULL: there are no more */
	bool here, first;
	struct ik_search_page page; /* that is being made */
	struct chat_search_found found[PAGE];
	size_t count, made;
};

/* Forget the page that is being made. */
static void forget_page(struct ik_chat_search *search)
{
	size_t i;

	for (i = 0; i < search->count; i++) {
		ik_message_unref(search->found[i].message);
		free((char *)search->found[i].row.title);
		free((char *)search->found[i].row.directory);
		if (i < search->made)
			ik_snippet_done(&search->found[i].snippet);
	}
	search->count = search->made = 0;
}

/* Keep a place of the answer. */
static void keep(struct chat_search_found *found, const struct ik_session_info *info,
	struct ik_message *message)
{
	*found = (struct chat_search_found){ .message = ik_message_ref(message) };
	memcpy(found->row.id, info->id, sizeof(found->row.id));
	found->row.title = ik_strdup(info->title);
	found->row.directory = ik_strdup(info->directory);
	found->row.updated_ms = message->time_ms;
	found->row.messages = info->event_count;
	found->row.sequence = message->sequence;
}

/* What stands around the place. */
static void make_snippet(const struct ik_chat_search *search, struct chat_search_found *found)
{
	struct ik_buf text;
	size_t i;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_search_text(&text, found->message);
	(void)ik_snippet_make(&found->snippet, &search->query, text.data, text.length);
	ik_buf_done(&text);
	found->row.snippet = found->snippet.line.data;
	for (i = 0; i < found->snippet.count; i++) {
		found->row.marks[i].start = found->snippet.marks[i].start;
		found->row.marks[i].length = found->snippet.marks[i].length;
	}
	found->row.mark_count = found->snippet.count;
}

/* All snippets are there. */
static void hand_over(struct ik_chat_search *search)
{
	struct ik_session_row rows[PAGE];
	size_t i;

	for (i = 0; i < search->count; i++)
		rows[i] = search->found[i].row;
	ik_sessions_take_found(ik_screen_sessions(search->agent->screen), rows, search->count,
		&search->page, ik_clock_wall_ms(), NULL);
	forget_page(search);
}

/* Make snippets for some milliseconds. */
static void make_some(struct ik_chat_search *search)
{
	int64_t began = ik_clock_us();

	while (search->made < search->count && ik_clock_us() - began < SLICE_US)
		make_snippet(search, &search->found[search->made++]);
	if (search->made < search->count)
		ik_timer_start(search->timer, 0);
	else
		hand_over(search);
}

static void take_page(void *arg, const struct ik_store_answer *answer)
{
	struct ik_chat_search *search = arg;
	size_t i;

	search->read = NULL;
	search->page = (struct ik_search_page){ .anew = search->first, .percent = 100 };
	if (answer->status != IK_OK) {
		ik_sessions_take_found(ik_screen_sessions(search->agent->screen), NULL, 0, &search->page,
			ik_clock_wall_ms(), answer->error.text);
		return;
	}
	search->page.more = answer->row;
	free(search->row);
	search->row = answer->row ? ik_strdup(answer->row) : NULL;
	for (i = 0; i < answer->count && i < PAGE; i++)
		keep(&search->found[i], &answer->sessions[i], answer->messages[i]);
	search->count = i;
	make_some(search);
}

/* The words have rested, or there are snippets to be made. */
static void on_timer(void *arg)
{
	struct ik_chat_search *search = arg;
	struct ik_chat *chat = search->agent->chat;

	if (search->count > 0) {
		make_some(search);
		return;
	}
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
	const struct ik_search_page nothing = { .anew = true, .percent = 100 };
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
	forget_page(search);
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
