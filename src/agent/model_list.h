/*
 * model_list: asks a provider which models it offers, and keeps the answer (model_cache.h).
 *
 * Owns the request, its response and the names.  May include: util, loop, provider, agent.
 */
#ifndef IK_AGENT_MODEL_LIST_H
#define IK_AGENT_MODEL_LIST_H

#include "agent/model.h"
#include "loop/loop.h"
#include "net/http.h"

struct ik_model_list;

/* Called once, never inside start: with the names (sorted, unique, borrowed until the turn of the
 * loop after the list was closed), or with NULL and a sentence that says why. May close the
 * list. */
typedef void ik_model_list_done(void *arg, char *const *names, size_t count, const char *sentence);

/* Ask the provider of model. The request fails if no byte arrives for idle_timeout_ms. */
struct ik_model_list *ik_model_list_start(struct ik_loop *loop, struct ik_http *http,
	struct ik_model *model, int64_t idle_timeout_ms, ik_model_list_done *done, void *arg);

/* Cancel the request; done is not called any more. Takes NULL. Returns NULL. */
struct ik_model_list *ik_model_list_close(struct ik_model_list *list);

#endif
