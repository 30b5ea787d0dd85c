/*
 * skills: what a model is told of the skills that there are.
 *
 * A skill is an entry of the registry (tool/source.h). The catalogue in the system prompt names them
 * all; the model reads the file of one when a task calls for it.
 *
 * May include: util, tool/registry.h.
 */
#ifndef IK_CORE_SKILLS_H
#define IK_CORE_SKILLS_H

#include "tool/registry.h"
#include "util/buf.h"

/* Append the line of a skill in the catalogue; nothing if the model is not to know of it. */
void ik_skill_put_line(const struct ik_tool *skill, struct ik_buf *out);

/* Return the catalogue; NULL if there are no skills, or no tools to read one with. The caller frees
 * it. */
char *ik_skills_catalogue(const struct ik_registry *registry);

#endif
