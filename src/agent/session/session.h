/*
 * session: one conversation at work: performs what the turn decides.
 *
 * Feeds the pure state machine (agent/turn/turn.h) with what a person types, what
 * the provider streams and what tools answer, and carries out its effects:
 * store, request, run, tell.  A record is stored before the effect that it
 * announces.  Everything it has to say goes to one sink, which may call any
 * function here, ik_session_close() included.
 *
 * Owns the conversation, the request and the runs.  Not the loop, the http
 * client, the store (whose state it does not tell: many sessions may share
 * one), the registry.
 * May include: all but tui and app.
 */
#ifndef IK_AGENT_SESSION_SESSION_H
#define IK_AGENT_SESSION_SESSION_H

#include "agent/model.h"
#include "agent/session/file_writes.h"
#include "agent/session/fork_copy.h"
#include "agent/session/judge.h"
#include "agent/session/restore.h"
#include "agent/session/session_lock.h"
#include "agent/slots.h"
#include "conversation/event.h"
#include "guard/policy.h"
#include "net/http.h"
#include "provider/wire/format.h"
#include "store/store.h"
#include "tool/registry.h"
#include "tool/run.h"

struct ik_session;

struct ik_session_options {
	struct ik_loop *loop;
	struct ik_http *http;
	struct ik_store *store;
	struct ik_run_options run; /* for every call; environment and timeouts are borrowed */
	int concurrency;           /* calls at once */
	struct ik_slots *slots;    /* borrowed: calls at once over all sessions; NULL: no limit */
	struct ik_file_writes *file_writes; /* borrowed: what calls of all sessions write, so that
	                                       what one did is not undone in another; NULL: not
	                                       told */
	int max_tool_turns;
	int retry_max;         /* tries after the first */
	int64_t retry_base_ms; /* 0: the built-in figures for all three */
	int64_t retry_cap_ms;
	int64_t idle_timeout_ms;    /* of a stream without events; 0: none */
	const char *undo_directory; /* borrowed: where what tools write is kept first
	                                   (undo/undo_journal.h); NULL: nowhere */
	const char *undo_spared;    /* borrowed: the database, which is no call's doing;
	                                   NULL: none */
	const char *directory;      /* of the session, stored with it */
	const char *system_prompt;  /* of a new session, stored with it; NULL: the built-in one */
	const char *instructions;   /* of the project, behind the prompt; NULL: none */
	bool no_tools;
	const struct ik_policy *policy; /* borrowed; NULL: every call is allowed */
	enum ik_asking asking;
	ik_event_sink *sink;
	void *sink_arg;
};

/* Strings of options are copied. The session gets an id at once, and a row in
 * the store with its first event. */
struct ik_session *ik_session_new(const struct ik_session_options *options);

/* Cancels what runs, silently; what had arrived is stored first. */
struct ik_session *ik_session_close(struct ik_session *session);

/* Memory is gone: what this session has not handed over yet goes to ik_store_rescue_event(). */
void ik_session_rescue(const struct ik_session *session);

/* Which model to talk to from the next request on. Copied. Told as IK_EVENT_SESSION. */
void ik_session_set_model(struct ik_session *session, const struct ik_model_spec *spec);

/* Other instructions of the project, from the next request on. Copied. */
void ik_session_set_instructions(struct ik_session *session, const char *instructions);

/* The sandbox of options.run is another now: the next request says so. */
void ik_session_sandbox_changed(struct ik_session *session);

/* What is sent with every request: the whole system prompt (borrowed, until it changes),
 * and the tools, in an array to be released with free() that borrows from the registry. */
const char *ik_session_system_prompt(const struct ik_session *session);
struct ik_tool_definition *ik_session_tools(const struct ik_session *session, size_t *ret_count);

/* The tools from the next round on (a reference is taken); while the scan
 * runs (ready false) a message waits. */
void ik_session_set_registry(struct ik_session *session, struct ik_registry *registry, bool ready);

/*
 * Go on with a stored session (before anything else is said in this one): the one whose id
 * begins with id, or (NULL) the newest of this directory. It is read in later turns of the
 * loop, and what is submitted meanwhile waits: its id is told as IK_EVENT_SESSION, its newest
 * page as IK_EVENT_MESSAGE events, then one IK_EVENT_NOTICE "[Session restored: N messages]",
 * and done is called with NULL; what is older is read and told page by page
 * (IK_EVENT_OLDER), before the first request leaves. Where there is no such session, or it
 * cannot be read, done is called with the reason and all is as it was. done may be NULL.
 */
void ik_session_restore(struct ik_session *session, const char *id, ik_session_restored *done,
	void *arg);

/* The messages of the session up to sequence, for a fork of it. NULL: not all are there yet. */
struct ik_fork_copy *ik_session_fork_copy(const struct ik_session *session, int64_t sequence);
/* ik_session_restore() of the fork with this whole id; where it cannot be read, it continues with
 * the copy (taken over; NULL: there is none), and what is said is stored once it can be. */
void ik_session_restore_fork(struct ik_session *session, const char *id, struct ik_fork_copy *copy,
	ik_session_restored *done, void *arg);

/* Before that: the system prompt of the options goes before the one that the session was stored
 * with, and is stored as its new one. */
void ik_session_want_prompt(struct ik_session *session);

/* The session is stored under another id from here on (ik_store_on_fork()), which is told as
 * IK_EVENT_SESSION. */
