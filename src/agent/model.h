/*
 * model: what a session talks to: a wire format, an endpoint, a name.
 *
 * Immutable and reference-counted, so that a request keeps its model when the user chooses another
 * one meanwhile.
 *
 * Owns copies of all strings.  May include: util, conversation, provider.
 */
#ifndef IK_AGENT_MODEL_H
#define IK_AGENT_MODEL_H

#include "conversation/usage.h"
#include "provider/wire/format.h"

/* The description of a model; strings are borrowed. */
struct ik_model_spec {
	const struct ik_wire_format *format;
	struct ik_endpoint endpoint;
	const char *name;
	int64_t max_output_tokens; /* 0: the provider's default */
	int64_t context_window;    /* tokens; 0: not known */
	enum ik_thinking thinking;
	struct ik_price price;
};

struct ik_model {
	int references;
	struct ik_model_spec spec; /* its strings are the model's own */
};

struct ik_model *ik_model_new(const struct ik_model_spec *spec);
struct ik_model *ik_model_ref(struct ik_model *model);
struct ik_model *ik_model_unref(struct ik_model *model); /* returns NULL; takes NULL */

#endif
