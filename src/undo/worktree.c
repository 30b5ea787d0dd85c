#include "undo/worktree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop/child.h"
#include "undo/worktree_place.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/uuid.h"

/* Limit on git's output: the paths of some hundred thousand files. */
#define OUTPUT_MOST IK_MIB(64)
/* Time limit on a child of a snapshot, which no call waits for. */
#define READ_MOST_MS (15 * 60 * 1000)
/* A turn that starts may use a snapshot that is this old. */
#define JUST_MS 200
/* Grace periods for a child that is asked to end. */
enum { KILL_AFTER_MS = 300, GRACE_MS = 100 };
/* Names sorted out in one turn of the loop. */
enum { SORTED_AT_ONCE = 256 };
/* How often a snapshot that has failed begins again. */
enum { TRIES = 3 };

/* The stages of a snapshot, in order. */
enum worktree_stage {
	STAGE_NONE,    /* no snapshot is running */
	STAGE_REFRESH, /* update the times of files that were only touched */
	STAGE_LIST,    /* list what differs from the index, and sort it out */
	STAGE_REMOVE,  /* remove what is gone, as it may be in the way of a new file */
	STAGE_UPDATE   /* not `git add`, which would ask nested repositories using their own
					   configuration */
};

struct ik_worktree {
	struct ik_loop *loop;
	struct ik_worktree_place place;
	enum ik_worktree_problem problem;
	char *index; /* path of our index file */
	/* Environments: with our configuration only, and with the user's below it. */
	char *own[IK_WORKTREE_VARIABLES], *users[IK_WORKTREE_VARIABLES];
	struct ik_child *sweeper; /* removes old data; NULL: not running */
	bool (*hidden)(void *arg, const char *path);
	ik_worktree_told *told;
	void *arg;
	enum ik_worktree_problem said; /* last problem reported */
	size_t moments;                /* counts starts and ends of calls */

	/* The running snapshot, or the last one. */
	enum worktree_stage stage;
	size_t snapshots; /* snapshots started so far */
	int64_t begun_ms;
	bool again;   /* start another one afterwards */
	int failures; /* of its stages: it begins again with this index, then with an empty one */
	bool plain;   /* the user's configuration is not read, since that has failed */
	bool changed; /* the index may have been rewritten */
	bool dirty;   /* a check found files whose times differ from the index */
	bool missed;  /* an object of the index was missing: start the next one from an empty index */
	struct ik_child *child;
	struct ik_buf output;
	size_t sorted_to;          /* the names in the output have been sorted out as far as this, */
	struct ik_buf there, gone; /* by what they are */

	/* The last good snapshot. */
	struct ik_worktree_index *known; /* NULL: there was none */
	int64_t known_ms;                /* when it began */

	struct ik_worktree_call *first;
};

struct ik_worktree_call {
	struct ik_worktree_call *next;
	struct ik_worktree *tree;
	const char *objects;
	int64_t since_ms;
	struct ik_timer *timer;   /* limits the wait before the start */
	ik_worktree_ready *ready; /* NULL: not waiting */
	void *ready_arg;
	struct ik_worktree_check *check; /* the check before it, or NULL */
	bool fresh;                      /* its index reflects since_ms or later */
	ik_worktree_done *done;          /* NULL: it has not ended */
	void *done_arg;
	size_t begun, over; /* values of moments */
	size_t wanted;      /* number of the first snapshot that shows what it left */
	int64_t end_ns;
	bool searched;          /* its changes have been computed */
	struct ik_child *child; /* fetches contents */
	struct ik_buf input;
	struct ik_worktree_found found;
	struct ik_worktree_blobs *blobs;
};

static void begin_stage(struct ik_worktree *tree);
static void serve_calls(struct ik_worktree *tree, enum ik_worktree_problem problem);

/* ---- a tree ---- */

/* Return the path of the index that the next session starts with. */
static char *shared_index(const struct ik_worktree *tree)
{
	return ik_path_join(tree->place.shadow, "index");
}

