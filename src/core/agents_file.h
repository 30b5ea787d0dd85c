/*
 * agents_file: AGENTS.md, what a project says to every model that works in it.
 *
 * One in each directory from the root of the project (the nearest one around the
 * session's that has a .git; else the session's itself) down to the session's; all that
 * are trusted (guard/trust.h) follow the system prompt, outermost first, each under its
 * path.
 *
 * May include: util, config, core/project.h, core/places.h.
 */
#ifndef IK_CORE_AGENTS_FILE_H
#define IK_CORE_AGENTS_FILE_H

#include "config/config.h"
#include "core/places.h"
#include "core/project.h"

/*
 * Read them all, anew: the text to be appended to a system prompt, or NULL where there is
 * none, in new memory. Those that are not trusted are noted in project (untrusted_agents);
 * what is too large, or leads out of the project, is a warning of config.
 */
char *ik_agents_files_read(struct ik_project *project, const struct ik_places *places,
	struct ik_config *config);

/* Their paths, outermost first, whether they are trusted or not: a NULL-terminated array
 * in new memory, the paths too. */
char **ik_agents_files_find(const struct ik_places *places);

#endif
