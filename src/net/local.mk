# src/net: one library.
noinst_LIBRARIES += libik_net.a
libik_net_a_SOURCES = \
	src/net/address.c src/net/address.h \
	src/net/http.c src/net/http.h \
	src/net/http_explain.c src/net/http_explain.h \
	src/net/resolve.c src/net/resolve.h
