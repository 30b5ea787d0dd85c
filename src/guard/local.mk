# src/guard: one library.
noinst_LIBRARIES += libik_guard.a
libik_guard_a_SOURCES = \
	src/guard/glob.c src/guard/glob.h \
	src/guard/permissions.c src/guard/permissions.h \
	src/guard/policy.c src/guard/policy.h \
	src/guard/policy_match.c src/guard/policy_match.h \
	src/guard/sandbox.c src/guard/sandbox.h \
	src/guard/trust.c src/guard/trust.h \
	src/guard/trust_check.c src/guard/trust_check.h
