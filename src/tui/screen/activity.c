#include "tui/screen/activity.h"

#include <stdlib.h>
#include <string.h>

#include "tui/pane/pane.h"
#include "tui/text/quantity.h"
#include "tui/text/wrap.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define NEVER INT64_C(-1)
#define STEP_MS 250    /* the mark turns once a second */
#define INDENT 2       /* columns before the text, as in the conversation, which the mark is in */
#define EDGE 1         /* blank columns at the right */
#define GAP 2          /* columns before the keys */
#define WHAT_LEAST 16  /* columns for what is at work; if there are fewer, tokens aren't shown */
#define QUEUE_PART 3   /* the queue gets at most this part of the rows */
#define LINE_BYTES 400 /* limit of an event's text shown in one row */

struct ik_activity *ik_activity_new(const struct ik_calls *calls, const struct ik_keymap *keymap)
{
	struct ik_activity *activity = ik_alloc(sizeof(*activity));

	activity->calls = calls;
	activity->keymap = keymap;
	activity->retry_ms = activity->retry_at_ms = NEVER;
	return activity;
}

static void set_text(char **text, char *value)
{
	free(*text);
	*text = value;
}

static void end_retry(struct ik_activity *activity)
{
	activity->retry_ms = activity->retry_at_ms = NEVER;
	set_text(&activity->reason, NULL);
}

void ik_activity_clear(struct ik_activity *activity)
{
	end_retry(activity);
	set_text(&activity->loading_for, NULL);
	set_text(&activity->queued, NULL);
	set_text(&activity->search, NULL);
	activity->queued_count = 0;
	activity->turn = activity->failed = activity->loading = activity->held = false;
}

struct ik_activity *ik_activity_free(struct ik_activity *activity)
{
	if (!activity)
		return NULL;
	ik_activity_clear(activity);
	free(activity);
	return NULL;
}

/* ---- events ---- */

static char *line_of(const struct ik_event *event, size_t most)
{
	return ik_pane_line(event->text, event->text_length < most ? event->text_length : most);
}

/* End the wait and the retry, after a sign of life or an end. */
static void end_wait(struct ik_activity *activity)
{
	end_retry(activity);
	activity->loading = false;
}

static void note_wait(struct ik_activity *activity, const struct ik_event *event)
{
	activity->loading = !event->text || event->text_length > 0;
	set_text(&activity->loading_for, event->text ? line_of(event, LINE_BYTES) : NULL);
	if (!activity->loading)
		end_retry(activity); /* of a summary that was given up */
}

static void note_retry(struct ik_activity *activity, const struct ik_event *event)
{
	end_retry(activity);
	activity->retry_ms = event->delay_ms > 0 ? event->delay_ms : 0;
	activity->attempt = event->attempt;
	activity->attempts = event->attempts;
	activity->reason = event->text ? line_of(event, SIZE_MAX) : NULL;
}

static void note_queue(struct ik_activity *activity, const struct ik_event *event)
{
	activity->queued_count = event->count;
	activity->held = event->held;
	set_text(&activity->queued,
		event->count > 0 ? ik_strndup(event->text, event->text_length) : NULL);
}

static void note_turn(struct ik_activity *activity, const struct ik_event *event)
{
	activity->turn = event->kind == IK_EVENT_TURN_STARTED;
	activity->failed = !activity->turn && event->stop == IK_TURN_STOP_ERROR;
	activity->loading = false;
	end_retry(activity);
	activity->model = IK_PHASE_REQUEST;
	if (activity->turn)
		activity->input_tokens = activity->output_tokens = 0;
}

static void note_model(struct ik_activity *activity, const struct ik_event *event,
	enum ik_phase phase)
{
	bool searches = event->kind == IK_EVENT_SEARCH;

	activity->model = phase;
	if (searches || activity->search)
		set_text(&activity->search,
			searches ? ik_pane_line(event->detail, strnlen(event->detail, LINE_BYTES)) : NULL);
}

