# src/json: one library.
noinst_LIBRARIES += libik_json.a
libik_json_a_SOURCES = src/json/json.h src/json/scan.h src/json/schema.h src/json/write.h 
