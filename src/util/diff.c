#include "util/diff.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

#define CONTEXT 3
/* Give up the search after this many steps: some milliseconds. */
#define SEARCH_STEPS 1000000
/* Limit on differing lines for which a search keeps its traces (a few MB). */
#define SEARCH_DEPTH 700

struct diff_line {
	const char *text;
	size_t length; /* including its line feed */
};

struct diff_lines {
	struct diff_line *lines;
	size_t count;
	bool *changed; /* removed from the old text; added in the new one */
};

/* Split a text into lines. */
static struct diff_lines split(const char *text, size_t length)
{
	struct diff_lines lines = { 0 };
	const char *end = text + length, *feed;
	size_t capacity = 1;

	for (const char *at = text; (feed = memchr(at, '\n', (size_t)(end - at))); at = feed + 1)
		capacity++;
	lines.lines = ik_alloc_array(NULL, capacity, sizeof(*lines.lines));
	lines.changed = ik_alloc(capacity * sizeof(*lines.changed));
	while (text < end) {
		feed = memchr(text, '\n', (size_t)(end - text));
		size_t size = feed ? (size_t)(feed - text) + 1 : (size_t)(end - text);
		lines.lines[lines.count++] = (struct diff_line){ text, size };
		text += size;
	}
	return lines;
}

static bool same(const struct diff_lines *one, size_t i, const struct diff_lines *other, size_t k)
{
	return one->lines[i].length == other->lines[k].length &&
		memcmp(one->lines[i].text, other->lines[k].text, one->lines[i].length) == 0;
}

static void mark(struct diff_lines *lines, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		lines->changed[i] = true;
}

/* A range of both texts to compare, without their common beginning and end. */
struct diff_search {
	struct diff_lines *old_lines, *new_lines;
	size_t old_start, old_count, new_start, new_count;
	int *traces[SEARCH_DEPTH + 1]; /* the furthest points before each depth */
	int depth;
	size_t steps;
};

/* Follow equal lines from (x, y) and return the new x. */
static int follow(struct diff_search *search, int x, int y)
{
	while (x < (int)search->old_count && y < (int)search->new_count &&
		same(search->old_lines, search->old_start + (size_t)x, search->new_lines,
			search->new_start + (size_t)y)) {
		x++;
		y++;
		search->steps++;
	}
	return x;
}

/* Is the furthest point on diagonal k reached by an added line? */
static bool comes_down(const int *furthest, int k, int depth)
{
	return k == -depth || (k != depth && furthest[k - 1] < furthest[k + 1]);
}

/* Find the smallest number of changed lines. Return false if that takes too long. */
static bool find_depth(struct diff_search *search, int *furthest)
{
	for (int depth = 0; depth <= SEARCH_DEPTH; depth++) {
		search->traces[depth] = ik_alloc_array(NULL, 2 * (size_t)depth + 3, sizeof(int));
		search->depth = depth;
		memcpy(search->traces[depth], furthest - depth - 1, (2 * (size_t)depth + 3) * sizeof(int));
		for (int k = -depth; k <= depth; k += 2) {
			int x = comes_down(furthest, k, depth) ? furthest[k + 1] : furthest[k - 1] + 1;

			furthest[k] = x = follow(search, x, x - k);
			if (x >= (int)search->old_count && x - k >= (int)search->new_count)
				return true;
			if (++search->steps > SEARCH_STEPS)
				return false;
		}
	}
	return false;
}

/* Walk back along the path and mark what changed. */
static void mark_way(struct diff_search *search)
{
	int x = (int)search->old_count, y = (int)search->new_count;

	for (int depth = search->depth; depth > 0; depth--) {
		const int *furthest = search->traces[depth] + depth + 1;
		int k = x - y;
		bool down = comes_down(furthest, k, depth);
		int before = down ? k + 1 : k - 1;

		x = furthest[before];
		y = x - before;
		if (down)
			search->new_lines->changed[search->new_start + (size_t)y] = true;
		else
			search->old_lines->changed[search->old_start + (size_t)x] = true;
	}
}

/* Mark what changed in a range. */
static void compare(struct diff_search *search)
{
	int *memory = ik_alloc((2 * SEARCH_DEPTH + 5) * sizeof(int));

	search->depth = -1;
	if (find_depth(search, memory + SEARCH_DEPTH + 2)) {
		mark_way(search);
	} else {
		mark(search->old_lines, search->old_start, search->old_start + search->old_count);
		mark(search->new_lines, search->new_start, search->new_start + search->new_count);
	}
	for (int depth = 0; depth <= search->depth; depth++)
		free(search->traces[depth]);
	free(memory);
}

