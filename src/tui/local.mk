# src/tui: one library.
noinst_LIBRARIES += libik_tui.a
libik_tui_a_SOURCES =

libik_tui_a_SOURCES += \
	src/tui/edit/completion.c src/tui/edit/completion.h \
	src/tui/edit/editor.c src/tui/edit/editor.h \
	src/tui/edit/history.c src/tui/edit/history.h \
	src/tui/edit/keymap.c src/tui/edit/keymap.h \
	src/tui/edit/vi.c src/tui/edit/vi.h

libik_tui_a_SOURCES += \
	src/tui/pane/browser_form.c src/tui/pane/browser_form.h \
	src/tui/pane/pane.c src/tui/pane/pane.h \
	src/tui/pane/pane_browser.c src/tui/pane/pane_browser.h \
	src/tui/pane/pane_help.c src/tui/pane/pane_help.h \
	src/tui/pane/pane_inspector.c src/tui/pane/pane_inspector.h \
	src/tui/pane/pane_picker.c src/tui/pane/pane_picker.h \
	src/tui/pane/pane_sessions.c src/tui/pane/pane_sessions.h \
	src/tui/pane/parameter.c src/tui/pane/parameter.h \
	src/tui/pane/status_bar.c src/tui/pane/status_bar.h \
	src/tui/pane/welcome.c src/tui/pane/welcome.h

libik_tui_a_SOURCES += \
	src/tui/screen/dialog.c src/tui/screen/dialog.h \
	src/tui/screen/activity.c src/tui/screen/activity.h \
	src/tui/screen/find.c src/tui/screen/find.h \
	src/tui/screen/linear.c src/tui/screen/linear.h \
	src/tui/screen/prompt.c src/tui/screen/prompt.h \
	src/tui/screen/screen.c src/tui/screen/screen.h \
	src/tui/screen/chat_log.c src/tui/screen/chat_log.h

libik_tui_a_SOURCES += \
	src/tui/scrollback/block.c src/tui/scrollback/block.h \
	src/tui/scrollback/call_changes.c \
	src/tui/scrollback/call_changes.c \
	src/tui/scrollback/call_envelope.c \
	src/tui/scrollback/call_parts.c src/tui/scrollback/call_parts.h \
	src/tui/scrollback/call_text.c \
	src/tui/scrollback/calls.c src/tui/scrollback/calls.h \
	src/tui/scrollback/scrollback.c src/tui/scrollback/scrollback.h \
	src/tui/scrollback/scrollback_search.c src/tui/scrollback/scrollback_search.h \
	src/tui/scrollback/shown_text.c src/tui/scrollback/shown_text.h

libik_tui_a_SOURCES += \
	src/tui/term/ascii.c src/tui/term/ascii.h \
	src/tui/term/drawing.c src/tui/term/drawing.h \
	src/tui/term/osc.c src/tui/term/osc.h \
	src/tui/term/query.c src/tui/term/query.h \
	src/tui/term/cells.c src/tui/term/cells.h \
	src/tui/term/input.c src/tui/term/input.h \
	src/tui/term/key_name.c src/tui/term/key_name.h \
	src/tui/term/term.c src/tui/term/term.h \
	src/tui/term/theme.c src/tui/term/theme.h

libik_tui_a_SOURCES += \
	src/tui/text/code_colour.c src/tui/text/code_colour.h \
	src/tui/text/folded.c src/tui/text/folded.h \
	src/tui/text/json_tree.c src/tui/text/json_tree.h \
	src/tui/text/json_view.c src/tui/text/json_view.h \
	src/tui/text/markdown.c src/tui/text/markdown.h \
	src/tui/text/markdown_source.c src/tui/text/markdown_source.h \
	src/tui/text/needle.c src/tui/text/needle.h \
	src/tui/text/progress.c src/tui/text/progress.h \
	src/tui/text/quantity.c src/tui/text/quantity.h \
	src/tui/text/wrap.c src/tui/text/wrap.h
