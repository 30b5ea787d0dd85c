# src/tui: one library.
noinst_LIBRARIES += libik_tui.a
libik_tui_a_SOURCES =

# The terminal's side: cells, bytes out, keys in, the editor.
libik_tui_a_SOURCES += \
	src/tui/agent_marks.c src/tui/agent_marks.h \
	src/tui/ascii.c \
	src/tui/ascii.h \
	src/tui/cells.c \
	src/tui/cells.h \
	src/tui/background.c src/tui/background.h \
	src/tui/code_colour.c src/tui/code_colour.h \
	src/tui/colour.c src/tui/colour.h \
	src/tui/completion.c \
	src/tui/completion.h \
	src/tui/editor.c \
	src/tui/editor.h \
	src/tui/editor_draw.c \
	src/tui/editor_private.h \
	src/tui/editor_rows.c \
	src/tui/editor_selection.c \
	src/tui/editor_text.c \
	src/tui/editor_undo.c \
	src/tui/history.c \
	src/tui/history.h \
	src/tui/history_search.c \
	src/tui/history_search.h \
	src/tui/input.c \
	src/tui/input.h \
	src/tui/input_sequences.c \
	src/tui/input_sequences.h \
	src/tui/key_name.c \
	src/tui/key_name.h \
	src/tui/keymap.c \
	src/tui/keymap.h \
	src/tui/keymap_private.h \
	src/tui/keymap_read.c \
	src/tui/term.c \
	src/tui/term_cell.c src/tui/term_cell.h \
	src/tui/term_changes.c src/tui/term_changes.h \
	src/tui/term_info.c src/tui/term_info.h \
	src/tui/term_modes.c src/tui/term_modes.h \
	src/tui/term_paint.c src/tui/term_paint.h \
	src/tui/term_shape.c src/tui/term_shape.h \
	src/tui/term.h \
	src/tui/term_family.c src/tui/term_family.h \
	src/tui/theme.c \
	src/tui/theme.h

# The screen's side: panes and what they are made of.
libik_tui_a_SOURCES += \
	src/tui/block.c \
	src/tui/block.h \
	src/tui/browser_draw.c \
	src/tui/browser_form.c \
	src/tui/browser_form.h \
	src/tui/browser_form_draw.c \
	src/tui/browser_form_parts.h \
	src/tui/browser_list.c \
	src/tui/browser_list.h \
	src/tui/browser_parts.h \
	src/tui/browser_text.c \
	src/tui/calls.c \
	src/tui/calls.h \
	src/tui/call_changes.c src/tui/call_changes.h \
	src/tui/json_view.c src/tui/json_view.h \
	src/tui/json_tree.c src/tui/json_tree.h \
	src/tui/json_tree_scan.c src/tui/json_tree_private.h \
	src/tui/inspector_text.c src/tui/inspector_cursor.c src/tui/inspector_private.h \
	src/tui/call_parts.c src/tui/call_parts.h \
	src/tui/call_envelope.c src/tui/call_text.c \
	src/tui/clipboard.c \
	src/tui/clipboard.h \
	src/tui/dialog.c \
	src/tui/dialog.h \
	src/tui/entity.c \
	src/tui/entity.h \
	src/tui/folded.c \
	src/tui/folded.h \
	src/tui/layout.c \
	src/tui/layout.h \
	src/tui/linear.c src/tui/linear.h \
	src/tui/markdown.c \
	src/tui/markdown.h \
	src/tui/markdown_cursor.c \
	src/tui/markdown_cursor.h \
	src/tui/markdown_delimiter.c \
	src/tui/markdown_delimiter.h \
	src/tui/markdown_flow.c \
	src/tui/markdown_flow.h \
	src/tui/markdown_references.c src/tui/markdown_references.h \
	src/tui/markdown_split.c \
	src/tui/markdown_split.h \
	src/tui/markdown_table.c \
	src/tui/markdown_table.h \
	src/tui/pane.c \
	src/tui/pane.h \
	src/tui/pane_browser.c \
	src/tui/pane_browser.h \
	src/tui/pane_help.c \
	src/tui/pane_help.h \
	src/tui/pane_inspector.c \
	src/tui/pane_inspector.h \
	src/tui/popup.c \
	src/tui/popup.h \
	src/tui/screen.c \
	src/tui/screen_complete.c \
	src/tui/screen.h \
	src/tui/screen_agents.c src/tui/screen_dialog.c \
	src/tui/screen_events.c \
	src/tui/screen_focus.c \
	src/tui/screen_help.c \
	src/tui/screen_history.c \
	src/tui/screen_mouse.c \
	src/tui/screen_keys.c \
	src/tui/screen_place.c src/tui/screen_panes.c \
	src/tui/screen_private.h \
	src/tui/age_text.c src/tui/age_text.h \
	src/tui/list_pane.c src/tui/list_pane.h \
	src/tui/pane_picker.c src/tui/pane_picker.h src/tui/pick.h src/tui/screen_picker.c \
	src/tui/pane_sessions.c src/tui/pane_sessions.h \
	src/tui/parameter.c src/tui/parameter.h \
	src/tui/parameter_text.c src/tui/parameter_text.h \
	src/tui/sessions_draw.c src/tui/sessions_parts.h src/tui/session_row.h \
	src/tui/screen_sessions.c \
	src/tui/size_text.c src/tui/size_text.h \
	src/tui/screen_rule.c \
	src/tui/screen_search.c \
	src/tui/scrollback.c \
	src/tui/scrollback_private.h \
	src/tui/scrollback_search.c \
	src/tui/scrollback_search.h \
	src/tui/scrollback_mark.c \
	src/tui/scrollback_select.c \
	src/tui/search_line.c \
	src/tui/search_paint.c \
	src/tui/search_show.c \
	src/tui/search_private.h \
	src/tui/search_markup.c \
	src/tui/search_markup.h \
	src/tui/search_text.c \
	src/tui/search_text.h \
	src/tui/scrollback.h \
	src/tui/status_bar.c \
	src/tui/status_bar.h \
	src/tui/tool_forms.h \
	src/tui/welcome.c \
	src/tui/welcome.h \
	src/tui/wrap.c \
	src/tui/wrap.h
