# src/agent: one library.
noinst_LIBRARIES += libik_agent.a
libik_agent_a_SOURCES =

libik_agent_a_SOURCES += \
	src/agent/call_ids.c src/agent/call_ids.h \
	src/agent/model.c src/agent/model.h \
	src/agent/model_list.c src/agent/model_list.h \
	src/agent/reply.c src/agent/reply.h \
	src/agent/slots.c src/agent/slots.h \
	src/agent/transfer.c src/agent/transfer.h

libik_agent_a_SOURCES += \
	src/agent/session/compaction.c \
	src/agent/session/context.c \
	src/agent/session/exchange.c \
	src/agent/session/restore.c \
	src/agent/session/session.c src/agent/session/session.h \
	src/agent/session/session_begun.c \
	src/agent/session/session_copy.c src/agent/session/session_copy.h \
	src/agent/session/session_effects.c \
	src/agent/session/session_lock.c \
	src/agent/session/session_policy.c \
	src/agent/session/session_private.h \
	src/agent/session/session_run.c \
	src/agent/session/session_shell.c \
	src/agent/session/session_undo.c \
	src/agent/session/written.c src/agent/session/written.h

libik_agent_a_SOURCES += \
	src/agent/turn/effect.h \
	src/agent/turn/retry.c src/agent/turn/retry.h \
	src/agent/turn/turn.c src/agent/turn/turn.h
