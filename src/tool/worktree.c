#include "tool/worktree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loop/child.h"
#include "tool/worktree_place.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/uuid.h"

/* Of what git prints: paths of some ten thousand files. */
#define OUTPUT_MOST IK_MIB(64)
/* At least so many files are read between two times that the index is written. */
#define FILES_AT_ONCE 4000
/* To read all files for the first time, behind the person's back. */
#define PREPARE_MOST_MS (15 * 60 * 1000)
#define NICE 10
/* A child that is asked to end may take so long. */
enum { KILL_AFTER_MS = 300, GRACE_MS = 100 };

/* What a work does, one after the other. */
enum stage {
	STAGE_EXCLUDES, /* which file says what the person never wants in a repository */
	STAGE_LIST,     /* what differs from the index */
	STAGE_UPDATE,   /* `git add` would ask nested repositories, by their own configuration */
	STAGE_WRITE,
	STAGE_DIFF,
	STAGE_FETCH
};

struct ik_worktree {
	struct ik_loop *loop;
	struct ik_worktree_place place;
	enum ik_worktree_problem problem;
	int64_t most_ms;
	char *index;    /* of ours alone */
	char *excludes; /* "core.excludesFile=..."; NULL: not known yet */
	char *own[IK_WORKTREE_VARIABLES], *global[IK_WORKTREE_VARIABLES]; /* environments */
	struct ik_child *sweeper; /* clears away what is old; NULL: nothing does */
	struct ik_timer *timer;   /* the one at work has taken too long */
	struct ik_worktree_work *preparing; /* goes on reading the files; NULL: none does */
	bool prepared;            /* all files were read that way */
	bool (*hidden)(void *arg, const char *path);
	ik_worktree_told *told;
	void *arg;
	struct ik_worktree_work *first; /* at work, or about to be; the others wait */
};

struct ik_worktree_work {
	struct ik_worktree_work *next;
	struct ik_worktree *tree;
	ik_worktree_done *done;
	void *arg;
	char *before;    /* NULL: a snapshot */
	char *objects;
	char id[IK_WORKTREE_ID];
	enum stage stage;
	bool cold;       /* it began anew, with an empty index */
	int64_t deadline;
	struct ik_child *child;
	struct ik_buf input, output;
	size_t input_at; /* so much of it was handed over */
	struct ik_worktree_modes *modes;  /* of a snapshot */
	struct ik_worktree_modes *before_modes; /* of a comparison; borrowed */
	struct ik_worktree_change *changes;
	size_t count;
	struct ik_worktree_blobs *blobs;
};

/* Begin with what is known of the files since another session looked at them. */
static void take_index(struct ik_worktree *tree)
{
	char *shared = ik_path_join(tree->place.shadow, "index"), id[IK_UUID_TEXT];

	ik_uuid_new(id);
	tree->index = ik_format("%s/index-%s", tree->place.shadow, id);
	/* No copy: the file's time tells git which files may have changed as it was written. */
	(void)link(shared, tree->index);
	free(shared);
}

/* Forget what is known of the files, and whatever a git that was killed left beside it. */
static void drop_index(struct ik_worktree *tree)
{
	char *lock = ik_format("%s.lock", tree->index);

	(void)unlink(tree->index);
	(void)unlink(lock);
	free(lock);
}

static void on_swept(void *arg, const struct ik_child_result *result)
{
	struct ik_worktree *tree = arg;

	(void)result;
	tree->sweeper = ik_child_close(tree->sweeper);
}

/* Clear away what is old: a shadow, or else the objects of our own. */
static void sweep(struct ik_worktree *tree, const char *shadows)
{
	static const struct ik_child_events events = { .done = on_swept };
	static const char *const prune[] = { "git", "prune", "--expire=30.days.ago", NULL };
	const char *removal[] = { "rm", "-rf", "--", NULL, NULL };
	struct ik_child_spec spec = {
		.path = tree->place.git, .argv = prune, .directory = tree->place.root,
		.environment = (const char *const *)tree->own, .discard_stderr = true,
	};
	struct ik_error error;
	char *old;

	if (!ik_worktree_place_sweep(&tree->place, shadows, &old))
		return;
	if (old != NULL) {
		removal[3] = old;
		spec.path = "/bin/rm";
		spec.argv = removal;
	}
	/* Where it cannot be now, it is tried again tomorrow. */
	(void)!ik_child_start(tree->loop, &spec, &events, tree, &tree->sweeper, &error);
	free(old);
}

