# Unit tests of src/store: they link that layer and those under it, nothing else.
check_PROGRAMS += tests/unit/store/store_test
TESTS += tests/unit/store/store_test
tests_unit_store_store_test_SOURCES = \
	tests/unit/store/merge_test.c \
	tests/unit/store/migrate_test.c \
	tests/unit/store/postgres_fault_test.c \
	tests/unit/store/postgres_test.c \
	tests/unit/store/server_fixture.c tests/unit/store/server_fixture.h \
	tests/unit/store/store_behind_test.c \
	tests/unit/store/store_begun_test.c \
	tests/unit/store/store_kept_test.c \
	tests/unit/store/store_blob_test.c \
	tests/unit/store/store_busy_test.c \
	tests/unit/store/store_checkpoint_test.c \
	tests/unit/store/store_fixture.c tests/unit/store/store_fixture.h \
	tests/unit/store/store_lock_test.c \
	tests/unit/store/store_memory_test.c \
	tests/unit/store/store_network_test.c \
	tests/unit/store/search_query_test.c \
	tests/unit/store/store_rescue_test.c \
	tests/unit/store/store_search_test.c \
	tests/unit/store/store_names_test.c \
	tests/unit/store/store_sessions_test.c \
	tests/unit/store/store_test.c \
	tests/unit/store/store_trouble_test.c
tests_unit_store_store_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS) $(LIBPQ_CFLAGS)
tests_unit_store_store_test_LDADD = $(LINK_STORE) $(LIBPQ_LIBS) $(CRITERION_LIBS)
