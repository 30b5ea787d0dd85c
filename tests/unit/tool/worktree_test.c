#include "undo/worktree.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

static char *work, *root, *shadows, *objects;
static struct ik_loop *loop;

static void put(const char *name, const char *text)
{
	char *path = ik_path_join(root, name), *directory;
	struct ik_error error;

	directory = ik_strndup(path, (size_t)(ik_path_base(path) - path));
	cr_assert_eq(ik_path_make(directory, 0755, &error), IK_OK);
	cr_assert_eq(ik_file_write(path, text, strlen(text), 0644, &error), IK_OK);
	free(directory);
	free(path);
}

static void setup(void)
{
	struct ik_error error;

	work = support_mkdir();
	root = ik_format("%s/tree", work);
	shadows = ik_format("%s/shadows", work);
	objects = ik_format("%s/objects", work);
	cr_assert_eq(ik_path_make(objects, 0700, &error), IK_OK);
	put(".git/HEAD", "ref: refs/heads/main\n");
	loop = support_loop_new();
}

static void teardown(void)
{
	support_loop_free(loop);
	support_rmdir(work);
	free(root);
	free(shadows);
	free(objects);
}

TestSuite(worktree, .init = setup, .fini = teardown);

/* Return the index of the only shadow. */
static char *shared_index(void)
{
	DIR *stream = opendir(shadows);
	struct dirent *entry;
	char *found = NULL;

	while ((entry = readdir(stream)) != NULL) {
		char *path = ik_format("%s/%s/index", shadows, entry->d_name);

		if (entry->d_name[0] != '.' && access(path, F_OK) == 0) {
			cr_assert_null(found);
			found = path;
		} else {
			free(path);
		}
	}
	(void)closedir(stream);
	cr_assert_not_null(found);
	return found;
}

static struct ik_worktree *open_telling(const char *search_path, ik_worktree_told *told, void *arg,
	enum ik_worktree_problem *ret_problem)
{
	char *spared = ik_path_join(root, "own [1]/ikigai.db");
	const char *const list[] = { spared, NULL };
	struct ik_worktree *tree = ik_worktree_new(&(struct ik_worktree_options){
		.loop = loop, .shadows = shadows, .kept_days = 30, .directory = root, .spared = list,
		.search_path = search_path, .home = work, .told = told, .arg = arg,
	}, ret_problem);

	free(spared);
	return tree;
}

static struct ik_worktree *open_tree(const char *search_path, enum ik_worktree_problem *ret_problem)
{
	return open_telling(search_path, NULL, NULL, ret_problem);
}

/* Skip the test without git. */
static struct ik_worktree *open_real(void)
{
	enum ik_worktree_problem problem;
	struct ik_worktree *tree = open_tree(getenv("PATH"), &problem);

	if (problem == IK_WORKTREE_NO_GIT) {
		ik_worktree_free(tree);
		cr_skip_test("there is no git");
	}
	cr_assert_eq(problem, IK_WORKTREE_FINE);
	return tree;
}

static void on_ready(void *arg, enum ik_worktree_problem problem)
{
	*(enum ik_worktree_problem *)arg = problem;
	ik_loop_stop(loop);
}

/* Start a call; the test does its work. */
static enum ik_worktree_problem begin_since(struct ik_worktree *tree, int64_t since_ms,
	struct ik_worktree_call **ret_call)
{
	enum ik_worktree_problem problem, later = IK_WORKTREE_MANY;

	if (ik_worktree_call_new(tree, objects, since_ms, on_ready, &later, ret_call, &problem))
		return problem;
	support_loop_run(loop);
	return later;
}

/* The same after the first snapshot. */
static struct ik_worktree_call *begin(struct ik_worktree *tree)
{
	enum ik_worktree_problem problem;
	struct ik_worktree_call *call;

	while ((problem = begin_since(tree, 0, &call)) == IK_WORKTREE_PREPARING)
		ik_worktree_call_close(call);
	cr_assert_eq(problem, IK_WORKTREE_FINE);
	cr_assert(ik_worktree_call_exact(call));
	return call;
}

