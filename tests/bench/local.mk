# Benchmarks: `make bench` builds and runs them all (tests/bench/run).

EXTRA_PROGRAMS += tests/bench/bench_commands tests/bench/bench_find tests/bench/bench_frame \
	tests/bench/bench_inspector tests/bench/bench_provider \
	tests/bench/bench_screen tests/bench/bench_search tests/bench/bench_store tests/bench/bench_tools
tests_bench_bench_commands_SOURCES = tests/bench/bench_commands.c tests/bench/measure.c tests/bench/measure.h
tests_bench_bench_commands_LDADD = libik_util.a
tests_bench_bench_find_SOURCES = tests/bench/bench_find.c tests/bench/measure.c tests/bench/measure.h \
	tests/bench/open_store.c tests/bench/open_store.h
tests_bench_bench_find_LDADD = $(LINK_STORE)
tests_bench_bench_frame_SOURCES = tests/bench/bench_frame.c tests/bench/measure.c tests/bench/measure.h
tests_bench_bench_frame_LDADD = $(LINK_TUI)
tests_bench_bench_inspector_SOURCES = tests/bench/bench_inspector.c
tests_bench_bench_inspector_LDADD = $(LINK_TUI)
tests_bench_bench_provider_SOURCES = tests/bench/bench_provider.c tests/bench/measure.c tests/bench/measure.h
tests_bench_bench_provider_LDADD = $(LINK_PROVIDER)
tests_bench_bench_screen_SOURCES = tests/bench/bench_screen.c tests/bench/measure.c tests/bench/measure.h
tests_bench_bench_screen_LDADD = -lutil
tests_bench_bench_search_SOURCES = tests/bench/bench_search.c tests/bench/measure.c tests/bench/measure.h
tests_bench_bench_search_LDADD = $(LINK_TUI)
tests_bench_bench_store_SOURCES = tests/bench/bench_store.c tests/bench/measure.c tests/bench/measure.h \
	tests/bench/open_store.c tests/bench/open_store.h
tests_bench_bench_store_LDADD = $(LINK_STORE)
tests_bench_bench_tools_SOURCES = tests/bench/bench_tools.c tests/bench/measure.c tests/bench/measure.h
tests_bench_bench_tools_LDADD = $(LINK_TOOL)
EXTRA_DIST += tests/bench/find tests/bench/load.py tests/bench/loop_turns.c tests/bench/run \
	tests/bench/agents.py tests/bench/sessions.py tests/bench/store
CLEANFILES += $(EXTRA_PROGRAMS) tests/bench/loop_turns.so

tests/bench/loop_turns.so: tests/bench/loop_turns.c
	$(AM_V_GEN)$(MKDIR_P) tests/bench && $(CC) -O2 -shared -fPIC -D_GNU_SOURCE -o $@ \
		$(srcdir)/tests/bench/loop_turns.c

.PHONY: bench
bench: all $(EXTRA_PROGRAMS) tests/bench/loop_turns.so tests/net/loopback_server
	IK_TOP_SRCDIR='$(abs_top_srcdir)' IK_TOP_BUILDDIR='$(abs_top_builddir)' \
		$(SHELL) $(top_srcdir)/tests/bench/run $(BENCH)
