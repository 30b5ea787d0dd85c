#include "tui/screen/screen.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tui/screen/screen_private.h"
#include "tui/screen/welcome.h"
#include "tui/text/markdown.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define PROMPT "> "

/* A copy of a text that may be NULL, in place of an old one. */
static void set_text(char **text, const char *value)
{
	char *copy = value ? ik_strdup(value) : NULL;

	free(*text);
	*text = copy;
}

/* Show the welcome in an empty conversation. */
static void add_welcome(struct ik_screen *screen)
{
	screen->welcome = ik_welcome_block(screen->provider, screen->keymap, screen->utf8);
	ik_scrollback_add(screen->scrollback, screen->welcome);
}

/* Write down the keys that the status bar shows. */
static void name_keys(struct ik_screen *screen)
{
	static const struct ik_key_hint hints[] = {
		{ IK_ACTION_HELP, IK_ACTION_NONE, N_("help"), 1 },
		{ IK_ACTION_BROWSER, IK_ACTION_NONE, N_("tools"), 1 },
		{ IK_ACTION_INSPECTOR, IK_ACTION_NONE, N_("inspector"), 1 },
		{ IK_ACTION_SESSIONS, IK_ACTION_NONE, N_("sessions"), 1 },
	};
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	ik_keymap_put_hints(screen->keymap, IK_IN_EDITOR, hints, sizeof(hints) / sizeof(*hints),
		INT_MAX, &out);
	screen->bar.keys = screen->bar_keys = ik_buf_take(&out, NULL);
	if (ik_keymap_put_key(screen->keymap, IK_IN_EDITOR, IK_ACTION_INSPECTOR, &out))
		ik_calls_set_open_key(screen->calls, out.data);
	ik_buf_done(&out);
	char *key = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR, IK_ACTION_INTERRUPT);
	screen->quit_hint = ik_format(_("Press %s again to quit"), key);
	free(key);
}

struct ik_screen *ik_screen_new(const struct ik_screen_options *options)
{
	struct ik_screen *screen = ik_alloc(sizeof(*screen));

	screen->utf8 = options->utf8;
	screen->markdown = options->markdown;
	screen->inspector_wish = options->inspector;
	screen->hide_thinking = options->hide_thinking;
	screen->tool_lines = options->tool_lines;
	screen->bar.utf8 = options->utf8;
	screen->bar.usage.cost = -1;
	screen->rows = 24;
	screen->columns = 80;
	screen->dirty = true;
	screen->quit_until_ms = IK_NEVER;
	screen->press.ms = IK_NEVER;
	ik_buf_init(&screen->submitted, IK_LIMIT_USER_TEXT);
	screen->calls = ik_calls_new();
	screen->queue = ik_queue_new();
	screen->turn = ik_turn_status_new(screen->calls);
	screen->scrollback = ik_scrollback_new();
	screen->keymap = ik_keymap_new_with(options->keys);
	name_keys(screen);
	screen->dialog = ik_dialog_new(screen->keymap, options->utf8);
	screen->prompt = ik_prompt_new(screen->keymap, options->history_path, options->preselect);
	ik_screen_make_panes(screen, options);
	ik_screen_set_model(screen, options->provider, options->model);
	add_welcome(screen);
	return screen;
}

struct ik_screen *ik_screen_free(struct ik_screen *screen)
{
	if (!screen)
		return NULL;
	screen->find = ik_find_free(screen->find);
	screen->help_find = ik_find_free(screen->help_find);
	screen->prompt = ik_prompt_free(screen->prompt);
	screen->dialog = ik_dialog_free(screen->dialog);
	ik_screen_free_panes(screen);
	screen->scrollback = ik_scrollback_free(screen->scrollback);
	screen->turn = ik_turn_status_free(screen->turn);
	screen->calls = ik_calls_free(screen->calls);
	screen->keymap = ik_keymap_free(screen->keymap);
	ik_buf_done(&screen->submitted);
	free(screen->bar_keys);
	free(screen->quit_hint);
	ik_buf_done(&screen->copied);
	free(screen->flash);
	ik_screen_place_forget(screen);
	free(screen->provider);
	free(screen->model);
	free(screen->title);
	free(screen->store);
	screen->queue = ik_queue_free(screen->queue);
	free(screen->live);
	free(screen);
	return NULL;
}

struct ik_block *ik_screen_dress(const struct ik_screen *screen, struct ik_block *block)
{
	if (block)
		block->lines = screen->tool_lines;
	if (block && block->kind == IK_BLOCK_ASSISTANT)
		ik_block_set_renderer(block, screen->markdown ? &ik_renderer_markdown : &ik_renderer_plain);
	return block;
}

