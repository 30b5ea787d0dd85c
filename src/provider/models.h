/*
 * models: what a provider says when it is asked for its models.
 *
 * OpenAI and Anthropic: {"data":[{"id":"..."}]}; Google:
 * {"models":[{"name":"models/...","supportedGenerationMethods":[...]}]}.
 * Sources: the references of the interfaces, "List models".
 *
 * Pure.  May include: util, json.
 */
#ifndef IK_PROVIDER_MODELS_H
#define IK_PROVIDER_MODELS_H

#include "util/buf.h"

/*
 * The names in any of these answers, sorted, each once, in new memory (the
 * array and each name with free()); those that generate no text left out where
 * the provider says so. NULL with *error when it is no such answer.
 */
char **ik_models_read(const char *body, size_t length, size_t *ret_count, struct ik_error *error);

#endif
