#include "commands/session_taken.h"

#include <stdlib.h>

#include "commands/session_walk.h"
#include "store/lock.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

struct ik_taken {
	struct ik_lock *lock;
	ik_session_is_taken *taken;
	void *arg;
	bool told;
};

static void on_changed(void *arg, enum ik_lock_state state, const struct ik_holder *holder)
{
	struct ik_taken *taken = arg;
	struct ik_error error = { .status = IK_OK };
	struct ik_buf sentence;

	if (state == IK_LOCK_UNKNOWN || taken->told)
		return;
	taken->told = true;
	if (state == IK_LOCK_OURS || state == IK_LOCK_NONE) {
		taken->taken(taken->arg, NULL);
		return;
	}
	ik_buf_init(&sentence, IK_KIB(4));
	ik_holder_put_sentence(&sentence, holder);
	ik_error_set(&error, IK_UNAVAILABLE, "%s", sentence.data);
	ik_buf_done(&sentence);
	taken->taken(taken->arg, &error);
}

struct ik_taken *ik_take_session(struct ik_store *store, const char *session,
	ik_session_is_taken *fn, void *arg)
{
	/* Others wait: the lock is held for a moment only. */
	static const struct ik_lock_events events = { .changed = on_changed };
	struct ik_taken *taken = ik_alloc(sizeof(*taken));

	taken->taken = fn;
	taken->arg = arg;
	taken->lock = ik_lock_new(store, session, &events, taken);
	return taken;
}

struct ik_taken *ik_taken_close(struct ik_taken *taken)
{
	if (!taken)
		return NULL;
	ik_lock_close(taken->lock);
	free(taken);
	return NULL;
}

/* ---- the same, waited for ---- */

static void on_taken(void *arg, const struct ik_error *error)
{
	ik_await_answer(arg,
		&(struct ik_store_answer){
			.status = error ? error->status : IK_OK,
			.error = error ? *error : (struct ik_error){ .status = IK_OK },
		});
}

enum ik_status ik_take_sessions(struct ik_loop *loop, struct ik_store *store,
	struct ik_taken **ret_taken, const char *session, struct ik_error *error)
{
	struct ik_awaited awaited = { .loop = loop };
	struct ik_taken *taken = *ret_taken = ik_take_session(store, session, on_taken, &awaited);
	enum ik_status status = ik_await(&awaited, NULL, error);

	taken->told = true; /* or not wanted any more */
	return status;
}
