#include "tui/screen/popup.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define LABEL_COLUMNS 36 /* of a name; what is longer is cut where a description follows */
#define FOOT_COLUMNS 60  /* of the keys in the last row */
#define TEXT_BYTES 400   /* of a name or a description that is looked at */

struct ik_popup {
	const struct ik_keymap *keymap;
	bool open;
	struct ik_completions shown;
	char *typed, *head;
	uint32_t *matches;
	size_t count;
	size_t selected;          /* index of matches, or IK_POPUP_NONE */
	char *chosen;             /* the text of the one that the user went to; NULL: went to none */
	size_t top;               /* the first that is seen */
	struct ik_rectangle area; /* of those that are seen */
};

struct ik_popup *ik_popup_new(const struct ik_keymap *keymap)
{
	struct ik_popup *popup = ik_alloc(sizeof(*popup));

	popup->keymap = keymap;
	popup->selected = IK_POPUP_NONE;
	return popup;
}

struct ik_popup *ik_popup_free(struct ik_popup *popup)
{
	if (!popup)
		return NULL;
	ik_popup_close(popup);
	free(popup);
	return NULL;
}

void ik_popup_close(struct ik_popup *popup)
{
	popup->open = false;
	popup->area = (struct ik_rectangle){ .rows = 0 };
	free(popup->typed);
	free(popup->head);
	free(popup->matches);
	free(popup->chosen);
	popup->typed = popup->head = popup->chosen = NULL;
	popup->matches = NULL;
	popup->count = popup->top = 0;
	popup->selected = IK_POPUP_NONE;
}

/* Is a candidate what was typed, perhaps but for the slash that makes a directory of it? */
static bool is_typed(const char *text, const char *typed)
{
	size_t length = strlen(typed);

	return strncmp(text, typed, length) == 0 &&
		(text[length] == '\0' || ik_text_equal(text + length, "/"));
}

/* Select the one that the user went to, or the first, unless what was typed will do. */
static void select_first(struct ik_popup *popup, const char *chosen, bool preselect)
{
	bool typed = popup->typed[0] == '\0';

	for (size_t i = 0; i < popup->count; i++) {
		const char *text = popup->shown.candidates[popup->matches[i]].text;

		if (chosen && ik_text_equal(text, chosen)) {
			popup->selected = i;
			popup->chosen = ik_strdup(chosen);
			return;
		}
		typed = typed || is_typed(text, popup->typed);
	}
	if (preselect && !typed && !popup->shown.free && popup->count > 0)
		popup->selected = 0;
}

void ik_popup_show(struct ik_popup *popup, const struct ik_completions *completions, bool preselect)
{
	uint32_t *matches;
	size_t count = ik_completion_match(completions, &matches);
	char *typed = ik_strdup(completions->typed), *head = ik_strdup(completions->head);
	char *chosen = popup->chosen && ik_text_equal(popup->typed, typed) ? ik_strdup(popup->chosen)
																	   : NULL;

	ik_popup_close(popup);
	popup->shown = *completions;
	popup->shown.typed = popup->typed = typed;
	popup->shown.head = popup->head = head;
	popup->matches = matches;
	popup->count = count;
	popup->open = true;
	select_first(popup, chosen, preselect);
	free(chosen);
	if (count == 0 && !completions->note)
		ik_popup_close(popup);
}

bool ik_popup_is_open(const struct ik_popup *popup)
{
	return popup->open;
}

const struct ik_completions *ik_popup_completions(const struct ik_popup *popup)
{
	return &popup->shown;
}

const uint32_t *ik_popup_matches(const struct ik_popup *popup, size_t *ret_count)
{
	*ret_count = popup->count;
	return popup->matches;
}

void ik_popup_move(struct ik_popup *popup, int direction)
{
	if (popup->count == 0 || (direction == 0 && popup->selected == IK_POPUP_NONE))
		return;
	if (direction == 0)
		;
	else if (popup->selected == IK_POPUP_NONE)
		popup->selected = direction > 0 ? 0 : popup->count - 1;
	else if (direction > 0)
		popup->selected = popup->selected + 1 < popup->count ? popup->selected + 1 : 0;
	else
		popup->selected = popup->selected > 0 ? popup->selected - 1 : popup->count - 1;
	free(popup->chosen);
	popup->chosen = ik_strdup(popup->shown.candidates[popup->matches[popup->selected]].text);
}

