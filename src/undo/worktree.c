#include "undo/worktree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "loop/child.h"
#include "undo/worktree_place.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/uuid.h"

/* Of what git prints: paths of some hundred thousand files. */
#define OUTPUT_MOST IK_MIB(64)
/* At least so many files are read between two times that the index is written. */
#define FILES_AT_ONCE 4000
/* A child of a reading may take so long: nobody waits for it. */
#define READ_MOST_MS (15 * 60 * 1000)
#define NICE 10
/* Of the names of some thousand files. */
#define MANY_BYTES IK_KIB(128)
/* One that began so long ago does for a turn that begins now. */
#define JUST_MS 200
/* A child that is asked to end may take so long. */
enum { KILL_AFTER_MS = 300, GRACE_MS = 100 };
/* Names that are sorted out between two turns of the loop. */
enum { SORTED_AT_ONCE = 256 };

/* What a reading does, one after the other. */
enum worktree_stage {
	STAGE_NONE,     /* none is under way */
	STAGE_EXCLUDES, /* which file says what the user never wants in a repository */
	STAGE_REFRESH,  /* have the times of files that were only touched in the index */
	STAGE_LIST,     /* what differs from the index */
	STAGE_REMOVE,   /* what is gone, where an update failed: it may be in the way of what is new */
	STAGE_UPDATE    /* `git add` would ask nested repositories, by their own configuration */
};

struct ik_worktree {
	struct ik_loop *loop;
	struct ik_worktree_place place;
	enum ik_worktree_problem problem;
	char *index;    /* of ours alone */
	char *excludes; /* "core.excludesFile=..."; NULL: not known yet */
	char *own[IK_WORKTREE_VARIABLES], *global[IK_WORKTREE_VARIABLES]; /* environments */
	struct ik_child *sweeper; /* clears away what is old; NULL: nothing does */
	bool (*hidden)(void *arg, const char *path);
	ik_worktree_told *told;
	void *arg;
	enum ik_worktree_problem said; /* told last */
	size_t moments;                /* at which calls began or ended: so many so far */

	/* The reading that is under way, or was last. */
	enum worktree_stage stage;
	size_t readings; /* so many were begun */
	int64_t begun_ms;
	bool again;   /* another is wanted */
	bool cold;    /* it began anew, with an empty index */
	bool changed; /* the index may be another */
	bool dirty;   /* a look found files that have another time than in the index, at least */
	bool missed;  /* an object of the index was missing: the next begins anew */
	struct ik_child *child;
	struct ik_buf input, output;
	size_t input_from, input_at; /* what was handed over last, or is sorted out */
	bool sorted;                 /* an update failed: the names were sorted out */
	struct ik_buf there, gone;   /* as what they were */

	/* What the last good one found. */
	struct ik_worktree_index *known; /* NULL: there was none */
	int64_t known_ms;                /* when it began */

	struct ik_worktree_call *first;
};

struct ik_worktree_call {
	struct ik_worktree_call *next;
	struct ik_worktree *tree;
	char *objects;
	int64_t since_ms;
	struct ik_timer *timer;   /* until it waits no longer to begin */
	ik_worktree_ready *ready; /* NULL: it does not wait */
	void *ready_arg;
	struct ik_worktree_look *look; /* right before it; NULL: nothing is known of it */
	bool fresh;                    /* its index is of a reading since since_ms */
	ik_worktree_done *done;        /* NULL: it is not over */
	void *done_arg;
	size_t begun, over; /* the moments; */
	size_t wanted;      /* a reading from this one on finds what it left */
	int64_t end_ns;
	bool found;             /* the changes are */
	struct ik_child *child; /* fetches their bytes */
	struct ik_buf input;
	struct ik_worktree_change *changes;
	size_t count;
	struct ik_worktree_blobs *blobs;
};

static void begin_stage(struct ik_worktree *tree);
static void serve_calls(struct ik_worktree *tree, enum ik_worktree_problem problem);

/* ---- a tree ---- */

/* The index that the next session begins with. */
static char *shared_index(const struct ik_worktree *tree)
{
	return ik_path_join(tree->place.shadow, "index");
}

/* Begin with what is known of the files since another session looked at them. */
static void take_index(struct ik_worktree *tree)
{
	char *shared = shared_index(tree), id[IK_UUID_TEXT];

	ik_uuid_new(id);
	tree->index = ik_format("%s/index-%s", tree->place.shadow, id);
	/* No copy: the file's time tells git which files may have changed as it was written. */
	(void)link(shared, tree->index);
	free(shared);
}

