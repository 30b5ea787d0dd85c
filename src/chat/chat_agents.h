/*
 * chat_agents: several conversations in one program, "agents", one of them shown.
 *
 * Each agent has its own session (conversation, turn, queue, usage) and its own
 * screen: draft, scroll position, folds, searches and questions stay there while
 * another agent is shown.  All share the terminal, the loop, the store, the tools,
 * the mode and rules for calls, and the connections to providers.
 *
 * The chat owns the agents; an agent owns its screen and its reads of the store;
 * the core owns the sessions.  chat->screen, chat->linear and core.session always
 * belong to the shown agent.
 *
 * May include: all.
 */
#ifndef IK_CHAT_CHAT_AGENTS_H
#define IK_CHAT_CHAT_AGENTS_H

#include "commands/complete.h"
#include "conversation/event.h"
#include "tui/screen/linear.h"
#include "tui/screen/screen.h"

struct ik_chat;

/* What the list in an agent's picker is for. */
enum ik_picking {
	IK_PICKING_NOTHING,
	IK_PICKING_REWIND, /* a message: "/rewind N" */
	IK_PICKING_FORK,   /* "/fork N" */
	IK_PICKING_JOIN,   /* another agent: "/join N WORDS" */
	IK_PICKING_AGENT   /* any agent: "/agents N" */
};

struct ik_agent {
	struct ik_agent *next; /* with the next number */
	struct ik_chat *chat;
	int number;                 /* from 1; numbers of closed agents are reused */
	struct ik_agent *parent;    /* the agent it was forked from, or NULL */
	char *task;                 /* its first prompt, in one line; NULL: it was not forked */
	int64_t forked_at;          /* the last event it shares with its parent */
	struct ik_session *session; /* NULL: the core has not started yet */
	struct ik_screen *screen;
	struct ik_linear *linear; /* NULL: cells are shown */
	struct ik_complete *complete;

	struct ik_chat_question *questions;         /* those on its screen */
	struct ik_chat_call *calls;                 /* calls that wait for permission */
	struct ik_chat_blobs *blobs;                /* parts of stored outputs; NULL: none */
	struct ik_store_read *list_read, *end_read; /* of its pane of sessions; NULL: none runs */
	char end_of[IK_UUID_TEXT];                  /* the session whose end is read */
	struct ik_chat_search *search;              /* a search over all sessions; NULL: none */
	struct ik_chat_children *children;          /* its session's children, while they are read */
	enum ik_picking picking;                    /* what its picker lists */
	char *picking_words;                        /* the words after what is picked */
	struct ik_timer *idle_timer;                /* looks whether what is under way has ended */
	void (*when_idle)(struct ik_agent *agent);  /* what is done then; NULL: nothing */
	char switch_to[IK_UUID_TEXT];               /* the session to resume then */
	char *before; /* what to say once the next session is there; NULL: nothing */
	char shared_command[IK_UUID_TEXT]; /* the last command whose output went with a message */
	int draft_lock;                    /* locks its draft; -1: none */
	char *draft_path, *draft_new;      /* NULL: drafts cannot be saved */

	char *lock_asker;  /* who asked for its session last, or NULL */
	int lock_question; /* the question whether to hand its session over; 0: none */

	int64_t turn_started_ms; /* monotonic; 0: no turn runs */
	bool failed;             /* its last turn ended with an error */
	bool restoring;          /* its stored events are arriving */
	bool unread;             /* it has news that were never on the screen */
};

/* ---- agent_list.c ---- */

/* Return the agent with this number, or NULL. */
struct ik_agent *ik_agent_find(const struct ik_chat *chat, int number);
size_t ik_agent_count(const struct ik_chat *chat);
/* End its session and begin another. False: something is under way, and all stays as it is. */
bool ik_agent_begin_session(struct ik_agent *agent);
/* Is there anything to cancel? */
bool ik_agent_works(const struct ik_agent *agent);
/* Do something once nothing is under way in its session. */
void ik_agent_when_idle(struct ik_agent *agent, void (*when_idle)(struct ik_agent *agent));
/* The program is about to be stopped, and is back. */
void ik_agents_pause(struct ik_chat *chat);
void ik_agents_continue(struct ik_chat *chat);

