# Fuzz targets, one a file fuzz_NAME.c.  `make check` replays the inputs in
# corpus/NAME with any compiler; `make fuzz` lets libFuzzer look for more.  A
# new target: its name in fuzz_names and the four lines of a replay_NAME.
fuzz_names = config fields glob grep import input keys markdown picture policy screen sse stream

fuzz_replays = tests/fuzz/replay_config tests/fuzz/replay_fields tests/fuzz/replay_glob \
	tests/fuzz/replay_grep \
	tests/fuzz/replay_import tests/fuzz/replay_input tests/fuzz/replay_keys tests/fuzz/replay_markdown \
	tests/fuzz/replay_picture tests/fuzz/replay_policy tests/fuzz/replay_screen tests/fuzz/replay_sse \
	tests/fuzz/replay_stream
check_PROGRAMS += $(fuzz_replays)
TESTS += $(fuzz_replays)

tests_fuzz_replay_config_SOURCES = tests/fuzz/fuzz_config.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_replay_config_LDADD = $(LINK_CONFIG)
tests_fuzz_replay_fields_SOURCES = tests/fuzz/fuzz_fields.c tests/fuzz/replay.c \
	tests/fuzz/fuzz.h
tests_fuzz_replay_fields_LDADD = $(LINK_UTIL)
tests_fuzz_replay_glob_SOURCES = tests/fuzz/fuzz_glob.c tests/fuzz/replay.c tests/fuzz/fuzz.h \
	tests/support/plain_glob.c tests/support/plain_glob.h tests/support/scratch.h
tests_fuzz_replay_glob_LDADD = libik_tools.a $(LINK_JSON)
tests_fuzz_replay_grep_SOURCES = tests/fuzz/fuzz_grep.c tests/fuzz/replay.c tests/fuzz/fuzz.h \
	tests/support/plain_search.c tests/support/plain_search.h
tests_fuzz_replay_grep_LDADD = libik_grep.a $(LINK_UTIL) $(PCRE2_LIBS)
tests_fuzz_replay_import_SOURCES = tests/fuzz/fuzz_import.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_replay_import_LDADD = $(LINK_APP)
tests_fuzz_replay_input_SOURCES = tests/fuzz/fuzz_input.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_replay_input_LDADD = libik_tools.a $(LINK_JSON)
tests_fuzz_replay_keys_SOURCES = tests/fuzz/fuzz_keys.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_replay_keys_LDADD = libik_tui.a $(LINK_JSON)
tests_fuzz_replay_markdown_SOURCES = tests/fuzz/fuzz_markdown.c tests/fuzz/replay.c \
	tests/fuzz/fuzz.h
tests_fuzz_replay_markdown_LDADD = $(LINK_TUI)
tests_fuzz_replay_picture_SOURCES = tests/fuzz/fuzz_picture.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_replay_picture_LDADD = $(LINK_PICTURE)
tests_fuzz_replay_policy_SOURCES = tests/fuzz/fuzz_policy.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_replay_policy_LDADD = $(LINK_TOOL)
tests_fuzz_replay_screen_SOURCES = tests/fuzz/fuzz_screen.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_replay_screen_LDADD = $(LINK_TUI)
tests_fuzz_replay_sse_SOURCES = tests/fuzz/fuzz_sse.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_replay_sse_LDADD = $(LINK_PROVIDER)
tests_fuzz_replay_stream_SOURCES = tests/fuzz/fuzz_stream.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_replay_stream_LDADD = $(LINK_PROVIDER)

EXTRA_DIST += tests/fuzz/corpus

# Everything a target may need, compiled again with coverage for libFuzzer.
FUZZ = $(fuzz_names)
FUZZ_SECONDS = 60
FUZZ_CC = clang
FUZZ_CFLAGS = -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
fuzz_sources = $(libik_util_a_SOURCES) $(libik_json_a_SOURCES) $(libik_tools_a_SOURCES) \
	$(libik_grep_a_SOURCES) $(libik_conversation_a_SOURCES) $(libik_provider_a_SOURCES) \
	tests/support/plain_glob.c tests/support/plain_search.c
# The screen's keys and the tools' input share names, so no target links both.
fuzz_base = $(libik_util_a_SOURCES) $(libik_json_a_SOURCES) $(libik_config_a_SOURCES) \
	$(libik_conversation_a_SOURCES)
fuzz_sources_screen = $(fuzz_base) $(libik_tui_a_SOURCES) src/tool/registry.c src/tool/envelope.c \
	src/tool/source.c
fuzz_sources_policy = $(fuzz_base) src/guard/policy.c src/guard/policy_match.c src/guard/glob.c
fuzz_sources_import = $(fuzz_base) $(libik_provider_a_SOURCES) $(libik_loop_a_SOURCES) $(libik_net_a_SOURCES) \
	$(libik_store_a_SOURCES) src/core/export_output.c src/cli/import_event.c
fuzz_compile = $(FUZZ_CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) \
	$(FUZZ_CFLAGS) -Wno-unused-command-line-argument

# Inputs with new coverage are left in found/NAME of the build, failing inputs
# in found.
.PHONY: fuzz
fuzz:
	@for name in $(FUZZ); do \
		echo "== $$name"; \
		$(MKDIR_P) tests/fuzz/found/$$name && \
		case $$name in \
		keys | markdown | screen) \
			sources="$(addprefix $(srcdir)/,$(filter %.c,$(fuzz_sources_screen)))" ;; \
		import) \
			sources="$(addprefix $(srcdir)/,$(filter %.c,$(fuzz_sources_import)))" ;; \
		picture) \
			sources="$(addprefix $(srcdir)/,$(filter %.c,$(libik_util_a_SOURCES) $(libik_picture_a_SOURCES)))" ;; \
		config | policy) \
			sources="$(addprefix $(srcdir)/,$(filter %.c,$(fuzz_sources_policy)))" ;; \
		*) sources="$(addprefix $(srcdir)/,$(filter %.c,$(fuzz_sources)))" ;; \
		esac && \
		$(fuzz_compile) -o tests/fuzz/fuzz_$$name $(srcdir)/tests/fuzz/fuzz_$$name.c \
			$$sources $(PCRE2_LIBS) $(MD4C_LIBS) $(UTF8PROC_LIBS) $(NCURSESW_LIBS) $(NETTLE_LIBS) $(EVENT_LIBS) $(GD_LIBS) -ldl -lm && \
		tests/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -timeout=60 -verbosity=1 \
			-artifact_prefix=tests/fuzz/found/$$name- \
			tests/fuzz/found/$$name $(srcdir)/tests/fuzz/corpus/$$name || exit 1; \
	done
clean-local:
	-rm -rf tests/fuzz/found $(addprefix tests/fuzz/fuzz_,$(fuzz_names))
