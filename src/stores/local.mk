# src/stores: the store programs (ikigai-store(7)), and what they share.
noinst_LIBRARIES += libik_stores.a
libik_stores_a_SOURCES = \
	src/stores/connection.c src/stores/connection.h \
	src/stores/database.c src/stores/database.h \
	src/stores/index.c src/stores/index.h \
	src/stores/intake.c src/stores/intake.h \
	src/stores/old_files.c src/stores/old_files.h \
	src/stores/service.c src/stores/service.h

# A folder of their own: every executable beside the tools is a tool.
storesdir = $(pkglibexecdir)/stores
stores_PROGRAMS = libexec/stores/store-sqlite libexec/stores/store-postgres

libexec_stores_store_sqlite_SOURCES = \
	src/stores/sqlite/leaves.c src/stores/sqlite/leaves.h \
	src/stores/sqlite/sqlite.c
libexec_stores_store_sqlite_LDADD = libik_stores.a $(LINK_JOURNAL) $(SQLITE_LIBS)

libexec_stores_store_postgres_SOURCES = \
	src/stores/postgres/main.c \
	src/stores/postgres/server.c src/stores/postgres/server.h
libexec_stores_store_postgres_LDADD = libik_stores.a $(LINK_JOURNAL) $(LIBPQ_LIBS)
