/*
 * session_verb: what every verb of `ikigai session` works with: the open store, the options, and
 * how to report a failure.
 *
 * May include: util, core, store, commands/session_find.h.
 */
#ifndef IK_CLI_SESSION_VERB_H
#define IK_CLI_SESSION_VERB_H

#include "core/options.h"
#include "core/setup.h"
#include "store/store.h"

/* A verb returns a status, with a sentence in error unless it is IK_OK. */
struct ik_session_verb {
	const struct ik_options *options;
	struct ik_setup *setup;
	struct ik_loop *loop;
	struct ik_store *store;
	bool json; /* print JSON Lines instead of text */
	struct ik_error error;
	int signal;        /* that stopped the loop, or 0 */
	bool usage_error;  /* the command line is wrong */
	bool print_failed; /* standard output doesn't accept any more */
};

/* Print the buffer and clear it; a failure is kept in print_failed. */
void ik_cli_session_print(struct ik_session_verb *cli, struct ik_buf *out);
/* Print a sentence on standard output, and free it. */
void ik_cli_session_tell(struct ik_session_verb *cli, char *sentence);
/* Print a sentence on standard error, and free it. */
void ik_cli_session_complain(char *sentence);
/* Fail with a sentence about the command line. */
enum ik_status ik_cli_session_misused(struct ik_session_verb *cli, const char *sentence);

/* Find the session that the first operand names. Free its title and directory. Turns the loop. */
enum ik_status ik_cli_session_find(struct ik_session_verb *cli,
	struct ik_session_info *ret_info) IK_MUST_USE;

#endif
