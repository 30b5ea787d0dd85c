#include "commands/session_walk.h"

#include "util/text.h"

/* Events of a page; fewer where they are large. */
#define WINDOW 500

void ik_await_answer(void *arg, const struct ik_store_answer *answer)
{
	struct ik_awaited *awaited = arg;

	awaited->answered = true;
	awaited->status = answer->status;
	awaited->error = answer->error;
	if (awaited->reader && answer->status == IK_OK)
		awaited->reader(awaited->arg, answer);
	ik_loop_stop(awaited->loop);
}

enum ik_status ik_await(struct ik_awaited *awaited, struct ik_store_read *read,
	struct ik_error *error)
{
	enum ik_status status;

	awaited->answered = false;
	status = ik_loop_run(awaited->loop, error);
	if (status == IK_OK && !awaited->answered)
		status = ik_error_set(error, IK_FAILED, _("Interrupted."));
	if (!awaited->answered)
		(void)ik_store_read_close(read);
	else if (awaited->status != IK_OK)
		*error = awaited->error;
	return status != IK_OK ? status : awaited->status;
}

/* How far it is. */
struct session_walk {
	int64_t after;                   /* the last event that was handed over */
	int64_t window;                  /* numbers behind it that a page is asked for */
	int64_t last;                    /* the newest event */
	struct ik_message *page[WINDOW]; /* references, to be handed over */
	size_t count;
};

static void take_newest(void *arg, const struct ik_store_answer *answer)
{
	struct session_walk *walk = arg;

	if (answer->count > 0)
		walk->last = answer->messages[answer->count - 1]->sequence;
}

/* A page is its newest part where its events are large: ask for a smaller one then, so that
 * nothing is left out; of what is missing in a window of one there is nothing. */
static void take_page(void *arg, const struct ik_store_answer *answer)
{
	struct session_walk *walk = arg;
	size_t i = 0;

	while (i < answer->count && answer->messages[i]->sequence <= walk->after)
		i++;
	if (walk->window > 1 &&
		(i == answer->count || answer->messages[i]->sequence > walk->after + 1)) {
		walk->window /= 2;
		return;
	}
	while (i < answer->count && walk->count < WINDOW)
		walk->page[walk->count++] = ik_message_ref(answer->messages[i++]);
	walk->after += walk->window;
	walk->window = walk->window * 2 < WINDOW ? walk->window * 2 : WINDOW;
}

enum ik_status ik_session_walk(struct ik_loop *loop, struct ik_store *store, const char *session,
	ik_walk_taker *take, void *arg, struct ik_error *error)
{
	struct session_walk walk = { .window = WINDOW };
	struct ik_awaited awaited = { .loop = loop, .reader = take_newest, .arg = &walk };
	enum ik_status status = ik_await(&awaited,
		ik_store_page(store, session, 0, 1, ik_await_answer, &awaited), error);
	bool ended = false;
	size_t i;

	awaited.reader = take_page;
	while (status == IK_OK && !ended && walk.after < walk.last) {
		walk.count = 0;
		status = ik_await(&awaited,
			ik_store_page(store, session, walk.after + walk.window + 1, (size_t)walk.window,
				ik_await_answer, &awaited),
			error);
		for (i = 0; i < walk.count; i++) {
			ended = ended || !take(arg, walk.page[i]);
			ik_message_unref(walk.page[i]);
		}
	}
	return status;
}
