/*
 * cli: what the commands without a screen work with, how they wait, and how they print.
 *
 * A command is plain code from top to bottom.  It starts something, and its callback stops the
 * loop when that has ended; ik_cli_wait() turns the loop until then.  SIGINT, SIGTERM and SIGHUP end
 * every wait, and with it the command.
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
	struct ik_signal *signals[IK_CLI_SIGNALS];
	char **environment; /* for tools */
	struct ik_discovery *discovery;
	struct ik_store *store; /* NULL until it is opened */
	struct ik_error error;  /* why a verb of session failed */
	struct ik_progress progress;
	int64_t shown_ms;    /* when that was printed last */
	size_t shown_length; /* of it on the terminal; 0: it is not there */
	int64_t done, all;   /* events of all sessions that a verb is about; all is 0: of one */
	int signal;          /* that ended the waiting, or 0 */
	bool misused;        /* the command line is wrong */
	bool failed;         /* the loop could not run, or standard output takes nothing more */
};

/* Make the loop, and watch the signals. False, with a message, if that fails. */
bool ik_cli_open(struct ik_cli *cli, const struct ik_options *options, struct ik_setup *setup);
/* Release all, and return the exit status: status, unless a signal or a failure ended the command. */
int ik_cli_close(struct ik_cli *cli, int status);

/* Watch the signals that end a command, except those that the parent (nohup, a shell's background)
 * ignores. */
void ik_cli_watch_signals(struct ik_loop *loop, struct ik_signal *signals[IK_CLI_SIGNALS],
	void (*fn)(void *arg, int number), void *arg);
void ik_cli_close_signals(struct ik_signal *signals[IK_CLI_SIGNALS]);

/* Turn the loop until a callback stops it. False: the command has to end. */
bool ik_cli_wait(struct ik_cli *cli) IK_MUST_USE;
/* Stop the loop: a callback for whatever just ends. */
void ik_cli_go_on(void *cli);

/* Scan all tools; again: those that failed are asked whatever the cache says. Return the registry
 * (borrowed until the next scan); NULL: the command has to end. */
struct ik_registry *ik_cli_scan(struct ik_cli *cli, bool again);
/* For a discovery of the caller's own, given to cli before its first scan. */
extern const struct ik_discovery_events ik_cli_scan_events;

/* Print on standard output. A failure is said once, and nothing is printed after it. */
void ik_cli_print(struct ik_cli *cli, const char *format, ...) IK_PRINTF(2, 3);
/* The same for a buffer, which is cleared. */
void ik_cli_print_buf(struct ik_cli *cli, struct ik_buf *out);

/* Show on standard error how far work is (tui/text/progress.h), or that it has ended: on a terminal a
 * line that is written anew, else a line now and then. */
void ik_cli_show(struct ik_cli *cli, const char *work, int64_t done, int64_t of);
/* The same from outside the loop, which is turned now and then. False: the command has to end. */
bool ik_cli_progress(struct ik_cli *cli, const char *work, int64_t done, int64_t of) IK_MUST_USE;
/* Remove that line from the terminal. */
void ik_cli_erase(struct ik_cli *cli);

/* Report warnings about the configuration and the places. */
void ik_cli_warn(const struct ik_setup *setup);

/* ---- the commands; each returns the exit status ---- */

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