/* ---- chat_agents.c ---- */

/* Make an agent with the lowest free number. It is not shown, and has no session yet. */
struct ik_agent *ik_agent_new(struct ik_chat *chat);
/* Close an agent: its session can be resumed, and another agent is shown. */
struct ik_agent *ik_agent_close(struct ik_agent *agent);
/* Release all agents when the program ends. */
void ik_agents_done(struct ik_chat *chat);

/* Show it from the next frame on. */
void ik_agent_show(struct ik_agent *agent);
/* Show the next agent (0), the previous one (-1), or the one with this number. */
void ik_agent_show_number(struct ik_chat *chat, int number);

/* Take an event of an agent's session (an ik_event_sink). */
void ik_agent_event(void *agent, const struct ik_event *event);
/* Take an event of the store: all agents get its state, only the shown one its notices. */
void ik_agents_store_event(void *chat, const struct ik_event *event);

/* ---- chat_say.c ---- */

/* Return the key that shows an agent, for a sentence; the caller frees it. */
char *ik_agent_key(const struct ik_chat *chat, int number);

/* ---- chat_fork.c ---- */

/* "/fork PROMPT": start a child of the shown agent with the prompt. */
void ik_agent_fork(struct ik_chat *chat, const char *line, const char *prompt);

/* "/join [N] [WORDS]": send a child's last reply to this model; without N in a child, send its own
 * to the parent and show that. Of several children the user picks one. */
void ik_agent_join(struct ik_chat *chat, const struct ik_invocation *invocation);
/* "/agents [N]", "/close [N]" */
void ik_agents_list(struct ik_chat *chat, const struct ik_invocation *invocation);
void ik_agent_close_named(struct ik_chat *chat, const struct ik_invocation *invocation);

/* ---- chat_quit.c ---- */

/* End the program; asks first where something runs. */
void ik_chat_quit(struct ik_chat *chat);

/* chat_pick.c: lists to pick from where a command needs a choice: a message, an agent. A pick
 * becomes the command line that you could have typed. */

/* Open a list in the shown agent; words follow the number in the command line. */
void ik_chat_pick(struct ik_chat *chat, enum ik_picking what, const char *words);

/* An agent's messages, or the agents, have changed: update its list if that is open. */
void ik_chat_pick_again(struct ik_agent *agent);

/* chat_children.c: the agents that a session had begun, when it is gone on with later: which
 * there are, which have not finished, and how to go on with them. */

/* The session of an agent was restored: report its children as soon as they are known. */
void ik_chat_children_look(struct ik_agent *agent);
/* Take an event of the agent's session. */
void ik_chat_children_event(struct ik_agent *agent, const struct ik_event *event);
/* Cancel it. Accepts NULL and returns NULL. */
struct ik_chat_children *ik_chat_children_free(struct ik_chat_children *children);

/* chat_search.c: a search in all sessions, for the pane of an agent's screen: a moment after the
 * words were typed, again by itself while there is more to come. */

/* As struct ik_sessions_source has it. */
void ik_chat_search_ask(struct ik_agent *agent, const char *words, bool here, bool writing,
	bool first);
/* Stop the search. */
void ik_chat_search_stop(struct ik_agent *agent);
/* Accepts NULL and returns NULL. */
struct ik_chat_search *ik_chat_search_free(struct ik_chat_search *search);

/* agents_text.c: the state of an agent in words, and what /join sends. */

/* Append its state, in a word or two. */
void ik_agents_text_state(const struct ik_agent *agent, struct ik_buf *out);
/* Return what it is about; the caller frees it. */
char *ik_agents_text_title(const struct ik_agent *agent);
/* Append turns, tokens, cost and parent, then its task and its last reply. */
void ik_agents_text_facts(const struct ik_agent *agent, struct ik_buf *out);

/* Append what a child did and its last reply, then words (or ""), as a message for another agent's
 * model. False: it has not replied yet. */
bool ik_agents_text_join(const struct ik_agent *child, const char *words, struct ik_buf *out);

#endif
