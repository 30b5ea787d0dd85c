#include "tui/screen/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define POPUP_ROWS 8
#define LABEL_COLUMNS 36 /* limit of a name that a description follows; the rest is cut */
#define FOOT_COLUMNS 60  /* width of the keys in the last row */
#define TEXT_BYTES 400   /* limit of the part of a name or description that is examined */
#define NONE SIZE_MAX

struct ik_prompt *ik_prompt_new(const struct ik_keymap *keymap, const char *history_path,
	size_t history_bytes, bool visual)
{
	struct ik_prompt *prompt = ik_alloc(sizeof(*prompt));

	prompt->history = ik_history_new(history_path, history_bytes);
	prompt->editor = ik_editor_new(prompt->history);
	prompt->keymap = keymap;
	prompt->popup.selected = NONE;
	prompt->visual = visual;
	return prompt;
}

/* ---- completions ---- */

static void close_popup(struct ik_popup *popup)
{
	free((char *)popup->shown.typed);
	free(popup->matches);
	free(popup->chosen);
	*popup = (struct ik_popup){ .asked = popup->asked, .selected = NONE };
}

/* Is a candidate what was typed, except perhaps for a directory's final slash? */
static bool is_typed(const char *text, const char *typed)
{
	size_t length = strlen(typed);

	return strncmp(text, typed, length) == 0 &&
		(text[length] == '\0' || ik_text_equal(text + length, "/"));
}

/* Select the candidate that the user chose, or the first, unless what was typed is enough. */
static void select_first(struct ik_popup *popup, const char *chosen, bool preselect)
{
	bool typed = popup->shown.optional && popup->shown.typed[0] == '\0';

	for (size_t i = 0; i < popup->count; i++) {
		const char *text = popup->shown.candidates[popup->matches[i]].text;

		if (chosen && ik_text_equal(text, chosen)) {
			popup->selected = i;
			popup->chosen = ik_strdup(chosen);
			return;
		}
		typed = typed || is_typed(text, popup->shown.typed);
	}
	if (preselect && !typed && !popup->shown.free && popup->count > 0)
		popup->selected = 0;
}

/* Show candidates; close the popup if there are none. */
static void show_popup(struct ik_popup *popup, const struct ik_completions *completions,
	bool preselect)
{
	uint32_t *matches;
	size_t count = ik_completion_match(completions, &matches);
	char *chosen = popup->chosen && ik_text_equal(popup->shown.typed, completions->typed)
		? ik_strdup(popup->chosen)
		: NULL;

	close_popup(popup);
	popup->shown = *completions;
	popup->shown.typed = ik_strdup(completions->typed);
	popup->matches = matches;
	popup->count = count;
	popup->open = true;
	select_first(popup, chosen, preselect);
	free(chosen);
	if (count == 0 && !completions->note)
		close_popup(popup);
}

/* Select the next (1) or previous (-1) candidate, wrapping around; 0 keeps the selection. */
static void move_in_popup(struct ik_popup *popup, int direction)
{
	size_t from = popup->selected == NONE && direction < 0 ? 0 : popup->selected;

	if (popup->count == 0 || (direction == 0 && popup->selected == NONE))
		return;
	if (direction != 0) /* NONE and 1 is 0 */
		popup->selected = (from + (direction > 0 ? 1 : popup->count - 1)) % popup->count;
	free(popup->chosen);
	popup->chosen = ik_strdup(popup->shown.candidates[popup->matches[popup->selected]].text);
}

/* Append a text, sanitised, on one line. */
static void put_line(struct ik_buf *out, const char *text)
{
	ik_buf_clear(out);
	ik_sanitize_line(out, text, strnlen(text, TEXT_BYTES));
}

