# src/json: one library.
noinst_LIBRARIES += libik_json.a
libik_json_a_SOURCES = \
	src/json/check.c \
	src/json/edit.c src/json/edit.h \
	src/json/partial.c src/json/partial.h \
	src/json/pattern.c src/json/pattern.h \
	src/json/place.c src/json/place.h \
	src/json/plain.h \
	src/json/pointer.c src/json/pointer.h \
	src/json/scan.c src/json/scan.h \
	src/json/schema.c src/json/schema.h \
	src/json/validate.c \
	src/json/write.c src/json/write.h
