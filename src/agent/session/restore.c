#include "agent/session/restore.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/pairing.h"
#include "util/alloc.h"
#include "util/text.h"

/* What a screen shows first, and what is read in one turn of the loop later: some milliseconds'
 * worth; less where events are large. */
#define NEWEST_PAGE 200
#define OLDER_PAGE 500

struct ik_restore {
	struct ik_session_record *record;
	struct ik_turn *turn;
	struct ik_session_lock *lock;
	const struct ik_restore_events *events;
	void *arg;
	struct ik_store_read *read; /* NULL: none is out */
	bool prompt_wanted;         /* the record's prompt replaces the stored one */
	ik_session_restored *done;
	void *done_arg;
	struct ik_conversation *copy; /* all of a fork, which need not be read; NULL: none */
	int64_t count;                /* messages of the session */
	int64_t oldest;               /* sequence of the oldest that is loaded */
};

static void know_calls(struct ik_restore *restore, struct ik_message *const *messages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ik_turn_know_call(restore->turn, messages[i]->call_id);
}

/* Put a page before all that is there. */
static void add_page(struct ik_restore *restore, struct ik_message **messages, size_t count)
{
	ik_conversation_prepend(restore->record->conversation, messages, count);
	know_calls(restore, messages, count);
	if (count > 0)
		restore->oldest = messages[0]->sequence;
}

static void tell_messages(struct ik_restore *restore, struct ik_message *const *messages,
	size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct ik_event event = { .kind = IK_EVENT_MESSAGE, .message = messages[i] };

		ik_session_record_emit(restore->record, &event);
	}
}

static void tell_older(struct ik_restore *restore, struct ik_message **messages, size_t count)
{
	const struct ik_event event = {
		.kind = IK_EVENT_OLDER,
		.older = messages,
		.count = count,
	};

	ik_session_record_emit(restore->record, &event);
}

static void release_messages(struct ik_message **messages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ik_message_unref(messages[i]);
	free(messages);
}

/* Use the stored system prompt, unless another one is wanted. A session from before prompts were
 * stored has none. This is the one place where a stored prompt gets to the model. */
static void use_stored_prompt(struct ik_restore *restore)
{
	struct ik_session_record *record = restore->record;
	const struct ik_message *stored = ik_conversation_prompt(record->conversation);

	record->prompt_unstored = restore->prompt_wanted &&
		!(stored && strcmp(stored->content, record->prompt) == 0);
	if (record->prompt_unstored) {
		ik_session_record_emit_text(record, IK_EVENT_NOTICE,
			_("This session now uses the system prompt given with -s."));
	} else if (stored) {
		ik_session_record_set_prompt(record, stored->content);
		restore->events->prompt(restore->arg);
	}
	restore->prompt_wanted = false;
}

void ik_restore_repair(struct ik_restore *restore)
{
	struct ik_session_record *record = restore->record;
	struct ik_message **added;
	size_t count = ik_pairing_complete(record->conversation, &added);

	for (size_t i = 0; i < count; i++)
		ik_store_append(record->store, record->id, added[i]);
	if (count == 0)
		return;
	tell_messages(restore, added, count);
	release_messages(added, count);
}

static void finish_loading(struct ik_restore *restore)
{
	restore->record->loading = false;
	use_stored_prompt(restore);
	restore->events->loaded(restore->arg);
}

static ik_store_reader on_older;

/* Deferred: ask for one more page. */
static void read_older(void *arg)
{
	struct ik_restore *restore = arg;

	restore->read = ik_store_page(restore->record->store, restore->record->id, restore->oldest,
		OLDER_PAGE, on_older, restore);
}

static void tell_restored(struct ik_restore *restore)
{
	char *sentence = ik_format(ngettext("[Session restored: %lld message]",
								   "[Session restored: %lld messages]",
								   (unsigned long)restore->count),
		(long long)restore->count);

	ik_session_record_emit_text(restore->record, IK_EVENT_NOTICE, sentence);
	free(sentence);
}

/* In the next turn of the loop: what is there is drawn first. */
static void read_older_next(struct ik_restore *restore)
{
	ik_loop_defer(restore->record->loop, read_older, restore);
}

static void tell_unreadable(struct ik_restore *restore, const struct ik_error *error)
{
	char *sentence = ik_format(_("Older messages of this session cannot be read: %s"), error->text);

	ik_session_record_emit_text(restore->record, IK_EVENT_NOTICE, sentence);
	free(sentence);
}

static void on_older(void *arg, const struct ik_store_answer *answer)
{
	struct ik_restore *restore = arg;

	restore->read = NULL;
	if (answer->status != IK_OK) {
		tell_unreadable(restore, &answer->error);
	} else if (answer->count > 0) {
		add_page(restore, answer->messages, answer->count);
		tell_older(restore, answer->messages, answer->count);
	}
	if (!restore->record->loading)
		return; /* the sink has closed the session */
	if (answer->status == IK_OK && answer->count > 0)
		read_older_next(restore);
	else
		finish_loading(restore);
}

