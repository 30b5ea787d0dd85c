/*
 * sandbox_command: what /sandbox does: shows what the kernel holds and what not, and
 * changes the mode; the same in a line for `ikigai doctor`.
 *
 * May include: util, config, loop/confine.h, guard/sandbox.h, core/setup.h.
 */
#ifndef IK_COMMANDS_SANDBOX_COMMAND_H
#define IK_COMMANDS_SANDBOX_COMMAND_H

#include "core/setup.h"

/* Do what rest (behind "/sandbox ") says. Appends the answer. True: the mode is another now. */
bool ik_sandbox_command(const struct ik_setup *setup, const char *rest, struct ik_buf *out);

/* What stands in the status bar: static text, translated; NULL: nothing. *ret_strong: it is
 * something to worry about. */
const char *ik_sandbox_mark(const struct ik_sandbox *sandbox, bool *ret_strong);

/* Append one sentence: the kernel's ABI, and what it lacks. True: it lacks nothing. */
bool ik_sandbox_kernel(struct ik_buf *out);

/* Append the gaps and what else is not held, a line each; nothing where there is none. */
void ik_sandbox_put_gaps(const struct ik_setup *setup, struct ik_buf *out);

#endif
