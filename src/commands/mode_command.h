/*
 * mode_command: what /mode does: shows modes and rules, changes the mode, takes
 * back what was kept.
 *
 * May include: util, json, config, guard/policy.h, core/policy_file.h.
 */
#ifndef IK_COMMANDS_MODE_COMMAND_H
#define IK_COMMANDS_MODE_COMMAND_H

#include "guard/policy.h"

/* Do what rest (behind "/mode ") says; path is that of policy.json, or NULL. Appends
 * the answer. True: mode or rules are others now. */
bool ik_mode_command(struct ik_policy *policy, const char *path, const char *rest,
	struct ik_buf *out);

#endif
