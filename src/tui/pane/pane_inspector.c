#include "tui/pane/pane_inspector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "tui/pane/inspector_private.h"
#include "tui/pane/status_bar.h"
#include "tui/text/json_view.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define TITLE_BYTES 120

void ik_inspector_forget(struct ik_inspector *inspector)
{
	inspector->moved = inspector->arrived = false;
	inspector->call = inspector->shown = NULL;
	inspector->output = inspector->errors = NULL;
	inspector->page = 0;
	inspector->pane.count = inspector->pane.selected = 0;
	ik_scrollback_clear(inspector->pane.text);
}

/* Free it. */
static void release(struct ik_pane *pane)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;

	ik_pane_done(pane);
	ik_inspector_text_done(inspector);
	ik_inspector_folds_done(inspector);
	ik_buf_done(&inspector->reaction);
	free(inspector);
}

void ik_inspector_on_read(struct ik_inspector *inspector, ik_blob_reader *read, void *arg)
{
	inspector->read = read;
	inspector->read_arg = arg;
}

void ik_inspector_part_arrived(struct ik_inspector *inspector)
{
	inspector->arrived = true;
}

void ik_inspector_follow(struct ik_inspector *inspector)
{
	inspector->moved = false;
	ik_inspector_enter_text(inspector, false);
}

/* Find the selected call again: the list may have grown at both ends. */
static void sync_selection(struct ik_inspector *inspector)
{
	struct ik_pane *pane = &inspector->pane;

	pane->count = ik_calls_count(inspector->calls);
	if (pane->count == 0)
		return;
	if (!inspector->moved)
		pane->selected = pane->count - 1;
	else
		while (pane->selected + 1 < pane->count &&
			ik_calls_at(inspector->calls, pane->selected) != inspector->call)
			pane->selected++;
	inspector->call = ik_calls_at(inspector->calls, pane->selected);
}

/* Show another page of the selected call, from its start or its end. */
static void turn_page(struct ik_inspector *inspector, size_t page, bool end)
{
	inspector->page = page;
	inspector->page_end = end;
}

/* The person wanted to go on beyond an end of the page. */
static void leave_page(struct ik_inspector *inspector, bool down)
{
	if (down && inspector->page + 1 < ik_call_pages(inspector->call))
		turn_page(inspector, inspector->page + 1, false);
	else if (!down && inspector->page > 0)
		turn_page(inspector, inspector->page - 1, true);
}

/* Is the text still where it was? */
static bool is_at(const struct ik_inspector *inspector, struct ik_scroll_place before)
{
	struct ik_scroll_place now = ik_scrollback_place(inspector->pane.text);

	return now.at_end == before.at_end && now.block == before.block && now.offset == before.offset;
}

/* Another item of the list is selected; true: it is another call, shown from its start. */
static bool note_selection(struct ik_inspector *inspector)
{
	const struct ik_shown_call *call = inspector->call;

	inspector->call = ik_calls_at(inspector->calls, inspector->pane.selected);
	inspector->moved = inspector->pane.selected + 1 < inspector->pane.count;
	return inspector->call != call;
}

/* An action that selects or scrolls. */
static bool act(struct ik_pane *pane, enum ik_action action)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;

	sync_selection(inspector);
	if (inspector->in_text && action == IK_ACTION_LINE_START)
		action = IK_ACTION_TOP;
	if (inspector->in_text && action == IK_ACTION_LINE_END)
		action = IK_ACTION_BOTTOM;
	if (inspector->in_text && ik_inspector_text_act(inspector, action))
		return true;
	struct ik_scroll_place before = ik_scrollback_place(inspector->pane.text);

	if (!ik_pane_act(&inspector->pane, action))
		return false;
	if (inspector->pane.count == 0)
		return true;
	bool another = note_selection(inspector);
	size_t pages = ik_call_pages(inspector->call);

	if (another)
		inspector->page = 0;
	else if (action == IK_ACTION_TOP && inspector->page > 0)
		turn_page(inspector, 0, false);
	else if (action == IK_ACTION_BOTTOM && inspector->page + 1 < pages)
		turn_page(inspector, pages - 1, true);
	else if ((action == IK_ACTION_PAGE_UP || action == IK_ACTION_HALF_UP) &&
		is_at(inspector, before))
		leave_page(inspector, false);
	else if ((action == IK_ACTION_PAGE_DOWN || action == IK_ACTION_HALF_DOWN) &&
		is_at(inspector, before))
		leave_page(inspector, true);
	if (inspector->in_text && inspector->page == inspector->shown_page)
		ik_inspector_enter_text(inspector, true);
	return true;
}

