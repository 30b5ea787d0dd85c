# src/provider: one library.
noinst_LIBRARIES += libik_provider.a
libik_provider_a_SOURCES =

libik_provider_a_SOURCES += \
	src/provider/context_window.c src/provider/context_window.h \
	src/provider/formats.c src/provider/formats.h \
	src/provider/models.c src/provider/models.h \
	src/provider/practice.c src/provider/practice.h \
	src/provider/practice_rules.c src/provider/practice_rules.h \
	src/provider/practice_words.c

libik_provider_a_SOURCES += \
	src/provider/anthropic/anthropic.h \
	src/provider/anthropic/anthropic_request.c \
	src/provider/anthropic/anthropic_stream.c

libik_provider_a_SOURCES += \
	src/provider/google/google.h \
	src/provider/google/google_request.c \
	src/provider/google/google_stream.c

libik_provider_a_SOURCES += \
	src/provider/openai/chat_dialect.c src/provider/openai/chat_dialect.h \
	src/provider/openai/openai_chat.h \
	src/provider/openai/openai_chat_request.c \
	src/provider/openai/openai_chat_stream.c \
	src/provider/openai/openai_responses.h \
	src/provider/openai/openai_responses_request.c \
	src/provider/openai/openai_responses_stream.c \
	src/provider/openai/openai_strict.c src/provider/openai/openai_strict.h

libik_provider_a_SOURCES += \
	src/provider/wire/address.c src/provider/wire/address.h \
	src/provider/wire/call_list.c src/provider/wire/call_list.h \
	src/provider/wire/decoder.c src/provider/wire/decoder.h \
	src/provider/wire/delta.h \
	src/provider/wire/error.c src/provider/wire/error.h \
	src/provider/wire/format.h \
	src/provider/wire/request.h \
	src/provider/wire/script.c src/provider/wire/script.h \
	src/provider/wire/sse.c src/provider/wire/sse.h \
	src/provider/wire/thinking.c src/provider/wire/thinking.h \
	src/provider/wire/transcript.c src/provider/wire/transcript.h \
	src/provider/wire/wire.c src/provider/wire/wire.h
