#include "tool/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

static struct ik_loop *loop;
static char *root;

static void begin(void)
{
	loop = support_loop_new();
	root = support_mkdir();
}

static void end(void)
{
	support_rmdir(root);
	loop = support_loop_free(loop);
}

TestSuite(source_skills, .init = begin, .fini = end);

static void make(const char *directory)
{
	char *path = ik_path_join(root, directory);
	struct ik_error error;

	cr_assert_eq(ik_path_make(path, 0755, &error), IK_OK, "%s", error.text);
	free(path);
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	char *path = ik_path_join(root, name);
	struct ik_error error;

	cr_assert_eq(ik_file_write(path, text, strlen(text), mode, &error), IK_OK, "%s", error.text);
	free(path);
}

/* A skill whose front matter has these lines. */
static void write_skill(const char *directory, const char *lines)
{
	char name[300], text[3000];

	make(directory);
	snprintf(name, sizeof(name), "%s/SKILL.md", directory);
	snprintf(text, sizeof(text), "---\n%s\n---\nBody\n", lines);
	write_file(name, text, 0644);
}

struct skills_scan {
	struct ik_registry *registry;
	struct ik_loop *loop;
};

static void on_finished(void *arg, struct ik_registry *registry)
{
	struct skills_scan *scan = arg;

	scan->registry = ik_registry_ref(registry);
	ik_loop_stop(scan->loop);
}

/* Scan the root; NULL: as the user's own. off: the name of a skill that is switched off, or NULL. */
static struct ik_registry *scan(struct ik_trust *trust, const char *off)
{
	const struct ik_discovery_events events = { .finished = on_finished };
	struct skills_scan at = { NULL, loop };
	struct ik_discovery *discovery = ik_discovery_new(loop, &events, &at);

	ik_discovery_add_source(discovery,
		ik_source_skills_new(loop, root, trust ? IK_SOURCE_PROJECT : IK_SOURCE_USER, trust, NULL));
	if (off)
		ik_discovery_disable(discovery, off);
	ik_discovery_scan(discovery, IK_CACHE_ALL);
	support_loop_run(loop);
	ik_discovery_close(discovery);
	return at.registry;
}

/* Return the only entry of that name, which must be in that state. */
static const struct ik_tool *entry(const struct ik_registry *registry, const char *name,
	enum ik_tool_state state)
{
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (!ik_text_equal(tool->name, name))
			continue;
		cr_assert_eq(tool->state, state, "%s: %s", name, tool->reason);
		return tool;
	}
	cr_assert_fail("there is no %s", name);
	return NULL;
}

Test(source_skills, reads_what_is_there)
{
	struct ik_registry *registry;
	const struct ik_tool *skill;

	write_skill("review",
		"name: review\ndescription: Reviews. Use it: often\n  and well\nargument-hint: [FILE]");
	write_skill("group/inner", "name: inner\ndescription: >-\n  In a\n\n  group");
	write_skill("alone", "name: alone\ndescription: x\nuser-invocable: false");
	write_skill("asked", "name: asked\ndescription: x\ndisable-model-invocation: true");
	registry = scan(NULL, NULL);
	cr_assert_eq(ik_registry_count(registry), 4);
	cr_assert_eq(ik_registry_ok_count(registry), 0, "they are no tools");
	skill = entry(registry, "/review", IK_TOOL_SKILL);
	cr_assert_str_eq(skill->description, "Reviews. Use it: often and well");
	cr_assert_str_eq(skill->hint, "[FILE]");
	cr_assert_null(skill->reason);
	cr_assert(!skill->user_only && !skill->model_only);
	cr_assert_str_eq(ik_path_base(skill->path), "SKILL.md");
	cr_assert(strstr(skill->schema, "Body"));
	cr_assert_str_eq(entry(registry, "/inner", IK_TOOL_SKILL)->description, "In a group");
	cr_assert(entry(registry, "/alone", IK_TOOL_SKILL)->model_only);
	cr_assert(entry(registry, "/asked", IK_TOOL_SKILL)->user_only);
	cr_assert_eq(ik_registry_skill(registry, "/review"), skill);
	cr_assert_null(ik_registry_find(registry, "/review"), "no model can call it");
	ik_registry_unref(registry);
}

Test(source_skills, is_lenient)
{
	struct ik_registry *registry;
	char *lines = ik_format("name: long\ndescription: %02500d", 0);

	write_skill("folder", "name: other\ndescription: x");
	write_skill("my-skill", "name: My Skill!\ndescription: x");
	write_skill("nameless", "description: x");
	write_skill("long", lines);
	registry = scan(NULL, NULL);
	cr_assert(strstr(entry(registry, "/other", IK_TOOL_SKILL)->reason, "\"folder\""));
	cr_assert(strstr(entry(registry, "/my-skill", IK_TOOL_SKILL)->reason, "My Skill!"));
	cr_assert_not_null(entry(registry, "/nameless", IK_TOOL_SKILL)->reason);
	cr_assert_eq(strlen(entry(registry, "/long", IK_TOOL_SKILL)->description), 2048);
	ik_registry_unref(registry);
	free(lines);
}