static void on_too_long(void *arg);
static void work_free(void *arg);

struct ik_worktree *ik_worktree_new(const struct ik_worktree_options *options,
	enum ik_worktree_problem *ret_problem)
{
	struct ik_worktree *tree = ik_alloc(sizeof(*tree));

	tree->loop = options->loop;
	tree->most_ms = options->most_ms > 0 ? options->most_ms : IK_WORKTREE_MOST_MS;
	tree->told = options->told;
	tree->hidden = options->hidden;
	tree->arg = options->arg;
	tree->timer = ik_timer_new(tree->loop, on_too_long, tree);
	tree->problem = ik_worktree_place_find(&tree->place, options);
	if (tree->problem == IK_WORKTREE_FINE) {
		take_index(tree);
		ik_worktree_place_environments(&tree->place, options, tree->index, tree->own,
			tree->global);
		sweep(tree, options->shadows);
	}
	*ret_problem = tree->problem;
	return tree;
}

struct ik_worktree *ik_worktree_free(struct ik_worktree *tree)
{
	if (tree == NULL)
		return NULL;
	tree->sweeper = ik_child_close(tree->sweeper);
	tree->timer = ik_timer_close(tree->timer);
	if (tree->preparing != NULL) {
		tree->preparing->child = ik_child_close(tree->preparing->child);
		work_free(tree->preparing);
	}
	if (tree->index != NULL) {
		char *shared = ik_path_join(tree->place.shadow, "index");

		(void)rename(tree->index, shared);
		drop_index(tree); /* where both were one file, nothing was renamed */
		free(shared);
	}
	for (size_t i = 0; i < IK_WORKTREE_VARIABLES; i++) {
		free(tree->own[i]);
		free(tree->global[i]);
	}
	ik_worktree_place_done(&tree->place);
	free(tree->excludes);
	free(tree->index);
	free(tree);
	return NULL;
}

static void begin_stage(struct ik_worktree_work *work);
static void begin_work(void *arg);

/* Nobody waits for its child: it is to be felt by nobody. */
static void be_nice(const struct ik_worktree_work *work)
{
	int pid = work->child != NULL ? ik_child_pid(work->child) : 0;

	if (pid > 0)
		(void)setpriority(PRIO_PGRP, (id_t)pid, NICE);
}

/* Off the queue; the next one may begin. */
static void leave(struct ik_worktree_work *work)
{
	struct ik_worktree_work **at = &work->tree->first;
	bool was_first = *at == work;

	while (*at != NULL && *at != work)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	*at = work->next;
	if (was_first && work->tree->first != NULL)
		ik_loop_defer(work->tree->loop, begin_work, work->tree->first);
}

static void tell(const struct ik_worktree *tree, enum ik_worktree_problem problem)
{
	if (tree->told != NULL)
		tree->told(tree->arg, problem);
}

/* Nothing is tried again for an hour. */
static void note_slow(struct ik_worktree *tree)
{
	if (tree->problem == IK_WORKTREE_FINE)
		ik_worktree_place_note_slow(&tree->place);
	tree->problem = IK_WORKTREE_SLOW;
}

/* All files were read behind the person's back, or that cannot be. */
static void end_preparation(struct ik_worktree_work *work, enum ik_worktree_problem problem)
{
	struct ik_worktree *tree = work->tree;

	work->child = ik_child_close(work->child);
	tree->preparing = NULL;
	tree->prepared = true;
	ik_loop_defer(tree->loop, work_free, work);
	if (problem == IK_WORKTREE_SLOW)
		note_slow(tree);
	tell(tree, problem);
}

/* It is over, in one way or another. */
static void end_work(struct ik_worktree_work *work, enum ik_worktree_problem problem)
{
	struct ik_worktree_result result = {
		.problem = problem, .id = work->id, .modes = work->modes, .changes = work->changes,
		.count = problem == IK_WORKTREE_FINE ? work->count : 0,
	};

	if (work == work->tree->preparing) {
		end_preparation(work, problem);
		return;
	}
	work->child = ik_child_close(work->child);
	ik_timer_stop(work->tree->timer);
	if (problem == IK_WORKTREE_SLOW)
		note_slow(work->tree);
	leave(work);
	if (problem == IK_WORKTREE_FINE && work->before == NULL)
		work->modes = NULL; /* whoever is told has them now */
	else
		result.modes = NULL;
	work->done(work->arg, &result);
}