/* A click selects a call, or folds in the text. */
static void click(struct ik_pane *pane, int row)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;

	sync_selection(inspector);
	if (ik_pane_click(pane, row)) {
		ik_inspector_enter_text(inspector, false);
		if (note_selection(inspector))
			inspector->page = 0;
		return;
	}
	if (inspector->call && inspector->shown == inspector->call &&
		ik_scrollback_click(pane->text, row - pane->text_row))
		ik_inspector_clicked(inspector);
}

/* The wheel turns the pages, too. */
static void scroll(struct ik_pane *pane, int rows)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;
	struct ik_scroll_place before = ik_scrollback_place(pane->text);

	ik_pane_scroll(pane, rows);
	if (inspector->call && rows != 0 && is_at(inspector, before))
		leave_page(inspector, rows > 0);
}

/* The command line that makes the call again; false: it has no whole arguments. */
static bool put_line(const struct ik_shown_call *call, struct ik_buf *out)
{
	struct ik_json_span arguments = { "{}", 2 };

	if (call->arguments.length > 0 &&
		ik_json_check(call->arguments.data, call->arguments.length, &arguments, NULL) != IK_OK)
		return false;
	if (ik_text_equal(call->name, IK_OWN_COMMAND)) {
		ik_buf_puts(out, IK_OWN_COMMAND);
		return ik_json_string(ik_json_member(arguments, "command"), out) &&
			ik_buf_status(out) == IK_OK;
	}
	ik_buf_printf(out, "/run %s ", call->name);
	ik_buf_append(out, arguments.text, arguments.length);
	return ik_buf_status(out) == IK_OK;
}

/* All that is known of a call, as one text. */
static void put_whole(struct ik_inspector *inspector, struct ik_buf *out)
{
	static const char *const headings[] = {
		[IK_CALL_ERRORS] = N_("Messages (stderr)"),
		[IK_CALL_OUTPUT] = N_("Output (stdout)"),
	};
	const struct ik_shown_call *call = inspector->call;
	struct ik_json_span value;
	struct ik_error error;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	ik_buf_printf(&text, "%s  %s\n\n", call->name, ik_inspector_stage(call->stage));
	if (ik_json_check(call->arguments.data, call->arguments.length, &value, NULL) == IK_OK)
		ik_json_view(&text, value, false);
	for (enum ik_call_text which = 0; which < IK_CALL_TEXTS; which++) {
		size_t length = ik_call_text_length(call, which);

		if (length == 0)
			continue;
		ik_buf_printf(&text, "\n\n%s\n", _(headings[which]));
		for (size_t part = 0; part * IK_LIMIT_PART < length; part++)
			if (ik_call_part(call, which, part, inspector->read, inspector->read_arg, &text,
					&error) != IK_OK) {
				ik_buf_printf(&text, "\n[%s]\n", _("a part of it is not in memory"));
				break;
			}
	}
	struct ik_buf envelope;
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	if (ik_call_envelope(call, &envelope) &&
		ik_json_check(envelope.data, envelope.length, &value, NULL) == IK_OK) {
		ik_buf_printf(&text, "\n\n%s\n", _("Envelope: what the model got"));
		ik_json_view(&text, value, false);
	} else if (call->output.length > 0) {
		ik_buf_printf(&text, "\n\n%s\n", _("Output (stdout)"));
		ik_buf_append(&text, call->output.data, call->output.length);
	}
	ik_buf_putc(&text, '\n');
	ik_sanitize(out, text.data, text.length);
	ik_buf_done(&envelope);
	ik_buf_done(&text);
}

/* What one wants of a call elsewhere: its output as it came, else its result or error as
 * JSON, else its arguments; of a large one its beginning, which is more than any clipboard takes. */
