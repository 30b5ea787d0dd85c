# src/picture: the program that reads and scales pictures, the only one linked to libgd.
noinst_LIBRARIES += libik_picture.a
libik_picture_a_SOURCES = \
	src/picture/header.c src/picture/header.h \
	src/picture/picture.c src/picture/picture.h \
	src/picture/sixel.c src/picture/sixel.h
libik_picture_a_CFLAGS = $(AM_CFLAGS) $(GD_CFLAGS)

LINK_PICTURE = libik_picture.a $(LINK_UTIL) $(GD_LIBS)

# A folder of its own: every executable beside the tools is a tool.
picturedir = $(pkglibexecdir)/picture
picture_PROGRAMS = libexec/picture/picture
libexec_picture_picture_SOURCES = src/picture/main.c
libexec_picture_picture_LDADD = $(LINK_PICTURE)
