/*
 * chat: the full-screen program: terminal, screen and session joined.
 *
 * May include: all.
 */
#ifndef IK_CHAT_CHAT_H
#define IK_CHAT_CHAT_H

#include "core/options.h"
#include "core/setup.h"

/* Run it; returns the exit status. */
int ik_chat_run(const struct ik_options *options, struct ik_setup *setup);

#endif
