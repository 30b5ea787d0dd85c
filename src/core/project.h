/*
 * project: what of a project directory takes effect by itself, and whether the user trusts it.
 *
 * That is its tools (./kodelet-tools and ./.ikigai/tools) and the files of enum ik_project_part. None
 * of it is run or read before the user trusts it (guard/trust.h).
 *
 * May include: util, config, tool/registry.h, tool/mcp/servers.h, hook/hooks.h, core/places.h.
 */
#ifndef IK_CORE_PROJECT_H
#define IK_CORE_PROJECT_H

#include "config/config.h"
#include "core/places.h"
#include "guard/trust_check.h"
#include "hook/hooks.h"
#include "tool/mcp/servers.h"
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

/* Files that take effect by themselves. `ikigai tool trust` reads each kind, to find what it brings
 * (cli_trust.c). */
enum ik_project_part {
	IK_PROJECT_CONFIG,  /* .ikigai/config.json */
	IK_PROJECT_AGENTS,  /* AGENTS.md files */
	IK_PROJECT_SERVERS, /* .mcp.json: MCP servers */
	IK_PROJECT_PROMPTS, /* prompt files (core/custom_commands.h) */
	IK_PROJECT_HOOKS,   /* hooks */
	IK_PROJECT_PARTS
};

struct ik_project {
	struct ik_trust *trust;
	struct ik_untrusted_list skipped[IK_PROJECT_PARTS]; /* files that were not trusted when read */
};

/* Read from the home what the user trusts. all: trust the whole directory for this run. */
void ik_project_open(struct ik_project *project, const struct ik_places *places, bool all);
void ik_project_done(struct ik_project *project);

/* Is a file of the project trusted as it was when it had this identity? Otherwise add it to those
 * skipped. text: what was read since; NULL: it may be read, which blocks. */
bool ik_project_judge(struct ik_project *project, enum ik_project_part part, const char *path,
	const struct ik_identity *identity, const struct ik_buf *text);

/* Apply the project's configuration to config, if it exists and is trusted. The user's own file
 * (user_file, or the home's) does not count as the project's. Skipping a file is not an error; a
 * mistake in a trusted file is. */
enum ik_status ik_project_read_config(struct ik_project *project, const struct ik_places *places,
	const char *user_file, struct ik_config *config, struct ik_error *error) IK_MUST_USE;

/* Return the path of the file with the user's MCP servers (NULL: there is no home), or of the
 * project's. The caller frees it. */
char *ik_project_servers_file(const struct ik_places *places, bool project);

/* Add the user's MCP servers, then the project's, which win by name, if their file is trusted now. May
 * be called again, when a file has changed. */
void ik_project_read_servers(struct ik_project *project, const struct ik_places *places,
	struct ik_config *config, struct ik_mcp_servers *servers);

/* Read all hooks; what of the project's is not trusted becomes the list of skipped files. The user's are
 * in ~/.ikigai/hooks and ~/.ikigai/hooks.json, the project's in .ikigai/hooks and .ikigai/hooks.json; if
 * the setting hooks.claude says so, also in Claude Code's files: ~/.claude/settings.json and, in the
 * project, .claude/settings.json and .claude/settings.local.json. */
struct ik_hooks *ik_hooks_read(const struct ik_places *places, const struct ik_config *config,
	struct ik_project *project);

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

/* Is this file trusted in its current state? May read it, which may block. If true, *ret_identity
 * is set; otherwise *error says why not. */
bool ik_project_trusts(const struct ik_project *project, const char *path,
	struct ik_identity *ret_identity, struct ik_error *error);

/* Set *list to the files that were skipped when they were read, or looked for by the scan, and that
 * can be trusted as they are: the user may be asked. */
void ik_project_untrusted(const struct ik_project *project, const struct ik_registry *registry,
	struct ik_untrusted_list *list);
/* Trust them as they were then; close what is returned after done (guard/trust_check.h). */
struct ik_trust_check *ik_project_grant(const struct ik_project *project, struct ik_loop *loop,
	const struct ik_untrusted_list *list, ik_trust_check_done *done, void *arg);

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
