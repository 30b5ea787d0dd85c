/*
 * sandbox_rules: derive the limits of a sandbox from `policy`, and find the rules that the kernel
 * cannot enforce.
 *
 * Internal to guard/sandbox.h.  May include: util, config, loop/confine.h, guard.
 */
#ifndef IK_GUARD_SANDBOX_RULES_H
#define IK_GUARD_SANDBOX_RULES_H

#include "guard/sandbox.h"

struct ik_sandbox_limits {
	struct ik_sandbox_limit *items;
	size_t count;
	struct ik_sandbox_pattern {
		char *named, *base, *glob; /* the files below base, a canonical path, that match */
		enum ik_confine_left left;
	} * patterns;
	size_t pattern_count;
	struct ik_sandbox_gap *gaps;
	size_t gap_count;
};

/* Both strings are copied. */
void ik_sandbox_limits_add(struct ik_sandbox_limits *limits, const char *named, const char *path,
	enum ik_confine_left left, size_t rule);

/* Does path have a limit like that one? */
bool ik_sandbox_limits_have(const struct ik_sandbox_limits *limits, const char *path,
	const struct ik_sandbox_limit *like);

/* Add the limits of rules (JSON text, or NULL), or their gaps; directory is canonical. */
void ik_sandbox_limits_read(struct ik_sandbox_limits *limits, const char *rules,
	const char *directory, const char *home);

void ik_sandbox_limits_done(struct ik_sandbox_limits *limits);

#endif
