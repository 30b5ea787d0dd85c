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
};

static void on_done(void *arg, const struct ik_worktree_result *result)
{
	struct outcome *outcome = arg;
	struct ik_buf told;

	outcome->problem = result->problem;
	memcpy(outcome->id, result->id, strlen(result->id) + 1);
	ik_buf_init(&told, IK_MIB(1));
	ik_buf_puts(&told, "");
	for (size_t i = 0; i < result->count; i++) {
		const struct ik_worktree_change *change = &result->changes[i];
		const struct ik_file_state *before = &change->before;

		ik_buf_printf(&told, "%s %c%c %d", change->path + strlen(root) + 1,
			before->kind == IK_FILE_ABSENT ? '-' : before->hash[0] != '\0' ? 'h' : '?',
			change->after.kind == IK_FILE_ABSENT ? '-' :
			change->after.hash[0] != '\0' ? 'h' : '?', (before->mode & 0100) != 0);
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

static void compares(struct ik_worktree *tree, const char *id, const char *told)
{
	struct outcome outcome = { .problem = IK_WORKTREE_FAILED };
	struct ik_worktree_work *one = ik_worktree_compare(tree, id, objects, on_done, &outcome);

	support_loop_run(loop);
	ik_worktree_work_close(one);
	cr_assert_eq(outcome.problem, IK_WORKTREE_FINE);
	cr_assert_str_eq(outcome.told != NULL ? outcome.told : "", told);
	free(outcome.told);
}

Test(worktree, tells_what_changed)
{
	struct ik_worktree *tree = open_real();
	char *path = ik_path_join(root, "b");
	struct outcome before;

	put(".gitignore", "!ikigai.db\n!own*\nignored\n");
	put("a", "one\r\n");
	put("b", "two\n");
	put("c/d", "three\n");
	put("ignored", "x");
	put("own [1]/ikigai.db", "x");
	before = snapshot(tree);
	cr_assert_eq(before.problem, IK_WORKTREE_FINE);
	compares(tree, before.id, "");
	put("a", "other\r\n");
	cr_assert_eq(chmod(path, 0755), 0);
	free(path);
	path = ik_path_join(root, "c/d");
	cr_assert_eq(unlink(path), 0);
	free(path);
	put("new/deep/file", "x\n");
	put("ignored", "y");
	put("own [1]/ikigai.db", "y");
	compares(tree, before.id, "a hh 0\nb hh 0\nc/d h- 0\nnew/deep/file -h 0 new\n");
	ik_worktree_free(tree);
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
