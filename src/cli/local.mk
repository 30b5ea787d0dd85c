# src/cli: one library.
noinst_LIBRARIES += libik_cli.a
libik_cli_a_SOURCES = \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cli_session.c \
	src/cli/cli_tool.c \
	src/cli/cli_tool_new.c \
	src/cli/cli_trust.c \
	src/cli/cli_validate.c \
	src/cli/doctor.c \
	src/cli/exec.c \
	src/cli/exec_print.c src/cli/exec_print.h \
	src/cli/import_event.c src/cli/import_event.h \
	src/cli/output.c src/cli/output.h \
	src/cli/session_delete.c \
	src/cli/session_export.c \
	src/cli/session_import.c \
	src/cli/session_search.c \
	src/cli/session_verb.c src/cli/session_verb.h \
	src/cli/verbs.h
