/*
 * usage: tokens counted by a provider, and their cost.
 *
 * The numbers are the provider's; nothing is estimated. They are stored with a session as messages
 * of kind usage, one per round.
 *
 * Pure. May include: util, json, conversation.
 */
#ifndef IK_CONVERSATION_USAGE_H
#define IK_CONVERSATION_USAGE_H

#include "conversation/message.h"

/* Prices per million tokens; -1: unknown. */
struct ik_price {
	double input;
	double output;
	double cached;  /* input read from the cache; -1: same price as other input */
	double written; /* input written to it; -1: IK_PRICE_WRITTEN times that of other input */
	double search;  /* a thousand searches of the web; -1: not counted */
};

/* A price that is entirely unknown. */
#define IK_PRICE_UNKNOWN \
	{ \
		-1, -1, -1, -1, -1 \
	}

/* What providers that report writes charge for them, unless the price says otherwise. */
#define IK_PRICE_WRITTEN 1.25

struct ik_usage {
	int64_t input_tokens;   /* including cached and written ones */
	int64_t output_tokens;  /* including reasoning */
	int64_t cached_tokens;  /* read from the provider's cache */
	int64_t written_tokens; /* written to it */
	int64_t reasoning_tokens;
	int64_t searches; /* of the web, by the provider */
	double cost;      /* -1: unknown */
};

/* Return the cost of usage at price; -1 if a price that it needs is unknown. */
double ik_usage_cost(const struct ik_usage *usage, const struct ik_price *price);

/* Make the message that stores the usage of a round. model may be NULL. */
struct ik_message *ik_usage_message(const struct ik_usage *usage, int round, const char *model);

/* Read the usage from a message. Return false if it has none. */
bool ik_usage_read(const struct ik_message *message, struct ik_usage *ret_usage);

/* Add the usage of another round to sum. An unknown cost counts as 0, so the sum is a lower bound;
 * if every cost is unknown, so is the sum. */
void ik_usage_add(struct ik_usage *sum, const struct ik_usage *usage);

/* Append a cost as "$0.0123", "$1.24", "$123": at least two significant digits. */
void ik_cost_put(struct ik_buf *out, double cost);

#endif
