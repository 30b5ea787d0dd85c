EXTRA_DIST += tests/fixtures/home tests/fixtures/store
# The store in a real program: the chat is killed.
check_PROGRAMS += tests/store/kills_program
tests_store_kills_program_SOURCES = tests/store/kills_program.c \
	tests/screen/place.c tests/screen/place.h tests/screen/terminal.c tests/screen/terminal.h
tests_store_kills_program_CFLAGS = $(AM_CFLAGS) $(VTERM_CFLAGS) $(LIBPQ_CFLAGS) $(SQLITE_CFLAGS)
tests_store_kills_program_LDADD = $(LINK_UTIL) $(VTERM_LIBS) $(LIBPQ_LIBS) $(SQLITE_LIBS) -lutil
# Loaded into programs to make their calls fail.
check_PROGRAMS += tests/store/faulty.so
tests_store_faulty_so_SOURCES = tests/store/faulty.c
tests_store_faulty_so_CFLAGS = $(AM_CFLAGS) -fPIC
tests_store_faulty_so_LDFLAGS = $(AM_LDFLAGS) -shared
# Loaded into store programs, to write down what they ask of their databases.
check_PROGRAMS += tests/store/statements.so
tests_store_statements_so_SOURCES = tests/store/statements.c
tests_store_statements_so_CFLAGS = $(AM_CFLAGS) -fPIC
tests_store_statements_so_LDFLAGS = $(AM_LDFLAGS) -shared
