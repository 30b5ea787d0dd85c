/*
 * policy_file: policy.json in the home, the rules that the user saved.
 *
 * A list of rules that allow calls (config/rules.h). It is replaced atomically, so that a reader
 * finds the old or the new one. It may contain // comments, but saving or removing a rule drops
 * them.
 *
 * May include: util, json, config.
 */
#ifndef IK_CORE_POLICY_FILE_H
#define IK_CORE_POLICY_FILE_H

#include "config/rules.h"

/* Replace *rules by those in the file path (NULL: no home). A missing file means no rules. An
 * invalid file is renamed, and the error says so and why; an unreadable file stays. In both cases
 * rules is then empty. */
enum ik_status ik_policy_file_read(const char *path, struct ik_rules *rules,
	struct ik_error *error) IK_MUST_USE;

/* Save a rule, or remove the rule at index. The file is read again first, so that what another
 * ikigai wrote is preserved; *rules is set to the new content. An unreadable file isn't
 * overwritten. */
enum ik_status ik_policy_file_keep(const char *path, const struct ik_rule *rule,
	struct ik_rules *rules, struct ik_error *error) IK_MUST_USE;
enum ik_status ik_policy_file_forget(const char *path, size_t index, struct ik_rules *rules,
	struct ik_error *error) IK_MUST_USE;

#endif
