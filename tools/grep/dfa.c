#include "tools/grep/dfa.h"

#include <stdlib.h>
#include <string.h>

#include "tools/grep/nfa.h"

#include "util/alloc.h"

/*
 * For each state there is a row that says where each byte leads.  Two special rows lead back to
 * themselves, so that it can be noticed some steps later that one was reached: ROW_UNKNOWN for a
 * byte that has not occurred in this state, ROW_MATCHED once it is certain that the line matches.
 */
struct dfa_row {
	struct dfa_row *to[256];
};

#define ROW_UNKNOWN 0
#define ROW_MATCHED 1
#define ROWS_SPECIAL 2
/* The rows stay below 8 MiB, the states' steps below 16 MiB. */
#define ROWS_MAX 4096
#define KEPT_MAX (4 << 20)
#define BUCKETS 4096

/* What precedes a position, as far as assertions depend on it. */
enum dfa_before {
	BEFORE_LINE, /* nothing */
	BEFORE_WORD,
	BEFORE_OTHER,
	BEFORE_ODD /* a byte that is not plain: unknown */
};

/* A state: the steps that wait for the next byte, and what precedes it. */
struct dfa_state {
	uint32_t *steps; /* in order of discovery, which is the same for the same set */
	uint32_t count;
	uint32_t hash;
	uint32_t next_in_bucket; /* index, 0 at the end */
	enum dfa_before before;
};

struct dfa {
	struct nfa nfa;
	unsigned char next_alike[256]; /* bytes that are treated alike, in circular lists */
	bool strict;
	struct dfa_row *rows;
	struct dfa_state *states; /* one for each row */
	size_t count;
	size_t kept_steps; /* of all states together */
	unsigned resets;   /* how often all states were discarded */
	uint32_t buckets[BUCKETS];
	struct dfa_row *initial; /* at the start of a line */
	/* Work space: a set of steps, in order of discovery and as marks. */
	uint32_t *found, *stack, *kept;
	uint32_t *marks;
	uint32_t mark;
};

/* Put bytes that no set and no assertion distinguishes into circular lists. */
static void find_alike(struct dfa *dfa)
{
	const struct nfa *nfa = &dfa->nfa;
	uint64_t prints[256];

	for (int byte = 0; byte < 256; byte++) {
		prints[byte] = byte == '\n' ? 1 : 2;
		if (nfa->has_word_assertions && !byte_is_plain((unsigned char)byte))
			prints[byte] = 3;
		else if (nfa->has_word_assertions && byte_is_word((unsigned char)byte))
			prints[byte] = 4;
	}
	/* Add a number for each step to all bytes of its set. Two bytes in different sets have the same
	 * sum with a probability of 2^-64. */
	for (size_t i = 0; i < nfa->count; i++) {
		uint64_t number = (i + 5) * UINT64_C(0x9E3779B97F4A7C15);

		number = (number ^ number >> 31) * UINT64_C(0xBF58476D1CE4E5B9);
		number ^= number >> 29;
		for (int k = 0; nfa->steps[i].kind == STEP_SET && k < 4; k++)
			for (uint64_t bits = nfa->steps[i].set.bits[k]; bits != 0; bits &= bits - 1)
				prints[64 * k + __builtin_ctzll(bits)] += number;
	}
	for (int byte = 0; byte < 256; byte++) {
		int first = 0;

		while (prints[first] != prints[byte])
			first++;
		dfa->next_alike[byte] = (unsigned char)byte;
		if (first < byte) {
			dfa->next_alike[byte] = dfa->next_alike[first];
			dfa->next_alike[first] = (unsigned char)byte;
		}
	}
}

/* Discard all states. */
static void forget_states(struct dfa *dfa)
{
	for (size_t i = ROWS_SPECIAL; i < dfa->count; i++)
		free(dfa->states[i].steps);
	dfa->count = ROWS_SPECIAL;
	dfa->kept_steps = 0;
	memset(dfa->buckets, 0, sizeof(dfa->buckets));
	dfa->resets++;
}

