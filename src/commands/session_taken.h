/*
 * session_taken: a stored session that nobody else may write to while it is deleted, or gets events
 * of a file.
 *
 * May include: util, store, loop.
 */
#ifndef IK_COMMANDS_SESSION_TAKEN_H
#define IK_COMMANDS_SESSION_TAKEN_H

#include "store/store.h"

struct ik_taken;

/* Called once, in a later turn; error: IK_UNAVAILABLE and who has it open, NULL: it is ours. */
typedef void ik_session_is_taken(void *arg, const struct ik_error *error);
struct ik_taken *ik_take_session(struct ik_store *store, const char *session,
	ik_session_is_taken *taken, void *arg);
/* Let it go. No callback comes any more. Accepts NULL and returns NULL. */
struct ik_taken *ik_taken_close(struct ik_taken *taken);

/* Take one, and turn the loop until that is done; *taken is to be closed in any case. */
enum ik_status ik_take_sessions(struct ik_loop *loop, struct ik_store *store,
	struct ik_taken **taken, const char *session, struct ik_error *error) IK_MUST_USE;

#endif
