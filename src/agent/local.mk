# src/agent: one library.
noinst_LIBRARIES += libik_agent.a
libik_agent_a_SOURCES =

libik_agent_a_SOURCES += \
	src/agent/model.c src/agent/model.h \
	src/agent/model_cache.c src/agent/model_cache.h \
	src/agent/model_list.c src/agent/model_list.h \
	src/agent/output.c src/agent/output.h \
	src/agent/reply.c src/agent/reply.h \
	src/agent/slots.c src/agent/slots.h

libik_agent_a_SOURCES += \
	src/agent/session/commands.c src/agent/session/commands.h \
	src/agent/session/compaction.c src/agent/session/compaction.h \
	src/agent/session/exchange.c src/agent/session/exchange.h \
	src/agent/session/file_reader.c src/agent/session/file_reader.h \
	src/agent/session/file_writes.c src/agent/session/file_writes.h \
	src/agent/session/hooked.c src/agent/session/hooked.h \
	src/agent/session/record.c src/agent/session/record.h \
	src/agent/session/runs.c src/agent/session/runs.h \
	src/agent/session/session.c src/agent/session/session.h \
	src/agent/session/stored.c src/agent/session/stored.h \
	src/agent/session/undo_recorder.c src/agent/session/undo_recorder.h

libik_agent_a_SOURCES += \
	src/agent/turn/turn.c src/agent/turn/turn.h
