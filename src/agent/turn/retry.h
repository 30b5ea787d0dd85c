/*
 * retry: whether a request that failed is sent again, and when.
 *
 * Pure.  May include: what agent/turn/turn.h may.
 */
#ifndef IK_AGENT_TURN_RETRY_H
#define IK_AGENT_TURN_RETRY_H

#include "agent/turn/turn.h"

/*
 * Return the milliseconds to wait before try number attempt (from 1) after the first, when the
 * request failed with that IK_INPUT_STREAM_FAILED: between half and all of base * 2^(attempt-1),
 * at most cap, and at least what the server said. -1: it is not sent again.
 */
int64_t ik_retry_wait(const struct ik_turn_options *options, int attempt,
	const struct ik_input *failure);

#endif
