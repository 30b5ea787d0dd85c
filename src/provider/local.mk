# src/provider: one library.
noinst_LIBRARIES += libik_provider.a
libik_provider_a_SOURCES = \
	src/provider/anthropic.c \
	src/provider/formats.c src/provider/formats.h \
	src/provider/google.c \
	src/provider/joined.c src/provider/joined.h \
	src/provider/models.c src/provider/models.h \
	src/provider/openai.h \
	src/provider/openai_chat.c \
	src/provider/openai_responses.c \
	src/provider/openai_strict.c \
	src/provider/practice.c
nodist_libik_provider_a_SOURCES = model_rules.c

# The built-in rules about models, as a string.
EXTRA_DIST += src/provider/models.json
CLEANFILES += model_rules.c
model_rules.c: src/provider/models.json
	$(AM_V_GEN){ \
	  echo "extern const char ik_built_in_model_rules[];"; \
	  echo "const char ik_built_in_model_rules[] ="; \
	  sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $(srcdir)/src/provider/models.json; \
	  echo ";"; \
	} >$@

libik_provider_a_SOURCES += \
	src/provider/wire/decoder.c src/provider/wire/decoder.h \
	src/provider/wire/delta.h \
	src/provider/wire/endpoint.c \
	src/provider/wire/error.c \
	src/provider/wire/format.h \
	src/provider/wire/script.c \
	src/provider/wire/think_tags.c src/provider/wire/think_tags.h \
	src/provider/wire/transcript.c src/provider/wire/transcript.h \
	src/provider/wire/wire.c src/provider/wire/wire.h
