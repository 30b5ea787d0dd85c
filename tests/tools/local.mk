# tests/tools: the built tools, run as real processes; one program for each tool, and
# some for what several have in common: arguments, files, hints, input, kill, memory, peers.
tool_tests = tests/tools/arguments_test tests/tools/bash_test tests/tools/file_edit_test \
	tests/tools/file_read_test tests/tools/file_write_test tests/tools/files_test \
	tests/tools/glob_test tests/tools/grep_files_test tests/tools/grep_test \
	tests/tools/hint_test tests/tools/input_test tests/tools/kill_test tests/tools/match_test tests/tools/memory_test \
	tests/tools/peers_test tests/tools/search_test
check_PROGRAMS += $(tool_tests)
TESTS += $(tool_tests)

# The tools themselves are always built first.
EXTRA_tests_tools_arguments_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_bash_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_file_edit_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_file_read_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_file_write_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_files_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_glob_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_grep_files_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_grep_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_hint_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_input_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_kill_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_match_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_memory_test_DEPENDENCIES = $(tool_programs)
EXTRA_tests_tools_peers_test_DEPENDENCIES = $(tool_programs)

check_LIBRARIES = libtests_tools.a
libtests_tools_a_SOURCES = tests/support/sanitized.h tests/support/scratch.h tests/tools/support.c tests/tools/support.h
libtests_tools_a_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
LINK_TOOL_TEST = libtests_tools.a $(LINK_JSON) $(CRITERION_LIBS)

tests_tools_arguments_test_SOURCES = tests/tools/arguments_test.c
tests_tools_arguments_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_arguments_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_bash_test_SOURCES = tests/tools/bash_test.c
tests_tools_bash_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_bash_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_file_edit_test_SOURCES = tests/tools/file_edit_test.c
tests_tools_file_edit_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_file_edit_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_file_read_test_SOURCES = tests/tools/file_read_test.c
tests_tools_file_read_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_file_read_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_file_write_test_SOURCES = tests/tools/file_write_test.c
tests_tools_file_write_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_file_write_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_files_test_SOURCES = tests/tools/files_test.c
tests_tools_files_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_files_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_glob_test_SOURCES = tests/tools/glob_test.c
tests_tools_glob_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_glob_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_grep_files_test_SOURCES = tests/tools/grep_files_test.c
tests_tools_grep_files_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_grep_files_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_grep_test_SOURCES = tests/tools/grep_test.c
tests_tools_grep_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_grep_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_hint_test_SOURCES = tests/tools/hint_test.c
tests_tools_hint_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_hint_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_input_test_SOURCES = tests/tools/input_test.c
tests_tools_input_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_input_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_kill_test_SOURCES = tests/tools/kill_test.c
tests_tools_kill_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_kill_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_match_test_SOURCES = tests/tools/match_test.c \
	tests/support/plain_glob.c tests/support/plain_glob.h
tests_tools_match_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_match_test_LDADD = libik_tools.a $(LINK_TOOL_TEST)
tests_tools_memory_test_SOURCES = tests/tools/memory_test.c
tests_tools_memory_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_memory_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_peers_test_SOURCES = tests/tools/peers_test.c
tests_tools_peers_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_peers_test_LDADD = $(LINK_TOOL_TEST)
tests_tools_search_test_SOURCES = tests/tools/search_test.c \
	tests/support/plain_search.c tests/support/plain_search.h
tests_tools_search_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_tools_search_test_LDADD = libik_grep.a $(LINK_UTIL) $(PCRE2_LIBS) $(CRITERION_LIBS)
