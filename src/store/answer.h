/*
 * answer: what the store's readers receive.
 *
 * May include: util, json, conversation, store/holder.h.
 */
#ifndef IK_STORE_ANSWER_H
#define IK_STORE_ANSWER_H

#include "conversation/message.h"
#include "store/holder.h"

struct ik_session_info {
	char id[IK_UUID_TEXT];
	char *title;     /* first words of the first message; never NULL */
	char *directory; /* "" if unknown; never NULL */
	int64_t created_ms;
	int64_t updated_ms;
	int64_t event_count;       /* including those of its parent */
	char parent[IK_UUID_TEXT]; /* the session it was forked from; "" if none */
	int64_t forked_at;         /* number of events it shares with the parent */
	char *owner;               /* its role on a server; "" if it has no owner */
	struct ik_holder holder;   /* the process that has it open for writing; pid 0 if none */
};

/*
 * The answer to a read. The store owns all of it, and it is valid only during the callback: take
 * references to messages you keep.
 */
struct ik_store_answer {
	enum ik_status status; /* IK_OK, or the status of error */
	struct ik_error error; /* a sentence, unless the function below says otherwise */
	struct ik_session_info *sessions;
	struct ik_message **messages;
	size_t count; /* of sessions or messages */
	const char *bytes;
	size_t length;
	struct ik_json_span last; /* last line of the program's answer */
	char *row;                /* in a search: JSON, the position to continue from; NULL at the
							   * end */
};

/* A read that has no answer yet. */
struct ik_store_read;
/* Called once per read, in a later turn of the loop, with the answer; the read is freed afterwards.
 * It may call any function of the store except ik_store_close(). */
typedef void ik_store_reader(void *arg, const struct ik_store_answer *answer);

/* Cancel a read; its reader isn't called any more. Accepts NULL, returns NULL. */
struct ik_store_read *ik_store_read_close(struct ik_store_read *read);

#endif
