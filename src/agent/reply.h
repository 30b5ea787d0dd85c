/*
 * reply: what has arrived of a model's reply, part by part.
 *
 * Keeps text, thinking and calls in the order in which they began; the pieces of several calls may
 * be interleaved. Pure.
 *
 * Owns its parts.  May include: util, json, conversation, provider/wire/delta.h.
 */
#ifndef IK_AGENT_REPLY_H
#define IK_AGENT_REPLY_H

#include "conversation/event.h"
#include "provider/wire/delta.h"

/* Limit on the calls in a reply. */
#define IK_REPLY_CALLS 1024

/* How the ids of calls begin that no model makes: the user's, and those by processes. */
#define IK_OWN_CALL_ID "run_"

/* The set of call ids in a conversation. Some servers give calls no id or repeat one; since ids
 * pair results with calls, each call needs its own. */
struct ik_call_ids {
	void *tree;    /* strings, for tsearch(3) */
	unsigned next; /* number of the next new id */
};

void ik_call_ids_done(struct ik_call_ids *ids);

/* Add an id. Return false if it is already in the set. */
bool ik_call_ids_add(struct ik_call_ids *ids, const char *id);

enum ik_part_kind { IK_PART_TEXT, IK_PART_THINKING, IK_PART_SEARCH, IK_PART_CALL };
enum ik_call_state {
	IK_CALL_PENDING, /* waits for the calls before it */
	IK_CALL_RULING,  /* waits for its ruling */
	IK_CALL_ASKING,  /* waits for the user */
	IK_CALL_ALLOWED, /* waits until another call has ended */
	IK_CALL_RUNNING,
	IK_CALL_DONE
};

struct ik_part {
	enum ik_part_kind kind;
	struct ik_buf text;   /* for a call: its arguments; for a search, a sentence */
	struct ik_buf opaque; /* data that must be sent back to the provider with it; may be empty */
	bool appended;        /* its message has been appended */
	bool complete;        /* a text that follows is another message: a comment, then the answer */
	char message_id[IK_UUID_TEXT]; /* of its message, set when the part begins */
	/* Of a call: */
	enum ik_call_state state;
	int slot;
	int call;     /* the call's number in the session, from 1 */
	bool granted; /* by the user */
	char *id;     /* unique in the conversation */
	char *name;
	char *line; /* what it does, in words; NULL until its message is made */
};

struct ik_reply {
	struct ik_part **parts;
	size_t count;
	size_t call_count;
	enum ik_stop_reason stop;
	char *why; /* the provider's explanation of it, or NULL */
	bool has_usage;
	struct ik_usage usage;
};

/* Free all parts. */
void ik_reply_clear(struct ik_reply *reply);

/* Add a piece of text or thinking, to the last part if it fits, else as a new part. */
enum ik_status ik_reply_add_text(struct ik_reply *reply, enum ik_part_kind kind,
	const struct ik_delta *delta) IK_MUST_USE;

/* Add a search of the web by the provider, as a new part. */
enum ik_status ik_reply_add_search(struct ik_reply *reply,
	const struct ik_delta *delta) IK_MUST_USE;

/* Add a call; set *ret_part to NULL if its slot is already in use. The name is changed to one that
 * every provider accepts (^[A-Za-z0-9_-]{1,64}$). */
enum ik_status ik_reply_add_call(struct ik_reply *reply, const struct ik_delta *delta,
	struct ik_call_ids *ids, int number, struct ik_part **ret_part) IK_MUST_USE;

/* Add a piece of arguments. *ret_part is its call, or NULL if there is no such call. */
enum ik_status ik_reply_add_arguments(struct ik_reply *reply, const struct ik_delta *delta,
	struct ik_part **ret_part) IK_MUST_USE;

/* Add opaque data to the part that it belongs to, if there is one. */
enum ik_status ik_reply_add_opaque(struct ik_reply *reply,
	const struct ik_delta *delta) IK_MUST_USE;

/* Return the usage in a delta of kind USAGE, at price. */
struct ik_usage ik_delta_usage(const struct ik_delta *delta, const struct ik_price *price);

/* Does the reply contain text, other than thinking? */
bool ik_reply_has_text(const struct ik_reply *reply);

/* Return a new message for part; interrupted marks its text as cut off. */
struct ik_message *ik_part_message(const struct ik_part *part, bool interrupted);

#endif
