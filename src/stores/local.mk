# src/stores: the store programs (ikigai-store.7), and what they share.  They are built and tested,
# but not installed yet.
EXTRA_DIST += src/stores/ikigai-store.7
noinst_LIBRARIES += libik_stores.a
libik_stores_a_SOURCES = \
	src/stores/add.c src/stores/add.h \
	src/stores/connection.c src/stores/connection.h \
	src/stores/database.c src/stores/database.h \
	src/stores/delete.c src/stores/delete.h \
	src/stores/index.c src/stores/index.h \
	src/stores/intake.c src/stores/intake.h \
	src/stores/old_files.c src/stores/old_files.h \
	src/stores/read.c src/stores/read.h \
	src/stores/service.c src/stores/service.h

noinst_PROGRAMS += store-sqlite
store_sqlite_SOURCES = \
	src/stores/sqlite/main.c \
	src/stores/sqlite/recover.c src/stores/sqlite/recover.h \
	src/stores/sqlite/sqlite.c src/stores/sqlite/sqlite.h \
	src/stores/sqlite/tables.c src/stores/sqlite/tables.h \
	src/stores/sqlite/verbs.c src/stores/sqlite/verbs.h
store_sqlite_LDADD = libik_stores.a libik_journal.a $(LINK_STORE)

noinst_PROGRAMS += store-postgres
store_postgres_SOURCES = \
	src/stores/postgres/facts.c src/stores/postgres/facts.h \
	src/stores/postgres/lease.c src/stores/postgres/lease.h \
	src/stores/postgres/main.c \
	src/stores/postgres/server.c src/stores/postgres/server.h \
	src/stores/postgres/tables.c src/stores/postgres/tables.h
store_postgres_LDADD = libik_stores.a libik_journal.a $(LINK_STORE) $(LIBPQ_LIBS)
