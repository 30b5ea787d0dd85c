/*
 * chat: the full-screen program, which connects terminal, screens and sessions.
 *
 * One program has several conversations, called "agents", one of which is
 * shown.  Each has its own session (conversation, turn, queue, usage) and its
 * own screen: draft, scroll position, folds, searches and questions stay there
 * while another agent is shown.  All share the terminal, the loop, the store,
 * the tools, the mode and rules for calls, and the connections to providers.
 *
 * The chat owns the agents; an agent owns its screen and its reads of the
 * store; the core owns the sessions. chat->screen, chat->linear and
 * core.session always belong to the shown agent.
 *
 * This header defines the structs, and what each file of the folder offers the
 * others.  Functions with an invocation (tui/edit/keymap.h) are run by a row of
 * actions.c.
 *
 * The files depend on each other without cycles: actions.c and chat.c are at
 * the top, agent.c and chat_draw.c at the bottom.
 *
 * May include: all.
 */
#ifndef IK_CHAT_CHAT_H
#define IK_CHAT_CHAT_H

#include "chat/call_question.h"
#include "commands/action.h"
#include "commands/complete.h"
#include "conversation/event.h"
#include "core/core.h"
#include "core/options.h"
#include "loop/tty.h"
#include "tui/screen/linear.h"
#include "tui/screen/screen.h"
#include "tui/term/osc.h"
#include "tui/term/term.h"

/* Run the chat, and return the exit status. */
int ik_chat_run(const struct ik_options *options, struct ik_setup *setup);

/* The purpose of an agent's picker. */
enum ik_picking {
	IK_PICKING_NOTHING,
	IK_PICKING_REWIND,  /* a message: "/rewind N" */
	IK_PICKING_FORK,    /* "/fork N" */
	IK_PICKING_JOIN,    /* another agent: "/join N WORDS" */
	IK_PICKING_AGENT,   /* any agent: "/agents N" */
	IK_PICKING_ARGUMENT /* what a command can take: "/theme NAME" */
};

/* Receives a message that has all that goes with it (core/attach.h); draft is what was typed. */
struct ik_agent;
typedef void ik_chat_sent(struct ik_agent *agent, struct ik_message *message,
	const char *last_command, const char *draft);

struct ik_agent {
	struct ik_agent *next; /* with the next higher number */
	struct ik_chat *chat;
	int number;                 /* from 1; numbers of closed agents are reused */
	struct ik_agent *parent;    /* the agent it was forked from, or NULL */
	char *task;                 /* its first prompt, in one line; NULL if it was not forked */
	int64_t forked_at;          /* last event it shares with its parent */
	struct ik_session *session; /* NULL until the core has started */
	struct ik_screen *screen;
	struct ik_linear *linear; /* NULL if cells are shown */
	struct ik_choices *choices;
	struct ik_complete *complete;

	struct ik_chat_question *questions;         /* the questions on its screen */
	struct ik_chat_call *calls;                 /* calls that wait for permission */
	struct ik_chat_form *forms;                 /* what calls that run want to know */
	struct ik_chat_blobs *blobs;                /* parts of stored outputs, or NULL */
	struct ik_store_read *list_read, *end_read; /* reads of its sessions pane, or NULL */
	char end_of[IK_UUID_TEXT];                  /* the session whose end is being read */
	struct ik_chat_search *search;              /* a search over all sessions, or NULL */
	struct ik_chat_children *children; /* its session's children while they are read, or NULL */
	enum ik_picking picking;           /* what its picker is for */
	char *picking_words;               /* the words to append to the pick */
	const struct ik_action_row *picking_row;   /* the command for whose argument it is */
	struct ik_timer *idle_timer;               /* checks whether the session is idle */
	void (*when_idle)(struct ik_agent *agent); /* called when idle, or NULL */
	char switch_to[IK_UUID_TEXT];              /* the session to resume when idle */
	char *before;                      /* what to say once the next session is ready, or NULL */
	struct ik_attach *sending;         /* reads the files of a message on its way, or NULL */
	ik_chat_sent *sent;                /* gets it then */
	char *sending_draft;               /* what was typed of it, or NULL */
	char shared_command[IK_UUID_TEXT]; /* the last command whose output went with a message */
	int draft_lock;                    /* lock of its draft, or -1 */
	char *draft_path, *draft_new;      /* NULL if drafts can't be saved */

