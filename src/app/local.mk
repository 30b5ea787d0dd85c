# src/app: joins the layers; and the program itself.
noinst_LIBRARIES += libik_app.a
libik_app_a_SOURCES = \
	src/app/agents_file.c src/app/agents_file.h \
	src/app/argument_template.c src/app/argument_template.h \
	src/app/attach.c src/app/attach.h \
	src/app/complete.c src/app/complete.h \
	src/app/external_editor.c src/app/external_editor.h \
	src/app/import_event.c src/app/import_event.h \
	src/app/import_line.c src/app/import_line.h \
	src/app/listing.c src/app/listing.h \
	src/app/memory.c src/app/memory.h \
	src/app/mention.c src/app/mention.h \
	src/app/system_text.c src/app/system_text.h \
	src/app/appearance.c src/app/appearance.h \
	src/app/background_text.c src/app/background_text.h \
	src/app/agents_text.c src/app/agents_text.h \
	src/app/chat_agents.c src/app/chat_agents.h src/app/chat_fork.c \
	src/app/chat_children.c src/app/chat_children.h \
	src/app/chat_pick.c src/app/chat_pick.h \
	src/app/chat.c src/app/chat.h src/app/chat_private.h \
	src/app/chat_trust.c src/app/chat_trust.h \
	src/app/chat_copy.c src/app/chat_search.c src/app/chat_search.h src/app/chat_sessions.c \
	src/app/commands_session.c src/app/commands_session.h \
	src/app/sandbox_command.c src/app/sandbox_command.h \
	src/app/session_find.c src/app/session_find.h \
	src/app/commands_text.c src/app/commands_text.h \
	src/app/export.c src/app/export.h \
	src/app/export_output.c src/app/export_output.h \
	src/app/chat_ask.c src/app/chat_blobs.c src/app/chat_draft.c src/app/chat_draw.c \
	src/app/chat_input.c src/app/chat_submit.c src/app/chat_terminal.c \
	src/app/chat_theme.c \
	src/app/chat_lock.c \
	src/app/chat_lock.c \
	src/app/chat_policy.c src/app/call_question.c src/app/call_question.h \
	src/app/cli_session.c src/app/cli_session.h src/app/cli_session_private.h \
	src/app/cli_session_import.c src/app/cli_session_prune.c src/app/cli_session_search.c \
	src/app/session_titles.c src/app/session_titles.h \
	src/app/resume_text.c src/app/resume_text.h \
	src/app/session_taken.c src/app/session_taken.h \
	src/app/session_walk.c src/app/session_walk.h \
	src/app/cli_tool.c src/app/cli_tool.h \
	src/app/cli_tool_new.c src/app/cli_tool_new.h \
	src/app/cli_trust.c src/app/cli_trust.h \
	src/app/cli_validate.c src/app/cli_validate.h \
	src/app/commands_model.c src/app/commands_model.h \
	src/app/commands.c src/app/commands.h \
	src/app/core.c src/app/core.h src/app/core_tools.c \
	src/app/doctor.c src/app/doctor.h src/app/doctor_private.h \
	src/app/doctor_places.c src/app/doctor_postgres.c src/app/doctor_providers.c \
	src/app/exec.c src/app/exec.h \
	src/app/exec_input.c src/app/exec_input.h \
	src/app/exec_print.c src/app/exec_print.h \
	src/app/mode_command.c src/app/mode_command.h \
	src/app/options.c src/app/options.h \
	src/app/output.c src/app/output.h \
	src/app/places.c src/app/places.h \
	src/app/project.c src/app/project.h \
	src/app/print.c src/app/print.h \
	src/app/policy_file.c src/app/policy_file.h \
	src/app/practice_server.c src/app/practice_server.h \
	src/app/model_choice.c src/app/model_choice.h \
	src/app/model_hint.c src/app/model_hint.h \
	src/app/setup.c src/app/setup.h \
	src/app/pager.c src/app/pager.h \
	src/app/temporary_file.c src/app/temporary_file.h \
	src/app/chat_tools.c src/app/tool_switch.c src/app/tool_switch.h \
	src/app/tool_templates.c src/app/tool_templates.h \
	src/app/tool_text.c src/app/tool_text.h \
	src/app/tool_view.c src/app/tool_view.h \
	src/app/chat_undo.c src/app/undo_call.c src/app/undo_call.h \
	src/app/undo_command.c src/app/undo_command.h \
	src/app/undo_text.c src/app/undo_text.h \
	src/app/usage_text.c src/app/usage_text.h \
	src/app/trust_text.c src/app/trust_text.h \
	src/app/validate_text.c src/app/validate_text.h

bin_PROGRAMS += ikigai
ikigai_SOURCES = src/main.c
ikigai_LDADD = $(LINK_APP)
