/*
 * model: what a session talks to: a wire format, an endpoint, a name.
 *
 * Immutable and reference-counted: a running request keeps its model when the user switches to
 * another one.
 *
 * Owns copies of all strings.  May include: util, conversation, net/http.h, provider.
 */
#ifndef IK_AGENT_MODEL_H
#define IK_AGENT_MODEL_H

#include "conversation/event.h"
#include "conversation/usage.h"
#include "net/http.h"
#include "provider/wire/format.h"

struct ik_model {
	int references;
	const struct ik_wire_format *format;
	struct ik_endpoint endpoint; /* its provider has a name */
	const char *name;
	int64_t max_output_tokens;   /* 0: the provider's default */
	struct ik_model_facts facts; /* by name, and the configuration */
	enum ik_thinking thinking;
	const char
		*lists; /* directory of the lists of models that were fetched (agent/model_cache.h), or
	                      NULL */
	int64_t listed_ms; /* when that of its provider was fetched (wall clock); 0: there is none */
	struct ik_model *fallback; /* answers when this one's provider is too busy or broken; the model
	                              owns a reference; NULL: none */
	struct ik_model *older;    /* the same by Chat Completions, for a server that turns out not to
	                              have Responses; owned likewise; NULL: the user chose the format */
	bool by_default;           /* the user named no model */
	bool url_given;            /* the user gave the endpoint's base_url together with this model */
};

/* Return a copy of like with one reference. The strings of like may be borrowed. Trailing slashes
 * of the address are removed. */
struct ik_model *ik_model_new(const struct ik_model *like);
struct ik_model *ik_model_ref(struct ik_model *model);
struct ik_model *ik_model_unref(struct ik_model *model); /* Takes NULL. Returns NULL. */

/* Return what sets the endpoint's base_url, an option or a key of the configuration, in new memory. */
char *ik_model_address_setting(const struct ik_model *model);

/* Append a sentence that says why a transfer from the model's server failed and what to do. heard:
 * a part of the response had arrived. Sets *ret_failure (CONNECT, TLS, TIMEOUT). */
void ik_model_transfer_failed(const struct ik_model *model, const struct ik_http_result *result,
	bool heard, struct ik_buf *out, struct ik_failure *ret_failure);

#endif
