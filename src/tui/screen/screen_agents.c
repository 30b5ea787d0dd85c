/* The other conversations of the program: the part of the screen that knows of them. */
#include "tui/screen/screen_private.h"

#include <string.h>

/* Member by member: what lies between them is anything. */
static bool is_same(const struct ik_agent_mark *a, const struct ik_agent_mark *b)
{
	return a->number == b->number && a->state == b->state && a->shown == b->shown &&
		a->started_ms == b->started_ms;
}

void ik_screen_set_agents(struct ik_screen *screen, const struct ik_agent_mark *marks, size_t count)
{
	struct ik_status_bar *bar = &screen->bar;

	count = count < IK_AGENTS_MOST ? count : IK_AGENTS_MOST;
	bool same = count == bar->agent_count;

	for (size_t i = 0; same && i < count; i++)
		same = is_same(&marks[i], &bar->agents[i]);
	if (same)
		return;
	if (count > 0)
		memcpy(bar->agents, marks, count * sizeof(*marks));
	bar->agent_count = count;
	screen->dirty = true;
}

int64_t ik_screen_agents_tick(struct ik_screen *screen)
{
	struct ik_status_bar *bar = &screen->bar;
	int64_t next = ik_agent_marks_next(bar->agents, bar->agent_count, screen->now_ms);

	/* The text is another from that moment on. */
	if (next >= 0 && screen->now_ms >= screen->agents_due_ms) {
		screen->agents_due_ms = screen->now_ms + next;
		screen->dirty = true;
	}
	return next;
}

bool ik_screen_agents_key(const struct ik_key *key, enum ik_action action,
	struct ik_invocation *ret_invocation)
{
	*ret_invocation = (struct ik_invocation){ .action = IK_ACTION_AGENT };
	if (action == IK_ACTION_PREVIOUS_AGENT)
		ret_invocation->number = -1;
	else if (action == IK_ACTION_AGENT)
		ret_invocation->number = ik_key_digit(key);
	else if (action != IK_ACTION_NEXT_AGENT)
		return false;
	return true;
}

bool ik_screen_agents_click(const struct ik_screen *screen, struct ik_rectangle area, int column,
	struct ik_invocation *ret_invocation)
{
	*ret_invocation = (struct ik_invocation){ .action = IK_ACTION_AGENT };
	return ik_status_bar_agent_at(&screen->bar, area, column, &ret_invocation->number);
}

void ik_screen_set_sandbox(struct ik_screen *screen, const char *sandbox, bool trouble)
{
	screen->bar.sandbox = sandbox;
	screen->bar.sandbox_trouble = trouble;
	screen->dirty = true;
}
