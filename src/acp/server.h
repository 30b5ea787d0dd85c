/*
 * server: the methods of the Agent Client Protocol, version 1.
 *
 * Written after agentclientprotocol.com and its schema 1.21. Knows the sessions of one editor.
 *
 * Owns the peer and the sessions. May include: all but tui and the other front ends.
 */
#ifndef IK_ACP_SERVER_H
#define IK_ACP_SERVER_H

#include "commands/action.h"

/* Serve the program that started us, until standard input ends: `ikigai acp`. rows are the commands;
 * is_taken says whether one has a name. Return the exit status. */
int ik_acp_serve(const struct ik_options *options, struct ik_setup *setup,
	const struct ik_action_row *rows, ik_custom_name_is_taken *is_taken);

#endif
