# src/tool: one library.
noinst_LIBRARIES += libik_tool.a
libik_tool_a_SOURCES = src/tool/discovery.h src/tool/envelope.h src/tool/protocol.h src/tool/registry.h src/tool/run.h src/tool/source.h 
