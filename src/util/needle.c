#include "util/needle.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/utf8.h"

/* Add a form of the first character. */
static void add_form(struct ik_needle *needle, uint32_t character)
{
	size_t index = needle->form_count;

	if (index < IK_NEEDLE_FORMS) {
		needle->form_lengths[index] = (uint8_t)ik_utf8_encode(character, needle->forms[index]);
		needle->form_count++;
	}
}

/* Add all characters that fold to this one (upper and lower case). */
static void find_forms(struct ik_needle *needle, uint32_t folded)
{
	static const struct {
		uint32_t first, end;
	} cased[] = {
		{ 0x41, 0x5b },
		{ 0x61, 0x7b },
		{ 0xb5, 0x590 },
		{ 0x10a0, 0x1400 },
		{ 0x1c80, 0x2200 },
		{ 0x24b6, 0x24ea },
		{ 0x2c00, 0x2e00 },
		{ 0xa640, 0xac00 },
		{ 0xff21, 0xff5b },
		{ 0x10400, 0x10600 },
		{ 0x10c80, 0x10d00 },
		{ 0x118a0, 0x118e0 },
		{ 0x16e40, 0x16e80 },
		{ 0x1e900, 0x1e944 },
	};
	for (size_t i = 0; i < sizeof(cased) / sizeof(*cased); i++)
		for (uint32_t at = cased[i].first; at < cased[i].end; at++)
			if (ik_utf8_fold(at) == folded)
				add_form(needle, at);
	if (needle->form_count == 0)
		add_form(needle, folded);
}

void ik_needle_init(struct ik_needle *needle, const char *pattern, size_t length)
{
	*needle = (struct ik_needle){ .ignore_case = true };
	if (length == 0)
		return;
	needle->pattern = ik_strndup(pattern, length);
	needle->length = length;
	needle->folded = ik_alloc_array(NULL, length, sizeof(*needle->folded));
	for (size_t offset = 0; offset < length;) {
		uint32_t character = 0;
		int bytes = ik_utf8_decode(pattern + offset, length - offset, &character);

		if (bytes <= 0) {
			ik_needle_done(needle);
			return;
		}
		needle->ignore_case &= !ik_utf8_is_upper(character);
		needle->folded[needle->count++] = character;
		offset += (size_t)bytes;
	}
	for (size_t i = 0; needle->ignore_case && i < needle->count; i++)
		needle->folded[i] = ik_utf8_fold(needle->folded[i]);
	if (needle->ignore_case)
		find_forms(needle, needle->folded[0]);
	else
		add_form(needle, needle->folded[0]);
}

void ik_needle_done(struct ik_needle *needle)
{
	free(needle->pattern);
	free(needle->folded);
	*needle = (struct ik_needle){ .ignore_case = true };
}

/* Return the next occurrence of one form from that position; length if there is none. */
static size_t next_form(const struct ik_needle *needle, size_t form, const char *text,
	size_t length, size_t from)
{
	const char *found;

	if (from >= length)
		return length;
	if (needle->form_lengths[form] == 1)
		found = memchr(text + from, needle->forms[form][0], length - from);
	else
		found = memmem(text + from, length - from, needle->forms[form], needle->form_lengths[form]);
	return found ? (size_t)(found - text) : length;
}

/* Fold an ASCII character. */
static inline uint32_t fold_ascii(char byte)
{
	return (uint32_t)byte | (byte >= 'A' && byte <= 'Z' ? 0x20 : 0);
}

/* Does the whole pattern match at position? */
static bool matches_at(const struct ik_needle *needle, const char *text, size_t length,
	size_t position, size_t *ret_length)
{
	size_t end = position;
	uint32_t character = 0;

	for (size_t i = 0; i < needle->count; i++) {
		int bytes = 1;

		if (end >= length)
			return false;
		if ((unsigned char)text[end] < 0x80) {
			character = fold_ascii(text[end]);
		} else {
			bytes = ik_utf8_decode(text + end, length - end, &character);
			character = ik_utf8_fold(character);
		}
		if (bytes <= 0 || character != needle->folded[i])
			return false;
		end += (size_t)bytes;
	}
	*ret_length = end - position;
	return true;
}

void ik_needle_begin(struct ik_needle_scan *scan, const struct ik_needle *needle, const char *text,
	size_t length, size_t from)
{
	*scan = (struct ik_needle_scan){
		.needle = needle,
		.text = text,
		.length = length,
		.from = from,
	};
	for (size_t form = 0; needle->ignore_case && form < needle->form_count; form++)
		scan->next[form] = next_form(needle, form, text, length, from);
}

/* Find the next match when case counts: comparing bytes is enough. */
static size_t next_exact(const struct ik_needle_scan *scan)
{
	const char *found = scan->from < scan->length
		? memmem(scan->text + scan->from, scan->length - scan->from, scan->needle->pattern,
			  scan->needle->length)
		: NULL;

	return found ? (size_t)(found - scan->text) : SIZE_MAX;
}

/* Find the next match through all forms of the first character. */
static size_t next_folded(struct ik_needle_scan *scan, size_t *ret_length)
{
	const struct ik_needle *needle = scan->needle;

	for (;;) {
		size_t first = 0;

		for (size_t form = 1; form < needle->form_count; form++)
			if (scan->next[form] < scan->next[first])
				first = form;
		size_t position = scan->next[first];

		if (position >= scan->length)
			return SIZE_MAX;
		scan->next[first] = next_form(needle, first, scan->text, scan->length,
			position + needle->form_lengths[first]);
		if (position >= scan->from &&
			matches_at(needle, scan->text, scan->length, position, ret_length))
			return position;
	}
}

size_t ik_needle_next(struct ik_needle_scan *scan, size_t *ret_length)
{
	if (scan->needle->length == 0)
		return SIZE_MAX;
	*ret_length = scan->needle->length;
	size_t found = scan->needle->ignore_case ? next_folded(scan, ret_length) : next_exact(scan);

	if (found != SIZE_MAX)
		scan->from = found + *ret_length;
	return found;
}

size_t ik_needle_find(const struct ik_needle *needle, const char *text, size_t length, size_t from,
	size_t *ret_length)
{
	struct ik_needle_scan scan;

	ik_needle_begin(&scan, needle, text, length, from);
	return ik_needle_next(&scan, ret_length);
}

size_t ik_needle_count(const struct ik_needle *needle, const char *text, size_t length)
{
	struct ik_needle_scan scan;
	size_t count = 0, bytes;

	ik_needle_begin(&scan, needle, text, length, 0);
	while (ik_needle_next(&scan, &bytes) != SIZE_MAX)
		count++;
	return count;
}
