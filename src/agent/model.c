#include "agent/model.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

static char *copy(const char *text)
{
	return text ? ik_strdup(text) : NULL;
}

/* Wipe and release a string of the endpoint. */
static void forget(const char *text)
{
	char *own = (char *)text;

	if (own)
		explicit_bzero(own, strlen(own));
	free(own);
}

struct ik_model *ik_model_new(const struct ik_model_spec *spec)
{
	struct ik_model *model = ik_alloc(sizeof(*model));
	struct ik_endpoint *endpoint = &model->spec.endpoint;
	const char *const *from = spec->endpoint.headers;
	size_t count = 0, i;
	char **headers;

	model->references = 1;
	model->spec = *spec;
	model->spec.name = ik_strdup(spec->name);
	endpoint->provider = copy(spec->endpoint.provider);
	endpoint->base_url = copy(spec->endpoint.base_url);
	endpoint->api_key = copy(spec->endpoint.api_key);
	endpoint->key_variable = copy(spec->endpoint.key_variable);
	if (from) {
		while (from[count])
			count++;
		headers = ik_alloc((count + 1) * sizeof(*headers));
		for (i = 0; i < count; i++)
			headers[i] = ik_strdup(from[i]);
		endpoint->headers = (const char *const *)headers;
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
	struct ik_endpoint *endpoint = model ? &model->spec.endpoint : NULL;
	size_t i;

	if (!model || --model->references > 0)
		return NULL;
	forget(endpoint->provider);
	forget(endpoint->base_url);
	forget(endpoint->api_key);
	forget(endpoint->key_variable);
	for (i = 0; endpoint->headers && endpoint->headers[i]; i++)
		forget(endpoint->headers[i]);
	free((void *)endpoint->headers);
	free((void *)model->spec.name);
	free(model);
	return NULL;
}