static void measure(const struct ik_popup *popup, size_t rows, int *ret_label, int *ret_row)
{
	struct ik_buf out;
	int label = 0, description = 0;

	ik_buf_init(&out, IK_KIB(16));
	for (size_t i = popup->top; i < popup->top + rows; i++) {
		const struct ik_proposal *candidate = &popup->shown.candidates[popup->matches[i]];

		put_line(&out, candidate->text);
		int width = (int)ik_utf8_width(out.data, out.length);
		label = width > label ? width : label;
		if (!candidate->description)
			continue;
		put_line(&out, candidate->description);
		width = (int)ik_utf8_width(out.data, out.length);
		description = width > description ? width : description;
	}
	ik_buf_done(&out);
	if (description > 0 && label > LABEL_COLUMNS)
		label = LABEL_COLUMNS;
	*ret_label = label;
	*ret_row = 2 + label + (description > 0 ? 2 + description : 0);
}

static void draw_candidate(const struct ik_popup *popup, struct ik_cells *cells,
	struct ik_rectangle row, size_t index, int label_columns)
{
	const struct ik_proposal *candidate = &popup->shown.candidates[popup->matches[index]];
	enum ik_style style = index == popup->selected ? IK_STYLE_SELECTION : IK_STYLE_DIM;
	struct ik_rectangle label = { row.row, row.column + 1, 1, label_columns };

	if (label.columns > row.columns - 1)
		label.columns = row.columns - 1;
	ik_cells_fill(cells, row, style);
	ik_cells_label(cells, label, row.row, label.column,
		style == IK_STYLE_DIM ? IK_STYLE_BOLD : style, candidate->text);
	row.columns--;
	if (candidate->description)
		ik_cells_label(cells, row, row.row, label.column + label_columns + 2, style,
			candidate->description);
}

static const struct ik_proposal *selected_of(const struct ik_popup *popup)
{
	return popup->selected != NONE ? &popup->shown.candidates[popup->matches[popup->selected]]
								   : NULL;
}

/* Does Tab accept the selected candidate? If Tab opened the list or selected, it goes on. */
static bool tab_accepts(const struct ik_popup *popup)
{
	return popup->selected != NONE && !popup->asked;
}

static void put_foot(const struct ik_popup *popup, const struct ik_keymap *keymap,
	struct ik_buf *out)
{
	const struct ik_proposal *selected = selected_of(popup);
	bool runs = selected && selected->completes, accepts = tab_accepts(popup);
	bool same = accepts && !runs; /* Enter and Tab */
	struct ik_key_hint hints[4] = { 0 };
	size_t count = 0;

	if (selected)
		hints[count++] = (struct ik_key_hint){ IK_ACTION_SEND,
			same ? IK_ACTION_COMPLETE : IK_ACTION_NONE, runs ? N_("run") : N_("accept"), 2 };
	if (!same && popup->count > 0)
		hints[count++] = (struct ik_key_hint){ IK_ACTION_COMPLETE, IK_ACTION_NONE,
			accepts ? N_("accept") : N_("next"), 3 };
	hints[count] = (struct ik_key_hint){ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1 };
	if (popup->shown.note)
		ik_buf_printf(out, " %s", popup->shown.note);
	else if (!selected)
		ik_buf_printf(out, " %zu", popup->count);
	else
		ik_buf_printf(out, " %zu/%zu", popup->selected + 1, popup->count);
	ik_buf_puts(out, "  ");
	ik_keymap_put_hints(keymap, IK_IN_EDITOR, hints, FOOT_COLUMNS, out);
}

/* Draw the popup at the bottom of area; the word begins at this column. */
static void draw_popup(struct ik_popup *popup, const struct ik_keymap *keymap,
	struct ik_cells *cells, struct ik_rectangle area, int column)
{
	int label, width, most = area.rows - 2 < POPUP_ROWS ? area.rows - 2 : POPUP_ROWS;
	size_t rows = most < 0 ? 0 : (size_t)most;
	struct ik_buf foot;

