# src/chat: one library.
noinst_LIBRARIES += libik_chat.a
libik_chat_a_SOURCES = \
	src/chat/actions.c \
	src/chat/agent.c \
	src/chat/call_question.c src/chat/call_question.h \
	src/chat/chat.c src/chat/chat.h \
	src/chat/chat_agents.c \
	src/chat/chat_children.c \
	src/chat/chat_draft.c \
	src/chat/chat_draw.c \
	src/chat/chat_fork.c \
	src/chat/chat_form.c \
	src/chat/chat_lock.c \
	src/chat/chat_notify.c \
	src/chat/chat_paste.c \
	src/chat/chat_pick.c \
	src/chat/chat_pictures.c \
	src/chat/chat_policy.c \
	src/chat/chat_quit.c \
	src/chat/chat_sessions.c \
	src/chat/chat_status.c \
	src/chat/chat_submit.c \
	src/chat/chat_switch.c \
	src/chat/chat_terminal.c \
	src/chat/chat_tools.c \
	src/chat/chat_trust.c \
	src/chat/chat_welcome.c \
	src/chat/external_program.c
