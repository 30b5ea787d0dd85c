# src/hook: one library.
noinst_LIBRARIES += libik_hook.a
libik_hook_a_SOURCES = \
	src/hook/hook_run.c src/hook/hook_run.h \
	src/hook/hooks.c src/hook/hooks.h
