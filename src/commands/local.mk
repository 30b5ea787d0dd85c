# src/commands: one library.
noinst_LIBRARIES += libik_commands.a
libik_commands_a_SOURCES = \
	src/commands/action.c src/commands/action.h \
	src/commands/appearance.c src/commands/appearance.h \
	src/commands/choices.c src/commands/choices.h \
	src/commands/commands.c src/commands/commands.h \
	src/commands/commands_model.c \
	src/commands/complete.c src/commands/complete.h \
	src/commands/sandbox_command.c src/commands/sandbox_command.h \
	src/commands/stored_session.c src/commands/stored_session.h \
	src/commands/tool_text.c src/commands/tool_text.h \
	src/commands/usage_command.c
