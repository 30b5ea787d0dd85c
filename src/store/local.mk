# src/store: one library.
noinst_LIBRARIES += libik_store.a
libik_store_a_SOURCES = \
	src/store/backend.h \
	src/store/begun.c src/store/begun.h \
	src/store/blob.c src/store/blob.h \
	src/store/blob_spool.c src/store/blob_spool.h \
	src/store/checkpoint.c src/store/checkpoint.h src/store/checkpoint_run.c \
	src/store/database_file.c src/store/database_file.h \
	src/store/examine.c src/store/examine.h \
	src/store/lock.c src/store/lock.h src/store/lock_private.h \
	src/store/holder.c src/store/lock_file.c src/store/lock_row.c src/store/postgres_lock.c \
	src/store/examine_postgres.c src/store/examine_postgres.h \
	src/store/merge.c src/store/merge.h \
	src/store/migrate.c src/store/migrate.h \
	src/store/postgres.c src/store/postgres_private.h \
	src/store/postgres_form.c src/store/postgres_hosts.c src/store/postgres_name.c \
	src/store/postgres_query.c \
	src/store/postgres_find.c src/store/postgres_read.c src/store/postgres_search.c src/store/postgres_write.c \
	src/store/pq_library.c src/store/pq_library.h \
	src/store/rescue.c src/store/rescue.h \
	src/store/search_query.c src/store/search_query.h \
	src/store/search_text.c src/store/search_text.h \
	src/store/spool.c src/store/spool.h \
	src/store/sqlite.c src/store/sqlite_private.h \
	src/store/sqlite_blob.c src/store/sqlite_find.c src/store/sqlite_read.c src/store/sqlite_search.c \
	src/store/sqlite_repair.c src/store/sqlite_sessions.c src/store/sqlite_write.c \
	src/store/sqlite_library.c src/store/sqlite_library.h \
	src/store/store.c src/store/store.h src/store/store_private.h \
	src/store/store_held.c src/store/store_index.c src/store/store_kept.c src/store/store_queue.c src/store/store_read.c src/store/store_rescue.c
