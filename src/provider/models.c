#include "provider/models.h"

#include <stdlib.h>
#include <string.h>

#include "json/scan.h"
#include "util/alloc.h"
#include "util/text.h"

/* More than any provider has; the rest is ignored. */
#define MODELS_MOST 10000

/* Does a Google model generate content? Other providers do not say. */
static bool generates(struct ik_json_span model)
{
	struct ik_json_span methods = ik_json_member(model, "supportedGenerationMethods");
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, method;

	if (!methods.text)
		return true;
	while (ik_json_next(methods, &walk, &key, &method)) {
		if (ik_json_string_is(method, "generateContent"))
			return true;
	}
	return false;
}

/* Return the name to use in requests in new memory, or NULL. */
static char *name_of(struct ik_json_span model)
{
	static const char prefix[] = "models/";
	char *name = ik_json_string_new(ik_json_member(model, "id"), NULL);

	if (!name)
		name = ik_json_string_new(ik_json_member(model, "name"), NULL);
	if (name && ik_text_starts(name, prefix))
		memmove(name, name + sizeof(prefix) - 1, strlen(name) - (sizeof(prefix) - 1) + 1);
	if (name && *name == '\0') {
		free(name);
		name = NULL;
	}
	return name;
}

static int compare(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Sort, remove duplicates and return how many are left. */
static size_t settle(char **names, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(names, count, sizeof(*names), compare);
	for (size_t index = 0; index < count; index++) {
		if (kept && strcmp(names[kept - 1], names[index]) == 0)
			free(names[index]);
		else
			names[kept++] = names[index];
	}
	return kept;
}

char **ik_models_read(const char *body, size_t length, size_t *ret_count, struct ik_error *error)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span answer, list, key, model;
	size_t count = 0, room;
	char **names;

	if (ik_json_check(body, length, &answer, error) != IK_OK)
		return NULL;
	list = ik_json_member(answer, "data");
	if (ik_json_span_type(list) != IK_JSON_ARRAY)
		list = ik_json_member(answer, "models");
	if (ik_json_span_type(list) != IK_JSON_ARRAY) {
		(void)ik_error_set(error, IK_INVALID, "%s", _("The server's answer is no list of models."));
		return NULL;
	}
	room = ik_json_count(list) < MODELS_MOST ? ik_json_count(list) : MODELS_MOST;
	names = ik_alloc((room + 1) * sizeof(*names));
	while (count < room && ik_json_next(list, &walk, &key, &model)) {
		char *name = generates(model) ? name_of(model) : NULL;

		if (name)
			names[count++] = name;
	}
	*ret_count = settle(names, count);
	return names;
}
