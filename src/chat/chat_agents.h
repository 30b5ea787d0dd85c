/*
 * chat_agents: several conversations in one program, "agents", one of them shown.
 *
 * Each agent has a session of its own (conversation, turn, queue, usage) and a
 * screen of its own: what is written, where it is scrolled to, what is folded,
 * searched and asked belongs to it, and waits there while another is shown.
 * Shared by all: the terminal, the loop, the store, the tools and how they may be
 * called (mode and rules), the connections to providers.
 *
 * The chat owns the agents; an agent owns its screen and what it asked the store
 * for; sessions are the core's.  chat->screen, chat->linear and core.session are
 * always those of the agent that is shown.
 *
 * May include: all.
 */
#ifndef IK_CHAT_CHAT_AGENTS_H
#define IK_CHAT_CHAT_AGENTS_H

#include "chat/chat_children.h"
#include "chat/chat_pick.h"
#include "commands/complete.h"
#include "tui/screen/linear.h"
#include "tui/screen/screen.h"

struct ik_chat;

struct ik_agent {
	struct ik_agent *next; /* with the next number */
	struct ik_chat *chat;
	int number;                 /* from 1; of one that was closed it is used again */
	struct ik_agent *parent;    /* whom it was forked from, while that is there; NULL */
	char *task;                 /* what it was begun with, in one line; NULL: it was not forked */
	int64_t forked_at;          /* so many events are its parent's */
	struct ik_session *session; /* NULL: the core has yet to be started */
	struct ik_screen *screen;
	struct ik_linear *linear; /* NULL: there is a terminal that shows cells */
	struct ik_complete *complete;

	struct ik_chat_question *questions; /* those on its screen */
	struct ik_chat_call *calls;         /* those that wait for the person */
	struct ik_chat_blob *blobs; /* parts of stored outputs, the one that was wanted last first */
	struct ik_store_read *list_read, *end_read; /* for its pane of sessions; NULL: none is out */
	char end_of[IK_UUID_TEXT];                  /* whose end is read */
	struct ik_chat_search *search; /* the same for what was said; NULL: nothing was looked for */
	struct ik_chat_children *children; /* that its session had begun, while they are looked at */
	enum ik_picking picking;           /* what is chosen in its picker */
	char *picking_words;               /* and stands behind that */
	char *before; /* what to say once another session is there; NULL: nothing */
	char shared_command[IK_UUID_TEXT]; /* the newest command whose output went with a message */
	int draft_lock;                    /* held while the draft is this agent's; -1: none */
	char *draft_path, *draft_new;      /* NULL: there is nowhere to keep it */
	bool draft_stale;                  /* what was sent stands in it until the store has that */

	char *lock_asker;  /* who asked for its session last; NULL */
	int lock_question; /* somebody asks for its session; 0: nobody */
	bool letting_go;   /* and gets it when nothing is under way */
	bool cancelled_for_it;
	struct ik_timer *lock_timer; /* looks whether that is so */

	int64_t turn_started_ms; /* monotonic; 0: no turn runs */
	bool failed;             /* its last turn ended with an error */
	bool restoring;          /* what is told is old */
	bool unread;             /* something was said that was never on the screen */
};

/* ---- agent_list.c ---- */

/* The one of that number, or NULL. */
struct ik_agent *ik_agent_find(const struct ik_chat *chat, int number);
size_t ik_agent_count(const struct ik_chat *chat);
/* End the session of the agent that is shown and begin another; as ik_core_begin_session(). */
bool ik_agent_begin_session(struct ik_agent *agent);
/* Is there anything that a cancel would end? */
bool ik_agent_works(const struct ik_agent *agent);
/* The program is about to stop for a while; it is back. */
void ik_agents_pause(struct ik_chat *chat);
void ik_agents_continue(struct ik_chat *chat);
/* Calls that wait are judged anew, everywhere. */
void ik_agents_policy_changed(struct ik_chat *chat);
/* Its screen shows the mode, or that the session is only read along. */
void ik_agent_tell_mode(struct ik_agent *agent);

/* ---- chat_agents.c ---- */

/* Make one more, with the lowest number that is free, not shown, without a session. Its
 * screen has the size of the terminal. */
struct ik_agent *ik_agent_new(struct ik_chat *chat);
/* End its session, which can be resumed, and forget it. Another one is shown. */
struct ik_agent *ik_agent_close(struct ik_agent *agent);
/* Forget all, when the program ends; sessions stay the core's. */
void ik_agents_done(struct ik_chat *chat);

/* Show it from the next frame on. */
void ik_agent_show(struct ik_agent *agent);
/* What a key means: the next one (0), the one before (-1), that of a number. */
void ik_agent_show_number(struct ik_chat *chat, int number);

/* The events of an agent's session (an ik_event_sink). */
void ik_agent_event(void *agent, const struct ik_event *event);
/* How the store stands: all are told; a sentence is for the shown one. */
void ik_agents_store_event(void *chat, const struct ik_event *event);
/* The states of all, to the screen that is shown. */
void ik_agents_tell_states(struct ik_chat *chat);

/* ---- chat_say.c ---- */

/* Return the key that shows an agent, for a sentence; new memory. */
char *ik_agent_key(const struct ik_chat *chat, int number);

/* ---- chat_fork.c ---- */

/* "/fork PROMPT": begin a child of the shown agent with it; both go on. */
void ik_agent_fork(struct ik_chat *chat, const char *line, const char *prompt);

/* "/join [N] [WORDS]": a child's last word becomes a message here; in a child without N: there,
 * and the parent is shown; of several it has the person choose. "/agents [N]", "/close [N]". */
void ik_agent_join(struct ik_chat *chat, const struct ik_invocation *invocation);
void ik_agents_list(struct ik_chat *chat, const struct ik_invocation *invocation);
void ik_agent_close_named(struct ik_chat *chat, const struct ik_invocation *invocation);

/* ---- chat_quit.c ---- */

/* End the program; asks first where something runs. */
void ik_chat_quit(struct ik_chat *chat);

#endif
