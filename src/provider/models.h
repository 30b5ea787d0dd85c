/*
 * models: read a provider's list of models.
 *
 * OpenAI and Anthropic: {"data":[{"id":"..."}]}; Google:
 * {"models":[{"name":"models/...","supportedGenerationMethods":[...]}]}. Sources: the API
 * references, "List models".
 *
 * Pure. May include: util, json.
 */
#ifndef IK_PROVIDER_MODELS_H
#define IK_PROVIDER_MODELS_H

#include "util/buf.h"

/*
 * Return the names in such an answer, sorted, without duplicates, in new memory (free() the array
 * and each name), without models that do not generate text if the provider says so. NULL with
 * *error if it is not such an answer.
 */
char **ik_models_read(const char *body, size_t length, size_t *ret_count, struct ik_error *error);

#endif
