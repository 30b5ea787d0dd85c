# src/undo: one library.
noinst_LIBRARIES += libik_undo.a
libik_undo_a_SOURCES = \
	src/undo/file_keep.c src/undo/file_keep.h \
	src/undo/file_put.c src/undo/file_put.h \
	src/undo/file_state.c src/undo/file_state.h \
	src/undo/undo.c src/undo/undo.h \
	src/undo/undo_journal.c src/undo/undo_journal.h \
	src/undo/worktree.c src/undo/worktree.h \
	src/undo/worktree_changes.c src/undo/worktree_changes.h \
	src/undo/worktree_index.c src/undo/worktree_index.h \
	src/undo/worktree_check.c src/undo/worktree_check.h \
	src/undo/worktree_place.c src/undo/worktree_place.h
