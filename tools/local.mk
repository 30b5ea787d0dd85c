# tools: the six programs, and what they share.  They are built into a separate
# directory, where ikigai finds them when it runs from its build tree.
noinst_LIBRARIES += libik_tools.a
libik_tools_a_SOURCES = \
	tools/common/answer.c tools/common/answer.h \
	tools/common/suggestions.c tools/common/suggestions.h \
	tools/common/ignore.c tools/common/ignore.h \
	tools/common/input.c tools/common/input.h \
	tools/common/match.c tools/common/match.h \
	tools/common/missing_path.c tools/common/missing_path.h \
	tools/common/program.c tools/common/program.h \
	tools/common/source.c tools/common/source.h \
	tools/common/target.c tools/common/target.h

# The engine of grep, which is also tested separately.
noinst_LIBRARIES += libik_grep.a
libik_grep_a_SOURCES = \
	tools/grep/dialect.c tools/grep/dialect.h \
	tools/grep/expression.c tools/grep/expression.h \
	tools/grep/search.c tools/grep/search.h

LINK_TOOLS = libik_tools.a $(LINK_JSON)

tool_programs = libexec/bash libexec/file-read libexec/file-write \
	libexec/file-edit libexec/glob libexec/grep
pkglibexec_PROGRAMS += $(tool_programs)

libexec_bash_SOURCES = tools/common/main.c tools/bash/main.c
libexec_bash_LDADD = $(LINK_TOOLS)
libexec_file_read_SOURCES = tools/common/main.c tools/file_read/main.c
libexec_file_read_LDADD = $(LINK_TOOLS)
libexec_file_write_SOURCES = tools/common/main.c tools/file_write/main.c
libexec_file_write_LDADD = $(LINK_TOOLS)
libexec_file_edit_SOURCES = tools/common/main.c tools/file_edit/main.c
libexec_file_edit_LDADD = $(LINK_TOOLS)
libexec_glob_SOURCES = tools/common/main.c tools/glob/main.c
libexec_glob_LDADD = $(LINK_TOOLS)
libexec_grep_SOURCES = tools/common/main.c tools/grep/main.c tools/grep/files.c tools/grep/files.h
libexec_grep_LDADD = libik_grep.a $(LINK_TOOLS)

# The program that any tool is as a command (src/agent/session/commands.h).  A folder of its own:
# every executable beside the tools is a tool.
commanddir = $(pkglibexecdir)/command
command_PROGRAMS = libexec/command/ikigai-tool
libexec_command_ikigai_tool_SOURCES = tools/command/main.c
libexec_command_ikigai_tool_LDADD = $(LINK_JSON)

.PHONY: tools tool-bash tool-file-read tool-file-write tool-file-edit tool-glob tool-grep
tools: $(tool_programs)
tool-bash: libexec/bash
tool-file-read: libexec/file-read
tool-file-write: libexec/file-write
tool-file-edit: libexec/file-edit
tool-glob: libexec/glob
tool-grep: libexec/grep
