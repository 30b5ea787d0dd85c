#include "tools/common/suggestions.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

void ik_suggestions_add(struct ik_suggestions *best, size_t distance, size_t line, const char *text,
	size_t length)
{
	size_t at = best->count;

	for (size_t i = 0; i < best->count; i++)
		if (best->items[i].line == line && strlen(best->items[i].text) == length &&
			memcmp(best->items[i].text, text, length) == 0)
			return;
	while (at > 0 && distance < best->items[at - 1].distance)
		at--;
	if (at == IK_SUGGESTIONS_MAX)
		return;
	if (best->count == IK_SUGGESTIONS_MAX)
		free(best->items[--best->count].text);
	memmove(&best->items[at + 1], &best->items[at], (best->count - at) * sizeof(best->items[0]));
	best->items[at] = (struct ik_suggestion){ distance, line, ik_strndup(text, length) };
	best->count++;
}

void ik_suggestions_clear(struct ik_suggestions *best)
{
	for (size_t i = 0; i < best->count; i++)
		free(best->items[i].text);
	best->count = 0;
}
