/*
 * chat_trust: the question whether what a project brought is to be trusted.
 *
 * Asked on the screen after a scan that left something out; meanwhile the chat
 * goes on with the tools that it has.
 *
 * May include: all.
 */
#ifndef IK_CHAT_CHAT_TRUST_H
#define IK_CHAT_CHAT_TRUST_H

#include "chat/chat_private.h"

struct ik_chat_trust;

/* A scan ended: ask about what it left out, unless that was answered before. An answer
 * that trusts something starts another scan. */
void ik_chat_trust_ask(struct ik_chat *chat, const struct ik_registry *registry);

/* The person looks for tools anew: what was put off is asked again after the scan. */
void ik_chat_trust_again(struct ik_chat *chat);

/* Takes and returns NULL. */
struct ik_chat_trust *ik_chat_trust_free(struct ik_chat_trust *trust);

#endif
