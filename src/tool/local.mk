# src/tool: one library.
noinst_LIBRARIES += libik_tool.a
libik_tool_a_SOURCES = \
	src/tool/candidate.c src/tool/candidate.h \
	src/tool/discovery.c src/tool/discovery.h \
	src/tool/command_line.c src/tool/command_line.h \
	src/tool/display.c src/tool/display.h \
	src/tool/envelope.c src/tool/envelope.h \
	src/tool/environment.c \
	src/tool/fit.c src/tool/fit.h \
	src/tool/findings.c src/tool/findings.h \
	src/tool/load.c src/tool/load.h \
	src/tool/mcp/client.c src/tool/mcp/client.h \
	src/tool/mcp/content.c src/tool/mcp/content.h \
	src/tool/mcp/entry.c src/tool/mcp/entry.h \
	src/tool/mcp/http_headers.c src/tool/mcp/http_headers.h \
	src/tool/mcp/servers.c src/tool/mcp/servers.h \
	src/tool/mcp/source.c src/tool/mcp/source.h \
	src/tool/mcp/transport.h src/tool/mcp/transport_http.c \
	src/tool/mcp/transport_stdio.c \
	src/tool/mcp/version.c src/tool/mcp/version.h \
	src/tool/output_files.c src/tool/output_files.h \
	src/tool/protocol.c src/tool/protocol.h \
	src/tool/registry.c src/tool/registry.h \
	src/tool/returned_files.c src/tool/returned_files.h \
	src/tool/run.c src/tool/run.h \
	src/tool/schema_cache.c src/tool/schema_cache.h \
	src/tool/source.c src/tool/source.h \
	src/tool/source_directory.c \
	src/tool/source_skills.c \
	src/tool/writes.c src/tool/writes.h
