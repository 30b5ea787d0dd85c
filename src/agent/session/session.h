/*
 * session: one conversation: carries out what the turn decides.
 *
 * Feeds the pure state machine (agent/turn/turn.h) with what the user types, what the provider
 * streams and what tools answer, and carries out its effects: store, request, run, tell.  What an
 * effect announces is stored before it is acted on.  All events go to one sink, which may call any
 * function here, ik_session_close() included.
 *
 * A session is a turn and these objects of the folder, which know only what they get: record (the
 * conversation, in memory and in the store), exchange (the request to the provider), stored
 * (restored, followed, with a lock), runs (calls and commands at work), undo_recorder and
 * compaction.
 *
 * Owns all of these.  Not the loop, the http client, the store (whose state it does not tell: many
 * sessions may share one), the registry.
 * May include: all but tui, core and the front ends.
 */
#ifndef IK_AGENT_SESSION_SESSION_H
#define IK_AGENT_SESSION_SESSION_H

#include "agent/model.h"
#include "agent/session/exchange.h"
#include "agent/session/file_writes.h"
#include "agent/session/stored.h"
#include "agent/slots.h"
#include "conversation/conversation.h"
#include "conversation/event.h"
#include "guard/policy.h"
#include "net/http.h"
#include "provider/wire/format.h"
#include "store/store.h"
#include "tool/registry.h"
#include "tool/run.h"

struct ik_session;

/* Who answers where the policy says to ask. */
enum ik_asking {
	IK_ASKING_USER,   /* the user: IK_EVENT_ASKING, ik_session_answer() */
	IK_ASKING_NOBODY, /* nobody: such calls are denied */
	IK_ASKING_ALLOWED /* it was answered beforehand: they are allowed */
};

struct ik_session_options {
	struct ik_loop *loop;
	struct ik_http *http;
	struct ik_store *store;
	struct ik_run_options run; /* for every call; environment and timeouts are borrowed */
	int concurrency;           /* calls at once */
	struct ik_slots *slots;    /* borrowed: calls at once over all sessions; NULL: no limit */
	struct ik_file_writes *file_writes; /* borrowed, as undo_directory: what calls of all sessions
	                                       write, so that what one did is not undone in another */
	int max_tool_turns;
	struct ik_retry_options retry;
	int64_t idle_timeout_ms;    /* of a stream without events; 0: none */
	int64_t undo_days;          /* how long what it needs is kept */
	const char *undo_directory; /* borrowed: where files are copied before tools write them
	                               (undo/undo_journal.h); NULL: nowhere */
	const char *undo_spared;    /* borrowed: the database, which calls do not change; NULL: none */
	const char *directory;      /* of the session, stored with it */
	const char *system_prompt;  /* of a new session, stored with it; NULL: the built-in one */
	const char *instructions;   /* of the project, after the prompt; NULL: none */
	bool no_tools;
	const struct ik_policy *policy; /* borrowed; NULL: every call is allowed */
	enum ik_asking asking;
	ik_event_sink *sink;
	void *sink_arg;
};

/* Strings of options are copied. The session gets an id at once, and is stored with its first
 * message. */
struct ik_session *ik_session_new(const struct ik_session_options *options);

/* Cancel what runs, silently; what had arrived is stored first. */
struct ik_session *ik_session_close(struct ik_session *session);

/* Memory has run out: hand over to the store what the turn has not yet. */
void ik_session_end_now(struct ik_session *session);

/* ---- what requests are made of ---- */

/* Use this model from the next request on (a reference is taken). Told as IK_EVENT_SESSION. */
void ik_session_set_model(struct ik_session *session, struct ik_model *model);
/* Return it (borrowed); NULL: none was set. */
struct ik_model *ik_session_model(const struct ik_session *session);

/* Use these instructions of the project from the next request on. Copied. */
void ik_session_set_instructions(struct ik_session *session, const char *instructions);

/* The sandbox of options.run has changed: the next request says so. */
void ik_session_sandbox_changed(struct ik_session *session);

/* Return what is sent with every request: the whole system prompt (borrowed, until it changes),
 * and the tools, in an array to be released with free() that borrows from the registry. */
const char *ik_session_system_prompt(const struct ik_session *session);
struct ik_tool_definition *ik_session_tools(const struct ik_session *session, size_t *ret_count);
/* Return what a model is told of a tool; it borrows from the tool. */
struct ik_tool_definition ik_session_tool(const struct ik_tool *tool);

/* Use these tools from the next round on (a reference is taken); while the scan runs (ready false)
 * a message waits. */
void ik_session_set_registry(struct ik_session *session, struct ik_registry *registry, bool ready);

/* Append what the tool of that name gets when the model writes these arguments: without the nulls
 * that a strict schema forces it to write, {} for none. */
void ik_session_put_arguments(const struct ik_session *session, const char *name,
	const char *arguments, size_t length, struct ik_buf *out);

/* ---- stored sessions ---- */

