#include "tools/grep/nfa.h"

#include <stdlib.h>

#include "util/alloc.h"

/* With more steps, making states takes longer than regexec() would. */
#define STEPS_MAX 60000

struct builder {
	struct nfa *nfa;
	const struct syntax *syntax;
	bool strict;
};

static uint32_t build(struct builder *builder, size_t index, uint32_t next);

/* Add a step and return its index. Steps beyond the limit are dropped, since the NFA will be, too. */
static uint32_t add_step(struct builder *builder, struct nfa_step step)
{
	struct nfa *nfa = builder->nfa;

	if (nfa->count > STEPS_MAX)
		return 0;
	if (nfa->count == nfa->capacity) {
		nfa->capacity = nfa->capacity > 0 ? 2 * nfa->capacity : 64;
		nfa->steps = ik_alloc_array(nfa->steps, nfa->capacity, sizeof(nfa->steps[0]));
	}
	nfa->steps[nfa->count] = step;
	return (uint32_t)nfa->count++;
}

static uint32_t add_split(struct builder *builder, uint32_t next, uint32_t other)
{
	return add_step(builder, (struct nfa_step){ .kind = STEP_SPLIT, .next = next, .other = other });
}

static uint32_t add_set(struct builder *builder, const struct byte_set *set, uint32_t next)
{
	return add_step(builder, (struct nfa_step){ .kind = STEP_SET, .set = *set, .next = next });
}

/* Return the set of bytes that are not plain. */
static struct byte_set odd_bytes(void)
{
	return (struct byte_set){ { 1, 0, ~UINT64_C(0), ~UINT64_C(0) } };
}

/* Build any number of bytes of a set. */
static uint32_t add_loop(struct builder *builder, const struct byte_set *set, uint32_t next)
{
	uint32_t loop = add_split(builder, next, 0);

	uint32_t take = add_set(builder, set, loop);
	builder->nfa->steps[loop].other = take;
	return loop;
}

/* Build a set; a character that is not plain is any sequence of such bytes. */
static uint32_t build_set(struct builder *builder, const struct node *node, uint32_t next)
{
	struct byte_set set = node->set;
	struct byte_set odd = odd_bytes();

	if (!node->wide || builder->strict)
		return add_set(builder, &set, next);
	if (!builder->syntax->multibyte) {
		for (int i = 0; i < 4; i++)
			set.bits[i] |= odd.bits[i];
		return add_set(builder, &set, next);
	}
	uint32_t row = add_loop(builder, &odd, next);

	return add_split(builder, add_set(builder, &set, next), add_set(builder, &odd, row));
}

static uint32_t build_assertion(struct builder *builder, const struct node *node, uint32_t next)
{
	if (node->assertion == ASSERT_LINE_START)
		builder->nfa->has_line_start = true;
	else if (node->assertion != ASSERT_LINE_END)
		builder->nfa->has_word_assertions = true;
	return add_step(builder,
		(struct nfa_step){ .kind = STEP_ASSERT, .assertion = node->assertion, .next = next });
}

/* Build the required part of a repetition, before the optional part. */
static uint32_t build_repeat(struct builder *builder, const struct node *node, uint32_t next)
{
	uint32_t entry = next;

	if (node->max == REPEAT_ENDLESS) {
		entry = add_split(builder, next, 0);
		uint32_t again = build(builder, node->left, entry);
		builder->nfa->steps[entry].other = again;
	}
	for (int i = node->min; i < node->max && builder->nfa->count <= STEPS_MAX; i++)
		entry = add_split(builder, next, build(builder, node->left, entry));
	for (int i = 0; i < node->min && builder->nfa->count <= STEPS_MAX; i++)
		entry = build(builder, node->left, entry);
	return entry;
}

/* Build the steps of a node that lead to next, and return the first. Sequences of concatenations
 * and alternatives are deep on their left side. */
static uint32_t build(struct builder *builder, size_t index, uint32_t next)
{
	const struct node *node = &builder->syntax->nodes[index];
	struct byte_set any = { { ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0) } };
	uint32_t entry;

	while (node->kind == NODE_CONCAT) {
		next = build(builder, node->right, next);
		node = &builder->syntax->nodes[node->left];
	}
	switch (node->kind) {
	case NODE_EMPTY:
		return next;
	case NODE_SET:
		return build_set(builder, node, next);
	case NODE_ASSERT:
		return build_assertion(builder, node, next);
	case NODE_ANYTHING:
		any.bits[0] &= ~(UINT64_C(1) << '\n');
		return add_loop(builder, &any, next);
	case NODE_REPEAT:
		return build_repeat(builder, node, next);
	case NODE_ALTERNATE:
		entry = build(builder, node->right, next);
		for (;;) {
			node = &builder->syntax->nodes[node->left];
			if (node->kind != NODE_ALTERNATE)
				break;
			entry = add_split(builder, build(builder, node->right, next), entry);
		}
		return add_split(builder, build(builder, (size_t)(node - builder->syntax->nodes), next),
			entry);
	case NODE_CONCAT:
		break;
	}
	return next;
}

bool nfa_make(struct nfa *nfa, const struct syntax *syntax, bool strict)
{
	struct builder builder = { nfa, syntax, strict };

	*nfa = (struct nfa){ 0 };
	uint32_t match = add_step(&builder, (struct nfa_step){ .kind = STEP_MATCH });
	nfa->start = build(&builder, syntax->root, match);
	return nfa->count <= STEPS_MAX;
}

void nfa_done(struct nfa *nfa)
{
	free(nfa->steps);
	*nfa = (struct nfa){ 0 };
}
