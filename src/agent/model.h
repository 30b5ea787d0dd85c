/*
 * model: whom a session talks to: a wire format, an endpoint, a name.
 *
 * Never changes and is counted, so that a request keeps what it was sent with
 * when the person chooses another model meanwhile.
 *
 * Owns copies of all strings.  May include: util, provider.
 */
#ifndef IK_AGENT_MODEL_H
#define IK_AGENT_MODEL_H

#include "provider/provider.h"

struct ik_model {
	int references;
	const struct ik_wire_format *format;
	struct ik_endpoint endpoint;
	char *name;
	int64_t max_output_tokens;
};

struct ik_model *ik_model_new(const struct ik_wire_format *format,
	const struct ik_endpoint *endpoint, const char *name, int64_t max_output_tokens);
struct ik_model *ik_model_ref(struct ik_model *model);
struct ik_model *ik_model_unref(struct ik_model *model); /* returns NULL; takes NULL */

#endif
