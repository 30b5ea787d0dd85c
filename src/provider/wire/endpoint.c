/* The half of provider/wire/format.h about endpoints: URLs and HTTP headers. */
#include "provider/wire/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/text.h"

bool ik_endpoint_is_in(const struct ik_endpoint *endpoint, const char *domain)
{
	const char *url = endpoint && endpoint->base_url ? endpoint->base_url : "";
	const char *host = strstr(url, "://");

	host = host ? host + 3 : url;
	size_t length = strcspn(host, ":/"), wanted = strlen(domain);

	return length >= wanted && strncasecmp(host + length - wanted, domain, wanted) == 0 &&
		(length == wanted || host[length - wanted - 1] == '.');
}

bool ik_endpoint_is_openai(const struct ik_endpoint *endpoint)
{
	static const char *const domains[] = { "api.openai.com", "openai.azure.com",
		"services.ai.azure.com", "cognitiveservices.azure.com" };

	for (size_t index = 0; index < sizeof(domains) / sizeof(*domains); index++)
		if (ik_endpoint_is_in(endpoint, domains[index]))
			return true;
	return false;
}

const char *ik_request_search(const struct ik_request *request)
{
	const struct ik_endpoint *endpoint = request->endpoint;

	if (!endpoint || !endpoint->web_search || request->value_only)
		return NULL;
	/* It searches for any model. Source: OpenRouter, "Web search" under "Server tools". */
	if (ik_endpoint_is_in(endpoint, "openrouter.ai"))
		return "openrouter:web_search";
	return *request->facts->search ? request->facts->search : NULL;
}

char *ik_wire_url(const struct ik_wire_format *format, const struct ik_endpoint *endpoint,
	const char *model)
{
	static const char name[] = "MODEL";
	const char *path = model ? format->path : format->models_path, *place = strstr(path, name);

	if (!place)
		return ik_format("%s%s", endpoint->base_url, path);
	/* A full name ("models/...", "tunedModels/...") needs no prefix. */
	return ik_format("%s%.*s%s%s%s", endpoint->base_url, (int)(place - path), path,
		strchr(model, '/') ? "" : "models/", model, place + strlen(name));
}

/* Append line, which is in new memory, to the array. */
static void add_line(char ***headers, char *line)
{
	size_t count = 0;

	while (*headers && (*headers)[count])
		count++;
	*headers = ik_alloc_array(*headers, count + 2, sizeof(**headers));
	(*headers)[count] = line;
	(*headers)[count + 1] = NULL;
}

/* Append the header with the key, if there is a key. */
static void add_key(char ***headers, const char *prefix, const char *key)
{
	size_t length;

	while (isspace((unsigned char)*key))
		key++;
	length = strlen(key);
	while (length && isspace((unsigned char)key[length - 1]))
		length--;
	if (length)
		add_line(headers, ik_format("%s%.*s", prefix, (int)length, key));
}

char **ik_wire_headers(const struct ik_wire_format *format, const struct ik_endpoint *endpoint)
{
	char **headers = NULL;

	add_line(&headers, ik_strdup("Content-Type: application/json"));
	add_line(&headers, ik_strdup("Accept: text/event-stream"));
	for (size_t index = 0; endpoint->headers && endpoint->headers[index]; index++)
		add_line(&headers, ik_strdup(endpoint->headers[index]));
	if (format->header)
		add_line(&headers, ik_strdup(format->header));
	if (endpoint->api_key)
		add_key(&headers, format->key_header, endpoint->api_key);
	return headers;
}

void ik_wire_headers_free(char **headers)
{
	for (size_t index = 0; headers && headers[index]; index++) {
		/* One of them contains a key. */
		explicit_bzero(headers[index], strlen(headers[index]));
		free(headers[index]);
	}
	free(headers);
}
