/*
 * sandbox_command: what the kernel prevents for tools and what not, in words: for /sandbox
 * (commands.h), the status bar and `ikigai doctor`.
 *
 * May include: util, config, loop/confine.h, guard/sandbox.h, core/setup.h.
 */
#ifndef IK_COMMANDS_SANDBOX_COMMAND_H
#define IK_COMMANDS_SANDBOX_COMMAND_H

#include "core/setup.h"

/* Return what the status bar shows: a static, translated text, or NULL. *ret_strong: it is a
 * warning. */
const char *ik_sandbox_mark(const struct ik_sandbox *sandbox, bool *ret_strong);

/* Append one sentence: the kernel's ABI, and what it lacks. True: it lacks nothing. */
bool ik_sandbox_kernel(struct ik_buf *out);

/* Append the gaps and what else is not held, a line each; nothing where there is none. */
void ik_sandbox_put_gaps(const struct ik_setup *setup, struct ik_buf *out);

#endif
