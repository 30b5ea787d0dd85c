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
	size_t *distances = ik_alloc_array(NULL, count + 1, sizeof(*distances));
	size_t part_count = split(copy, parts), found, i;

	for (i = 0; i < count; i++)
		distances[i] = part_count > 0 ? distance(parts, part_count, names[i]) : SIZE_MAX;
	for (found = 0; found < room && count > 0; found++) {
		size_t best = 0;

		for (i = 1; i < count; i++)
			best = distances[i] < distances[best] ? i : best;
		if (distances[best] == SIZE_MAX)
			break;
		ret_near[found] = names[best];
		distances[best] = SIZE_MAX;
	}
	free(distances);
	free(copy);
	return found;
}
