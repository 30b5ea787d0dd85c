# src/tool: one library.
noinst_LIBRARIES += libik_tool.a
libik_tool_a_SOURCES = \
	src/tool/answer.c src/tool/answer.h \
	src/tool/busy.c src/tool/busy.h \
	src/tool/cache.c src/tool/cache.h \
	src/tool/candidate.c src/tool/candidate.h \
	src/tool/discovery.c src/tool/discovery.h \
	src/tool/envelope.c src/tool/envelope.h \
	src/tool/envelope_cut.c src/tool/envelope_cut.h \
	src/tool/environment.c \
	src/tool/executable.c src/tool/executable.h \
	src/tool/file_copy.h src/tool/file_keep.c src/tool/file_put.c \
	src/tool/file_state.c src/tool/file_state.h \
	src/tool/glob.c src/tool/glob.h \
	src/tool/output_files.c src/tool/output_files.h \
	src/tool/permissions.c src/tool/permissions.h \
	src/tool/findings.c src/tool/findings.h \
	src/tool/policy.c src/tool/policy.h \
	src/tool/policy_match.c src/tool/policy_match.h \
	src/tool/protocol.c src/tool/protocol.h \
	src/tool/protocol_kodelet.c \
	src/tool/protocol_member.c src/tool/protocol_member.h \
	src/tool/registry.c src/tool/registry.h \
	src/tool/run.c src/tool/run.h \
	src/tool/sandbox.c src/tool/sandbox.h \
	src/tool/sandbox_glob.c src/tool/sandbox_glob.h \
	src/tool/sandbox_held.c src/tool/sandbox_held.h \
	src/tool/sandbox_rules.c src/tool/sandbox_rules.h \
	src/tool/source.c src/tool/source.h \
	src/tool/source_directory.c \
	src/tool/revert.c src/tool/revert.h \
	src/tool/revert_history.c src/tool/revert_journal.c src/tool/revert_journal.h \
	src/tool/vetting.c src/tool/vetting.h \
	src/tool/worktree.c src/tool/worktree.h \
	src/tool/worktree_changes.c src/tool/worktree_changes.h \
	src/tool/worktree_index.c src/tool/worktree_index.h \
	src/tool/worktree_look.c src/tool/worktree_look.h \
	src/tool/worktree_modes.c src/tool/worktree_modes.h \
	src/tool/worktree_place.c src/tool/worktree_place.h \
	src/tool/writes.c src/tool/writes.h
