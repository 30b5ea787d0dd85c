check_PROGRAMS += tests/unit/json/json_test
TESTS += tests/unit/json/json_test
tests_unit_json_json_test_SOURCES = \
	tests/unit/json/check_test.c \
	tests/unit/json/edit_test.c \
	tests/unit/json/pointer_test.c \
	tests/unit/json/scan_test.c \
	tests/unit/json/schema_test.c \
	tests/unit/json/suite_test.c \
	tests/unit/json/validate_test.c \
	tests/unit/json/write_test.c
tests_unit_json_json_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_json_json_test_LDADD = $(LINK_JSON) $(CRITERION_LIBS)
