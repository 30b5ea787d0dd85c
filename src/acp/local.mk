# src/acp: one library.
noinst_LIBRARIES += libik_acp.a
libik_acp_a_SOURCES = \
	src/acp/buffers.c src/acp/buffers.h \
	src/acp/call.c src/acp/call.h \
	src/acp/peer.c src/acp/peer.h \
	src/acp/permission.c src/acp/permission.h \
	src/acp/prompt.c src/acp/prompt.h \
	src/acp/servers.c src/acp/servers.h \
	src/acp/server.c src/acp/server.h \
	src/acp/session.c src/acp/session.h \
	src/acp/settings.c src/acp/settings.h \
	src/acp/trust.c src/acp/trust.h \
	src/acp/update.c src/acp/update.h \
	src/acp/view.c src/acp/view.h
