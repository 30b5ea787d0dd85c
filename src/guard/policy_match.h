/*
 * policy_match: does a rule fit a call?  The readings of an argument.
 *
 * Inside of guard/policy.h, which says what fits.  May include: util, json, config.
 */
#ifndef IK_GUARD_POLICY_MATCH_H
#define IK_GUARD_POLICY_MATCH_H

#include "config/rules.h"
#include "json/scan.h"

/* Where paths of a call begin. */
struct ik_policy_place {
	const char *directory;
	const char *home;                   /* NULL: not known */
	char *(*resolve)(const char *path); /* NULL: links are not looked at */
};

/* arguments: a JSON object, or no value. */
bool ik_policy_fits(const struct ik_policy_place *place, const struct ik_rule *rule,
	const char *tool, struct ik_json_span arguments);

/* Is an argument of that name a path, or a shell's command? */
bool ik_policy_is_path(const char *name);
bool ik_policy_is_command(const char *name);

/* What in an allowed command no wildcard matches. */
extern const char ik_policy_barred[];

/* Append the rule for commands like this one to a glob: those of the same program (of git, with the
 * same second word). Nothing unless the program is one of a few that start no others and write
 * nothing: such a rule would allow everything. */
void ik_policy_put_command_like(const char *command, struct ik_buf *glob);

/* A path made absolute, . and .. and // taken out; new memory. */
char *ik_policy_absolute(const struct ik_policy_place *place, const char *path);

/* Append a value as a glob's text is compared with it: a string as it is, all
 * else as JSON without blanks. */
void ik_policy_value_text(struct ik_json_span value, struct ik_buf *out);

#endif
