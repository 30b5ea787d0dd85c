/*
 * model_hint: whether a model that was named is one that its provider has.
 *
 * A name is taken as it is typed, since no list of a provider's is complete for
 * certain; but a slip would be told only by the next request that fails. So the
 * provider is asked quietly, and a name that it does not list gets one notice with
 * those that are nearest.
 *
 * May include: all.
 */
#ifndef IK_APP_MODEL_HINT_H
#define IK_APP_MODEL_HINT_H

#include "app/core.h"

/* The session in front has just been given the model that it has. */
void ik_model_hint_ask(struct ik_core *core);

/* Nobody wants to know any more: the session (NULL: each) is gone. */
void ik_model_hint_forget(struct ik_core *core, const struct ik_session *session);

/* The names nearest to name, best first, at most room of them; borrowed from names. A name is near
 * when each of its parts (between - . _ / : and blanks) is one of the other's but for a slip:
 * "sonet" is near "claude-sonnet-4-5". Pure. */
size_t ik_model_nearest(const char *name, char *const *names, size_t count,
	const char **ret_near, size_t room);

#endif
