# Unit tests of src/app: what of it is pure.
check_PROGRAMS += tests/unit/app/app_test
TESTS += tests/unit/app/app_test
tests_unit_app_app_test_SOURCES = tests/unit/app/call_question_test.c tests/unit/app/complete_test.c tests/unit/app/exec_print_test.c tests/unit/app/options_test.c \
	tests/unit/app/policy_file_test.c tests/unit/app/prompt_text_test.c \
	tests/unit/app/resume_text_test.c tests/unit/app/skills_test.c \
	tests/unit/app/tool_text_test.c tests/unit/app/undo_call_test.c \
	tests/support/scratch.h
tests_unit_app_app_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_app_app_test_LDADD = $(LINK_APP) $(CRITERION_LIBS)