	if (area.rows < 2)
		return;
	if (rows > popup->count)
		rows = popup->count;
	if (popup->selected != NONE && popup->selected < popup->top)
		popup->top = popup->selected;
	if (popup->selected != NONE && popup->selected >= popup->top + rows)
		popup->top = popup->selected + 1 - rows;
	if (popup->top + rows > popup->count)
		popup->top = popup->count - rows; /* there is more room now */
	ik_buf_init(&foot, IK_KIB(4));
	put_foot(popup, keymap, &foot);
	measure(popup, rows, &label, &width);
	int foot_width = (int)ik_utf8_width(foot.data, foot.length) + 1;
	width = foot_width > width ? foot_width : width;
	if (width > area.columns)
		width = area.columns;
	if (column + width > area.columns)
		column = area.columns - width;
	struct ik_rectangle row = { area.row + area.rows - (int)rows - 1, area.column + column, 1,
		width };
	popup->area = row;
	popup->area.rows = (int)rows;
	/* Rows of its own, and a blank one above them, part it from the conversation. */
	ik_cells_fill(cells,
		(struct ik_rectangle){ row.row - 1, area.column, (int)rows + 2, area.columns },
		IK_STYLE_NORMAL);
	for (size_t i = 0; i < rows; i++, row.row++)
		draw_candidate(popup, cells, row, popup->top + i, label);
	ik_cells_hints(cells, row, row.row, row.column, IK_STYLE_BOLD, IK_STYLE_DIM, foot.data);
	ik_buf_done(&foot);
}

/* Find completions of the word at the cursor; asked: by the user. */
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
		close_popup(&prompt->popup);
		return;
	}
	prompt->popup.asked = asked;
	prompt->refused_word = false;
	/* In the middle of a word, the user's intention is unknown. */
	size_t cursor = ik_editor_cursor(prompt->editor);
	bool whole = cursor == length || strchr(" \t\n", text[cursor]);
	show_popup(&prompt->popup, &completions, whole && prompt->visual);
}

/* Is the only candidate there in full already? */
static bool is_whole(const struct ik_prompt *prompt)
{
	const struct ik_popup *popup = &prompt->popup;

	return popup->count == 1 && !popup->shown.note &&
		strcmp(popup->shown.candidates[popup->matches[0]].text, popup->shown.typed) == 0;
}

void ik_prompt_update(struct ik_prompt *prompt)
{
	size_t length;
	bool was_open = prompt->popup.open;

	(void)ik_editor_text(prompt->editor, &length);
	if (length == 0)
		prompt->refused_word = false;
	query(prompt, was_open && prompt->popup.asked && length > 0);
	if (prompt->popup.open && (length == 0 || (!prompt->popup.asked && is_whole(prompt))))
		close_popup(&prompt->popup);
}

/* Replace the word with a candidate, or with its first `length` bytes. */
static void put(struct ik_prompt *prompt, size_t index, size_t length)
{
	const struct ik_completions *shown = &prompt->popup.shown;
	size_t cursor = ik_editor_cursor(prompt->editor), end = cursor, all, caret;
	const char *text = ik_editor_text(prompt->editor, &all);
	struct ik_buf out;

	if (shown->start > cursor)
		return; /* the word has changed */
	ik_buf_init(&out, IK_LIMIT_USER_TEXT);
	caret = ik_completion_put(shown, index, length, &out);
	if (out.length > 0 && out.data[out.length - 1] == ' ' && end < all && text[end] == ' ')
		end++; /* already there */
	if (ik_buf_status(&out) == IK_OK &&
		ik_editor_replace(prompt->editor, shown->start, end, out.data, out.length))
		ik_editor_select(prompt->editor, shown->start + caret, shown->start + caret);
	ik_buf_done(&out);
}

/* Insert a candidate. Go on if it can be completed further (a directory). */
static void take(struct ik_prompt *prompt, size_t index)
{
	const char *text = prompt->popup.shown.candidates[index].text;
	bool goes_on = prompt->popup.asked && *text && text[strlen(text) - 1] == '/';

	put(prompt, index, SIZE_MAX);
	close_popup(&prompt->popup);
	if (goes_on)
		query(prompt, true);
	else
		ik_prompt_update(prompt);
}

