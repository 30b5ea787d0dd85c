#include "tui/screen/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "tui/edit/history.h"
#include "tui/edit/history_search.h"
#include "tui/screen/popup.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

/* The history while it is searched. */
struct ik_history_view {
	struct ik_history_search search;
	struct ik_editor *editor; /* shows what was found */
};

struct ik_prompt {
	struct ik_history *history;
	struct ik_editor *editor;
	ik_completer *completer; /* NULL: nothing is completed */
	void *completer_arg;
	struct ik_popup *popup;
	bool popup_asked;  /* the user asked for the candidates */
	bool preselect;    /* select the first of candidates that come by themselves */
	bool recalled;     /* the text is from the history: suggest nothing */
	bool refused_word; /* the popup was closed over the word that begins at refused_start */
	size_t refused_start;
	struct ik_history_view *history_view; /* NULL: the history is not being searched */
};

struct ik_prompt *ik_prompt_new(const struct ik_keymap *keymap, const char *history_path,
	bool preselect)
{
	struct ik_prompt *prompt = ik_alloc(sizeof(*prompt));

	prompt->history = ik_history_new(history_path);
	prompt->editor = ik_editor_new(prompt->history);
	prompt->popup = ik_popup_new(keymap);
	prompt->preselect = preselect;
	return prompt;
}

void ik_prompt_on_complete(struct ik_prompt *prompt, ik_completer *completer, void *arg)
{
	prompt->completer = completer;
	prompt->completer_arg = arg;
}

/* Ask what the word at the cursor may become; asked: by the person. */
static void query(struct ik_prompt *prompt, bool asked)
{
	struct ik_completions completions = { .asked = asked };
	size_t length, start, end;
	const char *text = ik_editor_text(prompt->editor, &length);
	bool wanted = prompt->completer && !ik_editor_selection(prompt->editor, &start, &end) &&
		prompt->completer(prompt->completer_arg, text, ik_editor_cursor(prompt->editor),
			&completions);

	if (!wanted ||
		(!asked &&
			(completions.on_demand || prompt->recalled ||
				(prompt->refused_word && completions.start == prompt->refused_start)))) {
		ik_popup_close(prompt->popup);
		return;
	}
	prompt->popup_asked = asked;
	prompt->refused_word = false;
	/* In the midst of a word it is not known what that is to be. */
	size_t cursor = ik_editor_cursor(prompt->editor);
	bool whole = cursor == length || strchr(" \t\n", text[cursor]);
	ik_popup_show(prompt->popup, &completions, whole && prompt->preselect);
}

/* Is the only candidate what stands there already? */
static bool is_whole(const struct ik_prompt *prompt)
{
	const struct ik_completions *shown = ik_popup_completions(prompt->popup);
	size_t count;
	const uint32_t *matches = ik_popup_matches(prompt->popup, &count);

	return count == 1 && !shown->note &&
		strcmp(shown->candidates[matches[0]].text, shown->typed) == 0;
}

void ik_prompt_update(struct ik_prompt *prompt)
{
	size_t length;
	bool was_open = ik_popup_is_open(prompt->popup);

	(void)ik_editor_text(prompt->editor, &length);
	if (length == 0)
		prompt->refused_word = false;
	query(prompt, was_open && prompt->popup_asked && length > 0);
	if (ik_popup_is_open(prompt->popup) &&
		(length == 0 || (!prompt->popup_asked && is_whole(prompt))))
		ik_popup_close(prompt->popup);
}

/* Put a candidate, or its first bytes, in the place of the word. */
static void put(struct ik_prompt *prompt, size_t index, size_t length)
{
	const struct ik_completions *shown = ik_popup_completions(prompt->popup);
	size_t cursor = ik_editor_cursor(prompt->editor), end = cursor, all, caret;
	const char *text = ik_editor_text(prompt->editor, &all);
	struct ik_buf out;

	if (shown->start > cursor)
		return; /* the word is gone */
	ik_buf_init(&out, IK_LIMIT_USER_TEXT);
	caret = ik_completion_put(shown, index, length, &out);
	if (out.length > 0 && out.data[out.length - 1] == ' ' && end < all && text[end] == ' ')
		end++; /* it stands there already */
	if (ik_buf_status(&out) == IK_OK &&
		ik_editor_replace(prompt->editor, shown->start, end, out.data, out.length))
		ik_editor_select(prompt->editor, shown->start + caret, shown->start + caret);
	ik_buf_done(&out);
}