void ik_activity_apply(struct ik_activity *activity, const struct ik_event *event)
{
	switch (event->kind) {
	case IK_EVENT_LOCK: /* another ikigai writes the session now */
		activity->failed = activity->failed && event->lock != IK_LOCK_CHANGE_OTHERS;
		break;
	case IK_EVENT_TURN_STARTED:
	case IK_EVENT_TURN_DONE:
		note_turn(activity, event);
		break;
	case IK_EVENT_WAITING:
		note_wait(activity, event);
		break;
	case IK_EVENT_ROUND_STARTED:
		end_wait(activity);
		note_model(activity, event, IK_PHASE_REQUEST);
		break;
	case IK_EVENT_THINKING:
	case IK_EVENT_SEARCH:
		note_model(activity, event, IK_PHASE_THINKING);
		break;
	case IK_EVENT_TEXT:
	case IK_EVENT_CALL_PROGRESS:
		note_model(activity, event, IK_PHASE_WRITING);
		break;
	case IK_EVENT_TOOL_STARTED:
		activity->loading = activity->loading && event->round > 0;
		break;
	case IK_EVENT_USAGE:
		activity->input_tokens += event->usage.input_tokens;
		activity->output_tokens += event->usage.output_tokens;
		break;
	case IK_EVENT_RETRY:
		note_retry(activity, event);
		break;
	case IK_EVENT_QUEUED:
		note_queue(activity, event);
		break;
	default:
		break;
	}
}

/* ---- time ---- */

bool ik_activity_is_busy(const struct ik_activity *activity)
{
	return activity->turn || activity->loading || ik_calls_running(activity->calls) > 0;
}

static struct ik_shown_call *running_call(const struct ik_activity *activity)
{
	size_t left = ik_calls_running(activity->calls);
	struct ik_shown_call *found = NULL;

	for (size_t i = ik_calls_count(activity->calls); left > 0 && i-- > 0;) {
		struct ik_shown_call *call = ik_calls_at(activity->calls, i);

		if (call->stage != IK_STAGE_RUNNING)
			continue;
		found = call;
		left--;
	}
	return found;
}

static enum ik_phase phase_of(const struct ik_activity *activity, bool asking)
{
	if (asking)
		return IK_PHASE_ASKING;
	if (!ik_activity_is_busy(activity))
		return IK_PHASE_IDLE;
	if (activity->retry_at_ms != NEVER)
		return IK_PHASE_RETRY;
	if (activity->loading)
		return IK_PHASE_LOADING;
	return ik_calls_running(activity->calls) > 0 ? IK_PHASE_RUNNING : activity->model;
}

/* Does the row change by itself? A question waits without any sign of that. */
static bool moves(const struct ik_activity *activity)
{
	return activity->phase != IK_PHASE_IDLE && activity->phase != IK_PHASE_ASKING;
}

/* Return the number of steps that the mark has made. */
static int64_t step_of(const struct ik_activity *activity)
{
	return moves(activity) ? (activity->now_ms - activity->since_ms) / STEP_MS : 0;
}

bool ik_activity_tick(struct ik_activity *activity, int64_t now_ms, bool asking)
{
	activity->now_ms = now_ms;
	if (activity->retry_ms != NEVER)
		activity->retry_at_ms = now_ms + activity->retry_ms;
	activity->retry_ms = NEVER;
	if (activity->retry_at_ms != NEVER && now_ms >= activity->retry_at_ms) {
		end_retry(activity);
		activity->model = IK_PHASE_REQUEST;
	}
	enum ik_phase phase = phase_of(activity, asking);
	bool changed = phase != activity->phase;

	if (changed)
		activity->since_ms = now_ms;
	activity->phase = phase;
	return changed || step_of(activity) != activity->drawn_step;
}

