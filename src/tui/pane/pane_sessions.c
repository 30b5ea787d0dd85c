#include "tui/pane/pane_sessions.h"

#include <stdlib.h>
#include <string.h>

#include "tui/pane/sessions_parts.h"
#include "tui/text/markdown.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define READ_AHEAD 50 /* rows under the selected one that are there before one gets to them */

/* Release what a row owns. */
static void row_done(struct ik_session_row *row)
{
	free((char *)row->title);
	free((char *)row->directory);
	free((char *)row->holder);
	free((char *)row->snippet);
}

/* Forget all rows. */
static void clear(struct ik_sessions *sessions)
{
	for (size_t i = 0; i < sessions->list.pane.count; i++)
		row_done(&sessions->rows[i]);
	sessions->list.pane.count = 0;
}

/* Free it. */
static void release(struct ik_pane *pane)
{
	struct ik_sessions *sessions = (struct ik_sessions *)pane;

	clear(sessions);
	free(sessions->rows);
	free(sessions->problem);
	ik_list_pane_done(&sessions->list);
	free(sessions);
}

const struct ik_session_row *ik_sessions_selected(const struct ik_sessions *sessions)
{
	return sessions->list.pane.selected < sessions->list.pane.count
		? &sessions->rows[sessions->list.pane.selected]
		: NULL;
}

/* Ask for the next page, or for the first one. */
static void ask(struct ik_sessions *sessions, bool anew)
{
	size_t count = sessions->list.pane.count;

	if (!sessions->source)
		return;
	if (sessions->said && sessions->list.words.length == 0) {
		clear(sessions);
		sessions->reading = false;
		sessions->all = true;
		return;
	}
	sessions->reading = true;
	sessions->anew = anew;
	if (sessions->said) {
		sessions->source->search(sessions->source_arg, sessions->list.words.data, sessions->here,
			sessions->list.filter, anew || count == 0);
		return;
	}
	sessions->source->list(sessions->source_arg, sessions->list.words.data, sessions->here,
		anew || count == 0 ? NULL : &sessions->rows[count - 1]);
}

void ik_sessions_open(struct ik_sessions *sessions, const char *words)
{
	/* What was written to choose one filters no list, nor is there a search without words. */
	if (!words && (sessions->picking || (sessions->said && sessions->list.words.length == 0)))
		words = "";
	sessions->picking = false;
	if (words) {
		sessions->said = false;
		ik_list_pane_set_words(&sessions->list, words);
	} else {
		ik_list_pane_keep(&sessions->list);
	}
	ask(sessions, true);
}

void ik_sessions_pick(struct ik_sessions *sessions, const char *words)
{
	ik_sessions_open(sessions, words);
	sessions->picking = true;
	ik_list_pane_write(&sessions->list);
}

void ik_sessions_search(struct ik_sessions *sessions, const char *words)
{
	sessions->picking = false;
	if (!sessions->said)
		clear(sessions);
	sessions->said = true;
	sessions->list.pane.selected = 0;
	ik_list_pane_set_words(&sessions->list, words);
	if (words[0] == '\0')
		ik_list_pane_write(&sessions->list);
	ask(sessions, true);
}

/* Take rows over, behind those that are there or in their place. */
static void take_rows(struct ik_sessions *sessions, const struct ik_session_row *rows, size_t count,
	int64_t now_ms, const char *problem)
{
	/* While more and more is found, who has gone nowhere stays with the newest. */
	const struct ik_session_row *selected = sessions->said && sessions->list.pane.selected == 0
		? NULL
		: ik_sessions_selected(sessions);
	char id[IK_UUID_TEXT] = "";
	int64_t sequence = selected ? selected->sequence : 0;

	if (selected)
		memcpy(id, selected->id, sizeof(id));
	if (sessions->anew)
		clear(sessions);
	sessions->reading = sessions->anew = false;
	sessions->now_ms = now_ms;
	free(sessions->problem);
	sessions->problem = problem ? ik_strdup(problem) : NULL;
	size_t first = sessions->list.pane.count;

	if (first + count > sessions->capacity) {
		sessions->capacity = 2 * (first + count);
		sessions->rows = ik_alloc_array(sessions->rows, sessions->capacity,
			sizeof(*sessions->rows));
	}
	if (first == 0)
		sessions->list.pane.selected = 0;
	for (size_t i = 0; i < count; i++) {
		struct ik_session_row *row = &sessions->rows[first + i];

		*row = rows[i];
		row->title = ik_strdup(rows[i].title);
		row->directory = ik_strdup(rows[i].directory);
		row->holder = rows[i].holder ? ik_strdup(rows[i].holder) : NULL;
		row->snippet = rows[i].snippet ? ik_strdup(rows[i].snippet) : NULL;
		if (first == 0 && row->sequence == sequence && ik_text_equal(row->id, id))
			sessions->list.pane.selected = i;
	}
	sessions->list.pane.count = first + count;
}