struct outcome {
	bool over;
	enum ik_worktree_problem problem;
	char *told; /* a line for each change */
};

/* h: kept, or known by its hash; ?: unknown; -: missing. */
static char letter(const struct ik_file_state *state)
{
	return state->kind == IK_FILE_ABSENT ? '-' : state->hash[0] != '\0' ? 'h' : '?';
}

static void on_found(void *arg, const struct ik_worktree_result *result)
{
	struct outcome *outcome = arg;
	struct ik_buf told;

	outcome->over = true;
	outcome->problem = result->problem;
	ik_buf_init(&told, IK_MIB(1));
	ik_buf_puts(&told, "");
	for (size_t i = 0; i < result->count; i++) {
		const struct ik_file_change *change = &result->changes[i];
		const struct ik_file_state *before = &change->before;

		ik_buf_printf(&told, "%s %c%c %o", change->path + strlen(root) + 1, letter(before),
			letter(&change->after), (unsigned)before->mode);
		if (before->made_from != NULL)
			ik_buf_printf(&told, " %s", before->made_from + strlen(root) + 1);
		ik_buf_putc(&told, '\n');
	}
	outcome->told = ik_buf_take(&told, NULL);
	ik_loop_stop(loop);
}

/* End the call and expect these changes. */
static void found(struct ik_worktree_call *call, struct outcome *outcome, const char *told)
{
	while (!outcome->over)
		support_loop_run(loop);
	cr_assert_eq(outcome->problem, IK_WORKTREE_FINE);
	cr_assert_str_eq(outcome->told, told);
	free(outcome->told);
	ik_worktree_call_close(call);
}

static void changed(struct ik_worktree_call *call, const char *told)
{
	struct outcome outcome = { .over = false };

	ik_worktree_call_end(call, on_found, &outcome);
	found(call, &outcome, told);
}

