#include "tui/screen/linear.h"

#include <stdlib.h>
#include <string.h>

#include "tui/term/ascii.h"
#include "tui/term/osc.h"
#include "tui/text/quantity.h"
#include "tui/text/wrap.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define NEW_LINE "\r\n"
#define SENTENCE_BYTES 200 /* a growing line longer than this is written by sentences */
#define ROWS 400           /* of the screen, so that a pane has all its text */
#define USUAL_COLUMNS 80

/* A block that may still grow. */
struct open {
	struct ik_block *block;
	size_t written;
	bool begun;
};

struct ik_linear {
	bool utf8, ansi, marks;
	struct ik_buf *out; /* output of the current frame */

	const struct ik_block *last; /* last block seen */
	unsigned clears;             /* of the screen, as last seen */
	bool welcomed;
	struct open *open;
	size_t open_count;

	struct ik_buf pane; /* lines of panes as last written */
	struct ik_buf said; /* states of the status bar as last said */
	enum ik_phase phase;

	struct ik_buf line; /* last line as the terminal shows it */
	int row, column;    /* of the cursor in the cells; -1 if hidden */
	int columns;        /* of the current frame */
};

struct ik_linear *ik_linear_new(bool utf8, bool ansi, bool marks)
{
	struct ik_linear *linear = ik_alloc(sizeof(*linear));

	linear->utf8 = utf8;
	linear->ansi = ansi;
	linear->marks = marks;
	linear->row = -1;
	ik_buf_init(&linear->pane, IK_MIB(4));
	ik_buf_init(&linear->said, IK_KIB(4));
	ik_buf_init(&linear->line, IK_KIB(64));
	return linear;
}

struct ik_linear *ik_linear_free(struct ik_linear *linear)
{
	if (!linear)
		return NULL;
	ik_buf_done(&linear->pane);
	ik_buf_done(&linear->said);
	ik_buf_done(&linear->line);
	free(linear->open);
	free(linear);
	return NULL;
}

const char *ik_linear_enter(const struct ik_linear *linear)
{
	return linear->ansi ? "\033[?2004h\033[?1004h" : "";
}

const char *ik_linear_leave(const struct ik_linear *linear)
{
	return linear->ansi ? "\033[?1004l\033[?2004l" NEW_LINE : NEW_LINE;
}

void ik_linear_size(int *rows, int *columns)
{
	*rows = ROWS;
	if (*columns < IK_LEAST_COLUMNS)
		*columns = USUAL_COLUMNS;
	if (*columns >= IK_WIDE_COLUMNS)
		*columns = IK_WIDE_COLUMNS - 1; /* a pane has the full width */
}

/* Erase the last line, to write something else in its place. */
static void clear_line(struct ik_linear *linear)
{
	if (linear->row < 0)
		return;
	ik_buf_puts(linear->out, linear->ansi ? "\r\033[K" : NEW_LINE);
	linear->row = -1;
	ik_buf_clear(&linear->line);
}

/* Append sanitised text, without bars (ik_bar_put()): the number before each says the same. */
static void put(struct ik_linear *linear, const char *text, size_t length)
{
	for (size_t at = 0; at < length;) {
		if (text[at] == '\n') {
			ik_buf_puts(linear->out, NEW_LINE);
			at++;
		} else if (length - at >= 3 && ik_is_bar(text + at)) {
			at += 3;
		} else if (linear->utf8 || (unsigned char)text[at] < 0x80) {
			ik_buf_putc(linear->out, text[at++]);
		} else {
			struct ik_cluster cluster = ik_cluster_next(text + at, length - at);

			ik_buf_putc(linear->out, ik_ascii_for(text + at, cluster.length));
			at += cluster.length;
		}
	}
}

/* Write lines from the left edge, wrapped between words. Terminals wrap inside words, and a
 * screen reader would then read half a word. */
static void put_lines(struct ik_linear *linear, const char *text, size_t length)
{
	while (length > 0) {
		struct ik_row row = ik_wrap_row(text, length, linear->columns);

		put(linear, text, row.shown);
		if (row.taken < length || text[row.taken - 1] == '\n')
			ik_buf_puts(linear->out, NEW_LINE);
		text += row.taken;
		length -= row.taken;
	}
}

/* Write a line that is ikigai's own. */
static void say(struct ik_linear *linear, const char *text)
{
	clear_line(linear);
	put_lines(linear, text, strlen(text));
	ik_buf_puts(linear->out, NEW_LINE);
}

