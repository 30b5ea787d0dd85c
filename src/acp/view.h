/*
 * view: what is said and done in a session, as updates: while it happens, and again from what is
 * stored.
 *
 * May include: all but tui and the other front ends.
 */
#ifndef IK_ACP_VIEW_H
#define IK_ACP_VIEW_H

#include "acp/call.h"

struct ik_view {
	const struct ik_viewer *viewer;
	struct ik_core *core;
	struct ik_calls_viewed calls;
	char *title;  /* as it was told; NULL: not yet */
	int64_t used; /* tokens of the last round; 0: none yet */
	double cost;  /* so far, in dollars; as far as it is known */
};

/* Tell of an event, unless it is one of those that end a prompt or concern the lock. */
void ik_view_event(struct ik_view *view, const struct ik_event *event);
/* Tell of all that was said. */
void ik_view_replay(struct ik_view *view);
/* Tell the title, if it has changed. */
void ik_view_tell_title(struct ik_view *view);
void ik_view_done(struct ik_view *view);

#endif
