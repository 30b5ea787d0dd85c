#include "provider/wire/headers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* Add a line in new memory to the array. */
static void add_line(char ***headers, char *line)
{
	size_t count = 0;

	while (*headers && (*headers)[count])
		count++;
	*headers = ik_alloc_array(*headers, count + 2, sizeof(**headers));
	(*headers)[count] = line;
	(*headers)[count + 1] = NULL;
}

char **ik_wire_headers_new(const struct ik_endpoint *endpoint)
{
	char **headers = NULL;

	add_line(&headers, ik_strdup("Content-Type: application/json"));
	add_line(&headers, ik_strdup("Accept: text/event-stream"));
	for (size_t index = 0; endpoint->headers && endpoint->headers[index]; index++)
		add_line(&headers, ik_strdup(endpoint->headers[index]));
	return headers;
}

void ik_wire_headers_add_key(char ***headers, const char *name, const char *prefix,
	const char *value)
{
	if (!value)
		return;
	while (isspace((unsigned char)*value))
		value++;
	size_t length = strlen(value);

	while (length && isspace((unsigned char)value[length - 1]))
		length--;
	if (length)
		add_line(headers, ik_format("%s: %s%.*s", name, prefix, (int)length, value));
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
