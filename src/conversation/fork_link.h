/*
 * fork_link: links between a forked session and its parent.
 *
 * Each is a command ("/fork PROMPT") with an additional member of data (conversation/message.h).
 * The one in the parent's session names the child. The one in the child's session names the parent;
 * everything before it comes from the parent.
 *
 * Pure. May include: util, json, conversation/message.h.
 */
#ifndef IK_CONVERSATION_FORK_LINK_H
#define IK_CONVERSATION_FORK_LINK_H

#include "conversation/message.h"

enum ik_fork_link { IK_FORK_CHILD, IK_FORK_PARENT };

/* Make a command, with its output, that names the child's or parent's session. */
struct ik_message *ik_fork_link_command(const char *line, const char *output,
	enum ik_fork_link link, const char *session);

/* Read the session that a message links to. Return false if it has no such link. */
bool ik_fork_link_session(const struct ik_message *message, enum ik_fork_link link,
	char ret_session[IK_UUID_TEXT]);

/* Does the conversation end with a complete reply? Only examines the newest messages, and none that
 * come from the parent. */
bool ik_fork_finished(struct ik_message *const *messages, size_t count);

#endif
