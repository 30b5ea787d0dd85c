/*
 * worktree: what a git work tree is at one time, and what changed in it since, kept in a
 * repository of our own.
 *
 * The shadow is a bare repository outside of the work tree that borrows the objects of the
 * person's (objects/info/alternates), whose .git is never written.  Snapshots are trees made by
 * `git update-index` and `git write-tree` in it: children that the loop waits for, one at a time.  What
 * git ignores, nested repositories and submodules are no part of them.
 *
 * Nothing of the project is executed: git sees no configuration but ours, so there are no
 * filters, hooks or monitors; and info/attributes of the shadow takes back whatever
 * .gitattributes says of a file's bytes.
 *
 * Owns its index file; the shadow is shared by all sessions in the work tree, and is nothing
 * but a cache once a comparison has ended.  May include: util, json, loop, tool.
 */
#ifndef IK_TOOL_WORKTREE_H
#define IK_TOOL_WORKTREE_H

#include "loop/loop.h"
#include "tool/worktree_changes.h"

struct ik_worktree;
struct ik_worktree_work;

/* A snapshot or a comparison may take so long. */
#define IK_WORKTREE_MOST_MS 5000
/* A shadow that nobody used for so long goes. */
#define IK_WORKTREE_KEPT_DAYS 30

/* Why something cannot be taken back. */
enum ik_worktree_problem {
	IK_WORKTREE_FINE,
	IK_WORKTREE_NO_GIT,  /* there is no git */
	IK_WORKTREE_NO_TREE, /* the directory is in no work tree */
	IK_WORKTREE_SLOW,    /* it took too long; for an hour it is not tried again */
	IK_WORKTREE_PREPARING, /* the files are being read for the first time, in the background */
	IK_WORKTREE_MANY,    /* more than IK_WORKTREE_CHANGES_MOST files changed */
	IK_WORKTREE_FAILED
};

/* A word for it in a journal, and back; "" and unknown ones are FINE and FAILED. */
const char *ik_worktree_problem_word(enum ik_worktree_problem problem);
enum ik_worktree_problem ik_worktree_problem_of(const char *word);

/* Told once each: FINE: all files were read, what is done from now on can be taken back;
 * PREPARING: that has begun, and goes on for longer than anybody should wait; SLOW,
 * FAILED: it was begun, and is over, but they were not read. Works may be closed here; those are
 * silent then, as always. */
typedef void ik_worktree_told(void *arg, enum ik_worktree_problem problem);

struct ik_worktree_options {
	struct ik_loop *loop;
	const char *shadows;    /* where the shadows are */
	const char *directory;  /* in the work tree */
	const char *const *spared; /* files and directories that are never looked at, absolute;
	                           ends with NULL */
	const char *search_path; /* where git is looked for: as PATH */
	const char *home;       /* the person's; NULL: there is none */
	int64_t most_ms;        /* 0: IK_WORKTREE_MOST_MS */
	bool (*hidden)(void *arg, const char *path); /* is it to be left out as well, as of now? NULL:
	                                                nothing is */
	ik_worktree_told *told; /* NULL: nobody */
	void *arg;
};

/* All is copied. Always makes one; *ret_problem says whether it is of any use. */
struct ik_worktree *ik_worktree_new(const struct ik_worktree_options *options,
	enum ik_worktree_problem *ret_problem);
/* After all its works were closed. */
struct ik_worktree *ik_worktree_free(struct ik_worktree *tree);

struct ik_worktree_result {
	enum ik_worktree_problem problem;
	const char *id; /* of the tree */
	struct ik_worktree_modes *modes; /* of a snapshot's files; whoever wants them takes them */
	struct ik_worktree_change *changes; /* of a comparison */
	size_t count;
};

/* What it points to is valid until the work is closed, which may be done here. */
typedef void ik_worktree_done(void *arg, const struct ik_worktree_result *result);

/* Take a snapshot. Never calls done inside. One that takes too long since the files are not
 * known yet goes on reading them, for later ones, after it was told that it is PREPARING; those
 * that come meanwhile are told the same at once. */
struct ik_worktree_work *ik_worktree_snapshot(struct ik_worktree *tree, ik_worktree_done *done,
	void *arg);
/* Take another, and see what changed since the one of that id; the bytes of files as they were
 * then are kept in the directory objects under their hashes (tool/file_copy.h). modes: that
 * snapshot's, borrowed; NULL: they are not known. */
struct ik_worktree_work *ik_worktree_compare(struct ik_worktree *tree, const char *id,
	struct ik_worktree_modes *modes, const char *objects, ik_worktree_done *done, void *arg);
/* Silent at once; its memory goes between two turns of the loop. */
struct ik_worktree_work *ik_worktree_work_close(struct ik_worktree_work *work);

#endif
