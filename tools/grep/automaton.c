#include "tools/grep/automaton.h"

#include <stdlib.h>
#include <string.h>

#include "tools/grep/machine.h"

#include "util/alloc.h"

/*
 * For each state there is a row that tells where each byte leads.  Two rows
 * lead back to themselves for all bytes, so that running into one can be
 * noticed some steps later: ROW_UNKNOWN is where a byte leads that was not met
 * before, ROW_MATCHED where it is sure that the line matches.
 */
struct automaton_row {
	struct automaton_row *to[256];
};

#define ROW_UNKNOWN 0
#define ROW_MATCHED 1
#define ROWS_SPECIAL 2
/* The rows stay below 8 MiB, what the states keep below 16 MiB. */
#define ROWS_MAX 4096
#define KEPT_MAX (4 << 20)
#define BUCKETS 4096

/* What stands before a place, as far as assertions ask. */
enum automaton_before {
	BEFORE_LINE, /* nothing */
	BEFORE_WORD,
	BEFORE_OTHER,
	BEFORE_ODD /* a byte that is not plain: nobody knows */
};

/* A state: steps that wait for the next byte to be known, and what stood before it. */
struct automaton_state {
	uint32_t *steps; /* sorted by discovery, which is the same for the same set */
	uint32_t count;
	uint32_t hash;
	uint32_t next_in_bucket; /* index, 0 at the end */
	enum automaton_before before;
};

struct automaton {
	struct machine machine;
	unsigned char next_alike[256]; /* bytes that nothing tells apart, in circles */
	bool strict;
	struct automaton_row *rows;
	struct automaton_state *states; /* one for each row */
	size_t count;
	size_t kept_steps; /* of all states together */
	uint32_t buckets[BUCKETS];
	struct automaton_row *initial; /* at the start of a line */
	unsigned resets;               /* how often the rows were given up */
	/* Work space: a set of steps, in order of discovery and as marks. */
	uint32_t *found, *stack, *kept;
	uint32_t *marks;
	uint32_t mark;
};

/* Put bytes that no set and no assertion tells apart into circles. */
static void find_alike(struct automaton *automaton)
{
	const struct machine *machine = &automaton->machine;
	uint64_t prints[256];

	for (int byte = 0; byte < 256; byte++) {
		prints[byte] = byte == '\n' ? 1 : 2;
		if (machine->has_word_assertions && !byte_is_plain((unsigned char)byte))
			prints[byte] = 3;
		else if (machine->has_word_assertions && byte_is_word((unsigned char)byte))
			prints[byte] = 4;
	}
	/* Each step gives its own number to its bytes. Two bytes that are not in the
	 * same steps have the same sum once in 2^64. */
	for (size_t i = 0; i < machine->count; i++) {
		uint64_t number = (i + 5) * UINT64_C(0x9E3779B97F4A7C15);

		number = (number ^ number >> 31) * UINT64_C(0xBF58476D1CE4E5B9);
		number ^= number >> 29;
		for (int k = 0; machine->steps[i].kind == STEP_SET && k < 4; k++)
			for (uint64_t bits = machine->steps[i].set.bits[k]; bits != 0; bits &= bits - 1)
				prints[64 * k + __builtin_ctzll(bits)] += number;
	}
	for (int byte = 0; byte < 256; byte++) {
		int first = 0;

		while (prints[first] != prints[byte])
			first++;
		automaton->next_alike[byte] = (unsigned char)byte;
		if (first < byte) {
			automaton->next_alike[byte] = automaton->next_alike[first];
			automaton->next_alike[first] = (unsigned char)byte;
		}
	}
}

/* Forget all states. */
static void forget_states(struct automaton *automaton)
{
	for (size_t i = ROWS_SPECIAL; i < automaton->count; i++)
		free(automaton->states[i].steps);
	automaton->count = ROWS_SPECIAL;
	automaton->kept_steps = 0;
	memset(automaton->buckets, 0, sizeof(automaton->buckets));
	automaton->resets++;
}

/* Let a row lead to one other whatever the byte. */
static void fill_row(struct automaton_row *row, struct automaton_row *to)
{
	for (size_t i = 0; i < 256; i++)
		row->to[i] = to;
}

