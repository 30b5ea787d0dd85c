/*
 * session: a conversation of an editor: a running ikigai with its own directory, configuration and
 * mode, whose events the editor is told, and whose prompts it sends.
 *
 * Each session has a whole struct ik_core, since mode, rules, tools and configuration are those of
 * one directory and one conversation. They share the database, as several chats do.
 *
 * Owns the core and the prompts. May include: all but tui and the other front ends.
 */
#ifndef IK_ACP_SESSION_H
#define IK_ACP_SESSION_H

#include "acp/peer.h"
#include "commands/action.h"

struct ik_editor_session;

enum ik_opening { IK_OPENING_NEW, IK_OPENING_LOAD, IK_OPENING_RESUME };

struct ik_editor_options {
	struct ik_loop *loop;
	struct ik_peer *peer;
	const struct ik_options *options;  /* of the command line */
	const struct ik_action_row *rows;  /* of the commands */
	ik_custom_name_is_taken *is_taken; /* by one of them */
	struct ik_json_span capabilities;  /* of the editor: checked JSON, or no value */
};

/* Open a session for a request with these params, which is answered now or later. Return NULL if it
 * was refused. The strings of options are borrowed. */
struct ik_editor_session *ik_editor_session_open(const struct ik_editor_options *options,
	enum ik_opening opening, struct ik_json_span request, struct ik_json_span params);
/* Store what was said and end what runs. Prompts are answered as cancelled, and so is the request that
 * opens the session. Returns NULL. */
struct ik_editor_session *ik_editor_session_close(struct ik_editor_session *session);

/* Return the id by which the editor knows it; "" while that is not known. */
const char *ik_editor_session_id(const struct ik_editor_session *session);
bool ik_editor_session_is_busy(const struct ik_editor_session *session);

/* Do what is due at the end of a turn of the loop. Return false if the session is to be closed, since
 * it could not be opened. */
bool ik_editor_session_turn(struct ik_editor_session *session);

/* Requests, answered now or later. */
void ik_editor_session_prompt(struct ik_editor_session *session, struct ik_json_span request,
	struct ik_json_span params);
void ik_editor_session_set_mode(struct ik_editor_session *session, struct ik_json_span request,
	struct ik_json_span params);
void ik_editor_session_set_option(struct ik_editor_session *session, struct ik_json_span request,
	struct ik_json_span params);

/* Cancel all prompts, or (request) the one with that id. Return false if there is none. */
bool ik_editor_session_cancel(struct ik_editor_session *session, struct ik_json_span request);

#endif