/* Is a text among the kept contents? */
static bool is_kept(const char *text)
{
	char hash[IK_SHA256_TEXT], *path;
	bool there;

	ik_sha256_of(text, strlen(text), hash);
	path = ik_path_join(objects, hash);
	there = access(path, F_OK) == 0;
	free(path);
	return there;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	cr_assert_eq(clock_gettime(clock, &now), 0);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Wait until a change gets another time than what was there before. Files may get their times from
 * either clock (Linux has multigrain timestamps since 6.13), and the coarse one lags within a tick. */
static void tick(void)
{
	int64_t now_ns = clock_ns(CLOCK_REALTIME);

	while (clock_ns(CLOCK_REALTIME_COARSE) <= now_ns)
		;
}

Test(worktree, tells_what_changed)
{
	struct ik_worktree *tree = open_real();
	char *path = ik_path_join(root, "b"), *moved = ik_path_join(root, "moved");
	char *removed = ik_path_join(root, "c/d"), *replaced = ik_path_join(root, "a");
	char *to = ik_path_join(root, "to");
	struct ik_worktree_call *call;

	(void)umask(022);
	put(".gitignore", "!ikigai.db\n!own*\nignored\n");
	put("a", "one\r\n");
	put("b", "two\n");
	put("c/d", "three\n");
	put("moved", "four\n");
	put("ignored", "x");
	put("own [1]/ikigai.db", "x");
	/* Permissions that git does not store, of a file that is new to it and of one that it knows. */
	cr_assert_eq(chmod(replaced, 0640), 0);
	ik_worktree_call_close(begin(tree));
	cr_assert_eq(chmod(removed, 0600), 0);
	changed(begin(tree), "");
	call = begin(tree);
	tick();
	put("a", "other\r\n");
	cr_assert_eq(chmod(path, 0755), 0);
	cr_assert_eq(unlink(removed), 0);
	cr_assert_eq(rename(moved, to), 0);
	put("new/deep/file", "x\n");
	put("ignored", "y");
	put("own [1]/ikigai.db", "y");
	changed(call, "a hh 640\nb hh 644\nc/d h- 600\nmoved h- 644\nnew/deep/file -h 0 new\nto -h 0\n");
	cr_assert(is_kept("one\r\n") && is_kept("three\n"));
	ik_worktree_free(tree);
	free(replaced);
	free(removed);
	free(moved);
	free(path);
	free(to);
}

/* The user writes between the snapshot and the call. */
Test(worktree, knows_what_the_user_did_before_the_call)
{
	struct ik_worktree *tree = open_real();
	char *removed = ik_path_join(root, "removed"), *both = ik_path_join(root, "both");
	struct ik_worktree_call *call;

	put("a", "one\n");
	put("b", "one\n");
	put("same", "one\n");
	put("removed", "one\n");
	changed(begin(tree), "");
	put("a", "mine\n");
	put("b", "mine\n");
	put("same", "mine\n");
	put("new", "mine\n");
	put("both", "mine\n");
	cr_assert_eq(unlink(removed), 0);
	tick();
	call = begin(tree);
	tick();
	put("b", "call's\n");
	cr_assert_eq(truncate(both, 0), 0);
	put("same", "one\n");
	changed(call, "b hh 644\nboth ?h 0\nsame hh 644\n");
	/* That is what undo restores. */
	cr_assert(is_kept("mine\n"));
	ik_worktree_free(tree);
	free(removed);
	free(both);
}

/* Two calls without a snapshot between them. */
Test(worktree, shares_a_reading_between_calls)
{
	struct ik_worktree *tree = open_real();
	struct outcome outcomes[2] = { { .over = false } };
	struct ik_worktree_call *calls[2];

	put("a", "one\n");
	put("b", "one\n");
	put("both", "one\n");
	changed(begin(tree), "");
	calls[0] = begin(tree);
	tick();
	put("a", "first\n");
	put("both", "first\n");
	put("first", "first\n");
	ik_worktree_call_end(calls[0], on_found, &outcomes[0]);
	tick();
	calls[1] = begin(tree);
	tick();
	put("b", "second\n");
	put("both", "second\n");
	put("second", "second\n");
	ik_worktree_call_end(calls[1], on_found, &outcomes[1]);
	/* What the first call left of a file that the second changed, too, is unknown. */
	found(calls[0], &outcomes[0], "a hh 644\nboth h? 644\nfirst -h 0\n");
	found(calls[1], &outcomes[1], "b hh 644\nboth hh 644\nsecond -h 0\n");
	cr_assert(is_kept("first\n"));
	ik_worktree_free(tree);
}

Test(worktree, does_not_know_what_a_call_left_that_was_changed_after_it)
{
	struct ik_worktree *tree = open_real();
	struct outcome outcome = { .over = false };
	struct ik_worktree_call *call;

	put("a", "one\n");
	changed(begin(tree), "");
	call = begin(tree);
	tick();
	put("a", "call's\n");
	ik_worktree_call_end(call, on_found, &outcome);
	tick();
	put("a", "mine\n");
	put("new", "mine\n");
	found(call, &outcome, "a h? 644\n");
	ik_worktree_free(tree);
}

/* Return the index of the last snapshot. */
static struct ik_worktree_index *open_index(void)
{
	char *path = shared_index();
	struct ik_worktree_index *index = ik_worktree_index_open(path);

	cr_assert_not_null(index);
	free(path);
	return index;
}

static struct ik_worktree_check *look_at(struct ik_worktree_index *index, int64_t most_us,
	int64_t surely_us)
{
	return ik_worktree_check_new(&(struct ik_worktree_check_options){
		.index = index, .root = root, .objects = objects,
		.most_us = most_us, .surely_us = surely_us,
	});
}

Test(worktree, looks_as_long_as_it_may)
{
	char *path = ik_path_join(root, "f150"), name[16];
	struct ik_worktree *tree = open_real();
	struct ik_worktree_index *index;
	struct ik_worktree_check *look;

	(void)umask(022);
	for (int i = 0; i < 200; i++) {
		(void)snprintf(name, sizeof(name), "f%03d", i);
		put(name, "x");
	}
	cr_assert_eq(chmod(path, 0600), 0);
	changed(begin(tree), "");
	index = open_index();
	look = look_at(index, 0, 60 * 1000000);
	cr_assert(ik_worktree_check_complete(look));
	cr_assert_eq(look->count, 0);
	cr_assert_eq(ik_worktree_check_mode(look, 150), 0600);
	cr_assert_eq(ik_worktree_check_mode(look, 0), 0644);
	ik_worktree_check_free(look);
	look = look_at(index, 0, 0);
	cr_assert_lt(look->checked, 200);
	cr_assert_eq(ik_worktree_check_mode(look, 199), -1);
	ik_worktree_check_free(look);
	ik_worktree_index_unref(index);
	ik_worktree_free(tree);
	free(path);
}

/* Files that were only touched: the index learns it, but nothing changed. */
Test(worktree, learns_what_was_touched)
{
	struct ik_worktree *tree = open_real();
	char *path = ik_path_join(root, "a");
	struct ik_worktree_index *index;
	struct ik_worktree_check *look;

	put("a", "one\n");
	changed(begin(tree), "");
	cr_assert_eq(utimensat(AT_FDCWD, path, (struct timespec[]){ { 1, 1 }, { 1, 1 } }, 0), 0);
	changed(begin(tree), "");
	index = open_index();
	look = look_at(index, 1000000, 1000000);
	cr_assert_eq(look->count, 0);
	ik_worktree_check_free(look);
	ik_worktree_index_unref(index);
	ik_worktree_free(tree);
	free(path);
}

/* Return the change of a file among those found; NULL: none. */
static const struct ik_file_change *change_in(const struct ik_worktree_found *found, const char *name)
{
	for (size_t i = 0; i < found->count; i++)
		if (ik_text_equal(ik_path_base(found->changes[i].path), name))
			return &found->changes[i];
	return NULL;
}

/* File times may lag behind: they are rounded, or come from a server's clock. */
Test(worktree, does_not_rely_on_the_times_of_files)
{
	struct ik_worktree *tree = open_real();
	struct ik_worktree_span span = { .root = root, .end_ns = INT64_MAX };
	struct ik_worktree_found found;
	struct ik_worktree_index *indexes[2];
	struct ik_worktree_check *look;
	char *path = ik_path_join(root, "new");

	put("a", "one\n");
	changed(begin(tree), "");
	indexes[0] = open_index();
	look = look_at(indexes[0], 1000000, 1000000);
	cr_assert(ik_worktree_check_complete(look));
	tick();
	put("a", "other\n");
	put("new", "other\n");
	ik_worktree_call_close(begin(tree));
	do { /* until that is read */
		struct ik_worktree_call *call = begin(tree);
		struct outcome outcome = { .over = false };

		ik_worktree_call_end(call, on_found, &outcome);
		while (!outcome.over)
			support_loop_run(loop);
		free(outcome.told);
		ik_worktree_call_close(call);
		indexes[1] = open_index();
	} while (ik_worktree_index_count(indexes[1]) < 2);
	span.before = look;
	span.after = indexes[1];
	/* What was checked has changed since, whenever that was. */
	look->time_ns += INT64_C(10) * 1000000000;
	found = ik_worktree_changes_find(&span);
	cr_assert_not_null(change_in(&found, "a"));
	cr_assert_null(change_in(&found, "new"));
	ik_worktree_found_done(&found);
	look->time_ns -= INT64_C(10) * 1000000000;
	/* When it was created is unknown now: it may have been the user. */
	cr_assert_eq(unlink(path), 0);
	found = ik_worktree_changes_find(&span);
	cr_assert_eq(change_in(&found, "new")->before.kind, IK_FILE_OTHER);
	ik_worktree_found_done(&found);
	span.fresh = true;
	found = ik_worktree_changes_find(&span);
	cr_assert_eq(change_in(&found, "new")->before.kind, IK_FILE_ABSENT);
	ik_worktree_found_done(&found);
	ik_worktree_check_free(look);
	ik_worktree_index_unref(indexes[0]);
	ik_worktree_index_unref(indexes[1]);
	ik_worktree_free(tree);
	free(path);
}

/* What git cannot read, or cannot add because something else is in its place. */
Test(worktree, reads_what_can_be_read)
{
	struct ik_worktree *tree = open_real();
	char *file = ik_path_join(root, "file"), *inner = ik_path_join(root, "directory/inner");
	char *directory = ik_path_join(root, "directory"), *fifo = ik_path_join(root, "fifo");
	char *link = ik_path_join(root, "linked"), *away = ik_path_join(root, "away");
	char *secret = ik_path_join(root, "secret");
	struct ik_worktree_call *call;

	(void)umask(022);
	put("file", "one\n");
	put("fifo", "one\n");
	put("directory/inner", "one\n");
	put("linked/inner", "one\n");
	put("nested/.git/HEAD", "ref: refs/heads/main\n");
	put("nested/file", "x\n");
	put("secret", "one\n");
	put("z", "one\n");
	changed(begin(tree), "");
	call = begin(tree);
	tick();
	cr_assert_eq(unlink(file), 0);
	put("file/inner", "two\n");
	cr_assert(unlink(inner) == 0 && rmdir(directory) == 0);
	put("directory", "two\n");
	cr_assert(unlink(fifo) == 0 && mkfifo(fifo, 0600) == 0);
	cr_assert(rename(link, away) == 0 && symlink("away", link) == 0);
	put("secret", "two\n");
	cr_assert_eq(chmod(secret, 0), 0);
	put("z", "two\n");
	changed(call, geteuid() == 0 ?
		"away/inner -h 0 away\ndirectory -h 0\ndirectory/inner h- 644\nfifo h- 644\n"
		"file h- 644\nfile/inner -h 0 file\nlinked -? 0\nlinked/inner h- 644\nsecret hh 644\n"
		"z hh 644\n" :
		"away/inner -h 0 away\ndirectory -h 0\ndirectory/inner h- 644\nfifo h- 644\n"
		"file h- 644\nfile/inner -h 0 file\nlinked -? 0\nlinked/inner h- 644\n"
		"z hh 644\n");
	ik_worktree_free(tree);
	free(directory);
	free(secret);
	free(inner);
	free(file);
	free(fifo);
	free(link);
	free(away);
}

/* Remove the shadow's objects, as if the user's repository, which has most of them, had been
 * garbage-collected. */
static void lose_objects(void)
{
	char *index = shared_index(), *shadow = ik_path_directory(index);
	char *from = ik_path_join(shadow, "objects"), *to = ik_path_join(work, "lost");
	DIR *stream = opendir(from);
	struct dirent *entry;

	cr_assert(mkdir(to, 0700) == 0 || errno == EEXIST);
	while ((entry = readdir(stream)) != NULL) {
		char *old = ik_path_join(from, entry->d_name);
		char *new = ik_format("%s/%s-%d", to, entry->d_name, rand());

		if (strlen(entry->d_name) == 2 && entry->d_name[0] != '.')
			cr_assert_eq(rename(old, new), 0);
		free(old);
		free(new);
	}
	(void)closedir(stream);
	free(shadow);
	free(index);
	free(from);
	free(to);
}

Test(worktree, reads_anew_when_objects_are_lost)
{
	char *borrowed = ik_path_join(root, ".git/objects"), *old = ik_path_join(work, "old");
	struct ik_worktree_call *call;
	struct ik_worktree *tree;

	cr_assert_eq(mkdir(borrowed, 0700), 0);
	tree = open_real();
	put("a", "one\n");
	put("b", "two\n");
	changed(begin(tree), "");
	lose_objects();
	call = begin(tree);
	tick();
	put("a", "three\n");
	changed(call, "a ?h 644\n");
	changed(begin(tree), "");
	call = begin(tree);
	tick();
	put("b", "four\n");
	changed(call, "b hh 644\n");
	ik_worktree_free(tree);
	/* In another session: they were borrowed from a repository that has been replaced. */
	ik_worktree_free(open_real());
	lose_objects();
	cr_assert(rename(borrowed, old) == 0 && mkdir(borrowed, 0700) == 0);
	tree = open_real();
	call = begin(tree);
	tick();
	put("a", "five\n");
	changed(call, "a hh 644\n");
	ik_worktree_free(tree);
	free(borrowed);
	free(old);
}

Test(worktree, leaves_out_what_included_configuration_ignores)
{
	static const char included[] = "[include]\n\tpath = more\n";
	char *config = ik_path_join(work, ".gitconfig"), *more = ik_path_join(work, "more");
	char *ignore = ik_path_join(work, "ignore"), *text;
	struct ik_worktree_call *call;
	struct ik_worktree *tree;
	struct ik_error error;

	cr_assert_eq(ik_file_write(config, included, strlen(included), 0600, &error), IK_OK);
	text = ik_format("[core]\n\texcludesFile = %s\n", ignore);
	cr_assert_eq(ik_file_write(more, text, strlen(text), 0600, &error), IK_OK);
	cr_assert_eq(ik_file_write(ignore, "*.mine\n", 7, 0600, &error), IK_OK);
	tree = open_real();
	put("a", "one\n");
	call = begin(tree);
	tick();
	put("a", "two\n");
	put("b.mine", "x\n");
	changed(call, "a hh 644\n");
	ik_worktree_free(tree);
	free(ignore);
	free(config);
	free(more);
	free(text);
}

/* What the user's configuration names for the user's own repositories is not started in a project
 * that may have chosen the files. */
Test(worktree, starts_nothing_that_the_users_configuration_names)
{
	char *mark = ik_path_join(work, "mark"), *config = ik_path_join(work, ".gitconfig"), *text;
	char *script = ik_format("#!/bin/sh\necho \"$0 $*\" >>%s\ncat\n", mark);
	char *run = support_write_tool(work, "run", script), *hook;
	struct ik_worktree_call *call;
	struct ik_worktree *tree;
	struct ik_error error;

	hook = support_write_tool(work, "post-index-change", script);
	text = ik_format("[core]\n\tfsmonitor = %s\n\thooksPath = %s\n\tpager = %s\n\tautocrlf = true\n"
		"\tuntrackedCache = true\n\tcheckStat = minimal\n\ttrustctime = false\n"
		"[filter \"x\"]\n\tclean = %s\n\tprocess = %s\n\trequired = true\n"
		"[diff \"x\"]\n\ttextconv = %s\n\tcommand = %s\n[feature]\n\tmanyFiles = true\n"
		"[alias]\n\tls-files = !%s\n\tupdate-index = !%s\n", run, work, run, run, run, run, run, run,
		run);
	cr_assert_eq(ik_file_write(config, text, strlen(text), 0600, &error), IK_OK);
	tree = open_real();
	put(".gitattributes", "* filter=x diff=x text eol=crlf\n");
	put("a", "one\r\n");
	call = begin(tree);
	tick();
	put("a", "two\r\n");
	put("b", "x\n");
	changed(call, "a hh 644\nb -h 0\n");
	cr_assert_neq(access(mark, F_OK), 0);
	ik_worktree_free(tree);
	/* A configuration that cannot be read is no obstacle. */
	cr_assert_eq(ik_file_write(config, "[core\n", 6, 0600, &error), IK_OK);
	tree = open_real();
	call = begin(tree);
	tick();
	put("a", "three\n");
	changed(call, "a hh 644\n");
	ik_worktree_free(tree);
	free(script);
	free(config);
	free(hook);
	free(mark);
	free(text);
	free(run);
}

Test(worktree, clears_away_the_indexes_of_sessions_that_were_killed)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - 40 * 24 * 3600 }, { .tv_sec = 0 } };
	struct ik_worktree *tree = open_real();
	char *index, *shadow, *left, *recent, *swept;
	struct ik_error error;

	put("a", "one\n");
	changed(begin(tree), "");
	ik_worktree_free(tree);
	index = shared_index();
	shadow = ik_path_directory(index);
	left = ik_path_join(shadow, "index-left");
	recent = ik_path_join(shadow, "index-recent");
	swept = ik_path_join(shadow, "swept");
	cr_assert_eq(ik_file_write(left, "x", 1, 0600, &error), IK_OK);
	cr_assert_eq(ik_file_write(recent, "x", 1, 0600, &error), IK_OK);
	times[1] = times[0];
	cr_assert_eq(utimensat(AT_FDCWD, left, times, 0), 0);
	cr_assert_eq(unlink(swept), 0);
	ik_worktree_free(open_real());
	cr_assert(access(left, F_OK) != 0 && access(recent, F_OK) == 0 && access(index, F_OK) == 0);
	free(recent);
	free(shadow);
	free(swept);
	free(index);
	free(left);
}