/* Start with the index of an earlier session. */
static void take_index(struct ik_worktree *tree)
{
	char *shared = shared_index(tree), id[IK_UUID_TEXT];

	ik_uuid_new(id);
	tree->index = ik_format("%s/index-%s", tree->place.shadow, id);
	/* A link, not a copy: from the file's time git knows which files may have changed while it was
	 * written. */
	(void)link(shared, tree->index);
	free(shared);
}

/* Let other sessions start with this index. */
static void share_index(const struct ik_worktree *tree)
{
	char *shared = shared_index(tree), *name = ik_format("%s.new", tree->index);

	if (link(tree->index, name) == 0)
		(void)rename(name, shared);
	(void)unlink(name); /* if both were the same file, rename(2) did nothing */
	free(shared);
	free(name);
}

/* Remove our index, and lock files that a killed git left beside it. */
static void drop_index(const struct ik_worktree *tree)
{
	char *lock = ik_format("%s.lock", tree->index);

	(void)unlink(tree->index);
	(void)unlink(lock);
	free(lock);
}

/* Start git, or the program whose path argv begins with. Return whether that worked. */
static bool start(struct ik_worktree *tree, const char *const *argv, char *const *environment,
	const struct ik_buf *input, const struct ik_child_events *events, void *arg,
	struct ik_child **ret_child)
{
	const struct ik_child_spec spec = {
		.path = argv[0][0] == '/' ? argv[0] : tree->place.git,
		.argv = argv,
		.environment = (const char *const *)environment,
		.directory = tree->place.root,
		.input = input ? input->data : NULL,
		.input_length = input ? input->length : 0,
		.timeout_ms = READ_MOST_MS,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
		.discard_stderr = true,
	};
	struct ik_error error;

	return ik_child_start(tree->loop, &spec, events, arg, ret_child, &error) == IK_OK;
}

static void on_swept(void *arg, const struct ik_child_result *result)
{
	struct ik_worktree *tree = arg;

	tree->sweeper = ik_child_close(tree->sweeper);
}

/* Remove old data: an unused shadow or, if there is none, unused objects of our own. */
static void sweep(struct ik_worktree *tree, const char *shadows, int64_t days)
{
	static const struct ik_child_events events = { .done = on_swept };
	char *old, *expiry;
	const char *removal[] = { "/bin/rm", "-rf", "--", NULL, NULL };
	const char *prune[] = { "git", "prune", NULL, NULL };

	if (!ik_worktree_place_sweep(&tree->place, shadows, days, &old))
		return;
	prune[2] = expiry = ik_format("--expire=%lld.days.ago", (long long)days);
	removal[3] = old;
	/* If this fails, it is tried again tomorrow. */
	(void)start(tree, old ? removal : prune, tree->own, NULL, &events, tree, &tree->sweeper);
	free(expiry);
	free(old);
}

struct ik_worktree *ik_worktree_new(const struct ik_worktree_options *options,
	enum ik_worktree_problem *ret_problem)
{
	struct ik_worktree *tree = ik_alloc(sizeof(*tree));

	tree->loop = options->loop;
	tree->hidden = options->hidden;
	tree->told = options->told;
	tree->arg = options->arg;
	ik_buf_init(&tree->output, OUTPUT_MOST);
	ik_buf_init(&tree->there, OUTPUT_MOST);
	ik_buf_init(&tree->gone, OUTPUT_MOST);
	tree->problem = ik_worktree_place_find(&tree->place, options);
	if (tree->problem == IK_WORKTREE_FINE) {
		take_index(tree);
		ik_worktree_place_environments(&tree->place, options, tree->index, tree->own, tree->users);
		sweep(tree, options->shadows, options->kept_days);
	}
	*ret_problem = tree->problem;
	return tree;
}

static void sort_names(void *arg);
static void give_up(void *arg);

