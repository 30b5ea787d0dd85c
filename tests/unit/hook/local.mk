# Unit tests of src/hook: they link that layer and those under it, nothing else.
check_PROGRAMS += tests/unit/hook/hook_test
TESTS += tests/unit/hook/hook_test
tests_unit_hook_hook_test_SOURCES = tests/unit/hook/hook_test.c tests/support/scratch.h
tests_unit_hook_hook_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_hook_hook_test_LDADD = $(LINK_HOOK) $(CRITERION_LIBS)
