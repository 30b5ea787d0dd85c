/*
 * answer: what is given to those who ask the store.
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
	char *directory; /* "" where it is not known; never NULL */
	int64_t created_ms;
	int64_t updated_ms;
	int64_t event_count;       /* with those that it has from its parent */
	char parent[IK_UUID_TEXT]; /* the session that it is a fork of; "": of none */
	int64_t forked_at;         /* so many events are the parent's */
	char owner[64];            /* the role on a server; "": it has no owner */
	struct ik_holder holder;   /* who has it open for writing; pid 0: nobody */
};

/*
 * What a read gives; all of it is the store's and valid during the answer only (take
 * references of the messages that are to stay).
 */
struct ik_store_answer {
	enum ik_status status; /* IK_OK, or as error says */
	struct ik_error error; /* a sentence, unless the function below says otherwise */
	const struct ik_session_info *sessions;
	struct ik_message **messages;
	size_t count; /* of either */
	const char *bytes;
	size_t length;
	struct ik_json_span last; /* the last line of the program's answer */
	const char *row;          /* of a search: JSON, the place where others follow; NULL: none */
	int64_t mark;             /* what was noted when it was asked */
};

/* A read that has no answer yet. */
struct ik_store_read;
/* Called once, in a later turn of the loop, with what the read gave; the read is gone then.
 * Any function of the store may be called from it but ik_store_close(). */
typedef void ik_store_reader(void *arg, const struct ik_store_answer *answer);

/* No answer is wanted any more: silent at once. Takes NULL, returns NULL. */
struct ik_store_read *ik_store_read_close(struct ik_store_read *read);

#endif
