#include "tui/screen/turn_status.h"

#include <stdlib.h>

void ik_turn_status_init(struct ik_turn_status *status, const struct ik_calls *calls)
{
	*status = (struct ik_turn_status){
		.calls = calls, .retry_ms = IK_NO_RETRY, .retry_at_ms = IK_NO_RETRY
	};
}

void ik_turn_status_done(struct ik_turn_status *status)
{
	free(status->waiting_for);
	free(status->retry_reason);
}

/* Forget the retry. */
static void end_retry(struct ik_turn_status *status)
{
	status->retry_ms = status->retry_at_ms = IK_NO_RETRY;
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

const char *ik_turn_status_retry_reason(const struct ik_turn_status *status)
{
	const char *reason = status->retry_reason;

	return status->retry_at_ms != IK_NO_RETRY && reason && reason[0] ? reason : NULL;
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
	if (status->retry_ms != IK_NO_RETRY)
		status->retry_at_ms = now_ms + status->retry_ms;
	status->retry_ms = IK_NO_RETRY;
	if (status->retry_at_ms == IK_NO_RETRY || now_ms < status->retry_at_ms)
		return false;
	end_retry(status);
	return true;
}

enum ik_activity ik_turn_status_activity(const struct ik_turn_status *status, int64_t *ret_second)
{
	*ret_second = 0;
	if (!ik_turn_status_busy(status))
		return IK_ACTIVITY_NONE;
	if (status->retry_at_ms != IK_NO_RETRY) {
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
	if (status->retry_at_ms != IK_NO_RETRY) {
		int64_t left = status->retry_at_ms - status->now_ms;

		return left > 0 ? (left - 1) % 1000 + 1 : 0;
	}
	int64_t start = status->started_ms;

	if (ik_calls_running(status->calls) > 0)
		start = ik_turn_status_call(status)->started_ms;
	return 1000 - (status->now_ms - start) % 1000;
}
