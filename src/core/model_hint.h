/*
 * model_hint: which models may have been meant by a name that no model has.
 *
 * Pure.  May include: util.
 */
#ifndef IK_CORE_MODEL_HINT_H
#define IK_CORE_MODEL_HINT_H

#include <stddef.h>

/* The names nearest to name, best first, at most room of them; borrowed from names. A name is near
 * when each of its parts (between - . _ / : and blanks) is one of the other's but for a slip:
 * "sonet" is near "claude-sonnet-4-5". Pure. */
size_t ik_model_nearest(const char *name, char *const *names, size_t count, const char **ret_near,
	size_t room);

#endif
