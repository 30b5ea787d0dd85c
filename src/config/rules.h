/*
 * rules: parse lists of rules about tool calls, as in `policy` of config.json and in policy.json:
 *
 * [{"tool": GLOB, "args": {NAME: GLOB, ...}, "do": "allow" | "ask" | "deny"}, ...]
 *
 * guard/policy.h defines what they mean.
 *
 * Pure. May include: util, json.
 */
#ifndef IK_CONFIG_RULES_H
#define IK_CONFIG_RULES_H

#include "json/scan.h"

#include <stddef.h>

enum ik_rule_action { IK_RULE_ALLOW, IK_RULE_ASK, IK_RULE_DENY };

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
 * Append the rules in list, an array, to *rules. On failure append nothing; the error's sentence
 * begins with the rule's number, and *ret_place points to the faulty part (in the text of list).
 */
enum ik_status ik_rules_read(struct ik_rules *rules, struct ik_json_span list,
	const char **ret_place, struct ik_error *error) IK_MUST_USE;

/* Add an argument to a rule; takes over the strings. */
void ik_rule_add_argument(struct ik_rule *rule, char *name, char *glob);

/* Append a copy of a rule. */
void ik_rules_add(struct ik_rules *rules, const struct ik_rule *rule);
/* Remove the rule at index. */
void ik_rules_remove(struct ik_rules *rules, size_t index);
/* Return the index of an equal rule, or the number of rules if there is none. */
size_t ik_rules_find(const struct ik_rules *rules, const struct ik_rule *rule);

/* Return the action's name, as in "do". */
const char *ik_rule_action_name(enum ik_rule_action action);

/* Append a rule as JSON on one line, as files contain it. */
void ik_rule_put(struct ik_buf *out, const struct ik_rule *rule);

/* Free all strings and zero the struct. */
void ik_rule_done(struct ik_rule *rule);
void ik_rules_done(struct ik_rules *rules);

#endif
