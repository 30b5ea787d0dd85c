# src/cli: one library.
noinst_LIBRARIES += libik_cli.a
libik_cli_a_SOURCES = \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cli_complete.c \
	src/cli/cli_hook.c \
	src/cli/cli_mcp.c \
	src/cli/cli_model.c \
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
	src/cli/stdio.c src/cli/stdio.h
nodist_libik_cli_a_SOURCES = tool_templates.c

# The tools to begin with (cli_tool_new.c), as strings.
TOOL_TEMPLATES = src/cli/templates/sh src/cli/templates/python src/cli/templates/c
EXTRA_DIST += $(TOOL_TEMPLATES)
CLEANFILES += tool_templates.c
tool_templates.c: $(TOOL_TEMPLATES)
	$(AM_V_GEN)for name in sh python c; do \
	  echo "extern const char ik_tool_template_$$name[];"; \
	  echo "const char ik_tool_template_$$name[] ="; \
	  sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $(srcdir)/src/cli/templates/$$name; \
	  echo ";"; \
	done >$@
