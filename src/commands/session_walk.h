/*
 * session_walk: all events of a stored session, oldest first, some hundred at a time.
 *
 * May include: util, conversation, store, loop.
 */
#ifndef IK_COMMANDS_SESSION_WALK_H
#define IK_COMMANDS_SESSION_WALK_H

#include "store/store.h"

/*
 * Turn the loop until all events of a session were handed to take, which may turn the loop itself,
 * and ends it early by returning false. The error is the store's.
 */
typedef bool ik_walk_taker(void *arg, struct ik_message *message);
enum ik_status ik_session_walk(struct ik_loop *loop, struct ik_store *store, const char *session,
	ik_walk_taker *take, void *arg, struct ik_error *error) IK_MUST_USE;

/* Turn the loop until a read is answered: begin it with these two. The reader is called. */
struct ik_awaited {
	struct ik_loop *loop;
	ik_store_reader *reader; /* NULL: only how it ended is wanted */
	void *arg;
	bool answered;
	enum ik_status status;
	struct ik_error error;
};
ik_store_reader ik_await_answer;
/* IK_FAILED when something else stopped the loop; the read is closed then. */
enum ik_status ik_await(struct ik_awaited *awaited, struct ik_store_read *read,
	struct ik_error *error);

#endif
