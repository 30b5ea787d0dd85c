/*
 * sandbox_command: what the kernel prevents tools from doing, and what it can't, in words: for
 * /sandbox (commands.h), the status bar and `ikigai doctor`.
 *
 * May include: util, config, loop/confine.h, guard/sandbox.h, core/setup.h.
 */
#ifndef IK_COMMANDS_SANDBOX_COMMAND_H
#define IK_COMMANDS_SANDBOX_COMMAND_H

#include "core/setup.h"

/* Return what the status bar shows: a static, translated text, or NULL. *ret_strong: whether it is
 * a warning. */
const char *ik_sandbox_mark(const struct ik_sandbox *sandbox, bool *ret_strong);

/* Append one sentence: the kernel's ABI, and what it lacks. Return true if it lacks nothing. */
bool ik_sandbox_kernel(struct ik_buf *out);

/* Append what a mode means; of the current one, also what it makes writable and hides, and its
 * gaps. */
void ik_sandbox_text(const struct ik_setup *setup, enum ik_sandbox_mode mode, struct ik_buf *out);

/* Append the gaps and everything else that is not enforced, a line each; nothing if there are
 * none. */
void ik_sandbox_put_gaps(const struct ik_setup *setup, struct ik_buf *out);

#endif
