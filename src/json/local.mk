# src/json: one library.
noinst_LIBRARIES += libik_json.a
libik_json_a_SOURCES = \
	src/json/check.c \
	src/json/json.c src/json/json.h \
	src/json/number.c src/json/number.h \
	src/json/plain.h \
	src/json/scan.c src/json/scan.h \
	src/json/schema.h \
	src/json/write.c src/json/write.h