void ik_screen_drop_welcome(struct ik_screen *screen)
{
	if (!screen->welcome)
		return;
	ik_scrollback_drop_first(screen->scrollback);
	screen->welcome = NULL;
	ik_find_restart(screen->find); /* older messages get the number that it had */
}

void ik_screen_set_scan(struct ik_screen *screen, enum ik_scan_state state, size_t done,
	size_t total)
{
	struct ik_status_bar *bar = &screen->bar;

	if (bar->scan == state && bar->scan_done == done && bar->scan_total == total)
		return;
	bar->scan = state;
	bar->scan_done = done;
	bar->scan_total = total;
	screen->dirty = true;
}

void ik_screen_set_registry(struct ik_screen *screen, struct ik_registry *registry)
{
	ik_browser_set_registry(screen->browser, registry);
	screen->bar.tools = ik_registry_ok_count(registry);
	screen->bar.tools_failed = ik_registry_failed_count(registry);
	screen->dirty = true;
}

void ik_screen_set_model(struct ik_screen *screen, const char *provider, const char *model)
{
	set_text(&screen->provider, provider);
	set_text(&screen->model, model);
	screen->bar.provider = screen->provider;
	screen->bar.model = screen->model;
	ik_browser_measure(screen->browser);
	screen->dirty = true;
}

void ik_screen_set_store(struct ik_screen *screen, const char *name)
{
	set_text(&screen->store, name);
	ik_calls_set_stored(screen->calls, strcmp(name, "memory") != 0);
	screen->bar.store = screen->store;
	screen->dirty = true;
}

void ik_screen_set_mode(struct ik_screen *screen, const char *mode, bool strong)
{
	screen->bar.mode = mode;
	screen->bar.mode_strong = strong;
	screen->dirty = true;
}

void ik_screen_set_background(struct ik_screen *screen, int processes)
{
	if (screen->bar.background == processes)
		return;
	screen->bar.background = processes;
	screen->dirty = true;
}

void ik_screen_blob_arrived(struct ik_screen *screen)
{
	ik_inspector_part_arrived(screen->inspector);
	screen->dirty = true;
}

void ik_screen_clear(struct ik_screen *screen)
{
	ik_find_end(screen->find);
	ik_scrollback_clear(screen->scrollback);
	screen->clears++;
	screen->live_count = 0;
	screen->live_open = false;
	screen->last_reply = NULL;
	add_welcome(screen);
	screen->dirty = true;
}

void ik_screen_begin(struct ik_screen *screen)
{
	ik_screen_clear(screen);
	ik_inspector_forget(screen->inspector);
	ik_calls_clear(screen->calls);
	screen->turn_seen = false;
	screen->bar.usage = (struct ik_usage){ .cost = -1 };
	screen->bar.context = 0;
	screen->older = screen->told_any = false;
	ik_screen_title_begin(screen);
}

void ik_screen_flash(struct ik_screen *screen, const char *sentence)
{
	set_text(&screen->flash, sentence);
	screen->dirty = true;
}

void ik_screen_on_complete(struct ik_screen *screen, ik_completer *completer, void *arg)
{
	ik_prompt_on_complete(screen->prompt, completer, arg);
}

void ik_screen_candidates_changed(struct ik_screen *screen)
{
	/* Also where nothing is shown yet: what was asked for may have come only now. */
	screen->dirty |= ik_prompt_update(screen->prompt);
}

const char *ik_screen_draft(const struct ik_screen *screen, size_t *ret_length)
{
	return ik_editor_text(ik_prompt_editor(screen->prompt), ret_length);
}

void ik_screen_set_draft(struct ik_screen *screen, const char *text, size_t length)
{
	ik_prompt_set(screen->prompt, text, length);
	screen->dirty = true;
}

bool ik_screen_busy(const struct ik_screen *screen)
{
	return ik_turn_status_busy(screen->turn);
}

/* Return what is going on, and the second to be shown of it. */
static enum ik_activity activity(const struct ik_screen *screen, int64_t *ret_second)
{
	enum ik_activity activity = ik_turn_status_activity(screen->turn, ret_second);

	if (ik_dialog_count(screen->dialog) == 0)
		return activity;
	*ret_second = 0;
	return IK_ACTIVITY_ASKING;
}

