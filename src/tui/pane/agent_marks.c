#include "tui/pane/agent_marks.h"

#include "tui/text/quantity.h"
#include "util/cluster.h"
#include "util/limits.h"

/* What stands behind the number. */
static const char *sign(enum ik_agent_state state, bool utf8)
{
	static const char *const signs[IK_AGENT_STATE_COUNT] = {
		[IK_AGENT_IDLE] = "",
		[IK_AGENT_ASKING] = "?",
		[IK_AGENT_FAILED] = "!",
		[IK_AGENT_UNREAD] = "*",
		[IK_AGENT_WORKING] = "~",
	};

	return utf8 && state == IK_AGENT_WORKING ? "◐" : signs[state];
}

/* Is its time shown? That of the one on the screen stands in the bar anyway. */
static bool has_time(const struct ik_agent_mark *mark)
{
	return mark->state == IK_AGENT_WORKING && !mark->shown && mark->started_ms > 0;
}

static int64_t age(const struct ik_agent_mark *mark, int64_t now_ms)
{
	return now_ms > mark->started_ms ? now_ms - mark->started_ms : 0;
}

/* Append one. */
static void put_mark(struct ik_buf *out, const struct ik_agent_mark *mark, int64_t now_ms,
	bool utf8)
{
	ik_buf_printf(out, mark->shown ? "[%d%s]" : "%d%s", mark->number, sign(mark->state, utf8));
	if (has_time(mark))
		ik_elapsed_put(out, age(mark, now_ms) / 1000);
}

void ik_agent_marks_put(struct ik_buf *out, const struct ik_agent_mark *marks, size_t count,
	int64_t now_ms, bool utf8)
{
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			ik_buf_putc(out, ' ');
		put_mark(out, &marks[i], now_ms, utf8);
	}
}

void ik_agent_marks_put_short(struct ik_buf *out, const struct ik_agent_mark *marks, size_t count,
	bool utf8)
{
	size_t counts[IK_AGENT_STATE_COUNT] = { 0 };
	int number = 0;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (marks[i].shown)
			number = marks[i].number;
		else
			counts[marks[i].state]++;
	}
	ik_buf_printf(out, "[%d/%zu]", number, count);
	for (int state = IK_AGENT_IDLE + 1; state < IK_AGENT_STATE_COUNT; state++)
		if (counts[state] > 0)
			ik_buf_printf(out, " %s%zu", sign((enum ik_agent_state)state, utf8), counts[state]);
}

int ik_agent_marks_at(const struct ik_agent_mark *marks, size_t count, int64_t now_ms, bool utf8,
	size_t column)
{
	struct ik_buf out;
	size_t start = 0;
	int found = 0;

	ik_buf_init(&out, IK_KIB(1));
	for (size_t i = 0; i < count && found == 0 && start <= column; i++) {
		ik_buf_clear(&out);
		put_mark(&out, &marks[i], now_ms, utf8);
		size_t end = start + ik_utf8_width(out.data, out.length);

		if (column < end && column >= start)
			found = marks[i].number;
		start = end + 1;
	}
	ik_buf_done(&out);
	return found;
}

int64_t ik_agent_marks_next(const struct ik_agent_mark *marks, size_t count, int64_t now_ms)
{
	int64_t next = -1;

	for (size_t i = 0; i < count; i++) {
		if (!has_time(&marks[i]))
			continue;
		int64_t left = 1000 - age(&marks[i], now_ms) % 1000;
		next = next < 0 || left < next ? left : next;
	}
	return next;
}
