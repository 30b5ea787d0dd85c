/*
 * model_cache: the provider's lists of models, as rules (provider/models.h), in files.
 *
 * One file for each provider and address, in the home's directory "models", made whenever a list has
 * been fetched.  A list that can't be kept is fetched again.
 *
 * May include: util, json, provider/models.h, agent/model.h.
 */
#ifndef IK_AGENT_MODEL_CACHE_H
#define IK_AGENT_MODEL_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "agent/model.h"

/* Return the rules that were kept for a provider at an address, in new memory; NULL if there are none.
 * *ret_time_ms (may be NULL) is the wall clock when the list was fetched. */
char *ik_model_cache_read(const char *directory, const char *provider, const char *address,
	int64_t *ret_time_ms);

/* Keep the list in a provider's answer, which ik_models_read() has accepted. */
void ik_model_cache_write(const char *directory, const char *provider, const char *address,
	const char *body, size_t length);

/* Append the names of models close to this one in the list that was kept of its provider
 * (ik_model_put_near()). */
void ik_model_cache_near(const struct ik_model *model, struct ik_buf *out);

#endif
