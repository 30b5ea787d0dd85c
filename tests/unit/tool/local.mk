# Unit tests of src/tool: they link that layer and those under it, nothing else.
check_PROGRAMS += tests/unit/tool/tool_test tests/fixtures/tools/quick
TESTS += tests/unit/tool/tool_test
tests_unit_tool_tool_test_SOURCES = \
	tests/unit/tool/load_test.c \
	tests/unit/tool/schema_cache_test.c \
	tests/unit/tool/candidate_test.c \
	tests/unit/tool/command_line_test.c \
	tests/unit/tool/discovery_test.c tests/unit/tool/display_test.c \
	tests/unit/tool/envelope_test.c tests/unit/tool/findings_test.c \
	tests/unit/tool/environment_test.c \
	tests/unit/tool/kodelet_test.c \
	tests/unit/tool/mcp_servers_test.c \
	tests/unit/tool/mcp_test.c \
	tests/unit/tool/output_files_test.c \
	tests/unit/tool/permissions_test.c \
	tests/unit/tool/policy_test.c \
	tests/unit/tool/protocol_test.c \
	tests/unit/tool/refresh_test.c \
	tests/unit/tool/registry_test.c \
	tests/unit/tool/undo_test.c \
	tests/unit/tool/run_limits_test.c \
	tests/unit/tool/run_test.c \
	tests/unit/tool/sandbox_test.c \
	tests/unit/tool/server_process.c tests/unit/tool/server_process.h \
	tests/unit/tool/server_source.c tests/unit/tool/server_source.h \
	tests/unit/tool/server_source_test.c \
	tests/unit/tool/source_directory_test.c \
	tests/unit/tool/source_skills_test.c \
	tests/unit/tool/storm_test.c \
	tests/support/needs.h tests/support/sanitized.h tests/support/scratch.h \
	tests/unit/tool/support.c tests/unit/tool/support.h \
	tests/unit/tool/trust_test.c tests/unit/tool/trust_check_test.c tests/unit/tool/worktree_test.c
tests_unit_tool_tool_test_CPPFLAGS = $(AM_CPPFLAGS) \
	-DIK_TEST_FIXTURES='"$(abs_top_srcdir)/tests/fixtures"' \
	-DIK_TEST_QUICK='"$(abs_top_builddir)/tests/fixtures/tools/quick"'
tests_unit_tool_tool_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_tool_tool_test_LDADD = $(LINK_TOOL) $(CRITERION_LIBS)

tests_fixtures_tools_quick_SOURCES = tests/fixtures/tools/quick.c
EXTRA_DIST += tests/fixtures/tools tests/fixtures/kodelet tests/fixtures/mcp
