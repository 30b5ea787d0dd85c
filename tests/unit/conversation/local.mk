# Unit tests of src/conversation: they link that layer and those under it, nothing else.
check_PROGRAMS += tests/unit/conversation/conversation_test
TESTS += tests/unit/conversation/conversation_test
tests_unit_conversation_conversation_test_SOURCES = \
	tests/unit/conversation/conversation_test.c \
	tests/unit/conversation/message_test.c \
	tests/unit/conversation/search_query_test.c tests/unit/conversation/usage_test.c
tests_unit_conversation_conversation_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_conversation_conversation_test_LDADD = $(LINK_CONVERSATION) $(CRITERION_LIBS) -lm