static const char *label(enum ik_block_kind kind)
{
	switch (kind) {
	case IK_BLOCK_USER:
		return _("You:");
	case IK_BLOCK_ASSISTANT:
		return _("Reply:");
	case IK_BLOCK_THINKING:
		return _("Thinking:");
	case IK_BLOCK_NOTICE:
		return _("Notice:");
	case IK_BLOCK_ERROR:
		return _("Error:");
	default:
		return NULL;
	}
}

/* Return how much of a growing text can be written: whole lines, and sentences of a long one. */
static size_t ready(const char *text, size_t length)
{
	size_t end = length;

	while (end > 0 && text[end - 1] != '\n')
		end--;
	if (length - end < SENTENCE_BYTES)
		return end;
	for (size_t at = length - 1; at > end; at--)
		if (text[at] == ' ' && strchr(".!?:;", text[at - 1]))
			return at;
	return end;
}

/* Have the terminal remember this place if it can, for its own keys that jump there. */
static void put_mark(struct ik_linear *linear, const struct ik_block *block, const char *mark)
{
	if (linear->marks && block->kind == IK_BLOCK_USER)
		ik_buf_puts(linear->out, mark);
}

/* Write the new part of a text; return true if it is complete. */
static bool write_text(struct ik_linear *linear, struct open *open)
{
	struct ik_block *block = open->block;
	bool growing = block->growing;

	ik_block_prepare(block);
	if (open->written > block->length)
		open->written = block->length;
	const char *text = block->text + open->written;
	size_t length = block->length - open->written;
	size_t count = growing ? ready(text, length) : length;

	if (count > 0) {
		clear_line(linear);
		if (!open->begun)
			put_mark(linear, block, IK_OSC_QUESTION);
		if (!open->begun && label(block->kind))
			say(linear, label(block->kind));
		open->begun = true;
		open->written += count;
		while (count > 0 && (text[count - 1] == '\n' || text[count - 1] == ' '))
			count--;
		if (*text == ' ' && count > 0 && open->written > count + 1) {
			text++;
			count--;
		}
		put_lines(linear, text, count);
		ik_buf_puts(linear->out, NEW_LINE);
		put_mark(linear, block, IK_OSC_ANSWER);
	}
	return !growing;
}

/* Announce a call, and its result; return true if it has ended. */
static bool write_call(struct ik_linear *linear, struct open *open)
{
	struct ik_shown_call *call = open->block->call;
	struct ik_buf text;
	size_t head, tail, length;
	const char *line;
	bool over = call->stage == IK_STAGE_OK || call->stage == IK_STAGE_FAILED;

	if (call->stage < IK_STAGE_RUNNING)
		return false;
	if (!open->begun) {
		line = ik_call_line(call, &length);
		char *sentence = ik_format("%s%.*s", _("Running tool "), (int)length, line);
		say(linear, sentence);
		free(sentence);
		open->begun = true;
	}
	if (!over)
		return false;
	ik_buf_init(&text, IK_MIB(4));
	ik_call_text(call, IK_CALL_LINES, &text, &head, &tail);
	say(linear, call->stage == IK_STAGE_OK ? _("The tool has ended:") : _("The tool has failed:"));
	head += strcspn(text.data + head, "\n"); /* what follows the name is visual only */
	head += strspn(text.data + head, "\n");
	put_lines(linear, text.data + head, text.length - head);
	ik_buf_puts(linear->out, NEW_LINE);
	ik_buf_done(&text);
	return true;
}

/* Find new blocks at the end. Blocks added in front are not written. */
static void find_new(struct ik_linear *linear, const struct ik_screen_parts *screen)
{
	const struct ik_scrollback *scrollback = screen->scrollback;
	size_t count = ik_scrollback_count(scrollback), first = count;

	if (linear->clears != screen->clears) {
		linear->clears = screen->clears;
		linear->open_count = 0;
		linear->last = NULL;
		linear->welcomed = false;
	}
	while (first > 0 && ik_scrollback_at(scrollback, first - 1) != linear->last)
		first--;
	for (size_t i = first; i < count; i++) {
		struct ik_block *block = ik_scrollback_at(scrollback, i);

		linear->open = ik_alloc_more(linear->open, linear->open_count, sizeof(*linear->open));
		linear->open[linear->open_count++] = (struct open){ .block = block };
		linear->last = block;
	}
}

