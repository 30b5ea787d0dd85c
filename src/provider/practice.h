/*
 * practice: the rules of the built-in practice model.
 *
 * Reads a request in OpenAI's chat format and decides what to answer; whoever
 * serves it (core/practice_server.c) only carries bytes.  Pure.
 * May include: util, json, provider.
 */
#ifndef IK_PROVIDER_PRACTICE_H
#define IK_PROVIDER_PRACTICE_H

#include "util/buf.h"

#include <stdbool.h>

/*
 * The answer to a request body: a list of chunks, each a complete SSE event
 * ("data: {...}\n\n"), to be sent one after the other; the last is
 * "data: [DONE]\n\n". status is 200, or 400 with one chunk that is an OpenAI
 * error body when the request cannot be read.
 */
struct ik_practice_answer {
	int status;
	char **chunks;
	size_t count;
};

void ik_practice_answer(const char *body, size_t length, struct ik_practice_answer *ret_answer);
/* The same to the question for its models: one chunk, the JSON. */
void ik_practice_models(struct ik_practice_answer *ret_answer);
void ik_practice_answer_done(struct ik_practice_answer *answer);

#define IK_PRACTICE_MODEL "practice"

#endif
