#include "agent/model.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/redact.h"
#include "util/text.h"

static char *copy(const char *text)
{
	return text ? ik_strdup(text) : NULL;
}

/* Wipe and free a string of the endpoint. */
static void forget(const char *text)
{
	char *own = (char *)text;

	if (own)
		explicit_bzero(own, strlen(own));
	free(own);
}

/* Return a copy of url without trailing slashes; NULL if url is NULL. */
static char *copy_url(const char *url)
{
	size_t length = url ? strlen(url) : 0;

	while (length > 0 && url[length - 1] == '/')
		length--;
	return url ? ik_strndup(url, length) : NULL;
}

/* Return a copy of the NULL-terminated list headers; NULL if headers is NULL. */
static const char *const *copy_headers(const char *const *headers)
{
	size_t count = 0;
	char **copies;

	while (headers && headers[count])
		count++;
	copies = ik_alloc((count + 1) * sizeof(*copies));
	for (size_t i = 0; i < count; i++)
		copies[i] = ik_strdup(headers[i]);
	return (const char *const *)copies;
}

/* Keep the key, the values of headers and a password in the address out of everything else. */
static void know_secrets(const struct ik_endpoint *endpoint)
{
	ik_secret_know(endpoint->api_key);
	ik_secret_know_address(endpoint->base_url);
	for (size_t i = 0; endpoint->headers[i]; i++) {
		const char *value = strchr(endpoint->headers[i], ':');

		if (value)
			ik_secret_know(value + 1 + strspn(value + 1, " "));
	}
}

struct ik_model *ik_model_new(const struct ik_model *like)
{
	struct ik_model *model = ik_alloc(sizeof(*model));
	struct ik_endpoint *endpoint = &model->endpoint;

	*model = *like;
	model->references = 1;
	model->name = ik_strdup(like->name);
	model->lists = copy(like->lists);
	endpoint->provider = ik_strdup(like->endpoint.provider);
	endpoint->base_url = copy_url(like->endpoint.base_url);
	endpoint->api_key = copy(like->endpoint.api_key);
	endpoint->key_variable = copy(like->endpoint.key_variable);
	endpoint->headers = copy_headers(like->endpoint.headers);
	endpoint->body = copy(like->endpoint.body);
	if (model->fallback)
		ik_model_ref(model->fallback);
	if (model->older)
		ik_model_ref(model->older);
	know_secrets(endpoint);
	return model;
}

struct ik_model *ik_model_ref(struct ik_model *model)
{
	model->references++;
	return model;
}

struct ik_model *ik_model_unref(struct ik_model *model)
{
	struct ik_endpoint *endpoint = model ? &model->endpoint : NULL;

	if (!model || --model->references > 0)
		return NULL;
	forget(endpoint->provider);
	forget(endpoint->base_url);
	forget(endpoint->api_key);
	forget(endpoint->key_variable);
	for (size_t i = 0; endpoint->headers[i]; i++)
		forget(endpoint->headers[i]);
	free((void *)endpoint->headers);
	free((void *)endpoint->body);
	ik_model_unref(model->fallback);
	ik_model_unref(model->older);
	free((void *)model->name);
	free((void *)model->lists);
	free(model);
	return NULL;
}

char *ik_model_address_setting(const struct ik_model *model)
{
	return model->url_given ? ik_strdup("--base-url")
							: ik_format("providers.%s.base_url", model->endpoint.provider);
}

void ik_model_transfer_failed(const struct ik_model *model, const struct ik_http_result *result,
	bool heard, struct ik_buf *out, struct ik_failure *ret_failure)
{
	const char *name = model->endpoint.provider;
	char *setting;

	*ret_failure = (struct ik_failure){
		.code = IK_CODE_CONNECT,
		.retry_after_ms = result->retry_after_ms,
	};
	switch (result->failure) {
	case IK_HTTP_TLS:
		ret_failure->code = IK_CODE_TLS;
		ret_failure->retryable = result->transient;
		ik_buf_printf(out, _("Provider %s: %s."), name, result->message);
		break;
	case IK_HTTP_TIMEOUT:
		ret_failure->code = IK_CODE_TIMEOUT;
		ik_buf_printf(out,
			_("Provider %s: %s. Try again, or raise http.idle_timeout_s or "
			  "http.connect_timeout_s."),
			name, result->message);
		break;
	case IK_HTTP_BROKEN:
		ret_failure->retryable = true;
		ik_buf_printf(out,
			heard ? _("Provider %s: %s.") : _("Provider %s: %s. Check the network, or try again."),
			name, result->message);
		break;
	case IK_HTTP_UNAVAILABLE:
		ik_buf_printf(out, _("Provider %s: %s. Install libcurl 4."), name, result->message);
		break;
	default:
		setting = ik_model_address_setting(model);
		ik_buf_printf(out, _("Provider %s: %s. Check the network, that the server runs, and %s."),
			name, result->message, setting);
		free(setting);
		break;
	}
}
