# Unit tests of src/journal: they link that layer and those under it, nothing else.
check_PROGRAMS += tests/unit/journal/journal_test
TESTS += tests/unit/journal/journal_test
tests_unit_journal_journal_test_SOURCES = tests/unit/journal/journal_test.c tests/support/scratch.h
tests_unit_journal_journal_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_journal_journal_test_LDADD = libik_journal.a $(LINK_CONVERSATION) $(CRITERION_LIBS) -lm
