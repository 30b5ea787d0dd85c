# Unit tests of src/loop: they link that layer and those under it, nothing else.
check_PROGRAMS += tests/unit/loop/loop_test
TESTS += tests/unit/loop/loop_test
tests_unit_loop_loop_test_SOURCES = \
	tests/unit/loop/child_test.c \
	tests/unit/loop/children_test.c \
	tests/unit/loop/fixture.c tests/unit/loop/fixture.h \
	tests/unit/loop/http_body_test.c tests/unit/loop/http_dns_test.c \
	tests/unit/loop/http_test.c \
	tests/unit/loop/identity_test.c \
	tests/unit/loop/orphans_test.c \
	tests/unit/loop/loop_test.c \
	tests/unit/loop/raw_server.c tests/unit/loop/raw_server.h \
	tests/unit/loop/tty_job_test.c \
	tests/unit/loop/tty_test.c \
	tests/unit/loop/directory_watch_test.c tests/support/needs.h
tests_unit_loop_loop_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_loop_loop_test_LDADD = $(LINK_LOOP) $(CRITERION_LIBS)
