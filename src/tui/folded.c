#include "tui/folded.h"

#include <string.h>

#include "util/cluster.h"

#define LEAST_SUMMARY 12 /* columns; with fewer, the facts go */

/* Lay out the first line, which ends at end. */
static void render_summary(const struct ik_render *request, struct ik_lines *lines, size_t end)
{
	size_t head = request->head < end ? request->head : end;
	size_t room = (size_t)request->columns;
	size_t facts = ik_utf8_width(request->text + head, end - head);
	size_t width;
	if (facts + LEAST_SUMMARY > room)
		facts = 0;
	room -= facts;
	size_t shown = ik_utf8_fit(request->text, head, room, &width);
	ik_lines_add(lines, 0);
	if (shown < head) {
		const char *mark = request->utf8 ? "…" : "...";
		size_t mark_width = request->utf8 ? 1 : 3;
		shown = ik_utf8_fit(request->text, head, room > mark_width ? room - mark_width : 0, &width);
		ik_lines_add_run(lines, 0, shown, 0, request->head_style);
		uint32_t kept = ik_lines_keep(lines, mark, strlen(mark));
		ik_lines_add_kept(lines, kept, strlen(mark), (int)width, IK_STYLE_DIM);
		width += mark_width;
	} else if (shown > 0) {
		ik_lines_add_run(lines, 0, shown, 0, request->head_style);
	}
	if (facts > 0)
		ik_lines_add_run(lines, head, end - head, (int)width, IK_STYLE_DIM);
}

/* The row and what stands below it; of what grew, nothing is kept. */
static void render_folded(const struct ik_render *request, struct ik_lines *lines)
{
	if (request->start > 0) {
		ik_renderer_plain.render(request, lines);
		return;
	}
	const char *feed = memchr(request->text, '\n', request->end);
	size_t end = feed ? (size_t)(feed - request->text) : request->end;
	ik_lines_clear(lines);
	render_summary(request, lines, end);
	if (end < request->end) {
		ik_lines_add(lines, end + 1); /* a line that the other renderer begins with */
		ik_renderer_plain.render(request, lines);
	}
}

__attribute__((nonnull)) static size_t split_folded(const char *text, size_t start, size_t length,
	struct ik_carry *carry)
{
	return ik_renderer_plain.split(text, start, length, carry);
}

const struct ik_renderer ik_renderer_folded = {.split = split_folded, .render = render_folded};
