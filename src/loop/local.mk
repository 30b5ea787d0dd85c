# src/loop: one library.
noinst_LIBRARIES += libik_loop.a
libik_loop_a_SOURCES = \
	src/loop/child.c src/loop/child.h \
	src/loop/children.c src/loop/children.h \
	src/loop/confine.c src/loop/confine.h \
	src/loop/mount_mask.c src/loop/mount_mask.h \
	src/loop/fatal.c src/loop/fatal.h \
	src/loop/foreground.c src/loop/foreground.h \
	src/loop/killer.c src/loop/killer.h \
	src/loop/orphans.c src/loop/orphans.h \
	src/loop/loop.c src/loop/loop.h \
	src/loop/spawn.c src/loop/spawn.h \
	src/loop/tty.c src/loop/tty.h \
	src/loop/directory_watch.c src/loop/directory_watch.h
