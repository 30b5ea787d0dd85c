#include "tui/text/markdown_flow.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"

void ik_flow_init(struct ik_flow *flow, struct ik_lines *lines, int columns, bool utf8)
{
	*flow = (struct ik_flow){ .lines = lines, .columns = columns, .utf8 = utf8 };
	ik_buf_init(&flow->text, IK_LIMIT_ENVELOPE);
}

void ik_flow_done(struct ik_flow *flow)
{
	ik_buf_done(&flow->text);
	free(flow->pieces);
}

void ik_flow_clear(struct ik_flow *flow)
{
	ik_buf_clear(&flow->text);
	flow->count = 0;
}

void ik_flow_add(struct ik_flow *flow, const char *text, size_t length, size_t source,
	enum ik_style style)
{
	if (length == 0)
		return;
	bool added = source == IK_MARKDOWN_NOWHERE;
	size_t start = flow->text.length;
	ik_buf_append(&flow->text, text, length);
	if (added)
		source = ik_lines_keep(flow->lines, text, length);
	if (flow->count > 0) {
		const struct ik_flow_piece *last = &flow->pieces[flow->count - 1];

		if (last->added == added && last->style == style &&
			last->source + (start - last->start) == source)
			return;
	}
	if (flow->count == flow->capacity) {
		flow->capacity = flow->capacity ? flow->capacity * 2 : 16;
		flow->pieces = ik_alloc_array(flow->pieces, flow->capacity, sizeof(*flow->pieces));
	}
	flow->pieces[flow->count++] = (struct ik_flow_piece){
		.start = (uint32_t)start,
		.source = (uint32_t)source,
		.style = (uint8_t)style,
		.added = added,
	};
}

void ik_flow_tab(struct ik_flow *flow, bool code, enum ik_style style)
{
	static const char blanks[IK_CODE_TAB_COLUMNS + 1] = "    ";
	size_t count = 1;

	if (code) {
		const char *feed = memrchr(flow->text.data, '\n', flow->text.length);
		size_t start = feed ? (size_t)(feed - flow->text.data) + 1 : 0;

		count = IK_CODE_TAB_COLUMNS -
			ik_utf8_width(flow->text.data + start, flow->text.length - start) % IK_CODE_TAB_COLUMNS;
	}
	ik_flow_add(flow, blanks, count, IK_MARKDOWN_NOWHERE, style);
}

/* Return the length of a break of HTML at the start of a text; 0: there is none. */
static size_t break_length(const char *text, size_t length)
{
	static const char *const breaks[] = { "<br>", "<br/>", "<br />" };

	for (size_t i = 0; i < sizeof(breaks) / sizeof(*breaks); i++) {
		size_t size = strlen(breaks[i]);

		if (size <= length && strncasecmp(text, breaks[i], size) == 0)
			return size;
	}
	return 0;
}

size_t ik_flow_special(const char *text, size_t length, size_t breaks, size_t *ret_length)
{
	const char *tab = memchr(text, '\t', length);
	size_t end = tab ? (size_t)(tab - text) : length;
	const char *at = text + breaks;

	*ret_length = tab ? 1 : 0;
	while (at < text + end && (at = memchr(at, '<', (size_t)(text + end - at)))) {
		size_t size = break_length(at, (size_t)(text + length - at));

		if (size > 0) {
			*ret_length = size;
			return (size_t)(at - text);
		}
		at++;
	}
	return end;
}

int ik_flow_width(const struct ik_flow *flow, size_t start, size_t end)
{
	int widest = 0;

	while (start < end) {
		const char *line = flow->text.data + start;
		const char *feed = memchr(line, '\n', end - start);
		size_t length = feed ? (size_t)(feed - line) : end - start;
		int width = (int)ik_utf8_width(line, length);

		widest = width > widest ? width : widest;
		start += length + 1;
	}
	return widest;
}

/* Return the columns of all frames. */
static int indentation(const struct ik_flow *flow)
{
	int columns = 0;

	for (size_t i = 0; i < flow->depth && i < IK_FLOW_DEPTH; i++)
		columns += flow->frames[i].columns;
	return columns;
}

int ik_flow_room(const struct ik_flow *flow)
{
	int room = flow->columns - indentation(flow);

	return room > 0 ? room : 1;
}

void ik_flow_push(struct ik_flow *flow, const char *mark)
{
	if (flow->depth >= IK_FLOW_DEPTH) {
		flow->depth++; /* it has no frame of its own */
		return;
	}
	size_t length = mark ? strlen(mark) : 0;
	int columns = mark ? (int)ik_utf8_width(mark, length) : 2;
	bool fits = indentation(flow) + columns <= flow->columns / 2;
	struct ik_flow_frame *frame = &flow->frames[flow->depth++];
	*frame = (struct ik_flow_frame){ .quote = !mark, .columns = fits ? columns : 0 };
	if (mark && !fits)
		ik_flow_add(flow, mark, length, IK_MARKDOWN_NOWHERE, IK_STYLE_DIM);
	if (!mark || !fits)
		return;
	frame->mark_due = true;
	frame->mark = ik_lines_keep(flow->lines, mark, length);
	frame->mark_length = (uint32_t)length;
}

void ik_flow_pop(struct ik_flow *flow)
{
	if (flow->depth > 0 && flow->depth-- > IK_FLOW_DEPTH)
		return;
	if (flow->frames[flow->depth].mark_due) { /* an item with nothing in it */
		flow->depth++;
		ik_flow_line(flow, flow->source);
		flow->depth--;
	}
}