	char *lock_asker;  /* who last asked to take its session over, or NULL */
	int lock_question; /* the question whether to hand its session over, or 0 */

	int64_t turn_started_ms;     /* monotonic; 0 if no turn runs */
	bool failed;                 /* its last turn ended with an error */
	bool restoring;              /* its stored events are being read */
	bool unread;                 /* it has unseen news */
	enum ik_agent_state noticed; /* its state as chat_notify.c saw it last */
	int64_t busy_ms;             /* when it began to work, monotonic */
};

struct ik_chat {
	const struct ik_options *options;
	struct ik_setup *setup;
	struct ik_loop *loop;
	struct ik_core core;
	bool core_started; /* at the first frame, before any key */
	bool plain, ansi;  /* plain lines, no cells; the terminal can move its cursor */
	bool utf8;         /* it shows UTF-8 */

	struct ik_tty *tty;
	struct ik_term *term;               /* NULL if plain lines are shown */
	struct ik_linear *linear;           /* the shown agent's; NULL if cells are shown */
	struct ik_term_modes modes;         /* the terminal's modes, or those to enter it with */
	struct ik_osc osc;                  /* what else the terminal understands */
	bool unfocused;                     /* another window has focus, as the terminal reports */
	char *title;                        /* the terminal's as last set; NULL: none was */
	enum ik_osc_progress progress;      /* as last set */
	struct ik_chat_status *status_line; /* chat_status.c; NULL: there is no command for it */
	struct ik_child *notifier;          /* the user's program for that, while it runs, or NULL */
	struct ik_terminal_input *input;
	struct ik_agent *agents;  /* all conversations, by number */
	struct ik_agent *agent;   /* the shown one */
	struct ik_screen *screen; /* the shown agent's */
	int last_question;        /* ID of the newest question */
	int quit_question;        /* the question whether to quit while something runs, or 0 */
	struct ik_welcome welcome;
	struct ik_chat_paste *paste; /* reads a picture from the clipboard, or NULL */
	struct ik_chat_pictures *pictures;
	struct ik_drawer drawer; /* of pictures, for all screens */
	bool sixels;             /* the terminal draws them */
	struct ik_cells cells;
	struct ik_buf frame;

	struct ik_timer *escape_timer; /* turns a lone ESC into the key */
	struct ik_timer *frame_timer;  /* draws the next frame of a streaming reply */
	struct ik_timer *tick_timer;   /* redraws what shows time */
	struct ik_timer *answer_timer; /* ends the wait for the terminal's answers */
	struct ik_timer *end_timer;    /* checks whether what was cancelled at the end has ended, */
	int64_t end_by_ms;             /* for which it has until then (monotonic) */
	struct ik_timer *draft_timer;  /* saves the draft shortly after typing */
	struct ik_watch *signals[3];   /* those that quit the chat */
	int64_t last_frame_us;
	struct ik_progress work; /* progress of the store's long work */
	bool urgent;             /* draw without waiting */
	bool resized;            /* the screen does not have the terminal's new size yet */
	bool light;              /* the terminal's background is light, if known */
	bool ending;             /* ignore further typing */
	char *last_shell;        /* the command that "!!" repeats, or NULL */
	bool draft_told;         /* the user knows that a draft can't be saved */

	struct ik_external_program *program; /* has the terminal; NULL if no program has it */

	struct ik_store_read *old_read; /* looks for the next session to expire */
	int64_t old_ms;                 /* when the last one it found was used */
	char old_id[IK_UUID_TEXT];
	struct ik_session_find *find; /* searches for the session to resume, */
	char *find_words;             /* with these words */

	struct ik_chat_trust *trust;  /* chat_trust.h; NULL until the first scan has ended */
	struct ik_registry *registry; /* the tools of the last finished scan, or NULL */
	char *undo_call;              /* the call to undo once its changes are recorded, or NULL */
	struct ik_actions *actions;   /* actions.c, and custom commands */
	char *refresh_line;           /* the command line that started a scan, or NULL */
	int refresh_agent;            /* the agent in which it was typed */
	bool refresh_key;             /* a key started the scan, so report even if nothing is new */
	int status;
};

