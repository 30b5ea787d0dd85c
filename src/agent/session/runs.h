/*
 * runs: what is at work: calls of tools, the model's and the user's own (/run), and the user's own
 * commands ("!COMMAND").
 *
 * A call of the model's waits for a slot (agent/slots.h), an own one for the tools; then each
 * waits until what it is about to overwrite is recorded and, if it may change something, until what
 * was said so far is on disk (a second at most).  A result of the model's call goes to the turn; an
 * own call is told and stored here.
 *
 * A command runs in /bin/sh in the session's directory, with the environment of tools, without a
 * time limit or a terminal.  It is told like an own call of the name IK_OWN_COMMAND, and stored as a
 * command whose line begins with "!".
 *
 * Owns the runs.  May include: util, conversation, loop, store, tool, agent/slots.h, agent/turn/turn.h,
 * agent/session/record.h, agent/session/undo_recorder.h.
 */
#ifndef IK_AGENT_SESSION_RUNS_H
#define IK_AGENT_SESSION_RUNS_H

#include "agent/session/record.h"
#include "agent/session/undo_recorder.h"
#include "agent/slots.h"
#include "agent/turn/turn.h"
#include "tool/run.h"

struct ik_runs;

/* All borrowed. */
struct ik_runs_options {
	struct ik_session_record *record;
	struct ik_undo_recorder *recorder;
	struct ik_slots *slots;    /* NULL: no limit */
	struct ik_run_options run; /* for every call */
	/* A call of the model's has ended: IK_INPUT_TOOL_DONE. */
	void (*done)(void *arg, const struct ik_input *input);
	void *arg;
};

struct ik_runs *ik_runs_new(const struct ik_runs_options *options);
/* The model's are silent at once; the user's end as cancelled, and are stored. */
struct ik_runs *ik_runs_close(struct ik_runs *runs);

/* The tools from now on (borrowed); ready: own calls that waited for them start. */
void ik_runs_set_registry(struct ik_runs *runs, struct ik_registry *registry, bool ready);

/* Start a call of IK_EFFECT_RUN; the tool gets the arguments. */
void ik_runs_start(struct ik_runs *runs, const struct ik_effect *effect,
	struct ik_json_span arguments);
/* Start an own call, told in round 0 and stored as a command. */
void ik_runs_start_own(struct ik_runs *runs, const char *name, struct ik_json_span arguments);
/* Start a command of the user's. */
void ik_runs_start_command(struct ik_runs *runs, const char *command);

bool ik_runs_is_empty(const struct ik_runs *runs);
/* Cancel the model's (own: the user's); each still ends as usual. */
void ik_runs_cancel(struct ik_runs *runs, bool own);
/* Drop the model's. */
void ik_runs_drop(struct ik_runs *runs);

#endif
