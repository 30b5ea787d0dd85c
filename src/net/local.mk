# src/net: one library.
noinst_LIBRARIES += libik_net.a
libik_net_a_SOURCES = \
	src/net/address.c src/net/address.h \
	src/net/http.c src/net/http.h