/* ---- agent.c ---- */

/* Return the agent with this number, or NULL. */
struct ik_agent *ik_agent_find(const struct ik_chat *chat, int number);
/* Return the agent that has the session with this id, or NULL. */
struct ik_agent *ik_agent_with(const struct ik_chat *chat, const char *id);
size_t ik_agent_count(const struct ik_chat *chat);
/* End its session and begin another. If something is under way, change nothing and return false. */
bool ik_agent_begin_session(struct ik_agent *agent);
/* Is there anything to cancel? */
bool ik_agent_works(const struct ik_agent *agent);
enum ik_agent_state ik_agent_state(const struct ik_agent *agent);
/* Call when_idle once nothing is under way in its session. */
void ik_agent_when_idle(struct ik_agent *agent, void (*when_idle)(struct ik_agent *agent));
/* Pause the agents before the program stops, or continue them afterwards. */
void ik_agents_pause(const struct ik_chat *chat, bool pause);

/* Show a sentence on an agent's screen only, as an IK_EVENT_NOTICE or ..._ERROR. */
void ik_agent_say(struct ik_agent *agent, enum ik_event_kind kind, const char *format, ...)
	IK_PRINTF(3, 4);
/* Show a sentence over the editor of the shown agent, until its next key. */
void ik_chat_flash(const struct ik_chat *chat, const char *format, ...) IK_PRINTF(2, 3);
/* Return a sentence with the current keys in place of their names in braces; the caller frees
 * it. */
char *ik_chat_with_keys(const struct ik_chat *chat, const char *sentence);
/* Return the key that shows an agent, for a sentence; the caller frees it. */
char *ik_agent_key(const struct ik_chat *chat, int number);

/* ---- chat_agents.c ---- */

/* Create an agent with the lowest free number. It is not shown, and has no session yet. */
struct ik_agent *ik_agent_new(struct ik_chat *chat);
/* Close an agent, whose session can be resumed, and show another one. */
struct ik_agent *ik_agent_close(struct ik_agent *agent);
/* Forget the parts of stored outputs that its inspector read. */
void ik_chat_forget_blobs(struct ik_agent *agent);
/* Release all agents when the program ends. */
void ik_agents_done(struct ik_chat *chat);

/* Show an agent from the next frame on. */
void ik_agent_show(struct ik_agent *agent);
/* Show the next agent (0), the previous one (-1), or the one with this number. */
void ik_agent_show_number(struct ik_chat *chat, int number);

/* Handle an event of an agent's session (an ik_event_sink). */
void ik_agent_event(void *agent, const struct ik_event *event);
/* Handle an event of the store: all agents get its state, only the shown one its notices. */
void ik_agents_store_event(void *chat, const struct ik_event *event);

/* ---- chat_fork.c ---- */

/* "/fork [PROMPT | N | ?]": continue in a copy of the whole session, or of its events up to the
 * answer to the user's Nth last message. With a prompt, a child of the shown agent starts with
  * it. */
void ik_chat_fork(struct ik_chat *chat, const struct ik_invocation *invocation);
/* "/rewind [N | ?]": continue in a copy of the session up to before that message. */
void ik_chat_rewind_to(struct ik_chat *chat, const struct ik_invocation *invocation);

/* "/join [N] [WORDS]": send a child's last reply to this model. In a child, without N, send its
 * own reply to the parent and show the parent. If there are several children, let the user pick
 * one. */
void ik_agent_join(struct ik_chat *chat, const struct ik_invocation *invocation);
/* "/agents [N]", "/close [N]" */
void ik_agents_list(struct ik_chat *chat, const struct ik_invocation *invocation);
void ik_agent_close_named(struct ik_chat *chat, const struct ik_invocation *invocation);

/* ---- chat_quit.c ---- */

/* Quit the program; ask first if something runs. */
void ik_chat_quit(struct ik_chat *chat);

/* chat_pick.c: lists to pick from when a command needs a choice: a message, an agent. A pick
 * becomes the command line that you could have typed. */

/* Return the user's Nth last stored message, or NULL if there are fewer. */
const struct ik_message *ik_chat_question_at(const struct ik_conversation *conversation,
	long number);

