#include "tui/text/folded.h"

#include <string.h>

#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define LEAST_SUMMARY 12 /* columns; with fewer, the facts go */
#define HANG 2           /* columns before the second row of the head and the next ones */

/* Begin one more row of the first line, from source on; returns its first column. */
static int begin_row(const struct ik_render *request, struct ik_lines *lines, size_t source)
{
	ik_lines_add(lines, source);
	if (source == 0)
		return 0;
	ik_lines_continue(lines);
	return request->columns > 2 * LEAST_SUMMARY ? HANG : 0;
}

/* Lay out the first line, which ends at end, in several rows. */
static void render_wrapped(const struct ik_render *request, struct ik_lines *lines, size_t head,
	size_t end)
{
	int facts = (int)ik_utf8_width(request->text + head, end - head), column = 0;
	size_t more = 0;
	int rows = 0;

	for (size_t at = 0; at < head;) {
		int hang = at > 0 && request->columns > 2 * LEAST_SUMMARY ? HANG : 0;
		struct ik_row row = ik_wrap_row(request->text + at, head - at, request->columns - hang);

		if (rows++ < request->head_rows) {
			column = begin_row(request, lines, at);
			ik_lines_add_run(lines, at, row.shown, column, request->head_style);
			column += (int)ik_utf8_width(request->text + at, row.shown);
		} else {
			more++;
		}
		at += row.taken;
	}
	if (more > 0) {
		struct ik_buf mark;

		ik_buf_init(&mark, IK_KIB(1));
		ik_folded_put_mark(&mark, more);
		column = begin_row(request, lines, head);
		ik_lines_add_own(lines, mark.data, mark.length, column, IK_STYLE_DIM);
		column += (int)ik_utf8_width(mark.data, mark.length);
		ik_buf_done(&mark);
	} else if (column + facts > request->columns) {
		column = begin_row(request, lines, head);
	}
	if (facts > 0)
		ik_lines_add_run(lines, head, end - head, column, IK_STYLE_DIM);
}

/* Lay out the first line, which ends at end. */
static void render_summary(const struct ik_render *request, struct ik_lines *lines, size_t end)
{
	size_t head = request->head < end ? request->head : end;
	size_t room = (size_t)request->columns;
	size_t facts = ik_utf8_width(request->text + head, end - head);
	size_t width;

	if (request->head_rows > 1 && ik_utf8_width(request->text, end) > room) {
		render_wrapped(request, lines, head, end);
		return;
	}
	if (facts + LEAST_SUMMARY > room)
		facts = 0;
	room -= facts;
	size_t shown = ik_utf8_fit(request->text, head, room, &width);
	ik_lines_add(lines, 0);
	if (shown < head) {
		shown = ik_utf8_fit(request->text, head, room > 1 ? room - 1 : 0, &width);
		ik_lines_add_run(lines, 0, shown, 0, request->head_style);
		ik_lines_add_own(lines, "…", strlen("…"), (int)width, IK_STYLE_DIM);
		width++;
	} else if (shown > 0) {
		ik_lines_add_run(lines, 0, shown, 0, request->head_style);
	}
	if (facts > 0)
		ik_lines_add_run(lines, head, end - head, (int)width, IK_STYLE_DIM);
}

static void render_folded(const struct ik_render *request, struct ik_lines *lines)
{
	if (request->start > 0) {
		request->below->render(request, lines);
		return;
	}
	size_t end = ik_line_end(request->text, 0, request->end);
	render_summary(request, lines, end);
	if (end < request->end) {
		struct ik_render rest = *request;

		rest.start = end + 1;
		request->below->render(&rest, lines);
	}
}

const struct ik_renderer ik_renderer_folded = { .split = ik_plain_split, .render = render_folded };

size_t ik_folded_size(const char *text, size_t length, size_t lines, size_t most_bytes,
	size_t *ret_hidden)
{
	size_t shown = 0;

	for (; lines > 0 && shown < length; lines--) {
		shown = ik_line_end(text, shown, length);
		shown += shown < length;
	}
	if (shown > most_bytes) {
		shown = ik_utf8_cut(text, length, most_bytes);
		if (shown == 0)
			shown = most_bytes;
	}
	*ret_hidden = (shown < length) + ik_line_feeds(text + shown, length - shown);
	return shown;
}

void ik_folded_put_mark(struct ik_buf *out, size_t lines)
{
	ik_buf_puts(out, "… ");
	ik_buf_printf(out, ngettext("%zu more line", "%zu more lines", lines), lines);
}
