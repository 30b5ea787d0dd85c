#include "tools/grep/prefilter.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* A sequence of byte sets. */
struct sets {
	size_t length;
	struct byte_set list[PREFILTER_MAX];
};

/*
 * What is known about the strings that a node matches: how they begin and end, and the best
 * sequence that each contains.
 */
struct must {
	bool one;   /* all have one length, and head and tail each describe all of it */
	bool exact; /* conversely, whatever the sets describe matches */
	struct sets head, tail, best;
	int score; /* of best */
};

/*
 * Return how often a byte occurs in program text and prose, in about 1/4096. A rough guess is
 * enough: it only decides what is searched for first.
 */
static int frequency_of(unsigned char byte)
{
	static const char ordered[] = " etaoinsrlcdupmhgf_bvyw\n.,-\"=x*;)(01kTSECAIRN/2NLDPOMF:>#\t";
	const char *at = byte != 0 ? strchr(ordered, byte) : NULL;

	if (byte == 0)
		return 400;
	if (!at)
		return byte >= 0x80 ? 12 : 6;
	return at == ordered ? 500 : 300 - 5 * (int)(at - ordered);
}

/* Return the byte of a set with only one, or the lower-case one of a letter in both cases, with
 * *fold set; -1 for any other set. */
static int single_byte(const struct byte_set *set, char *fold)
{
	int first = -1, count = 0;

	for (int i = 3; i >= 0; i--) {
		uint64_t bits = set->bits[i];

		count += __builtin_popcountll(bits);
		if (bits != 0)
			first = 64 * i + __builtin_ctzll(bits);
	}
	bool letter = count == 2 && first >= 'A' && first <= 'Z' &&
		byte_set_has(set, (unsigned char)(first | BYTE_FOLDED));
	*fold = letter ? BYTE_FOLDED : 0;
	return count == 1 ? first : letter ? first | BYTE_FOLDED : -1;
}

/* Can it be searched for? */
static bool is_single(const struct byte_set *set)
{
	char fold;

	return single_byte(set, &fold) >= 0;
}

/* Return, in bits, how much information it is that a byte is in the set. */
static int information(const struct byte_set *set)
{
	int frequency = 1, bits = 12;

	for (int k = 0; k < 4; k++)
		for (uint64_t left = set->bits[k]; left != 0; left &= left - 1)
			frequency += frequency_of((unsigned char)(64 * k + __builtin_ctzll(left)));
	while (frequency > 1 && bits > 0) {
		frequency /= 2;
		bits--;
	}
	return bits;
}

/* Return the worth of a sequence: 0 without a single byte to search for. */
static int score_of(const struct sets *sets)
{
	int score = 0, rarest = 0;

	for (size_t i = 0; i < sets->length; i++) {
		int bits = information(&sets->list[i]);

		score += bits;
		if (is_single(&sets->list[i]) && bits + 1 > rarest)
			rarest = bits + 1;
	}
	/* The rarest single byte decides how often the search stops in vain. */
	return rarest > 0 ? score + 4 * rarest : 0;
}

static void keep_best(struct must *must, const struct sets *sets)
{
	int score = score_of(sets);

	if (score <= must->score)
		return;
	must->score = score;
	must->best = *sets;
}

/* Append to a head; what does not fit is lost at its end. */
static void append_head(struct sets *head, const struct sets *more)
{
	size_t room = PREFILTER_MAX - head->length;
	size_t taken = more->length < room ? more->length : room;

	memcpy(head->list + head->length, more->list, taken * sizeof(head->list[0]));
	head->length += taken;
}

/* Append to a tail; what does not fit is lost at its beginning. */
static void append_tail(struct sets *tail, const struct sets *more)
{
	size_t room = PREFILTER_MAX - more->length;
	size_t kept = tail->length < room ? tail->length : room;

	memmove(tail->list, tail->list + tail->length - kept, kept * sizeof(tail->list[0]));
	memcpy(tail->list + kept, more->list, more->length * sizeof(tail->list[0]));
	tail->length = kept + more->length;
}

/* Make left describe left followed by right. */
static void must_concat(struct must *left, const struct must *right)
{
	struct sets joint = left->tail;
	bool fits = left->head.length + right->head.length <= PREFILTER_MAX;

	append_head(&joint, &right->head);
	keep_best(left, &right->best);
	keep_best(left, &joint);
	if (left->one)
		append_head(&left->head, &right->head);
	if (right->one)
		append_tail(&left->tail, &right->tail);
	else
		left->tail = right->tail;
	left->one = left->one && right->one && fits;
	left->exact = left->exact && right->exact;
}

/* Make left describe left or right. */
static void must_alternate(struct must *left, const struct must *right)
{
	size_t head = left->head.length < right->head.length ? left->head.length : right->head.length;
	size_t tail = left->tail.length < right->tail.length ? left->tail.length : right->tail.length;
	bool same = left->head.length == right->head.length;

	for (size_t i = 0; i < head; i++)
		for (int k = 0; k < 4; k++)
			left->head.list[i].bits[k] |= right->head.list[i].bits[k];
	memmove(left->tail.list, left->tail.list + left->tail.length - tail,
		tail * sizeof(left->tail.list[0]));
	for (size_t i = 0; i < tail; i++)
		for (int k = 0; k < 4; k++)
			left->tail.list[i].bits[k] |= right->tail.list[right->tail.length - tail + i].bits[k];
	left->head.length = head;
	left->tail.length = tail;
	left->one = left->one && right->one && same;
	left->exact = left->exact && right->exact && left->one && head == 1;
	left->score = 0;
	left->best.length = 0;
	keep_best(left, &left->head);
	keep_best(left, &left->tail);
}