void ik_session_forked(struct ik_session *session, const char *id);

/*
 * Who may write. A session that somebody else has open is read along: what the other stores
 * is told as IK_EVENT_MESSAGE, nothing that is said here is stored, and nothing may be
 * submitted, run or compacted. IK_EVENT_LOCK tells of changes.
 */
void ik_session_when_locked(struct ik_session *session, enum ik_when_locked when);
bool ik_session_reads_along(const struct ik_session *session);
/* Take it when it is free, else ask the one who has it; do so no longer. */
void ik_session_take_over(struct ik_session *session);
void ik_session_withdraw(struct ik_session *session);
bool ik_session_is_asking(const struct ik_session *session);
/* Whoever asks for it: no; yes, as soon as all is stored (nothing may be under way). */
void ik_session_refuse(struct ik_session *session);
void ik_session_let_go(struct ik_session *session);
/* The process is about to stop for a while; it is back. */
void ik_session_pause(struct ik_session *session);
void ik_session_continue(struct ik_session *session);
/* Why nothing can be done in a session that is read along: a sentence in new memory. */
char *ik_session_lock_sentence(const struct ik_session *session);

/* Send what a person typed; queued while a turn runs. */
void ik_session_submit(struct ik_session *session, const char *text, size_t length);

/* The same of a message that something goes with: data is its (conversation/message.h). */
void ik_session_submit_with(struct ik_session *session, const char *text, size_t length,
	const char *data, size_t data_length);

/* What was typed of a message that is queued, the oldest at 0; NULL behind the newest.
 * Borrowed until something happens in the session. Takes no memory. */
const char *ik_session_queued(const struct ik_session *session, size_t index, size_t *ret_length);
/* Forget the newest message that is queued: the person has it back. */
void ik_session_take_back(struct ik_session *session);

/* It is being found out which model is to be asked: what is sent from now on waits for
 * ik_session_know_model(). switched: it is the one that was wished, else what waits is held. */
void ik_session_await_model(struct ik_session *session);
void ik_session_know_model(struct ik_session *session, bool switched);

/* Send what is held of the queue since a turn failed or was cancelled. */
void ik_session_release(struct ik_session *session);

/* End stream and tools; what had arrived is kept and marked. Tools get their
 * time to end (ik_run_cancel) and the turn ends with the last of them; a second
 * cancel does not wait for them. Messages that are queued are held. */
void ik_session_cancel(struct ik_session *session);

/*
 * The person's answer about the call of which IK_EVENT_ASKING told: run it, or give
 * the model a denial with the reason ("": none), which ends the turn where the question
 * was whether it is to go on. Nothing happens when the call does
 * not wait any more (IK_EVENT_ASKED).
 */
void ik_session_answer(struct ik_session *session, const char *id, const char *name, bool allow,
	const char *reason);

/* The policy's mode or rules are others now: calls that wait are judged anew. */
void ik_session_policy_changed(struct ik_session *session);

/*
 * Have the model summarise what was said, with words ("": none) in mind; from then on it
 * gets the summary in place of that. Told as a command's output, also when there is
 * nothing to summarise, something is under way, or it fails, and nothing is changed then.
 * Messages that are submitted meanwhile go out when it is done, and are held when it fails. A
 * cancel ends it.
 */
void ik_session_compact(struct ik_session *session, const char *line, const char *words);

/* Are older messages of a stored session still being read? */
bool ik_session_loading(const struct ik_session *session);

/* Is there anything that a cancel would end, or that goes out by itself? */
bool ik_session_busy(const struct ik_session *session);

/* Is it written down what all calls that are over did to files, for /undo? */
bool ik_session_noted(const struct ik_session *session);
/* The same, but true also where that takes too long. False: ready is called when it is written down,
 * after some seconds at the latest, or when the session is closed. */
bool ik_session_when_noted(struct ik_session *session, void (*ready)(void *arg), void *arg);

/* Append what the tool of that name gets when the model at work writes these arguments: without
 * the nulls that a strict schema forces it to write, {} for none. */
void ik_session_put_arguments(const struct ik_session *session, const char *name,
	const char *arguments, size_t length, struct ik_buf *out);

const char *ik_session_id(const struct ik_session *session);
const struct ik_conversation *ik_session_conversation(const struct ik_session *session);

/* Store and tell a command with its output, or a notice: never sent to a model.
 * Notices of a session in which nothing else was said are stored once something is. */
void ik_session_add_command(struct ik_session *session, const char *line, const char *output);
/* The same of a command that was made by the caller, whose reference stays. */
void ik_session_add_message(struct ik_session *session, struct ik_message *command);
void ik_session_add_notice(struct ik_session *session, const char *sentence);

/* A call of the person's own (/run): told like a model's, in round 0, and stored as
 * a command (of which no IK_EVENT_MESSAGE tells). Waits for the tools; any number
 * may run beside a turn; a cancel ends them too. */
void ik_session_run_tool(struct ik_session *session, const char *name, const char *arguments,
	size_t length);

/* A command of the person's own ("!COMMAND") for /bin/sh, in the session's directory, with the
 * environment of tools, without a time limit and without a terminal (its stdin is /dev/null).
 * Told like a call of the person's own, of the name IK_OWN_COMMAND with {"command": ...}, and
 * stored as a command whose line begins with "!". Any number may run; a cancel ends them. */
void ik_session_run_shell(struct ik_session *session, const char *command);

#endif