void ik_screen_update_bar(struct ik_screen *screen)
{
	struct ik_status_bar *bar = &screen->bar;

	bar->activity = activity(screen, &bar->seconds);
	bar->now_ms = screen->now_ms;
	bar->tool = NULL;
	bar->waiting_for = ik_turn_status_waiting_for(screen->turn);
	bar->tools_running = ik_calls_running(screen->calls);
	bar->hint = ik_screen_quit_pending(screen) ? screen->quit_hint
											   : ik_keymap_pending(screen->keymap);
	const struct ik_shown_call *call = ik_turn_status_call(screen->turn);

	if (!call || (bar->activity != IK_ACTIVITY_RUNNING && bar->activity != IK_ACTIVITY_ASKING))
		return;
	if (bar->tools_running == 1)
		bar->tool = call->name;
	bar->seconds = call->started_ms < 0 ? 0 : (screen->now_ms - call->started_ms) / 1000;
}

/* Give their start to what began since the last tick. */
static void start_clocks(struct ik_screen *screen, int64_t now_ms)
{
	ik_calls_tick(screen->calls, now_ms);
	for (size_t i = 0; i < screen->live_count; i++)
		screen->dirty |= ik_block_tick(screen->live[i], now_ms);
	if (screen->quit_asked)
		screen->quit_until_ms = now_ms + IK_QUIT_WINDOW_MS;
	screen->quit_asked = false;
}

/* End what has run out. */
static void stop_clocks(struct ik_screen *screen, int64_t now_ms)
{
	if (screen->quit_until_ms != IK_NEVER && now_ms >= screen->quit_until_ms) {
		screen->quit_until_ms = IK_NEVER;
		screen->dirty = true;
	}
	screen->dirty |= ik_turn_status_tick(screen->turn, now_ms);
}

bool ik_screen_quit_pending(const struct ik_screen *screen)
{
	return screen->quit_asked || screen->quit_until_ms != IK_NEVER;
}

/* Milliseconds until the second that is shown changes; -1: it does not. */
static int64_t next_second(const struct ik_screen *screen)
{
	bool asking = ik_dialog_count(screen->dialog) > 0 && ik_calls_running(screen->calls) == 0;

	return asking ? -1 : ik_turn_status_next_second(screen->turn);
}

int64_t ik_screen_tick(struct ik_screen *screen, int64_t now_ms)
{
	screen->now_ms = now_ms;
	char *problem = ik_prompt_take_problem(screen->prompt);

	if (problem)
		ik_screen_say(screen, problem);
	free(problem);
	start_clocks(screen, now_ms);
	stop_clocks(screen, now_ms);
	ik_screen_update_bar(screen);
	if (screen->bar.seconds != screen->shown_second) {
		screen->shown_second = screen->bar.seconds;
		screen->dirty = true;
	}
	bool changed = false, more = ik_find_work(screen->find, &changed);

	more = ik_find_work(screen->help_find, &changed) || more;

	if (screen->side && screen->side->ops->work && screen->side->ops->work(screen->side, &changed))
		more = true;
	int64_t asked = ik_dialog_tick(screen->dialog, now_ms, !screen->help_open, &changed);
	screen->dirty = screen->dirty || changed;
	int64_t next = more ? 0 : next_second(screen);
	next = next < 0 || (asked >= 0 && asked < next) ? asked : next;
	int64_t agents = ik_screen_agents_tick(screen);
	next = next < 0 || (agents >= 0 && agents < next) ? agents : next;
	if (screen->quit_until_ms != IK_NEVER) {
		int64_t left = screen->quit_until_ms - now_ms;

		next = next < 0 || left < next ? left : next;
	}
	return next;
}

void ik_screen_resize(struct ik_screen *screen, int rows, int columns)
{
	ik_find_hold(screen->find);
	ik_find_hold(screen->help_find);
	screen->rows = rows > 0 ? rows : 1;
	screen->columns = columns > 0 ? columns : 1;
	ik_screen_withdraw_inspector(screen);
	ik_screen_offer_inspector(screen, IK_INSPECTOR_OPEN, IK_WIDE_COLUMNS);
	screen->dirty = true;
}

void ik_screen_touch(struct ik_screen *screen)
{
	screen->dirty = true;
}

bool ik_screen_dirty(const struct ik_screen *screen)
{
	return screen->dirty;
}

/* Columns of the editor's text. */
static int editor_height(const struct ik_screen *screen)
{
	int columns = screen->columns - (int)strlen(PROMPT);

	return ik_editor_height(ik_prompt_front(screen->prompt), columns > 0 ? columns : 1);
}

struct ik_layout ik_screen_layout(const struct ik_screen *screen)
{
	bool pane = screen->side && !screen->help_open;
	int editor_rows = editor_height(screen),
		queue_rows = ik_queue_rows(screen->queue, screen->rows);
	struct ik_layout layout = ik_layout_make(screen->rows, screen->columns, pane, editor_rows,
		queue_rows, 0);

