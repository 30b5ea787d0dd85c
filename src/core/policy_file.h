/*
 * policy_file: policy.json in the home, the rules that the user keeps for good.
 *
 * A list of rules that allow (config/rules.h).  It is replaced as a whole, so that a reader
 * finds the old or the new one.  It may contain // comments, but keeping or forgetting a rule
 * drops them.
 *
 * May include: util, json, config.
 */
#ifndef IK_CORE_POLICY_FILE_H
#define IK_CORE_POLICY_FILE_H

#include "config/rules.h"

/*
 * Replace *rules by those of path (NULL: there is no home). A missing file means no rules. An
 * invalid file is renamed, and the error says so and why; a file that can't be read stays. Then
 * *rules is empty.
 */
enum ik_status ik_policy_file_read(const char *path, struct ik_rules *rules,
	struct ik_error *error) IK_MUST_USE;

/* Keep a rule, or forget the one at index. The file is read again first, so that what another
 * ikigai wrote stays; *rules is the new content. A file that can't be read isn't overwritten. */
enum ik_status ik_policy_file_keep(const char *path, const struct ik_rule *rule,
	struct ik_rules *rules, struct ik_error *error) IK_MUST_USE;
enum ik_status ik_policy_file_forget(const char *path, size_t index, struct ik_rules *rules,
	struct ik_error *error) IK_MUST_USE;

#endif
