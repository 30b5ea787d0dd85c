/*
 * session_private: what the files of a session share.
 *
 * session.c takes what comes from outside and feeds the turn;
 * session_effects.c carries out what the turn decides; session_begun.c keeps what has arrived
 * of a reply; exchange.c talks to the provider; session_policy.c judges calls; session_run.c
 * runs tools; session_undo.c keeps what these write; restore.c loads what was stored;
 * context.c knows how full the model's window is; compaction.c has the model summarise
 * what was said.
 *
 * May include: what session.h may.
 */
#ifndef IK_AGENT_SESSION_SESSION_PRIVATE_H
#define IK_AGENT_SESSION_SESSION_PRIVATE_H

#include "agent/model.h"
#include "agent/session/session.h"
#include "agent/session/session_copy.h"
#include "agent/turn/turn.h"
#include "store/begun.h"
#include "store/lock.h"
#include "undo/undo_journal.h"
#include "util/limits.h"

struct ik_exchange;

/* An input that came while another was being taken. */
struct ik_inbox_item {
	struct ik_inbox_item *next;
	struct ik_input input;
	struct ik_buf text, data;
};

/* A call at work, the model's or the person's own. */
struct ik_session_run {
	struct ik_session_run *next;
	struct ik_session *session;
	struct ik_run *run;  /* NULL: waits for the tools, or for a slot */
	bool own;            /* the person's */
	struct ik_slot slot; /* of a call of the model's */
	int call;            /* the turn's number */
	int round;
	char *id;
	char *name;
	struct ik_buf arguments;      /* of one that waits, and for the record */
	struct ik_session_keep *keep; /* what it writes is kept; NULL: nothing */
};

struct ik_session {
	struct ik_session_options options; /* directory and system_prompt are not used */
	char id[IK_UUID_TEXT];
	char *directory;
	char *prompt;         /* the session's own part of the system prompt */
	bool prompt_unstored; /* it is stored before what is said next */
	bool prompt_wanted;   /* it goes before the stored one of the session that is restored */
	char *instructions;   /* of the project, behind it; NULL: none */
	char *system_prompt;  /* complete */
	struct ik_conversation *conversation;
	struct ik_turn_options turn_options;
	struct ik_turn *turn;
	struct ik_model *model; /* NULL: none chosen yet */
	struct ik_registry *registry;
	bool tools_ready;

	struct ik_inbox_item *inbox, **inbox_end;
	bool stepping;
	bool closing;                 /* nothing is told or started any more, only stored */
	bool stored;                  /* the store knows of the session */
	struct ik_begun *begun;       /* the reply that is on its way; NULL: none was kept yet */
	struct ik_timer *begun_timer; /* until it is kept, or let go; NULL: none yet */
	bool undo_complained;         /* why nothing can be taken back was told */
	size_t undo_lines;            /* noted of calls, and of their ends, so far; */
	size_t undo_turn_lines;       /* when the turn began, */
	int64_t undo_turn_ms;         /* which was then */
	struct ik_worktree *worktree; /* that the session's directory lies in; NULL: not looked yet */
	enum ik_worktree_problem worktree_problem; /* why it is of no use */
	struct ik_session_keep *noting; /* calls that are over: what they changed is being found */
	struct ik_timer *noted_timer;   /* until nobody waits for that any more */
	bool noted_late;                /* it has taken too long: nobody is to wait for it */
	struct ik_session_waiting {
		void (*ready)(void *arg);
		void *arg;
	} * waiting;
	size_t waiting_count;

	struct ik_exchange *exchange; /* the request that is out */
	struct ik_timer *retry;       /* of the turn's request, or of a summary's */
	struct ik_session_run *runs;
	int own_runs;                    /* so many so far, commands included */
	struct ik_session_shell *shells; /* commands of the person's own at work */

	struct ik_compaction *compaction; /* a summary is being made; NULL: none */
	int64_t context_tokens;           /* that the last round took; 0: not known */
	bool context_warned;

	struct ik_store_read *reading; /* a stored session; NULL: no read is out */
	bool restoring;                /* which session this is, is not known yet: nothing is stored */
	bool kept;                     /* and something that is to be stored came meanwhile */
	ik_session_restored *restored;
	void *restored_arg;
	struct ik_session_copy *copy; /* of what is to be read; NULL: none */
	char copy_id[IK_UUID_TEXT];
	int64_t restored_count; /* its messages */
	bool loading;           /* older messages */

	struct ik_lock *lock; /* NULL: nothing is stored yet */
	enum ik_when_locked when_locked;
	bool lock_awaited; /* the session is restored when it is known whose it is */
	bool following;    /* somebody else writes, or is about to */
	bool taking_over;  /* what the other wrote is read, then it is ours */
	bool news;         /* there is more to be read */
	int64_t newest;    /* sequence of the last event that is known here, while following */
	struct ik_store_read *following_read; /* NULL: none is out */
	struct ik_timer *news_timer;          /* until it is tried again; NULL: none yet */
	int64_t oldest;                       /* sequence of the oldest that is loaded */
};

/* ---- session.c ---- */