/* Write what is new in the open blocks; texts in their order. */
static void write_blocks(struct ik_linear *linear)
{
	size_t kept = 0;
	bool waits = false;

	for (size_t i = 0; i < linear->open_count; i++) {
		struct open *open = &linear->open[i];
		bool done = false;

		if (open->block->kind == IK_BLOCK_CALL)
			done = write_call(linear, open);
		else if (!waits)
			done = write_text(linear, open);
		waits |= !done && open->block->kind != IK_BLOCK_CALL;
		if (!done)
			linear->open[kept++] = *open;
	}
	linear->open_count = kept;
}

/* Is it a box-drawing character, or the bar of what has focus? */
static bool is_frame(const struct ik_cell *cell)
{
	return cell->length == 3 && cell->text[0] == '\xE2' &&
		(cell->text[1] == '\x94' || cell->text[1] == '\x95' || memcmp(cell->text, "▌", 3) == 0);
}

/* Read part of a row. mark: put "* " before what is selected, a row of a list or one of a question's
 * choices. */
static void read_row(const struct ik_cells *cells, int row, int column, int columns, bool mark,
	struct ik_buf *out)
{
	size_t end = 0;

	ik_buf_clear(out);
	for (int i = column; i < column + columns; i++) {
		const struct ik_cell *cell = ik_cells_at(cells, row, i);

		if (cell->width == 0)
			continue;
		if (is_frame(cell) || (cell->length == 1 && cell->text[0] == ' ')) {
			if (out->length > 0)
				ik_buf_putc(out, ' ');
			continue;
		}
		if (mark && cell->style == IK_STYLE_SELECTION)
			ik_buf_puts(out, "* ");
		mark = mark && cell->style != IK_STYLE_SELECTION;
		ik_buf_append(out, cell->text, cell->length);
		end = out->length;
	}
	ik_buf_truncate(out, end);
}

/* Is a line among these lines, each of which is between line feeds? */
static bool is_among(const struct ik_buf *lines, const struct ik_buf *line)
{
	return lines->length > 0 && memmem(lines->data, lines->length, line->data, line->length);
}

/* Shorten runs of blanks to two. Columns are only visual, and the label before a line as wide as
 * the screen would make it wrap. */
static void squeeze(struct ik_buf *line)
{
	size_t length = 0, blanks = 0;

	for (size_t at = 0; at < line->length; at++) {
		blanks = line->data[at] == ' ' ? blanks + 1 : 0;
		if (blanks <= 2)
			line->data[length++] = line->data[at];
	}
	ik_buf_truncate(line, length);
}

/* Append the lines of a rectangle to those of the panes, and write the new ones. */
static void write_area(struct ik_linear *linear, const struct ik_cells *cells,
	struct ik_rectangle area, struct ik_buf *lines)
{
	struct ik_buf text, line;

	ik_buf_init(&text, IK_KIB(64));
	ik_buf_init(&line, IK_KIB(64));
	for (int row = area.row; row < area.row + area.rows; row++) {
		read_row(cells, row, area.column, area.columns, true, &text);
		if (text.length == 0)
			continue;
		squeeze(&text);
		ik_buf_clear(&line);
		ik_buf_printf(&line, "\n%s\n", text.data);
		if (!is_among(&linear->pane, &line)) {
			clear_line(linear);
			put_lines(linear, line.data + 1, line.length - 1);
		}
		ik_buf_append(lines, line.data, line.length);
	}
	ik_buf_done(&text);
	ik_buf_done(&line);
}

/* Write the welcome, once, with the number of tools. */
static void write_welcome(struct ik_linear *linear, const struct ik_screen_parts *screen,
	const struct ik_cells *cells)
{
	struct ik_buf lines;

	bool counted = screen->bar->scan == IK_SCAN_COMPLETE || screen->bar->scan == IK_SCAN_FAILED;

	if (linear->welcomed || !counted || screen->welcome.rows == 0)
		return;
	ik_buf_init(&lines, IK_MIB(1));
	write_area(linear, cells, screen->welcome, &lines);
	ik_buf_done(&lines);
	linear->welcomed = true;
}

static void write_panes(struct ik_linear *linear, const struct ik_screen_parts *screen,
	const struct ik_cells *cells)
{
	const struct ik_layout *layout = &screen->layout;
	struct ik_buf lines;
	bool any = linear->pane.length > 0;

	if (screen->help_open && screen->find->writing)
		return; /* each letter may turn the page: say the match now, and the page after Enter */
	ik_buf_init(&lines, IK_MIB(4));
	if (screen->help_open)
		write_area(linear, cells, layout->scrollback, &lines);
	else
		write_area(linear, cells, layout->pane, &lines);
	if (layout->dialog.rows > 0)
		write_area(linear, cells, layout->dialog, &lines);
	/* Completions that come by themselves would interrupt the user's typing. */
	if (screen->prompt->popup.asked)
		write_area(linear, cells, screen->prompt->popup.area, &lines);
	if (any && lines.length == 0)
		say(linear, _("Closed."));
	ik_buf_done(&linear->pane);
	linear->pane = lines;
}

