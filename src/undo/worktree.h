/*
 * worktree: find what a call changed in a git work tree if the call does not say what it writes.
 *
 * A snapshot is taken in the background with `git ls-files` and `git update-index`, in a repository
 * of our own: its index describes each file, its objects have the contents.  One is taken when a
 * session starts, when a turn starts and after each such call; a call waits for it at most
 * IK_WORKTREE_WAIT_MS, and several calls may share one.  The changes of a call are the differences
 * between the snapshot before it and one after it. To recognize changes by other processes between
 * the first snapshot and the call, the files are checked right before the call
 * (undo/worktree_check.h).
 *
 * The repository is bare and outside the work tree. It borrows the objects of the user's repository
 * (objects/info/alternates), whose .git is never written.  Files that git ignores, nested
 * repositories and submodules are not covered.  Nothing of the project is executed: git sees only
 * our configuration (to know what the user ignores, the user's below it), so there are no filters,
 * hooks or monitors, and info/attributes overrides what .gitattributes says about the bytes of
 * files.
 *
 * Owns its index file. The repository is shared by all sessions in the work tree; it is only a
 * cache once the changes of a call are known.  May include: util, json, loop, tool.
 */
#ifndef IK_UNDO_WORKTREE_H
#define IK_UNDO_WORKTREE_H

#include "loop/loop.h"
#include "undo/worktree_changes.h"

struct ik_worktree;
struct ik_worktree_call;

/* Limit on the time that a call waits for a snapshot, in milliseconds. */
#define IK_WORKTREE_WAIT_MS 20

/* Why a call cannot be undone. */
enum ik_worktree_problem {
	IK_WORKTREE_FINE,
	IK_WORKTREE_NO_GIT,    /* git is not installed */
	IK_WORKTREE_NO_TREE,   /* the directory is not in a work tree */
	IK_WORKTREE_SLOW,      /* a snapshot took too long */
	IK_WORKTREE_PREPARING, /* the first snapshot was not complete */
	IK_WORKTREE_MANY,      /* more than IK_WORKTREE_CHANGES_MOST files changed */
	IK_WORKTREE_FAILED
};

/* The word for a problem in the journal, and back; "" is FINE, an unknown word FAILED. */
const char *ik_worktree_problem_word(enum ik_worktree_problem problem);
enum ik_worktree_problem ik_worktree_problem_of(const char *word);

/* Called when the problem changes. PREPARING: the changes of a call that starts cannot be found,
 * since the first snapshot is not complete; SLOW, FAILED: there is no snapshot; FINE: there is one
 * after all. */
typedef void ik_worktree_told(void *arg, enum ik_worktree_problem problem);

struct ik_worktree_options {
	struct ik_loop *loop;
	const char *shadows;       /* where the repositories are */
	const char *directory;     /* in the work tree */
	const char *const *spared; /* absolute paths of files and directories to leave out; ends with
								  NULL */
	const char *search_path;   /* PATH for finding git */
	int64_t kept_days;         /* a repository that was not used for so long is removed */
	const char *home;          /* the user's, or NULL */
	/* Should this path be left out now? NULL: no path is. */
	bool (*hidden)(void *arg, const char *path);
	ik_worktree_told *told; /* may be NULL */
	void *arg;
};

/* All strings are copied. Always returns an object; *ret_problem says whether it is usable. */
struct ik_worktree *ik_worktree_new(const struct ik_worktree_options *options,
	enum ik_worktree_problem *ret_problem);
/* Call it after all calls were closed. */
struct ik_worktree *ik_worktree_free(struct ik_worktree *tree);

/* Take a snapshot in the background; return the time that it will reflect (ik_clock_ms()). */
int64_t ik_worktree_snapshot(struct ik_worktree *tree);

/* A call may start; problem says why its changes will not be found. */
typedef void ik_worktree_ready(void *arg, enum ik_worktree_problem problem);

/*
 * Announce a call that may change anything. The old contents of files are kept in the directory
 * objects (borrowed until the close) under their hashes (undo/file_keep.h). If not all files can be
 * checked in time, the call waits a moment for a snapshot that reflects since_ms (ik_clock_ms()) or
 * later. True: it may start now, or *ret_problem says why not; false: ready will be called soon.
 */
bool ik_worktree_call_new(struct ik_worktree *tree, const char *objects, int64_t since_ms,
	ik_worktree_ready *ready, void *arg, struct ik_worktree_call **ret_call,
	enum ik_worktree_problem *ret_problem);
/* Was the state of all files known when it started? If not, changes of earlier calls of the turn
 * may be attributed to it. */
bool ik_worktree_call_exact(const struct ik_worktree_call *call);

struct ik_worktree_result {
	enum ik_worktree_problem problem;
	struct ik_file_change *changes;
	size_t count;
};

/* The result is valid until the call is closed, which may be done here. */
typedef void ik_worktree_done(void *arg, const struct ik_worktree_result *result);

/* Report the end of a call and find what it changed. done is never called from inside. */
void ik_worktree_call_end(struct ik_worktree_call *call, ik_worktree_done *done, void *arg);
/* Stop at once, without a callback. Takes NULL, returns NULL. */
struct ik_worktree_call *ik_worktree_call_close(struct ik_worktree_call *call);

#endif