/* Handle Tab: insert the common prefix, then cycle through the candidates, starting with the
 * first if the list has just opened. */
static void complete(struct ik_prompt *prompt, int direction, bool opened)
{
	struct ik_popup *popup = &prompt->popup;
	const uint32_t *matches = popup->matches;
	const struct ik_completions *shown = &popup->shown;
	size_t count = popup->count, common, prefixed;

	if (count == 0 || prompt->popup.chosen) {
		move_in_popup(&prompt->popup, direction);
		return;
	}
	common = ik_completion_common(shown, matches, count, &prefixed);
	if ((count == 1 || prefixed == 1) && !shown->note) {
		take(prompt, matches[0]);
	} else if (common > strlen(shown->typed)) {
		put(prompt, matches[0], common);
		ik_prompt_update(prompt);
	} else {
		bool selected = prompt->popup.selected != NONE;

		move_in_popup(&prompt->popup, opened && selected ? 0 : direction);
	}
}

bool ik_prompt_click(struct ik_prompt *prompt, int row, int column)
{
	const struct ik_popup *popup = &prompt->popup;
	const struct ik_rectangle *area = &popup->area;

	if (row < area->row || row >= area->row + area->rows || column < area->column ||
		column >= area->column + area->columns)
		return false;
	take(prompt, popup->matches[popup->top + (size_t)(row - area->row)]);
	return true;
}

/* Accept the selected candidate. Return whether the line is whole with it, and so is to be sent. */
static bool accept(struct ik_prompt *prompt)
{
	const struct ik_popup *popup = &prompt->popup;
	const struct ik_proposal *selected = selected_of(popup);
	size_t index = popup->matches[popup->selected], length;

	(void)ik_editor_text(prompt->editor, &length);
	if (!selected->completes || ik_editor_cursor(prompt->editor) != length) {
		take(prompt, index);
		return false;
	}
	put(prompt, index, strlen(selected->text)); /* without a blank after it */
	close_popup(&prompt->popup);
	return true;
}

static bool popup_key(struct ik_prompt *prompt, enum ik_action action)
{
	bool selected = prompt->popup.selected != NONE;

	switch (action) {
	case IK_ACTION_COMPLETE:
		if (tab_accepts(&prompt->popup)) {
			take(prompt, prompt->popup.matches[prompt->popup.selected]);
			return true;
		}
		/* fall through */
	case IK_ACTION_COMPLETE_PREVIOUS:
		prompt->popup.asked = true;
		complete(prompt, action == IK_ACTION_COMPLETE ? 1 : -1, false);
		return true;
	case IK_ACTION_UP:
	case IK_ACTION_DOWN:
		/* The popup opened by itself, so Up still goes to the history. */
		if (action == IK_ACTION_UP && !selected && !prompt->popup.asked)
			return false;
		move_in_popup(&prompt->popup, action == IK_ACTION_UP ? -1 : 1);
		return true;
	case IK_ACTION_SEND:
		return selected && !accept(prompt);
	case IK_ACTION_CANCEL:
		prompt->refused_word = true;
		prompt->refused_start = prompt->popup.shown.start;
		close_popup(&prompt->popup);
		return true;
	default:
		return false;
	}
}

bool ik_prompt_candidate_key(struct ik_prompt *prompt, enum ik_action action)
{
	if (prompt->popup.open)
		return popup_key(prompt, action);
	if (action != IK_ACTION_COMPLETE)
		return false;
	if (ik_editor_act(prompt->editor, action)) /* the action unfolded a paste */
		return true;
	query(prompt, true);
	if (!prompt->popup.open)
		return false;
	complete(prompt, 1, true);
	return true;
}

