check_PROGRAMS += tests/unit/rpc/rpc_test
TESTS += tests/unit/rpc/rpc_test
tests_unit_rpc_rpc_test_SOURCES = tests/unit/rpc/jsonrpc_test.c
tests_unit_rpc_rpc_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_rpc_rpc_test_LDADD = libik_rpc.a $(LINK_JSON) $(CRITERION_LIBS)