/* Have other sessions begin with what this one knows. */
static void share_index(const struct ik_worktree *tree)
{
	char *shared = shared_index(tree), *name = ik_format("%s.new", tree->index);

	if (link(tree->index, name) == 0)
		(void)rename(name, shared);
	(void)unlink(name); /* where both are one file, nothing was renamed */
	free(shared);
	free(name);
}

/* Forget what is known of the files, and whatever a git that was killed left beside it. */
static void drop_index(const struct ik_worktree *tree)
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
		.path = tree->place.git,
		.argv = prune,
		.directory = tree->place.root,
		.environment = (const char *const *)tree->own,
		.discard_stderr = true,
	};
	struct ik_error error;
	char *old;

	if (!ik_worktree_place_sweep(&tree->place, shadows, &old))
		return;
	if (old) {
		removal[3] = old;
		spec.path = "/bin/rm";
		spec.argv = removal;
	}
	/* Where it cannot be now, it is tried again tomorrow. */
	(void)!ik_child_start(tree->loop, &spec, &events, tree, &tree->sweeper, &error);
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
	ik_buf_init(&tree->input, OUTPUT_MOST);
	ik_buf_init(&tree->output, OUTPUT_MOST);
	ik_buf_init(&tree->there, OUTPUT_MOST);
	ik_buf_init(&tree->gone, OUTPUT_MOST);
	tree->problem = ik_worktree_place_find(&tree->place, options);
	if (tree->problem == IK_WORKTREE_FINE) {
		take_index(tree);
		ik_worktree_place_environments(&tree->place, options, tree->index, tree->own, tree->global);
		sweep(tree, options->shadows);
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
		free(tree->global[i]);
	}
	ik_worktree_index_unref(tree->known);
	ik_worktree_place_done(&tree->place);
	ik_buf_done(&tree->input);
	ik_buf_done(&tree->output);
	ik_buf_done(&tree->there);
	ik_buf_done(&tree->gone);
	free(tree->excludes);
	free(tree->index);
	free(tree);
	return NULL;
}

/* ---- readings ---- */

static void tell(struct ik_worktree *tree, enum ik_worktree_problem problem)
{
	bool wanted = tree->said != problem && tree->told;

	tree->said = problem;
	if (wanted)
		tree->told(tree->arg, problem);
}

/* The stage that a reading begins with, once it is known which files the user never wants. */
static enum worktree_stage first_stage(struct ik_worktree *tree)
{
	if (!tree->dirty)
		return STAGE_LIST;
	tree->dirty = false;
	tree->changed = true;
	return STAGE_REFRESH;
}

/* Read everything anew: the index may be broken, or name objects that are not there. */
static void begin_cold(struct ik_worktree *tree)
{
	drop_index(tree);
	tree->cold = tree->changed = true;
	tree->missed = tree->sorted = tree->dirty = false;
}

static void begin_reading(struct ik_worktree *tree)
{
	tree->readings++;
	tree->begun_ms = ik_clock_ms();
	tree->again = tree->cold = tree->changed = tree->sorted = false;
	if (tree->missed) {
		char *shared = shared_index(tree);

		(void)unlink(shared);
		free(shared);
		begin_cold(tree);
	}
	tree->stage = !tree->excludes ? STAGE_EXCLUDES : first_stage(tree);
	begin_stage(tree);
}

/* Have a reading begin that was not begun yet. */
static void read_anew(struct ik_worktree *tree)
{
	if (tree->stage != STAGE_NONE)
		tree->again = true;
	else
		begin_reading(tree);
}

int64_t ik_worktree_read(struct ik_worktree *tree)
{
	int64_t now_ms = ik_clock_ms();

	if (tree->stage != STAGE_NONE && now_ms - tree->begun_ms < JUST_MS)
		return tree->begun_ms;
	if (tree->problem == IK_WORKTREE_FINE)
		read_anew(tree);
	return now_ms;
}

/* The reading is over, in one way or another. */
static void end_reading(struct ik_worktree *tree, enum ik_worktree_problem problem)
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
	ik_buf_clear(&tree->input);
	ik_buf_clear(&tree->output);
	if (tree->again)
		begin_reading(tree);
	tell(tree, problem);
	serve_calls(tree, problem);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_worktree *tree = arg;

	if (stream == IK_STDOUT)
		ik_buf_append(&tree->output, bytes, length);
}

