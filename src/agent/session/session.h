/*
 * session: one conversation: carries out what the turn decides.
 *
 * Feeds the pure state machine (agent/turn/turn.h) with what the user types, what the provider
 * streams and what tools answer, and carries out its effects: store, request, run, emit. A message
 * is stored before the session acts on it. All events go to one sink, which may call any function
 * here, including ik_session_close().
 *
 * A session consists of a turn and these objects of the folder, which know only what they are
 * given: record (the conversation, in memory and in the store), exchange (the request to the
 * provider), stored (restoring, following, the lock), runs (running calls and commands),
 * undo_recorder, hooked and compaction.
 *
 * Owns all of these, but not the loop, the http client, the registry or the store (which may be
 * shared, so the session does not report its state).
 * May include: all but tui, core and the front ends.
 */
#ifndef IK_AGENT_SESSION_SESSION_H
#define IK_AGENT_SESSION_SESSION_H

#include "agent/model.h"
#include "agent/session/exchange.h"
#include "agent/session/file_writes.h"
#include "agent/session/runs.h"
#include "agent/session/stored.h"
#include "agent/slots.h"
#include "conversation/conversation.h"
#include "conversation/event.h"
#include "guard/policy.h"
#include "hook/hook_run.h"
#include "net/http.h"
#include "provider/wire/format.h"
#include "store/store.h"
#include "tool/registry.h"
#include "tool/run.h"

struct ik_session;

/* Who decides about a call that the policy asks about. */
enum ik_asking {
	IK_ASKING_USER,   /* the user: IK_EVENT_ASKING, ik_session_answer() */
	IK_ASKING_NOBODY, /* nobody: the call is denied */
	IK_ASKING_ALLOWED /* decided beforehand: the call is allowed */
};

struct ik_session_options {
	struct ik_loop *loop;
	struct ik_http *http;
	struct ik_store *store;
	struct ik_run_options run;          /* for every call; environment and timeouts are borrowed */
	int concurrency;                    /* limit on concurrent calls */
	struct ik_slots *slots;             /* borrowed: limit over all sessions; NULL: no limit */
	struct ik_file_writes *file_writes; /* borrowed, for undo_directory: records which session
	                                       writes a file, so that /undo does not revert another
	                                       session's changes */
	int max_tool_turns;
	int compact_at; /* compact when the model's window is that full, in percent; 0: never */
	struct ik_retry_options retry;
	int64_t idle_timeout_ms;    /* limit on the server's silence; 0: none */
	int64_t undo_days;          /* how long undo data is kept, in days */
	const char *undo_directory; /* borrowed: where files are copied before tools write them
	                               (undo/undo_journal.h); NULL: nowhere */
	const char *undo_spared;    /* borrowed: path of the database, whose changes no call causes;
	                               NULL: no database */
	const char
		*commands_root; /* borrowed, as the next: private directory for the tools' commands */
	const char *commands_program; /* (agent/session/commands.h); NULL: no commands */
	const char *directory;        /* the session's, stored with it */
	const char *system_prompt;    /* for a new session, stored with it; NULL: the built-in one */
	const char *instructions;     /* of the project, sent after the prompt; NULL: none */
	const char *output_schema;    /* borrowed: what each turn's last reply has to satisfy
	                               (agent/output.h); NULL: nothing */
	bool no_tools;
	bool tool_names; /* describe only bash to the model, and name the tools that bash runs */
	const struct ik_policy *policy; /* borrowed; NULL: every call is allowed */
	struct ik_hook_runner *hooks;   /* borrowed; NULL: none */
	const char *began;              /* how, for hooks (agent/session/hooked.h); NULL: "startup" */
	enum ik_asking asking;
	ik_summary_keeper *keeper; /* of each summary; or NULL */
	void *keeper_arg;
	const struct ik_preparer *preparer; /* of calls; NULL: nobody */
	void *preparer_arg;
	ik_event_sink *sink;
	void *sink_arg;
};

/* Return a new session, which gets an id at once and is stored with its first message. Strings of
 * options are copied. */