Test(worktree, begins_anew_where_the_index_is_broken)
{
	struct ik_worktree *tree = open_real();
	struct ik_error error;
	char *path;

	put("a", "one\n");
	changed(begin(tree), "");
	ik_worktree_free(tree);
	path = shared_index();
	cr_assert_eq(ik_file_write(path, "broken", 6, 0600, &error), IK_OK);
	tree = open_real();
	struct ik_worktree_call *call = begin(tree);

	tick();
	put("a", "two\n");
	changed(call, "a hh 644\n");
	ik_worktree_free(tree);
	free(path);
}

Test(worktree, writes_the_index_of_many_files_once)
{
	char *script = ik_format("#!/bin/sh\ncase \"$*\" in\n"
		"*ls-files*) seq 60000 | tr '\\n' '\\0';;\n"
		"update-index*) echo >>%s/times; tr '\\0' '\\n' >>%s/names;;\nesac\n", work, work);
	char *git = support_write_tool(work, "git", script);
	char *search_path = ik_format("%s:%s", work, getenv("PATH"));
	char *names = ik_path_join(work, "names"), *times = ik_path_join(work, "times");
	enum ik_worktree_problem problem;
	struct ik_worktree *tree = open_tree(search_path, &problem);
	struct ik_error error;
	struct ik_buf text;

	/* On a busy machine it may take longer than the first call waits. */
	ik_worktree_snapshot(tree);
	ik_buf_init(&text, IK_MIB(1));
	while (text.length < 348894) {
		struct ik_worktree_call *call;

		(void)begin_since(tree, 0, &call);
		ik_worktree_call_close(call);
		ik_buf_clear(&text);
		if (access(names, F_OK) == 0)
			cr_assert_eq(ik_file_read(names, &text, &error), IK_OK);
	}
	ik_worktree_free(tree);
	cr_assert(strncmp(text.data + 348894 - 12, "59999\n60000\n", 12) == 0);
	ik_buf_clear(&text);
	cr_assert_eq(ik_file_read(times, &text, &error), IK_OK);
	cr_assert_eq(text.length, 1);
	ik_buf_done(&text);
	free(search_path);
	free(script);
	free(names);
	free(times);
	free(git);
}