/* Where the user's own configuration is, without the variable's name. */
static const char *value_of(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

/* Take which file has the patterns of what the user never wants in a repository. */
static void take_excludes(struct ik_worktree *tree)
{
	const char *configured = value_of(tree->global, "XDG_CONFIG_HOME");
	size_t length = tree->output.length > 0 ? strcspn(tree->output.data, "\n") : 0;

	if (length > 0)
		tree->excludes = ik_format("core.excludesFile=%.*s", (int)length, tree->output.data);
	else if (configured)
		tree->excludes = ik_format("core.excludesFile=%s/git/ignore", configured);
	else
		tree->excludes = ik_format("core.excludesFile=%s/.config/git/ignore",
			value_of(tree->global, "HOME"));
}

/* Take the names of the files that differ from the index, without those that are hidden, and without
 * nested repositories. */
static void take_list(struct ik_worktree *tree)
{
	const struct ik_buf *names = &tree->output;
	size_t size;

	ik_buf_clear(&tree->input);
	tree->input_at = 0;
	for (size_t at = 0; at < names->length; at += size) {
		char *path = ik_path_join(tree->place.root, names->data + at);

		size = strlen(names->data + at) + 1;
		if (path[strlen(path) - 1] != '/' && (!tree->hidden || !tree->hidden(tree->arg, path)))
			ik_buf_append(&tree->input, names->data + at, size);
		free(path);
	}
}

/* Begin the stage, or end the reading where there is nothing left to be done. */
static void go_on(struct ik_worktree *tree)
{
	if (tree->stage != STAGE_UPDATE || tree->input_at < tree->input.length) {
		begin_stage(tree);
		return;
	}
	if (tree->changed)
		share_index(tree);
	end_reading(tree, IK_WORKTREE_FINE);
}

/* A stage did what it should: go on with the next. */
static void next_stage(struct ik_worktree *tree)
{
	switch (tree->stage) {
	case STAGE_EXCLUDES:
		take_excludes(tree);
		tree->stage = first_stage(tree);
		break;
	case STAGE_REFRESH:
		tree->stage = STAGE_LIST;
		break;
	case STAGE_LIST:
		take_list(tree);
		tree->stage = STAGE_UPDATE;
		break;
	default:
		tree->changed = true;
		tree->stage = STAGE_UPDATE;
		break;
	}
	go_on(tree);
}

/* Put a name where it belongs: what is there, or what is gone, also where a directory, a link on the
 * way or something else has come to be in its place. What may not be read stays as it is known. */
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
	if (to == &tree->there || number != EACCES)
		ik_buf_append(to, name, strlen(name) + 1);
	if (directory >= 0)
		(void)close(directory);
	free(path);
}

/* Deferred: sort out some of the names that git could not do with, and those after them. */
static void sort_names(void *arg)
{
	struct ik_worktree *tree = arg;
	struct ik_buf sorted;

	for (int i = 0; i < SORTED_AT_ONCE && tree->input_from < tree->input.length; i++) {
		const char *name = tree->input.data + tree->input_from;

		sort_name(tree, name);
		tree->input_from += strlen(name) + 1;
	}
	if (tree->input_from < tree->input.length) {
		ik_loop_defer(tree->loop, sort_names, tree);
		return;
	}
	sorted = tree->there;
	tree->there = tree->input;
	tree->input = sorted;
	tree->input_at = 0;
	ik_buf_clear(&tree->there);
	tree->stage = tree->gone.length > 0 ? STAGE_REMOVE : STAGE_UPDATE;
	go_on(tree);
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	struct ik_worktree *tree = arg;
	bool slow = result->timed_out,
		 worked = result->exited && result->exit_code == 0 && ik_buf_status(&tree->output) == IK_OK;

	tree->child = ik_child_close(tree->child);
	if (worked || (tree->stage == STAGE_EXCLUDES && !slow)) {
		next_stage(tree);
	} else if (!slow && tree->stage == STAGE_UPDATE && !tree->sorted) {
		tree->sorted = true;
		ik_buf_clear(&tree->gone);
		ik_loop_defer(tree->loop, sort_names, tree);
	} else if (!slow && !tree->cold) {
		begin_cold(tree);
		tree->stage = STAGE_LIST;
		begin_stage(tree);
	} else {
		end_reading(tree, slow ? IK_WORKTREE_SLOW : IK_WORKTREE_FAILED);
	}
}