	if (layout.too_small || screen->help_open || ik_dialog_count(screen->dialog) == 0)
		return layout;
	int most = ik_layout_dialog_rows(layout.queue.row);
	/* A question whose text has no row could only be denied: queued messages make room. */
	if (most < ik_dialog_least_rows(screen->dialog, screen->columns)) {
		most = ik_layout_dialog_rows(layout.rule.row);
		queue_rows = 0;
	}
	int rows = ik_dialog_rows(screen->dialog, screen->columns, most);

	return ik_layout_make(screen->rows, screen->columns, pane, editor_rows, queue_rows, rows);
}

/* The pane beside the scrollback or in its place. */
static void draw_pane(struct ik_screen *screen, struct ik_cells *cells,
	const struct ik_layout *layout, int *ret_row, int *ret_column)
{
	const char *bar = screen->utf8 ? "│" : "|";
	bool focus = ik_screen_focus(screen) == IK_FOCUS_PANE;
	enum ik_style frame = focus ? IK_STYLE_FRAME_FOCUS : IK_STYLE_FRAME;

	for (int row = 0; row < layout->divider.rows; row++)
		ik_cells_text(cells, layout->divider, row, layout->divider.column, frame, bar, strlen(bar));
	if (screen->side)
		screen->dirty |= screen->side->ops->draw(screen->side, cells, layout->pane, focus,
			&screen->bar, ret_row, ret_column);
}

/* One sentence instead of a screen that nobody could use. */
static void draw_too_small(const struct ik_screen *screen, struct ik_cells *cells)
{
	char *text = ik_format(_("The terminal is too small: %dx%d; ikigai needs at least %dx%d"),
		screen->columns, screen->rows, IK_LEAST_COLUMNS, IK_LEAST_ROWS);

	ik_pane_sentence(cells, (struct ik_rectangle){ 0, 0, screen->rows, screen->columns }, text);
	free(text);
}

/* Draw what stands over the rule, but for questions and candidates. */
static void draw_upper(struct ik_screen *screen, struct ik_cells *cells,
	const struct ik_layout *layout, int *ret_row, int *ret_column)
{
	if (layout->scrollback.rows > 0)
		ik_scrollback_resize(screen->scrollback, layout->scrollback.rows,
			layout->scrollback.columns);
	ik_scrollback_select(screen->scrollback, ik_screen_context(screen) == IK_IN_SCROLLBACK);
	if (screen->help_open)
		ik_screen_draw_help(screen, cells, layout->scrollback);
	else if (layout->scrollback.rows > 0)
		ik_scrollback_draw(screen->scrollback, cells, layout->scrollback);
	draw_pane(screen, cells, layout, ret_row, ret_column);
}

void ik_screen_draw(struct ik_screen *screen, struct ik_cells *cells, int *ret_cursor_row,
	int *ret_cursor_column)
{
	struct ik_layout layout = ik_screen_layout(screen);
	int pane_row = -1, pane_column = -1;

	screen->dirty = false;
	ik_cells_fill(cells, (struct ik_rectangle){ 0, 0, screen->rows, screen->columns },
		IK_STYLE_NORMAL);
	*ret_cursor_row = *ret_cursor_column = -1;
	if (layout.too_small) {
		draw_too_small(screen, cells);
		return;
	}
	draw_upper(screen, cells, &layout, &pane_row, &pane_column);
	ik_queue_draw(screen->queue, cells, layout.queue);
	int row, column, search_column = ik_screen_draw_rule(screen, cells, &layout);
	ik_editor_draw(ik_prompt_front(screen->prompt), cells, layout.editor, PROMPT, &row, &column);
	if (pane_row >= 0) {
		*ret_cursor_row = pane_row;
		*ret_cursor_column = pane_column;
	}
	if (ik_screen_context(screen) == IK_IN_EDITOR) {
		*ret_cursor_row = row;
		*ret_cursor_column = column;
	}
	if (ik_find_is_writing(ik_screen_find(screen)) &&
		(screen->help_open || !ik_dialog_is_open(screen->dialog))) {
		*ret_cursor_row = layout.rule.row;
		*ret_cursor_column = search_column;
	}
	if (layout.dialog.rows > 0)
		ik_dialog_draw(screen->dialog, cells, layout.dialog, ret_cursor_row, ret_cursor_column);
	if (ik_screen_context(screen) == IK_IN_EDITOR)
		ik_prompt_draw_candidates(screen->prompt, cells,
			(struct ik_rectangle){ 0, 0, layout.rule.row, screen->columns }, column);
	ik_screen_update_bar(screen);
	screen->shown_second = screen->bar.seconds;
	ik_status_bar_draw(&screen->bar, cells, layout.status);
}
