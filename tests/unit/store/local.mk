# Unit tests of src/store: they link that layer and those under it, nothing else.  The store programs
# are those of the build.
check_PROGRAMS += tests/unit/store/store_test
TESTS += tests/unit/store/store_test
tests_unit_store_store_test_SOURCES = \
	tests/unit/store/store_blob_test.c \
	tests/unit/store/store_fixture.c tests/unit/store/store_fixture.h \
	tests/unit/store/store_journal_test.c \
	tests/unit/store/store_lock_test.c \
	tests/unit/store/store_names_test.c \
	tests/unit/store/store_network_test.c \
	tests/unit/store/store_search_test.c \
	tests/unit/store/store_sessions_test.c \
	tests/unit/store/store_test.c
tests_unit_store_store_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS) $(LIBPQ_CFLAGS)
tests_unit_store_store_test_LDADD = $(LINK_STORE) $(SQLITE_LIBS) $(LIBPQ_LIBS) $(CRITERION_LIBS)