/* The arguments of a stage, ending with NULL, in argv of so much room. */
static void put_arguments(const struct ik_worktree *tree, const char **argv)
{
	static const char *const stages[][9] = {
		[STAGE_EXCLUDES] = { "config", "--global", "--includes", "--type=path", "--get",
			"core.excludesFile" },
		[STAGE_REFRESH] = { "update-index", "-q", "--refresh" },
		[STAGE_LIST] = { "ls-files", "-z", "-m", "-d", "-o", "--exclude-standard", "--", "." },
		[STAGE_REMOVE] = { "update-index", "-z", "--force-remove", "--stdin" },
		[STAGE_UPDATE] = { "update-index", "-z", "--add", "--remove", "--replace", "--stdin" },
	};
	size_t count = 0;

	argv[count++] = "git";
	if (tree->stage == STAGE_LIST) {
		argv[count++] = "-c";
		argv[count++] = tree->excludes;
	}
	for (size_t i = 0; stages[tree->stage][i]; i++)
		argv[count++] = stages[tree->stage][i];
	for (size_t i = 0; tree->stage == STAGE_LIST && i < tree->place.spared_count; i++)
		argv[count++] = tree->place.spared[i];
	argv[count] = NULL;
}

/* The names that are handed over next, so that what was read is kept, whatever happens; their
 * length. More each time, as the index that is written has grown. */
static size_t next_files(struct ik_worktree *tree)
{
	size_t from = tree->input_from = tree->input_at, most = from + from / 2;

	for (size_t i = 0;
		 (i < FILES_AT_ONCE || tree->input_at < most) && tree->input_at < tree->input.length; i++)
		tree->input_at += strlen(tree->input.data + tree->input_at) + 1;
	return tree->input_at - from;
}

/* Many files take a while: that is to be felt by nobody. */
static void be_nice(const struct ik_worktree *tree)
{
	bool many = tree->stage == STAGE_UPDATE && tree->input.length > MANY_BYTES;
	int pid = many && tree->child ? ik_child_pid(tree->child) : 0;

	if (pid > 0)
		(void)setpriority(PRIO_PGRP, (id_t)pid, NICE);
}

/* Deferred: the child of a stage could not be started. */
static void give_up(void *arg)
{
	end_reading(arg, IK_WORKTREE_FAILED);
}

/* Start the child of a stage. */
static void begin_stage(struct ik_worktree *tree)
{
	static const struct ik_child_events events = { on_output, on_done };
	const char **argv = ik_alloc((tree->place.spared_count + 16) * sizeof(*argv));
	size_t length = tree->stage == STAGE_UPDATE ? next_files(tree) : 0;
	bool removes = tree->stage == STAGE_REMOVE;
	const struct ik_child_spec spec = {
		.path = tree->place.git,
		.argv = argv,
		.environment = (const char *const *)(tree->stage == STAGE_EXCLUDES ? tree->global
																		   : tree->own),
		.directory = tree->place.root,
		.input = removes ? tree->gone.data
			: length > 0 ? tree->input.data + tree->input_from
						 : NULL,
		.input_length = removes ? tree->gone.length : length,
		.timeout_ms = READ_MOST_MS,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
		.discard_stderr = true,
	};
	struct ik_error error;

	ik_buf_clear(&tree->output);
	put_arguments(tree, argv);
	if (ik_child_start(tree->loop, &spec, &events, tree, &tree->child, &error) != IK_OK)
		ik_loop_defer(tree->loop, give_up, tree);
	else
		be_nice(tree);
	free(argv);
}

/* ---- calls ---- */

/* It is known what the call changed, or why not. */
static void finish_call(struct ik_worktree_call *call, enum ik_worktree_problem problem)
{
	const struct ik_worktree_result result = {
		.problem = problem,
		.changes = call->changes,
		.count = problem == IK_WORKTREE_FINE ? call->count : 0,
	};

	call->child = ik_child_close(call->child);
	call->found = true;
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

	/* The user's repository, say, was collected. */
	if (ik_worktree_blobs_missed(call->blobs)) {
		call->tree->missed = true;
		read_anew(call->tree);
	}
	call->count = ik_worktree_changes_drop_same(call->changes, call->count);
	finish_call(call,
		result->timed_out                              ? IK_WORKTREE_SLOW
			: result->exited && result->exit_code == 0 ? IK_WORKTREE_FINE
													   : IK_WORKTREE_FAILED);
}

/* The look before the call that came next, where there was one; NULL: none. */
static const struct ik_worktree_look *look_after(const struct ik_worktree_call *call)
{
	const struct ik_worktree_call *next = call->next;

	while (next && (!next->look || next->begun < call->over))
		next = next->next;
	return next ? next->look : NULL;
}

