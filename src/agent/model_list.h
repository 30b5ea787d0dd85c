/*
 * model_list: the models that a provider offers, asked of it.
 *
 * Owns the request and what came of it.  May include: util, loop, provider, agent.
 */
#ifndef IK_AGENT_MODEL_LIST_H
#define IK_AGENT_MODEL_LIST_H

#include "agent/model.h"
#include "loop/loop.h"
#include "net/http.h"

struct ik_model_list;

/* Told once, never inside start: the names (borrowed, sorted, each once), or no names and
 * why in a sentence. The list may be closed in here. */
typedef void ik_model_list_done(void *arg, char *const *names, size_t count, const char *sentence);

/* Ask the provider of spec; no byte for idle_timeout_ms ends it. */
struct ik_model_list *ik_model_list_start(struct ik_loop *loop, struct ik_http *http,
	const struct ik_model_spec *spec, int64_t idle_timeout_ms, ik_model_list_done *done, void *arg);

/* Silent at once. Takes and returns NULL. */
struct ik_model_list *ik_model_list_close(struct ik_model_list *list);

#endif