/* The row for a set of steps; made, if it is new. NULL: there is no room. */
static struct automaton_row *state_row(struct automaton *automaton, const uint32_t *steps,
	uint32_t count, enum automaton_before before)
{
	uint32_t hash = (uint32_t)before * 31 + count;

	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ steps[i]) * UINT32_C(0x01000193) ^ hash >> 15;
	uint32_t *bucket = &automaton->buckets[hash % BUCKETS];

	for (uint32_t at = *bucket; at != 0; at = automaton->states[at].next_in_bucket) {
		const struct automaton_state *state = &automaton->states[at];

		if (state->hash == hash && state->before == before && state->count == count &&
			memcmp(state->steps, steps, count * sizeof(steps[0])) == 0)
			return &automaton->rows[at];
	}
	if (automaton->count == ROWS_MAX || automaton->kept_steps > KEPT_MAX)
		return NULL;
	automaton->kept_steps += count;
	struct automaton_state *state = &automaton->states[automaton->count];
	*state = (struct automaton_state){
		.count = count, .hash = hash, .next_in_bucket = *bucket, .before = before
	};
	state->steps = ik_alloc_array(NULL, count + 1, sizeof(steps[0]));
	memcpy(state->steps, steps, count * sizeof(steps[0]));
	*bucket = (uint32_t)automaton->count;
	struct automaton_row *row = &automaton->rows[automaton->count++];
	fill_row(row, &automaton->rows[ROW_UNKNOWN]);
	return row;
}

/* Does an assertion hold between what stands before and the next byte? Where
 * a byte that is not plain is concerned, doubt says. */
static bool holds(enum assertion assertion, enum automaton_before before, unsigned char next,
	bool doubt)
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
 * Collect in automaton->found the steps that take a byte and can be reached
 * from the given ones without taking any. True when the match can be reached.
 */
static bool close_over(struct automaton *automaton, const uint32_t *steps, uint32_t count,
	enum automaton_before before, unsigned char next, uint32_t *ret_count)
{
	uint32_t depth, found = 0;

	automaton->mark++;
	for (uint32_t i = 0; i < count; i++) {
		automaton->stack[0] = steps[i];
		depth = 1;
		while (depth > 0) {
			uint32_t index = automaton->stack[--depth];
			const struct machine_step *step = &automaton->machine.steps[index];

			if (automaton->marks[index] == automaton->mark)
				continue;
			automaton->marks[index] = automaton->mark;
			switch (step->kind) {
			case STEP_MATCH:
				return true;
			case STEP_SET:
				automaton->found[found++] = index;
				break;
			case STEP_SPLIT:
				automaton->stack[depth++] = step->other;
				automaton->stack[depth++] = step->next;
				break;
			case STEP_ASSERT:
				if (holds(step->assertion, before, next, !automaton->strict))
					automaton->stack[depth++] = step->next;
				break;
			}
		}
	}
	*ret_count = found;
	return false;
}

/* What stands before the place behind a byte, as far as this machine asks. */
static enum automaton_before before_of(const struct automaton *automaton, unsigned char byte)
{
	if (!automaton->machine.has_word_assertions)
		return BEFORE_OTHER;
	if (!byte_is_plain(byte))
		return BEFORE_ODD;
	return byte_is_word(byte) ? BEFORE_WORD : BEFORE_OTHER;
}

static struct automaton_row *make_initial(struct automaton *automaton)
{
	bool asked = automaton->machine.has_line_start || automaton->machine.has_word_assertions;

	return state_row(automaton, &automaton->machine.start, 1, asked ? BEFORE_LINE : BEFORE_OTHER);
}

static int compare_steps(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return a < b ? -1 : a > b;
}

/* Sort the steps that are kept, and marked. Of many, the marks tell sooner. */
static void sort_kept(struct automaton *automaton, uint32_t kept)
{
	if (kept < automaton->machine.count / 32) {
		qsort(automaton->kept, kept, sizeof(automaton->kept[0]), compare_steps);
		return;
	}
	kept = 0;
	for (uint32_t i = 0; i < automaton->machine.count; i++)
		if (automaton->marks[i] == automaton->mark)
			automaton->kept[kept++] = i;
}

/* Let all bytes that are like this one lead from a row to another. */
static struct automaton_row *set_row(struct automaton *automaton, struct automaton_row *row,
	unsigned char byte, struct automaton_row *to)
{
	unsigned char alike = byte;

	do {
		row->to[alike] = to;
		alike = automaton->next_alike[alike];
	} while (alike != byte);
	return to;
}

/*
 * Find out where a byte leads from a row. When there is no room for one more
 * all rows are given up, and pointers to them mean nothing any more (resets
 * tells).
 */
