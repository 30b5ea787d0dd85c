# Unit tests of src/tui: they link that layer and those under it, nothing else.
check_PROGRAMS += tests/unit/tui/tui_test
TESTS += tests/unit/tui/tui_test
tests_unit_tui_tui_test_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS) $(VTERM_CFLAGS)
tests_unit_tui_tui_test_LDADD = $(LINK_TUI) $(CRITERION_LIBS) $(VTERM_LIBS) -lm
tests_unit_tui_tui_test_SOURCES =

# The terminal's side.
tests_unit_tui_tui_test_SOURCES += \
	tests/unit/tui/ascii_test.c \
	tests/unit/tui/cells_test.c \
	tests/unit/tui/code_colour_test.c \
	tests/unit/tui/colour_test.c \
	tests/unit/tui/completion_test.c \
	tests/unit/tui/editor_test.c tests/unit/tui/editor_random_test.c \
	tests/unit/tui/history_test.c \
	tests/unit/tui/input_test.c \
	tests/unit/tui/json_tree_test.c \
	tests/unit/tui/json_view_test.c \
	tests/unit/tui/keymap_test.c \
	tests/unit/tui/osc_test.c \
	tests/unit/tui/selection_test.c \
	tests/unit/tui/term_test.c \
	tests/unit/tui/term_theme_test.c \
	tests/unit/tui/term_types_test.c \
	tests/unit/tui/theme_test.c

# The screen's side.
tests_unit_tui_tui_test_SOURCES += \
	tests/unit/tui/browser_form_test.c tests/unit/tui/parameter_text_test.c \
	tests/unit/tui/browser_test.c \
	tests/unit/tui/calls_test.c tests/unit/tui/call_envelope_test.c \
	tests/unit/tui/dialog_test.c \
	tests/unit/tui/inspector_test.c \
	tests/unit/tui/tools.c tests/unit/tui/tools.h tests/unit/tui/markdown_page.c \
	tests/unit/tui/markdown_page.h \
	tests/unit/tui/markdown_stream_test.c \
	tests/unit/tui/markdown_test.c \
	tests/unit/tui/markdown_whole_test.c \
	tests/unit/tui/picture.c \
	tests/unit/tui/picture.h \
	tests/unit/tui/right_edge_test.c \
	tests/unit/tui/screen_test.c \
	tests/unit/tui/needle_test.c \
	tests/unit/tui/search_markup_test.c tests/unit/tui/search_slices_test.c \
	tests/unit/tui/scrollback_test.c \
	tests/unit/tui/status_bar_test.c \
	tests/unit/tui/welcome_test.c \
	tests/unit/tui/vi_cases.h \
	tests/unit/tui/vi_test.c \
	tests/unit/tui/wrap_test.c
