/*
 * chat_log: the conversation as blocks of a scrollback: its messages and calls, what a
 * model is saying, and notices.
 *
 * Others read its members only.  Owns the scrollback; borrows calls.
 * May include: util, conversation, tui/scrollback.
 */
#ifndef IK_TUI_SCREEN_CHAT_LOG_H
#define IK_TUI_SCREEN_CHAT_LOG_H

#include "conversation/event.h"
#include "tui/scrollback/calls.h"
#include "tui/scrollback/scrollback.h"

struct ik_chat_log {
	bool markdown, hide_thinking;   /* to be set, as in struct ik_screen_options */
	size_t tool_lines;              /* the same */
	int prose_width;                /* the same */
	const struct ik_drawer *drawer; /* the same */
	struct ik_calls *calls;
	struct ik_scrollback *scrollback;
	unsigned clears;        /* how often it was emptied */
	struct ik_block **live; /* texts and thoughts of this round, in order, until
	                           their messages come; blocks of the scrollback */
	size_t live_count;
	bool live_open;              /* the last of them may go on */
	bool continues;              /* what comes next is the rest of the last reply */
	struct ik_block *last_reply; /* what a stop reason is remarked on */
};

struct ik_chat_log *ik_chat_log_new(struct ik_calls *calls);
struct ik_chat_log *ik_chat_log_free(struct ik_chat_log *log);

/* Add what an event says. */
void ik_chat_log_apply(struct ik_chat_log *log, const struct ik_event *event);
/* Add a notice of the screen's own, which is not stored. */
void ik_chat_log_say(struct ik_chat_log *log, const char *sentence);
void ik_chat_log_clear(struct ik_chat_log *log);
/* Show replies as Markdown, or as they were written; returns whether as Markdown. */
bool ik_chat_log_toggle_markdown(struct ik_chat_log *log);
/* The time (monotonic), for thoughts that grow; true: what is shown has changed. */
bool ik_chat_log_tick(struct ik_chat_log *log, int64_t now_ms);

#endif
