/*
 * session_verb: the verbs of `ikigai session`, and what they work with: the open store, the options,
 * how to report a failure, how to find, list and print sessions.
 *
 * May include: util, json, core, store, commands, tui/text/quantity.h.
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

/* Append a session as a row of text, without a number; as a line of JSON. */
void ik_cli_session_put_row(const struct ik_session_info *info, struct ik_buf *out);
void ik_cli_session_put_json(const struct ik_session_info *info, struct ik_buf *out);
/* Print a session as a row that begins with a number. */
void ik_cli_session_print_row(struct ik_session_verb *cli, size_t number,
	const struct ik_session_info *info);

/* Call a function for every session, newest first, until it returns false. Turns the loop. */
typedef bool ik_cli_session_visitor(void *arg, const struct ik_session_info *info);
enum ik_status ik_cli_session_each(struct ik_session_verb *cli, ik_cli_session_visitor *visit,
	void *arg) IK_MUST_USE;

/* Find the session that the first operand names. Free its title and directory. Turns the loop. */
enum ik_status ik_cli_session_find(struct ik_session_verb *cli,
	struct ik_session_info *ret_info) IK_MUST_USE;

/* The verbs: list, here; show and export in session_export.c, the others in files of their names. */
enum ik_status ik_cli_session_list(struct ik_session_verb *cli) IK_MUST_USE;
enum ik_status ik_cli_session_show(struct ik_session_verb *cli) IK_MUST_USE;
enum ik_status ik_cli_session_export(struct ik_session_verb *cli) IK_MUST_USE;
enum ik_status ik_cli_session_import(struct ik_session_verb *cli) IK_MUST_USE;
enum ik_status ik_cli_session_search(struct ik_session_verb *cli) IK_MUST_USE;
enum ik_status ik_cli_session_delete(struct ik_session_verb *cli) IK_MUST_USE;

#endif
