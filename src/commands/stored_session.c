#include "commands/stored_session.h"

#include <stdlib.h>
#include <string.h>

#include "store/lock.h"
#include "util/alloc.h"
#include "util/text.h"

/* A number with more digits is the beginning of an id. */
#define NUMBER_DIGITS 5

struct ik_session_find {
	struct ik_store *store;
	struct ik_store_read *read;
	char *text;
	size_t number; /* 0: not a number */
	bool everybody;
	ik_store_reader *found;
	void *arg;
};

/* Report the answer, and free find. */
static void finish(struct ik_session_find *find, const struct ik_store_answer *answer)
{
	ik_store_reader *found = find->found;
	void *arg = find->arg;

	find->read = NULL;
	ik_session_find_close(find);
	found(arg, answer);
}

/* Report an error, and free find. */
static void fail(struct ik_session_find *find, const struct ik_error *error)
{
	finish(find, &(struct ik_store_answer){ .status = error->status, .error = *error });
}

/* Receive the sessions that match the words, at most two. */
static void take_words(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session_find *find = arg;
	struct ik_error error;

	if (answer->status == IK_OK && answer->count == 0) {
		(void)ik_error_set(&error, IK_NOT_FOUND,
			_("There is no session %s: none has it in its title, directory or id."), find->text);
		fail(find, &error);
	} else if (answer->status == IK_OK && answer->count > 1) {
		(void)ik_error_set(&error, IK_INVALID,
			_("Several sessions have \"%s\": give the number or the id of one."), find->text);
		fail(find, &error);
	} else {
		finish(find, answer);
	}
}

static void ask_for_words(struct ik_session_find *find)
{
	const struct ik_session_choice choice = { .words = find->text, .everybody = find->everybody };

	find->read = ik_store_list(find->store, &choice, 0, "", 2, take_words, find);
}

/* Receive the session whose id begins with the text. */
static void take_id(void *arg, const struct ik_store_answer *answer)
{
	if (answer->status == IK_NOT_FOUND)
		ask_for_words(arg);
	else
		finish(arg, answer);
}

/* Receive the newest sessions, up to the one with the number. */
static void take_number(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session_find *find = arg;
	struct ik_store_answer last = *answer;
	struct ik_error error;

	if (answer->status == IK_OK && answer->count < find->number) {
		(void)ik_error_set(&error, IK_NOT_FOUND,
			ngettext("There is no session number %zu; there is %zu.",
				"There is no session number %zu; there are %zu.", answer->count),
			find->number, answer->count);
		fail(find, &error);
		return;
	}
	if (answer->status == IK_OK) {
		last.sessions += find->number - 1;
		last.count = 1;
	}
	finish(find, &last);
}

struct ik_session_find *ik_session_find(struct ik_store *store, const char *text, bool everybody,
	ik_store_reader *found, void *arg)
{
	const struct ik_session_choice choice = { .everybody = everybody };
	struct ik_session_find *find = ik_alloc(sizeof(*find));
	size_t length = strlen(text);

	find->store = store;
	find->text = ik_strdup(text);
	find->everybody = everybody;
	find->found = found;
	find->arg = arg;
	if (text[0] != '0' && length <= NUMBER_DIGITS && strspn(text, "0123456789") == length)
		find->number = (size_t)strtoul(text, NULL, 10);
	if (find->number > 0)
		find->read = ik_store_list(store, &choice, 0, "", find->number, take_number, find);
	else if (length > 0 && strspn(text, "0123456789abcdef-") == length)
		find->read = ik_store_find(store, text, take_id, find);
	else
		ask_for_words(find);
	return find;
}

struct ik_session_find *ik_session_find_close(struct ik_session_find *find)
{
	if (!find)
		return NULL;
	ik_store_read_close(find->read);
	free(find->text);
	free(find);
	return NULL;
}

/* ---- all events ---- */

/* Events in a page; fewer if they are large. */
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

/* The progress of a walk. */
struct session_walk {
	int64_t after;                   /* sequence of the last event that was handed over */
	int64_t window;                  /* size of the range of sequences after it that is requested */
	int64_t last;                    /* sequence of the newest event */
	struct ik_message *page[WINDOW]; /* references to events that are handed over next */
	size_t count;
};

static void take_newest(void *arg, const struct ik_store_answer *answer)
{
	struct session_walk *walk = arg;

	if (answer->count > 0)
		walk->last = answer->messages[answer->count - 1]->sequence;
}

/* If events are large, a page contains only the newest part of its range. Request a smaller range
 * then, so that no event is left out. If a range of one is empty, the event does not exist. */
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

/* ---- locking ---- */

struct ik_taken {
	struct ik_lock *lock;
	ik_session_is_taken *taken;
	void *arg;
	bool told;
};

static void on_changed(void *arg, enum ik_lock_state state, const struct ik_holder *holder)
{
	struct ik_taken *taken = arg;
	struct ik_error error;

	if (taken->told)
		return;
	taken->told = true;
	(void)ik_holder_refuse(holder, &error);
	taken->taken(taken->arg, state == IK_LOCK_OURS ? NULL : &error);
}

struct ik_taken *ik_take_session(struct ik_store *store, const char *session,
	ik_session_is_taken *fn, void *arg)
{
	/* Don't handle requests for the session: the lock is only held for a moment. */
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

	taken->told = true; /* ignore later changes */
	return status;
}