/* Put a candidate in; what goes on (a directory) is asked for again, as it was asked for. */
static void take(struct ik_prompt *prompt, size_t index)
{
	const char *text = ik_popup_completions(prompt->popup)->candidates[index].text;
	bool goes_on = prompt->popup_asked && *text && text[strlen(text) - 1] == '/';

	put(prompt, index, SIZE_MAX);
	ik_popup_close(prompt->popup);
	if (goes_on)
		query(prompt, true);
	else
		ik_prompt_update(prompt);
}

/* Tab: what all have in common is put in, then one after the other is selected, from the first on
 * where the list has only just been opened. */
static void complete(struct ik_prompt *prompt, int direction, bool opened)
{
	size_t count, common, prefixed;
	const uint32_t *matches = ik_popup_matches(prompt->popup, &count);
	const struct ik_completions *shown = ik_popup_completions(prompt->popup);

	if (count == 0 || ik_popup_is_moved(prompt->popup)) {
		ik_popup_move(prompt->popup, direction);
		return;
	}
	common = ik_completion_common(shown, matches, count, &prefixed);
	if ((count == 1 || prefixed == 1) && !shown->note) {
		take(prompt, matches[0]);
	} else if (common > strlen(shown->typed)) {
		put(prompt, matches[0], common);
		ik_prompt_update(prompt);
	} else {
		bool selected = ik_popup_selected(prompt->popup) != IK_POPUP_NONE;

		ik_popup_move(prompt->popup, opened && selected ? 0 : direction);
	}
}

bool ik_prompt_click(struct ik_prompt *prompt, int row, int column)
{
	if (!ik_popup_click(prompt->popup, row, column))
		return false;
	take(prompt, ik_popup_selected(prompt->popup));
	return true;
}

/* A key while the candidates are shown. */
static bool popup_key(struct ik_prompt *prompt, enum ik_action action)
{
	bool selected = ik_popup_selected(prompt->popup) != IK_POPUP_NONE;

	switch (action) {
	case IK_ACTION_COMPLETE:
	case IK_ACTION_COMPLETE_PREVIOUS:
		prompt->popup_asked = true;
		complete(prompt, action == IK_ACTION_COMPLETE ? 1 : -1, false);
		return true;
	case IK_ACTION_UP:
	case IK_ACTION_DOWN:
		/* Nobody asked for it: the way to the history stays open. */
		if (action == IK_ACTION_UP && !selected && !prompt->popup_asked)
			return false;
		ik_popup_move(prompt->popup, action == IK_ACTION_UP ? -1 : 1);
		return true;
	case IK_ACTION_SEND:
		if (!selected)
			return false;
		take(prompt, ik_popup_selected(prompt->popup));
		return true;
	case IK_ACTION_CANCEL:
		prompt->refused_word = true;
		prompt->refused_start = ik_popup_completions(prompt->popup)->start;
		ik_popup_close(prompt->popup);
		return true;
	default:
		return false;
	}
}

bool ik_prompt_candidate_key(struct ik_prompt *prompt, enum ik_action action)
{
	if (ik_popup_is_open(prompt->popup))
		return popup_key(prompt, action);
	if (action != IK_ACTION_COMPLETE)
		return false;
	if (ik_editor_act(prompt->editor, action)) /* it unfolded a paste */
		return true;
	query(prompt, true);
	if (!ik_popup_is_open(prompt->popup))
		return false;
	complete(prompt, 1, true);
	return true;
}

void ik_prompt_draw_candidates(struct ik_prompt *prompt, struct ik_cells *cells,
	struct ik_rectangle area, int column)
{
	size_t length;
	const char *text = ik_editor_text(prompt->editor, &length);
	size_t cursor = ik_editor_cursor(prompt->editor);

	if (!ik_popup_is_open(prompt->popup))
		return;
	size_t start = ik_popup_completions(prompt->popup)->start;

	if (start < cursor)
		column -= (int)ik_utf8_width(text + start, cursor - start);
	/* One column to the left: its texts stand below each other and the word. */
	ik_popup_draw(prompt->popup, cells, area, column > 1 ? column - 1 : 0);
}

struct ik_editor *ik_prompt_front(const struct ik_prompt *prompt)
{
	return prompt->history_view ? prompt->history_view->editor : prompt->editor;
}

