/*
 * stored_session: work on a stored session: find it by what the user typed, read its events, or
 * lock it.
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
 * digits are the beginning of an id; anything else is words of a title or directory. On a server,
 * numbers and words only cover the user's own sessions, unless everybody is true. Calls found once,
 * in a later turn, with one session or an error: IK_NOT_FOUND, IK_INVALID if several match, or the
 * store's. The find is then freed.
 */
struct ik_session_find *ik_session_find(struct ik_store *store, const char *text, bool everybody,
	ik_store_reader *found, void *arg);
/* Cancel the find. Accepts NULL and returns NULL. */
struct ik_session_find *ik_session_find_close(struct ik_session_find *find);

/* Wait for a read: start it with ik_await_answer and this struct as its argument, then call
 * ik_await(). reader is called with the answer if the read succeeds. */
struct ik_awaited {
	struct ik_loop *loop;
	ik_store_reader *reader; /* NULL: only the status matters */
	void *arg;
	bool answered;
	enum ik_status status;
	struct ik_error error;
};
ik_store_reader ik_await_answer;
/* Run the loop until read is answered. IK_FAILED: something else stopped the loop; the read is then
 * closed. */
enum ik_status ik_await(struct ik_awaited *awaited, struct ik_store_read *read,
	struct ik_error *error);

/*
 * Run the loop until take has received all events of a session. take may run the loop itself, and
 * ends the walk early by returning false. The error is the store's.
 */
typedef bool ik_walk_taker(void *arg, struct ik_message *message);
enum ik_status ik_session_walk(struct ik_loop *loop, struct ik_store *store, const char *session,
	ik_walk_taker *take, void *arg, struct ik_error *error) IK_MUST_USE;

/* Lock a stored session, so that no other process writes to it while it is deleted or imported
 * into. Calls taken once, in a later turn. error: IK_UNAVAILABLE and who has it open; NULL: it is
 * locked. */
typedef void ik_session_is_taken(void *arg, const struct ik_error *error);
struct ik_taken *ik_take_session(struct ik_store *store, const char *session,
	ik_session_is_taken *taken, void *arg);
/* Release the lock. No callback follows. Accepts NULL and returns NULL. */
struct ik_taken *ik_taken_close(struct ik_taken *taken);

/* Lock a session, and run the loop until that has succeeded or failed. The caller closes *taken in
 * either case. */
enum ik_status ik_take_sessions(struct ik_loop *loop, struct ik_store *store,
	struct ik_taken **taken, const char *session, struct ik_error *error) IK_MUST_USE;

#endif