/* Make all bytes of a row lead to another row. */
static void fill_row(struct dfa_row *row, struct dfa_row *to)
{
	for (size_t i = 0; i < 256; i++)
		row->to[i] = to;
}

/* Return the row for a set of steps, made if it is new. NULL: there is no room. */
static struct dfa_row *state_row(struct dfa *dfa, const uint32_t *steps, uint32_t count,
	enum dfa_before before)
{
	uint32_t hash = (uint32_t)before * 31 + count;

	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ steps[i]) * UINT32_C(0x01000193) ^ hash >> 15;
	uint32_t *bucket = &dfa->buckets[hash % BUCKETS];

	for (uint32_t at = *bucket; at != 0; at = dfa->states[at].next_in_bucket) {
		const struct dfa_state *state = &dfa->states[at];

		if (state->hash == hash && state->before == before && state->count == count &&
			memcmp(state->steps, steps, count * sizeof(steps[0])) == 0)
			return &dfa->rows[at];
	}
	if (dfa->count == ROWS_MAX || dfa->kept_steps > KEPT_MAX)
		return NULL;
	dfa->kept_steps += count;
	struct dfa_state *state = &dfa->states[dfa->count];
	*state = (struct dfa_state){
		.count = count, .hash = hash, .next_in_bucket = *bucket, .before = before
	};
	state->steps = ik_alloc_array(NULL, count + 1, sizeof(steps[0]));
	memcpy(state->steps, steps, count * sizeof(steps[0]));
	*bucket = (uint32_t)dfa->count;
	struct dfa_row *row = &dfa->rows[dfa->count++];
	fill_row(row, &dfa->rows[ROW_UNKNOWN]);
	return row;
}

/* Does an assertion hold between what precedes and the next byte? If a byte that is not plain is
 * involved, return doubt. */
static bool holds(enum assertion assertion, enum dfa_before before, unsigned char next, bool doubt)
{
	bool word_before = before == BEFORE_WORD;
	bool word_next = byte_is_word(next);

	if (assertion == ASSERT_LINE_START)
		return before == BEFORE_LINE;
	if (assertion == ASSERT_LINE_END)
		return next == '\n';
	if (before == BEFORE_ODD || !byte_is_plain(next))
		return doubt;
	switch (assertion) {
	case ASSERT_WORD_EDGE:
		return word_before != word_next;
	case ASSERT_NO_WORD_EDGE:
		return word_before == word_next;
	case ASSERT_WORD_START:
		return !word_before && word_next;
	case ASSERT_WORD_END:
		return word_before && !word_next;
	case ASSERT_LINE_START:
	case ASSERT_LINE_END:
		break;
	}
	return false;
}

/*
 * Collect in dfa->found the steps that consume a byte and can be reached from the given ones
 * without consuming any. True if the match can be reached.
 */
static bool close_over(struct dfa *dfa, const uint32_t *steps, uint32_t count,
	enum dfa_before before, unsigned char next, uint32_t *ret_count)
{
	uint32_t depth, found = 0;

	dfa->mark++;
	for (uint32_t i = 0; i < count; i++) {
		dfa->stack[0] = steps[i];
		depth = 1;
		while (depth > 0) {
			uint32_t index = dfa->stack[--depth];
			const struct nfa_step *step = &dfa->nfa.steps[index];

			if (dfa->marks[index] == dfa->mark)
				continue;
			dfa->marks[index] = dfa->mark;
			switch (step->kind) {
			case STEP_MATCH:
				return true;
			case STEP_SET:
				dfa->found[found++] = index;
				break;
			case STEP_SPLIT:
				dfa->stack[depth++] = step->other;
				dfa->stack[depth++] = step->next;
				break;
			case STEP_ASSERT:
				if (holds(step->assertion, before, next, !dfa->strict))
					dfa->stack[depth++] = step->next;
				break;
			}
		}
	}
	*ret_count = found;
	return false;
}