struct ik_worktree *ik_worktree_free(struct ik_worktree *tree)
{
	if (!tree)
		return NULL;
	ik_loop_cancel_deferred(tree->loop, sort_names, tree);
	ik_loop_cancel_deferred(tree->loop, give_up, tree);
	tree->sweeper = ik_child_close(tree->sweeper);
	tree->child = ik_child_close(tree->child);
	if (tree->index)
		drop_index(tree);
	for (size_t i = 0; i < IK_WORKTREE_VARIABLES; i++) {
		free(tree->own[i]);
		free(tree->users[i]);
	}
	ik_worktree_index_unref(tree->known);
	ik_worktree_place_done(&tree->place);
	ik_buf_done(&tree->output);
	ik_buf_done(&tree->there);
	ik_buf_done(&tree->gone);
	free(tree->index);
	free(tree);
	return NULL;
}

/* ---- snapshots ---- */

static void tell(struct ik_worktree *tree, enum ik_worktree_problem problem)
{
	bool wanted = tree->said != problem && tree->told;

	tree->said = problem;
	if (wanted)
		tree->told(tree->arg, problem);
}

/* Start from an empty index: the old one may be broken, or name missing objects. */
static void begin_cold(struct ik_worktree *tree)
{
	drop_index(tree);
	tree->changed = true;
	tree->missed = tree->dirty = false;
}

static void begin_snapshot(struct ik_worktree *tree)
{
	tree->snapshots++;
	tree->begun_ms = ik_clock_ms();
	tree->again = tree->changed = false;
	tree->failures = 0;
	if (tree->missed) {
		char *shared = shared_index(tree);

		(void)unlink(shared);
		free(shared);
		begin_cold(tree);
	}
	tree->stage = tree->dirty ? STAGE_REFRESH : STAGE_LIST;
	tree->changed = tree->changed || tree->dirty;
	tree->dirty = false;
	begin_stage(tree);
}

/* Start a new snapshot, after the one that is running. */
static void request_snapshot(struct ik_worktree *tree)
{
	if (tree->stage != STAGE_NONE)
		tree->again = true;
	else
		begin_snapshot(tree);
}

int64_t ik_worktree_snapshot(struct ik_worktree *tree)
{
	int64_t now_ms = ik_clock_ms();

	if (tree->stage != STAGE_NONE && now_ms - tree->begun_ms < JUST_MS)
		return tree->begun_ms;
	if (tree->problem == IK_WORKTREE_FINE)
		request_snapshot(tree);
	return now_ms;
}

static void end_snapshot(struct ik_worktree *tree, enum ik_worktree_problem problem)
{
	bool changed = !tree->known || tree->changed;

	tree->stage = STAGE_NONE;
	if (changed || problem != IK_WORKTREE_FINE) {
		tree->known = ik_worktree_index_unref(tree->known);
		if (problem == IK_WORKTREE_FINE)
			tree->known = ik_worktree_index_open(tree->index);
		if (problem == IK_WORKTREE_FINE && !tree->known)
			problem = IK_WORKTREE_FAILED;
	}
	tree->known_ms = tree->begun_ms;
	ik_buf_clear(&tree->there);
	ik_buf_clear(&tree->gone);
	ik_buf_clear(&tree->output);
	if (tree->again)
		begin_snapshot(tree);
	tell(tree, problem);
	serve_calls(tree, problem);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_worktree *tree = arg;

	if (stream == IK_STDOUT)
		ik_buf_append(&tree->output, bytes, length);
}

/* Start the current stage, or finish if nothing is left to do. */
static void go_on(struct ik_worktree *tree)
{
	if (tree->stage != STAGE_UPDATE || tree->there.length > 0) {
		begin_stage(tree);
		return;
	}
	if (tree->changed)
		share_index(tree);
	end_snapshot(tree, IK_WORKTREE_FINE);
}

/* Sort a name into there or gone. A name is gone, too, if a directory, a link on the way or
 * something else has replaced it. Hidden files, nested repositories and files that may not be read
 * stay as they are known. */
