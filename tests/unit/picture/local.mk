# Unit tests of src/picture; libgd makes the pictures, too.
check_PROGRAMS += tests/unit/picture/picture_test
TESTS += tests/unit/picture/picture_test
tests_unit_picture_picture_test_SOURCES = tests/unit/picture/picture_test.c
tests_unit_picture_picture_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS) $(GD_CFLAGS)
tests_unit_picture_picture_test_LDADD = $(LINK_PICTURE) $(CRITERION_LIBS)
