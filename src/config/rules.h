/*
 * rules: the form of a list of rules about tool calls, as it stands under
 * `policy` in config.json and in policy.json:
 *
 *     [{"tool": GLOB, "args": {NAME: GLOB, ...}, "do": "allow" | "ask" | "deny"}, ...]
 *
 * What they mean is the business of guard/policy.h.
 *
 * Pure.  May include: util, json.
 */
#ifndef IK_CONFIG_RULES_H
#define IK_CONFIG_RULES_H

#include "json/scan.h"

#include <stddef.h>

enum ik_rule_action { IK_RULE_ALLOW, IK_RULE_ASK, IK_RULE_DENY };

const char *ik_rule_action_name(enum ik_rule_action action); /* "allow", ... */

struct ik_rule_argument {
	char *name;
	char *glob;
};

struct ik_rule {
	char *tool; /* a glob */
	struct ik_rule_argument *arguments;
	size_t argument_count;
	enum ik_rule_action action;
};

struct ik_rules {
	struct ik_rule *items;
	size_t count;
};

/*
 * Append the rules of list, an array, to *rules. On failure nothing is appended;
 * the error's sentence begins with the rule's number, and *ret_place points to
 * what is wrong (in the text of list).
 */
enum ik_status ik_rules_read(struct ik_rules *rules, struct ik_json_span list,
	const char **ret_place, struct ik_error *error) IK_MUST_USE;

/* Append a copy of a rule. */
void ik_rules_add(struct ik_rules *rules, const struct ik_rule *rule);
/* Take one out. */
void ik_rules_remove(struct ik_rules *rules, size_t index);
/* Is there one like it? */
bool ik_rules_contain(const struct ik_rules *rules, const struct ik_rule *rule);

/* Append a rule as JSON on one line, as it is written in a file. */
void ik_rule_put(struct ik_buf *out, const struct ik_rule *rule);

/* Release all strings; the struct is zero afterwards. */
void ik_rule_done(struct ik_rule *rule);
void ik_rules_done(struct ik_rules *rules);

#endif
