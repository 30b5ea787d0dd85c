#include "core/skills.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "conversation/attachment.h"
#include "util/alloc.h"

static struct ik_registry *registry;
static struct ik_conversation *said;
static char directory[] = "/work", home[] = "/home/me";
static const struct ik_places places = { .directory = directory, .user_home = home };

static void add_skill(const char *name, const char *text)
{
	struct ik_tool skill = {
		.name = ik_format("/%s", name),
		.path = ik_format("/work/.agents/skills/%s/SKILL.md", name),
		.description = ik_strdup("Does it"),
		.schema = ik_strdup(text),
		.schema_length = strlen(text),
		.state = IK_TOOL_SKILL,
	};

	ik_registry_add(registry, &skill);
}

static void begin(void)
{
	registry = ik_registry_new();
	said = ik_conversation_new();
}

static void end(void)
{
	ik_registry_unref(registry);
	ik_conversation_free(said);
}

TestSuite(skills, .init = begin, .fini = end);

static void say(struct ik_message *message)
{
	ik_conversation_append(said, message);
	ik_message_unref(message);
}

/* A call of file_read, with its result. */
static void say_read(const char *id, const char *path, bool success)
{
	char *arguments = ik_format("{\"file_path\":\"%s\"}", path);

	say(ik_message_tool_call(id, "file_read", arguments, strlen(arguments), ""));
	say(ik_message_tool_result(id, "file_read", "{}", 2, success, 1, NULL));
	free(arguments);
}

static void say_attached(const char *name)
{
	struct ik_attachments attachments;

	ik_attachments_init(&attachments);
	ik_attachments_add_text(&attachments, name, 4);
	say(ik_message_with_attachments(ik_message_new(IK_KIND_USER, "x", 1, NULL, 0), &attachments));
	ik_attachments_done(&attachments);
}

/* Return what a summary of all before the message at end keeps; valid until the next call. */
static const char *kept(size_t end_index)
{
	static struct ik_buf out;

	ik_buf_done(&out);
	ik_buf_init(&out, 1 << 20);
	ik_skills_put_loaded(registry, &places, said, end_index, &out);
	return out.data;
}

Test(skills, are_named_to_the_model)
{
	struct ik_tool tool = { .name = ik_strdup("file_read"), .path = ik_strdup("/x") };
	char *catalogue;

	add_skill("one", "ONE");
	cr_assert_null(ik_skills_catalogue(registry), "nothing could read it");
	ik_registry_add(registry, &tool);
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	catalogue = ik_skills_catalogue(registry);
	cr_assert(strstr(catalogue, "\n- one: Does it (/work/.agents/skills/one/SKILL.md)\n"), "%s",
		catalogue);
	free(catalogue);
}

Test(skills, are_kept_with_a_summary)
{
	add_skill("one", "ONE");
	add_skill("two", "TWO");
	add_skill("three", "THREE");
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	say_read("a", ".agents/skills/one/SKILL.md", true);
	say_read("b", "/work/.agents/skills/two/SKILL.md", false);
	say_read("c", "/work/other.md", true);
	say_attached("/work/.agents/skills/three/SKILL.md");
	say_read("d", "/elsewhere/SKILL.md", true);
	cr_assert_str_eq(kept(0), "", "it was not read yet");
	cr_assert(strstr(kept(8), "<skill file=\"/work/.agents/skills/one/SKILL.md\">\nONE\n</skill>"));
	cr_assert(strstr(kept(8), "THREE"));
	cr_assert_null(strstr(kept(8), "TWO"), "it could not be read");
	say_read("e", "/work/.agents/skills/one/SKILL.md", true);
	cr_assert_null(strstr(kept(9), "ONE"), "the model has it anyway");
	cr_assert(strstr(kept(11), "ONE"));
	cr_assert_null(strstr(strstr(kept(11), "ONE") + 1, "ONE"), "once");
}

Test(skills, do_not_fill_a_summary)
{
	char name[] = "s0", path[100], *large = ik_format("%050000d", 0);

	for (; name[1] < '9'; name[1]++) {
		add_skill(name, large);
		snprintf(path, sizeof(path), ".agents/skills/%s/SKILL.md", name);
		say_read(name, path, true);
	}
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	cr_assert_lt(strlen(kept(ik_conversation_count(said))), 62 * 1024);
	cr_assert(strstr(kept(ik_conversation_count(said)), "/s8/"), "the newest");
	cr_assert(strstr(kept(ik_conversation_count(said)), "(cut here: read the file for the rest)"));
	free(large);
}

Test(skills, are_seen_when_they_are_loaded)
{
	struct ik_skill_loads loads = { NULL, 0 };

	say_read("a", "~/x/SKILL.md", true);
	cr_assert_not(ik_skill_loads_see(&loads, &places, ik_conversation_at(said, 0)));
	cr_assert(ik_skill_loads_see(&loads, &places, ik_conversation_at(said, 1)));
	cr_assert_eq(loads.count, 1);
	cr_assert_str_eq(loads.items[0].path, "/home/me/x/SKILL.md");
	say_read("b", "SKILL.md", false);
	cr_assert_not(ik_skill_loads_see(&loads, &places, ik_conversation_at(said, 2)));
	cr_assert_not(ik_skill_loads_see(&loads, &places, ik_conversation_at(said, 3)));
	cr_assert_eq(loads.count, 1);
	say(ik_message_tool_call("c", "file_read", "SKILL.md {", 10, ""));
	cr_assert_not(ik_skill_loads_see(&loads, &places, ik_conversation_at(said, 4)));
	cr_assert_eq(loads.count, 1);
	ik_skill_loads_done(&loads);
}
