/*
 * policy_file: policy.json in the home, the rules that the person keeps for good.
 *
 * A list of rules that allow (config/rules.h), written as a whole, so that a
 * reader finds the old one or the new one; // comments may stand in it, but are
 * gone when a rule is kept or taken back.
 *
 * May include: util, json, config.
 */
#ifndef IK_CORE_POLICY_FILE_H
#define IK_CORE_POLICY_FILE_H

#include "config/rules.h"

/*
 * Read the rules of path (NULL: there is no home) in place of those in *rules. No
 * file: none. One that says something wrong is put aside under another name, and the
 * error says so, and why; one that cannot be read stays. *rules is empty then.
 */
enum ik_status ik_policy_file_read(const char *path, struct ik_rules *rules,
	struct ik_error *error) IK_MUST_USE;

/* Keep a rule, or take back the one of that index: the file is read again, so that
 * what another ikigai wrote stays; *rules is what it holds then. One that cannot be
 * read is not written over. */
enum ik_status ik_policy_file_keep(const char *path, const struct ik_rule *rule,
	struct ik_rules *rules, struct ik_error *error) IK_MUST_USE;
enum ik_status ik_policy_file_forget(const char *path, size_t index, struct ik_rules *rules,
	struct ik_error *error) IK_MUST_USE;

#endif
