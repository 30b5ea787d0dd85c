#include "tui/screen/turn_status.h"

#include <stdlib.h>

#include "util/alloc.h"

#define NEVER INT64_C(-1)

struct ik_turn_status {
	const struct ik_calls *calls;
	int64_t now_ms; /* of the last tick */
	bool running;
	bool unstarted; /* the next tick is its start */
	bool waiting;   /* for the tools, or for a session to be read; also without a turn */
	char *waiting_for;
	int64_t started_ms;
	int64_t retry_ms;    /* asked for, until the next tick; else NEVER */
	int64_t retry_at_ms; /* NEVER: no retry is due */
	char *retry_reason;
};

struct ik_turn_status *ik_turn_status_new(const struct ik_calls *calls)
{
	struct ik_turn_status *status = ik_alloc(sizeof(*status));

	status->calls = calls;
	status->retry_ms = status->retry_at_ms = NEVER;
	return status;
}

struct ik_turn_status *ik_turn_status_free(struct ik_turn_status *status)
{
	if (!status)
		return NULL;
	free(status->waiting_for);
	free(status->retry_reason);
	free(status);
	return NULL;
}

/* Forget the retry. */
static void end_retry(struct ik_turn_status *status)
{
	status->retry_ms = status->retry_at_ms = NEVER;
	free(status->retry_reason);
	status->retry_reason = NULL;
}

void ik_turn_status_start(struct ik_turn_status *status)
{
	status->running = true;
	status->unstarted = true;
	status->waiting = false;
}

void ik_turn_status_answer(struct ik_turn_status *status)
{
	end_retry(status);
	status->waiting = false;
}

void ik_turn_status_end(struct ik_turn_status *status)
{
	ik_turn_status_answer(status);
	status->running = false;
}

void ik_turn_status_wait(struct ik_turn_status *status, bool waiting, char *what)
{
	status->unstarted |= !ik_turn_status_busy(status);
	status->waiting = waiting;
	free(status->waiting_for);
	status->waiting_for = what;
	if (!waiting)
		end_retry(status); /* of a summary that was given up */
}

void ik_turn_status_stop_waiting(struct ik_turn_status *status)
{
	status->waiting = false;
}

void ik_turn_status_retry(struct ik_turn_status *status, int64_t milliseconds, char *reason)
{
	end_retry(status);
	status->retry_ms = milliseconds > 0 ? milliseconds : 0;
	status->retry_reason = reason;
}

bool ik_turn_status_busy(const struct ik_turn_status *status)
{
	return status->running || status->waiting || ik_calls_running(status->calls) > 0;
}

const char *ik_turn_status_waiting_for(const struct ik_turn_status *status)
{
	return status->waiting_for;
}

const char *ik_turn_status_retry_reason(const struct ik_turn_status *status)
{
	const char *reason = status->retry_reason;

	return status->retry_at_ms != NEVER && reason && reason[0] ? reason : NULL;
}

const struct ik_shown_call *ik_turn_status_call(const struct ik_turn_status *status)
{
	size_t left = ik_calls_running(status->calls);
	const struct ik_shown_call *found = NULL;

	for (size_t i = ik_calls_count(status->calls); left > 0 && i-- > 0;) {
		const struct ik_shown_call *call = ik_calls_at(status->calls, i);

		if (call->stage != IK_STAGE_RUNNING)
			continue;
		found = call;
		left--;
	}
	return found;
}

bool ik_turn_status_tick(struct ik_turn_status *status, int64_t now_ms)
{
	status->now_ms = now_ms;
	if (status->unstarted)
		status->started_ms = now_ms;
	status->unstarted = false;
	if (status->retry_ms != NEVER)
		status->retry_at_ms = now_ms + status->retry_ms;
	status->retry_ms = NEVER;
	if (status->retry_at_ms == NEVER || now_ms < status->retry_at_ms)
		return false;
	end_retry(status);
	return true;
}

enum ik_activity ik_turn_status_activity(const struct ik_turn_status *status, int64_t *ret_second)
{
	*ret_second = 0;
	if (!ik_turn_status_busy(status))
		return IK_ACTIVITY_NONE;
	if (status->retry_at_ms != NEVER) {
		int64_t left = status->retry_at_ms - status->now_ms;

		*ret_second = left > 0 ? (left + 999) / 1000 : 0;
		return IK_ACTIVITY_RETRY;
	}
	if (!status->unstarted)
		*ret_second = (status->now_ms - status->started_ms) / 1000;
	if (status->waiting)
		return IK_ACTIVITY_WAITING;
	return ik_calls_running(status->calls) > 0 ? IK_ACTIVITY_RUNNING : IK_ACTIVITY_WORKING;
}

int64_t ik_turn_status_next_second(const struct ik_turn_status *status)
{
	if (!ik_turn_status_busy(status))
		return -1;
	if (status->retry_at_ms != NEVER) {
		int64_t left = status->retry_at_ms - status->now_ms;

		return left > 0 ? (left - 1) % 1000 + 1 : 0;
	}
	int64_t start = status->started_ms;

	if (ik_calls_running(status->calls) > 0)
		start = ik_turn_status_call(status)->started_ms;
	return 1000 - (status->now_ms - start) % 1000;
}
