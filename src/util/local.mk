# src/util: one library.
noinst_LIBRARIES += libik_util.a
libik_util_a_SOURCES = \
	src/util/alloc.c src/util/alloc.h \
	src/util/base64.c src/util/base64.h \
	src/util/buf.c src/util/buf.h \
	src/util/bytes.c src/util/bytes.h \
	src/util/clock.c src/util/clock.h \
	src/util/cluster.c src/util/cluster.h \
	src/util/diff.c src/util/diff.h \
	src/util/environment.c src/util/environment.h \
	src/util/err.c src/util/err.h \
	src/util/front_matter.c src/util/front_matter.h \
	src/util/identity.c src/util/identity.h \
	src/util/limits.h \
	src/util/line_splitter.c src/util/line_splitter.h \
	src/util/log.c src/util/log.h \
	src/util/path.c src/util/path.h \
	src/util/proc_stat.c src/util/proc_stat.h \
	src/util/redact.c src/util/redact.h \
	src/util/sanitize.c src/util/sanitize.h \
	src/util/sha256.c src/util/sha256.h \
	src/util/shell_word.c src/util/shell_word.h \
	src/util/sse.c src/util/sse.h \
	src/util/text.c src/util/text.h \
	src/util/utf8.c src/util/utf8.h \
	src/util/uuid.c src/util/uuid.h \
	src/util/words.c src/util/words.h
