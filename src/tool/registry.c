#include "tool/registry.h"

#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "tool/source.h"
#include "util/alloc.h"
#include "util/text.h"

struct ik_registry {
	size_t references;
	enum ik_scan_state state;
	struct ik_tool *tools;
	size_t count;
	size_t ok_count;
	size_t failed_count;
	struct ik_string_list problems;
};

const char *ik_tool_source_name(enum ik_tool_source source)
{
	static const char *const names[] = {
		[IK_SOURCE_SYSTEM] = "system",
		[IK_SOURCE_KODELET] = "kodelet",
		[IK_SOURCE_USER] = "user",
		[IK_SOURCE_PROJECT] = "project",
	};

	return names[source];
}

const char *ik_tool_protocol_name(enum ik_tool_protocol protocol)
{
	return protocol == IK_PROTOCOL_NATIVE ? "native" : "kodelet";
}

const char *ik_tool_state_name(enum ik_tool_state state)
{
	static const char *const names[] = {
		[IK_TOOL_OK] = "ok",
		[IK_TOOL_SKILL] = "skill",
		[IK_TOOL_FAILED] = "failed",
		[IK_TOOL_SHADOWED] = "shadowed",
		[IK_TOOL_DISABLED] = "disabled",
		[IK_TOOL_UNTRUSTED] = "untrusted",
	};

	return names[state];
}

bool ik_tool_reads_only(const struct ik_tool *tool)
{
	return tool && tool->read_only && !tool->pinned;
}

bool ik_tool_is_offered(const struct ik_tool *tool)
{
	return tool->state == IK_TOOL_OK || tool->state == IK_TOOL_SKILL;
}

void ik_tool_clear(struct ik_tool *tool)
{
	free(tool->name);
	free(tool->path);
	free(tool->description);
	free(tool->schema);
	free(tool->parameters);
	free(tool->returns);
	free(tool->writes);
	free(tool->display);
	free(tool->hint);
	free(tool->reason);
	ik_source_unref(tool->owner);
	memset(tool, 0, sizeof(*tool));
}

void ik_tool_reject(struct ik_tool *tool, enum ik_tool_state state, const char *code, char *reason)
{
	free(tool->reason);
	tool->state = state;
	tool->code = code;
	tool->reason = reason;
}

struct ik_registry *ik_registry_new(void)
{
	struct ik_registry *registry = ik_alloc(sizeof(*registry));

	registry->references = 1;
	registry->state = IK_SCAN_NOT_STARTED;
	return registry;
}

struct ik_registry *ik_registry_ref(struct ik_registry *registry)
{
	registry->references++;
	return registry;
}

struct ik_registry *ik_registry_unref(struct ik_registry *registry)
{
	if (!registry || --registry->references > 0)
		return NULL;
	for (size_t i = 0; i < registry->count; i++)
		ik_tool_clear(&registry->tools[i]);
	free(registry->tools);
	ik_string_list_done(&registry->problems);
	free(registry);
	return NULL;
}

void ik_registry_add(struct ik_registry *registry, const struct ik_tool *tool)
{
	registry->tools = ik_alloc_more(registry->tools, registry->count, sizeof(*registry->tools));
	registry->tools[registry->count++] = *tool;
}

void ik_registry_add_problem(struct ik_registry *registry, const char *sentence)
{
	ik_string_list_add(&registry->problems, ik_strdup(sentence));
}

/* Order by name; within a name, working tools first, the one that takes precedence at the front. */
static int compare_tools(const void *left, const void *right)
{
	const struct ik_tool *one = left, *other = right;
	int names = strcmp(one->name, other->name);
	bool one_ok = ik_tool_is_offered(one);
	bool other_ok = ik_tool_is_offered(other);

	if (names != 0)
		return names;
	if (one_ok != other_ok)
		return one_ok ? -1 : 1;
	if (one->precedence != other->precedence)
		return one->precedence > other->precedence ? -1 : 1;
	return strcmp(other->path, one->path);
}

void ik_registry_finish(struct ik_registry *registry, enum ik_scan_state state)
{
	const struct ik_tool *winner = NULL;

	if (registry->count > 0)
		qsort(registry->tools, registry->count, sizeof(*registry->tools), compare_tools);
	registry->state = state;
	registry->ok_count = 0;
	registry->failed_count = 0;
	for (size_t i = 0; i < registry->count; i++) {
		struct ik_tool *tool = &registry->tools[i];

		if (ik_tool_is_offered(tool)) {
			if (winner && strcmp(winner->name, tool->name) == 0) {
				ik_tool_reject(tool, IK_TOOL_SHADOWED, "SHADOWED",
					ik_format(_("another tool of this name takes precedence: %s"), winner->path));
			} else {
				winner = tool;
				registry->ok_count += tool->state == IK_TOOL_OK;
			}
		} else if (tool->state == IK_TOOL_FAILED) {
			registry->failed_count++;
		}
	}
}

enum ik_scan_state ik_registry_state(const struct ik_registry *registry)
{
	return registry->state;
}

size_t ik_registry_count(const struct ik_registry *registry)
{
	return registry->count;
}

size_t ik_registry_ok_count(const struct ik_registry *registry)
{
	return registry->ok_count;
}

size_t ik_registry_failed_count(const struct ik_registry *registry)
{
	return registry->failed_count;
}

const struct ik_tool *ik_registry_at(const struct ik_registry *registry, size_t index)
{
	return index < registry->count ? &registry->tools[index] : NULL;
}

static const struct ik_tool *find(const struct ik_registry *registry, enum ik_tool_state state,
	const char *name)
{
	for (size_t i = 0; i < registry->count; i++)
		if (registry->tools[i].state == state && ik_text_equal(registry->tools[i].name, name))
			return &registry->tools[i];
	return NULL;
}

const struct ik_tool *ik_registry_find(const struct ik_registry *registry, const char *name)
{
	return find(registry, IK_TOOL_OK, name);
}

const struct ik_tool *ik_registry_skill(const struct ik_registry *registry, const char *name)
{
	return find(registry, IK_TOOL_SKILL, name);
}

struct ik_json_span ik_registry_display(const struct ik_registry *registry, const char *name)
{
	const struct ik_tool *tool = ik_registry_find(registry, name);
	const char *display = tool ? tool->display : NULL;

	return (struct ik_json_span){ display, display ? strlen(display) : 0 };
}

size_t ik_registry_problem_count(const struct ik_registry *registry)
{
	return registry->problems.count;
}

const char *ik_registry_problem(const struct ik_registry *registry, size_t index)
{
	return index < registry->problems.count ? registry->problems.items[index] : NULL;
}
