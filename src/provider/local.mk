# src/provider: one library.
noinst_LIBRARIES += libik_provider.a
libik_provider_a_SOURCES = \
	src/provider/anthropic.c \
	src/provider/formats.c src/provider/formats.h \
	src/provider/google.c \
	src/provider/models.c src/provider/models.h \
	src/provider/openai.h \
	src/provider/openai_chat.c \
	src/provider/openai_responses.c \
	src/provider/openai_strict.c \
	src/provider/practice.c

libik_provider_a_SOURCES += \
	src/provider/wire/decoder.c src/provider/wire/decoder.h \
	src/provider/wire/delta.h \
	src/provider/wire/endpoint.c \
	src/provider/wire/error.c \
	src/provider/wire/format.h \
	src/provider/wire/script.c \
	src/provider/wire/sse.c src/provider/wire/sse.h \
	src/provider/wire/transcript.c src/provider/wire/transcript.h \
	src/provider/wire/wire.c src/provider/wire/wire.h