/* It is known which session this is, or that it stays a new one: store what waited for that. */
static void decide(struct ik_restore *restore, const struct ik_error *error)
{
	ik_session_record_decide(restore->record);
	if (restore->done)
		restore->done(restore->done_arg, error);
}

/* Deferred: continue with a fork of which everything is known. */
static void use_copy(void *arg)
{
	struct ik_restore *restore = arg;
	struct ik_session_record *record = restore->record;
	size_t count = ik_conversation_count(restore->copy),
		   older = count > NEWEST_PAGE ? count - NEWEST_PAGE : 0;
	struct ik_message **messages = ik_conversation_messages(restore->copy);

	record->to_store = false;
	/* With what was said here meanwhile; the store has all that the copy has. */
	ik_session_record_start_storing(record);
	restore->events->identified(restore->arg);
	add_page(restore, messages, count);
	tell_messages(restore, messages + older, count - older);
	restore->count = (int64_t)count;
	tell_restored(restore);
	if (!record->loading)
		return; /* the sink has closed the session */
	decide(restore, NULL);
	if (older > 0)
		tell_older(restore, messages, older);
	if (record->loading)
		finish_loading(restore);
}

/* Stay a new session. */
static void give_up(struct ik_restore *restore, const struct ik_error *error)
{
	restore->record->loading = false;
	decide(restore, error);
	restore->events->failed(restore->arg);
}

/* The newest page is there. */
static void on_newest(void *arg, const struct ik_store_answer *answer)
{
	struct ik_restore *restore = arg;
	struct ik_session_record *record = restore->record;
	int64_t newest = answer->count > 0 ? answer->messages[answer->count - 1]->sequence : 0;

	restore->read = NULL;
	if (answer->status != IK_OK) {
		ik_uuid_new(record->id);
		give_up(restore, &answer->error);
		return;
	}
	restore->events->identified(restore->arg);
	add_page(restore, answer->messages, answer->count);
	tell_messages(restore, answer->messages, answer->count);
	/* With what is only in journals so far. */
	if (newest > restore->count)
		restore->count = newest;
	if (!record->closing)
		ik_session_lock_continue(restore->lock, newest);
	tell_restored(restore);
	if (record->loading)
		decide(restore, NULL);
	if (record->loading && restore->oldest == 1)
		finish_loading(restore); /* that was all of it */
	else if (record->loading)
		read_older_next(restore);
	if (record->loading && record->read_only)
		ik_session_lock_read(restore->lock);
}

/* The session can be read, or error says why not. */
static void on_decided(void *arg, const struct ik_error *error)
{
	struct ik_restore *restore = arg;
	struct ik_session_record *record = restore->record;

	if (record->closing)
		return;
	if (error) {
		ik_uuid_new(record->id);
		give_up(restore, error);
	} else {
		restore->read = ik_store_page(record->store, record->id, 0, NEWEST_PAGE, on_newest,
			restore);
	}
}

/* It is known which session it is. */
static void on_found(void *arg, const struct ik_store_answer *answer)
{
	struct ik_restore *restore = arg;

	restore->read = NULL;
	if (answer->status != IK_OK) {
		give_up(restore, &answer->error);
		return;
	}
	ik_session_record_set_id(restore->record, answer->sessions[0].id);
	restore->count = answer->sessions[0].event_count;
	ik_session_lock_await(restore->lock, on_decided, restore);
}

void ik_restore_start(struct ik_restore *restore, const char *id, struct ik_conversation *copy,
	ik_session_restored *done, void *arg)
{
	struct ik_session_record *record = restore->record;

	restore->done = done;
	restore->done_arg = arg;
	restore->copy = copy;
	record->undecided = record->loading = true;
	if (copy) {
		ik_session_record_set_id(record, id);
		ik_loop_defer(record->loop, use_copy, restore);
		return;
	}
	restore->read = id ? ik_store_find(record->store, id, on_found, restore)
					   : ik_store_newest(record->store, record->directory, on_found, restore);
}

void ik_restore_want_prompt(struct ik_restore *restore)
{
	restore->prompt_wanted = true;
}

struct ik_restore *ik_restore_new(struct ik_session_record *record, struct ik_turn *turn,
	struct ik_session_lock *lock, const struct ik_restore_events *events, void *arg)
{
	struct ik_restore *restore = ik_alloc(sizeof(*restore));

	restore->record = record;
	restore->turn = turn;
	restore->lock = lock;
	restore->events = events;
	restore->arg = arg;
	return restore;
}

/* Deferred: its memory. */
static void restore_free(void *arg)
{
	struct ik_restore *restore = arg;

	ik_conversation_free(restore->copy);
	free(restore);
}

struct ik_restore *ik_restore_close(struct ik_restore *restore)
{
	struct ik_loop *loop = restore->record->loop;

	restore->record->loading = false;
	ik_loop_cancel_deferred(loop, read_older, restore);
	ik_loop_cancel_deferred(loop, use_copy, restore);
	restore->read = ik_store_read_close(restore->read);
	if (restore->record->undecided)
		ik_session_record_decide(restore->record);
	ik_loop_defer(loop, restore_free, restore);
	return NULL;
}