void ik_inspector_copy_call(const struct ik_shown_call *call, struct ik_buf *out)
{
	struct ik_json_span value = { NULL, 0 };
	struct ik_buf envelope;

	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	bool any = ik_call_is_large(call) ? ik_call_envelope_beginning(call, IK_CALL_LARGE, &envelope)
									  : ik_call_envelope(call, &envelope);
	if (!any || ik_json_check(envelope.data, envelope.length, &value, NULL) != IK_OK) {
		ik_buf_append(out, call->arguments.data, call->arguments.length);
	} else {
		struct ik_json_span result = ik_json_member(value, "result");

		if (!ik_json_string(result, out) && !ik_json_string(ik_json_member(result, "output"), out))
			ik_json_pretty(out, result.text ? result : value);
	}
	ik_buf_done(&envelope);
}

/* A key: what is done with the selected call. */
static enum ik_pane_result key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action, struct ik_reaction *ret_reaction)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;
	enum ik_reaction_kind kind = IK_REACT_NONE;

	(void)key;
	if (action != IK_ACTION_RERUN && action != IK_ACTION_PAGER && action != IK_ACTION_COPY &&
		action != IK_ACTION_UNDO_CALL && !ik_inspector_folds_by(action))
		return IK_PANE_PASSED;
	sync_selection(inspector);
	if (pane->count == 0)
		return IK_PANE_TAKEN;
	ik_buf_clear(&inspector->reaction);
	if (ik_inspector_folds_by(action)) {
		ik_inspector_fold(inspector, action);
	} else if (action == IK_ACTION_COPY) {
		if (inspector->in_text)
			ik_inspector_copy_line(inspector, &inspector->reaction);
		else
			ik_inspector_copy_call(inspector->call, &inspector->reaction);
		kind = IK_REACT_COPY;
	} else if (action == IK_ACTION_PAGER) {
		put_whole(inspector, &inspector->reaction);
		kind = IK_REACT_PAGER;
	} else if (action == IK_ACTION_UNDO_CALL) {
		ik_buf_puts(&inspector->reaction, inspector->call->id);
		kind = IK_REACT_UNDO_CALL;
	} else if (put_line(inspector->call, &inspector->reaction)) {
		kind = IK_REACT_RERUN;
	}
	*ret_reaction = (struct ik_reaction){
		.kind = kind,
		.text = inspector->reaction.data,
		.length = inspector->reaction.length,
		.cut = kind == IK_REACT_COPY && !inspector->in_text && ik_call_is_large(inspector->call),
	};
	return kind == IK_REACT_RERUN ? IK_PANE_CALLED : IK_PANE_TAKEN;
}

/* It has keys of its own in the text, but nothing is written there. */
static unsigned context(const struct ik_pane *pane)
{
	(void)pane;
	return IK_IN_INSPECTOR;
}

/* Draw a call of the list: mark, name and arguments, facts at the right. */
static void draw_item(void *arg, size_t index, struct ik_cells *cells, struct ik_rectangle row,
	enum ik_style style)
{
	struct ik_inspector *inspector = arg;
	struct ik_shown_call *call = ik_calls_at(inspector->calls, index);
	size_t length;
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	if (call->stage == IK_STAGE_RUNNING && call->started_ms >= 0)
		ik_elapsed_put(&out, (inspector->now_ms - call->started_ms) / 1000);
	else
		ik_call_facts(call, "  ", &out);
	int fact_columns = (int)ik_utf8_width(out.data, out.length);
	struct ik_rectangle left = row;

	if (fact_columns > 0 && row.columns > fact_columns + 12) {
		ik_cells_text(cells, row, row.row, row.column + row.columns - fact_columns, style, out.data,
			out.length);
		left.columns -= fact_columns + 1;
	}
	const char *mark = ik_call_mark(call->stage, inspector->pane.utf8);
	enum ik_style mark_style = style;

	if (call->stage == IK_STAGE_FAILED && style == IK_STYLE_NORMAL)
		mark_style = IK_STYLE_ERROR;
	ik_cells_text(cells, left, row.row, row.column, mark_style, mark, strlen(mark));
	ik_buf_done(&out);
	ik_cells_label(cells, left, row.row, row.column + 2, style, ik_call_line(call, &length));
}

