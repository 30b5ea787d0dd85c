#include "core/model_hint.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Separators, and a limit on the parts of a name. */
#define BETWEEN "-._/: @"
enum { PARTS = 24 };

/* Split a name in place into its parts, and return how many there are. */
static size_t split(char *name, const char *parts[PARTS])
{
	size_t count = 0;
	char *rest = NULL, *part;

	for (part = strtok_r(name, BETWEEN, &rest); part && count < PARTS;
		 part = strtok_r(NULL, BETWEEN, &rest))
		parts[count++] = part;
	return count;
}

/* Return the distance of the parts to the closest parts of the other name; SIZE_MAX: one of them
 * has none. Extra parts of the other name count less than any typo. */
static size_t distance(const char *const *parts, size_t count, const char *other)
{
	char *copy = ik_strdup(other);
	const char *others[PARTS];
	size_t other_count = split(copy, others), sum = 0, i;

	for (i = 0; i < count && sum != SIZE_MAX; i++) {
		const char *nearest = ik_text_nearest(parts[i], others, other_count);

		sum = nearest ? sum + ik_text_distance(parts[i], nearest) * PARTS : SIZE_MAX;
	}
	free(copy);
	if (sum == SIZE_MAX || other_count < count)
		return sum;
	return sum + other_count - count;
}

size_t ik_model_nearest(const char *name, char *const *names, size_t count, const char **ret_near,
	size_t room)
{
	char *copy = ik_strdup(name);
	const char *parts[PARTS];
	size_t distances[16] = { 0 }, part_count = split(copy, parts), found = 0, i, at;

	if (room > sizeof(distances) / sizeof(distances[0]))
		room = sizeof(distances) / sizeof(distances[0]);
	for (i = 0; i < count && part_count > 0 && room > 0; i++) {
		size_t far = distance(parts, part_count, names[i]);

		for (at = found; at > 0 && distances[at - 1] > far; at--)
			;
		if (far == SIZE_MAX || at == room)
			continue;
		if (found < room)
			found++;
		memmove(&distances[at + 1], &distances[at], (found - at - 1) * sizeof(distances[0]));
		memmove(&ret_near[at + 1], &ret_near[at], (found - at - 1) * sizeof(ret_near[0]));
		distances[at] = far;
		ret_near[at] = names[i];
	}
	free(copy);
	return found;
}
