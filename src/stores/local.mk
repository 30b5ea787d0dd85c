# src/stores: the store programs (ikigai-store.7), and what they share.  They are built and tested,
# but not installed yet.
EXTRA_DIST += src/stores/ikigai-store.7
noinst_LIBRARIES += libik_stores.a
libik_stores_a_SOURCES = \
	src/stores/answer.c src/stores/answer.h \
	src/stores/connection.c src/stores/connection.h \
	src/stores/intake.c src/stores/intake.h \
	src/stores/service.c src/stores/service.h

noinst_PROGRAMS += store-sqlite
store_sqlite_SOURCES = \
	src/stores/sqlite/add.c src/stores/sqlite/add.h \
	src/stores/sqlite/database.c src/stores/sqlite/database.h \
	src/stores/sqlite/delete.c src/stores/sqlite/delete.h \
	src/stores/sqlite/index.c src/stores/sqlite/index.h \
	src/stores/sqlite/main.c \
	src/stores/sqlite/session_rows.c src/stores/sqlite/session_rows.h
store_sqlite_LDADD = libik_stores.a libik_journal.a $(LINK_STORE)

noinst_PROGRAMS += store-postgres
store_postgres_SOURCES = \
	src/stores/postgres/add.c src/stores/postgres/add.h \
	src/stores/postgres/delete.c src/stores/postgres/delete.h \
	src/stores/postgres/event_rows.c src/stores/postgres/event_rows.h \
	src/stores/postgres/lease.c src/stores/postgres/lease.h \
	src/stores/postgres/main.c \
	src/stores/postgres/server.c src/stores/postgres/server.h \
	src/stores/postgres/tables.c src/stores/postgres/tables.h \
	src/stores/postgres/words.c src/stores/postgres/words.h
store_postgres_LDADD = libik_stores.a libik_journal.a $(LINK_STORE) $(LIBPQ_LIBS)
