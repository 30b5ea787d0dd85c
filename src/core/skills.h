/*
 * skills: what a model is told of the skills that there are, and which of them it has read.
 *
 * A skill is an entry of the registry (tool/source.h). The catalogue in the system prompt names them
 * all. One is loaded when the model reads its file, or a message of the user's brings it.
 *
 * May include: util, conversation, tool/registry.h, core/places.h.
 */
#ifndef IK_CORE_SKILLS_H
#define IK_CORE_SKILLS_H

#include "conversation/conversation.h"
#include "core/places.h"
#include "tool/registry.h"

/* Append the line of a skill in the catalogue; nothing if the model is not to know of it. */
void ik_skill_put_line(const struct ik_tool *skill, struct ik_buf *out);

/* Return the catalogue; NULL if there are no skills, or no tools to read one with. The caller frees
 * it. */
char *ik_skills_catalogue(const struct ik_registry *registry);

/* Files that may be skills' and were read in a conversation. */
struct ik_skill_loads {
	struct ik_skill_load {
		char *path;    /* absolute */
		char *call_id; /* of the call that reads it; NULL: it was read */
		bool told;     /* for the owner's use */
	} * items;
	size_t count;
};

/* Take note of a message; each is to be passed once, a call before its result. Return true if a file
 * was read. */
bool ik_skill_loads_see(struct ik_skill_loads *loads, const struct ik_places *places,
	const struct ik_message *message);
void ik_skill_loads_done(struct ik_skill_loads *loads);

/* Return the skill whose file that is, and which may be used; NULL: none. */
const struct ik_tool *ik_skill_at(const struct ik_registry *registry, const char *path);

/* Append the skills that were loaded before the message at end, and not again after it, for a summary
 * that replaces what comes before: the newest first, cut if they are large. */
void ik_skills_put_loaded(const struct ik_registry *registry, const struct ik_places *places,
	const struct ik_conversation *said, size_t end, struct ik_buf *out);

#endif
