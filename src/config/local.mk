# src/config: one library.
noinst_LIBRARIES += libik_config.a
libik_config_a_SOURCES = src/config/config.h 
