/*
 * chat: the full-screen program: terminal, screen and session joined.
 *
 * May include: all.
 */
#ifndef IK_APP_CHAT_H
#define IK_APP_CHAT_H

#include "app/options.h"
#include "app/setup.h"

/* Run it; returns the exit status. */
int ik_chat(const struct ik_options *options, struct ik_setup *setup);

#endif
