# src/agent: one library.
noinst_LIBRARIES += libik_agent.a
libik_agent_a_SOURCES = \
	src/agent/call_ids.c src/agent/call_ids.h \
	src/agent/compaction.c \
	src/agent/context.c \
	src/agent/effect.h \
	src/agent/exchange.c \
	src/agent/model.c src/agent/model.h \
	src/agent/model_list.c src/agent/model_list.h \
	src/agent/reply.c src/agent/reply.h \
	src/agent/restore.c \
	src/agent/session.c src/agent/session.h \
	src/agent/session_copy.c src/agent/session_copy.h \
	src/agent/session_begun.c src/agent/session_effects.c \
	src/agent/session_lock.c \
	src/agent/session_private.h \
	src/agent/session_policy.c src/agent/session_run.c src/agent/session_shell.c \
	src/agent/session_undo.c src/agent/slots.c src/agent/slots.h \
	src/agent/transfer.c src/agent/transfer.h \
	src/agent/turn.c src/agent/turn.h \
	src/agent/turn_calls.c \
	src/agent/turn_effects.c \
	src/agent/turn_rescue.c \
	src/agent/turn_retry.c src/agent/turn_retry.h \
	src/agent/turn_private.h \
	src/agent/written.c src/agent/written.h
