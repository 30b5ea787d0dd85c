#include "tool/writes.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

struct paths {
	char **items;
	size_t count;
	const char *directory;
};

static void add_path(struct paths *paths, struct ik_json_span value)
{
	char *text = ik_json_text_new(value), *whole, *path;

	if (!text)
		return;
	whole = ik_path_join(paths->directory, text);
	path = ik_path_resolve(whole);
	free(whole);
	free(text);
	/* A path that is not UTF-8 cannot be recorded. */
	if (path && ik_utf8_valid_prefix(path, strlen(path)) != strlen(path)) {
		free(path);
		path = NULL;
	}
	for (size_t i = 0; path && i < paths->count; i++) {
		if (ik_text_equal(paths->items[i], path)) {
			free(path);
			path = NULL;
		}
	}
	if (!path)
		return;
	paths->items = ik_alloc_array(paths->items, paths->count + 1, sizeof(*paths->items));
	paths->items[paths->count++] = path;
}

char **ik_writes_paths(const struct ik_tool *tool, const char *arguments, size_t length,
	const char *directory, size_t *ret_count)
{
	struct paths paths = { .directory = directory };
	struct ik_json_span names, key, name, object;
	struct ik_json_walk walk = { NULL };

	*ret_count = 0;
	if (!tool->writes || ik_json_check(arguments, length, &object, NULL) != IK_OK)
		return NULL;
	names = (struct ik_json_span){ tool->writes, strlen(tool->writes) };
	while (ik_json_next(names, &walk, &key, &name)) {
		char *parameter = ik_json_text_new(name);
		struct ik_json_span value = ik_json_member(object, parameter ? parameter : "");
		struct ik_json_walk elements = { NULL };
		struct ik_json_span element;

		if (ik_json_span_type(value) == IK_JSON_ARRAY)
			while (ik_json_next(value, &elements, &key, &element))
				add_path(&paths, element);
		else
			add_path(&paths, value);
		free(parameter);
	}
	*ret_count = paths.count;
	return paths.items;
}

bool ik_writes_anything(const struct ik_tool *tool)
{
	return !tool->read_only && !tool->writes;
}
