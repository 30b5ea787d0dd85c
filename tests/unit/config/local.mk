check_PROGRAMS += tests/unit/config/config_test
TESTS += tests/unit/config/config_test
tests_unit_config_config_test_SOURCES = \
	tests/support/scratch.h \
	tests/unit/config/config_edit_test.c \
	tests/unit/config/config_keys_test.c \
	tests/unit/config/config_load_test.c \
	tests/unit/config/config_test.c
tests_unit_config_config_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_config_config_test_LDADD = $(LINK_CONFIG) $(CRITERION_LIBS)
