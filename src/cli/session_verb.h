/*
 * session_verb: the verbs of `ikigai session`, and what they share: finding, listing and printing
 * sessions.
 *
 * They use the open store in struct ik_cli. May include: util, json, core, store, commands,
 * tui/text/quantity.h.
 */
#ifndef IK_CLI_SESSION_VERB_H
#define IK_CLI_SESSION_VERB_H

#include "cli/cli.h"
#include "store/store.h"

/* Fail with a sentence about invalid usage of the command line. */
enum ik_status ik_cli_session_misused(struct ik_cli *cli, const char *sentence);

/* Append a session as a row of text without a number (with its owner for --everybody), or as a line
 * of JSON. */
void ik_cli_session_put_row(const struct ik_cli *cli, const struct ik_session_info *info,
	struct ik_buf *out);
void ik_cli_session_put_json(const struct ik_session_info *info, struct ik_buf *out);
/* Print a session as a row that begins with a number. */
void ik_cli_session_print_row(struct ik_cli *cli, size_t number,
	const struct ik_session_info *info);

/* Call a function for every session of the user (for --everybody, of all users), newest first,
 * until it returns false. It must not run the loop, because this function does. */
typedef bool ik_cli_session_visitor(void *arg, const struct ik_session_info *info);
enum ik_status ik_cli_session_each(struct ik_cli *cli, ik_cli_session_visitor *visit,
	void *arg) IK_MUST_USE;

/* Find the session that the first operand names. The caller frees its title and directory. Runs the
 * loop. */
enum ik_status ik_cli_session_find(struct ik_cli *cli,
	struct ik_session_info *ret_info) IK_MUST_USE;

/* The verbs: show and export are in session_export.c, backup and recover in cli_session.c, the
 * others in files named after them. Each returns a status, with a sentence in cli->error unless it
 * is IK_OK. */
enum ik_status ik_cli_session_list(struct ik_cli *cli) IK_MUST_USE;
enum ik_status ik_cli_session_show(struct ik_cli *cli) IK_MUST_USE;
enum ik_status ik_cli_session_export(struct ik_cli *cli) IK_MUST_USE;
enum ik_status ik_cli_session_import(struct ik_cli *cli) IK_MUST_USE;
enum ik_status ik_cli_session_search(struct ik_cli *cli) IK_MUST_USE;
enum ik_status ik_cli_session_delete(struct ik_cli *cli) IK_MUST_USE;

#endif
