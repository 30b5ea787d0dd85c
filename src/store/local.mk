# src/store: one library.
noinst_LIBRARIES += libik_store.a
libik_store_a_SOURCES =

libik_store_a_SOURCES += \
	src/store/backend.h \
	src/store/begun.c src/store/begun.h \
	src/store/blob.c src/store/blob.h \
	src/store/blob_spool.c src/store/blob_spool.h \
	src/store/database_file.c src/store/database_file.h \
	src/store/holder.c \
	src/store/lock.c src/store/lock.h \
	src/store/lock_file.c \
	src/store/lock_private.h \
	src/store/lock_row.c \
	src/store/migrate.c src/store/migrate.h \
	src/store/rescue.c src/store/rescue.h \
	src/store/search_query.c src/store/search_query.h \
	src/store/search_text.c src/store/search_text.h \
	src/store/spool.c src/store/spool.h \
	src/store/store.c src/store/store.h \
	src/store/store_held.c \
	src/store/store_index.c \
	src/store/store_kept.c \
	src/store/store_private.h \
	src/store/store_queue.c \
	src/store/store_read.c \
	src/store/store_rescue.c

libik_store_a_SOURCES += \
	src/store/postgres/examine_postgres.c src/store/postgres/examine_postgres.h \
	src/store/postgres/postgres.c \
	src/store/postgres/postgres_find.c \
	src/store/postgres/postgres_form.c \
	src/store/postgres/postgres_hosts.c \
	src/store/postgres/postgres_lock.c \
	src/store/postgres/postgres_name.c \
	src/store/postgres/postgres_private.h \
	src/store/postgres/postgres_query.c \
	src/store/postgres/postgres_read.c \
	src/store/postgres/postgres_search.c \
	src/store/postgres/postgres_write.c \
	src/store/postgres/pq_library.c src/store/postgres/pq_library.h

libik_store_a_SOURCES += \
	src/store/sqlite/checkpoint.c src/store/sqlite/checkpoint.h \
	src/store/sqlite/checkpoint_run.c \
	src/store/sqlite/examine.c src/store/sqlite/examine.h \
	src/store/sqlite/merge.c src/store/sqlite/merge.h \
	src/store/sqlite/sqlite.c \
	src/store/sqlite/sqlite_blob.c \
	src/store/sqlite/sqlite_find.c \
	src/store/sqlite/sqlite_library.c src/store/sqlite/sqlite_library.h \
	src/store/sqlite/sqlite_private.h \
	src/store/sqlite/sqlite_read.c \
	src/store/sqlite/sqlite_repair.c \
	src/store/sqlite/sqlite_search.c \
	src/store/sqlite/sqlite_sessions.c \
	src/store/sqlite/sqlite_write.c