/* Return what precedes the position after a byte, as far as this DFA depends on it. */
static enum dfa_before before_of(const struct dfa *dfa, unsigned char byte)
{
	if (!dfa->nfa.has_word_assertions)
		return BEFORE_OTHER;
	if (!byte_is_plain(byte))
		return BEFORE_ODD;
	return byte_is_word(byte) ? BEFORE_WORD : BEFORE_OTHER;
}

static struct dfa_row *make_initial(struct dfa *dfa)
{
	bool asked = dfa->nfa.has_line_start || dfa->nfa.has_word_assertions;

	return state_row(dfa, &dfa->nfa.start, 1, asked ? BEFORE_LINE : BEFORE_OTHER);
}

static int compare_steps(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return a < b ? -1 : a > b;
}

/* Sort the kept steps, which are marked. If there are many, going through the marks is faster. */
static void sort_kept(struct dfa *dfa, uint32_t kept)
{
	if (kept < dfa->nfa.count / 32) {
		qsort(dfa->kept, kept, sizeof(dfa->kept[0]), compare_steps);
		return;
	}
	kept = 0;
	for (uint32_t i = 0; i < dfa->nfa.count; i++)
		if (dfa->marks[i] == dfa->mark)
			dfa->kept[kept++] = i;
}

/* Make all bytes like this one lead from a row to another. */
static struct dfa_row *set_row(struct dfa *dfa, struct dfa_row *row, unsigned char byte,
	struct dfa_row *to)
{
	unsigned char alike = byte;

	do {
		row->to[alike] = to;
		alike = dfa->next_alike[alike];
	} while (alike != byte);
	return to;
}

/*
 * Compute where a byte leads from a row. If there is no room for another row, all rows are
 * discarded, and pointers to them become invalid.
 */
static struct dfa_row *explore(struct dfa *dfa, struct dfa_row *row, unsigned char byte)
{
	const struct dfa_state *state = &dfa->states[row - dfa->rows];
	uint32_t count, kept = 0;

	if (close_over(dfa, state->steps, state->count, state->before, byte, &count))
		return set_row(dfa, row, byte, &dfa->rows[ROW_MATCHED]);
	if (byte == '\n')
		return set_row(dfa, row, byte, dfa->initial);
	dfa->mark++;
	/* The expression may also begin after this byte. */
	dfa->kept[kept++] = dfa->nfa.start;
	dfa->marks[dfa->nfa.start] = dfa->mark;
	for (uint32_t i = 0; i < count; i++) {
		const struct nfa_step *step = &dfa->nfa.steps[dfa->found[i]];

		if (byte_set_has(&step->set, byte) && dfa->marks[step->next] != dfa->mark) {
			dfa->marks[step->next] = dfa->mark;
			dfa->kept[kept++] = step->next;
		}
	}
	sort_kept(dfa, kept);
	struct dfa_row *to = state_row(dfa, dfa->kept, kept, before_of(dfa, byte));

	if (to)
		return set_row(dfa, row, byte, to);
	forget_states(dfa);
	dfa->initial = make_initial(dfa);
	return state_row(dfa, dfa->kept, kept, before_of(dfa, byte));
}

struct dfa *dfa_new(const struct syntax *syntax, bool strict)
{
	struct dfa *dfa = ik_alloc(sizeof(*dfa));
	size_t steps;

