/*
 * call: a tool call as an editor shows it.
 *
 * Calls come from a running turn or from what is stored; they are told in the same way. An editor
 * knows a call by an id of our own, since providers use theirs again.
 *
 * May include: util, json, conversation, tool, core, acp/update.h.
 */
#ifndef IK_ACP_CALL_H
#define IK_ACP_CALL_H

#include "acp/update.h"
#include "core/core.h"

/* A call that has not ended. */
struct ik_viewed_call {
	struct ik_viewed_call *next;
	struct ik_calls_viewed *all;
	char *id, *name;         /* as the session has them */
	char told[IK_UUID_TEXT]; /* the id that the editor has */
	char *title;
	char *arguments; /* what the tool gets; NULL: not complete yet */
	size_t length;
	struct ik_buf output; /* the end of what it has printed */
	int64_t shown_ms;     /* when that was last shown */
	bool circling;        /* the question is whether the turn may go on */
	int64_t question;     /* number of the request; 0: none */
	char *targets;        /* where its paths led when it was asked */
};

/* The calls of a session. */
struct ik_calls_viewed {
	const struct ik_viewer *viewer;
	struct ik_core *core;
	struct ik_viewed_call *first;
};

/* Return the call with this id, or NULL. */
struct ik_viewed_call *ik_viewed_call_find(const struct ik_calls_viewed *calls, const char *id);

/* Tell of a call that the model is still writing; once. */
void ik_viewed_call_begin(struct ik_calls_viewed *calls, const char *id, const char *name);

/* Tell what a call does: its arguments, as the tool gets them, and a line in words. live: it is about
 * to be made, so that the file it changes can be compared. Return it. */
struct ik_viewed_call *ik_viewed_call_tell(struct ik_calls_viewed *calls, const char *id,
	const char *name, const char *line, const char *arguments, size_t length, bool live);

/* Append what identifies and describes a call, and why it is asked about, a sentence (NULL: it isn't). live:
 * as in ik_viewed_call_tell(). */
void ik_viewed_call_put(const struct ik_viewed_call *call, bool live, const char *why,
	struct ik_buf *out);

/* It runs. It has printed something: show it, but not too often. */
void ik_viewed_call_run(struct ik_viewed_call *call);
void ik_viewed_call_print(struct ik_viewed_call *call, const char *text, size_t length);

/* Tell of its end, and forget it. result (NULL: none) has the files it returned. */
void ik_viewed_call_end(struct ik_viewed_call *call, const char *envelope, size_t length,
	const struct ik_message *result);

/* Tell that all calls have ended without a result, and forget them. */
void ik_calls_viewed_end(struct ik_calls_viewed *calls);
void ik_calls_viewed_done(struct ik_calls_viewed *calls);

#endif