/* Find what a call changed, and fetch the bytes. */
static void find_changes(struct ik_worktree_call *call)
{
	static const struct ik_child_events events = { on_bytes, on_fetched };
	static const char *const argv[] = { "git", "cat-file", "--batch", "--buffer", NULL };
	struct ik_worktree *tree = call->tree;
	struct ik_child_spec spec = {
		.path = tree->place.git,
		.argv = argv,
		.directory = tree->place.root,
		.environment = (const char *const *)tree->own,
		.timeout_ms = READ_MOST_MS,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
		.discard_stderr = true,
	};
	struct ik_error error;

	call->found = true;
	call->changes = ik_worktree_changes_find(
		&(struct ik_worktree_span){
			.root = tree->place.root,
			.before = call->look,
			.after = tree->known,
			.end_ns = call->end_ns,
			.next = look_after(call),
			.fresh = call->fresh,
		},
		&call->count);
	if (call->count > IK_WORKTREE_CHANGES_MOST) {
		finish_call(call, IK_WORKTREE_MANY);
		return;
	}
	call->blobs = ik_worktree_blobs_new(call->objects, call->changes, call->count);
	ik_worktree_blobs_ask(call->blobs, &call->input);
	spec.input = call->input.data;
	spec.input_length = call->input.length;
	if (call->input.length == 0)
		finish_call(call, IK_WORKTREE_FINE);
	else if (ik_child_start(tree->loop, &spec, &events, call, &call->child, &error) != IK_OK)
		finish_call(call, IK_WORKTREE_FAILED);
}

/* Is all known for a call that begins now? Looks at the files. */
static bool is_known(struct ik_worktree_call *call)
{
	struct ik_worktree *tree = call->tree;

	call->look = ik_worktree_look_free(call->look);
	if (!tree->known)
		return false;
	call->look = ik_worktree_look_new(&(struct ik_worktree_look_options){
		.index = tree->known,
		.root = tree->place.root,
		.objects = call->objects,
		.most = IK_WORKTREE_FILE_MOST,
		.hidden = tree->hidden,
		.arg = tree->arg,
		.most_us = IK_WORKTREE_LOOK_US,
		.surely_us = IK_WORKTREE_LOOK_SURELY_US,
	});
	tree->dirty = tree->dirty || call->look->count > 0;
	call->fresh = tree->known_ms >= call->since_ms;
	return call->fresh || ik_worktree_look_complete(call->look);
}

/* The call begins. */
static void let_begin(struct ik_worktree_call *call, enum ik_worktree_problem problem)
{
	ik_worktree_ready *ready = call->ready;

	call->timer = ik_timer_close(call->timer);
	call->ready = NULL;
	ready(call->ready_arg, problem);
}

/* Do what the end of a reading allows; false: nothing. Whoever is told may close calls. */
static bool serve_one(struct ik_worktree *tree, enum ik_worktree_problem problem)
{
	struct ik_worktree_call *call;
	/* Of the one that is under way nothing is known yet. */
	size_t read = tree->readings - (tree->stage != STAGE_NONE);

	for (call = tree->first; call; call = call->next) {
		if (call->ready && (problem != IK_WORKTREE_FINE || is_known(call))) {
			let_begin(call, problem);
			return true;
		}
		if (call->done && !call->found && call->wanted <= read) {
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

/* It has waited long enough. */
static void on_too_long(void *arg)
{
	struct ik_worktree_call *call = arg;

	/* What was read before does, too. */
	if (call->look) {
		let_begin(call, IK_WORKTREE_FINE);
		return;
	}
	tell(call->tree, IK_WORKTREE_PREPARING);
	if (call->ready) /* the one who was told may have closed it */
		let_begin(call, IK_WORKTREE_PREPARING);
}

bool ik_worktree_call_new(struct ik_worktree *tree, const char *objects, int64_t since_ms,
	ik_worktree_ready *ready, void *arg, struct ik_worktree_call **ret_call,
	enum ik_worktree_problem *ret_problem)
{
	struct ik_worktree_call *call = ik_alloc(sizeof(*call)), **end = &tree->first;

	call->tree = tree;
	call->objects = ik_strdup(objects);
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
		begin_reading(tree);
	return false;
}

bool ik_worktree_call_exact(const struct ik_worktree_call *call)
{
	return call->look && ik_worktree_look_complete(call->look);
}

void ik_worktree_call_end(struct ik_worktree_call *call, ik_worktree_done *done, void *arg)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_REALTIME, &now);
	call->end_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	call->over = ++call->tree->moments;
	call->done = done;
	call->done_arg = arg;
	call->wanted = call->tree->readings + 1;
	read_anew(call->tree);
}

/* Deferred: its memory. */
static void call_free(void *arg)
{
	struct ik_worktree_call *call = arg;

	ik_worktree_changes_free(call->changes, call->count);
	ik_worktree_blobs_free(call->blobs);
	ik_worktree_look_free(call->look);
	ik_buf_done(&call->input);
	free(call->objects);
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
