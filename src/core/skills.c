#include "core/skills.h"

#include <string.h>

#include "util/limits.h"

/* Limit on the catalogue, some 60,000 tokens; skills beyond it are left out. */
#define LARGEST IK_KIB(256)

void ik_skill_put_line(const struct ik_tool *skill, struct ik_buf *out)
{
	if (skill->state == IK_TOOL_SKILL && !skill->user_only)
		ik_buf_printf(out, "- %s: %s (%s)\n", skill->name + 1, skill->description, skill->path);
}

char *ik_skills_catalogue(const struct ik_registry *registry)
{
	static const char paragraph[] =
		"Skills are instructions for particular tasks. When the description of one fits what is "
		"asked, read its file, once and as a whole, before you begin, and follow it; paths in it "
		"are relative to its directory. These are the skills:\n\n";
	struct ik_buf out;

	ik_buf_init(&out, LARGEST);
	ik_buf_puts(&out, paragraph);
	for (size_t i = 0; i < ik_registry_count(registry); i++)
		ik_skill_put_line(ik_registry_at(registry, i), &out);
	if (out.length > strlen(paragraph) && ik_registry_ok_count(registry) > 0)
		return ik_buf_take(&out, NULL);
	ik_buf_done(&out);
	return NULL;
}