int ik_flow_line(struct ik_flow *flow, size_t source)
{
	int column = 0;

	if (source > flow->source)
		flow->source = source;
	ik_lines_add(flow->lines, flow->source);
	for (size_t i = 0; i < flow->depth && i < IK_FLOW_DEPTH; i++) {
		struct ik_flow_frame *frame = &flow->frames[i];

		if (frame->quote && frame->columns > 0) {
			if (flow->bar_length == 0) {
				const char *bar = flow->utf8 ? "│" : "|";

				flow->bar_length = (uint32_t)strlen(bar);
				flow->bar = ik_lines_keep(flow->lines, bar, flow->bar_length);
			}
			ik_lines_add_kept(flow->lines, flow->bar, flow->bar_length, column, IK_STYLE_FRAME);
		} else if (frame->mark_due) {
			ik_lines_add_kept(flow->lines, frame->mark, frame->mark_length, column, IK_STYLE_DIM);
			frame->mark_due = false;
		}
		column += frame->columns;
	}
	return column;
}

/* Return the piece that holds the byte at position. */
static size_t piece_at(const struct ik_flow *flow, size_t position)
{
	size_t low = 0, high = flow->count;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (flow->pieces[middle].start <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

size_t ik_flow_source(const struct ik_flow *flow, size_t position)
{
	for (size_t i = piece_at(flow, position); i < flow->count; i++) {
		const struct ik_flow_piece *piece = &flow->pieces[i];

		if (!piece->added)
			return piece->source + (position > piece->start ? position - piece->start : 0);
	}
	return flow->source;
}

void ik_flow_runs(struct ik_flow *flow, size_t start, size_t end, int column)
{
	for (size_t i = piece_at(flow, start); start < end && i < flow->count; i++) {
		const struct ik_flow_piece *piece = &flow->pieces[i];
		size_t stop = i + 1 < flow->count ? flow->pieces[i + 1].start : flow->text.length;

		if (stop > end)
			stop = end;
		size_t source = piece->source + (start - piece->start);

		if (piece->added)
			ik_lines_add_kept(flow->lines, source, stop - start, column,
				(enum ik_style)piece->style);
		else
			ik_lines_add_run(flow->lines, source, stop - start, column,
				(enum ik_style)piece->style);
		if (stop < end)
			column += (int)ik_utf8_width(flow->text.data + start, stop - start);
		start = stop;
	}
}

void ik_flow_wrap(struct ik_flow *flow, size_t start, size_t end)
{
	size_t first = start;

	do {
		struct ik_row row = ik_wrap_row(flow->text.data + start, end - start, ik_flow_room(flow));
		int column = ik_flow_line(flow, ik_flow_source(flow, start));

		if (start > first)
			ik_lines_continue(flow->lines);
		ik_flow_runs(flow, start, start + row.shown, column);
		start += row.taken;
	} while (start < end);
}

/* Return where a row of code ends: at the last cluster that leaves room for the mark. */
static size_t code_row(const char *text, size_t length, int room)
{
	size_t width;

	if (ik_utf8_fit(text, length, (size_t)room, &width) == length)
		return length;
	size_t end = ik_utf8_fit(text, length, room > 1 ? (size_t)room - 1 : 1, NULL);

	return end > 0 ? end : ik_cluster_next(text, length).length;
}

void ik_flow_code(struct ik_flow *flow, size_t start, size_t end)
{
	const char *text = flow->text.data;
	const char *mark = flow->utf8 ? "↩" : "\\";
	int room = ik_flow_room(flow);

	while (start < end) {
		const char *feed = memchr(text + start, '\n', end - start);
		size_t line_end = feed ? (size_t)(feed - text) : end, first = start;

		do {
			size_t stop = start + code_row(text + start, line_end - start, room);
			int column = ik_flow_line(flow, ik_flow_source(flow, start));

			if (start > first)
				ik_lines_continue(flow->lines);
			ik_flow_runs(flow, start, stop, column);
			start = stop;
			if (start < line_end && room > 1)
				ik_lines_add_kept(flow->lines, ik_lines_keep(flow->lines, mark, strlen(mark)),
					strlen(mark), column + room - 1, IK_STYLE_FRAME);
		} while (start < line_end);
		start = line_end + 1;
	}
}

void ik_flow_rule(struct ik_flow *flow, const char *character, int columns, const char *label,
	size_t label_length)
{
	int column = ik_flow_line(flow, flow->source);
	size_t size = strlen(character), width = 0;
	int drawn = 0;
	struct ik_buf rule;

	ik_buf_init(&rule, IK_KIB(64));
	if (label_length > 0 && columns > 8) {
		ik_buf_puts(&rule, character);
		ik_buf_puts(&rule, character);
		ik_buf_putc(&rule, ' ');
		label_length = ik_utf8_fit(label, label_length, (size_t)columns - 6, &width);
		ik_buf_append(&rule, label, label_length);
		ik_buf_putc(&rule, ' ');
		drawn = 4 + (int)width;
	}
	for (; drawn < columns && rule.length + size < IK_KIB(64); drawn++)
		ik_buf_puts(&rule, character);
	ik_lines_add_kept(flow->lines, ik_lines_keep(flow->lines, rule.data, rule.length), rule.length,
		column, IK_STYLE_FRAME);
	ik_buf_done(&rule);
}

void ik_flow_blank(struct ik_flow *flow)
{
	ik_flow_line(flow, flow->source);
}
