# tests/net: an HTTP server that answers as a file says, for the tests of providers and
# of the screen, and for benchmarks.
check_PROGRAMS += tests/net/loopback_server tests/net/net_test tests/net/relay
TESTS += tests/net/net_test

tests_net_loopback_server_SOURCES = \
	tests/net/loopback_server.c \
	tests/net/record.c tests/net/record.h \
	tests/net/scenario.c tests/net/scenario.h \
	tests/net/speech.c tests/net/speech.h \
	$(REQUEST_RULES)
tests_net_loopback_server_LDADD = $(LINK_JSON)

tests_net_net_test_SOURCES = tests/net/loopback.c tests/net/loopback.h tests/net/net_test.c
tests_net_net_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_net_net_test_LDADD = $(LINK_PROVIDER) $(CRITERION_LIBS)
EXTRA_tests_net_net_test_DEPENDENCIES = tests/net/loopback_server

tests_net_relay_SOURCES = tests/net/relay.c tests/net/certificate.c tests/net/certificate.h
tests_net_relay_CFLAGS = $(AM_CFLAGS) $(SSL_CFLAGS)
tests_net_relay_LDADD = $(SSL_LIBS)
