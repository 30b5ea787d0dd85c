#include "agent/turn/retry.h"

/* Limit on a wait that a server asks for: a longer one counts as a refusal. */
#define LONGEST_RETRY_AFTER_MS (10 * 60 * 1000)

int64_t ik_retry_wait(const struct ik_turn_options *options, int attempt,
	const struct ik_input *failure)
{
	int64_t delay = options->retry_base_ms;

	if (!failure->retryable || attempt > options->retry_max ||
		failure->retry_after_ms > LONGEST_RETRY_AFTER_MS)
		return -1;
	for (int i = 1; i < attempt && delay < options->retry_cap_ms; i++)
		delay *= 2;
	if (delay > options->retry_cap_ms)
		delay = options->retry_cap_ms;
	delay = delay / 2 + (int64_t)(failure->random % ((uint64_t)(delay / 2) + 1));
	return delay > failure->retry_after_ms ? delay : failure->retry_after_ms;
}
