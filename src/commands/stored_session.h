/*
 * stored_session: a stored session: found by what the user says, its events, or taken for itself.
 *
 * May include: util, conversation, store, loop.
 */
#ifndef IK_COMMANDS_STORED_SESSION_H
#define IK_COMMANDS_STORED_SESSION_H

#include "store/store.h"

struct ik_session_find;
struct ik_taken;

/*
 * Find the session that the user names: a number counts from the newest session, 1; hexadecimal
 * digits are the beginning of an id; anything else is words of a title or directory. On a server
 * numbers and words are about the user's own sessions, unless it is everybody's. found is called
 * once, in a later turn, with one session, or an error: IK_NOT_FOUND, IK_INVALID for several, or the
 * store's. The find is freed then.
 */
struct ik_session_find *ik_session_find(struct ik_store *store, const char *text, bool everybody,
	ik_store_reader *found, void *arg);
/* Cancel the find. Accepts NULL and returns NULL. */
struct ik_session_find *ik_session_find_close(struct ik_session_find *find);

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

/*
 * Turn the loop until all events of a session were handed to take, which may turn the loop itself,
 * and ends it early by returning false. The error is the store's.
 */
typedef bool ik_walk_taker(void *arg, struct ik_message *message);
enum ik_status ik_session_walk(struct ik_loop *loop, struct ik_store *store, const char *session,
	ik_walk_taker *take, void *arg, struct ik_error *error) IK_MUST_USE;

/* Take a stored session: nobody else may write to it while it is deleted, or gets events of a file.
 * The function is called once, in a later turn; error: IK_UNAVAILABLE and who has it open, NULL: it is
 * ours. */
typedef void ik_session_is_taken(void *arg, const struct ik_error *error);
struct ik_taken *ik_take_session(struct ik_store *store, const char *session,
	ik_session_is_taken *taken, void *arg);
/* Let it go. No callback comes any more. Accepts NULL and returns NULL. */
struct ik_taken *ik_taken_close(struct ik_taken *taken);

/* Take one, and turn the loop until that is done; *taken is to be closed in any case. */
enum ik_status ik_take_sessions(struct ik_loop *loop, struct ik_store *store,
	struct ik_taken **taken, const char *session, struct ik_error *error) IK_MUST_USE;

#endif