/* Is it done fast where it was done before? The first time all files are read, and all
 * directories are written. */
static bool is_slow_once(enum stage stage)
{
	return stage == STAGE_LIST || stage == STAGE_UPDATE || stage == STAGE_WRITE;
}

/* The one at work has taken too long: end it; or let it go on by itself with what it is slow
 * at only once. */
static void on_too_long(void *arg)
{
	struct ik_worktree *tree = arg;
	struct ik_worktree_work *work = tree->first;
	const struct ik_worktree_result result = { .problem = IK_WORKTREE_PREPARING, .id = "" };

	if (tree->prepared || !is_slow_once(work->stage)) {
		end_work(work, IK_WORKTREE_SLOW);
		return;
	}
	tree->preparing = work;
	be_nice(work);
	work->deadline = ik_clock_ms() + PREPARE_MOST_MS;
	leave(work);
	tell(tree, IK_WORKTREE_PREPARING);
	if (work->done != NULL) /* whoever was told may have closed it */
		work->done(work->arg, &result);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_worktree_work *work = arg;

	if (stream != IK_STDOUT)
		return;
	if (work->stage == STAGE_FETCH)
		ik_worktree_blobs_take(work->blobs, bytes, length);
	else if (work->stage == STAGE_LIST && work->modes != NULL)
		ik_worktree_modes_take(work->modes, bytes, length, &work->output);
	else
		ik_buf_append(&work->output, bytes, length);
}

/* Take the one line that was printed as the name of a tree. */
static bool take_id(struct ik_worktree_work *work)
{
	size_t length = work->output.length > 0 ? strcspn(work->output.data, "\n") : 0;

	if (length < 40 || length >= IK_WORKTREE_ID)
		return false;
	memcpy(work->id, work->output.data, length);
	work->id[length] = '\0';
	return true;
}

/* Take which file has the patterns of what the person never wants in a repository. */
static void take_excludes(struct ik_worktree *tree, struct ik_buf *output, const char *home)
{
	size_t length = output->length > 0 ? strcspn(output->data, "\n") : 0;

	if (length > 0)
		tree->excludes = ik_format("core.excludesFile=%.*s", (int)length, output->data);
	else
		tree->excludes = ik_format("core.excludesFile=%s/git/ignore", home);
}

