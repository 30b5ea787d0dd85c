# src/store: one library.
noinst_LIBRARIES += libik_store.a
libik_store_a_SOURCES = src/store/store.h 
