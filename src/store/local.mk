# src/store: one library.
noinst_LIBRARIES += libik_store.a
libik_store_a_SOURCES = \
	src/store/answer.h \
	src/store/holder.c src/store/holder.h \
	src/store/lock.c src/store/lock.h \
	src/store/requests.c src/store/requests.h \
	src/store/session_writer.c src/store/session_writer.h \
	src/store/store.c src/store/store.h \
	src/store/store_private.h