static void sort_name(struct ik_worktree *tree, const char *name)
{
	char *path = ik_path_join(tree->place.root, name);
	int directory = ik_file_directory_open(path), number = directory < 0 ? errno : 0;
	struct ik_buf *to = &tree->gone;
	struct stat status;

	if (directory >= 0 && fstatat(directory, ik_path_base(path), &status, AT_SYMLINK_NOFOLLOW) != 0)
		number = errno;
	else if (directory >= 0 && S_ISREG(status.st_mode) &&
		faccessat(directory, ik_path_base(path), R_OK, AT_EACCESS) != 0)
		number = errno;
	else if (directory >= 0 && (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode)))
		to = &tree->there;
	if ((to == &tree->there || number != EACCES) && name[strlen(name) - 1] != '/' &&
		(!tree->hidden || !tree->hidden(tree->arg, path)))
		ik_buf_append(to, name, strlen(name) + 1);
	if (directory >= 0)
		(void)close(directory);
	free(path);
}

/* Sort out some of the names that git has listed; the rest is deferred. */
static void sort_names(void *arg)
{
	struct ik_worktree *tree = arg;

	for (int i = 0; i < SORTED_AT_ONCE && tree->sorted_to < tree->output.length; i++) {
		const char *name = tree->output.data + tree->sorted_to;

		sort_name(tree, name);
		tree->sorted_to += strlen(name) + 1;
	}
	if (tree->sorted_to < tree->output.length) {
		ik_loop_defer(tree->loop, sort_names, tree);
		return;
	}
	tree->stage = tree->gone.length > 0 ? STAGE_REMOVE : STAGE_UPDATE;
	go_on(tree);
}

static void next_stage(struct ik_worktree *tree)
{
	switch (tree->stage) {
	case STAGE_REFRESH:
		tree->stage = STAGE_LIST;
		break;
	case STAGE_LIST:
		tree->sorted_to = 0;
		ik_buf_clear(&tree->there);
		ik_buf_clear(&tree->gone);
		sort_names(tree);
		return;
	case STAGE_REMOVE:
		tree->changed = true;
		tree->stage = STAGE_UPDATE;
		break;
	default:
		tree->changed = true;
		ik_buf_clear(&tree->there);
		break;
	}
	go_on(tree);
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	struct ik_worktree *tree = arg;
	bool slow = result->timed_out,
		 worked = result->exited && result->exit_code == 0 && ik_buf_status(&tree->output) == IK_OK;

	tree->child = ik_child_close(tree->child);
	if (worked) {
		next_stage(tree);
	} else if (!slow && ++tree->failures <= TRIES) {
		/* It may be the user's configuration or the index that git cannot read. */
		tree->plain = tree->plain != (tree->stage == STAGE_LIST);
		if (tree->failures == 2)
			begin_cold(tree);
		tree->stage = STAGE_LIST;
		begin_stage(tree);
	} else {
		end_snapshot(tree, slow ? IK_WORKTREE_SLOW : IK_WORKTREE_FAILED);
	}
}

/* Fill argv, which must be large enough, with the arguments of a stage and NULL. */
static void put_arguments(const struct ik_worktree *tree, const char **argv)
{
	static const char *const stages[][9] = {
		[STAGE_REFRESH] = { "update-index", "-q", "--refresh" },
		[STAGE_LIST] = { "ls-files", "-z", "-m", "-d", "-o", "--exclude-standard", "--", "." },
		[STAGE_REMOVE] = { "update-index", "-z", "--force-remove", "--stdin" },
		[STAGE_UPDATE] = { "update-index", "-z", "--add", "--remove", "--replace", "--stdin" },
	};
	size_t count = 0;

	argv[count++] = "git";
	for (size_t i = 0; stages[tree->stage][i]; i++)
		argv[count++] = stages[tree->stage][i];
	for (size_t i = 0; tree->stage == STAGE_LIST && i < tree->place.spared_count; i++)
		argv[count++] = tree->place.spared[i];
	argv[count] = NULL;
}

/* Deferred: the child of a stage could not be started. */
static void give_up(void *arg)
{
	end_snapshot(arg, IK_WORKTREE_FAILED);
}