static void say_retry(struct ik_linear *linear, const struct ik_activity *activity)
{
	int64_t left = activity->retry_at_ms - activity->now_ms;
	char *key = ik_keymap_key_name(activity->keymap, IK_IN_EDITOR, IK_ACTION_CANCEL);
	struct ik_buf time;

	ik_buf_init(&time, IK_KIB(1));
	ik_elapsed_put(&time, left > 0 ? (left + 999) / 1000 : 0);
	char *sentence = ik_format(_("The request failed: %s Attempt %d of %d in %s; %s gives up."),
		activity->reason ? activity->reason : "", activity->attempt, activity->attempts, time.data,
		key);

	say(linear, sentence);
	free(sentence);
	free(key);
	ik_buf_done(&time);
}

/* Say what is at work if that has changed. */
static void write_activity(struct ik_linear *linear, const struct ik_activity *activity)
{
	enum ik_phase before = linear->phase;

	linear->phase = activity->phase;
	if (before == activity->phase)
		return;
	switch (activity->phase) {
	case IK_PHASE_IDLE:
		say(linear, _("Ready."));
		break;
	case IK_PHASE_LOADING:
		say(linear, activity->loading_for ? activity->loading_for : _("Loading tools…"));
		break;
	case IK_PHASE_REQUEST:
	case IK_PHASE_THINKING:
	case IK_PHASE_WRITING:
		if (before < IK_PHASE_REQUEST || before == IK_PHASE_RETRY)
			say(linear, _("The model is working."));
		break;
	case IK_PHASE_RUNNING: /* the calls announce themselves */
		break;
	case IK_PHASE_RETRY:
		say_retry(linear, activity);
		break;
	case IK_PHASE_ASKING:
		say(linear, _("A question waits for your answer."));
		break;
	}
}

/* Say a state unless it was said before; free the sentence. */
static void say_state(struct ik_linear *linear, struct ik_buf *now, char *sentence)
{
	struct ik_buf line;

	ik_buf_init(&line, IK_KIB(4));
	ik_buf_printf(&line, "\n%s\n", sentence);
	if (!is_among(&linear->said, &line))
		say(linear, sentence);
	ik_buf_append(now, line.data, line.length);
	ik_buf_done(&line);
	free(sentence);
}

static char *agent_sentence(const struct ik_agent_mark *mark)
{
	if (mark->shown)
		return ik_format(_("This is agent %d."), mark->number);
	switch (mark->state) {
	case IK_AGENT_WORKING:
		return ik_format(_("Agent %d is at work."), mark->number);
	case IK_AGENT_ASKING:
		return ik_format(_("Agent %d waits for your answer."), mark->number);
	case IK_AGENT_FAILED:
		return ik_format(_("Agent %d has failed."), mark->number);
	case IK_AGENT_UNREAD:
		return ik_format(_("Agent %d has ended its turn."), mark->number);
	case IK_AGENT_IDLE:
	case IK_AGENT_STATE_COUNT:
		break;
	}
	return ik_format(_("Agent %d is idle."), mark->number);
}

/* Say the line of the current match, once its number is known. */
static void write_found(struct ik_linear *linear, const struct ik_screen_parts *screen,
	struct ik_buf *now)
{
	struct ik_search *search = screen->find->search;
	struct ik_search_state state = ik_search_state(search);
	struct ik_buf line;

	if (!state.on || state.seeking || !state.counted)
		return;
	ik_buf_init(&line, IK_KIB(4));
	bool there = ik_search_put_line(search, &line);
	squeeze(&line);
	if (there && state.number > 0)
		/* Translators: the number of a place, of how many, and the line of text around it. */
		say_state(linear, now,
			ik_format(_("Found, %zu of %zu: %s"), state.number, state.total, line.data));
	else if (state.found)
		say_state(linear, now, ik_format(_("Found: %s"), line.data));
	ik_buf_done(&line);
}

