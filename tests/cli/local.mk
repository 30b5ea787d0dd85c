# What the program does without a screen, and with bad input: files of steps for
# the harness of the screen tests.

CLI_TESTS = \
	tests/cli/config_command.screen \
	tests/cli/environment.screen \
	tests/cli/exec_background.screen \
	tests/cli/exec_bad_tools.screen \
	tests/cli/exec_interrupted.screen \
	tests/cli/exec_json.screen \
	tests/cli/exec_limits.screen \
	tests/cli/exec_output.screen \
	tests/cli/exec_resume.screen \
	tests/cli/exec_status.screen \
	tests/cli/exec_terminated.screen \
	tests/cli/exec_text.screen \
	tests/cli/help.screen \
	tests/cli/tool_list.screen \
	tests/cli/tool_run.screen \
	tests/cli/tool_show.screen
TESTS += $(CLI_TESTS)
EXTRA_DIST += $(CLI_TESTS) tests/cli/lib.sh
