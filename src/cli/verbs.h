/*
 * verbs: the commands without a screen.  Each returns the exit status, and is a file with that name.
 *
 * May include: core.
 */
#ifndef IK_CLI_VERBS_H
#define IK_CLI_VERBS_H

#include "core/options.h"
#include "core/setup.h"

/* exec.c: one turn without a terminal. Answers go to standard output, everything else to standard
 * error. Status: 0 the reply is complete; 1 it failed; 74 it is not in the database (--require-store);
 * 75 the session is open elsewhere; 128 + N ended by signal N. */
int ik_exec(const struct ik_options *options, struct ik_setup *setup);
/* Print on standard output, for --json, that the command line or configuration is wrong. */
void ik_exec_refuse(const struct ik_options *options, const char *sentence);

/* cli_tool.c: `ikigai tool list|show|run` and `ikigai config` */
int ik_cli_tool(const struct ik_options *options, struct ik_setup *setup);
int ik_cli_config(const struct ik_options *options, struct ik_setup *setup);

/* cli_validate.c: `ikigai tool validate PATH...`: run executables, and say all that is wrong with
 * them as tools. */
int ik_cli_validate(const struct ik_options *options, struct ik_setup *setup);

/* cli_tool_new.c: `ikigai tool new NAME`: write a tool to begin with. */
int ik_cli_tool_new(const struct ik_options *options, struct ik_setup *setup);

/* cli_trust.c: `ikigai tool trust [--revoke] [DIR]` */
int ik_cli_trust(const struct ik_options *options, struct ik_setup *setup);

/* cli_session.c: `ikigai session ...`; its verbs are the files session_*.c. */
int ik_cli_session(const struct ik_options *options, struct ik_setup *setup);

/* doctor.c: `ikigai doctor`: check everything that a conversation needs. No check runs
 * anything untrusted, shows a key, or changes more than opening the database does. */
int ik_doctor(const struct ik_options *options, struct ik_setup *setup);

#endif