static void write_states(struct ik_linear *linear, const struct ik_screen_parts *screen)
{
	const struct ik_status_bar *bar = screen->bar;
	struct ik_buf now;

	ik_buf_init(&now, IK_KIB(16));
	if (bar->scan == IK_SCAN_COMPLETE || bar->scan == IK_SCAN_FAILED) {
		say_state(linear, &now,
			ik_format(ngettext("%zu tool is ready.", "%zu tools are ready.", bar->tools),
				bar->tools));
		char *key = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR, IK_ACTION_BROWSER);

		if (bar->tools_failed > 0)
			say_state(linear, &now,
				ik_format(ngettext("%zu tool failed; %s says why.",
							  "%zu tools failed; %s says why.", bar->tools_failed),
					bar->tools_failed, key));
		free(key);
	}
	if (bar->mode)
		say_state(linear, &now, ik_format(_("The mode is %s."), bar->mode));
	if (bar->model)
		say_state(linear, &now, ik_format(_("The model is %s."), bar->model));
	if (screen->activity->held) {
		char *send = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR, IK_ACTION_SEND);
		char *back = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR, IK_ACTION_UP);

		say_state(linear, &now,
			ik_format(ngettext("%zu message is held: %s on an empty line sends it, %s takes it "
							   "back.",
						  "%zu messages are held: %s on an empty line sends them, %s takes the "
						  "newest back.",
						  screen->activity->queued_count),
				screen->activity->queued_count, send, back));
		free(back);
		free(send);
	}
	for (size_t i = 0; i < bar->agent_count; i++)
		say_state(linear, &now, agent_sentence(&bar->agents[i]));
	if (bar->hint)
		say_state(linear, &now, ik_strdup(bar->hint));
	if (screen->editing)
		say_state(linear, &now, ik_strdup(screen->editing));
	if (screen->flash)
		say_state(linear, &now, ik_strdup(screen->flash));
	if (screen->prompt->found)
		say_state(linear, &now,
			ik_strdup(screen->prompt->search.failed ? _("Nothing like that was sent.")
													: _("What was sent is searched.")));
	write_found(linear, screen, &now);
	ik_buf_done(&linear->said);
	linear->said = now;
}

/* Update the last line; if text was only added, write just that. */
static void write_line(struct ik_linear *linear, const struct ik_cells *cells)
{
	int row = cells->cursor_row, column = cells->cursor_column;
	struct ik_buf line;
	bool there = linear->row >= 0;

	if (row < 0)
		return;
	ik_buf_init(&line, IK_KIB(64));
	read_row(cells, row, 0, cells->columns, false, &line);
	size_t width = ik_utf8_width(line.data, line.length);

	while (width < (size_t)column && width++ < (size_t)cells->columns)
		ik_buf_putc(&line, ' ');
	bool same = there && row == linear->row;
	size_t old = linear->line.length;
	bool grows = same && line.length >= old &&
		column == (int)ik_utf8_width(line.data, line.length) &&
		linear->column == (int)ik_utf8_width(linear->line.data, old) &&
		(old == 0 || memcmp(line.data, linear->line.data, old) == 0);
	if (grows) {
		put(linear, line.data + old, line.length - old);
	} else if (!same || column != linear->column || line.length != old ||
		memcmp(line.data, linear->line.data, old) != 0) {
		if (there)
			ik_buf_puts(linear->out, !same || !linear->ansi ? NEW_LINE : "\r\033[K");
		put(linear, line.data, line.length);
		if (linear->ansi && column < (int)ik_utf8_width(line.data, line.length)) {
			ik_buf_putc(linear->out, '\r');
			if (column > 0)
				ik_buf_printf(linear->out, "\033[%dC", column);
		}
	}
	linear->row = row;
	linear->column = column;
	ik_buf_done(&linear->line);
	linear->line = line;
}

void ik_linear_frame(struct ik_linear *linear, struct ik_screen *screen,
	const struct ik_cells *cells, struct ik_buf *out)
{
	struct ik_screen_parts parts = ik_screen_parts(screen);

	linear->out = out;
	linear->columns = cells->columns;
	find_new(linear, &parts);
	write_welcome(linear, &parts, cells);
	write_states(linear, &parts);
	write_blocks(linear);
	write_activity(linear, parts.activity);
	write_panes(linear, &parts, cells);
	write_line(linear, cells);
	linear->out = NULL;
}

void ik_linear_take_over(struct ik_linear *linear, struct ik_linear *before)
{
	struct ik_buf said = linear->said, line = linear->line;

	linear->said = before->said;
	linear->line = before->line;
	linear->row = before->row;
	linear->column = before->column;
	before->said = said;
	before->line = line;
	before->row = -1;
	ik_buf_clear(&before->line);
}

void ik_linear_again(struct ik_linear *linear)
{
	ik_buf_clear(&linear->said);
	linear->row = -1;
	ik_buf_clear(&linear->line);
}
