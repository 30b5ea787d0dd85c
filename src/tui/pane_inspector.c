#include "tui/pane_inspector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/status_bar.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define TITLE_BYTES 120

struct ik_inspector {
	struct ik_pane pane;
	struct ik_calls *calls;
	bool moved;                    /* the person selected a call */
	const struct ik_call *call;    /* the selected one */
	const struct ik_call *shown;   /* whose text is in the pane */
	unsigned shown_version;
	enum ik_call_stage shown_stage;
	struct ik_block *output, *errors; /* of a call that runs; NULL: none yet */
	size_t output_length, errors_length;
	int64_t now_ms;
};

struct ik_inspector *ik_inspector_new(struct ik_calls *calls, bool utf8)
{
	struct ik_inspector *inspector = ik_alloc(sizeof *inspector);
	ik_pane_init(&inspector->pane, utf8);
	inspector->calls = calls;
	return inspector;
}

struct ik_inspector *ik_inspector_free(struct ik_inspector *inspector)
{
	if (!inspector)
		return NULL;
	ik_pane_done(&inspector->pane);
	free(inspector);
	return NULL;
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
		while (pane->selected + 1 < pane->count
			&& ik_calls_at(inspector->calls, pane->selected) != inspector->call)
			pane->selected++;
	inspector->call = ik_calls_at(inspector->calls, pane->selected);
}

bool ik_inspector_act(struct ik_inspector *inspector, enum ik_action action)
{
	sync_selection(inspector);
	if (!ik_pane_act(&inspector->pane, action))
		return false;
	if (inspector->pane.count > 0) {
		inspector->call = ik_calls_at(inspector->calls, inspector->pane.selected);
		inspector->moved = inspector->pane.selected + 1 < inspector->pane.count;
	}
	return true;
}

void ik_inspector_scroll(struct ik_inspector *inspector, int rows)
{
	ik_scrollback_scroll(inspector->pane.text, rows);
	inspector->pane.text_moved = true;
}

/* A word for the stage. */
static const char *stage_word(enum ik_call_stage stage)
{
	switch (stage) {
	case IK_STAGE_WRITING:
		return _("being written");
	case IK_STAGE_WAITING:
		return _("waiting");
	case IK_STAGE_RUNNING:
		return _("running");
	case IK_STAGE_OK:
		return _("ok");
	case IK_STAGE_FAILED:
		break;
	}
	return _("failed");
}

/* The line of facts: "ok  exit 0  12 ms". */
static void add_facts(struct ik_inspector *inspector, struct ik_json_span envelope)
{
	const struct ik_call *call = inspector->call;
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(4));
	ik_buf_puts(&out, stage_word(call->stage));
	int64_t code = 0;
	struct ik_json_span exit_code = ik_json_member(envelope, "exit_code");
	if (ik_json_integer(exit_code, &code)
		|| (envelope.text && ik_json_span_type(exit_code) == IK_JSON_NONE))
		ik_buf_printf(&out, _("  exit %d"), (int)code);
	if (call->duration_ms >= 0) {
		ik_buf_puts(&out, "  ");
		ik_duration_put(&out, call->duration_ms);
	}
	ik_buf_printf(&out, "  %s", call->id);
	ik_block_finish(ik_pane_text(&inspector->pane, IK_BLOCK_HINT, out.data, out.length));
	ik_buf_done(&out);
}

/* Add what came of one stream since the last time. */
static void add_stream(struct ik_inspector *inspector, const struct ik_buf *stream,
	struct ik_block **block, size_t *length, const char *heading)
{
	if (stream->length <= *length)
		return;
	if (!*block) {
		ik_pane_heading(&inspector->pane, heading);
		*block = ik_pane_text(&inspector->pane, IK_BLOCK_OUTPUT, "", 0);
	}
	ik_block_append(*block, stream->data + *length, stream->length - *length);
	*length = stream->length;
}

/* Add what came of both streams. */
static void add_streams(struct ik_inspector *inspector)
{
	const struct ik_call *call = inspector->call;
	add_stream(inspector, &call->errors, &inspector->errors, &inspector->errors_length,
		_("Messages (stderr)"));
	add_stream(inspector, &call->output, &inspector->output, &inspector->output_length,
		_("Output (stdout)"));
}