void ik_prompt_draw_candidates(struct ik_prompt *prompt, struct ik_cells *cells,
	struct ik_rectangle area)
{
	size_t length;
	const char *text = ik_editor_text(prompt->editor, &length);
	int column = cells->cursor_column;
	size_t cursor = ik_editor_cursor(prompt->editor);

	if (!prompt->popup.open)
		return;
	size_t start = prompt->popup.shown.start;

	if (start < cursor)
		column -= (int)ik_utf8_width(text + start, cursor - start);
	/* One column to the left, so that the names line up with the word. */
	draw_popup(&prompt->popup, prompt->keymap, cells, area, column > 1 ? column - 1 : 0);
}

struct ik_editor *ik_prompt_front(const struct ik_prompt *prompt)
{
	return prompt->found ? prompt->found : prompt->editor;
}

static void close_history(struct ik_prompt *prompt)
{
	if (prompt->found)
		ik_history_search_done(&prompt->search);
	prompt->found = ik_editor_free(prompt->found);
}

static void show_found(struct ik_prompt *prompt)
{
	const struct ik_history_search *search = &prompt->search;
	size_t length = 0;
	const char *text = search->found ? ik_history_at(search->history, search->index, &length) : "";

	ik_editor_set(prompt->found, text, length);
	if (search->found)
		ik_editor_select(prompt->found, search->position + search->length, search->position);
}

/* Replace the text with the match; undo brings the old text back. */
static void take_found(struct ik_prompt *prompt)
{
	size_t length, position = prompt->search.position;
	const char *text = ik_editor_text(prompt->found, &length);

	if (prompt->search.found) {
		ik_editor_set(prompt->editor, text, length);
		ik_editor_select(prompt->editor, position, position);
	}
	close_history(prompt);
}

static void type_query(struct ik_history_search *search, const struct ik_key *key)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	if (ik_key_put_text(&text, key))
		ik_history_search_type(search, text.data, text.length);
	ik_buf_done(&text);
}

bool ik_prompt_history_key(struct ik_prompt *prompt, enum ik_action action,
	const struct ik_key *key)
{
	if (!prompt->found && action != IK_ACTION_HISTORY_SEARCH)
		return false;
	if (!prompt->found) {
		ik_history_search_init(&prompt->search, prompt->history);
		prompt->found = ik_editor_new(NULL);
		close_popup(&prompt->popup);
		return true;
	}
	switch (action) {
	case IK_ACTION_HISTORY_SEARCH:
	case IK_ACTION_HISTORY_OLDER:
	case IK_ACTION_UP:
		ik_history_search_move(&prompt->search, 1);
		break;
	case IK_ACTION_HISTORY_NEWER:
	case IK_ACTION_DOWN:
		ik_history_search_move(&prompt->search, -1);
		break;
	case IK_ACTION_DELETE_LEFT:
		ik_history_search_erase(&prompt->search);
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
		if (key->code == IK_KEY_CHARACTER && key->modifiers == IK_CONTROL &&
			(key->codepoint | 0x20) == 'g') { /* ends a search in Emacs and shells */
			close_history(prompt);
			return true;
		}
		if (action == IK_ACTION_END_OF_INPUT && !prompt->search.found)
			return true; /* the query has no end of input */
		if (action != IK_ACTION_NONE) {
			take_found(prompt); /* then the key acts on it */
			return false;
		}
		type_query(&prompt->search, key);
		break;
	}
	show_found(prompt);
	return true;
}

bool ik_prompt_label(const struct ik_prompt *prompt, struct ik_buf *out)
{
	const struct ik_history_search *search = &prompt->search;
	struct ik_buf query;

	if (!prompt->found)
		return false;
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
	close_popup(&prompt->popup);
	ik_editor_free(prompt->editor);
	ik_history_free(prompt->history);
	free(prompt);
	return NULL;
}

void ik_prompt_set(struct ik_prompt *prompt, const char *text, size_t length)
{
	ik_editor_set(prompt->editor, text, length);
	close_popup(&prompt->popup);
}
