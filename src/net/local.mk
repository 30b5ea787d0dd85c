# src/net: one library.
noinst_LIBRARIES += libik_net.a
libik_net_a_SOURCES = \
	src/net/http.c src/net/http.h \
	src/net/http_server.c src/net/http_server.h
