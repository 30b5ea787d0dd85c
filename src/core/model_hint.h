/*
 * model_hint: suggest models for a name that no model has.
 *
 * Pure.  May include: util.
 */
#ifndef IK_CORE_MODEL_HINT_H
#define IK_CORE_MODEL_HINT_H

#include <stddef.h>

/* Store the names closest to name, best first, at most room of them, borrowed from names, and
 * return how many. A name is close if each of its parts (separated by - . _ / : and blanks) is a
 * part of the other except for a typo: "sonet" is close to "claude-sonnet-4-5". */
size_t ik_model_nearest(const char *name, char *const *names, size_t count, const char **ret_near,
	size_t room);

#endif
