# src/mcp: one library.
noinst_LIBRARIES += libik_mcp.a
libik_mcp_a_SOURCES = \
	src/mcp/content.c src/mcp/content.h \
	src/mcp/http.c src/mcp/http.h \
	src/mcp/serve.c src/mcp/serve.h \
	src/mcp/server.c src/mcp/server.h