	dfa->strict = strict;
	if (!nfa_make(&dfa->nfa, syntax, strict))
		return dfa_free(dfa);
	find_alike(dfa);
	steps = dfa->nfa.count;
	/* Untouched memory costs nothing. */
	dfa->rows = ik_alloc_array(NULL, ROWS_MAX, sizeof(dfa->rows[0]));
	dfa->states = ik_alloc_array(NULL, ROWS_MAX, sizeof(dfa->states[0]));
	dfa->count = ROWS_SPECIAL;
	for (size_t i = 0; i < ROWS_SPECIAL; i++)
		fill_row(&dfa->rows[i], &dfa->rows[i]);
	dfa->found = ik_alloc_array(NULL, steps, sizeof(uint32_t));
	dfa->kept = ik_alloc_array(NULL, steps + 1, sizeof(uint32_t));
	dfa->stack = ik_alloc_array(NULL, 2 * steps + 1, sizeof(uint32_t));
	dfa->marks = ik_alloc_array(NULL, steps, sizeof(uint32_t));
	memset(dfa->marks, 0, steps * sizeof(uint32_t));
	dfa->initial = make_initial(dfa);
	return dfa;
}

struct dfa *dfa_free(struct dfa *dfa)
{
	if (!dfa)
		return NULL;
	forget_states(dfa);
	nfa_done(&dfa->nfa);
	free(dfa->rows);
	free(dfa->states);
	free(dfa->found);
	free(dfa->kept);
	free(dfa->stack);
	free(dfa->marks);
	free(dfa);
	return NULL;
}

/* A part of the text being searched: the position, and the state there. */
struct cursor {
	const unsigned char *at, *end;
	struct dfa_row *row;
	const char *text; /* where the part began, at the start of a line */
};

/* Return the start of the line that the cursor is in. */
static const char *line_start(const struct cursor *cursor)
{
	const char *at = (const char *)cursor->at;
	const char *feed = at > cursor->text ? memrchr(cursor->text, '\n', (size_t)(at - cursor->text))
										 : NULL;

	return feed ? feed + 1 : cursor->text;
}

/* Do one step: compute it if it is unknown, or record the line if it matches. */
static void take_step(struct dfa *dfa, struct cursor *cursor, struct lines *found)
{
	struct dfa_row *to = cursor->row->to[*cursor->at];

	if (to == &dfa->rows[ROW_UNKNOWN])
		to = explore(dfa, cursor->row, *cursor->at);
	if (to != &dfa->rows[ROW_MATCHED]) {
		cursor->row = to;
		cursor->at++;
		return;
	}
	const char *at = (const char *)cursor->at;
	const char *feed = memchr(at, '\n', (size_t)((const char *)cursor->end - at));
	lines_add(found, line_start(cursor), feed);
	cursor->at = (const unsigned char *)feed + 1;
	cursor->row = dfa->initial;
}

/* Run one cursor to its end. */
static void run_one(struct dfa *dfa, struct cursor *cursor, struct lines *found)
{
	const struct dfa_row *usual = &dfa->rows[ROWS_SPECIAL];

	while (cursor->at < cursor->end) {
		const unsigned char *at = cursor->at;
		const unsigned char *end = cursor->end;
		struct dfa_row *row = cursor->row;
		struct dfa_row *to = NULL;

		while (at < end && (to = row->to[*at]) >= usual) {
			row = to;
			at++;
		}
		cursor->at = at;
		cursor->row = row;
		if (at < end)
			take_step(dfa, cursor, found);
	}
}

bool dfa_matches(struct dfa *dfa, const char *text, const char *end)
{
	const unsigned char *at = (const unsigned char *)text;
	struct dfa_row *row = dfa->initial;

	while (at < (const unsigned char *)end) {
		struct dfa_row *to = row->to[*at];

		if (to == &dfa->rows[ROW_UNKNOWN])
			to = explore(dfa, row, *at);
		if (to == &dfa->rows[ROW_MATCHED])
			return true;
		row = to;
		at++;
	}
	return false;
}

/*
 * Each step of a cursor waits for the result of the one before, so one cursor leaves the processor
 * idle most of the time.  Four at once, each in its part of the text, take 0.8 s of CPU time for
 * [A-Z]{4}[0-9]{2} in the 771 MB of a /usr/share, where one takes 1.5 s: only four keep up with
 * ripgrep.
 */
#define CURSORS 4
/* Steps between two checks for special rows. */
#define STRIDE 8

