#include "agent/model.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

static char *copy(const char *text)
{
	return text ? ik_strdup(text) : NULL;
}

/* Release a string of the endpoint; what it held does not stay in memory. */
static void forget(const char *text)
{
	char *own = (char *)text;

	if (own)
		explicit_bzero(own, strlen(own));
	free(own);
}

struct ik_model *ik_model_new(const struct ik_wire_format *format,
	const struct ik_endpoint *endpoint, const char *name, int64_t max_output_tokens)
{
	struct ik_model *model = ik_alloc(sizeof(*model));
	size_t count = 0, i;
	char **headers;

	model->references = 1;
	model->format = format;
	model->name = ik_strdup(name);
	model->max_output_tokens = max_output_tokens;
	model->endpoint.provider = copy(endpoint->provider);
	model->endpoint.base_url = copy(endpoint->base_url);
	model->endpoint.api_key = copy(endpoint->api_key);
	model->endpoint.key_variable = copy(endpoint->key_variable);
	model->endpoint.strict_tools = endpoint->strict_tools;
	if (endpoint->headers) {
		while (endpoint->headers[count])
			count++;
		headers = ik_alloc((count + 1) * sizeof(*headers));
		for (i = 0; i < count; i++)
			headers[i] = ik_strdup(endpoint->headers[i]);
		model->endpoint.headers = (const char *const *)headers;
	}
	return model;
}

struct ik_model *ik_model_ref(struct ik_model *model)
{
	model->references++;
	return model;
}

struct ik_model *ik_model_unref(struct ik_model *model)
{
	size_t i;

	if (!model || --model->references > 0)
		return NULL;
	forget(model->endpoint.provider);
	forget(model->endpoint.base_url);
	forget(model->endpoint.api_key);
	forget(model->endpoint.key_variable);
	for (i = 0; model->endpoint.headers && model->endpoint.headers[i]; i++)
		forget(model->endpoint.headers[i]);
	free((void *)model->endpoint.headers);
	free(model->name);
	free(model);
	return NULL;
}