struct ik_session *ik_session_new(const struct ik_session_options *options);

/* Cancel everything that runs, without events; what has arrived is stored first. Takes NULL.
 * Returns NULL. */
struct ik_session *ik_session_close(struct ik_session *session);

/* Pass messages that the turn has not yet appended to the store, since memory has run out. */
void ik_session_end_now(struct ik_session *session);

/* ---- what requests consist of ---- */

/* Use this model (adding a reference) from the next request on. Emits IK_EVENT_SESSION. */
void ik_session_set_model(struct ik_session *session, struct ik_model *model);
/* Return the model (borrowed), or NULL if none was set. */
struct ik_model *ik_session_model(const struct ik_session *session);

/* Use these project instructions from the next request on. Copies them. */
void ik_session_set_instructions(struct ik_session *session, const char *instructions);

/* Let the next request describe the sandbox of options.run again, which has changed. */
void ik_session_sandbox_changed(struct ik_session *session);

/* Return what is sent with every request: the whole system prompt (borrowed until it changes), and
 * an array of the tools, which borrows from the registry; release it with free(). */
const char *ik_session_system_prompt(const struct ik_session *session);
struct ik_tool_definition *ik_session_tools(const struct ik_session *session, size_t *ret_count);
/* Is a tool offered to the model by its name alone, as a command (options.tool_names)? Only where bash
 * is offered. */
bool ik_session_names(const struct ik_session *session, const struct ik_tool *tool);
/* Return the definition of tool for the model; it borrows from tool. */
struct ik_tool_definition ik_session_tool(const struct ik_tool *tool);

/* Use these tools from the next round on (adding a reference). A message waits while the scan runs
 * (ready is false). */
void ik_session_set_registry(struct ik_session *session, struct ik_registry *registry, bool ready);

/* Append the arguments that the tool called name gets when the model writes arguments: without the
 * nulls that a strict schema makes it write, and {} for none. */
void ik_session_put_arguments(const struct ik_session *session, const char *name,
	const char *arguments, size_t length, struct ik_buf *out);

/* ---- stored sessions ---- */

/*
 * Resume a stored session, before anything is submitted in this one. It is read in later turns of the
 * loop; messages submitted meanwhile wait. The id is emitted as IK_EVENT_SESSION, the newest page as
 * IK_EVENT_MESSAGE events, then one IK_EVENT_NOTICE "[Session restored: N messages]", and done is
 * called with NULL. Older messages are read and emitted page by page (IK_EVENT_OLDER) before the
 * first request is sent. If there is no such session or it cannot be read, done is called with the
 * reason, and nothing has changed.
 */
void ik_session_restore(struct ik_session *session, const struct ik_restoring *restoring);

/* Return a copy of the messages up to sequence, for a fork; NULL while older messages are still
 * being read. */
struct ik_conversation *ik_session_fork_copy(const struct ik_session *session, int64_t sequence);

/* Emit the id under which the session is stored from now on (ik_store_on_fork()) as
 * IK_EVENT_SESSION. */
void ik_session_forked(struct ik_session *session, const char *id);

/* Are older messages of a stored session still being read? */
bool ik_session_loading(const struct ik_session *session);

/* Return the stored session, which knows who may write. A session that is open in another process
 * is followed: what the other process stores is emitted as IK_EVENT_MESSAGE, nothing is stored
 * here, and nothing may be submitted, run or compacted. IK_EVENT_LOCK reports changes. Through it a
 * process can take over the session, answer requests to take it over, and release the lock while
 * stopped (agent/session/stored.h). */
struct ik_stored *ik_session_stored(const struct ik_session *session);
bool ik_session_is_following(const struct ik_session *session);

/* ---- the turn ---- */

/* Send a message of the user's (adding a reference); queue it while a turn runs. */
void ik_session_submit(struct ik_session *session, struct ik_message *message);

/* Return the text of the queued message at index (0: the oldest), or NULL past the newest. Borrowed
 * until something happens in the session. Allocates no memory. */
