#include "tool/registry.h"

#include <string.h>

#include <criterion/criterion.h>

#include "util/alloc.h"

static void add(struct ik_registry *registry, const char *name, const char *path,
	enum ik_tool_state state)
{
	struct ik_tool tool = {
		.name = ik_strdup(name), .path = ik_strdup(path), .precedence = ik_registry_count(registry)
	};

	if (state != IK_TOOL_OK)
		ik_tool_reject(&tool, state, "SCHEMA_EXIT", ik_strdup("it failed"));
	ik_registry_add(registry, &tool);
}

Test(registry, is_empty_at_first)
{
	struct ik_registry *registry = ik_registry_new();

	cr_assert_eq(ik_registry_state(registry), IK_SCAN_NOT_STARTED);
	cr_assert_eq(ik_registry_count(registry), 0);
	cr_assert_null(ik_registry_find(registry, "weather"));
	cr_assert_null(ik_registry_at(registry, 0));
	registry = ik_registry_unref(registry);
}

Test(registry, sorts_by_name_and_finds)
{
	struct ik_registry *registry = ik_registry_new();
	const char *const names[] = { "b", "B", "a", "_z", "a-1", "aa" };
	const char *const sorted[] = { "B", "_z", "a", "a-1", "aa", "b" };

	for (size_t i = 0; i < 6; i++)
		add(registry, names[i], "/x", IK_TOOL_OK);
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	for (size_t i = 0; i < 6; i++) {
		cr_assert_str_eq(ik_registry_at(registry, i)->name, sorted[i]);
		cr_assert_str_eq(ik_registry_find(registry, sorted[i])->name, sorted[i]);
	}
	cr_assert_null(ik_registry_find(registry, "ab"));
	cr_assert_null(ik_registry_find(registry, ""));
	cr_assert_eq(ik_registry_ok_count(registry), 6);
	registry = ik_registry_unref(registry);
}

Test(registry, working_tool_of_the_highest_precedence_wins)
{
	struct ik_registry *registry = ik_registry_new();
	const struct ik_tool *tool;

	add(registry, "bash", "/system/bash", IK_TOOL_OK);
	add(registry, "bash", "/user/bash", IK_TOOL_OK);
	add(registry, "bash", "/project/bash", IK_TOOL_FAILED);
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	cr_assert_eq(ik_registry_count(registry), 3);
	cr_assert_eq(ik_registry_ok_count(registry), 1);
	cr_assert_eq(ik_registry_failed_count(registry), 1);
	tool = ik_registry_find(registry, "bash");
	cr_assert_str_eq(tool->path, "/user/bash");
	cr_assert_null(tool->code);
	for (size_t i = 0; i < 3; i++) {
		tool = ik_registry_at(registry, i);
		if (strcmp(tool->path, "/system/bash") == 0) {
			cr_assert_eq(tool->state, IK_TOOL_SHADOWED);
			cr_assert_str_eq(tool->code, "SHADOWED");
			cr_assert_not_null(strstr(tool->reason, "/user/bash"));
		}
	}
	registry = ik_registry_unref(registry);
}

Test(registry, does_not_find_what_is_not_offered)
{
	struct ik_registry *registry = ik_registry_new();

	add(registry, "one", "/one", IK_TOOL_FAILED);
	add(registry, "two", "/two", IK_TOOL_DISABLED);
	add(registry, "three", "/three", IK_TOOL_UNTRUSTED);
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	cr_assert_null(ik_registry_find(registry, "one"));
	cr_assert_null(ik_registry_find(registry, "two"));
	cr_assert_null(ik_registry_find(registry, "three"));
	cr_assert_eq(ik_registry_failed_count(registry), 1);
	registry = ik_registry_unref(registry);
}

Test(registry, lives_as_long_as_somebody_counts_on_it)
{
	struct ik_registry *registry = ik_registry_new();
	struct ik_registry *kept;

	add(registry, "one", "/one", IK_TOOL_OK);
	ik_registry_add_problem(registry, "the directory /x cannot be read");
	ik_registry_finish(registry, IK_SCAN_FAILED);
	kept = ik_registry_ref(registry);
	registry = ik_registry_unref(registry);
	cr_assert_null(registry);
	cr_assert_str_eq(ik_registry_find(kept, "one")->path, "/one");
	cr_assert_eq(ik_registry_state(kept), IK_SCAN_FAILED);
	cr_assert_eq(ik_registry_problem_count(kept), 1);
	cr_assert_str_eq(ik_registry_problem(kept, 0), "the directory /x cannot be read");
	cr_assert_null(ik_registry_problem(kept, 1));
	kept = ik_registry_unref(kept);
}

Test(registry, names_its_words)
{
	cr_assert_str_eq(ik_tool_source_name(IK_SOURCE_PROJECT), "project");
	cr_assert_str_eq(ik_tool_protocol_name(IK_PROTOCOL_KODELET), "kodelet");
	cr_assert_str_eq(ik_tool_state_name(IK_TOOL_UNTRUSTED), "untrusted");
}