void ik_sessions_take(struct ik_sessions *sessions, const struct ik_session_row *rows, size_t count,
	int64_t now_ms, const char *problem)
{
	take_rows(sessions, rows, count, now_ms, problem);
	sessions->all = problem || count < IK_SESSIONS_PAGE;
}

void ik_sessions_take_found(struct ik_sessions *sessions, const struct ik_session_row *rows,
	size_t count, const struct ik_search_page *page, int64_t now_ms, const char *problem)
{
	sessions->anew = page->anew;
	take_rows(sessions, rows, count, now_ms, problem);
	sessions->percent = page->percent;
	sessions->all = problem || !page->more;
}

int64_t ik_sessions_place(const struct ik_sessions *sessions, struct ik_buf *out)
{
	const struct ik_session_row *row = ik_sessions_selected(sessions);
	size_t best = 0, start = 0;

	if (!row || row->sequence == 0)
		return 0;
	/* The longest is the one that says most. */
	for (size_t i = 0; i < row->mark_count; i++) {
		if (row->marks[i].length <= best)
			continue;
		start = row->marks[i].start;
		best = row->marks[i].length;
	}
	ik_buf_append(out, row->snippet + start, best);
	return row->sequence;
}

void ik_sessions_take_end(struct ik_sessions *sessions, const char *id,
	struct ik_message *const *messages, size_t count)
{
	struct ik_pane *pane = &sessions->list.pane;

	if (!ik_text_equal(sessions->ended, id))
		return;
	struct ik_scroll_place place = ik_pane_text_begin(pane);

	for (size_t i = 0; i < count; i++) {
		struct ik_block *block = ik_block_of_message(messages[i], pane->utf8);

		if (block && block->kind == IK_BLOCK_ASSISTANT)
			ik_block_set_renderer(block, &ik_renderer_markdown);
		if (block)
			ik_scrollback_add(pane->text, block);
	}
	ik_pane_text_end(pane, place, true);
}

void ik_sessions_want(struct ik_sessions *sessions)
{
	const struct ik_session_row *row = ik_sessions_selected(sessions);

	if (!sessions->source)
		return;
	if (!sessions->reading && !sessions->all &&
		sessions->list.pane.selected + READ_AHEAD >= sessions->list.pane.count)
		ask(sessions, false);
	if (!row || (ik_text_equal(row->id, sessions->ended) && row->sequence == sessions->ended_at))
		return;
	memcpy(sessions->ended, row->id, sizeof(sessions->ended));
	sessions->ended_at = row->sequence;
	sessions->list.pane.text_moved = false;
	ik_pane_text_end(&sessions->list.pane, ik_pane_text_begin(&sessions->list.pane), true);
	sessions->source->end(sessions->source_arg, row->id, row->sequence);
}

void ik_sessions_set_running(struct ik_sessions *sessions, const char *id)
{
	memcpy(sessions->running, id, strnlen(id, sizeof(sessions->running) - 1) + 1);
}

void ik_sessions_gone(struct ik_sessions *sessions, const char *id)
{
	struct ik_pane *pane = &sessions->list.pane;

	for (size_t i = pane->count; i-- > 0;) {
		struct ik_session_row *row = &sessions->rows[i];

		if (!ik_text_equal(row->id, id))
			continue;
		row_done(row);
		memmove(row, row + 1, (pane->count - i - 1) * sizeof(*row));
		pane->count--;
		if (pane->selected > i || (pane->selected == pane->count && pane->selected > 0))
			pane->selected--;
	}
}

