# src/config: one library.
noinst_LIBRARIES += libik_config.a
libik_config_a_SOURCES = \
	src/config/config.c src/config/config.h \
	src/config/config_edit.c src/config/config_edit.h \
	src/config/config_keys.c src/config/config_keys.h \
	src/config/rules.c src/config/rules.h