static void on_told(void *arg, enum ik_worktree_problem problem)
{
	char *told = arg;

	told[strlen(told)] = problem == IK_WORKTREE_PREPARING ? 'p' :
		problem == IK_WORKTREE_FINE ? 'f' : 'x';
	if (problem != IK_WORKTREE_PREPARING)
		ik_loop_stop(loop);
}

/* A git that hangs at one of its commands until there is a file "go", and then exits with a status
 * or (0) runs the command. */
static char *slow_git(const char *command, int status)
{
	char *script = ik_format("#!/bin/sh\ncase \"$*\" in *%s*)\n"
		"while [ ! -e %s/go ]; do sleep 0.1; done; [ %d = 0 ] || exit %d;; esac\n"
		"PATH='%s' exec git \"$@\"\n", command, work, status, status, getenv("PATH"));

	free(support_write_tool(work, "git", script));
	free(script);
	return ik_format("%s:%s", work, getenv("PATH"));
}

static void let_go(void)
{
	char *go = ik_path_join(work, "go");
	struct ik_error error;

	cr_assert_eq(ik_file_write(go, "", 0, 0600, &error), IK_OK);
	free(go);
}

Test(worktree, lets_calls_begin_while_a_large_tree_is_read)
{
	enum ik_worktree_problem problem;
	struct ik_worktree_call *call;
	struct ik_worktree *tree;
	char told[8] = "", *search_path;

	ik_worktree_free(open_real());
	search_path = slow_git("update-index", 0);
	put("a", "one\n");
	tree = open_telling(search_path, on_told, told, &problem);
	cr_assert_eq(problem, IK_WORKTREE_FINE);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(begin_since(tree, 0, &call), IK_WORKTREE_PREPARING);
		ik_worktree_call_close(call);
	}
	cr_assert_str_eq(told, "p"); /* once */
	let_go();
	support_loop_run(loop);
	cr_assert_str_eq(told, "pf");
	call = begin(tree);
	tick();
	put("a", "two\n");
	changed(call, "a hh 644\n");
	ik_worktree_free(tree);
	free(search_path);
}

