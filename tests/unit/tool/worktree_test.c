#include "tool/worktree.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static struct ik_worktree *open_tree(const char *search_path, int64_t most_ms,
	enum ik_worktree_problem *ret_problem)
{
	char *spared = ik_path_join(root, "own [1]/ikigai.db");
	const char *const list[] = { spared, NULL };
	struct ik_worktree *tree = ik_worktree_new(&(struct ik_worktree_options){
		.loop = loop, .shadows = shadows, .directory = root, .spared = list,
		.search_path = search_path, .home = work, .most_ms = most_ms,
	}, ret_problem);

	free(spared);
	return tree;
}

/* Git is there, or the test is passed over. */
static struct ik_worktree *open_real(void)
{
	enum ik_worktree_problem problem;
	struct ik_worktree *tree = open_tree(getenv("PATH"), 60000, &problem);

	if (problem == IK_WORKTREE_NO_GIT) {
		ik_worktree_free(tree);
		cr_skip_test("there is no git");
	}
	cr_assert_eq(problem, IK_WORKTREE_FINE);
	return tree;
}

struct outcome {
	enum ik_worktree_problem problem;
	char id[IK_WORKTREE_ID];
	char *told; /* a line for each change */
	struct ik_worktree_modes *modes;
};

static void on_done(void *arg, const struct ik_worktree_result *result)
{
	struct outcome *outcome = arg;
	struct ik_buf told;

	outcome->problem = result->problem;
	outcome->modes = result->modes;
	memcpy(outcome->id, result->id, strlen(result->id) + 1);
	ik_buf_init(&told, IK_MIB(1));
	ik_buf_puts(&told, "");
	for (size_t i = 0; i < result->count; i++) {
		const struct ik_worktree_change *change = &result->changes[i];
		const struct ik_file_state *before = &change->before;

		ik_buf_printf(&told, "%s %c%c %o", change->path + strlen(root) + 1,
			before->kind == IK_FILE_ABSENT ? '-' : before->hash[0] != '\0' ? 'h' : '?',
			change->after.kind == IK_FILE_ABSENT ? '-' :
			change->after.hash[0] != '\0' ? 'h' : '?', (unsigned)before->mode);
		if (before->made_from != NULL)
			ik_buf_printf(&told, " %s", before->made_from + strlen(root) + 1);
		ik_buf_putc(&told, '\n');
	}
	outcome->told = ik_buf_take(&told, NULL);
	ik_loop_stop(loop);
}

static struct outcome snapshot(struct ik_worktree *tree)
{
	struct outcome outcome = { .problem = IK_WORKTREE_FAILED };
	struct ik_worktree_work *one = ik_worktree_snapshot(tree, on_done, &outcome);

	support_loop_run(loop);
	ik_worktree_work_close(one);
	free(outcome.told);
	outcome.told = NULL;
	return outcome;
}

/* What changed since; the modes are taken over. */
static void compares(struct ik_worktree *tree, const char *id, struct ik_worktree_modes *modes,
	const char *told)
{
	struct outcome outcome = { .problem = IK_WORKTREE_FAILED };
	struct ik_worktree_work *one = ik_worktree_compare(tree, id, modes, objects, on_done, &outcome);

	support_loop_run(loop);
	ik_worktree_work_close(one);
	ik_worktree_modes_free(modes);
	cr_assert_eq(outcome.problem, IK_WORKTREE_FINE);
	cr_assert_str_eq(outcome.told != NULL ? outcome.told : "", told);
	free(outcome.told);
}

