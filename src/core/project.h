/*
 * project: the tools and configuration of a project directory, and whether the user trusts them.
 *
 * Two things of a project take effect automatically: its tools (./kodelet-tools and
 * ./.ikigai/tools) and its configuration, .ikigai/config.json. They are not run or read before the
 * user trusts them (guard/trust.h).
 *
 * May include: util, config, tool/registry.h, core/places.h.
 */
#ifndef IK_CORE_PROJECT_H
#define IK_CORE_PROJECT_H

#include "config/config.h"
#include "core/places.h"
#include "guard/trust.h"
#include "tool/registry.h"

/* A file that was skipped because it is not trusted. */
struct ik_untrusted {
	char *path;
	struct ik_identity identity;
	bool changed; /* an older version was trusted */
};
struct ik_untrusted_list {
	struct ik_untrusted *items;
	size_t count;
};
void ik_untrusted_add(struct ik_untrusted_list *list, const char *path,
	const struct ik_identity *identity, bool changed);
void ik_untrusted_clear(struct ik_untrusted_list *list);

struct ik_project {
	struct ik_trust *trust;
	struct ik_untrusted_list config; /* the configuration, if it was skipped */
	struct ik_untrusted_list agents; /* AGENTS.md files that were skipped */
};

/* Read from the home what the user trusts. all: trust the whole directory for this run. */
void ik_project_open(struct ik_project *project, const struct ik_places *places, bool all);
void ik_project_done(struct ik_project *project);

/* Return the path of the project's configuration, which may be missing; the caller frees it. */
char *ik_project_config_path(const struct ik_places *places);

/* Does the project's configuration exist, other than as the user's own? */
bool ik_project_has_config(const struct ik_places *places, struct ik_identity *ret_identity);

/* Apply the project's configuration to config, if it exists and is trusted. The user's own file
 * (user_file, or the home's) does not count as the project's. Skipping a file is not an error; a
 * mistake in a trusted file is. */
enum ik_status ik_project_read_config(struct ik_project *project, const struct ik_places *places,
	const char *user_file, struct ik_config *config, struct ik_error *error) IK_MUST_USE;

/* Return the name of the git branch of the session's directory, as its repository has it; NULL: none.
 * The caller frees it. */
char *ik_project_branch(const struct ik_places *places);

/* Read all AGENTS.md files, which instruct every model that works in the project. Each directory
 * may have one, from the project's root (the nearest parent with a .git, else the session's
 * directory) down to the session's directory. Return the text to append to the system prompt: the
 * trusted files, outermost first, each under its path; or NULL. The caller frees it. Untrusted
 * files are listed in project; a file that is too large, or leads out of the project, causes a
 * warning in config. */
char *ik_agents_files_read(struct ik_project *project, const struct ik_places *places,
	struct ik_config *config);

/* Return the paths of all AGENTS.md files, trusted or not, outermost first, as a NULL-terminated
 * array. The caller frees the paths and the array. */
char **ik_agents_files_find(const struct ik_places *places);

/* Is this file trusted in its current state? May read it, which may block. If true, *ret_identity
 * is set; otherwise *error says why not. */
bool ik_project_trusts(const struct ik_project *project, const char *path,
	struct ik_identity *ret_identity, struct ik_error *error);

/* Trust a file in its current state, from now on. */
enum ik_status ik_project_trust_file(const struct ik_project *project, const char *path,
	struct ik_error *error) IK_MUST_USE;

/* Return a sentence that names what was skipped because it isn't trusted, and the command that
 * trusts it; NULL if nothing was skipped or the user switched the warning off. The caller frees
 * it. */
char *ik_project_warning(const struct ik_project *project, const struct ik_registry *registry);

/* Return the part of path that is relative to the project's directory. Borrowed. */
const char *ik_project_relative(const struct ik_project *project, const char *path);

#endif
