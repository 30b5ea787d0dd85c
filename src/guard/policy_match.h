/*
 * policy_match: does a rule fit a call?  Interprets the arguments.
 *
 * Internal to guard/policy.h, which defines what fits.  May include: util, json, config.
 */
#ifndef IK_GUARD_POLICY_MATCH_H
#define IK_GUARD_POLICY_MATCH_H

#include "config/rules.h"
#include "json/scan.h"

/* The directory that the paths of a call are relative to. */
struct ik_policy_place {
	const char *directory;
	const char *home;                   /* NULL: unknown */
	char *(*resolve)(const char *path); /* NULL: links are not followed */
};

/* arguments: a JSON object, or no value. */
bool ik_policy_fits(const struct ik_policy_place *place, const struct ik_rule *rule,
	const char *tool, struct ik_json_span arguments);

/* Is an argument of that name a path, or a shell's command? */
bool ik_policy_is_path(const char *name);
bool ik_policy_is_command(const char *name);

/* Bytes of a command that no wildcard of an allowing rule matches. */
extern const char ik_policy_barred[];

/* Append to glob the pattern of commands like this one: of the same program, for git with the same
 * second word. Append nothing unless the program is one of the few that start no other program and
 * write nothing; a rule for any other would allow everything. */
void ik_policy_put_command_like(const char *command, struct ik_buf *glob);

/* Return a path made absolute, without . and .. and // (new memory). */
char *ik_policy_absolute(const struct ik_policy_place *place, const char *path);

/* Return the path that a tool in directory would open, with links resolved, or NULL if unknown. The
 * caller frees it. */
char *ik_policy_follow(const char *directory, const char *name);

/* Return where the paths of a call lead now; the caller frees it. If this text changes, the call is
 * no longer the one that the user was shown. */
char *ik_policy_targets(const char *directory, const char *arguments, size_t length);

/* Append a value in the form that globs are compared with: a string as it is, anything else as JSON
 * without blanks. */
void ik_policy_value_text(struct ik_json_span value, struct ik_buf *out);

#endif
