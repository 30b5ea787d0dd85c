/*
 * chat_private: the state that the files of the chat share.
 */
#ifndef IK_CHAT_CHAT_PRIVATE_H
#define IK_CHAT_CHAT_PRIVATE_H

#include "chat/chat_agents.h"
#include "commands/action.h"
#include "commands/commands_session.h"
#include "core/core.h"
#include "loop/tty.h"
#include "tui/screen/linear.h"
#include "tui/screen/screen.h"
#include "tui/term/term.h"
#include "tui/term/term_modes.h"

struct ik_chat {
	const struct ik_options *options;
	struct ik_setup *setup;
	struct ik_loop *loop;
	struct ik_core core;
	bool core_started;
	bool plain, ansi; /* lines instead of cells; the terminal moves its cursor */

	struct ik_tty *tty;
	struct ik_term *term;       /* NULL: plain lines */
	struct ik_linear *linear;   /* else NULL: the shown agent's */
	struct ik_term_modes modes; /* that the terminal is in, or enters with */
	struct ik_terminal_input *input;
	struct ik_agent *agents;  /* the conversations, by number; the first is the oldest */
	struct ik_agent *agent;   /* the one that is shown */
	struct ik_screen *screen; /* the shown agent's */
	void (*questions_changed)(struct ik_chat *chat); /* an agent waits for an answer, or no more */
	int last_question;                               /* the number of the newest */
	int quit_question; /* whether to end although something runs; 0: not asked */
	struct ik_cells cells;
	struct ik_buf frame;

	struct ik_timer *escape_timer; /* a lone ESC becomes the key */
	struct ik_timer *frame_timer;  /* the next frame of a stream */
	struct ik_timer *tick_timer;   /* what shows time */
	struct ik_timer *answer_timer; /* of the terminal, to what it was asked */
	struct ik_timer *draft_timer;  /* what was typed is saved a moment later */
	struct ik_signal *signals[3];  /* that end the chat */
	int64_t last_frame_us;
	bool urgent;      /* draw without waiting */
	bool resized;     /* the screen has yet to take the terminal's size */
	bool light;       /* the terminal's background, as far as is known */
	bool ending;      /* what is still typed is for nobody */
	char *last_shell; /* what "!!" repeats; NULL: nothing yet */
	bool draft_told;  /* that one cannot be kept, once is enough */

	struct ik_pager *pager;            /* has the terminal; NULL: none */
	struct ik_external_editor *editor; /* has the terminal; NULL: none */

	struct ik_session_find *find;  /* the one to go on with is looked for, */
	char *find_words;              /* by these words; NULL */
	struct ik_timer *switch_timer; /* runs while what is under way ends */
	char switch_to[IK_UUID_TEXT];  /* the session to go on with then */

	struct ik_chat_trust *trust;  /* chat_trust.h; NULL until the first scan has ended */
	struct ik_registry *registry; /* the tools as they were told of last; NULL: not yet */
	char *undo_call;              /* the call to be undone when it is known what it did, or NULL */
	const struct ik_action_row *actions; /* actions.h */
	struct ik_fork fork;                 /* the fork to resume next, if it is one; id "": none */
	char *refresh_line;                  /* the command line that started a scan, or NULL */
	int refresh_agent;                   /* in this one */
	bool refresh_key;                    /* a key started it: whatever it finds is told */
	int status;
};

/* chat_draw.c: the one place that draws, called before the loop sleeps. */
void ik_chat_draw(void *chat);
/* All anew, from the next frame on. */
void ik_chat_redraw(struct ik_chat *chat);
/* Draw as soon as the loop turns, whatever the pace of frames. */
void ik_chat_draw_now(struct ik_chat *chat);

/* chat_draw.c: the size of the screen that is drawn. */
void ik_chat_size(const struct ik_chat *chat, int *ret_rows, int *ret_columns);

/* chat_input.c: what the terminal says. */
extern const struct ik_tty_events ik_chat_tty_events;
void ik_chat_escape_timeout(void *chat);
/* Look for tools again; the end of it answers line where a command asked (else NULL). */
void ik_chat_refresh(struct ik_chat *chat, const char *line);

/* chat_theme.c: colours that fit the terminal. begin: what the environment says;
 * asks: does it have to know the background; apply: the theme is another. */
void ik_chat_theme_begin(struct ik_chat *chat);
bool ik_chat_theme_asks(const struct ik_chat *chat);
void ik_chat_theme_answer(struct ik_chat *chat, const char *report, size_t length);
void ik_chat_theme_apply(struct ik_chat *chat);

/* chat_submit.c: what a person sends: a command, "!COMMAND", a message. */
void ik_chat_submit(struct ik_chat *chat, const char *text, size_t length);

/* chat_queue.c: put the newest message that waits for the end of the turn into the editor, */
void ik_chat_take_back(struct ik_chat *chat);
/* or all that wait, before what is in the editor. */
void ik_chat_take_queue_back(struct ik_chat *chat);

/* chat_say.c: show what went wrong, on the screen only. */
void ik_chat_complain(struct ik_chat *chat, const char *sentence);

/* chat_terminal.c: what the terminal is asked, behind a frame, whose answers come as
 * reports, and the modes that it is switched to. */