/*
 * Continue a stored session (before anything else is said in this one): the one whose id begins
 * with id, or (NULL) the newest of this directory. It is read in later turns of the loop, and what
 * is submitted meanwhile waits: its id is told as IK_EVENT_SESSION, its newest page as
 * IK_EVENT_MESSAGE events, then one IK_EVENT_NOTICE "[Session restored: N messages]", and done is
 * called with NULL; what is older is read and told page by page (IK_EVENT_OLDER), before the first
 * request leaves. Where there is no such session, or it cannot be read, done is called with the
 * reason and nothing has changed. done may be NULL. copy (taken over) is all of the session of that
 * whole id, which is a fork then; NULL: there is none.
 */
void ik_session_restore(struct ik_session *session, const char *id, struct ik_conversation *copy,
	ik_session_restored *done, void *arg);

/* Before that: let the system prompt of the options replace the stored one. */
void ik_session_want_prompt(struct ik_session *session);

/* Return the messages of the session up to sequence, for a fork of it. NULL: not all of them have
 * been read yet. */
struct ik_conversation *ik_session_fork_copy(const struct ik_session *session, int64_t sequence);

/* The session is stored under another id from now on (ik_store_on_fork()): tell it as
 * IK_EVENT_SESSION. */
void ik_session_forked(struct ik_session *session, const char *id);

/* Are older messages of a stored session still being read? */
bool ik_session_loading(const struct ik_session *session);

/*
 * Who may write. A session that is open in another process is followed: what the other stores is
 * told as IK_EVENT_MESSAGE, nothing that is said here is stored, and nothing may be submitted, run
 * or compacted. IK_EVENT_LOCK tells of changes. Its lock is asked for the session, answers others
 * who ask, and rests while the process is stopped (agent/session/stored.h).
 */
struct ik_stored *ik_session_stored(const struct ik_session *session);
bool ik_session_is_following(const struct ik_session *session);

/* ---- the turn ---- */

/* Send what the user typed, with data for the message (conversation/message.h; NULL: none); it is
 * queued while a turn runs. */
void ik_session_submit(struct ik_session *session, const char *text, size_t length,
	const char *data, size_t data_length);

/* Return what was typed of a queued message, the oldest at 0; NULL past the newest. Borrowed until
 * something happens in the session. Allocates no memory. */
const char *ik_session_queued(const struct ik_session *session, size_t index, size_t *ret_length);
/* Forget the newest queued message. */
void ik_session_unqueue(struct ik_session *session);
/* Send the messages that are held since a turn failed or was cancelled. */
void ik_session_send_held(struct ik_session *session);

/* Queue what is sent until it is known which model to use; then send it, or hold it where the
 * model was not switched as asked. */
void ik_session_await_model(struct ik_session *session);
void ik_session_know_model(struct ik_session *session, bool switched);

/* End the stream and the tools; what had arrived is kept and marked. Tools get time to end
 * (ik_run_cancel) and the turn ends with the last of them; a second cancel does not wait for them.
 * Queued messages are held. */
void ik_session_cancel(struct ik_session *session);

/* Answer IK_EVENT_ASKING for the user: run the call, or give the model a denial with the reason
 * ("": none), which ends the turn where the question was whether to go on. Nothing happens when
 * the call no longer waits (IK_EVENT_ASKED). */
void ik_session_answer(struct ik_session *session, const char *id, const char *name, bool allow,
	const char *reason);

/* The policy's mode or rules have changed: judge the calls that wait again. */
void ik_session_policy_changed(struct ik_session *session);

/*
 * Have the model summarise the conversation, with words ("": none) in mind; from then on it gets
 * the summary instead. Told as the output of the command, also when there is nothing to summarise,
 * a turn is running, or it fails; nothing has changed then. Messages that are submitted meanwhile
 * are sent when it is done, and held when it fails. A cancel ends it.
 */
void ik_session_compact(struct ik_session *session, const char *line, const char *words);

/* Is anything going on that a cancel would end, or queued that will be sent? */
bool ik_session_busy(const struct ik_session *session);

/* Is it recorded for /undo what all calls that have ended did to files? */
bool ik_session_undo_is_recorded(const struct ik_session *session);
/* The same, but true also where that takes too long. False: ready is called when it is recorded,
 * after a few seconds at the latest, or when the session is closed. */
bool ik_session_await_undo(struct ik_session *session, void (*ready)(void *arg), void *arg);

/* ---- what was said ---- */

const char *ik_session_id(const struct ik_session *session);
const struct ik_conversation *ik_session_conversation(const struct ik_session *session);

/* Store and tell a command with its output, or a notice: neither is sent to a model. Notices of a
 * session in which nothing else was said are stored once something is. */
void ik_session_add_command(struct ik_session *session, const char *line, const char *output);
/* The same of a command message, whose reference stays the caller's. */
void ik_session_add_message(struct ik_session *session, struct ik_message *command);
void ik_session_add_notice(struct ik_session *session, const char *sentence);

/* Start a call of the user's own (/run): told like a model's, in round 0, and stored as a command
 * (no IK_EVENT_MESSAGE tells of it). It waits for the tools; any number may run beside a turn; a
 * cancel ends them too. */
void ik_session_run_tool(struct ik_session *session, const char *name, const char *arguments,
	size_t length);

/* Start a command of the user's own (agent/session/runs.h). Any number may run; a cancel ends
 * them. */
void ik_session_run_shell(struct ik_session *session, const char *command);

#endif