/* Open a picker in the shown agent; words follow the number in the command line. */
void ik_chat_pick(struct ik_chat *chat, enum ik_picking what, const char *words);
/* Let the user choose a command's argument (commands/choices.h). */
void ik_chat_pick_argument(struct ik_chat *chat, const struct ik_action_row *row);

/* Update an agent's picker, if it is open, after its messages or the agents have changed. */
void ik_chat_pick_again(struct ik_agent *agent);

/* Append what a child did and its last reply, then words (or ""), as a message for another
 * agent's model. Return false if it has not replied yet. */
bool ik_agents_text_join(const struct ik_agent *child, const char *words, struct ik_buf *out);

/* chat_children.c: after a session is resumed, the agents that it had started: which there are,
 * which have not finished, and how to resume them. */

/* Look for the children of a restored session, and report them once they are known. */
void ik_chat_children_look(struct ik_agent *agent);
/* Handle an event of the agent's session. */
void ik_chat_children_event(struct ik_agent *agent, const struct ik_event *event);
/* Cancel the search. Accepts NULL and returns NULL. */
struct ik_chat_children *ik_chat_children_free(struct ik_chat_children *children);

/* chat_draw.c: the one place that draws, called before the loop sleeps. */
void ik_chat_draw(void *chat);
/* Draw every cell in the next frame. */
void ik_chat_redraw(struct ik_chat *chat);
/* Draw in the next turn of the loop, whatever the frame rate. */
void ik_chat_draw_now(struct ik_chat *chat);

/* Return the size of the screen. */
void ik_chat_size(const struct ik_chat *chat, int *ret_rows, int *ret_columns);

/* chat_paste.c: put the picture on the clipboard into the message, as a file that it mentions. */
void ik_chat_paste_image(struct ik_chat *chat, const struct ik_invocation *invocation);
void ik_chat_paste_done(struct ik_chat *chat);

/* chat_pictures.c: pictures in conversations, drawn once they come into view. */
struct ik_drawer ik_chat_pictures_new(struct ik_chat *chat);
void ik_chat_pictures_done(struct ik_chat *chat);
/* Return how this terminal shows pictures now. */
enum ik_drawing_way ik_chat_pictures_way(const struct ik_chat *chat);

/* chat_submit.c: run a command or "!COMMAND", or send a message. */
void ik_chat_submit(struct ik_chat *chat, const char *text, size_t length);
/* Make a message of text and what goes with it, and pass it to sent, once its files are read and its
 * custom command has run. draft is what was typed, which comes back into the editor if that fails. */
void ik_chat_attach(struct ik_agent *agent, const char *text, size_t length, const char *draft,
	ik_chat_sent *sent);
/* Stop reading these files; what was typed comes back into the editor. */
void ik_chat_stop_sending(struct ik_agent *agent);

/* chat_terminal.c: the terminal's modes, and queries, which it answers with reports. */
enum ik_status ik_chat_terminal_enter(struct ik_chat *chat, struct ik_error *error) IK_MUST_USE;
void ik_chat_terminal_ask(struct ik_chat *chat);
void ik_chat_terminal_unanswered(void *chat);
/* Use the mouse (true), or leave it to the terminal (false). */
void ik_chat_set_mouse(struct ik_chat *chat, bool on);

/* chat_notify.c: the terminal's title and progress, and notices for a user who looks elsewhere. */
/* Tell what has changed since the last frame. */
void ik_chat_notify_update(struct ik_chat *chat);
/* Tell all of it in the next frame, to a terminal that was left and is ours again. */
void ik_chat_notify_again(struct ik_chat *chat);
void ik_chat_notify_done(struct ik_chat *chat);

/* chat_status.c: update the status bar, for which the user's command makes a line anew if something has
 * changed. */
void ik_chat_status_update(struct ik_chat *chat);
void ik_chat_status_done(struct ik_chat *chat);

/* Callbacks for the terminal's bytes and events. */
extern const struct ik_tty_events ik_chat_tty_events;
void ik_chat_escape_timeout(void *chat);

