#include "commands/session_find.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* A number of more digits is the beginning of an id. */
#define NUMBER_DIGITS 5

struct ik_session_find {
	struct ik_store *store;
	struct ik_store_read *read;
	char *text;
	size_t number; /* 0: it is none */
	ik_store_reader *found;
	void *arg;
};

/* Tell how it ended, and forget it. */
static void finish(struct ik_session_find *find, const struct ik_store_answer *answer)
{
	ik_store_reader *found = find->found;
	void *arg = find->arg;

	find->read = NULL;
	ik_session_find_close(find);
	found(arg, answer);
}

/* The same with an error. */
static void fail(struct ik_session_find *find, const struct ik_error *error)
{
	finish(find, &(struct ik_store_answer){ .status = error->status, .error = *error });
}

/* Sessions that have these words. */
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
	const struct ik_session_choice choice = { .words = find->text };

	find->read = ik_store_list(find->store, &choice, 0, "", 2, take_words, find);
}

/* The session whose id begins so. */
static void take_id(void *arg, const struct ik_store_answer *answer)
{
	if (answer->status == IK_NOT_FOUND)
		ask_for_words(arg);
	else
		finish(arg, answer);
}

/* The newest, up to that with the number. */
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

struct ik_session_find *ik_session_find(struct ik_store *store, const char *text,
	ik_store_reader *found, void *arg)
{
	struct ik_session_find *find = ik_alloc(sizeof(*find));
	size_t length = strlen(text);

	find->store = store;
	find->text = ik_strdup(text);
	find->found = found;
	find->arg = arg;
	if (text[0] != '0' && length <= NUMBER_DIGITS && strspn(text, "0123456789") == length)
		find->number = (size_t)strtoul(text, NULL, 10);
	if (find->number > 0)
		find->read = ik_store_list(store, NULL, 0, "", find->number, take_number, find);
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