const char *ik_session_queued(const struct ik_session *session, size_t index, size_t *ret_length);
/* Discard the newest queued message. */
void ik_session_unqueue(struct ik_session *session);
/* Send the messages that are held since a turn failed or was cancelled; without any, try the failed
 * turn again. */
void ik_session_go_on(struct ik_session *session);

/* Queue messages until the model to use is known; then send them, or hold them if the model could
 * not be switched as requested. */
void ik_session_await_model(struct ik_session *session);
void ik_session_know_model(struct ik_session *session, bool switched);

/* Cancel the stream and the tools; what has arrived is stored and marked. Tools get time to end
 * (ik_run_cancel) and the turn ends with the last of them; a second cancel does not wait for them.
 * Queued messages are held. */
void ik_session_cancel(struct ik_session *session);

/* Answer IK_EVENT_ASKING for the user: run the call, or deny it and give the model the reason ("":
 * none). If the question was whether to continue a loop, denying ends the turn. Does nothing if the
 * call no longer waits (IK_EVENT_ASKED). */
void ik_session_answer(struct ik_session *session, const char *id, const char *name, bool allow,
	const char *reason);

/* Answer IK_EVENT_QUESTION for the user, as in struct ik_source_ops (tool/source.h). */
void ik_session_answer_question(struct ik_session *session, const char *id,
	struct ik_json_span answer);

/* Judge the waiting calls again, since the policy's mode or rules have changed. */
void ik_session_policy_changed(struct ik_session *session);

/* Let the model summarise the conversation, with words ("": none) as guidance; from then on it gets
 * the summary instead. Emits the output of the command, also if there is nothing to summarise, a
 * turn is running, or the request fails; then nothing has changed. Messages submitted meanwhile are
 * sent when the summary is complete, and held if it fails. Cancelling ends it. */
void ik_session_compact(struct ik_session *session, const char *line, const char *words);

/* Let the model have again what the newest summary replaced. Emits the output of the command line. */
void ik_session_undo_compact(struct ik_session *session, const char *line);

/* Is anything running that a cancel would end, or queued that will be sent? */
bool ik_session_busy(const struct ik_session *session);

/* Are the file changes of all calls that have ended recorded for /undo? */
bool ik_session_undo_is_recorded(const struct ik_session *session);
/* Like ik_session_undo_is_recorded(), but also return true if recording takes too long. If false,
 * ready is called when the changes are recorded, after a few seconds at most, or when the session
 * is closed. */
bool ik_session_await_undo(struct ik_session *session, void (*ready)(void *arg), void *arg);

/* Tell hooks, once, that the session ends, and why: "clear", "prompt_input_exit" or "other". Closing
 * it does that, too. */
void ik_session_tell_end(struct ik_session *session, const char *reason);

/* ---- what was said ---- */

const char *ik_session_id(const struct ik_session *session);
const struct ik_conversation *ik_session_conversation(const struct ik_session *session);

/* Store and emit a command with its output, or a notice; neither is sent to a model. Notices at the
 * beginning of a session are stored with its first other message. */
void ik_session_add_command(struct ik_session *session, const char *line, const char *output);
/* Like ik_session_add_command(), for a command message; the caller keeps its reference. */
void ik_session_add_message(struct ik_session *session, struct ik_message *command);
void ik_session_add_notice(struct ik_session *session, const char *sentence);
/* The same, for a notice that something does not work: it is shown as an error. */
void ik_session_add_problem(struct ik_session *session, const char *sentence);

/* Start a tool call for the user (/run): emitted like a model's call, in round 0, and stored as a
 * command (without IK_EVENT_MESSAGE). It waits for the tools. Any number may run beside a turn; a
 * cancel ends them, too. */
void ik_session_run_tool(struct ik_session *session, const char *name, const char *arguments,
	size_t length);

/* Start a shell command for the user (agent/session/runs.h). Any number may run; a cancel ends
 * them. */
void ik_session_run_shell(struct ik_session *session, const char *command);

#endif
