/*
 * usage: tokens that a provider counted, and what they cost.
 *
 * Numbers are the provider's own; nothing is estimated.  Kept with a session
 * as messages of the kind usage, one a round.
 *
 * Pure.  May include: util, json, conversation.
 */
#ifndef IK_CONVERSATION_USAGE_H
#define IK_CONVERSATION_USAGE_H

#include "conversation/message.h"

/* Of a million tokens; -1: not known. */
struct ik_price {
	double input;
	double output;
	double cached; /* of input that the server still knew; -1: as other input */
};

/* A price of which nothing is known. */
#define IK_PRICE_UNKNOWN \
	{ \
		-1, -1, -1 \
	}

struct ik_usage {
	int64_t input_tokens;  /* the cached ones too */
	int64_t output_tokens; /* the reasoning ones too */
	int64_t cached_tokens;
	int64_t reasoning_tokens;
	double cost; /* -1: not known */
};

/* What the tokens of usage cost at that price; -1 when a price that is needed is
 * not known. */
double ik_usage_cost(const struct ik_usage *usage, const struct ik_price *price);

/* The message that keeps the usage of a round. */
struct ik_message *ik_usage_message(const struct ik_usage *usage, int round);

/* The usage that a message keeps; false where it keeps none. */
bool ik_usage_read(const struct ik_message *message, struct ik_usage *ret_usage);

/* Add another round. A cost that is not known makes that of the sum a lower bound: it
 * counts as nothing, unless nothing at all is known. */
void ik_usage_add(struct ik_usage *sum, const struct ik_usage *usage);

/* Append "$0.0123", "$1.24", "$123": two digits that say something. */
void ik_cost_put(struct ik_buf *out, double cost);

#endif
