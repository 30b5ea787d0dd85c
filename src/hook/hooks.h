/*
 * hooks: which hooks there are: programs of the user's that are run when something happens.
 *
 * An executable in a directory HOOKS/EVENT.d is a hook, in the order of names (dot files and names
 * that end in "~" don't count). So is each command in a JSON file of the form that Claude Code's
 * settings.json has:
 *
 *     {"hooks":{"PreToolUse":[{"matcher":"Edit|Write",
 *         "hooks":[{"type":"command","command":"...","timeout":60}]}]}}
 *
 * (without the line break.) Of such a file everything else is ignored. What a project brings is a
 * hook only as long as the user trusts its contents (guard/trust.h).
 *
 * Reads files and runs nothing. Owns what it read. May include: util, json, config, guard, tool.
 */
#ifndef IK_HOOK_HOOKS_H
#define IK_HOOK_HOOKS_H

#include "config/config.h"
#include "guard/trust.h"
#include "util/identity.h"

#include <stdbool.h>
#include <stdint.h>

/* Limit on a hook's time, unless its entry in a file has one. */
#define IK_HOOK_TIMEOUT_MS 60000

enum ik_hook_event {
	IK_HOOK_PRE_TOOL_USE,
	IK_HOOK_POST_TOOL_USE,
	IK_HOOK_USER_PROMPT,
	IK_HOOK_STOP,
	IK_HOOK_SESSION_START,
	IK_HOOK_SESSION_END,
	IK_HOOK_NOTIFICATION,
	IK_HOOK_PRE_COMPACT,
	IK_HOOK_EVENTS
};

/* Return "PreToolUse", "PostToolUse", ... */
const char *ik_hook_event_name(enum ik_hook_event event);

struct ik_hook {
	enum ik_hook_event event; /* IK_HOOK_EVENTS: a file that is not trusted, so it was not read */
	char *path;               /* the executable, or the file that has the command */
	char *command;            /* for the shell; NULL: path is run */
	char *matcher;            /* regular expression; NULL: everything matches */
	int64_t timeout_ms;
	enum ik_trust_state state; /* only trusted ones are run */
	bool pinned;               /* it comes from a project, and runs only while path is this file: */
	struct ik_identity identity; /* also set if it is not trusted */
};

struct ik_hooks {
	struct ik_hook *items; /* in the order in which they count */
	size_t count;
	struct ik_string_list problems; /* sentences about what could not be read */
};

struct ik_hooks *ik_hooks_new(void);
/* Takes NULL. Returns NULL. */
struct ik_hooks *ik_hooks_free(struct ik_hooks *hooks);

/* Add the executables of a directory with EVENT.d directories, or the commands in a file; nothing if
 * it does not exist. trust (borrowed): it comes from a project; NULL: it is the user's own. */
void ik_hooks_add_directory(struct ik_hooks *hooks, const char *path, struct ik_trust *trust);
void ik_hooks_add_file(struct ik_hooks *hooks, const char *path, struct ik_trust *trust);

/*
 * Return the name by which a hook matches a subject (the name of a tool, or what else its event is
 * about), or NULL if it does not. The names of a tool are ikigai's, and those that Claude Code has
 * for the same: Bash, Read, Write, Edit, Glob, Grep, and mcp__SERVER__TOOL. Without a matcher, it is
 * ikigai's name for executables and Claude Code's for commands. *memory is what the caller frees
 * afterwards.
 */
const char *ik_hook_match(const struct ik_hook *hook, const char *subject, char **memory);

#endif
