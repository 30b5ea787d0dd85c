/*
 * project: what a project directory brings, and whether the user trusts it.
 *
 * Two things of a project take effect by themselves: its tools (./kodelet-tools and
 * ./.ikigai/tools) and its configuration, .ikigai/config.json.  Neither is run or read before
 * the user trusts it (guard/trust.h).
 *
 * May include: util, config, tool/registry.h, core/places.h.
 */
#ifndef IK_CORE_PROJECT_H
#define IK_CORE_PROJECT_H

#include "config/config.h"
#include "core/places.h"
#include "guard/trust.h"
#include "tool/registry.h"

/* A file that is not trusted, and so was skipped. */
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
	struct ik_untrusted_list agents; /* AGENTS.md files that were */
};

/* Read what the user trusts from the home. all: trust the whole directory for this run. */
void ik_project_open(struct ik_project *project, const struct ik_places *places, bool all);
void ik_project_done(struct ik_project *project);

/* Return the path of the project's configuration, whether it exists or not; the caller frees it. */
char *ik_project_config_path(const struct ik_places *places);

/* Does it exist, and isn't it the user's own configuration? */
bool ik_project_has_config(const struct ik_places *places, struct ik_identity *ret_identity);

/*
 * Apply the project's configuration to config, if it exists and is trusted. The user's own file
 * (user_file, or that of the home) doesn't count as the project's. A skipped file is not an
 * error; a mistake in a trusted file is.
 */
enum ik_status ik_project_read_config(struct ik_project *project, const struct ik_places *places,
	const char *user_file, struct ik_config *config, struct ik_error *error) IK_MUST_USE;

/*
 * Read all AGENTS.md files, a project's instructions for every model that works in it: there may be
 * one in each directory from the project's root (the nearest parent with a .git, else the session's
 * directory) down to the session's directory. Return the text to append to a system prompt, those
 * that are trusted, outermost first, each under its path, or NULL. The caller frees it. Files that
 * are not trusted are noted in project; a file that is too large, or leads out of the project,
 * becomes a warning of config.
 */
char *ik_agents_files_read(struct ik_project *project, const struct ik_places *places,
	struct ik_config *config);

/* Return the paths of all of them, trusted or not, outermost first, as a NULL-terminated array. The
 * caller frees the paths and the array. */
char **ik_agents_files_find(const struct ik_places *places);

/*
 * Is this file trusted as it is? Reads it if necessary, which may block. If it is trusted, store
 * its identity; otherwise *error says why not.
 */
bool ik_project_trusts(const struct ik_project *project, const char *path,
	struct ik_identity *ret_identity, struct ik_error *error);

/* Trust a file as it is, from now on. */
enum ik_status ik_project_trust_file(const struct ik_project *project, const char *path,
	struct ik_error *error) IK_MUST_USE;

/*
 * Return a sentence that names what was skipped because it isn't trusted, and the command that
 * trusts it; NULL if nothing was, or the user chose not to be told. The caller frees it.
 */
char *ik_project_warning(const struct ik_project *project, const struct ik_registry *registry);

/* Return the part of path that is relative to the project's directory. Borrowed. */
const char *ik_project_relative(const struct ik_project *project, const char *path);

#endif
