/*
 * update: what an editor is told of a session, as notifications of the protocol.
 *
 * May include: util, json, rpc, conversation, acp/peer.h.
 */
#ifndef IK_ACP_UPDATE_H
#define IK_ACP_UPDATE_H

#include "acp/peer.h"

/* Who is told. */
struct ik_viewer {
	struct ik_peer *peer;
	const char *session;   /* its id, as the editor has it */
	const char *directory; /* that relative paths are below */
	bool shows_notices;    /* as such; otherwise they are text of the agent */
};

/* Begin an update of a kind, "tool_call"; send and release it. */
void ik_update_open(struct ik_buf *out, const struct ik_viewer *viewer, const char *kind);
void ik_update_send(const struct ik_viewer *viewer, struct ik_buf *out);

/* Send a piece of text of a kind, "agent_message_chunk"; message is the id of the message that it
 * belongs to, or NULL. */
void ik_update_text(const struct ik_viewer *viewer, const char *kind, const char *message,
	const char *text, size_t length);

/* Send a sentence of ikigai's own; severity is "info", "warning" or "error". */
void ik_update_notice(const struct ik_viewer *viewer, const char *severity, const char *text,
	size_t length);

/* Append an answer that a question offers. */
void ik_update_put_option(struct ik_buf *out, const char *id, const char *name, const char *kind);

/* Make a code block of a text; word ("": none) says of what. Its fence is longer than any in the text. */
void ik_update_fence(struct ik_buf *text, const char *word);

/* Append the items of a tool call's content (with commas): text, in a block of its own if it is what
 * a program printed; of a long one the end. */
void ik_update_put_text(struct ik_buf *out, const char *text, size_t length, bool printed);

#endif
