/*
 * cli: what the commands without a screen share: waiting, printing and progress.
 *
 * A command is plain code from top to bottom. It starts something whose callback stops the loop at
 * the end; ik_cli_wait() runs the loop until then. SIGINT, SIGTERM and SIGHUP end every wait, and
 * the command with it.
 *
 * May include: all but tui/screen.
 */
#ifndef IK_CLI_CLI_H
#define IK_CLI_CLI_H

#include "core/core.h"
#include "tui/text/progress.h"

enum { IK_CLI_SIGNALS = 3 };

struct ik_cli {
	const struct ik_options *options;
	struct ik_setup *setup;
	struct ik_loop *loop;
	struct ik_watch *signals[IK_CLI_SIGNALS];
	void (*interrupted)(struct ik_cli *cli); /* handles a signal; NULL: it ends the wait */
	char **environment;                      /* for tools */
	struct ik_discovery *discovery;
	struct ik_store *store; /* NULL until opened */
	struct ik_error error;  /* why a verb of `ikigai session` failed */
	struct ik_progress progress;
	int64_t shown_ms;    /* when the progress was last printed */
	size_t shown_length; /* columns of the progress on the terminal; 0: none is shown */
	int64_t done, all;   /* events of all sessions that a verb handles; all is 0 for a single
	                        session */
	int signal;          /* the signal that ended the wait, or 0 */
	bool scanning;       /* the wait is for a scan */
	bool misused;        /* the command line is wrong */
	bool failed;         /* the loop could not run, or standard output failed */
};

/* Make the loop and watch the signals. Return false, after a message, if that fails. */
bool ik_cli_open(struct ik_cli *cli, const struct ik_options *options, struct ik_setup *setup);
/* Release everything. Return the exit status: status, unless a signal or a failure ended the
 * command. */
int ik_cli_close(struct ik_cli *cli, int status);

/* Run the loop until a callback stops it. Return false if the command must end. */
bool ik_cli_wait(struct ik_cli *cli) IK_MUST_USE;
/* Stop the loop. Serves as the callback of whatever the command waits for. */
void ik_cli_go_on(void *cli);

/* Scan all tools; with again, also retry those that failed, despite the cache. Return the registry
 * (borrowed until the next scan), or NULL if the command must end. */
struct ik_registry *ik_cli_scan(struct ik_cli *cli, bool again);
/* For the caller's own discovery, which it gives to cli before the first scan. */
extern const struct ik_discovery_events ik_cli_scan_events;

/* Print on standard output. After a failure, which is reported once, nothing more is printed. */
void ik_cli_print(struct ik_cli *cli, const char *format, ...) IK_PRINTF(2, 3);
/* Print a buffer in the same way, and clear it. */
void ik_cli_print_buf(struct ik_cli *cli, struct ik_buf *out);

/* Show the progress of work on standard error (tui/text/progress.h), or its end (work is NULL): on
 * a terminal a line that is overwritten, elsewhere a line from time to time. */
void ik_cli_show(struct ik_cli *cli, const char *work, int64_t done, int64_t of);
/* Show progress from code outside the loop, and run the loop from time to time. Return false if the
 * command must end. */
bool ik_cli_progress(struct ik_cli *cli, const char *work, int64_t done, int64_t of) IK_MUST_USE;
/* Remove the progress from the terminal. */
void ik_cli_erase(struct ik_cli *cli);

/* Report warnings about the configuration and ikigai's directories. */
void ik_cli_warn(const struct ik_setup *setup);
/* Report what was skipped because it isn't trusted; registry is NULL if tools don't matter. */
void ik_cli_warn_of_trust(const struct ik_setup *setup, const struct ik_registry *registry);

/* ---- the verbs ---- */

/* Run a verb, and return the exit status. */
typedef int ik_cli_verb(const struct ik_options *options, struct ik_setup *setup);

/* exec.c: run one turn without a terminal. Replies go to standard output, everything else to
 * standard error. Status: 0 the reply is complete; 1 it failed; 74 it is not in the database
 * (--require-store); 75 the session is open elsewhere; 128 + N ended by signal N. */
ik_cli_verb ik_exec;
/* Report, on standard output for --json, that the command line or configuration is invalid. */
void ik_exec_refuse(const struct ik_options *options, const char *sentence);

/* cli_tool.c: `ikigai tool list|show|run` and `ikigai config [set]` */
ik_cli_verb ik_cli_tool, ik_cli_config, ik_cli_config_set;
/* cli_hook.c: `ikigai hook list`; cli_model.c: `ikigai model list|show` */
ik_cli_verb ik_cli_hook, ik_cli_model;
/* cli_mcp.c: `ikigai mcp list|add|remove|test` */
ik_cli_verb ik_cli_mcp;
/* cli_validate.c: `ikigai tool validate PATH...`: run executables and report every problem they
 * have as tools. cli_tool_new.c: `ikigai tool new NAME`: write a new tool from a template. */
ik_cli_verb ik_cli_validate, ik_cli_tool_new;
/* cli_trust.c: `ikigai tool trust [--revoke] [DIR]` */
ik_cli_verb ik_cli_trust;
/* cli_session.c: `ikigai session ...`; its verbs are the files session_*.c. */
ik_cli_verb ik_cli_session;
/* doctor.c: `ikigai doctor`: check everything that a conversation needs. No check runs anything
 * untrusted, shows a key, or changes more than opening the database does. */
ik_cli_verb ik_doctor;

/* cli_complete.c: complete a command line in a shell (core/options.h): print what its last word can
 * be, a line each: the word, a tab, and what it means. The line "TAB files" or "TAB directories" asks
 * the shell for its own. Only the setup, the store or the tools that the word needs are read, and
 * for a second and a half at most (the end of a store that doesn't answer takes longer). */
int ik_cli_complete(int argc, char **argv);

#endif
