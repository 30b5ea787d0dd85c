# src: the program itself.
bin_PROGRAMS += ikigai
ikigai_SOURCES = src/main.c
ikigai_LDADD = $(LINK_APP)
