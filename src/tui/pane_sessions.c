#include "tui/pane_sessions.h"

#include <stdlib.h>
#include <string.h>

#include "tui/markdown.h"
#include "tui/sessions_parts.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define READ_AHEAD 50 /* rows under the selected one that are there before one gets to them */

struct ik_sessions *ik_sessions_new(const struct ik_keymap *keymap, bool utf8,
	const struct ik_sessions_source *source, void *arg)
{
	struct ik_sessions *sessions = ik_alloc(sizeof *sessions);
	ik_pane_init(&sessions->pane, keymap, utf8);
	sessions->source = source;
	sessions->source_arg = arg;
	sessions->words = ik_strdup("");
	ik_buf_init(&sessions->wish, IK_KIB(4));
	return sessions;
}

/* Forget all rows. */
static void clear(struct ik_sessions *sessions)
{
	for (size_t i = 0; i < sessions->pane.count; i++) {
		free((char *)sessions->rows[i].title);
		free((char *)sessions->rows[i].directory);
	}
	sessions->pane.count = 0;
}

struct ik_sessions *ik_sessions_free(struct ik_sessions *sessions)
{
	if (!sessions)
		return NULL;
	clear(sessions);
	free(sessions->rows);
	free(sessions->words);
	free(sessions->problem);
	ik_editor_free(sessions->filter);
	ik_buf_done(&sessions->wish);
	ik_pane_done(&sessions->pane);
	free(sessions);
	return NULL;
}

const struct ik_session_row *ik_sessions_selected(const struct ik_sessions *sessions)
{
	return sessions->pane.selected < sessions->pane.count
		? &sessions->rows[sessions->pane.selected] : NULL;
}

/* Ask for the next page, or for the first one. */
static void ask(struct ik_sessions *sessions, bool anew)
{
	size_t count = sessions->pane.count;
	if (!sessions->source)
		return;
	sessions->reading = true;
	sessions->anew = anew;
	sessions->source->list(sessions->source_arg, sessions->words, sessions->here,
		anew || count == 0 ? NULL : &sessions->rows[count - 1]);
}

void ik_sessions_open(struct ik_sessions *sessions, const char *words)
{
	if (words) {
		char *copy = ik_strdup(words);
		free(sessions->words);
		sessions->words = copy;
		sessions->filter = ik_editor_free(sessions->filter);
	}
	ask(sessions, true);
}

void ik_sessions_take(struct ik_sessions *sessions, const struct ik_session_row *rows, size_t count,
	int64_t now_ms, const char *problem)
{
	const struct ik_session_row *selected = ik_sessions_selected(sessions);
	char id[IK_UUID_TEXT] = "";
	if (selected)
		memcpy(id, selected->id, sizeof id);
	if (sessions->anew)
		clear(sessions);
	sessions->reading = sessions->anew = false;
	sessions->now_ms = now_ms;
	sessions->all = problem || count < IK_SESSIONS_PAGE;
	free(sessions->problem);
	sessions->problem = problem ? ik_strdup(problem) : NULL;
	size_t first = sessions->pane.count;
	if (first + count > sessions->capacity) {
		sessions->capacity = 2 * (first + count);
		sessions->rows = ik_alloc_array(sessions->rows, sessions->capacity,
			sizeof *sessions->rows);
	}
	if (first == 0)
		sessions->pane.selected = 0;
	for (size_t i = 0; i < count; i++) {
		struct ik_session_row *row = &sessions->rows[first + i];
		*row = rows[i];
		row->title = ik_strdup(rows[i].title);
		row->directory = ik_strdup(rows[i].directory);
		if (first == 0 && ik_text_equal(row->id, id))
			sessions->pane.selected = i;
	}
	sessions->pane.count = first + count;
}

void ik_sessions_take_end(struct ik_sessions *sessions, const char *id,
	struct ik_message *const *messages, size_t count)
{
	struct ik_pane *pane = &sessions->pane;
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
	if (!sessions->reading && !sessions->all
		&& sessions->pane.selected + READ_AHEAD >= sessions->pane.count)
		ask(sessions, false);
	if (!row || ik_text_equal(row->id, sessions->ended))
		return;
	memcpy(sessions->ended, row->id, sizeof sessions->ended);
	sessions->pane.text_moved = false;
	ik_pane_text_end(&sessions->pane, ik_pane_text_begin(&sessions->pane), true);
	sessions->source->end(sessions->source_arg, row->id);
}

void ik_sessions_set_running(struct ik_sessions *sessions, const char *id)
{
	memcpy(sessions->running, id, strnlen(id, sizeof sessions->running - 1) + 1);
}