int64_t ik_activity_next(const struct ik_activity *activity)
{
	if (!moves(activity))
		return NEVER;
	int64_t next = STEP_MS - (activity->now_ms - activity->since_ms) % STEP_MS;
	int64_t left = activity->retry_at_ms - activity->now_ms;

	return activity->retry_at_ms != NEVER && left < next ? left : next;
}

/* ---- what the row says ---- */

/* Append how long the phase has lasted, or the call. */
static void put_elapsed(const struct ik_activity *activity, struct ik_buf *out)
{
	const struct ik_shown_call *call = running_call(activity);
	int64_t since = activity->since_ms;

	if (activity->phase == IK_PHASE_RUNNING && call)
		since = call->started_ms < 0 ? activity->now_ms : call->started_ms;
	ik_elapsed_put(out, (activity->now_ms - since) / 1000);
}

static void put_calls(const struct ik_activity *activity, struct ik_buf *out)
{
	size_t count = ik_calls_running(activity->calls), length;
	struct ik_shown_call *call = running_call(activity);

	if (count != 1) {
		ik_buf_printf(out, ngettext("Running %zu tool", "Running %zu tools", count), count);
		return;
	}
	const char *line = ik_call_line(call, &length);
	size_t sign = ik_text_starts(line, "$ ") ? 2 : call->own && line[0] == '!';

	if (sign > 0)
		/* Translators: a command line. */
		ik_buf_printf(out, _("Running %.*s"), (int)(length - sign), line + sign);
	else
		ik_buf_append(out, line, length);
}

static void put_retry(const struct ik_activity *activity, struct ik_buf *out)
{
	int64_t left = activity->retry_at_ms - activity->now_ms;
	struct ik_buf time;

	ik_buf_init(&time, IK_KIB(1));
	ik_elapsed_put(&time, left > 0 ? (left + 999) / 1000 : 0);
	/* Translators: of a request that failed. "%s" is a time, "9s". */
	ik_buf_printf(out, _("Attempt %d of %d in %s"), activity->attempt, activity->attempts,
		time.data);
	ik_buf_done(&time);
}

static void put_work(const struct ik_activity *activity, const char *model, struct ik_buf *out)
{
	switch (activity->phase) {
	case IK_PHASE_LOADING:
		ik_buf_puts(out, activity->loading_for ? activity->loading_for : _("Loading tools…"));
		break;
	case IK_PHASE_REQUEST:
		ik_buf_printf(out, _("Waiting for %s"), model ? model : "");
		break;
	case IK_PHASE_THINKING:
		if (activity->search && *activity->search)
			ik_buf_printf(out, _("Searching the web: %s"), activity->search);
		else
			ik_buf_puts(out, activity->search ? _("Searching the web") : _("Thinking"));
		break;
	case IK_PHASE_WRITING:
		ik_buf_puts(out, _("Writing"));
		break;
	case IK_PHASE_RUNNING:
		put_calls(activity, out);
		break;
	case IK_PHASE_RETRY:
		put_retry(activity, out);
		break;
	case IK_PHASE_ASKING:
		ik_buf_puts(out, _("Waiting for your answer"));
		break;
	case IK_PHASE_IDLE:
		break;
	}
}

/* Append what is at work, or what waits for a key. */
static void put_what(const struct ik_activity *activity, const char *model, struct ik_buf *out)
{
	size_t count = activity->queued_count;

	if (ik_activity_is_busy(activity))
		put_work(activity, model, out);
	else if (activity->held)
		ik_buf_printf(out, ngettext("%zu message is held", "%zu messages are held", count), count);
	else if (activity->failed)
		ik_buf_puts(out, _("The turn failed"));
}

