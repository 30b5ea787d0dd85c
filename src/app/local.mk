# src/app: joins the layers; and the program itself.
noinst_LIBRARIES += libik_app.a
libik_app_a_SOURCES =

bin_PROGRAMS += ikigai
ikigai_SOURCES = src/main.c
ikigai_LDADD = $(LINK_APP)
