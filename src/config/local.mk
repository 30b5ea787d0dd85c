# src/config: one library.
noinst_LIBRARIES += libik_config.a
libik_config_a_SOURCES = \
	src/config/config.c src/config/config.h src/config/config_load.c \
	src/config/config_keys.c src/config/config_keys.h \
	src/config/config_parts.h \
	src/config/config_value.c src/config/config_value.h \
	src/config/rules.c src/config/rules.h \
	src/config/trust.c src/config/trust.h src/config/trust_file.c src/config/trust_parts.h