/* Return how far all cursors can advance before the first reaches its end. */
static ptrdiff_t common_distance(const struct cursor *cursors)
{
	ptrdiff_t distance = PTRDIFF_MAX;

	for (int k = 0; k < CURSORS; k++)
		if (cursors[k].end - cursors[k].at < distance)
			distance = cursors[k].end - cursors[k].at;
	return distance;
}

/* Advance all cursors by whole strides, until one of them reaches a special row. */
static void run_strides(const struct dfa_row *usual, struct cursor *cursors, ptrdiff_t distance)
{
	const unsigned char *a = cursors[0].at, *b = cursors[1].at;
	const unsigned char *c = cursors[2].at, *d = cursors[3].at;
	struct dfa_row *row_a = cursors[0].row, *row_b = cursors[1].row;
	struct dfa_row *row_c = cursors[2].row, *row_d = cursors[3].row;
	ptrdiff_t at = 0;

	for (; at + STRIDE <= distance; at += STRIDE) {
		struct dfa_row *to_a = row_a, *to_b = row_b, *to_c = row_c, *to_d = row_d;

		for (int i = 0; i < STRIDE; i++) {
			to_a = to_a->to[a[at + i]];
			to_b = to_b->to[b[at + i]];
			to_c = to_c->to[c[at + i]];
			to_d = to_d->to[d[at + i]];
		}
		if (to_a < usual || to_b < usual || to_c < usual || to_d < usual)
			break;
		row_a = to_a;
		row_b = to_b;
		row_c = to_c;
		row_d = to_d;
	}
	struct dfa_row *const rows[CURSORS] = { row_a, row_b, row_c, row_d };
	for (int k = 0; k < CURSORS; k++) {
		cursors[k].at += at;
		cursors[k].row = rows[k];
	}
}

/* Run all cursors until one is at its end, or until the states are discarded and the rows of the
 * cursors are no longer valid. */
static void run_together(struct dfa *dfa, struct cursor *cursors, struct lines *found)
{
	unsigned resets = dfa->resets;
	ptrdiff_t distance;

	while ((distance = common_distance(cursors)) > 0) {
		run_strides(&dfa->rows[ROWS_SPECIAL], cursors, distance);
		/* Whatever stopped them is within the next stride. */
		for (int i = 0; i < STRIDE; i++) {
			for (int k = 0; k < CURSORS; k++) {
				if (cursors[k].at < cursors[k].end)
					take_step(dfa, &cursors[k], found);
				if (resets != dfa->resets)
					return;
			}
		}
	}
}

/* Cut the text into one part of whole lines for each cursor. */
static void split(const struct dfa *dfa, const char *text, const char *end, struct cursor *cursors)
{
	for (int k = 0; k < CURSORS; k++) {
		const char *middle = text + (end - text) / (CURSORS - k);
		const char *feed = memchr(middle, '\n', (size_t)(end - middle));
		const char *stop = feed ? feed + 1 : end;

		cursors[k] = (struct cursor){
			.at = (const unsigned char *)text,
			.end = (const unsigned char *)stop,
			.row = dfa->initial,
			.text = text,
		};
		text = stop;
	}
}

static int compare_lines(const void *one, const void *other)
{
	const struct lines_line *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

void dfa_search(struct dfa *dfa, const char *text, const char *end, struct lines *found)
{
	struct cursor cursors[CURSORS];
	size_t first = found->count;
	unsigned resets = dfa->resets;

	split(dfa, text, end, cursors);
	run_together(dfa, cursors, found);
	for (int k = 0; k < CURSORS; k++) {
		/* The cursor's row is gone: start its line again. */
		if (resets != dfa->resets) {
			cursors[k].at = (const unsigned char *)line_start(&cursors[k]);
			cursors[k].row = dfa->initial;
		}
		run_one(dfa, &cursors[k], found);
	}
	if (found->count > first + 1)
		qsort(found->list + first, found->count - first, sizeof(found->list[0]), compare_lines);
}