bool ik_popup_is_moved(const struct ik_popup *popup)
{
	return popup->chosen;
}

bool ik_popup_click(struct ik_popup *popup, int row, int column)
{
	const struct ik_rectangle *area = &popup->area;

	if (row < area->row || row >= area->row + area->rows || column < area->column ||
		column >= area->column + area->columns)
		return false;
	popup->selected = popup->top + (size_t)(row - area->row);
	return true;
}

size_t ik_popup_selected(const struct ik_popup *popup)
{
	return popup->selected == IK_POPUP_NONE ? IK_POPUP_NONE : popup->matches[popup->selected];
}

struct ik_rectangle ik_popup_area(const struct ik_popup *popup)
{
	return popup->area;
}

/* A text on one row, harmless. */
static void put_line(struct ik_buf *out, const char *text)
{
	ik_buf_clear(out);
	ik_sanitize_line(out, text, strnlen(text, TEXT_BYTES));
}

/* Columns of the names and of the rows that are seen. */
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

/* Draw one candidate. */
static void draw_candidate(const struct ik_popup *popup, struct ik_cells *cells,
	struct ik_rectangle row, size_t index, int label_columns)
{
	const struct ik_proposal *candidate = &popup->shown.candidates[popup->matches[index]];
	enum ik_style style = index == popup->selected ? IK_STYLE_SELECTION : IK_STYLE_STATUS;
	struct ik_rectangle label = { row.row, row.column + 1, 1, label_columns };

	if (label.columns > row.columns - 1)
		label.columns = row.columns - 1;
	ik_cells_fill(cells, row, style);
	ik_cells_label(cells, label, row.row, label.column, style, candidate->text);
	row.columns--;
	if (candidate->description)
		ik_cells_label(cells, row, row.row, label.column + label_columns + 2, style,
			candidate->description);
}

/* What the last row says. */
static void put_foot(const struct ik_popup *popup, struct ik_buf *out)
{
	static const struct ik_key_hint hints[] = {
		{ IK_ACTION_SEND, IK_ACTION_NONE, N_("take"), 2 },
		{ IK_ACTION_COMPLETE, IK_ACTION_NONE, N_("next"), 3 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1 },
		{ 0 },
	};
	bool selected = popup->selected != IK_POPUP_NONE;

	if (popup->shown.note)
		ik_buf_printf(out, " %s", popup->shown.note);
	else if (!selected)
		ik_buf_printf(out, " %zu", popup->count);
	else
		ik_buf_printf(out, " %zu/%zu", popup->selected + 1, popup->count);
	ik_buf_puts(out, "  ");
	ik_keymap_put_hints(popup->keymap, IK_IN_EDITOR, selected ? hints : hints + 1, FOOT_COLUMNS,
		out);
}

void ik_popup_draw(struct ik_popup *popup, struct ik_cells *cells, struct ik_rectangle area,
	int column)
{
	int label, width, most = area.rows - 2 < IK_POPUP_ROWS ? area.rows - 2 : IK_POPUP_ROWS;
	size_t rows = most < 0 ? 0 : (size_t)most;
	struct ik_buf foot;

	if (!popup->open || area.rows < 2)
		return;
	if (rows > popup->count)
		rows = popup->count;
	if (popup->selected != IK_POPUP_NONE && popup->selected < popup->top)
		popup->top = popup->selected;
	if (popup->selected != IK_POPUP_NONE && popup->selected >= popup->top + rows)
		popup->top = popup->selected + 1 - rows;
	ik_buf_init(&foot, IK_KIB(4));
	put_foot(popup, &foot);
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
	for (size_t i = 0; i < rows; i++, row.row++)
		draw_candidate(popup, cells, row, popup->top + i, label);
	ik_cells_fill(cells, row, IK_STYLE_STATUS);
	ik_cells_label(cells, row, row.row, row.column, IK_STYLE_STATUS, foot.data);
	ik_buf_done(&foot);
}
