# The program without a screen, and with bad input: files of steps for the harness
# of the screen tests.

CLI_TESTS = \
	tests/cli/acp_broken.screen tests/cli/acp_files.screen tests/cli/acp_sessions.screen tests/cli/acp_turns.screen \
	tests/cli/agents_file.screen \
	tests/cli/closed_pipe.screen \
	tests/cli/commands.screen \
	tests/cli/commands_hostile.screen \
	tests/cli/complete_bash.screen \
	tests/cli/complete_fish.screen \
	tests/cli/complete_zsh.screen \
	tests/cli/config_command.screen \
	tests/cli/config_denied.screen \
	tests/cli/config_unreadable.screen \
	tests/cli/config_wrong.screen \
	tests/cli/custom_commands.screen \
	tests/cli/database_damaged.screen \
	tests/cli/database_directory.screen \
	tests/cli/database_hostile.screen \
	tests/cli/database_read_only.screen \
	tests/cli/database_read_only_mount.screen \
	tests/cli/dumb_terminal.screen \
	tests/cli/dead_name_server.screen \
	tests/cli/doctor.screen \
	tests/cli/doctor_terminal.screen \
	tests/cli/environment.screen \
	tests/cli/exec_background.screen \
	tests/cli/exec_bad_tools.screen \
	tests/cli/exec_context.screen tests/cli/exec_fallback.screen \
	tests/cli/exec_interrupted.screen \
	tests/cli/exec_json.screen tests/cli/exec_no_memory.screen \
	tests/cli/exec_large_output.screen \
	tests/cli/exec_killed.screen \
	tests/cli/exec_limits.screen \
	tests/cli/exec_mentions.screen \
	tests/cli/exec_order.screen \
	tests/cli/exec_output.screen tests/cli/exec_output_schema.screen \
	tests/cli/exec_policy.screen \
	tests/cli/exec_policy_yes.screen \
	tests/cli/exec_prompt.screen \
	tests/cli/exec_require_store.screen tests/cli/exec_resume.screen \
	tests/cli/exec_resume_interrupted.screen \
	tests/cli/exec_resume_undo.screen tests/cli/exec_slow_undo.screen tests/cli/undo_hidden.screen \
	tests/cli/exec_status.screen \
	tests/cli/exec_stdin.screen \
	tests/cli/sandbox.screen \
	tests/cli/session.screen tests/cli/session_database.screen \
	tests/cli/session_import_forks.screen \
	tests/cli/session_import_many.screen tests/cli/session_interrupted.screen \
	tests/cli/session_outputs.screen \
	tests/cli/exec_strict.screen \
	tests/cli/exec_terminated.screen \
	tests/cli/exec_text.screen \
	tests/cli/faults.screen \
	tests/cli/file_limit.screen \
	tests/cli/full_disk.screen \
	tests/cli/help.screen \
	tests/cli/killed.screen \
	tests/cli/hung_tool.screen \
	tests/cli/key_echoed.screen \
	tests/cli/keys.screen \
	tests/cli/mcp_command.screen tests/cli/mcp_http.screen tests/cli/mcp_policy.screen \
	tests/cli/mcp_servers.screen tests/cli/mcp_stdio.screen \
	tests/cli/hooks.screen tests/cli/hooks_hostile.screen \
	tests/cli/mcp_remote.screen \
	tests/cli/model_list.screen \
	tests/cli/model_rules.screen \
	tests/cli/kodelet.screen \
	tests/cli/kodelet_limits.screen \
	tests/cli/language.screen \
	tests/cli/home_unusable.screen \
	tests/cli/home_unwritable.screen \
	tests/cli/http2.screen \
	tests/cli/huge_schema.screen \
	tests/cli/no_home.screen \
	tests/cli/nothing_left.screen \
	tests/cli/no_utf8.screen \
	tests/cli/no_memory.screen \
	tests/cli/one_line.screen \
	tests/cli/packed.screen \
	tests/cli/prefixes.screen \
	tests/cli/provider_failures.screen tests/cli/provider_older.screen tests/cli/provider_refusals.screen tests/cli/provider_requests.screen tests/cli/provider_streams.screen tests/cli/proxy.screen \
	tests/cli/rescue_forged.screen \
	tests/cli/tiny_terminal.screen \
	tests/cli/schema_cache.screen \
	tests/cli/thinking_bound.screen tests/cli/thinking_refused.screen \
	tests/cli/tls.screen \
	tests/cli/tool_list.screen \
	tests/cli/tool_names.screen \
	tests/cli/tool_run.screen \
	tests/cli/tool_new.screen \
	tests/cli/tool_show.screen \
	tests/cli/tool_validate.screen \
	tests/cli/tool_sources.screen \
	tests/cli/tools_file.screen \
	tests/cli/trust_hostile.screen \
	tests/cli/trust_store.screen \
	tests/cli/two_tools.screen \
	tests/cli/upgrade.screen \
	tests/cli/web_search.screen \
	tests/cli/files.screen tests/cli/files_sandbox.screen tests/cli/wires.screen
TESTS += $(CLI_TESTS)
EXTRA_DIST += $(CLI_TESTS) tests/cli/acp.py tests/cli/acp_broken.py tests/cli/acp_files.py tests/cli/acp_sessions.py \
	tests/cli/acp_turns.py tests/cli/faults.py tests/cli/interrupted.py tests/cli/killed.py tests/cli/lib.sh \
	tests/cli/many_sessions.py tests/cli/mcp.py tests/cli/mcp_http.py tests/cli/mcp_remote.py tests/cli/mcp_stdio.py \
	tests/cli/outputs.py tests/cli/relays.sh tests/cli/silence.py

# Preloaded by tests in which an allocation fails; sanitizers replace the allocator themselves.
check_SCRIPTS += tests/support/fail_allocation.so
tests/support/fail_allocation.so: tests/support/fail_allocation.c
	$(AM_V_at)$(MKDIR_P) tests/support
	$(AM_V_CCLD)$(CC) -std=c17 -D_GNU_SOURCE -shared -fPIC -o $@ $(srcdir)/tests/support/fail_allocation.c
EXTRA_DIST += tests/support/fail_allocation.c
CLEANFILES += tests/support/fail_allocation.so
