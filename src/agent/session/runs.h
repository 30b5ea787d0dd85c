/*
 * runs: running tool calls, the model's and the user's (/run), and the user's shell commands
 * ("!COMMAND").
 *
 * A model's call waits for a slot (agent/slots.h), a user's call for the tools. Then each waits
 * until what it is about to overwrite is recorded and, if it may change something, until the
 * conversation so far is on disk (at most a second). The result of a model's call goes to the turn;
 * a user's call is emitted and stored here.
 *
 * The processes of a call of a tool that runs commands can call tools, too
 * (agent/session/commands.h). Such a call is the user's or the model's like its parent. It is
 * judged, recorded and emitted like any other, and ends at the latest with its parent. It takes no
 * slot, since its parent waits for it, but at most eight of one parent run at once. It is stored
 * like a user's call, which no model gets: the result goes to the process.
 *
 * A shell command of the user's runs in /bin/sh in the session's directory, with the environment of
 * tools, without a time limit or a terminal. It is emitted like a user's call named IK_OWN_COMMAND,
 * and stored as a command whose line begins with "!".
 *
 * Owns the runs. May include: util, conversation, loop, store, tool, agent/slots.h,
 * agent/turn/turn.h, agent/session: record.h, undo_recorder.h, hooked.h.
 */
#ifndef IK_AGENT_SESSION_RUNS_H
#define IK_AGENT_SESSION_RUNS_H

#include "agent/session/hooked.h"
#include "agent/session/record.h"
#include "agent/session/undo_recorder.h"
#include "agent/slots.h"
#include "agent/turn/turn.h"
#include "tool/run.h"

struct ik_runs;

/*
 * Prepares what a call is about, right before what it may overwrite is recorded and its tool starts:
 * a file that an editor has not saved.
 */
struct ik_preparation;
/* The call may start, with these arguments (no value: its own). */
typedef void ik_prepared(void *arg, struct ik_json_span arguments);
struct ik_preparer {
	/* Return NULL if there is nothing to prepare; else ready is called later, once. */
	struct ik_preparation *(*start)(void *arg, const struct ik_tool *tool,
		struct ik_json_span arguments, ik_prepared *ready, void *ready_arg);
	/* The call has ended, or was cancelled: ready is not called any more. */
	void (*close)(struct ik_preparation *preparation);
};

/* Everything is borrowed. */
struct ik_runs_options {
	struct ik_session_record *record;
	struct ik_undo_recorder *recorder;
	struct ik_hooked *hooked;           /* is told how calls end, except the user's own */
	struct ik_slots *slots;             /* NULL: no limit */
	struct ik_run_options run;          /* for every call */
	const struct ik_preparer *preparer; /* NULL: nobody */
	void *preparer_arg;
	/* Private directory for commands (agent/session/commands.h), and their program; root NULL: there
	 * are no commands. */
	const char *commands_root, *commands_program;
	/* Judge a call that a process of another call makes, as in agent/turn/turn.h; its number is
	 * negative. */
	enum ik_turn_verdict (*judge)(void *arg, const struct ik_judged_call *call, char **ret_text);
	/* Called when a model's call has ended: IK_INPUT_TOOL_DONE. */
	void (*done)(void *arg, const struct ik_input *input);
	void *arg;
};

struct ik_runs *ik_runs_new(const struct ik_runs_options *options);
/* End all runs: the model's calls report nothing more; the user's end as cancelled and are stored.
 * Takes NULL. Returns NULL. */
struct ik_runs *ik_runs_close(struct ik_runs *runs);

/* Set the tools from now on (borrowed). If ready, start the user's calls that waited for them. */
void ik_runs_set_registry(struct ik_runs *runs, struct ik_registry *registry, bool ready);

/* Start the call of an IK_EFFECT_RUN; the tool gets arguments. */
void ik_runs_start(struct ik_runs *runs, const struct ik_effect *effect,
	struct ik_json_span arguments);
/* Start a call of the user's, emitted in round 0 and stored as a command. */
void ik_runs_start_own(struct ik_runs *runs, const char *name, struct ik_json_span arguments);
/* Answer the question about a call that a process makes; denial is the envelope's sentence. Does
 * nothing if no such call with this id asks. */
void ik_runs_answer(struct ik_runs *runs, const char *id, bool allowed, const char *denial);
/* Answer what the running call with this id wants to know (tool/source.h), if it does. */
void ik_runs_answer_question(struct ik_runs *runs, const char *id, struct ik_json_span answer);
/* Hooks have spoken: judge such a call again, or pass on the result of a call. Return false if there is
 * no call of that number. */
bool ik_runs_rule(struct ik_runs *runs, int call);
/* Judge the calls that ask, or wait until they may start, again. */
void ik_runs_judge_again(struct ik_runs *runs);
/* Start a shell command of the user's. */
void ik_runs_start_command(struct ik_runs *runs, const char *command);

bool ik_runs_is_empty(const struct ik_runs *runs);
/* Cancel the model's calls (own: the user's runs); each still ends as usual. */
void ik_runs_cancel(struct ik_runs *runs, bool own);
/* Drop the model's calls. */
void ik_runs_drop(struct ik_runs *runs);

#endif
