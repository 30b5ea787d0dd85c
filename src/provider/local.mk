# src/provider: one library.
noinst_LIBRARIES += libik_provider.a
libik_provider_a_SOURCES = src/provider/delta.h src/provider/practice.h src/provider/provider.h src/provider/request.h src/provider/sse.h 
