# src/loop: one library.
noinst_LIBRARIES += libik_loop.a
libik_loop_a_SOURCES = src/loop/child.h src/loop/http.h src/loop/http_server.h src/loop/loop.h src/loop/tty.h 