void ik_sessions_gone(struct ik_sessions *sessions, const char *id)
{
	struct ik_pane *pane = &sessions->pane;
	for (size_t i = 0; i < pane->count; i++) {
		struct ik_session_row *row = &sessions->rows[i];
		if (!ik_text_equal(row->id, id))
			continue;
		free((char *)row->title);
		free((char *)row->directory);
		memmove(row, row + 1, (pane->count - i - 1) * sizeof *row);
		pane->count--;
		if (pane->selected > i || (pane->selected == pane->count && pane->selected > 0))
			pane->selected--;
		return;
	}
}

bool ik_sessions_writing(const struct ik_sessions *sessions)
{
	return sessions->filter != NULL;
}

bool ik_sessions_act(struct ik_sessions *sessions, enum ik_action action)
{
	return ik_pane_act(&sessions->pane, action);
}

void ik_sessions_click(struct ik_sessions *sessions, int row)
{
	(void)ik_pane_click(&sessions->pane, row);
}

void ik_sessions_scroll(struct ik_sessions *sessions, int rows)
{
	ik_scrollback_scroll(sessions->pane.text, rows);
	sessions->pane.text_moved = true;
}

/* The filter is another one: the list is read anew, from its start. */
static void set_words(struct ik_sessions *sessions, const char *words)
{
	if (ik_text_equal(words, sessions->words))
		return;
	char *copy = ik_strdup(words);
	free(sessions->words);
	sessions->words = copy;
	ask(sessions, true);
}

/* A key while the filter is written. */
static bool filter_key(struct ik_sessions *sessions, const struct ik_key *key,
	enum ik_action action)
{
	char bytes[4];
	int length;
	size_t ignored;
	switch (action) {
	case IK_ACTION_CANCEL:
		sessions->filter = ik_editor_free(sessions->filter);
		set_words(sessions, "");
		return true;
	case IK_ACTION_SEND:
		sessions->filter = ik_editor_free(sessions->filter);
		return true;
	case IK_ACTION_NEW_LINE:
		return true;
	case IK_ACTION_NONE:
		length = key->code == IK_KEY_CHARACTER ? ik_utf8_encode(key->codepoint, bytes) : 0;
		if (key->code == IK_KEY_PASTE && !key->text_cut)
			(void)ik_editor_insert(sessions->filter, key->text, key->text_length);
		else if (length > 0 && !(key->modifiers & (IK_ALT | IK_CONTROL)))
			(void)ik_editor_insert(sessions->filter, bytes, (size_t)length);
		break;
	default:
		if (ik_sessions_act(sessions, action))
			return true;
		if (!ik_editor_act(sessions->filter, action))
			return false;
		break;
	}
	set_words(sessions, ik_editor_text(sessions->filter, &ignored));
	return true;
}

/* A wish that concerns the selected session. */
static struct ik_pane_wish wish(struct ik_sessions *sessions, enum ik_pane_wish_kind kind)
{
	const struct ik_session_row *row = ik_sessions_selected(sessions);
	if (!row)
		return (struct ik_pane_wish){.kind = IK_WISH_NONE};
	ik_buf_clear(&sessions->wish);
	ik_buf_puts(&sessions->wish, row->id);
	return (struct ik_pane_wish){kind, sessions->wish.data, sessions->wish.length};
}

bool ik_sessions_key(struct ik_sessions *sessions, const struct ik_key *key, enum ik_action action,
	struct ik_pane_wish *ret_wish)
{
	*ret_wish = (struct ik_pane_wish){.kind = IK_WISH_NONE};
	if (sessions->filter)
		return filter_key(sessions, key, action);
	switch (action) {
	case IK_ACTION_FILTER:
		sessions->filter = ik_editor_new(NULL);
		ik_editor_set(sessions->filter, sessions->words, strlen(sessions->words));
		return true;
	case IK_ACTION_CANCEL:
		if (!sessions->words[0])
			return false;
		set_words(sessions, "");
		return true;
	case IK_ACTION_WHERE:
		sessions->here = !sessions->here;
		ask(sessions, true);
		return true;
	case IK_ACTION_RESUME:
		*ret_wish = wish(sessions, IK_WISH_RESUME);
		return true;
	case IK_ACTION_DELETE:
		*ret_wish = wish(sessions, IK_WISH_DELETE);
		return true;
	case IK_ACTION_COPY:
		*ret_wish = wish(sessions, IK_WISH_COPY);
		return true;
	default:
		return false;
	}
}
