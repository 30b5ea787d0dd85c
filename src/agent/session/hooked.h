/*
 * hooked: what the hooks of the user say of a session's calls and messages, and of the ends of its
 * turns.
 *
 * Starts hooks (hook/hook_run.h), keeps what they said of each call until the turn is over, shows
 * their words, and reports when something that waits for them can go on. Without hooks each of these
 * functions returns at once.
 *
 * Owns the running hooks and the messages that wait for them. May include: util, json, conversation,
 * loop, hook, guard, agent/turn/turn.h, agent/session/record.h.
 */
#ifndef IK_AGENT_SESSION_HOOKED_H
#define IK_AGENT_SESSION_HOOKED_H

#include "agent/session/record.h"
#include "agent/turn/turn.h"
#include "guard/policy.h"
#include "hook/hook_run.h"

struct ik_hooked;

/* Everything is borrowed. */
struct ik_hooked_options {
	struct ik_session_record *record;
	struct ik_hook_runner *runner;  /* NULL: there are no hooks */
	const struct ik_policy *policy; /* NULL: none */
	const char *(*model)(void *arg);
	/* There is an input for the turn: a message, a ruling, or its end. A ruling may also be about a
	 * call that a process makes, or the result of any call. */
	void (*post)(void *arg, const struct ik_input *input);
	void *arg;
};

struct ik_hooked *ik_hooked_new(const struct ik_hooked_options *options);
/* Kill the hooks, and drop what waits for them. Takes NULL. Returns NULL. */
struct ik_hooked *ik_hooked_close(struct ik_hooked *hooked);

/* Hooks are to know with the next message that the session begins: "startup", "resume", "clear" or
 * "compact"; a literal. */
void ik_hooked_begins(struct ik_hooked *hooked, const char *source);

/* Tell the hooks of an event what has happened; nobody waits for them. text may be NULL. */
void ik_hooked_tell(struct ik_hooked *hooked, enum ik_hook_event event, const char *subject,
	const char *text);

/* Ask hooks about a call, whose tool gets arguments, and has schema. Return true if there is nothing
 * (more) to wait for: *ret_outcome is what they want, or NULL. */
bool ik_hooked_rule(struct ik_hooked *hooked, const struct ik_judged_call *call,
	struct ik_json_span arguments, struct ik_json_span schema,
	const struct ik_hook_outcome **ret_outcome);
/* Return the arguments that hooks gave the call with that id, or those given. */
struct ik_json_span ik_hooked_arguments(const struct ik_hooked *hooked, const char *id,
	struct ik_json_span arguments);
/* Tell hooks how a call ended. Return true if its result has to wait for them. */
bool ik_hooked_ended(struct ik_hooked *hooked, const struct ik_judged_call *call,
	struct ik_json_span envelope);
/* Append what hooks tell the model about the call with that number in the turn. */
void ik_hooked_put_context(const struct ik_hooked *hooked, int call, struct ik_buf *out);
/* Return the result of the call with that id (taking over the reference) with what hooks did to it. */
struct ik_message *ik_hooked_result(const struct ik_hooked *hooked, const char *id,
	struct ik_message *message);

/* The same for a call that a process made, which is forgotten. */
struct ik_message *ik_hooked_forget(struct ik_hooked *hooked, const char *id,
	struct ik_message *message);

/* Ask hooks about a message. Return true if it waits for them; it is sent or refused afterwards. */
bool ik_hooked_submit(struct ik_hooked *hooked, struct ik_message *message);
/* Ask hooks whether the turn may end. Return true if that waits for them. */
bool ik_hooked_stops(struct ik_hooked *hooked, bool again);

/* Does a message wait? */
bool ik_hooked_is_busy(const struct ik_hooked *hooked);
/* End the hooks; what waits for them goes on, except that messages are not sent. */
void ik_hooked_cancel(struct ik_hooked *hooked);
/* The turn is over: forget its calls. */
void ik_hooked_end_turn(struct ik_hooked *hooked);

#endif
