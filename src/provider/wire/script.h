/*
 * script: a complete reply that is delivered as if it were streamed.
 *
 * For a model inside the program (provider/formats.h), which needs no bytes and no decoder. The
 * caller has the timer. Pure.
 *
 * Owns copies of all strings. May include: util, provider/wire.
 */
#ifndef IK_PROVIDER_WIRE_SCRIPT_H
#define IK_PROVIDER_WIRE_SCRIPT_H

#include "provider/wire/delta.h"

/* Pause between two steps, which makes words arrive at a readable pace. */
#define IK_SCRIPT_PACE_MS 12

/* Empty when zeroed. */
struct ik_script {
	struct ik_delta *deltas;
	size_t count, capacity;
	size_t told;
};

void ik_script_add(struct ik_script *script, const struct ik_delta *delta);

/* Deliver the next few deltas, more at a time if there are many; false: those were the last. */
bool ik_script_step(struct ik_script *script, ik_delta_sink *sink, void *arg);

void ik_script_done(struct ik_script *script);

#endif
