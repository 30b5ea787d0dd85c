# src/tui: one library.
noinst_LIBRARIES += libik_tui.a
libik_tui_a_SOURCES = src/tui/cells.h src/tui/editor.h src/tui/history.h src/tui/input.h src/tui/keymap.h src/tui/screen.h src/tui/term.h src/tui/theme.h 