static struct automaton_row *explore(struct automaton *automaton, struct automaton_row *row,
	unsigned char byte)
{
	const struct automaton_state *state = &automaton->states[row - automaton->rows];
	uint32_t count, kept = 0;

	if (close_over(automaton, state->steps, state->count, state->before, byte, &count))
		return set_row(automaton, row, byte, &automaton->rows[ROW_MATCHED]);
	if (byte == '\n')
		return set_row(automaton, row, byte, automaton->initial);
	automaton->mark++;
	/* The expression may also begin behind this byte. */
	automaton->kept[kept++] = automaton->machine.start;
	automaton->marks[automaton->machine.start] = automaton->mark;
	for (uint32_t i = 0; i < count; i++) {
		const struct machine_step *step = &automaton->machine.steps[automaton->found[i]];

		if (byte_set_has(&step->set, byte) && automaton->marks[step->next] != automaton->mark) {
			automaton->marks[step->next] = automaton->mark;
			automaton->kept[kept++] = step->next;
		}
	}
	sort_kept(automaton, kept);
	struct automaton_row *to = state_row(automaton, automaton->kept, kept,
		before_of(automaton, byte));
	if (to)
		return set_row(automaton, row, byte, to);
	forget_states(automaton);
	automaton->initial = make_initial(automaton);
	return state_row(automaton, automaton->kept, kept, before_of(automaton, byte));
}

struct automaton *automaton_new(const struct syntax *syntax, bool strict)
{
	struct automaton *automaton = ik_alloc(sizeof(*automaton));
	size_t steps;

	automaton->strict = strict;
	if (!machine_make(&automaton->machine, syntax, strict))
		return automaton_free(automaton);
	find_alike(automaton);
	steps = automaton->machine.count;
	/* Memory that is not touched costs nothing. */
	automaton->rows = ik_alloc_array(NULL, ROWS_MAX, sizeof(automaton->rows[0]));
	automaton->states = ik_alloc_array(NULL, ROWS_MAX, sizeof(automaton->states[0]));
	automaton->count = ROWS_SPECIAL;
	for (size_t i = 0; i < ROWS_SPECIAL; i++)
		fill_row(&automaton->rows[i], &automaton->rows[i]);
	automaton->found = ik_alloc_array(NULL, steps, sizeof(uint32_t));
	automaton->kept = ik_alloc_array(NULL, steps + 1, sizeof(uint32_t));
	automaton->stack = ik_alloc_array(NULL, 2 * steps + 1, sizeof(uint32_t));
	automaton->marks = ik_alloc_array(NULL, steps, sizeof(uint32_t));
	memset(automaton->marks, 0, steps * sizeof(uint32_t));
	automaton->initial = make_initial(automaton);
	return automaton;
}

struct automaton *automaton_free(struct automaton *automaton)
{
	if (!automaton)
		return NULL;
	forget_states(automaton);
	machine_done(&automaton->machine);
	free(automaton->rows);
	free(automaton->states);
	free(automaton->found);
	free(automaton->kept);
	free(automaton->stack);
	free(automaton->marks);
	free(automaton);
	return NULL;
}

/* A part of the text that is searched: how far, and the state there. */
struct cursor {
	const unsigned char *at, *end;
	struct automaton_row *row;
	const char *text; /* where it began, at the start of a line */
};

/* Start of the line in which the cursor stands. */
static const char *line_start(const struct cursor *cursor)
{
	const char *at = (const char *)cursor->at;
	const char *feed = at > cursor->text ? memrchr(cursor->text, '\n', (size_t)(at - cursor->text))
										 : NULL;

	return feed ? feed + 1 : cursor->text;
}

/* Do one step, which may be one into the unknown, or take the line. */
static void take_step(struct automaton *automaton, struct cursor *cursor, struct lines *found)
{
	struct automaton_row *to = cursor->row->to[*cursor->at];

	if (to == &automaton->rows[ROW_UNKNOWN])
		to = explore(automaton, cursor->row, *cursor->at);
	if (to != &automaton->rows[ROW_MATCHED]) {
		cursor->row = to;
		cursor->at++;
		return;
	}
	const char *at = (const char *)cursor->at;
	const char *feed = memchr(at, '\n', (size_t)((const char *)cursor->end - at));
	lines_add(found, line_start(cursor), feed);
	cursor->at = (const unsigned char *)feed + 1;
	cursor->row = automaton->initial;
}

/* Run one cursor to its end. */
static void run_one(struct automaton *automaton, struct cursor *cursor, struct lines *found)
{
	const struct automaton_row *usual = &automaton->rows[ROWS_SPECIAL];

	while (cursor->at < cursor->end) {
		const unsigned char *at = cursor->at;
		const unsigned char *end = cursor->end;
		struct automaton_row *row = cursor->row;
		struct automaton_row *to = NULL;

		while (at < end && (to = row->to[*at]) >= usual) {
			row = to;
			at++;
		}
		cursor->at = at;
		cursor->row = row;
		if (at < end)
			take_step(automaton, cursor, found);
	}
}

bool automaton_matches(struct automaton *automaton, const char *text, const char *end)
{
	const unsigned char *at = (const unsigned char *)text;
	struct automaton_row *row = automaton->initial;

	while (at < (const unsigned char *)end) {
		struct automaton_row *to = row->to[*at];

		if (to == &automaton->rows[ROW_UNKNOWN])
			to = explore(automaton, row, *at);
		if (to == &automaton->rows[ROW_MATCHED])
			return true;
		row = to;
		at++;
	}
	return false;
}

