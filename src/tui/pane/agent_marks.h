/*
 * agent_marks: the conversations of the program in one short text, for the status bar.
 *
 * "[1] 2◐12s 3?": the shown one stands in brackets; behind a number stands how it
 * is: at work and for how long, "?" waits for the person, "!" failed, "*" has said
 * what was not read yet.  Short, where there is less room, they are counted:
 * "[1/3] ◐1 ?1".
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_PANE_AGENT_MARKS_H
#define IK_TUI_PANE_AGENT_MARKS_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IK_AGENTS_MOST 32 /* at the same time in one program */

enum ik_agent_state {
	IK_AGENT_IDLE,
	IK_AGENT_WORKING,
	IK_AGENT_ASKING, /* a call of it waits for the person */
	IK_AGENT_FAILED, /* its last turn */
	IK_AGENT_UNREAD, /* it has ended while another was shown */
	IK_AGENT_STATE_COUNT
};

struct ik_agent_mark {
	int number; /* from 1 */
	enum ik_agent_state state;
	bool shown;
	int64_t started_ms; /* of a turn that runs, monotonic; 0: none does */
};

/* Append them. */
void ik_agent_marks_put(struct ik_buf *out, const struct ik_agent_mark *marks, size_t count,
	int64_t now_ms, bool utf8);
void ik_agent_marks_put_short(struct ik_buf *out, const struct ik_agent_mark *marks, size_t count,
	bool utf8);

/* The number of the one whose mark stands at a column of the long text; 0: none does. */
int ik_agent_marks_at(const struct ik_agent_mark *marks, size_t count, int64_t now_ms, bool utf8,
	size_t column);

/* In how many milliseconds a second that is shown changes; -1: none is. */
int64_t ik_agent_marks_next(const struct ik_agent_mark *marks, size_t count, int64_t now_ms);

#endif
