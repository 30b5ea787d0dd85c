# src/core: one library.
noinst_LIBRARIES += libik_core.a
libik_core_a_SOURCES = \
	src/core/attach.c src/core/attach.h \
	src/core/core.c src/core/core.h \
	src/core/core_skills.c \
	src/core/core_tools.c \
	src/core/custom_commands.c src/core/custom_commands.h \
	src/core/expansion.c src/core/expansion.h \
	src/core/export.c src/core/export.h \
	src/core/export_output.c src/core/export_output.h \
	src/core/model_choice.c src/core/model_choice.h \
	src/core/options.c src/core/options.h \
	src/core/places.c src/core/places.h \
	src/core/policy_file.c src/core/policy_file.h \
	src/core/print.c src/core/print.h \
	src/core/project.c src/core/project.h \
	src/core/prompt_text.c src/core/prompt_text.h \
	src/core/setup.c src/core/setup.h \
	src/core/skills.c src/core/skills.h \
	src/core/status_line.c src/core/status_line.h \
	src/core/undo_command.c src/core/undo_command.h
