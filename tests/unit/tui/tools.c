#include "tools.h"

#include "util/alloc.h"

void tools_use(struct ik_calls *calls)
{
	static const struct {
		const char *name, *display;
	} tools[] = {
		{ "bash", "{\"kind\":\"execute\",\"line\":\"$ {command}\",\"command\":\"command\"}" },
		{ "file_edit", "{\"kind\":\"edit\",\"line\":\"Edit {file_path}\",\"path\":\"file_path\","
			"\"old_text\":\"old_string\",\"new_text\":\"new_string\",\"at\":\"line\","
			"\"times\":\"count\"}" },
		{ "file_write", "{\"kind\":\"edit\",\"line\":\"Write {file_path}\",\"path\":\"file_path\","
			"\"new_text\":\"content\"}" },
		{ "glob", "{\"kind\":\"search\",\"line\":\"Find {pattern}\","
			"\"result\":\"{count|file|files}\"}" },
		{ "remove", "{\"kind\":\"edit\",\"line\":\"Remove {path}\","
			"\"result\":\"{count|file|files}\"}" },
	};
	struct ik_registry *registry = ik_registry_new();

	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		ik_registry_add(registry, &(struct ik_tool){ .name = ik_strdup(tools[i].name),
			.path = ik_strdup(tools[i].name), .display = ik_strdup(tools[i].display) });
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	ik_calls_set_registry(calls, registry);
	ik_registry_unref(registry);
}
