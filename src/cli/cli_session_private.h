/*
 * cli_session_private: what the files of `ikigai session` share.
 */
#ifndef IK_CLI_CLI_SESSION_PRIVATE_H
#define IK_CLI_CLI_SESSION_PRIVATE_H

#include "cli/cli_session.h"
#include "commands/session_taken.h"
#include "commands/session_walk.h"

struct ik_cli_session {
	const struct ik_options *options;
	struct ik_setup *setup;
	struct ik_loop *loop;
	struct ik_store *store;
	struct ik_error error;
	int signal;  /* that ended it; 0: none has */
	bool failed; /* it could not be printed, or was asked for in a wrong way */
	struct ik_buf out;

	bool found;                   /* the search for the session has ended */
	struct ik_session_info info;  /* it; title NULL: none */
	struct ik_taken *taken;       /* nobody else writes to these meanwhile */
	bool json;                    /* lines of JSON, in place of text */
	struct ik_session_info *page; /* of a list */
	size_t page_count;
	size_t count, limit;       /* sessions that were printed, and that may be; 0: all */
	bool enough;               /* there are more of them */
	char (*old)[IK_UUID_TEXT]; /* those that are to be deleted */
	int64_t limit_ms;          /* they were last used before */
};

/* Append a line about a session; print it with a number before it, of one that is printed: of a
 * list of all sessions the number is what --resume takes. */
void ik_cli_session_put_row(const struct ik_session_info *info, struct ik_buf *out);
void ik_cli_session_print_row(struct ik_cli_session *cli, const struct ik_session_info *info);

/* Hand all sessions to a function, newest first. */
enum ik_status ik_cli_session_each(struct ik_cli_session *cli,
	enum ik_status (*take)(struct ik_cli_session *, const struct ik_session_info *));

/* Ask on the terminal, unless --yes was given; a failure says that nothing was deleted. */
enum ik_status ik_cli_session_agree(struct ik_cli_session *cli, const char *question);

/* Delete all that were not used for so many days. */
enum ik_status ik_cli_session_prune(struct ik_cli_session *cli);

/* Import the file that is named. */
enum ik_status ik_cli_session_import(struct ik_cli_session *cli);
/* Search for the words that are named. */
enum ik_status ik_cli_session_search(struct ik_cli_session *cli);

#endif