/* Mark what changed. */
static void compare_lines(struct diff_lines *old_lines, struct diff_lines *new_lines)
{
	struct diff_search *search = ik_alloc(sizeof(*search));
	size_t old_end = old_lines->count, new_end = new_lines->count, start = 0;

	while (start < old_end && start < new_end && same(old_lines, start, new_lines, start))
		start++;
	while (old_end > start && new_end > start &&
		same(old_lines, old_end - 1, new_lines, new_end - 1)) {
		old_end--;
		new_end--;
	}
	*search = (struct diff_search){
		.old_lines = old_lines,
		.new_lines = new_lines,
		.old_start = start,
		.old_count = old_end - start,
		.new_start = start,
		.new_count = new_end - start,
	};
	if (search->old_count == 0 || search->new_count == 0 || search->old_count > INT32_MAX / 2 ||
		search->new_count > INT32_MAX / 2) {
		mark(old_lines, start, old_end);
		mark(new_lines, start, new_end);
	} else {
		compare(search);
	}
	free(search);
}

/* A line of the output: '-' removed, '+' added, ' ' in both texts. */
struct diff_edit {
	char sign;
	const struct diff_line *line;
};

/* Merge both texts into a list of edits. Return its length. */
static size_t merge(const struct diff_lines *old_lines, const struct diff_lines *new_lines,
	struct diff_edit *edits)
{
	size_t old_at = 0, new_at = 0, count = 0;

	while (old_at < old_lines->count || new_at < new_lines->count) {
		bool removed = old_at < old_lines->count && old_lines->changed[old_at];
		bool added = !removed && new_at < new_lines->count && new_lines->changed[new_at];
		const struct diff_line *line = added ? &new_lines->lines[new_at]
											 : &old_lines->lines[old_at];

		edits[count++] = (struct diff_edit){ removed ? '-' : added ? '+' : ' ', line };
		old_at += !added;
		new_at += !removed;
	}
	return count;
}

static void put_line(struct ik_buf *out, const struct diff_edit *edit)
{
	const struct diff_line *line = edit->line;

	ik_buf_putc(out, edit->sign);
	ik_buf_append(out, line->text, line->length);
	if (line->text[line->length - 1] != '\n')
		ik_buf_printf(out, "\n\\ %s\n", _("no line end at the end of the file"));
}

/* Append a hunk that begins after *old_at and *new_at lines, but at most `most` lines of it. Add
 * the hunk's lines to *old_at and *new_at. Return how many lines were omitted. */
static size_t put_hunk(struct ik_buf *out, const struct diff_edit *edits, size_t count, size_t most,
	size_t *old_at, size_t *new_at)
{
	size_t old_count = 0, new_count = 0;

	for (size_t i = 0; i < count; i++) {
		old_count += edits[i].sign != '+';
		new_count += edits[i].sign != '-';
	}
	if (most > 0)
		ik_buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", *old_at + (old_count > 0), old_count,
			*new_at + (new_count > 0), new_count);
	*old_at += old_count;
	*new_at += new_count;
	for (size_t i = 0; i < count && i < most; i++)
		put_line(out, &edits[i]);
	return count > most ? count - most : 0;
}

/* Append all hunks; changes that are close to each other share one. Return how many lines were
 * omitted. */
static size_t put_hunks(struct ik_buf *out, const struct diff_edit *edits, size_t count,
	size_t most)
{
	size_t old_at = 0, new_at = 0, done = 0, more = 0, shown = 0;

	for (size_t i = 0; i < count; i++) {
		if (edits[i].sign == ' ')
			continue;
		size_t start = i - done > CONTEXT ? i - CONTEXT : done, last = i;

		for (size_t k = i; k < count && k <= last + 2 * CONTEXT + 1; k++)
			last = edits[k].sign != ' ' ? k : last;
		size_t end = last + CONTEXT < count ? last + CONTEXT + 1 : count;

		old_at += start - done;
		new_at += start - done;
		more += put_hunk(out, edits + start, end - start, most - shown, &old_at, &new_at);
		shown = shown + end - start < most ? shown + end - start : most;
		done = end;
		i = end - 1;
	}
	return more;
}

static void lines_done(struct diff_lines *lines)
{
	free(lines->lines);
	free(lines->changed);
}

size_t ik_diff_lines(struct ik_buf *out, const char *old_text, size_t old_length,
	const char *new_text, size_t new_length, size_t most_lines)
{
	struct diff_lines old_lines = split(old_text, old_length);
	struct diff_lines new_lines = split(new_text, new_length);
	struct diff_edit *edits = ik_alloc_array(NULL, old_lines.count + new_lines.count,
		sizeof(*edits));

	compare_lines(&old_lines, &new_lines);
	size_t more = put_hunks(out, edits, merge(&old_lines, &new_lines, edits), most_lines);

	free(edits);
	lines_done(&old_lines);
	lines_done(&new_lines);
	return more;
}
