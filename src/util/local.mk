# src/util: one library.
noinst_LIBRARIES += libik_util.a
libik_util_a_SOURCES = src/util/alloc.h src/util/buf.h src/util/clock.h src/util/err.h src/util/limits.h src/util/log.h src/util/path.h src/util/sanitize.h src/util/text.h src/util/utf8.h src/util/uuid.h 
