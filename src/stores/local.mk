# src/stores: the store programs (ikigai-store(7)), and what they share.
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