Test(source_skills, says_why_one_is_left_out)
{
	struct ik_registry *registry;
	char *large = ik_format("---\ndescription: x\n---\n%0300000d", 0);

	write_skill("silent", "name: silent");
	write_skill("broken", "name: broken\nwhat is this");
	write_skill("no name", "name: no name\ndescription: x");
	make("large");
	write_file("large/SKILL.md", large, 0644);
	make("open");
	write_file("open/SKILL.md", "---\ndescription: x\n---\n", 0666);
	registry = scan(NULL, NULL);
	cr_assert_eq(ik_registry_failed_count(registry), 5);
	cr_assert(strstr(entry(registry, "/silent", IK_TOOL_FAILED)->reason, "description"));
	cr_assert(strstr(entry(registry, "/broken", IK_TOOL_FAILED)->reason, "SKILL.md:3: "));
	cr_assert_not_null(entry(registry, "/no name", IK_TOOL_FAILED)->reason);
	cr_assert_str_eq(entry(registry, "/large", IK_TOOL_FAILED)->code, "INVALID_SKILL");
	cr_assert_str_eq(entry(registry, "/open", IK_TOOL_FAILED)->code, "UNSAFE_PERMISSIONS");
	ik_registry_unref(registry);
	free(large);
}

Test(source_skills, looks_in_few_places)
{
	struct ik_registry *registry;
	char *link = ik_path_join(root, "again");

	write_skill("a/b/c/d", "name: d\ndescription: as deep as it goes");
	write_skill("a/b/c/e/f", "name: f\ndescription: deeper");
	write_skill("node_modules/n", "name: n\ndescription: x");
	write_skill(".hidden", "name: hidden\ndescription: x");
	write_skill("outer", "name: outer\ndescription: x");
	write_skill("outer/inner", "name: inner\ndescription: is a part of it");
	make("fifo");
	write_file("SKILL.md", "---\ndescription: the directory itself is no skill\n---\n", 0644);
	cr_assert_eq(symlink("a/b", link), 0);
	registry = scan(NULL, NULL);
	entry(registry, "/outer", IK_TOOL_SKILL);
	entry(registry, "/d", IK_TOOL_SKILL);
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		const char *name = ik_registry_at(registry, i)->name;

		cr_assert(ik_text_equal(name, "/outer") || ik_text_equal(name, "/d") ||
				ik_text_equal(name, "/f"), "%s", name);
	}
	ik_registry_unref(registry);
	free(link);
}

/* A link to its own parent ends, and one skill of a name wins. */
Test(source_skills, ends_in_a_circle)
{
	struct ik_registry *registry;
	char *link = ik_path_join(root, "x/up");

	write_skill("x/one", "name: one\ndescription: x");
	cr_assert_eq(symlink("..", link), 0);
	registry = scan(NULL, NULL);
	cr_assert_not_null(ik_registry_skill(registry, "/one"));
	ik_registry_unref(registry);
	free(link);
}

Test(source_skills, can_be_switched_off)
{
	struct ik_registry *registry;

	write_skill("one", "name: one\ndescription: x");
	registry = scan(NULL, "/one");
	entry(registry, "/one", IK_TOOL_DISABLED);
	ik_registry_unref(registry);
}

/* Nothing of a project's skill is used before it is trusted; its programs are asked about, too. */
Test(source_skills, need_trust)
{
	char *home = support_mkdir(), *file = ik_path_join(home, "trust.json");
	struct ik_trust *trust = ik_trust_new(file, root);
	struct ik_registry *registry;
	const struct ik_tool *skill;
	char digest[IK_SHA256_TEXT];
	struct ik_error error;

	write_skill("one", "name: other\ndescription: hostile");
	make("one/scripts");
	write_file("one/scripts/run", "#!/bin/sh\n", 0755);
	write_file("one/scripts/data", "", 0644);
	registry = scan(trust, NULL);
	cr_assert_eq(ik_registry_count(registry), 2);
	skill = entry(registry, "/one", IK_TOOL_UNTRUSTED);
	cr_assert_null(skill->description);
	cr_assert_null(skill->schema);
	cr_assert_neq(entry(registry, "run", IK_TOOL_UNTRUSTED)->identity.inode, 0);
	cr_assert_eq(ik_sha256_of_file(skill->path, digest, &error), IK_OK);
	cr_assert_eq(ik_trust_grant(trust, &(struct ik_trust_file){ skill->path, digest }, 1, false,
					 &error), IK_OK);
	ik_registry_unref(registry);
	registry = scan(trust, NULL);
	cr_assert_eq(ik_registry_count(registry), 1);
	entry(registry, "/other", IK_TOOL_SKILL);
	ik_registry_unref(registry);
	write_skill("one", "name: other\ndescription: changed");
	registry = scan(trust, NULL);
	cr_assert(entry(registry, "/one", IK_TOOL_UNTRUSTED)->changed);
	ik_registry_unref(registry);
	ik_trust_free(trust);
	free(file);
	support_rmdir(home);
}
