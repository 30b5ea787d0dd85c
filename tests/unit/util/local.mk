check_PROGRAMS += tests/unit/util/util_test
TESTS += tests/unit/util/util_test
tests_unit_util_util_test_SOURCES = \
	tests/support/scratch.h \
	tests/unit/util/alloc_test.c \
	tests/unit/util/base64_test.c \
	tests/unit/util/buf_test.c \
	tests/unit/util/clock_test.c \
	tests/unit/util/diff_test.c \
	tests/unit/util/cluster_test.c \
	tests/unit/util/err_test.c \
	tests/unit/util/front_matter_test.c \
	tests/unit/util/identity_test.c \
	tests/unit/util/line_splitter_test.c \
	tests/unit/util/log_test.c \
	tests/unit/util/path_test.c \
	tests/unit/util/redact_test.c \
	tests/unit/util/sanitize_test.c \
	tests/unit/util/sha256_test.c \
	tests/unit/util/shell_word_test.c \
	tests/unit/util/text_test.c \
	tests/unit/util/utf8_test.c \
	tests/unit/util/uuid_test.c \
	tests/unit/util/words_test.c
tests_unit_util_util_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_util_util_test_LDADD = $(LINK_UTIL) $(CRITERION_LIBS)
