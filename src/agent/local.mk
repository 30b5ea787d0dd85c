# src/agent: one library.
noinst_LIBRARIES += libik_agent.a
libik_agent_a_SOURCES = \
	src/agent/call_ids.c src/agent/call_ids.h \
	src/agent/effect.h \
	src/agent/reply.c src/agent/reply.h \
	src/agent/session.h \
	src/agent/turn.c src/agent/turn.h \
	src/agent/turn_calls.c \
	src/agent/turn_effects.c \
	src/agent/turn_private.h
