/* Searching the history: the part of the screen that shows it in the editor's place. */
#include "tui/screen/screen_private.h"

#include <stdlib.h>
#include <string.h>

#include "tui/edit/history_search.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

struct ik_history_view {
	struct ik_history_search search;
	struct ik_editor *editor; /* shows what was found */
};

struct ik_editor *ik_screen_front_editor(const struct ik_screen *screen)
{
	return screen->history_view ? screen->history_view->editor : screen->editor;
}

void ik_screen_history_close(struct ik_screen *screen)
{
	struct ik_history_view *view = screen->history_view;

	if (!view)
		return;
	ik_history_search_done(&view->search);
	ik_editor_free(view->editor);
	free(view);
	screen->history_view = NULL;
	screen->dirty = true;
}

static void open_view(struct ik_screen *screen)
{
	struct ik_history_view *view = ik_alloc(sizeof(*view));

	ik_history_search_init(&view->search, screen->history);
	view->editor = ik_editor_new(NULL);
	screen->history_view = view;
	ik_screen_set_focus(screen, IK_FOCUS_EDITOR);
	ik_popup_close(screen->popup);
}

/* Show what was found, with what was looked for in it marked. */
static void show_found(struct ik_history_view *view)
{
	const struct ik_history_search *search = &view->search;
	size_t length = 0;
	const char *text = search->found ? ik_history_at(search->history, search->index, &length) : "";

	ik_editor_set(view->editor, text, length);
	if (search->found)
		ik_editor_select(view->editor, search->position + search->length, search->position);
}

/* What was found becomes the text; what was there is a step of undo away. */
static void take(struct ik_screen *screen)
{
	const struct ik_history_search *search = &screen->history_view->search;
	size_t length, position = search->position;
	bool found = search->found;
	const char *text = ik_editor_text(screen->history_view->editor, &length);

	if (found) {
		ik_editor_set(screen->editor, text, length);
		ik_editor_select(screen->editor, position, position);
	}
	ik_screen_history_close(screen);
}

/* A character, or a text that is pasted, is what is looked for. */
static bool type(struct ik_history_view *view, const struct ik_key *key)
{
	char bytes[4];
	int length;

	if (key->code == IK_KEY_PASTE && !key->text_cut) {
		ik_history_search_type(&view->search, key->text, key->text_length);
		return true;
	}
	if (key->code != IK_KEY_CHARACTER || (key->modifiers & (IK_ALT | IK_CONTROL)))
		return false;
	length = ik_utf8_encode(key->codepoint, bytes);
	ik_history_search_type(&view->search, bytes, (size_t)length);
	return true;
}

/* Is it Ctrl-G, by which Emacs and shells leave a search? */
static bool is_leave(const struct ik_key *key)
{
	return key->code == IK_KEY_CHARACTER && key->modifiers == IK_CONTROL &&
		(key->codepoint | 0x20) == 'g';
}

bool ik_screen_history_key(struct ik_screen *screen, enum ik_action action,
	const struct ik_key *key)
{
	struct ik_history_view *view = screen->history_view;

	if (!view && action != IK_ACTION_HISTORY_SEARCH)
		return false;
	screen->dirty = true;
	if (!view) {
		open_view(screen);
		return true;
	}
	switch (action) {
	case IK_ACTION_HISTORY_SEARCH:
	case IK_ACTION_HISTORY_OLDER:
	case IK_ACTION_UP:
		ik_history_search_move(&view->search, 1);
		break;
	case IK_ACTION_HISTORY_NEWER:
	case IK_ACTION_DOWN:
		ik_history_search_move(&view->search, -1);
		break;
	case IK_ACTION_DELETE_LEFT:
		ik_history_search_erase(&view->search);
		break;
	case IK_ACTION_CANCEL:
	case IK_ACTION_INTERRUPT:
		ik_screen_history_close(screen);
		return true;
	case IK_ACTION_SEND:
	case IK_ACTION_COMPLETE:
		take(screen);
		return true;
	default:
		if (is_leave(key)) {
			ik_screen_history_close(screen);
			return true;
		}
		if (action != IK_ACTION_NONE) {
			take(screen); /* and what the key means is done to it */
			return false;
		}
		if (!type(view, key))
			return true;
		break;
	}
	show_found(view);
	return true;
}

bool ik_screen_history_open(const struct ik_screen *screen, bool *ret_failed)
{
	*ret_failed = screen->history_view && screen->history_view->search.failed;
	return screen->history_view;
}

bool ik_screen_history_label(const struct ik_screen *screen, struct ik_buf *out)
{
	const struct ik_history_search *search;
	struct ik_buf query;

	if (!screen->history_view)
		return false;
	search = &screen->history_view->search;
	ik_buf_init(&query, IK_KIB(64));
	ik_sanitize_line(&query, search->query.data, search->query.length);
	if (search->failed)
		ik_buf_printf(out, _(" not found in what was sent: %s "), query.data);
	else
		ik_buf_printf(out, _(" search what was sent: %s "), query.data);
	ik_buf_done(&query);
	return true;
}
