/*
 * hook_places: where hooks are looked for (hook/hooks.h): the user's, then the project's.
 *
 * ~/.ikigai/hooks and ~/.ikigai/hooks.json; in the project .ikigai/hooks and .ikigai/hooks.json; if
 * the setting hooks.claude says so, also Claude Code's files: ~/.claude/settings.json and, in the
 * project, .claude/settings.json and .claude/settings.local.json.
 *
 * May include: util, config, hook, core/project.h.
 */
#ifndef IK_CORE_HOOK_PLACES_H
#define IK_CORE_HOOK_PLACES_H

#include "core/project.h"
#include "hook/hooks.h"

/* Read all hooks; what in the project is not trusted becomes the project's list of skipped files. */
struct ik_hooks *ik_hooks_read(const struct ik_places *places, const struct ik_config *config,
	struct ik_project *project);

#endif
