/*
 * effect: what the turn wants done, one closed list.
 *
 * The state machine (agent/turn/turn.h) decides, and its owner carries it out at once.
 *
 * May include: util, json, conversation.
 */
#ifndef IK_AGENT_TURN_EFFECT_H
#define IK_AGENT_TURN_EFFECT_H

#include "conversation/event.h"

enum ik_effect_kind {
	IK_EFFECT_APPEND,      /* store event's message, add it to the conversation, then tell event */
	IK_EFFECT_EMIT,        /* tell event */
	IK_EFFECT_REQUEST,     /* ask the model, again and again if it fails; forbid_calls: it may not
	                          call */
	IK_EFFECT_ABORT,       /* end that request, silently */
	IK_EFFECT_RUN,         /* tell event (IK_EVENT_TOOL_STARTED), then run that tool: call */
	IK_EFFECT_CANCEL_RUNS, /* end the runs; each still reports IK_INPUT_TOOL_DONE */
	IK_EFFECT_CLOSE_RUNS   /* drop the runs; none reports */
};

/* All is borrowed while it is carried out. */
struct ik_effect {
	enum ik_effect_kind kind;
	struct ik_event event; /* its round is that of every effect */
	int request;           /* number to give back with its inputs */
	bool forbid_calls;
	int call; /* number to give back with the envelope */
};

#endif