static void begin_stage(struct ik_worktree *tree)
{
	static const struct ik_child_events events = { on_output, on_done };
	const char **argv = ik_alloc((tree->place.spared_count + 16) * sizeof(*argv));
	/* Only which files are ignored is the user's to say. */
	bool users = tree->stage == STAGE_LIST && !tree->plain;
	const struct ik_buf *input = tree->stage == STAGE_UPDATE ? &tree->there
		: tree->stage == STAGE_REMOVE                        ? &tree->gone
															 : NULL;

	ik_buf_clear(&tree->output);
	put_arguments(tree, argv);
	if (!start(tree, argv, users ? tree->users : tree->own, input, &events, tree, &tree->child))
		ik_loop_defer(tree->loop, give_up, tree);
	free(argv);
}

/* ---- calls ---- */

/* Report what a call changed, or why that is unknown. */
static void finish_call(struct ik_worktree_call *call, enum ik_worktree_problem problem)
{
	const struct ik_worktree_result result = {
		.problem = problem,
		.changes = call->found.changes,
		.count = problem == IK_WORKTREE_FINE ? call->found.count : 0,
	};

	call->child = ik_child_close(call->child);
	call->searched = true;
	call->done(call->done_arg, &result);
}

static void on_bytes(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_worktree_call *call = arg;

	if (stream == IK_STDOUT)
		ik_worktree_blobs_take(call->blobs, bytes, length);
}

static void on_fetched(void *arg, const struct ik_child_result *result)
{
	struct ik_worktree_call *call = arg;

	/* The user's repository was garbage-collected, say. */
	if (ik_worktree_blobs_missed(call->blobs)) {
		call->tree->missed = true;
		request_snapshot(call->tree);
	}
	call->found.count = ik_file_changes_drop_none(call->found.changes, call->found.count);
	finish_call(call,
		result->timed_out                              ? IK_WORKTREE_SLOW
			: result->exited && result->exit_code == 0 ? IK_WORKTREE_FINE
													   : IK_WORKTREE_FAILED);
}

/* Return the check before the next call, or NULL. */
static const struct ik_worktree_check *check_after(const struct ik_worktree_call *call)
{
	const struct ik_worktree_call *next = call->next;

	while (next && (!next->check || next->begun < call->over))
		next = next->next;
	return next ? next->check : NULL;
}

/* Find what a call changed and fetch the contents. */
static void find_changes(struct ik_worktree_call *call)
{
	static const struct ik_child_events events = { on_bytes, on_fetched };
	static const char *const argv[] = { "git", "cat-file", "--batch", "--buffer", NULL };
	struct ik_worktree *tree = call->tree;

	call->searched = true;
	call->found = ik_worktree_changes_find(&(struct ik_worktree_span){
		.root = tree->place.root,
		.before = call->check,
		.after = tree->known,
		.end_ns = call->end_ns,
		.next = check_after(call),
		.fresh = call->fresh,
	});
	if (call->found.count > IK_WORKTREE_CHANGES_MOST) {
		finish_call(call, IK_WORKTREE_MANY);
		return;
	}
	call->blobs = ik_worktree_blobs_new(call->objects, &call->found, &call->input);
	if (call->input.length == 0)
		finish_call(call, IK_WORKTREE_FINE);
	else if (!start(tree, argv, tree->own, &call->input, &events, call, &call->child))
		finish_call(call, IK_WORKTREE_FAILED);
}

/* Check the files; is the state of all of them known for a call that starts now? */
static bool is_known(struct ik_worktree_call *call)
{
	struct ik_worktree *tree = call->tree;

	call->check = ik_worktree_check_free(call->check);
	if (!tree->known)
		return false;
	call->check = ik_worktree_check_new(&(struct ik_worktree_check_options){
		.index = tree->known,
		.root = tree->place.root,
		.objects = call->objects,
		.hidden = tree->hidden,
		.arg = tree->arg,
		.most_us = IK_WORKTREE_CHECK_US,
		.surely_us = IK_WORKTREE_CHECK_SURELY_US,
	});
	tree->dirty = tree->dirty || call->check->count > 0;
	call->fresh = tree->known_ms >= call->since_ms;
	return call->fresh || ik_worktree_check_complete(call->check);
}

