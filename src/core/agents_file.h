/*
 * agents_file: AGENTS.md, a project's instructions for every model that works in it.
 *
 * There may be one in each directory from the project's root (the nearest parent with a
 * .git, else the session's directory) down to the session's directory.  Those that are
 * trusted (guard/trust.h) follow the system prompt, outermost first, each under its path.
 *
 * May include: util, config, core/project.h, core/places.h.
 */
#ifndef IK_CORE_AGENTS_FILE_H
#define IK_CORE_AGENTS_FILE_H

#include "config/config.h"
#include "core/places.h"
#include "core/project.h"

/*
 * Read all of them, and return the text to append to a system prompt, or NULL. The caller
 * frees it. Files that are not trusted are noted in project; a file that is too large, or
 * leads out of the project, becomes a warning of config.
 */
char *ik_agents_files_read(struct ik_project *project, const struct ik_places *places,
	struct ik_config *config);

/* Return the paths of all of them, trusted or not, outermost first, as a NULL-terminated
 * array. The caller frees the paths and the array. */
char **ik_agents_files_find(const struct ik_places *places);

#endif