/*
 * Each step of a cursor waits for the one before it, the processor does not:
 * four cursors at once, each in a part of the text, take little longer than one.
 */
#define CURSORS 4
#define PART_MIN 128
/* Steps between two looks at where they have led. */
#define STRIDE 8

/* How far all cursors can go before the first is at its end. */
static ptrdiff_t common_distance(const struct cursor *cursors)
{
	ptrdiff_t distance = PTRDIFF_MAX;

	for (int k = 0; k < CURSORS; k++)
		if (cursors[k].end - cursors[k].at < distance)
			distance = cursors[k].end - cursors[k].at;
	return distance;
}

/* Advance all cursors by whole strides, until one of them runs into a special row. */
static void run_strides(const struct automaton_row *usual, struct cursor *cursors,
	ptrdiff_t distance)
{
	const unsigned char *a = cursors[0].at, *b = cursors[1].at;
	const unsigned char *c = cursors[2].at, *d = cursors[3].at;
	struct automaton_row *row_a = cursors[0].row, *row_b = cursors[1].row;
	struct automaton_row *row_c = cursors[2].row, *row_d = cursors[3].row;
	ptrdiff_t at = 0;

	for (; at + STRIDE <= distance; at += STRIDE) {
		struct automaton_row *to_a = row_a, *to_b = row_b, *to_c = row_c, *to_d = row_d;

#pragma GCC unroll 8
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
	struct automaton_row *const rows[CURSORS] = { row_a, row_b, row_c, row_d };
	for (int k = 0; k < CURSORS; k++) {
		cursors[k].at += at;
		cursors[k].row = rows[k];
	}
}

/* Run all cursors until one is at its end. False when the rows were given up,
 * and those of the cursors mean nothing any more. */
static bool run_together(struct automaton *automaton, struct cursor *cursors, struct lines *found)
{
	unsigned resets = automaton->resets;
	ptrdiff_t distance;

	while ((distance = common_distance(cursors)) > 0) {
		run_strides(&automaton->rows[ROWS_SPECIAL], cursors, distance);
		/* What stopped them is within the next stride. */
		for (int i = 0; i < STRIDE; i++)
			for (int k = 0; k < CURSORS; k++) {
				if (cursors[k].at < cursors[k].end)
					take_step(automaton, &cursors[k], found);
				if (resets != automaton->resets)
					return false;
			}
	}
	return true;
}

/* Give a part of what the cursor with the most work has left to each that has
 * none. False when there is not enough work for all. */
static bool share_work(const struct automaton *automaton, struct cursor *cursors)
{
	for (int k = 0; k < CURSORS; k++) {
		struct cursor *most = &cursors[0];

		if (cursors[k].at < cursors[k].end)
			continue;
		for (int other = 1; other < CURSORS; other++)
			if (cursors[other].end - cursors[other].at > most->end - most->at)
				most = &cursors[other];
		ptrdiff_t left = most->end - most->at;

		if (left < 2 * PART_MIN)
			return false;
		/* The parts of cursors that follow are cut off from this half. */
		const unsigned char *middle = most->at + left / 2;
		const unsigned char *feed = memchr(middle, '\n', (size_t)(most->end - middle));
		if (feed + 1 == most->end)
			return false;
		cursors[k] = (struct cursor){ feed + 1, most->end, automaton->initial,
			(const char *)feed + 1 };
		most->end = feed + 1;
	}
	return true;
}

static int compare_lines(const void *one, const void *other)
{
	const struct lines_line *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

void automaton_search(struct automaton *automaton, const char *text, const char *end,
	struct lines *found)
{
	struct cursor cursors[CURSORS] = { { NULL, NULL, NULL, NULL } };
	size_t first = found->count;

	cursors[0] = (struct cursor){ (const unsigned char *)text, (const unsigned char *)end,
		automaton->initial, text };
	while (share_work(automaton, cursors))
		if (!run_together(automaton, cursors, found)) {
			for (int k = 0; k < CURSORS; k++) {
				cursors[k].at = (const unsigned char *)line_start(&cursors[k]);
				cursors[k].row = automaton->initial;
			}
			break;
		}
	for (int k = 0; k < CURSORS; k++) {
		unsigned resets = automaton->resets;

		run_one(automaton, &cursors[k], found);
		for (int later = k + 1; resets != automaton->resets && later < CURSORS; later++) {
			cursors[later].at = (const unsigned char *)line_start(&cursors[later]);
			cursors[later].row = automaton->initial;
		}
	}
	if (found->count > first + 1)
		qsort(found->list + first, found->count - first, sizeof(found->list[0]), compare_lines);
}
