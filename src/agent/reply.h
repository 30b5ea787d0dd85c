/*
 * reply: what has arrived of a model's reply, part by part.
 *
 * Text, thinking and calls in the order in which they began; pieces of several
 * calls may be interleaved.  Pure.
 *
 * Owns its parts.  May include: util, json, conversation, provider/wire/delta.h.
 */
#ifndef IK_AGENT_REPLY_H
#define IK_AGENT_REPLY_H

#include "conversation/event.h"
#include "provider/wire/delta.h"

/* Limit on the calls of a reply. */
#define IK_REPLY_CALLS 1024

/* The set of call ids that a conversation uses. Some servers give calls no id, or the same one again;
 * results are paired with calls by id, so each call must have its own. */
struct ik_call_ids {
	void *tree;    /* of strings, for tsearch(3) */
	unsigned next; /* number of the next new id */
};

void ik_call_ids_done(struct ik_call_ids *ids);

/* Add an id. False when it is there already. */
bool ik_call_ids_add(struct ik_call_ids *ids, const char *id);

enum ik_part_kind { IK_PART_TEXT, IK_PART_THINKING, IK_PART_CALL };
enum ik_call_state {
	IK_CALL_PENDING, /* waits for the calls before it */
	IK_CALL_ASKING,  /* waits for the user */
	IK_CALL_ALLOWED, /* waits until another call has ended */
	IK_CALL_RUNNING,
	IK_CALL_DONE
};

struct ik_part {
	enum ik_part_kind kind;
	struct ik_buf text;   /* of a call: its arguments */
	struct ik_buf opaque; /* what has to be sent back to the provider with it; empty: nothing */
	bool appended;        /* its message was appended */
	char message_id[IK_UUID_TEXT]; /* of its message, from the beginning */
	/* Of a call: */
	enum ik_call_state state;
	int slot;
	int call;     /* its number in the session, from 1 */
	bool granted; /* by the user */
	char *id;     /* unique in the conversation */
	char *name;
};

struct ik_reply {
	struct ik_part **parts;
	size_t count;
	size_t call_count;
	enum ik_stop_reason stop;
	bool has_usage;
	struct ik_usage usage;
};

/* Free the parts, and start empty. */
void ik_reply_clear(struct ik_reply *reply);

/* Add a piece of text or thinking: to the last part, or as a new one. */
enum ik_status ik_reply_add_text(struct ik_reply *reply, enum ik_part_kind kind,
	const struct ik_delta *delta) IK_MUST_USE;

/* Add a call; *ret_part is NULL when its slot is in use already. The name is changed to one that
 * every provider accepts (^[A-Za-z0-9_-]{1,64}$). */
enum ik_status ik_reply_add_call(struct ik_reply *reply, const struct ik_delta *delta,
	struct ik_call_ids *ids, int number, struct ik_part **ret_part) IK_MUST_USE;

/* Add a piece of arguments; *ret_part is its call, NULL when there is none. */
enum ik_status ik_reply_add_arguments(struct ik_reply *reply, const struct ik_delta *delta,
	struct ik_part **ret_part) IK_MUST_USE;

/* Add opaque data to the part that it belongs to, if there is one. */
enum ik_status ik_reply_add_opaque(struct ik_reply *reply,
	const struct ik_delta *delta) IK_MUST_USE;

/* Return what a delta of the kind USAGE says, at that price. */
struct ik_usage ik_delta_usage(const struct ik_delta *delta, const struct ik_price *price);

/* Is there text in it (thinking does not count)? */
bool ik_reply_has_text(const struct ik_reply *reply);

/* Make the message of a part; interrupted marks text as cut off. */
struct ik_message *ik_part_message(const struct ik_part *part, bool interrupted);

#endif
