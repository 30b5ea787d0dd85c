/* The pane of the stored sessions, as the rest of the screen has it. */
#include "tui/screen_private.h"

void ik_screen_sessions_arrived(struct ik_screen *screen, const struct ik_session_row *rows,
	size_t count, int64_t now_ms, const char *problem)
{
	ik_sessions_take(screen->sessions, rows, count, now_ms, problem);
	screen->dirty = true;
}

void ik_screen_session_end_arrived(struct ik_screen *screen, const char *id,
	struct ik_message *const *messages, size_t count)
{
	ik_sessions_take_end(screen->sessions, id, messages, count);
	screen->dirty = true;
}

void ik_screen_session_gone(struct ik_screen *screen, const char *id)
{
	ik_sessions_gone(screen->sessions, id);
	screen->dirty = true;
}

void ik_screen_session_runs(struct ik_screen *screen, const char *id)
{
	ik_sessions_set_running(screen->sessions, id);
	screen->dirty = true;
}

void ik_screen_show_sessions(struct ik_screen *screen, const char *words)
{
	screen->help_open = false;
	screen->inspector_wish = IK_INSPECTOR_CLOSED;
	screen->side = IK_SIDE_SESSIONS;
	ik_screen_set_focus(screen, IK_FOCUS_PANE);
	ik_sessions_open(screen->sessions, words);
	screen->dirty = true;
}

void ik_screen_close_side(struct ik_screen *screen)
{
	screen->side = IK_SIDE_NONE;
	ik_screen_set_focus(screen, IK_FOCUS_EDITOR);
	screen->dirty = true;
}