enum ik_status ik_chat_terminal_enter(struct ik_chat *chat, struct ik_error *error) IK_MUST_USE;
/* Back from a stop; it may be another terminal. */
void ik_chat_terminal_again(struct ik_chat *chat);
void ik_chat_terminal_ask(struct ik_chat *chat);
void ik_chat_terminal_unanswered(void *chat);
void ik_chat_terminal_report(struct ik_chat *chat, const char *report, size_t length);
/* Have wheel and clicks, or leave them to the terminal. */
void ik_chat_set_mouse(struct ik_chat *chat, bool on);

/* chat_draft.c: what is in the editor survives the program. */
void ik_chat_draft_load(struct ik_agent *agent);
/* Have a place for the draft of a conversation that begins with an empty editor. */
void ik_chat_draft_begin(struct ik_agent *agent);
/* An editor is gone; its draft stays as it was saved last. */
void ik_chat_draft_end(struct ik_agent *agent);
/* Save all as they are now, each after what is queued; 0 or errno. Takes no memory. */
int ik_chat_draft_save(const struct ik_chat *chat);
/* Told of all that happens in a session, and of how the store stands: a message that the
 * store has taken is no draft any more, so a kill finds it in one of the two places. */
void ik_chat_draft_event(struct ik_agent *agent, const struct ik_event *event);
/* Something was typed, or queued: save it soon, but not with every key. */
void ik_chat_draft_changed(struct ik_chat *chat);
void ik_chat_draft_due(void *chat);

/*
 * chat_ask.c: questions on the screen. The handler gets the answer, once, unless
 * the question is withdrawn first; it may ask again. NULL: nobody answers, its conversation
 * is closed. Returns the question's id.
 */
typedef void ik_answer_handler(struct ik_chat *chat, void *arg,
	const struct ik_question_answer *answer);
int ik_chat_ask(struct ik_chat *chat, const struct ik_question *question,
	ik_answer_handler *handler, void *arg);
/* The same of a conversation that may not be the shown one: asked once it is. */
int ik_agent_ask(struct ik_agent *agent, const struct ik_question *question,
	ik_answer_handler *handler, void *arg);
/* It needs no answer any more; nothing happens when it has one. */
void ik_chat_withdraw(struct ik_chat *chat, int question);
/* The person has answered. */
void ik_chat_answered(struct ik_chat *chat, const struct ik_question_answer *answer);
/* A conversation is closed: its handlers are told that nobody answers. */
void ik_chat_forget_questions(struct ik_agent *agent);

/* chat_policy.c: calls that wait for the person, and the mode. */
void ik_chat_policy_event(struct ik_agent *agent, const struct ik_event *event);
void ik_chat_policy_done(struct ik_agent *agent);
void ik_chat_set_mode(struct ik_chat *chat, enum ik_mode mode);

/* chat_blobs.c: parts of what calls printed, for an agent's inspector (an ik_blob_reader). */
enum ik_status ik_chat_read_blob(void *agent, const char *id, size_t part, struct ik_buf *out,
	struct ik_error *error);
void ik_chat_forget_blobs(struct ik_agent *agent);

/* chat_tools.c: what the tool browser wants. Asks whether for the session or for good. */
void ik_chat_switch_tool(struct ik_chat *chat, const char *name);
extern const struct ik_tool_forms ik_chat_tool_forms;
/* Make a call again, "/run NAME JSON", or run "!COMMAND" again; asks first. */
void ik_chat_rerun(struct ik_chat *chat, const char *line, size_t length);

/* chat_pick.c: "/rewind N"; asks first. */
void ik_chat_rewind(struct ik_chat *chat, long number);

/* chat_undo.c: take back what one call did to files; asks first. */
void ik_chat_undo_call(struct ik_chat *chat, const char *id);

/* chat_copy.c: put a text on the terminal's clipboard, and say so. cut: it is the beginning of one
 * that is larger than a clipboard takes. */
void ik_chat_copy(struct ik_chat *chat, const char *text, size_t length, bool cut);

/* chat_sessions.c: what the pane of sessions asks for. */
extern const struct ik_sessions_source ik_chat_sessions_source;
/* Stop looking for a session to resume, and waiting to switch to it. */
void ik_chat_sessions_stop(struct ik_chat *chat);
/* What an agent's pane asked for is not wanted any more. */
void ik_chat_sessions_done(struct ik_agent *agent);

/* chat_switch.c: another session in place of this one. */
/* Go on with the session of this id; asks first where something is under way. */
void ik_chat_resume(struct ik_chat *chat, const char *id);
/* The same of the one that a person means: its number, the beginning of its id, words. */
void ik_chat_resume_named(struct ik_chat *chat, const char *text);
/* The same of a fork of this session: its copy is taken over. */
void ik_chat_resume_fork(struct ik_chat *chat, struct ik_fork fork);
/* Ask, then delete. */
void ik_chat_delete_session(struct ik_chat *chat, const char *id);
/* The session of the shown agent is another one. */
void ik_chat_session_changed(struct ik_chat *chat);

/* chat_lock.c: a session that is open elsewhere, too. */
void ik_chat_lock_event(struct ik_agent *agent, const struct ik_event *event);
/* Ask the other one for it; once more: ask no longer. */
void ik_chat_take_over(struct ik_chat *chat);
/* Is it read along only? Then the person is told what to do. */
bool ik_chat_only_reads(struct ik_chat *chat);
void ik_chat_lock_done(struct ik_agent *agent);

/* chat_quit.c: end the program, after this turn of the loop; ik_chat_quit() asks first. */
void ik_chat_end(struct ik_chat *chat, int status);

#endif