static void must_of(struct must *must, const struct syntax *syntax, size_t index);

/* Describe a repetition that occurs at least once. */
static void must_repeat(struct must *must, const struct syntax *syntax, const struct node *node)
{
	int times = node->min < PREFILTER_MAX ? node->min : PREFILTER_MAX;

	if (node->min < 1)
		return;
	must_of(must, syntax, node->left);
	struct must *again = ik_alloc(sizeof(*again));
	*again = *must;
	if (node->min != node->max || node->min > times)
		must->one = again->one = false;
	/* Of copies with different lengths, only one end and one beginning are certain. */
	for (int i = 1; i < times && (again->one || i < 2); i++)
		must_concat(must, again);
	free(again);
}

/* Describe a sequence of concatenations, which is deep on its left side. */
static void must_row(struct must *must, const struct syntax *syntax, size_t index)
{
	const struct node *nodes = syntax->nodes;
	struct must *right = ik_alloc(sizeof(*right));
	size_t *row = NULL;
	size_t count = 0, at = index;

	for (; nodes[at].kind == NODE_CONCAT; at = nodes[at].left)
		count++;
	row = ik_alloc_array(NULL, count, sizeof(row[0]));
	at = index;
	for (size_t i = count; i > 0; i--, at = nodes[at].left)
		row[i - 1] = nodes[at].right;
	must_of(must, syntax, at);
	for (size_t i = 0; i < count; i++) {
		must_of(right, syntax, row[i]);
		must_concat(must, right);
	}
	free(row);
	free(right);
}

/* Describe one byte of a set; a character that is not plain may have any length. */
static void must_set(struct must *must, const struct node *node)
{
	if (node->wide)
		return;
	must->one = must->exact = true;
	must->head.length = must->tail.length = 1;
	must->head.list[0] = must->tail.list[0] = node->set;
	keep_best(must, &must->head);
}

static void must_of(struct must *must, const struct syntax *syntax, size_t index)
{
	const struct node *node = &syntax->nodes[index];
	struct must *right;

	/* The sets need not be cleared. */
	must->one = must->exact = false;
	must->head.length = must->tail.length = must->best.length = 0;
	must->score = 0;
	switch (node->kind) {
	case NODE_EMPTY:
		must->one = must->exact = true;
		break;
	case NODE_ASSERT:
		must->one = true;
		break;
	case NODE_SET:
		must_set(must, node);
		break;
	case NODE_ANYTHING:
		break;
	case NODE_CONCAT:
		must_row(must, syntax, index);
		break;
	case NODE_ALTERNATE:
		right = ik_alloc(sizeof(*right));
		must_of(must, syntax, node->left);
		must_of(right, syntax, node->right);
		must_alternate(must, right);
		free(right);
		break;
	case NODE_REPEAT:
		must_repeat(must, syntax, node);
		break;
	}
}

/* Choose the two rarest single bytes, in their order. */
static void choose_bytes(struct prefilter *prefilter, const struct sets *sets)
{
	int rarest = -1, next = -1;

	for (size_t i = 0; i < sets->length; i++) {
		int bits = is_single(&sets->list[i]) ? information(&sets->list[i]) : -1;

		if (bits < 0)
			continue;
		if (rarest < 0 || bits > information(&sets->list[rarest])) {
			next = rarest;
			rarest = (int)i;
		} else if (next < 0 || bits > information(&sets->list[next])) {
			next = (int)i;
		}
	}
	if (next < 0)
		next = rarest;
	size_t first = (size_t)(rarest < next ? rarest : next);
	size_t second = (size_t)(rarest < next ? next : rarest);
	struct byte_pair *pair = &prefilter->pair;
	prefilter->first = first;
	pair->distance = second - first;
	pair->first = (char)single_byte(&sets->list[first], &pair->first_fold);
	pair->second = (char)single_byte(&sets->list[second], &pair->second_fold);
}

void prefilter_choose(struct prefilter *prefilter, const struct syntax *syntax)
{
	struct must *must = ik_alloc(sizeof(*must));

	*prefilter = (struct prefilter){ 0 };
	must_of(must, syntax, syntax->root);
	if (must->score > 0) {
		const struct sets *sets = &must->best;

		prefilter->length = sets->length;
		prefilter->whole = must->one && must->exact && sets->length == must->head.length;
		choose_bytes(prefilter, sets);
		for (size_t i = 0; i < sets->length; i++)
			for (int byte = 0; byte < 256; byte++)
				if (byte_set_has(&sets->list[i], (unsigned char)byte))
					prefilter->places[byte] |= UINT32_C(1) << i;
	}
	free(must);
}

const char *prefilter_find(const struct prefilter *prefilter, const char *at, const char *end)
{
	size_t length = prefilter->length;

	while ((size_t)(end - at) >= length) {
		/* Search only where the sequence fits before and after. */
		const char *found = bytes_find_pair(at + prefilter->first,
			end - (length - 1 - prefilter->first), &prefilter->pair);
		size_t i = 0;

		if (!found)
			return NULL;
		at = found - prefilter->first;
		while (i < length && (prefilter->places[(unsigned char)at[i]] >> i & 1) != 0)
			i++;
		if (i == length)
			return at;
		at++;
	}
	return NULL;
}
