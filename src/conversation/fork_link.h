/*
 * fork_link: which session a conversation had another agent work in, and which it was begun from.
 *
 * Both stand in commands ("/fork PROMPT"): in the parent's the child, in the child's, before
 * which all is its parent's, the parent; as a further member of data (conversation/message.h).
 *
 * Pure.  May include: util, json, conversation/message.h.
 */
#ifndef IK_CONVERSATION_FORK_LINK_H
#define IK_CONVERSATION_FORK_LINK_H

#include "conversation/message.h"

enum ik_fork_link { IK_FORK_CHILD, IK_FORK_PARENT };

/* A command with its output that names the session of a child or parent. */
struct ik_message *ik_fork_link_command(const char *line, const char *output,
	enum ik_fork_link link, const char *session);

/* The session that a message names as that; false: none. */
bool ik_fork_link_session(const struct ik_message *message, enum ik_fork_link link,
	char ret_session[IK_UUID_TEXT]);

/* Did the conversation end where nothing was to follow: with a whole reply? The newest messages of
 * it are looked at, those that were said before it was begun from its parent aside. */
bool ik_fork_finished(struct ik_message *const *messages, size_t count);

#endif
