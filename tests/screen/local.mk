# Screen tests: each .screen file drives the real program in a pseudo-terminal.

check_PROGRAMS += tests/screen/harness
tests_screen_harness_SOURCES = tests/screen/harness.c tests/screen/checks.c tests/screen/checks.h \
	tests/screen/harmless.c tests/screen/harmless.h \
	tests/screen/keys.c tests/screen/keys.h tests/screen/messages.c \
	tests/screen/messages.h tests/screen/picture.c tests/screen/picture.h tests/screen/place.c tests/screen/place.h \
	tests/screen/terminal.c tests/screen/terminal.h tests/screen/words.c
tests_screen_harness_CFLAGS = $(AM_CFLAGS) $(VTERM_CFLAGS)
tests_screen_harness_LDADD = $(LINK_UTIL) $(VTERM_LIBS) -lutil

TEST_EXTENSIONS = .screen
SCREEN_LOG_DRIVER = $(LOG_DRIVER)
SCREEN_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run-test tests/screen/harness

SCREEN_TESTS = \
	tests/screen/agents.screen tests/screen/agents_apart.screen tests/screen/agents_join.screen tests/screen/agents_front.screen tests/screen/agents_killed.screen tests/screen/agents_marks.screen \
	tests/screen/agents_switch.screen \
	tests/screen/agents_files.screen tests/screen/agents_trouble.screen \
	tests/screen/attach_picture.screen tests/screen/background.screen tests/screen/background_killed.screen tests/screen/broken_stream.screen \
	tests/screen/broken_files.screen tests/screen/broken_text.screen \
	tests/screen/mcp_tools.screen tests/screen/browser.screen tests/screen/browser_form.screen tests/screen/browser_keys.screen tests/screen/letters.screen tests/screen/inspector_keys.screen \
	tests/screen/c_locale.screen \
	tests/screen/cancel.screen \
	tests/screen/cancel_run.screen \
	tests/screen/circling.screen \
	tests/screen/clear.screen \
	tests/screen/command_rows.screen tests/screen/commands.screen \
	tests/screen/commentary.screen \
	tests/screen/autocompact.screen tests/screen/autocompact_stopped.screen \
	tests/screen/compact.screen \
	tests/screen/compact_failed.screen tests/screen/compact_practice.screen tests/screen/compact_retry.screen \
	tests/screen/complete.screen \
	tests/screen/complete_aloud.screen \
	tests/screen/context.screen \
	tests/screen/prefix_refreshed.screen \
	tests/screen/copy.screen \
	tests/screen/custom_commands.screen \
	tests/screen/custom_commands_trust.screen \
	tests/screen/cut_reply.screen \
	tests/screen/fork.screen tests/screen/sessions.screen tests/screen/search_hostile.screen \
	tests/screen/search_pages.screen tests/screen/search_sessions.screen \
	tests/screen/sessions_small.screen \
	tests/screen/dead_provider.screen \
	tests/screen/database_in_use.screen tests/screen/database_replaced.screen tests/screen/sync_late.screen tests/screen/kept_over_kill.screen \
	tests/screen/draft.screen \
	tests/screen/draft_kept.screen \
	tests/screen/during_scan.screen \
	tests/screen/drag.screen tests/screen/drag_panes.screen tests/screen/drag_words.screen tests/screen/selected_sent.screen tests/screen/editor.screen \
	tests/screen/editor_stopped.screen \
	tests/screen/end_by_signals.screen tests/screen/one_screen.screen tests/screen/ended_twice.screen \
	tests/screen/external_editor.screen tests/screen/fallback.screen \
	tests/screen/every_key.screen \
	tests/screen/exit_code.screen \
	tests/screen/export.screen \
	tests/screen/filter_kept.screen \
	tests/screen/first_frame.screen tests/screen/first_message.screen tests/screen/fold.screen \
	tests/screen/full_disk.screen \
	tests/screen/full_output.screen tests/screen/held_untitled.screen \
	tests/screen/output_memory.screen \
	tests/screen/own_calls_resumed.screen tests/screen/own_calls_found.screen \
	tests/screen/german.screen \
	tests/screen/history_search.screen \
	tests/screen/hooks.screen tests/screen/hooks_trust.screen \
	tests/screen/html_provider.screen \
	tests/screen/injection.screen \
	tests/screen/help.screen tests/screen/help_search.screen \
	tests/screen/help_search_small.screen \
	tests/screen/hostile.screen tests/screen/hostile_names.screen \
	tests/screen/inspector_open.screen \
	tests/screen/kodelet.screen \
	tests/screen/keyboard.screen \
	tests/screen/languages.screen \
	tests/screen/late_keys.screen \
	tests/screen/long_message.screen tests/screen/locks.screen tests/screen/locks_turn.screen \
	tests/screen/locks_stopped.screen \
	tests/screen/model.screen \
	tests/screen/model_wait.screen \
	tests/screen/many_calls.screen \
	tests/screen/markdown.screen \
	tests/screen/mouse.screen \
	tests/screen/nested_calls.screen \
	tests/screen/nested_mode.screen \
	tests/screen/no_colour.screen \
	tests/screen/notify.screen \
	tests/screen/model_default.screen \
	tests/screen/model_hint.screen \
	tests/screen/no_memory.screen tests/screen/no_memory_reply.screen \
	tests/screen/picker.screen tests/screen/picture.screen tests/screen/pictures.screen tests/screen/picker_command.screen tests/screen/pane_close.screen \
	tests/screen/paste.screen tests/screen/paste_picture.screen \
	tests/screen/markdown_widths.screen tests/screen/question_aloud.screen tests/screen/question_in_pane.screen tests/screen/questions.screen \
	tests/screen/half_pages.screen \
	tests/screen/session_pictures.screen tests/screen/tiny_panes.screen \
	tests/screen/policy_ask.screen \
	tests/screen/policy_kill.screen tests/screen/policy_link.screen tests/screen/policy_read_only.screen \
	tests/screen/policy_modes.screen \
	tests/screen/queue.screen \
	tests/screen/queue_edit.screen \
	tests/screen/queue_kept.screen tests/screen/queue_held.screen tests/screen/quit.screen tests/screen/quit_call.screen \
	tests/screen/queue_killed.screen \
	tests/screen/reply_killed.screen \
	tests/screen/rebinding.screen \
	tests/screen/refused_key.screen \
	tests/screen/resize.screen \
	tests/screen/refused.screen tests/screen/retry.screen \
	tests/screen/sandbox.screen tests/screen/sandbox_none.screen tests/screen/sandbox_terminal.screen tests/screen/screen_reader.screen \
	tests/screen/screen_reader_lines.screen \
	tests/screen/scroll.screen \
	tests/screen/search.screen \
	tests/screen/server_reply.screen \
	tests/screen/shell_command.screen \
	tests/screen/slow_tool.screen \
	tests/screen/small.screen \
	tests/screen/stalled_terminal.screen \
	tests/screen/old_sessions.screen tests/screen/status_command.screen tests/screen/stopped.screen tests/screen/store_progress.screen \
	tests/screen/stubborn_tool.screen \
	tests/screen/suspend.screen \
	tests/screen/system.screen \
	tests/screen/term_linux.screen \
	tests/screen/term_screen-256color.screen \
	tests/screen/term_tmux-256color.screen \
	tests/screen/term_vt100.screen \
	tests/screen/term_xterm.screen \
	tests/screen/theme.screen tests/screen/theme_file.screen tests/screen/thinking.screen \
	tests/screen/usage.screen \
	tests/screen/skills.screen tests/screen/skills_new.screen tests/screen/skill_tools.screen tests/screen/skill_command.screen tests/screen/trust.screen tests/screen/twice.screen \
	tests/screen/undo.screen tests/screen/undo_call.screen tests/screen/undo_call_neighbours.screen tests/screen/undo_call_parallel.screen tests/screen/undo_call_part.screen tests/screen/undo_command.screen tests/screen/undo_killed.screen tests/screen/undo_readings.screen tests/screen/undo_redirected.screen tests/screen/undo_slow.screen \
	tests/screen/untranslated.screen \
	tests/screen/vi.screen \
	tests/screen/unusable_terminal.screen \
	tests/screen/multiplexer_screen.screen tests/screen/multiplexer_tmux.screen \
	tests/screen/slow_line.screen tests/screen/stream_interrupted.screen \
	tests/screen/watch.screen \
	tests/screen/watch_off.screen tests/screen/web_search.screen \
	tests/screen/whole_path.screen
TESTS += $(SCREEN_TESTS) tests/screen/rounds
EXTRA_DIST += $(SCREEN_TESTS) tests/screen/rounds tests/screen/messages.txt tests/screen/accents.py tests/screen/hostile_payloads
