# Unit tests of src/agent: they link that layer and those under it, nothing else.
check_PROGRAMS += tests/unit/agent/agent_test
TESTS += tests/unit/agent/agent_test
tests_unit_agent_agent_test_SOURCES = \
	tests/unit/agent/output_test.c tests/unit/agent/own_run_test.c \
	tests/unit/agent/session_close_test.c tests/unit/agent/session_faults_test.c \
	tests/unit/agent/session_test.c tests/unit/agent/slots_test.c \
	tests/unit/agent/shell_test.c \
	tests/unit/agent/stage.c tests/unit/agent/stage.h \
	tests/unit/loop/raw_server.c tests/unit/loop/raw_server.h \
	tests/unit/agent/turn_driver.c tests/unit/agent/turn_driver.h \
	tests/unit/agent/turn_partial_test.c \
	tests/unit/agent/turn_test.c \
	tests/unit/agent/file_writes_test.c
tests_unit_agent_agent_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_agent_agent_test_LDADD = $(LINK_AGENT) $(SQLITE_LIBS) $(CRITERION_LIBS)

# By itself, since it takes longest.
check_PROGRAMS += tests/unit/agent/cut_test
TESTS += tests/unit/agent/cut_test
tests_unit_agent_cut_test_SOURCES = \
	tests/net/speech.c tests/net/speech.h \
	tests/unit/agent/cut_test.c \
	tests/unit/agent/shell_test.c \
	tests/unit/agent/stage.c tests/unit/agent/stage.h \
	tests/unit/loop/raw_server.c tests/unit/loop/raw_server.h \
	$(REQUEST_RULES)
tests_unit_agent_cut_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_agent_cut_test_LDADD = $(LINK_AGENT) $(SQLITE_LIBS) $(CRITERION_LIBS)
