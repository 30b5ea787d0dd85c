/*
 * worktree: what calls change in a git work tree that do not say what they write.
 *
 * The tree is read in the background, by `git ls-files` and `git update-index` in a repository of
 * our own: its index then has each file as it was, and its objects the bytes.  That is done when a
 * session begins, when a turn begins, and after each such call; no call waits for it but for some
 * milliseconds, and several calls may share a reading.  What a call changed is what differs between
 * the reading before it and one after it; what somebody else changed between the first and the
 * call is found by looking at the files right before it (undo/worktree_look.h).
 *
 * The repository is bare and outside of the work tree; it borrows the objects of the user's
 * (objects/info/alternates), whose .git is never written.  What git ignores, nested repositories
 * and submodules are no part of it.  Nothing of the project is executed: git sees no
 * configuration but ours, so there are no filters, hooks or monitors; and info/attributes of the
 * repository takes back whatever .gitattributes says of a file's bytes.
 *
 * Owns its index file; the repository is shared by all sessions in the work tree, and is nothing
 * but a cache once it is known what a call changed.  May include: util, json, loop, tool.
 */
#ifndef IK_UNDO_WORKTREE_H
#define IK_UNDO_WORKTREE_H

#include "loop/loop.h"
#include "undo/worktree_changes.h"

struct ik_worktree;
struct ik_worktree_call;

/* A call waits so long at most for a reading that is under way, in milliseconds. */
#define IK_WORKTREE_WAIT_MS 20
/* A repository that nobody used for so long goes. */
#define IK_WORKTREE_KEPT_DAYS 30

/* Why something cannot be undone. */
enum ik_worktree_problem {
	IK_WORKTREE_FINE,
	IK_WORKTREE_NO_GIT,    /* there is no git */
	IK_WORKTREE_NO_TREE,   /* the directory is in no work tree */
	IK_WORKTREE_SLOW,      /* it took too long */
	IK_WORKTREE_PREPARING, /* the files were still being read */
	IK_WORKTREE_MANY,      /* more than IK_WORKTREE_CHANGES_MOST files changed */
	IK_WORKTREE_FAILED
};

/* A word for it in a journal, and back; "" and unknown ones are FINE and FAILED. */
const char *ik_worktree_problem_word(enum ik_worktree_problem problem);
enum ik_worktree_problem ik_worktree_problem_of(const char *word);

/* Told when it becomes another: PREPARING: a call begins whose changes cannot be found, since the
 * files are still being read; SLOW, FAILED: they could not be; FINE: they were read after all. */
typedef void ik_worktree_told(void *arg, enum ik_worktree_problem problem);

struct ik_worktree_options {
	struct ik_loop *loop;
	const char *shadows;       /* where the repositories are */
	const char *directory;     /* in the work tree */
	const char *const *spared; /* files and directories that are never looked at, absolute;
	                           ends with NULL */
	const char *search_path;   /* where git is looked for: as PATH */
	const char *home;          /* the user's; NULL: there is none */
	bool (*hidden)(void *arg, const char *path); /* is it to be left out as well, as of now? NULL:
	                                                nothing is */
	ik_worktree_told *told;                      /* NULL: nobody */
	void *arg;
};

/* All is copied. Always makes one; *ret_problem says whether it is of any use. */
struct ik_worktree *ik_worktree_new(const struct ik_worktree_options *options,
	enum ik_worktree_problem *ret_problem);
/* After all its calls were closed. */
struct ik_worktree *ik_worktree_free(struct ik_worktree *tree);

/* Have the files read in the background, as they are about now; since when (ik_clock_ms()). */
int64_t ik_worktree_read(struct ik_worktree *tree);

/* A call may begin: what it changes will be found, or the problem says why not. */
typedef void ik_worktree_ready(void *arg, enum ik_worktree_problem problem);

/*
 * A call is about to begin that may change anything. The bytes of files as they were are kept in
 * the directory objects under their hashes (undo/file_copy.h). Where not all files can be looked
 * at, it waits a moment for a reading that began at since_ms (ik_clock_ms()) or later. True: it may
 * begin at once, or the problem is there; false: ready is told soon.
 */
bool ik_worktree_call_new(struct ik_worktree *tree, const char *objects, int64_t since_ms,
	ik_worktree_ready *ready, void *arg, struct ik_worktree_call **ret_call,
	enum ik_worktree_problem *ret_problem);
/* Is it known how all files were when it began? Otherwise what calls before it in the turn did may
 * be taken for its doing, too. */
bool ik_worktree_call_exact(const struct ik_worktree_call *call);

struct ik_worktree_result {
	enum ik_worktree_problem problem;
	struct ik_worktree_change *changes;
	size_t count;
};

/* What it points to is valid until the call is closed, which may be done here. */
typedef void ik_worktree_done(void *arg, const struct ik_worktree_result *result);

/* It is over: find what it changed. Never calls done inside. */
void ik_worktree_call_end(struct ik_worktree_call *call, ik_worktree_done *done, void *arg);
/* Silent at once; takes NULL, returns NULL. */
struct ik_worktree_call *ik_worktree_call_close(struct ik_worktree_call *call);

#endif