Test(worktree, tells_what_changed)
{
	struct ik_worktree *tree = open_real();
	char *path = ik_path_join(root, "b");
	char *removed = ik_path_join(root, "c/d"), *replaced = ik_path_join(root, "a");
	struct outcome before;

	(void)umask(022);
	put(".gitignore", "!ikigai.db\n!own*\nignored\n");
	put("a", "one\r\n");
	put("b", "two\n");
	put("c/d", "three\n");
	put("ignored", "x");
	put("own [1]/ikigai.db", "x");
	/* Permissions that git does not know: of one that is new to it, and of one that it knows. */
	cr_assert_eq(chmod(replaced, 0640), 0);
	ik_worktree_modes_free(snapshot(tree).modes);
	cr_assert_eq(chmod(removed, 0600), 0);
	before = snapshot(tree);
	cr_assert_eq(before.problem, IK_WORKTREE_FINE);
	compares(tree, before.id, NULL, "");
	put("a", "other\r\n");
	cr_assert_eq(chmod(path, 0755), 0);
	cr_assert_eq(unlink(removed), 0);
	put("new/deep/file", "x\n");
	put("ignored", "y");
	put("own [1]/ikigai.db", "y");
	compares(tree, before.id, before.modes,
		"a hh 640\nb hh 644\nc/d h- 600\nnew/deep/file -h 644 new\n");
	ik_worktree_free(tree);
	free(replaced);
	free(removed);
	free(path);
}

/* Hand over what git prints of a file, so many times. */
static void takes(struct ik_worktree_modes *modes, char mark, const char *name, int times)
{
	char *record = ik_format("%c %s", mark, name);
	struct ik_buf changed;

	ik_buf_init(&changed, IK_MIB(1));
	for (int i = 0; i < times; i++)
		ik_worktree_modes_take(modes, record, strlen(record) + 1, &changed);
	ik_buf_done(&changed);
	free(record);
}

Test(worktree, looks_no_longer_at_files_than_it_may)
{
	char *path = ik_path_join(root, "c");
	struct ik_worktree_modes *modes;

	(void)umask(022);
	put("c", "x");
	cr_assert_eq(chmod(path, 0600), 0);
	modes = ik_worktree_modes_new(root, 0);
	(void)umask(077);
	/* Some are looked at in any case. */
	takes(modes, '?', "c", 1000);
	takes(modes, 'H', "a", 1000);
	takes(modes, 'H', "d", 1);
	takes(modes, 'H', "e", 1);
	cr_assert_eq(ik_worktree_modes_of(modes, path, false), 0600);
	cr_assert_eq(ik_worktree_modes_of(modes, "a", true), 0755);
	cr_assert_eq(ik_worktree_modes_of(modes, "b", false), 0644);
	cr_assert_eq(ik_worktree_modes_of(modes, "d", false), -1);
	cr_assert_eq(ik_worktree_modes_of(modes, "e", false), -1);
	ik_worktree_modes_free(modes);
	free(path);
}

/* Write into the index of the one shadow that there is. */
static void break_index(void)
{
	DIR *stream = opendir(shadows);
	struct dirent *entry;
	struct ik_error error;
	int broken = 0;

	while ((entry = readdir(stream)) != NULL) {
		char *path = ik_format("%s/%s/index", shadows, entry->d_name);

		if (entry->d_name[0] != '.' && access(path, F_OK) == 0) {
			cr_assert_eq(ik_file_write(path, "broken", 6, 0600, &error), IK_OK);
			broken++;
		}
		free(path);
	}
	(void)closedir(stream);
	cr_assert_eq(broken, 1);
}

Test(worktree, begins_anew_where_the_index_is_broken)
{
	struct ik_worktree *tree = open_real();
	struct outcome first, second;
	char id[IK_WORKTREE_ID];

	put("a", "one\n");
	first = snapshot(tree);
	memcpy(id, first.id, sizeof(id));
	ik_worktree_free(tree);
	break_index();
	tree = open_real();
	second = snapshot(tree);
	cr_assert_eq(second.problem, IK_WORKTREE_FINE);
	cr_assert_str_eq(second.id, id);
	ik_worktree_modes_free(first.modes);
	ik_worktree_modes_free(second.modes);
	ik_worktree_free(tree);
}