Test(worktree, says_that_what_was_begun_in_the_background_failed)
{
	char *search_path = slow_git("update-index", 1), told[8] = "";
	enum ik_worktree_problem problem;
	struct ik_worktree_call *call;
	struct ik_worktree *tree;

	put("a", "one\n");
	tree = open_telling(search_path, on_told, told, &problem);
	cr_assert_eq(problem, IK_WORKTREE_FINE);
	cr_assert_eq(begin_since(tree, 0, &call), IK_WORKTREE_PREPARING);
	ik_worktree_call_close(call);
	let_go();
	support_loop_run(loop);
	cr_assert_str_eq(told, "px");
	ik_worktree_free(tree);
	free(search_path);
}

struct closing {
	struct ik_worktree_call *call;
	int told;
};

static void close_when_told(void *arg, enum ik_worktree_problem problem)
{
	struct closing *closing = arg;

	(void)problem;
	closing->told++;
	closing->call = ik_worktree_call_close(closing->call);
	ik_loop_stop(loop);
}

static void never_ready(void *arg, enum ik_worktree_problem problem)
{
	(void)arg;
	(void)problem;
	cr_assert_fail("it was closed");
}

Test(worktree, says_no_more_to_one_that_was_closed_when_it_was_told)
{
	char *search_path = slow_git("ls-files", 0);
	struct closing closing = { .told = 0 };
	enum ik_worktree_problem problem;
	struct ik_worktree *tree;

	tree = open_telling(search_path, close_when_told, &closing, &problem);
	cr_assert_not(ik_worktree_call_new(tree, objects, 0, never_ready, NULL, &closing.call,
		&problem));
	support_loop_run(loop);
	cr_assert_eq(closing.told, 1);
	ik_worktree_free(tree);
	free(search_path);
}

Test(worktree, says_why_there_is_none)
{
	char *head = ik_path_join(root, ".git/HEAD");
	enum ik_worktree_problem problem;

	ik_worktree_free(open_tree("/nonexistent:.", &problem));
	cr_assert_eq(problem, IK_WORKTREE_NO_GIT);
	cr_assert_eq(unlink(head), 0);
	ik_worktree_free(open_tree("/nonexistent", &problem));
	cr_assert_eq(problem, IK_WORKTREE_NO_TREE);
	free(head);
}
