/*
 * script: a reply that is known as a whole, and told as if it were streamed.
 *
 * For a model that is in the program itself (provider/practice.h): no bytes, no
 * decoder.  Its caller has the timer.  Pure.
 *
 * Owns copies of all strings.  May include: util, provider/wire.
 */
#ifndef IK_PROVIDER_WIRE_SCRIPT_H
#define IK_PROVIDER_WIRE_SCRIPT_H

#include "provider/wire/delta.h"

/* Words come at a reader's pace: so long is the pause between two steps. */
#define IK_SCRIPT_PACE_MS 12

/* Empty when all of it is zero. */
struct ik_script {
	struct ik_delta *deltas;
	size_t count, capacity;
	size_t told;
};

void ik_script_add(struct ik_script *script, const struct ik_delta *delta);

/* Tell the next few deltas, more at a time the more there are; false: those were the last. */
bool ik_script_step(struct ik_script *script, ik_delta_sink *sink, void *arg);

void ik_script_done(struct ik_script *script);

#endif