Test(worktree, gives_up_what_takes_too_long)
{
	char *git = support_write_tool(work, "git", "#!/bin/sh\nexec sleep 1000\n");
	char *search_path = ik_format("%s:%s", work, getenv("PATH"));
	enum ik_worktree_problem problem;
	struct ik_worktree *tree = open_tree(search_path, 300, &problem);

	cr_assert_eq(problem, IK_WORKTREE_FINE);
	cr_assert_eq(snapshot(tree).problem, IK_WORKTREE_SLOW);
	cr_assert_eq(snapshot(tree).problem, IK_WORKTREE_SLOW);
	ik_worktree_free(tree);
	/* Nor is it tried again by the next. */
	ik_worktree_free(open_tree(search_path, 300, &problem));
	cr_assert_eq(problem, IK_WORKTREE_SLOW);
	free(search_path);
	free(git);
}

Test(worktree, writes_the_index_of_many_files_a_few_times)
{
	char *script = ik_format("#!/bin/sh\ncase \"$*\" in\n"
		"*ls-files*) seq 60000 | tr '\\n' '\\0' | sed 's/[0-9]*\\x00/? &/g';;\n"
		"update-index*) tr '\\0' '\\n' >>%s/names; echo >>%s/times;;\n"
		"write-tree) echo 4b825dc642cb6eb9a060e54bf8d69288fbee4904;;\nesac\n", work, work);
	char *git = support_write_tool(work, "git", script);
	char *search_path = ik_format("%s:%s", work, getenv("PATH"));
	char *names = ik_path_join(work, "names"), *times = ik_path_join(work, "times");
	enum ik_worktree_problem problem;
	struct ik_worktree *tree = open_tree(search_path, 60000, &problem);
	struct outcome outcome = snapshot(tree);
	struct ik_error error;
	struct ik_buf text;

	cr_assert_eq(outcome.problem, IK_WORKTREE_FINE);
	ik_worktree_modes_free(outcome.modes);
	ik_worktree_free(tree);
	ik_buf_init(&text, IK_MIB(1));
	cr_assert_eq(ik_file_read(names, &text, &error), IK_OK);
	cr_assert(text.length == 348894 &&
		strcmp(text.data + text.length - 12, "59999\n60000\n") == 0);
	ik_buf_clear(&text);
	cr_assert_eq(ik_file_read(times, &text, &error), IK_OK);
	cr_assert_leq(text.length, 8);
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

/* One that tells what it does in the background. */
static struct ik_worktree *open_telling(const char *search_path, ik_worktree_told *told, void *arg)
{
	const char *const nothing[] = { NULL };
	enum ik_worktree_problem problem;
	struct ik_worktree *tree = ik_worktree_new(&(struct ik_worktree_options){
		.loop = loop, .shadows = shadows, .directory = root, .spared = nothing,
		.search_path = search_path, .home = work, .most_ms = 2000,
		.told = told, .arg = arg,
	}, &problem);

	cr_assert_eq(problem, IK_WORKTREE_FINE);
	return tree;
}

/* Have a git that is slow at one of its commands for the first time. */
static void works_in_the_background(const char *command)
{
	/* It hangs until it may go on. */
	char *script = ik_format("#!/bin/sh\ncase $1 in %s)\n"
		"while [ ! -e %s/go ]; do sleep 0.1; done;; esac\n"
		"case $1 in write-tree) echo >%s/written;; esac\nPATH=%s exec git \"$@\"\n", command,
		work, work, getenv("PATH"));
	char *git = support_write_tool(work, "git", script);
	char *search_path = ik_format("%s:%s", work, getenv("PATH")), *go = ik_path_join(work, "go");
	char *written = ik_path_join(work, "written");
	char told[8] = "", id[IK_WORKTREE_ID];
	struct ik_error error;
	struct outcome last;

	ik_worktree_free(open_real());
	put("a", "one\n");
	struct ik_worktree *tree = open_telling(search_path, on_told, told);
	cr_assert_eq(snapshot(tree).problem, IK_WORKTREE_PREPARING);
	cr_assert_str_eq(told, "p");
	/* Nobody waits for it. */
	cr_assert_eq(snapshot(tree).problem, IK_WORKTREE_PREPARING);
	cr_assert_str_eq(told, "p");
	cr_assert_eq(ik_file_write(go, "", 0, 0600, &error), IK_OK);
	support_loop_run(loop);
	cr_assert_str_eq(told, "pf");
	/* Nor does the next one have to write all directories. */
	cr_assert_eq(access(written, F_OK), 0);
	ik_worktree_free(tree);
	tree = open_real(); /* on a busy machine even what is known takes long */
	last = snapshot(tree);
	cr_assert_eq(last.problem, IK_WORKTREE_FINE);
	memcpy(id, last.id, sizeof(id));
	put("a", "two\n");
	compares(tree, id, last.modes, "a hh 644\n");
	ik_worktree_free(tree);
	free(search_path);
	free(script);
	free(git);
	free(go);
	free(written);
}

Test(worktree, reads_what_is_slow_for_the_first_time_in_the_background)
{
	works_in_the_background("update-index");
}

Test(worktree, writes_what_is_slow_for_the_first_time_in_the_background)
{
	works_in_the_background("write-tree");
}

Test(worktree, says_that_what_was_begun_in_the_background_failed)
{
	char *script = ik_format("#!/bin/sh\ncase $1 in update-index)\n"
		"while [ ! -e %s/go ]; do sleep 0.1; done; exit 1;; esac\n", work);
	char *git = support_write_tool(work, "git", script), *go = ik_path_join(work, "go");
	char *search_path = ik_format("%s:%s", work, getenv("PATH")), told[8] = "";
	struct ik_error error;
	struct ik_worktree *tree = open_telling(search_path, on_told, told);

	cr_assert_eq(snapshot(tree).problem, IK_WORKTREE_PREPARING);
	cr_assert_eq(ik_file_write(go, "", 0, 0600, &error), IK_OK);
	support_loop_run(loop);
	cr_assert_str_eq(told, "px");
	ik_worktree_free(tree);
	free(search_path);
	free(script);
	free(git);
	free(go);
}

struct closing {
	struct ik_worktree_work *work;
	int told;
};

static void close_when_told(void *arg, enum ik_worktree_problem problem)
{
	struct closing *closing = arg;

	(void)problem;
	closing->told++;
	closing->work = ik_worktree_work_close(closing->work);
	ik_loop_stop(loop);
}

static void never_done(void *arg, const struct ik_worktree_result *result)
{
	(void)arg;
	(void)result;
	cr_assert_fail("it was closed");
}

Test(worktree, says_no_more_to_one_that_was_closed_when_it_was_told)
{
	char *git = support_write_tool(work, "git",
		"#!/bin/sh\ncase \"$*\" in *ls-files*) exec sleep 1000;; esac\n");
	char *search_path = ik_format("%s:%s", work, getenv("PATH"));
	struct closing closing = { .told = 0 };
	struct ik_worktree *tree = open_telling(search_path, close_when_told, &closing);

	closing.work = ik_worktree_snapshot(tree, never_done, NULL);
	support_loop_run(loop);
	cr_assert_eq(closing.told, 1);
	ik_worktree_free(tree);
	free(search_path);
	free(git);
}

Test(worktree, says_why_there_is_none)
{
	char *head = ik_path_join(root, ".git/HEAD");
	enum ik_worktree_problem problem;

	ik_worktree_free(open_tree("/nonexistent:.", 0, &problem));
	cr_assert_eq(problem, IK_WORKTREE_NO_GIT);
	cr_assert_eq(unlink(head), 0);
	ik_worktree_free(open_tree("/nonexistent", 0, &problem));
	cr_assert_eq(problem, IK_WORKTREE_NO_TREE);
	free(head);
}