/* chat_draft.c: save the text of the editor, so that it survives the program. */
void ik_chat_draft_load(struct ik_agent *agent);
/* Reserve a draft. empty: for a conversation that starts with an empty editor. */
void ik_chat_draft_begin(struct ik_agent *agent, bool empty);
/* Release an agent's draft; its file stays as last saved. */
void ik_chat_draft_end(struct ik_agent *agent);
/* Save all drafts, each after its queued messages; return 0 or errno. Allocates nothing. */
int ik_chat_draft_save(const struct ik_chat *chat);
/* Handle an event of a session. A message stays in the draft until it is in the journal, so that
 * it always survives a kill. */
void ik_chat_draft_event(struct ik_agent *agent, const struct ik_event *event);
/* Put the newest queued message into the editor, before the draft, */
void ik_chat_take_back(struct ik_chat *chat, const struct ik_invocation *invocation);
/* or all queued messages. */
void ik_chat_take_queue_back(struct ik_chat *chat);
/* Put a message into an agent's editor, before the draft, if both fit. */
bool ik_agent_put_back(struct ik_agent *agent, const char *message, size_t length);
/* Save the draft soon, after typing or queueing, but not at every key. */
void ik_chat_draft_changed(struct ik_chat *chat);
void ik_chat_draft_due(void *chat);

/*
 * agent.c: ask a question on an agent's screen, once that is shown, and return its ID.
 * The handler gets the answer once, unless the question is withdrawn first; it
 * may ask again. answer is NULL if the conversation is closed unanswered, or the same
 * question is asked again, which a key can do. The question's text is released.
 */
typedef void ik_answer_handler(struct ik_chat *chat, void *arg, const struct ik_invocation *answer);
int ik_agent_ask(struct ik_agent *agent, struct ik_question *question, ik_answer_handler *handler,
	void *arg);

/* arg is the question's, which is on the agent's screen. */
typedef bool ik_would_stop(const struct ik_agent *agent, const void *arg);

/* A yes/no question before a key's or command's action. */
struct ik_confirmation {
	const char *title;
	const char *text, *hint;  /* what it is about, what it means; may be NULL */
	struct ik_question shown; /* its text is shown first; released */
	char yes_key, no_key;
	const char *yes, *no;
	bool guarded; /* as in struct ik_question */
	/* Would yes stop something that runs? Once nothing does, yes is done without an answer; if
	 * the question was put aside, it goes instead. NULL: it waits for the answer. */
	ik_would_stop *would_stop;
};
/* Ask it in the shown agent. yes is called if the answer is yes; arg (or NULL) is freed in any
 * case. */
typedef void ik_confirmed(struct ik_chat *chat, void *arg);
int ik_chat_confirm(struct ik_chat *chat, const struct ik_confirmation *about, ik_confirmed *yes,
	void *arg);
/* Settle a question about what ran and has ended. Call it before the loop sleeps. */
void ik_chat_questions_update(struct ik_chat *chat);
/* Withdraw a question if it is still open. */
void ik_chat_withdraw(struct ik_chat *chat, int question);
/* Withdraw an agent's questions to which yes would be called. */
void ik_agent_withdraw_all(struct ik_agent *agent, ik_confirmed *yes);
/* Pass an answer to its handler. */
void ik_chat_answered(struct ik_chat *chat, const struct ik_invocation *invocation);
/* Drop an agent's questions; their handlers get NULL. */
void ik_chat_forget_questions(struct ik_agent *agent);

/* chat_policy.c: calls that wait for permission. */
void ik_chat_policy_event(struct ik_agent *agent, const struct ik_event *event);
void ik_chat_policy_done(struct ik_agent *agent);

/* chat_form.c: ask for the user what running calls want to know. */
void ik_chat_form_event(struct ik_agent *agent, const struct ik_event *event);
void ik_chat_forms_done(struct ik_agent *agent);

/* chat_tools.c: rescan the tools. line: the command that the result answers, or NULL. */
void ik_chat_refresh(struct ik_chat *chat, const char *line);
/* Switch a tool on or off; asks whether for the session or permanently. */
void ik_chat_switch_tool(struct ik_chat *chat, const struct ik_invocation *invocation);
ik_tool_form ik_chat_put_form;
/* Repeat a call, "/run NAME JSON", or "!COMMAND"; asks first. */
void ik_chat_rerun(struct ik_chat *chat, const struct ik_invocation *invocation);
/* Undo the file changes of one call; asks first. */
void ik_chat_undo_call(struct ik_chat *chat, const struct ik_invocation *invocation);
/* Withdraw the questions whether to, after /undo or /redo. */
void ik_chat_undo_event(struct ik_agent *agent, const struct ik_event *event);