/* Show the selected call from scratch. */
static void rebuild(struct ik_inspector *inspector)
{
	struct ik_pane *pane = &inspector->pane;
	const struct ik_call *call = inspector->call;
	struct ik_buf envelope;
	struct ik_json_span value = {NULL, 0};
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	if (ik_call_envelope(call, &envelope)
		&& ik_json_check(envelope.data, envelope.length, &value, NULL) != IK_OK)
		value = (struct ik_json_span){NULL, 0};
	if (call != inspector->shown)
		pane->text_moved = false;
	struct ik_scroll_place place = ik_pane_text_begin(pane);
	ik_pane_heading(pane, call->name);
	add_facts(inspector, value);
	ik_pane_heading(pane, _("Arguments"));
	ik_pane_json(pane, call->arguments.data, call->arguments.length);
	inspector->output = inspector->errors = NULL;
	inspector->output_length = inspector->errors_length = 0;
	add_streams(inspector);
	if (envelope.length > 0) {
		ik_pane_heading(pane, _("Envelope: what the model got"));
		ik_pane_json(pane, envelope.data, envelope.length);
	}
	if (call->full.length > 0) {
		ik_pane_heading(pane, _("Full output"));
		ik_block_finish(ik_pane_text(pane, IK_BLOCK_OUTPUT, call->full.data, call->full.length));
	}
	ik_buf_done(&envelope);
	ik_pane_text_end(pane, place, call->stage == IK_STAGE_RUNNING);
	inspector->shown = call;
	inspector->shown_stage = call->stage;
}

/* Bring the text up to date: what a running call prints is only added. */
static void sync_text(struct ik_inspector *inspector)
{
	const struct ik_call *call = inspector->call;
	if (call == inspector->shown && call->version == inspector->shown_version)
		return;
	if (call == inspector->shown && call->stage == IK_STAGE_RUNNING
		&& inspector->shown_stage == IK_STAGE_RUNNING)
		add_streams(inspector);
	else
		rebuild(inspector);
	inspector->shown_version = call->version;
}

/* Draw a call of the list: mark, name and arguments, time at the right. */
static void draw_item(void *arg, size_t index, struct ik_cells *cells, struct ik_rectangle row,
	enum ik_style style)
{
	struct ik_inspector *inspector = arg;
	struct ik_call *call = ik_calls_at(inspector->calls, index);
	size_t length;
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(1));
	int64_t duration = call->duration_ms;
	if (call->stage == IK_STAGE_RUNNING && call->started_ms >= 0)
		ik_elapsed_put(&out, (inspector->now_ms - call->started_ms) / 1000);
	else if (duration >= 0)
		ik_duration_put(&out, duration);
	int time_columns = (int)ik_utf8_width(out.data, out.length);
	struct ik_rectangle left = row;
	if (time_columns > 0 && row.columns > time_columns + 12) {
		ik_cells_text(cells, row, row.row, row.column + row.columns - time_columns, style,
			out.data, out.length);
		left.columns -= time_columns + 1;
	}
	const char *mark = ik_call_mark(call->stage, inspector->pane.utf8);
	enum ik_style mark_style = style;
	if (call->stage == IK_STAGE_FAILED && style == IK_STYLE_NORMAL)
		mark_style = IK_STYLE_ERROR;
	ik_cells_text(cells, left, row.row, row.column, mark_style, mark, strlen(mark));
	ik_buf_done(&out);
	ik_cells_label(cells, left, row.row, row.column + 2, style, ik_call_line(call, &length));
}

void ik_inspector_draw(struct ik_inspector *inspector, struct ik_cells *cells,
	struct ik_rectangle area, bool focus, int64_t now_ms)
{
	struct ik_pane *pane = &inspector->pane;
	char title[TITLE_BYTES];
	inspector->now_ms = now_ms;
	sync_selection(inspector);
	(void)snprintf(title, sizeof title, pane->count > 0 ? " %s  %zu/%zu " : " %s ",
		_("Tool inspector"), pane->selected + 1, pane->count);
	struct ik_pane_view view = {
		.title = title,
		.keys = focus ? _("Up/Down select  PgUp/PgDn scroll  F6 editor  Esc close")
			: _("F6 use the keys here  F3 close"),
		.keys_short = focus ? _("Up/Down  PgUp/PgDn  Esc close") : _("F6 keys  F3 close"),
		.focus = focus,
		.item = draw_item,
		.arg = inspector,
	};
	if (pane->count == 0)
		view.empty = _("No tool calls yet.\n\nWhen the model uses a tool, the call stands here "
			"with its arguments, its output as it comes, and its result.");
	else
		sync_text(inspector);
	ik_pane_draw(pane, &view, cells, area);
}