/* Its keys while the list has the focus, while its text has, and while it has not. */
static const struct ik_key_hint focus_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("select"), 2 },
	{ IK_ACTION_TEXT, IK_ACTION_NONE, N_("text"), 2 },
	{ IK_ACTION_UNFOLD, IK_ACTION_NONE, N_("in full"), 3 },
	{ IK_ACTION_COPY, IK_ACTION_NONE, N_("copy"), 3 },
	{ IK_ACTION_RERUN, IK_ACTION_NONE, N_("again"), 3 },
	{ IK_ACTION_UNDO_CALL, IK_ACTION_NONE, N_("undo"), 3 },
	{ IK_ACTION_PAGER, IK_ACTION_NONE, N_("pager"), 3 },
	{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("scroll"), 4 },
	{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 5 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1 },
};
static const struct ik_key_hint text_hints[] = {
	{ IK_ACTION_UP, IK_ACTION_DOWN, N_("move"), 2 },
	{ IK_ACTION_UNFOLD, IK_ACTION_NONE, N_("fold"), 2 },
	{ IK_ACTION_COPY, IK_ACTION_NONE, N_("copy"), 3 },
	{ IK_ACTION_UNFOLD_ALL, IK_ACTION_FOLD_ALL, N_("all"), 4 },
	{ IK_ACTION_TEXT, IK_ACTION_NONE, N_("list"), 2 },
	{ IK_ACTION_RERUN, IK_ACTION_NONE, N_("again"), 5 },
	{ IK_ACTION_UNDO_CALL, IK_ACTION_NONE, N_("undo"), 5 },
	{ IK_ACTION_PAGER, IK_ACTION_NONE, N_("pager"), 5 },
	{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1 },
};
static const struct ik_key_hint hints[] = {
	{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 1 },
	{ IK_ACTION_INSPECTOR, IK_ACTION_NONE, N_("close"), 1 },
};

/* Draw it. */
static bool draw(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area, bool focus,
	const struct ik_status_bar *bar, int *ret_cursor_row, int *ret_cursor_column)
{
	struct ik_inspector *inspector = (struct ik_inspector *)pane;
	char title[TITLE_BYTES];

	(void)ret_cursor_row;
	(void)ret_cursor_column;
	inspector->now_ms = bar->now_ms;
	sync_selection(inspector);
	(void)snprintf(title, sizeof(title), pane->count > 0 ? " %s  %zu/%zu " : " %s ",
		_("Tool inspector"), pane->selected + 1, pane->count);
	struct ik_pane_view view = {
		.title = title,
		.context = focus ? IK_IN_INSPECTOR : IK_IN_EDITOR,
		.hints = !focus          ? hints
			: inspector->in_text ? text_hints
								 : focus_hints,
		.hint_count = !focus     ? sizeof(hints) / sizeof(*hints)
			: inspector->in_text ? sizeof(text_hints) / sizeof(*text_hints)
								 : sizeof(focus_hints) / sizeof(*focus_hints),
		.focus = focus,
		.item = draw_item,
		.arg = inspector,
	};
	if (focus && pane->count == 0) { /* there is only "next pane" and "close" to be said */
		view.hint_count = 2;
		view.hints = focus_hints + sizeof(focus_hints) / sizeof(*focus_hints) - view.hint_count;
	}
	if (pane->count == 0)
		view.empty = _("No tool calls yet.\n\nWhen the model uses a tool, the call stands here "
					   "with its arguments, its output as it comes, and its result.");
	else
		ik_inspector_sync_text(inspector);
	ik_scrollback_select_at(pane->text, inspector->cursor,
		focus && inspector->in_text && pane->count > 0);
	ik_pane_draw(pane, &view, cells, area);
	return false;
}

/* clang-format off */
static const struct ik_pane_ops ops = {
	.toggle = IK_ACTION_INSPECTOR, .context = context, .key = key, .act = act, .click = click,
	.scroll = scroll, .work = ik_inspector_work, .draw = draw, .release = release,
};
/* clang-format on */

struct ik_inspector *ik_inspector_new(struct ik_calls *calls, const struct ik_keymap *keymap,
	bool utf8)
{
	struct ik_inspector *inspector = ik_alloc(sizeof(*inspector));

	ik_pane_init(&inspector->pane, &ops, keymap, utf8);
	inspector->calls = calls;
	ik_buf_init(&inspector->reaction, IK_LIMIT_ENVELOPE);
	ik_buf_init(&inspector->decoded, IK_LIMIT_ENVELOPE);
	for (size_t i = 0; i < IK_PARTS; i++)
		inspector->owners[i] = (struct ik_tree_owner){ inspector, (enum ik_call_part)i };
	return inspector;
}

struct ik_pane *ik_inspector_pane(struct ik_inspector *inspector)
{
	return &inspector->pane;
}