/* Append the facts: how long, how many tokens. */
static void put_facts(const struct ik_activity *activity, bool tokens, struct ik_buf *out)
{
	if (!moves(activity))
		return;
	if (activity->phase != IK_PHASE_RETRY) {
		ik_buf_puts(out, " · ");
		put_elapsed(activity, out);
	}
	if (!tokens || activity->output_tokens <= 0)
		return;
	ik_buf_puts(out, " · ↑");
	ik_tokens_put(out, activity->input_tokens);
	ik_buf_puts(out, " ↓");
	ik_tokens_put(out, activity->output_tokens);
}

/* Append the keys that act on what is at work or waits. */
static void put_keys(const struct ik_activity *activity, const struct ik_activity_view *view,
	int columns, struct ik_buf *out)
{
	struct ik_key_hint hints[4] = { { IK_ACTION_NONE, IK_ACTION_NONE, NULL, 0 } };
	size_t count = 0;
	bool busy = ik_activity_is_busy(activity), queued = activity->queued_count > 0;

	if (view->prompt && !busy && (queued || activity->failed))
		hints[count++] = (struct ik_key_hint){ IK_ACTION_SEND, IK_ACTION_NONE,
			queued ? N_("to send") : N_("to try again"), 1 };
	if (view->prompt && queued)
		hints[count++] = (struct ik_key_hint){ IK_ACTION_UP, IK_ACTION_NONE, N_("to take back"),
			2 };
	if (busy)
		hints[count++] = (struct ik_key_hint){ view->stop, IK_ACTION_NONE,
			activity->phase == IK_PHASE_RETRY ? N_("to give up") : N_("to stop"), 1 };
	ik_keymap_put_hints(activity->keymap, IK_IN_EDITOR, hints, columns, out);
}

/* ---- rows ---- */

/* Is there a row besides those of the retry's reason and the queue? */
static bool has_head(const struct ik_activity *activity)
{
	return ik_activity_is_busy(activity) || activity->held || activity->failed;
}

static int reason_rows(const struct ik_activity *activity, int columns)
{
	const char *text = activity->phase == IK_PHASE_RETRY ? activity->reason : NULL;

	return text ? ik_pane_rows(text, strlen(text), columns - INDENT - EDGE) : 0;
}

int ik_activity_rows(const struct ik_activity *activity, int columns, int most)
{
	int share = most / QUEUE_PART > 0 ? most / QUEUE_PART : 1;
	int queued = activity->queued_count < (size_t)share ? (int)activity->queued_count : share;
	int rows = has_head(activity) + reason_rows(activity, columns) + queued;

	return rows < most ? rows : most;
}

static const char *mark_of(const struct ik_activity *activity, enum ik_style *ret_style)
{
	static const char *const turning[] = { "◐", "◓", "◑", "◒" };
	bool stopped = !ik_activity_is_busy(activity);

	*ret_style = stopped && activity->failed ? IK_STYLE_BAD
		: activity->phase == IK_PHASE_RETRY  ? IK_STYLE_WARNING
											 : IK_STYLE_ACCENT;
	if (stopped || activity->phase == IK_PHASE_RETRY)
		return activity->failed || !stopped ? "▲" : "◌";
	return moves(activity) ? turning[step_of(activity) % 4] : "◌";
}

/* Draw the row: what, for how long, and the keys at the right. */
static void draw_head(const struct ik_activity *activity, const struct ik_activity_view *view,
	struct ik_cells *cells, struct ik_rectangle row)
{
	struct ik_buf what, facts, keys;
	enum ik_style style;
	const char *mark = mark_of(activity, &style);
	int room = row.columns - INDENT - EDGE, column = row.column + INDENT;

	ik_buf_init(&what, IK_KIB(16));
	ik_buf_init(&facts, IK_KIB(1));
	ik_buf_init(&keys, IK_KIB(1));
	put_keys(activity, view, room - WHAT_LEAST, &keys);
	if (keys.length > 0)
		room -= (int)ik_utf8_width(keys.data, keys.length) + GAP;
	put_what(activity, view->model, &what);
	put_facts(activity, true, &facts);
	if (room - (int)ik_utf8_width(facts.data, facts.length) < WHAT_LEAST) {
		ik_buf_clear(&facts);
		put_facts(activity, false, &facts);
	}
	struct ik_rectangle text = row;