/* Where the person's own configuration is, without the variable's name. */
static const char *value_of(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment != NULL; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

/* Take the names of the files that differ from the index, without those that are hidden. */
static void take_list(struct ik_worktree_work *work)
{
	const struct ik_worktree *tree = work->tree;
	const struct ik_buf *names = &work->output;
	size_t size;

	ik_buf_clear(&work->input);
	work->input_at = 0;
	for (size_t at = 0; at < names->length; at += size) {
		char *path = ik_path_join(tree->place.root, names->data + at);

		size = strlen(names->data + at) + 1;
		if (tree->hidden == NULL || !tree->hidden(tree->arg, path))
			ik_buf_append(&work->input, names->data + at, size);
		free(path);
	}
}

/* A stage did what it should: go on with the next; false: it could not. */
static bool next_stage(struct ik_worktree_work *work)
{
	struct ik_worktree *tree = work->tree;
	const char *configured = value_of(tree->global, "XDG_CONFIG_HOME");
	char *home;

	switch (work->stage) {
	case STAGE_EXCLUDES:
		home = configured != NULL ? ik_strdup(configured) :
			ik_format("%s/.config", value_of(tree->global, "HOME"));
		take_excludes(tree, &work->output, home);
		free(home);
		break;
	case STAGE_LIST:
		take_list(work);
		break;
	case STAGE_UPDATE:
		if (work->input_at < work->input.length) {
			begin_stage(work);
			return true;
		}
		ik_buf_clear(&work->input);
		break;
	case STAGE_WRITE:
		if (!take_id(work))
			return false;
		/* Git has noted the directories in the index, too: from now on it is fast. */
		if (work == tree->preparing || work->before == NULL ||
		    ik_text_equal(work->before, work->id)) {
			end_work(work, IK_WORKTREE_FINE);
			return true;
		}
		break;
	case STAGE_DIFF:
		work->changes = ik_worktree_changes_read(tree->place.root, work->output.data,
			work->output.length, &work->count);
		if (work->count > IK_WORKTREE_CHANGES_MOST) {
			end_work(work, IK_WORKTREE_MANY);
			return true;
		}
		work->blobs = ik_worktree_blobs_new(work->objects, work->changes, work->count);
		ik_worktree_blobs_ask(work->blobs, &work->input);
		break;
	case STAGE_FETCH:
		ik_worktree_blobs_end(work->blobs, work->before_modes);
		end_work(work, IK_WORKTREE_FINE);
		return true;
	}
	work->stage++;
	begin_stage(work);
	return true;
}

/* Did a child do its work? */
static bool has_worked(const struct ik_worktree_work *work, const struct ik_child_result *result)
{
	if (work->stage == STAGE_EXCLUDES)
		return true;
	return result->exited && result->exit_code == 0 && ik_buf_status(&work->output) == IK_OK;
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	struct ik_worktree_work *work = arg;
	bool slow = result->timed_out;

	if (!slow && has_worked(work, result)) {
		work->child = ik_child_close(work->child);
		if (next_stage(work))
			return;
	}
	work->child = ik_child_close(work->child);
	/* An index may name objects that are gone from the person's repository. */
	if (!slow && !work->cold && work->stage <= STAGE_WRITE) {
		drop_index(work->tree);
		work->cold = true;
		work->stage = STAGE_LIST;
		begin_stage(work);
	} else {
		end_work(work, slow ? IK_WORKTREE_SLOW : IK_WORKTREE_FAILED);
	}
}

/* The arguments of a stage, ending with NULL, in argv of so much room. */
static void put_arguments(const struct ik_worktree_work *work, const char **argv)
{
	static const char *const stages[][9] = {
		[STAGE_EXCLUDES] = { "config", "--global", "--type=path", "--get", "core.excludesFile" },
		[STAGE_LIST] = { "ls-files", "-z", "-m", "-d", "-o", "--exclude-standard", "--", "." },
		[STAGE_UPDATE] = { "update-index", "-z", "--add", "--remove", "--stdin" },
		[STAGE_WRITE] = { "write-tree" },
		[STAGE_DIFF] = { "diff-tree", "-r", "-t", "-z", "--raw", "--no-renames" },
		[STAGE_FETCH] = { "cat-file", "--batch", "--buffer" },
	};
	const struct ik_worktree *tree = work->tree;
	size_t count = 0;

	argv[count++] = "git";
	if (work->stage == STAGE_LIST) {
		argv[count++] = "-c";
		argv[count++] = tree->excludes;
	}
	for (size_t i = 0; stages[work->stage][i] != NULL; i++) {
		argv[count++] = stages[work->stage][i];
		if (i == 0 && work->stage == STAGE_LIST && work->modes != NULL) {
			argv[count++] = "-t"; /* marks, and what did not change, too */
			argv[count++] = "-c";
		}
	}
	for (size_t i = 0; work->stage == STAGE_LIST && i < tree->place.spared_count; i++)
		argv[count++] = tree->place.spared[i];
	if (work->stage == STAGE_DIFF) {
		argv[count++] = work->before;
		argv[count++] = work->id;
	}
	argv[count] = NULL;
}

/* The names that are handed over next, so that what was read is kept, whatever happens; their
 * length. More each time, as the index that is written has grown. */
static size_t next_files(struct ik_worktree_work *work)
{
	size_t from = work->input_at, most = from + from / 2;

	for (size_t i = 0; (i < FILES_AT_ONCE || work->input_at < most) &&
	     work->input_at < work->input.length; i++)
		work->input_at += strlen(work->input.data + work->input_at) + 1;
	return work->input_at - from;
}

/* Start the child of a stage. */
static void begin_stage(struct ik_worktree_work *work)
{
	static const struct ik_child_events events = { on_output, on_done };
	struct ik_worktree *tree = work->tree;
	const char **argv = ik_alloc((tree->place.spared_count + 16) * sizeof(*argv));
	int64_t left = work->deadline - ik_clock_ms();
	/* What may go on by itself is ended by the timer. */
	bool lasting = is_slow_once(work->stage);
	size_t from = work->stage == STAGE_UPDATE ? work->input_at : 0;
	size_t length = work->stage == STAGE_UPDATE ? next_files(work) : work->input.length;
	bool feeds = (work->stage == STAGE_FETCH || work->stage == STAGE_UPDATE) && length > 0;
	const struct ik_child_spec spec = {
		.path = tree->place.git,
		.argv = argv,
		.environment = (const char *const *)(work->stage == STAGE_EXCLUDES ? tree->global :
			tree->own),
		.directory = tree->place.root,
		.input = feeds ? work->input.data + from : NULL,
		.input_length = feeds ? length : 0,
		.timeout_ms = lasting && work != tree->preparing ? PREPARE_MOST_MS : left > 0 ? left : 1,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
		.discard_stderr = true,
	};
	struct ik_error error;

	ik_buf_clear(&work->output);
	if (work->stage == STAGE_LIST && work->before == NULL) {
		ik_worktree_modes_free(work->modes);
		work->modes = ik_worktree_modes_new(tree->place.root,
			IK_WORKTREE_MODES_MOST_US);
	}
	put_arguments(work, argv);
	if (ik_child_start(tree->loop, &spec, &events, work, &work->child, &error) != IK_OK)
		end_work(work, IK_WORKTREE_FAILED);
	else if (work == tree->preparing)
		be_nice(work);
	free(argv);
}

/* Deferred: it is its turn. */
static void begin_work(void *arg)
{
	struct ik_worktree_work *work = arg;

	if (work->tree->problem != IK_WORKTREE_FINE || work->tree->preparing != NULL) {
		end_work(work, work->tree->preparing != NULL ? IK_WORKTREE_PREPARING :
			work->tree->problem);
		return;
	}
	work->deadline = ik_clock_ms() + work->tree->most_ms;
	ik_timer_start(work->tree->timer, work->tree->most_ms);
	work->stage = work->tree->excludes == NULL ? STAGE_EXCLUDES : STAGE_LIST;
	begin_stage(work);
}

/* Put a work at the end of the queue. */
static struct ik_worktree_work *add_work(struct ik_worktree *tree, ik_worktree_done *done, void *arg)
{
	struct ik_worktree_work *work = ik_alloc(sizeof(*work)), **end = &tree->first;

	work->tree = tree;
	work->done = done;
	work->arg = arg;
	ik_buf_init(&work->input, OUTPUT_MOST);
	ik_buf_init(&work->output, OUTPUT_MOST);
	while (*end != NULL)
		end = &(*end)->next;
	*end = work;
	if (tree->first == work)
		ik_loop_defer(tree->loop, begin_work, work);
	return work;
}

struct ik_worktree_work *ik_worktree_snapshot(struct ik_worktree *tree, ik_worktree_done *done,
	void *arg)
{
	return add_work(tree, done, arg);
}

struct ik_worktree_work *ik_worktree_compare(struct ik_worktree *tree, const char *id,
	struct ik_worktree_modes *modes, const char *objects, ik_worktree_done *done, void *arg)
{
	struct ik_worktree_work *work = add_work(tree, done, arg);

	work->before = ik_strdup(id);
	work->before_modes = modes;
	work->objects = ik_strdup(objects);
	return work;
}

/* Deferred: its memory. */
static void work_free(void *arg)
{
	struct ik_worktree_work *work = arg;

	ik_worktree_changes_free(work->changes, work->count);
	ik_worktree_blobs_free(work->blobs);
	ik_worktree_modes_free(work->modes);
	ik_buf_done(&work->input);
	ik_buf_done(&work->output);
	free(work->before);
	free(work->objects);
	free(work);
}

struct ik_worktree_work *ik_worktree_work_close(struct ik_worktree_work *work)
{
	if (work == NULL)
		return NULL;
	if (work == work->tree->preparing) { /* it goes on by itself */
		work->done = NULL;
		return NULL;
	}
	ik_loop_cancel_deferred(work->tree->loop, begin_work, work);
	work->child = ik_child_close(work->child);
	if (work == work->tree->first)
		ik_timer_stop(work->tree->timer);
	leave(work);
	ik_loop_defer(work->tree->loop, work_free, work);
	return NULL;
}
