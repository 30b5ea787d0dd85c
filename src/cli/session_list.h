/*
 * session_list: `ikigai session list`, and sessions as rows of text or lines of JSON.
 *
 * May include: util, json, core, store, commands/session_walk.h, tui/text/quantity.h.
 */
#ifndef IK_CLI_SESSION_LIST_H
#define IK_CLI_SESSION_LIST_H

#include "cli/session_verb.h"

enum ik_status ik_cli_session_list(struct ik_session_verb *cli) IK_MUST_USE;

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

#endif
