# src/provider: one library.
noinst_LIBRARIES += libik_provider.a
libik_provider_a_SOURCES = \
	src/provider/anthropic.h src/provider/anthropic_request.c \
	src/provider/anthropic_stream.c \
	src/provider/body.c src/provider/body.h \
	src/provider/call_list.c src/provider/call_list.h \
	src/provider/chat_dialect.c src/provider/chat_dialect.h \
	src/provider/chunk_shape.c src/provider/chunk_shape.h \
	src/provider/context_window.c src/provider/context_window.h \
	src/provider/decoder.c src/provider/decoder.h \
	src/provider/delta.h \
	src/provider/error.c src/provider/error.h \
	src/provider/google.h src/provider/google_request.c \
	src/provider/google_schema.c src/provider/google_stream.c \
	src/provider/headers.h \
	src/provider/models.c src/provider/models.h \
	src/provider/openai_chat.h src/provider/openai_chat_request.c \
	src/provider/openai_chat_stream.c \
	src/provider/openai_responses.h src/provider/openai_responses_request.c \
	src/provider/openai_responses_stream.c \
	src/provider/openai_strict.c src/provider/openai_strict.h \
	src/provider/provider.c src/provider/provider.h \
	src/provider/practice.c src/provider/practice.h \
	src/provider/practice_rules.c src/provider/practice_rules.h \
	src/provider/practice_words.c \
	src/provider/reasoning_details.c src/provider/reasoning_details.h \
	src/provider/request.h \
	src/provider/sse.c src/provider/sse.h \
	src/provider/thinking.c src/provider/thinking.h \
	src/provider/transcript.c src/provider/transcript.h \
	src/provider/wire.c src/provider/wire.h
