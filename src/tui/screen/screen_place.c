/* A place that was found in a session: the event comes into view, and what was found is marked
 * by the conversation's own search. */
#include "tui/screen/screen_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/limits.h"
#include "util/text.h"

void ik_screen_place_forget(struct ik_screen *screen)
{
	screen->place.sequence = 0;
	ik_buf_done(&screen->place.words);
}

int64_t ik_screen_wanted_place(const struct ik_screen *screen)
{
	return screen->place.sequence;
}

/* A capital would have only words with that capital found: of what is ASCII none stays. */
static void make_small(struct ik_buf *words)
{
	for (size_t i = 0; i < words->length; i++)
		if ((unsigned char)words->data[i] >= 0x80)
			return;
	for (size_t i = 0; i < words->length; i++)
		if (words->data[i] >= 'A' && words->data[i] <= 'Z')
			words->data[i] += 'a' - 'A';
}

void ik_screen_place_want(struct ik_screen *screen, const char *session)
{
	ik_screen_place_forget(screen);
	ik_buf_init(&screen->place.words, IK_KIB(4));
	screen->place.sequence = ik_sessions_place(screen->sessions, &screen->place.words);
	make_small(&screen->place.words);
	memcpy(screen->place.session, session, strnlen(session, IK_UUID_TEXT - 1) + 1);
	screen->place.typed = false;
}

void ik_screen_place_session(struct ik_screen *screen, const char *id)
{
	if (screen->place.sequence > 0 && ik_text_equal(screen->place.session, id))
		ik_screen_flash(screen, _("The place is looked for: older messages are being read…"));
}

void ik_screen_move_place(struct ik_screen *screen, struct ik_screen *from)
{
	ik_screen_place_forget(screen);
	screen->place = from->place;
	from->place.sequence = 0;
	ik_buf_init(&from->place.words, 0);
}

/* Does the block show the message? */
static bool shows(const struct ik_block *block, const struct ik_message *message, const char *call)
{
	if (call)
		return block->call && ik_text_equal(block->call->id, call);
	return block->message == message ||
		(block->call && block->call->own && ik_text_equal(block->call->command, message->id));
}

/* The index of the block that shows a message, or else of the last one that came before it. */
static size_t index_of(const struct ik_screen *screen, const struct ik_message *message)
{
	char *call = message->kind == IK_KIND_TOOL_CALL || message->kind == IK_KIND_TOOL_RESULT
		? ik_message_call_id(message)
		: NULL;
	size_t count = ik_scrollback_count(screen->scrollback), before = count, i;

	for (i = 0; i < count; i++) {
		const struct ik_block *block = ik_scrollback_at(screen->scrollback, i);

		if (shows(block, message, call))
			break;
		if (block->message && block->message->sequence > 0 &&
			block->message->sequence < message->sequence)
			before = i;
	}
	free(call);
	return i < count ? i : before;
}

void ik_screen_show_place(struct ik_screen *screen, const struct ik_message *message)
{
	size_t index = index_of(screen, message);

	screen->dirty = true;
	if (index == ik_scrollback_count(screen->scrollback)) {
		ik_screen_flash(screen, _("The place is not on the screen any more."));
	} else {
		free(screen->flash);
		screen->flash = NULL;
		ik_find_in(screen->find, index, screen->place.words.data, screen->place.words.length);
		if (!screen->place.typed)
			screen->focus = IK_FOCUS_SCROLLBACK;
	}
	ik_screen_place_forget(screen);
}

void ik_screen_place_told(struct ik_screen *screen, struct ik_message *const *messages,
	size_t count)
{
	int64_t wanted = screen->place.sequence;

	if (wanted == 0 || !ik_text_equal(screen->place.session, screen->running))
		return;
	for (size_t i = 0; i < count; i++) {
		if (messages[i]->sequence != wanted)
			continue;
		ik_screen_show_place(screen, messages[i]);
		return;
	}
	if (!screen->older && count > 0 && messages[count - 1]->sequence > wanted) {
		ik_screen_flash(screen, _("The place is not in the session any more."));
		ik_screen_place_forget(screen);
	}
}
