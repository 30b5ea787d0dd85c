# src/agent: one library.
noinst_LIBRARIES += libik_agent.a
libik_agent_a_SOURCES = src/agent/session.h 
