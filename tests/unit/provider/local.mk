# Unit tests of src/provider: they link that layer and those under it, nothing else.
check_PROGRAMS += tests/unit/provider/provider_test
TESTS += tests/unit/provider/provider_test
tests_unit_provider_provider_test_SOURCES = \
	tests/unit/provider/anthropic_request_test.c \
	tests/unit/provider/anthropic_stream_test.c \
	tests/unit/provider/asking.c tests/unit/provider/asking.h \
	tests/unit/provider/caching_test.c \
	tests/unit/provider/chat_dialect_test.c \
	tests/unit/provider/error_test.c \
	tests/unit/provider/files_test.c \
	tests/unit/provider/google_request_test.c \
	tests/unit/provider/google_stream_test.c \
	tests/unit/provider/model_near_test.c tests/unit/provider/models_test.c \
	tests/unit/provider/odd_requests_test.c \
	tests/unit/provider/openai_chat_request_test.c \
	tests/unit/provider/openai_chat_stream_test.c \
	tests/unit/provider/openai_responses_test.c \
	tests/unit/provider/openai_strict_test.c \
	tests/unit/provider/practice_test.c \
	tests/unit/provider/prefix_test.c \
	tests/unit/provider/provider_test.c \
	tests/unit/provider/reply_kinds_test.c \
	tests/unit/provider/reading.c tests/unit/provider/reading.h \
	tests/unit/provider/request_kinds_test.c \
	tests/unit/provider/request_rules_test.c \
	tests/unit/provider/sse_test.c \
	tests/unit/provider/thinking_test.c \
	tests/unit/provider/transcript_test.c \
	tests/unit/provider/web_search_test.c \
	$(REQUEST_RULES)
tests_unit_provider_provider_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_provider_provider_test_LDADD = $(LINK_PROVIDER) $(CRITERION_LIBS)