	text.columns = INDENT + room - (int)ik_utf8_width(facts.data, facts.length);
	ik_cells_label(cells, row, row.row, row.column, style, mark);
	column = ik_cells_label(cells, text, row.row, column, IK_STYLE_NORMAL, what.data);
	ik_cells_label(cells, row, row.row, column, IK_STYLE_DIM, facts.data);
	if (keys.length > 0)
		ik_cells_hints(cells, row, row.row, row.column + INDENT + room + GAP, IK_STYLE_BOLD,
			IK_STYLE_DIM, keys.data);
	ik_buf_done(&what);
	ik_buf_done(&facts);
	ik_buf_done(&keys);
}

/* Draw as much of the reason as there are rows; only the last one may be cut. */
static void draw_reason(const struct ik_activity *activity, struct ik_cells *cells,
	struct ik_rectangle area)
{
	const char *text = activity->reason;
	struct ik_rectangle row = { area.row, area.column, 1, area.columns - EDGE };

	for (; row.row < area.row + area.rows; row.row++) {
		struct ik_row part = ik_wrap_row(text, strlen(text), area.columns - INDENT - EDGE);
		bool last = row.row + 1 == area.row + area.rows;
		char *label = ik_strndup(text, last ? strlen(text) : part.shown);

		ik_cells_label(cells, row, row.row, row.column + INDENT, IK_STYLE_OUTPUT, label);
		free(label);
		text += part.taken;
	}
}

/* Draw the queued messages: the newest if there are more than rows. */
static void draw_queue(const struct ik_activity *activity, struct ik_cells *cells,
	struct ik_rectangle area)
{
	size_t rows = (size_t)area.rows, skipped = activity->queued_count - rows;
	const char *line = activity->queued;
	int column = area.column + INDENT;
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	/* The first of several rows counts the messages that have no row. */
	if (skipped > 0 && rows > 1) {
		skipped++;
		ik_buf_printf(&out, ngettext("%zu more before that", "%zu more before that", skipped),
			skipped);
		ik_cells_label(cells, area, area.row, column, IK_STYLE_DIM, out.data);
		area.row++;
	}
	for (; skipped > 0 && *line; skipped--)
		line += strcspn(line, "\n") + 1;
	for (; line && *line; area.row++) {
		size_t length = strcspn(line, "\n");
		char *label = ik_strndup(line, length);

		ik_buf_clear(&out);
		ik_buf_printf(&out, activity->held ? _("held: %s") : _("queued: %s"), label);
		ik_cells_label(cells, area, area.row, column, IK_STYLE_DIM, out.data);
		free(label);
		line += length + (line[length] == '\n');
	}
	ik_buf_done(&out);
}

void ik_activity_draw(struct ik_activity *activity, const struct ik_activity_view *view,
	struct ik_cells *cells, struct ik_rectangle area)
{
	bool queued = activity->queued_count > 0;
	struct ik_rectangle head = area, reason = area;

	activity->drawn_step = step_of(activity);
	if (area.rows == 0)
		return;
	head.rows = has_head(activity);
	reason.row += head.rows;
	reason.rows = reason_rows(activity, area.columns);
	int room = area.rows - head.rows - queued;

	if (reason.rows > room)
		reason.rows = room > 0 ? room : 0;
	if (head.rows > 0)
		draw_head(activity, view, cells, head);
	if (reason.rows > 0)
		draw_reason(activity, cells, reason);
	area.row = reason.row + reason.rows;
	area.rows -= head.rows + reason.rows;
	if (area.rows > (int)activity->queued_count)
		area.rows = (int)activity->queued_count;
	if (area.rows > 0)
		draw_queue(activity, cells, area);
}