/* Give the turn an input; at once, or after the one that is being taken. */
void ik_session_post(struct ik_session *session, const struct ik_input *input);
/* Tell, unless closing. */
void ik_session_emit(struct ik_session *session, const struct ik_event *event);
/* Use this as the session's own part of the system prompt. Copied. */
void ik_session_set_prompt(struct ik_session *session, const char *prompt);
/* Tell id and model as IK_EVENT_SESSION, once there is a model. */
void ik_session_tell_model(struct ik_session *session);

/* ---- session_effects.c ---- */

void ik_session_perform(struct ik_session *session, const struct ik_effect *effect);
/* Hand a message to the store and add it to the conversation. */
void ik_session_keep(struct ik_session *session, struct ik_message *message);
/* Hand over to the store what a call printed, as the message of its outcome names it. */
void ik_session_keep_blobs(struct ik_session *session, const struct ik_message *message,
	struct ik_bytes *const whole[2]);
/* From here on everything is stored; so is what there is already. */
void ik_session_begin_storing(struct ik_session *session);

/* ---- session_begun.c ---- */

/* The turn has taken an input: of a reply there may be more, or it may be over. */
void ik_session_watch_reply(struct ik_session *session);
/* Something else was handed to the store: what is kept of a reply belongs behind it. */
void ik_session_begun_moves(struct ik_session *session);
/* Nothing is kept any more. */
void ik_session_begun_done(struct ik_session *session);

/* ---- exchange.c ---- */

/* Not a number of the turn's: what comes of this request is ik_compaction_take()'s. */
#define IK_SUMMARY_REQUEST 0

/* Send a request for the next round; what comes of it is posted with number. */
void ik_exchange_start(struct ik_session *session, int number, bool forbid_calls);
/* A tool as a model is told of it; borrows from it. */
struct ik_tool_definition ik_session_tool_definition(const struct ik_tool *tool);
/* Silent at once; takes NULL, returns NULL. */
struct ik_exchange *ik_exchange_close(struct ik_exchange *exchange);

/* ---- session_policy.c ---- */

/* Answer IK_EFFECT_JUDGE. */
void ik_session_judge(struct ik_session *session, const struct ik_effect *effect);

/* ---- session_run.c ---- */

void ik_session_start_call(struct ik_session *session, const struct ik_effect *effect);
/* Start what waited for the tools. */
void ik_session_start_waiting(struct ik_session *session);
void ik_session_cancel_runs(struct ik_session *session, bool own);
/* The model's: silent at once. */
void ik_session_close_runs(struct ik_session *session);
/* The person's: end at once, as cancelled. */
void ik_session_end_own_runs(struct ik_session *session);

/* ---- session_undo.c ---- */

/* Keep what a call is about to write. False: this takes a while, ready is called then. */
bool ik_session_keep_files(struct ik_session_run *run, void (*ready)(struct ik_session_run *run));
/* Does it take a while still? */
bool ik_session_is_keeping(const struct ik_session_run *run);
/* The call has ended: write down what it left, now or when it is found. */
void ik_session_note_written(struct ik_session_run *run);
/* Takes NULL, returns NULL; silent at once. */
struct ik_session_keep *ik_session_keep_close(struct ik_session_keep *keep);
/* A turn begins, or the tools are there: have the work tree read where a tool may change it. */
void ik_session_undo_turn(struct ik_session *session);
/* What was not found yet is not any more. */
void ik_session_undo_close(struct ik_session *session);

/* ---- session_shell.c ---- */

void ik_session_cancel_shells(struct ik_session *session);
/* They end at once, as cancelled. */
void ik_session_end_shells(struct ik_session *session);

/* ---- context.c ---- */

/* A round took so many tokens: tell how full the model's window is, and warn. */
void ik_session_measure_context(struct ik_session *session, const struct ik_usage *usage);
/* The same with the last round that is stored, where there is one. */
void ik_session_recall_context(struct ik_session *session);
/* The same of the tokens that are known, for another model. */
void ik_session_tell_context(struct ik_session *session);

/* ---- compaction.c ---- */

/* What comes of its request. */
void ik_compaction_take(struct ik_session *session, const struct ik_input *input);
/* What the model is asked with (borrowed); only while a summary is made. */
struct ik_conversation *ik_compaction_asked(const struct ik_session *session);
/* The time for another try of its request has come. */
void ik_compaction_try_again(struct ik_session *session);
/* While one is made: tell that; end it, with nothing changed; end it silently. */
void ik_compaction_tell(struct ik_session *session);
void ik_compaction_cancel(struct ik_session *session);
void ik_compaction_drop(struct ik_session *session);

/* ---- session_lock.c ---- */

/* Take the lock of the session, which has another id now, or none yet. */
void ik_session_lock(struct ik_session *session);
/* Read what was added since the newest event that is known. */
void ik_session_read_news(struct ik_session *session);
/* Let it go; silent at once. */
void ik_session_unlock(struct ik_session *session);

/* ---- restore.c ---- */

/* What earlier processes could not store waits to be stored, and belongs behind the rest: show it.
 * The session is continued. */
void ik_session_take_left_behind(struct ik_session *session);
/* It is known who may write to the session that is to be restored; or it is refused. */
void ik_session_restore_locked(struct ik_session *session, const struct ik_error *error);
/* All older messages are there, and it is ours: let the turn begin. */
void ik_session_begin_turns(struct ik_session *session);

/* Stop loading. */
void ik_session_stop_loading(struct ik_session *session);

#endif
