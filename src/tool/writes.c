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
	struct ik_json_span names, object;

	*ret_count = 0;
	if (!tool->writes || ik_json_check(arguments, length, &object, NULL) != IK_OK)
		return NULL;
	names = (struct ik_json_span){ tool->writes, strlen(tool->writes) };
	for (struct ik_json_walk walk = ik_json_walk(names); ik_json_next(&walk);) {
		char *parameter = ik_json_text_new(walk.value);
		struct ik_json_span value = ik_json_member(object, parameter ? parameter : "");

		if (ik_json_span_type(value) == IK_JSON_ARRAY)
			for (struct ik_json_walk inner = ik_json_walk(value); ik_json_next(&inner);)
				add_path(&paths, inner.value);
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
