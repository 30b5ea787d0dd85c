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

#include "agent/call_ids.h"
#include "conversation/event.h"
#include "provider/wire/delta.h"

/* A reply with more calls than this is no reply. */
#define IK_REPLY_CALLS 1024

enum ik_part_kind { IK_PART_TEXT, IK_PART_THINKING, IK_PART_CALL };
enum ik_call_state {
	IK_CALL_PENDING, /* waits for the calls before it */
	IK_CALL_JUDGING, /* the rules are being asked */
	IK_CALL_ASKING,  /* waits for the user */
	IK_CALL_ALLOWED, /* waits for one of the calls that run beside it */
	IK_CALL_RUNNING,
	IK_CALL_DONE
};

struct ik_part {
	enum ik_part_kind kind;
	struct ik_buf text;            /* of a call: its arguments */
	struct ik_buf opaque;          /* what the provider wants back with it; empty: nothing */
	bool appended;                 /* its message is made */
	char message_id[IK_UUID_TEXT]; /* that this has, or will have */
	/* Of a call: */
	enum ik_call_state state;
	int slot;
	int call;     /* its number in the session, from 1 */
	bool granted; /* by the person */
	char *id;     /* unique in the conversation */
	char *name;
	struct ik_buf envelope; /* where it was made or changed here */
	struct ik_part *next_dead;
};

struct ik_reply {
	struct ik_part **parts;
	size_t count;
	size_t call_count;
	bool started; /* something arrived that a person could see */
	enum ik_stop_reason stop;
	bool has_usage;
	struct ik_usage usage;
};

/* Take the parts out as a list (by next_dead) behind *list, and begin anew:
 * effects may still point into them. */
void ik_reply_clear(struct ik_reply *reply, struct ik_part **list);
void ik_parts_free(struct ik_part *list);

/* Add a piece of text or thinking: to the last part, or as a new one. */
enum ik_status ik_reply_add_text(struct ik_reply *reply, enum ik_part_kind kind,
	const struct ik_delta *delta) IK_MUST_USE;

/* A call begins; *ret_part is NULL when its slot is in use already. The name is
 * made one that every provider takes back (^[A-Za-z0-9_-]{1,64}$). */
enum ik_status ik_reply_add_call(struct ik_reply *reply, const struct ik_delta *delta,
	struct ik_call_ids *ids, int number, struct ik_part **ret_part) IK_MUST_USE;

/* A piece of arguments; *ret_part is its call, NULL when there is none. */
enum ik_status ik_reply_add_arguments(struct ik_reply *reply, const struct ik_delta *delta,
	struct ik_part **ret_part) IK_MUST_USE;

/* The provider's own data for what was told before it; nothing where that is not there. */
enum ik_status ik_reply_add_opaque(struct ik_reply *reply,
	const struct ik_delta *delta) IK_MUST_USE;

/* What a delta of the kind USAGE says, at that price. */
struct ik_usage ik_delta_usage(const struct ik_delta *delta, const struct ik_price *price);

/* Is there text in it (thinking does not count)? */
bool ik_reply_has_text(const struct ik_reply *reply);

/* The message of a part; interrupted marks text as cut off. */
struct ik_message *ik_part_message(const struct ik_part *part, bool interrupted);

#endif
