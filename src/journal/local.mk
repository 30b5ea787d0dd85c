# src/journal: one library.
noinst_LIBRARIES += libik_journal.a
libik_journal_a_SOURCES = \
	src/journal/event_line.c src/journal/event_line.h \
	src/journal/journal.c src/journal/journal.h \
	src/journal/journal_reader.c src/journal/journal_reader.h
