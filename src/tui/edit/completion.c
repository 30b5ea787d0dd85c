#include "tui/edit/completion.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/utf8.h"

/* Bytes with a special meaning to the shell. */
#define SHELL_SPECIAL " \t\n\\'\"`$&|;<>()[]{}*?!#~="

/* Longer lists stay unsorted: sorting would cause a noticeable delay, and no one reads that far. */
#define SORTED_MAX 5000

enum rank { RANK_PREFIX, RANK_PREFIX_ANY_CASE, RANK_WITHIN, RANK_COUNT };

/* Return how well a candidate matches, or RANK_COUNT if it does not. */
static enum rank rank_of(const char *text, const char *typed, size_t length)
{
	if (strncmp(text, typed, length) == 0)
		return RANK_PREFIX;
	if (strncasecmp(text, typed, length) == 0)
		return RANK_PREFIX_ANY_CASE;
	/* Commands also match by a part of their name. */
	if (*typed == '/')
		typed++;
	return *typed && strcasestr(text, typed) ? RANK_WITHIN : RANK_COUNT;
}

/* Compare two candidates by their text. */
static int by_text(const void *one, const void *other, void *candidates)
{
	const struct ik_proposal *at = candidates;

	return strcmp(at[*(const uint32_t *)one].text, at[*(const uint32_t *)other].text);
}

size_t ik_completion_match(const struct ik_completions *completions, uint32_t **ret_indexes)
{
	const struct ik_proposal *candidates = completions->candidates;
	size_t typed = strlen(completions->typed), all = completions->count, count = 0;
	uint32_t *indexes = ik_alloc_array(NULL, all + 1, sizeof(*indexes));
	unsigned char *ranks = ik_alloc(all + 1);

	for (size_t i = 0; i < all; i++)
		ranks[i] = (unsigned char)rank_of(candidates[i].text, completions->typed, typed);
	for (int rank = 0; rank < RANK_COUNT; rank++) {
		size_t start = count;

		for (size_t i = 0; i < all; i++)
			if (ranks[i] == rank)
				indexes[count++] = (uint32_t)i;
		if (completions->unsorted && count - start <= SORTED_MAX)
			qsort_r(indexes + start, count - start, sizeof(*indexes), by_text,
				(void *)(uintptr_t)candidates);
	}
	free(ranks);
	*ret_indexes = indexes;
	return count;
}

size_t ik_completion_common(const struct ik_completions *completions, const uint32_t *indexes,
	size_t count, size_t *ret_prefixed)
{
	const char *first = NULL;
	size_t typed = strlen(completions->typed), common = 0, i;

	for (i = 0; i < count; i++) {
		const char *text = completions->candidates[indexes[i]].text;
		size_t length = 0;

		if (strncmp(text, completions->typed, typed) != 0)
			break;
		if (!first)
			common = strlen(first = text);
		while (length < common && text[length] == first[length])
			length++;
		common = length;
	}
	*ret_prefixed = i;
	return first ? ik_utf8_cut(first, strlen(first), common) : 0;
}

/* Append a word, quoted for the shell; a leading "~" stays unquoted. */
static void put_shell(struct ik_buf *out, const char *word)
{
	if (*word == '~')
		ik_buf_putc(out, *word++);
	for (; *word; word++) {
		if (strchr(SHELL_SPECIAL, *word))
			ik_buf_putc(out, '\\');
		ik_buf_putc(out, *word);
	}
}

size_t ik_completion_put(const struct ik_completions *completions, size_t index, size_t length,
	struct ik_buf *out)
{
	const char *text = completions->candidates[index].text, *gap;
	size_t all = strlen(text), start = out->length;
	bool taken = length == SIZE_MAX, goes_on = all > 0 && text[all - 1] == '/';
	bool quoted;
	struct ik_buf word;

	ik_buf_init(&word, IK_LIMIT_USER_TEXT);
	ik_buf_puts(&word, completions->head);
	ik_buf_append(&word, text, taken ? all : length);
	switch (completions->quoting) {
	case IK_QUOTING_NONE:
		ik_buf_puts(out, word.data);
		break;
	case IK_QUOTING_MENTION:
		/* A quote inside the word does not end an unquoted mention. */
		quoted = *word.data == '"' || strpbrk(word.data, " \t");
		ik_buf_puts(out, quoted ? "@\"" : "@");
		ik_buf_puts(out, word.data);
		if (quoted && taken && !goes_on)
			ik_buf_putc(out, '"');
		break;
	case IK_QUOTING_SHELL:
		put_shell(out, word.data);
		break;
	}
	ik_buf_done(&word);
	gap = completions->caret_in_quotes ? strstr(out->data + start, "\"\"") : NULL;
	if (gap)
		return (size_t)(gap - out->data) - start + 1;
	if (taken && !goes_on && !completions->caret_in_quotes)
		ik_buf_putc(out, ' ');
	return out->length - start;
}