/* Leave the search in the history; the text is as it was before. */
static void close_history(struct ik_prompt *prompt)
{
	struct ik_history_view *view = prompt->history_view;

	if (!view)
		return;
	ik_history_search_done(&view->search);
	ik_editor_free(view->editor);
	free(view);
	prompt->history_view = NULL;
}

/* Begin to search the history. */
static void open_history(struct ik_prompt *prompt)
{
	struct ik_history_view *view = ik_alloc(sizeof(*view));

	ik_history_search_init(&view->search, prompt->history);
	view->editor = ik_editor_new(NULL);
	prompt->history_view = view;
	ik_popup_close(prompt->popup);
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
static void take_found(struct ik_prompt *prompt)
{
	const struct ik_history_search *search = &prompt->history_view->search;
	size_t length, position = search->position;
	bool found = search->found;
	const char *text = ik_editor_text(prompt->history_view->editor, &length);

	if (found) {
		ik_editor_set(prompt->editor, text, length);
		ik_editor_select(prompt->editor, position, position);
	}
	close_history(prompt);
}

/* What is typed or pasted is searched for. */
static void type_query(struct ik_history_view *view, const struct ik_key *key)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	if (ik_key_put_text(&text, key))
		ik_history_search_type(&view->search, text.data, text.length);
	ik_buf_done(&text);
}

/* Is it Ctrl-G, by which Emacs and shells leave a search? */
static bool is_leave(const struct ik_key *key)
{
	return key->code == IK_KEY_CHARACTER && key->modifiers == IK_CONTROL &&
		(key->codepoint | 0x20) == 'g';
}

bool ik_prompt_history_key(struct ik_prompt *prompt, enum ik_action action,
	const struct ik_key *key)
{
	struct ik_history_view *view = prompt->history_view;

	if (!view && action != IK_ACTION_HISTORY_SEARCH)
		return false;
	if (!view) {
		open_history(prompt);
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
		close_history(prompt);
		return true;
	case IK_ACTION_SEND:
	case IK_ACTION_COMPLETE:
		take_found(prompt);
		return true;
	default:
		if (is_leave(key)) {
			close_history(prompt);
			return true;
		}
		if (action != IK_ACTION_NONE) {
			take_found(prompt); /* and what the key means is done to it */
			return false;
		}
		type_query(view, key);
		break;
	}
	show_found(view);
	return true;
}

bool ik_prompt_searches(const struct ik_prompt *prompt)
{
	return prompt->history_view;
}

bool ik_prompt_search_failed(const struct ik_prompt *prompt)
{
	return prompt->history_view && prompt->history_view->search.failed;
}

bool ik_prompt_label(const struct ik_prompt *prompt, struct ik_buf *out)
{
	const struct ik_history_search *search;
	struct ik_buf query;

	if (!prompt->history_view)
		return false;
	search = &prompt->history_view->search;
	ik_buf_init(&query, IK_KIB(64));
	ik_sanitize_line(&query, search->query.data, search->query.length);
	if (search->failed)
		ik_buf_printf(out, _(" not found in what was sent: %s "), query.data);
	else
		ik_buf_printf(out, _(" search what was sent: %s "), query.data);
	ik_buf_done(&query);
	return true;
}
struct ik_prompt *ik_prompt_free(struct ik_prompt *prompt)
{
	if (!prompt)
		return NULL;
	close_history(prompt);
	ik_popup_free(prompt->popup);
	ik_editor_free(prompt->editor);
	ik_history_free(prompt->history);
	free(prompt);
	return NULL;
}

struct ik_editor *ik_prompt_editor(const struct ik_prompt *prompt)
{
	return prompt->editor;
}

struct ik_rectangle ik_prompt_asked_area(const struct ik_prompt *prompt)
{
	/* Others would speak while the user types, where the screen is read aloud. */
	return prompt->popup_asked ? ik_popup_area(prompt->popup) : (struct ik_rectangle){ 0 };
}

void ik_prompt_set(struct ik_prompt *prompt, const char *text, size_t length)
{
	ik_editor_set(prompt->editor, text, length);
	ik_popup_close(prompt->popup);
}

void ik_prompt_set_recalled(struct ik_prompt *prompt, bool recalled)
{
	prompt->recalled = recalled;
}

char *ik_prompt_take_problem(struct ik_prompt *prompt)
{
	return ik_history_take_problem(prompt->history);
}
