#include "util/text.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

bool ik_text_equal(const char *one, const char *other)
{
	return strcmp(one, other) == 0;
}

bool ik_text_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool ik_text_ends(const char *text, const char *suffix)
{
	size_t text_length = strlen(text);
	size_t suffix_length = strlen(suffix);

	return text_length >= suffix_length &&
		memcmp(text + text_length - suffix_length, suffix, suffix_length) == 0;
}

size_t ik_line_end(const char *text, size_t position, size_t length)
{
	const char *feed = position < length ? memchr(text + position, '\n', length - position) : NULL;

	return feed ? (size_t)(feed - text) : length;
}

size_t ik_line_begin(const char *text, size_t least, size_t position)
{
	const char *feed = position > least ? memrchr(text + least, '\n', position - least) : NULL;

	return feed ? (size_t)(feed - text) + 1 : least;
}

size_t ik_line_feeds(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t at = 0; (at = ik_line_end(text, at, length)) < length; at++)
		count++;
	return count;
}

size_t ik_text_item_at(const void *items, size_t count, size_t size, size_t offset)
{
	size_t low = 0, high = count;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;
		uint32_t start;

		memcpy(&start, (const char *)items + middle * size, sizeof(start));
		if (start <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t ik_text_hash(const char *text)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return hash;
}

static size_t smaller(size_t one, size_t other)
{
	return one < other ? one : other;
}

size_t ik_text_distance(const char *one, const char *other)
{
	size_t rows = strlen(one), columns = strlen(other), width = columns + 1;
	/* Three rows of the table are enough: the current one and the two above. */
	size_t *table = ik_alloc_array(NULL, 3 * width, sizeof(*table));
	size_t *above2 = table, *above = table + width, *row = table + 2 * width;
	size_t result;

	for (size_t j = 0; j <= columns; j++) {
		above2[j] = 0;
		row[j] = j;
	}
	for (size_t i = 1; i <= rows; i++) {
		size_t *oldest = above2;

		above2 = above;
		above = row;
		row = oldest;
		row[0] = i;
		for (size_t j = 1; j <= columns; j++) {
			size_t changed = above[j - 1] + (one[i - 1] != other[j - 1]);

			row[j] = smaller(changed, smaller(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
				row[j] = smaller(row[j], above2[j - 2] + 1);
		}
	}
	result = row[columns];
	free(table);
	return result;
}

const char *ik_text_nearest(const char *text, const char *const *words, size_t count)
{
	/* A word this long is never a typo for a known one, and not worth a quadratic table. */
	const size_t longest = 200;
	const char *best = NULL;
	size_t best_distance = strlen(text) / 3 + 1;

	if (strlen(text) > longest)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t distance;

		if (strlen(words[i]) > longest)
			continue;
		distance = ik_text_distance(text, words[i]);
		if (distance < best_distance) {
			best_distance = distance;
			best = words[i];
		}
	}
	return best;
}