/* Read the list anew; the filter stays as it was. */
static void open_pane(struct ik_pane *pane)
{
	ik_sessions_open((struct ik_sessions *)pane, NULL);
}

/* While a filter is written, characters are text. */
static unsigned context(const struct ik_pane *pane)
{
	return ((const struct ik_sessions *)pane)->list.filter ? IK_IN_PROMPT : IK_IN_SESSIONS;
}

bool ik_sessions_picks(const struct ik_sessions *sessions)
{
	return sessions->picking && sessions->list.filter;
}

/* Do something with the selected session. */
static enum ik_pane_result react(struct ik_sessions *sessions, enum ik_reaction_kind kind,
	struct ik_reaction *ret_reaction)
{
	const struct ik_session_row *row = ik_sessions_selected(sessions);

	if (row)
		*ret_reaction = ik_list_pane_react(&sessions->list, kind, row->id);
	return IK_PANE_TAKEN;
}

/* A key. */
static enum ik_pane_result key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action, struct ik_reaction *ret_reaction)
{
	struct ik_sessions *sessions = (struct ik_sessions *)pane;

	/* Nobody has seen yet which one would be taken while others are on their way. */
	if (ik_sessions_picks(sessions) && action == IK_ACTION_SEND && !sessions->reading)
		return react(sessions, IK_REACT_RESUME, ret_reaction);
	if (ik_sessions_picks(sessions) && action == IK_ACTION_CANCEL) {
		ik_list_pane_set_words(&sessions->list, "");
		return IK_PANE_PASSED;
	}
	enum ik_list_key what = ik_list_pane_key(&sessions->list, key, action);

	if (sessions->said && !sessions->list.filter && sessions->list.words.length == 0) {
		ik_sessions_open(sessions, ""); /* nothing is looked for any more */
		return IK_PANE_TAKEN;
	}
	switch (what) {
	case IK_LIST_FILTERED:
		if (sessions->said)
			sessions->list.pane.selected = 0; /* other words: from the newest place on */
		ask(sessions, true);
		return IK_PANE_TAKEN;
	case IK_LIST_TAKEN:
		return IK_PANE_TAKEN;
	case IK_LIST_PASSED:
		return IK_PANE_PASSED;
	case IK_LIST_OTHER:
		break;
	}
	switch (action) {
	case IK_ACTION_SEARCH_SESSIONS:
		ik_sessions_search(sessions, sessions->list.words.data);
		ik_list_pane_write(&sessions->list);
		return IK_PANE_TAKEN;
	case IK_ACTION_WHERE:
		sessions->here = !sessions->here;
		ask(sessions, true);
		return IK_PANE_TAKEN;
	case IK_ACTION_RESUME:
		return react(sessions, IK_REACT_RESUME, ret_reaction);
	case IK_ACTION_DELETE:
		return react(sessions, IK_REACT_DELETE_SESSION, ret_reaction);
	case IK_ACTION_COPY:
		return react(sessions, IK_REACT_COPY, ret_reaction);
	default:
		return IK_PANE_PASSED;
	}
}

/* clang-format off */
static const struct ik_pane_ops ops = {
	.toggle = IK_ACTION_SESSIONS, .open = open_pane, .context = context, .key = key,
	.act = ik_pane_act, .click = ik_list_pane_click, .scroll = ik_pane_scroll,
	.draw = ik_sessions_draw, .release = release,
};
/* clang-format on */

struct ik_sessions *ik_sessions_new(const struct ik_keymap *keymap, bool utf8,
	const struct ik_sessions_source *source, void *arg)
{
	struct ik_sessions *sessions = ik_alloc(sizeof(*sessions));

	ik_list_pane_init(&sessions->list, &ops, keymap, utf8);
	sessions->source = source;
	sessions->source_arg = arg;
	return sessions;
}

struct ik_pane *ik_sessions_pane(struct ik_sessions *sessions)
{
	return &sessions->list.pane;
}