/* chat_fork.c: rewind to before the user's Nth last message; asks first. */
void ik_chat_rewind(struct ik_chat *chat, const struct ik_invocation *invocation);

/* chat_sessions.c: the data of the pane of sessions. */
extern const struct ik_sessions_source ik_chat_sessions_source;
/* Stop searching for a session to resume. */
void ik_chat_sessions_stop(struct ik_chat *chat);
/* Delete, one after another, the sessions unused for longer than keep.sessions_days, unless one
 * is about to be resumed. */
void ik_chat_expire_sessions(struct ik_chat *chat);
/* Drop the requests of an agent's sessions pane. */
void ik_chat_sessions_done(struct ik_agent *agent);

/* chat_switch.c: resume the session with this ID in place of the shown one; asks first while a
 * turn runs. */
void ik_chat_resume(struct ik_chat *chat, const char *id);
/* Resume a session by number, ID prefix, or words of the title. */
void ik_chat_resume_named(struct ik_chat *chat, const char *text);
/* Resume a new fork of this session, which must be idle. Takes over the fork's conversation in
 * memory, which may be NULL. */
void ik_chat_resume_fork(struct ik_chat *chat, const char *id, struct ik_conversation *copy);
/* Delete a stored session; asks first. */
void ik_chat_delete_session(struct ik_chat *chat, const struct ik_invocation *invocation);
/* Handle the end of an agent's restore (an ik_session_restored). */
void ik_agent_restored(void *agent, const struct ik_error *error);
/* Prepare an agent for a change of session. */
void ik_agent_session_changed(struct ik_agent *agent);

/* chat_lock.c: sessions that are also open in another ikigai. */
void ik_chat_lock_event(struct ik_agent *agent, const struct ik_event *event);
/* Ask to take the session over; called again, withdraw the request. */
void ik_chat_take_over(struct ik_chat *chat, const struct ik_invocation *invocation);
/* Is the session only followed? If so, also tell the user what to do. */
bool ik_chat_only_reads(struct ik_chat *chat);
void ik_chat_lock_done(struct ik_agent *agent);

/* chat_quit.c: quit after this turn of the loop; ik_chat_quit() asks first. Unless a signal is the
 * reason, what is under way is cancelled first, for which it has some seconds. */
void ik_chat_end(struct ik_chat *chat, int status);
/* Stop the loop once nothing is waited for any more (the chat's end_timer). */
void ik_chat_stop(void *chat);

/* chat_trust.c: the question whether to trust files from a project. Meanwhile, the chat
 * continues with the tools it has. */

/* After a scan, ask about what it skipped, unless already answered. An answer that trusts
 * something starts another scan. */
void ik_chat_trust_ask(struct ik_chat *chat, const struct ik_registry *registry);

/* Ask postponed questions again after the scan, because the user rescans tools. */
void ik_chat_trust_again(struct ik_chat *chat);

/* Accepts NULL and returns NULL. */
struct ik_chat_trust *ik_chat_trust_free(struct ik_chat_trust *trust);

/* chat_welcome.c: fill in what the welcome says of the session's directory. */
void ik_chat_welcome_look(struct ik_chat *chat);
void ik_chat_welcome_done(struct ik_chat *chat);

/* external_program.c: a program of the user's that has the terminal until it ends: an editor for
 * the next message ($VISUAL, else $EDITOR, else vi), or a pager for a text ($PAGER, else less -R).
 * A turn continues meanwhile, unseen. */

/* Open a program; an error is shown on the screen. No effect while one is open. */
void ik_external_editor_open(struct ik_chat *chat, const struct ik_invocation *invocation);
void ik_external_pager_open(struct ik_chat *chat, const struct ik_invocation *invocation);
/* End the program, if one is open; what an editor saved becomes the draft. */
void ik_external_program_close(struct ik_chat *chat);

/* ---- actions.c ---- */

/* Return the table; ends with a row without a function. */
const struct ik_action_row *ik_chat_actions(void);

#endif
