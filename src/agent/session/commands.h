/*
 * commands: a session's tools as commands for the processes of its calls.
 *
 * A call that runs commands (bash) finds each tool as a program at the end of its PATH: a symbolic
 * link to libexec/command/ikigai-tool in a private directory, which also has a socket. The program
 * passes its words on with the key of its call (COMMANDS_VARIABLE, known to the processes of that
 * call alone, and good only while it runs); this reads them (tool/command_line.h), has the call
 * made, and answers with what the program prints. A message is one line of JSON-RPC:
 *
 *     run {"key","name","words":[...],"input"}   input only if it was asked for; name "": list tools
 *     -> {"stdout","stderr","status"} or {"input":true}: send it again with standard input
 *
 * The directory is made by the first such call. What a killed ikigai leaves is removed by the next
 * one: a live one holds a lock on its directory.
 *
 * Owns the directory and the connections. May include: util, json, rpc, loop, tool.
 */
#ifndef IK_AGENT_SESSION_COMMANDS_H
#define IK_AGENT_SESSION_COMMANDS_H

#include "loop/loop.h"
#include "tool/registry.h"
#include "tool/run.h"

/* KEY:DIRECTORY. */
#define IK_COMMANDS_VARIABLE "IKIGAI_TOOLS"

struct ik_commands;
/* A program that waits for the result of its call. */
struct ik_command;

struct ik_commands_options {
	struct ik_loop *loop;
	const char *root;    /* the private directory is made in it; made itself if missing; borrowed */
	const char *program; /* libexec/command/ikigai-tool; borrowed */
	/* Make a call for a process of the call that has this key. Return the call, whose result is
	 * then passed to ik_command_done(), perhaps at once; NULL: no running call has the key, or
	 * *ret_wrong (static) says what is wrong. */
	void *(*start)(void *arg, const char *key, struct ik_command *command, const char *name,
		struct ik_json_span arguments, const char **ret_wrong);
	/* Does a running call have this key? */
	bool (*knows)(void *arg, const char *key);
	/* The process has ended: cancel its call. */
	void (*cancel)(void *arg, void *call);
	void *arg;
};

/* Make the directory. Return NULL, with a sentence in the log, if that is impossible. */
struct ik_commands *ik_commands_new(const struct ik_commands_options *options);
/* Remove it. No call of a command may be running. Takes NULL. Returns NULL. */
struct ik_commands *ik_commands_close(struct ik_commands *commands);

/* Close all connections, since no call with a key runs any more. */
void ik_commands_hang_up(struct ik_commands *commands);

/* Use these tools (adding a reference). */
void ik_commands_set_registry(struct ik_commands *commands, struct ik_registry *registry);

/* Return environment with what processes of the call with this key need; release it with free(),
 * then the two texts. */
const char **ik_commands_environment(const struct ik_commands *commands, const char *key,
	const char *const *environment, char *ret_texts[2]);

/* Return the descriptor that these processes need where they may not make sockets (IK_SPAWN_DOOR):
 * through it, they pass one end of a pair of their own. */
int ik_commands_door(const struct ik_commands *commands);

/* Answer a command. */
void ik_command_done(struct ik_command *command, const struct ik_run_result *result);

#endif
