# src/rpc: one library.
noinst_LIBRARIES += libik_rpc.a
libik_rpc_a_SOURCES = src/rpc/jsonrpc.c src/rpc/jsonrpc.h