static void let_begin(struct ik_worktree_call *call, enum ik_worktree_problem problem)
{
	ik_worktree_ready *ready = call->ready;

	call->timer = ik_timer_close(call->timer);
	call->ready = NULL;
	ready(call->ready_arg, problem);
}

/* Serve one call that waits for a snapshot. Return false if no call waits. A callback may close
 * calls. */
static bool serve_one(struct ik_worktree *tree, enum ik_worktree_problem problem)
{
	struct ik_worktree_call *call;
	/* The running snapshot shows nothing yet. */
	size_t read = tree->snapshots - (tree->stage != STAGE_NONE);

	for (call = tree->first; call; call = call->next) {
		if (call->ready && (problem != IK_WORKTREE_FINE || is_known(call))) {
			let_begin(call, problem);
			return true;
		}
		if (call->done && !call->searched && call->wanted <= read) {
			if (problem == IK_WORKTREE_FINE)
				find_changes(call);
			else
				finish_call(call, problem);
			return true;
		}
	}
	return false;
}

static void serve_calls(struct ik_worktree *tree, enum ik_worktree_problem problem)
{
	while (serve_one(tree, problem))
		;
}

static void on_too_long(void *arg)
{
	struct ik_worktree_call *call = arg;

	/* An older snapshot will do. */
	if (call->check) {
		let_begin(call, IK_WORKTREE_FINE);
		return;
	}
	tell(call->tree, IK_WORKTREE_PREPARING);
	if (call->ready) /* the callback may have closed the call */
		let_begin(call, IK_WORKTREE_PREPARING);
}

bool ik_worktree_call_new(struct ik_worktree *tree, const char *objects, int64_t since_ms,
	ik_worktree_ready *ready, void *arg, struct ik_worktree_call **ret_call,
	enum ik_worktree_problem *ret_problem)
{
	struct ik_worktree_call *call = ik_alloc(sizeof(*call)), **end = &tree->first;

	call->tree = tree;
	call->objects = objects;
	call->since_ms = since_ms;
	call->begun = ++tree->moments;
	ik_buf_init(&call->input, OUTPUT_MOST);
	while (*end)
		end = &(*end)->next;
	*end = *ret_call = call;
	*ret_problem = tree->problem;
	if (tree->problem != IK_WORKTREE_FINE || is_known(call))
		return true;
	call->ready = ready;
	call->ready_arg = arg;
	call->timer = ik_timer_new(tree->loop, on_too_long, call);
	ik_timer_start(call->timer, IK_WORKTREE_WAIT_MS);
	if (tree->stage == STAGE_NONE)
		begin_snapshot(tree);
	return false;
}

bool ik_worktree_call_exact(const struct ik_worktree_call *call)
{
	return call->check && ik_worktree_check_complete(call->check);
}

void ik_worktree_call_end(struct ik_worktree_call *call, ik_worktree_done *done, void *arg)
{
	call->end_ns = ik_clock_wall_ns();
	call->over = ++call->tree->moments;
	call->done = done;
	call->done_arg = arg;
	call->wanted = call->tree->snapshots + 1;
	request_snapshot(call->tree);
}

/* Deferred: free the memory. */
static void call_free(void *arg)
{
	struct ik_worktree_call *call = arg;

	ik_worktree_found_done(&call->found);
	ik_worktree_blobs_free(call->blobs);
	ik_worktree_check_free(call->check);
	ik_buf_done(&call->input);
	free(call);
}

struct ik_worktree_call *ik_worktree_call_close(struct ik_worktree_call *call)
{
	struct ik_worktree_call **at;

	if (!call)
		return NULL;
	call->child = ik_child_close(call->child);
	call->timer = ik_timer_close(call->timer);
	call->ready = NULL;
	for (at = &call->tree->first; *at != call;)
		at = &(*at)->next;
	*at = call->next;
	ik_loop_defer(call->tree->loop, call_free, call);
	return NULL;
}
