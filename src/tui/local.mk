# src/tui: one library.
noinst_LIBRARIES += libik_tui.a
libik_tui_a_SOURCES =

# The terminal's side: cells, bytes out, keys in, the editor.
libik_tui_a_SOURCES += \
	src/tui/cells.c \
	src/tui/cells.h \
	src/tui/editor.h \
	src/tui/history.h \
	src/tui/input.c \
	src/tui/input.h \
	src/tui/input_sequences.c \
	src/tui/input_sequences.h \
	src/tui/keymap.c \
	src/tui/keymap.h \
	src/tui/term.h \
	src/tui/theme.c \
	src/tui/theme.h

# The screen's side: panes and what they are made of.
libik_tui_a_SOURCES += \
	src/tui/screen.h
