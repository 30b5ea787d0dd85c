# src/agent: one library.
noinst_LIBRARIES += libik_agent.a
libik_agent_a_SOURCES = src/agent/effect.h src/agent/session.h src/agent/turn.h
