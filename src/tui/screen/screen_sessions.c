/* The pane of the stored sessions, as the rest of the screen has it. */
#include "tui/screen/screen_private.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "util/text.h"

#define SHORT_ID 8 /* characters that a session without a title is known by */

/* Say in the status bar which session this is, once something was said in it. While a restored
 * one is still read, its first message is not there, and only a name that was given is certain. */
static void show_title(struct ik_screen *screen)
{
	bool certain = screen->title && (screen->title_named || !screen->older);

	screen->bar.session = !screen->told_any ? NULL : certain ? screen->title : screen->running;
	screen->bar.session_length = certain ? strlen(screen->title)
										 : strnlen(screen->running, SHORT_ID);
}

void ik_screen_title_of(struct ik_screen *screen, const struct ik_message *message, bool older)
{
	bool named;
	char *title = ik_session_title_of(message, &named);
	bool better = older ? !screen->title_named : named || !screen->title;

	if (title[0] && better) {
		free(screen->title);
		screen->title = title;
		screen->title_named = named;
	} else {
		free(title);
	}
	show_title(screen);
}

void ik_screen_title_begin(struct ik_screen *screen)
{
	free(screen->title);
	screen->title = NULL;
	screen->title_named = false;
	show_title(screen);
}

void ik_screen_sessions_arrived(struct ik_screen *screen, const struct ik_session_row *rows,
	size_t count, int64_t now_ms, const char *problem)
{
	ik_sessions_take(screen->sessions, rows, count, now_ms, problem);
	screen->dirty = true;
}

void ik_screen_found_arrived(struct ik_screen *screen, const struct ik_session_row *rows,
	size_t count, const struct ik_search_page *page, int64_t now_ms, const char *problem)
{
	ik_sessions_take_found(screen->sessions, rows, count, page, now_ms, problem);
	screen->dirty = true;
}

void ik_screen_session_end_arrived(struct ik_screen *screen, const char *id,
	struct ik_message *const *messages, size_t count)
{
	ik_sessions_take_end(screen->sessions, id, messages, count);
	screen->dirty = true;
}

const struct ik_session_row *ik_screen_selected_session(const struct ik_screen *screen)
{
	return ik_sessions_selected(screen->sessions);
}

void ik_screen_session_gone(struct ik_screen *screen, const char *id)
{
	ik_sessions_gone(screen->sessions, id);
	screen->dirty = true;
}

void ik_screen_session_runs(struct ik_screen *screen, const char *id)
{
	ik_sessions_set_running(screen->sessions, id);
	ik_screen_place_session(screen, id);
	memcpy(screen->running, id, strnlen(id, sizeof(screen->running) - 1) + 1);
	show_title(screen);
}

void ik_screen_show_sessions(struct ik_screen *screen, const char *words)
{
	ik_screen_open_pane(screen, ik_sessions_pane(screen->sessions));
	ik_sessions_open(screen->sessions, words);
}

void ik_screen_pick_session(struct ik_screen *screen, const char *words)
{
	ik_screen_open_pane(screen, ik_sessions_pane(screen->sessions));
	ik_sessions_pick(screen->sessions, words);
}

void ik_screen_search_sessions(struct ik_screen *screen, const char *words)
{
	ik_screen_open_pane(screen, ik_sessions_pane(screen->sessions));
	ik_sessions_search(screen->sessions, words);
}
