#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/tools/support.h"
#include "json/write.h"

/* A small tree, the same for each test. */
static void make_tree(void)
{
	static const char *const directories[] = { "src", "src/util", "src/util/deep", "src.d", ".git",
		"src/.hidden", "locked" };
	static const char *const files[] = { "a.c", "b.c", "b.h", ".dot.c", "src/a.c", "src/util/u.c",
		"src/util/u.h", "src/util/deep/d.c", "src.d/x.c", ".git/g.c", "src/.hidden/h.c",
		"src/a b.c", "src/ä.c", "src/[x].c", "src/new\nline.c" };

	scratch_enter();
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		cr_assert_eq(mkdir(directories[i], 0777), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make_text(files[i], "");
	cr_assert_eq(symlink("src", "link"), 0);
	cr_assert_eq(symlink("..", "src/up"), 0);
	cr_assert_eq(symlink("nowhere", "dangling.c"), 0);
	cr_assert_eq(chmod("locked", 0), 0);
}

TestSuite(glob, .init = make_tree, .fini = scratch_leave, .timeout = 60);

Test(glob, describes_itself)
{
	struct ik_buf wanted;

	ik_buf_init(&wanted, SIZE_MAX / 2);
	ik_buf_puts(&wanted,
		"{\"name\":\"glob\",\"description\":\"Find files matching a glob pattern\",\"parameters\":{\""
		"type\":\"object\",\"properties\":{\"pattern\":{\"type\":\"string\",\"description\":\"Glob pa"
		"ttern (e.g., '*.txt', 'src/**/*.c')\"},\"path\":{\"type\":\"string\",\"description\":\"Direc"
		"tory to search in (default: current directory)\"},\"recursive\":{\"type\":\"boolean\",\"desc"
		"ription\":\"Search all directories below too, and dot files, but not .git and what .gitignor"
		"e and .ignore exclude: the way to find files anywhere in a project (default: false)\"},\"ign"
		"ored\":{\"type\":\"boolean\",\"description\":\"With recursive: exclude nothing (default: fal"
		"se)\"}},\"required\":[\"pattern\"]},\"annotations\":{\"readOnly\":true},"
		"\"display\":{\"kind\":\"search\",\"line\":\"Find {pattern}[ in {path}]\","
		"\"result\":\"{count|file|files}\",\"path\":\"path\"}}\n");
	struct reply reply = call_run(&(struct call){ .tool = "glob", .option = "--schema" });
	cr_assert_str_eq(reply.out.data, wanted.data);
	reply_free(&reply);
	ik_buf_done(&wanted);
}

Test(glob, plain_patterns)
{
	expect_json(ask("glob", "{'pattern':'*.c'}"), "{'output':'a.c\\nb.c\\ndangling.c','count':3}");
	expect_json(ask("glob", "{'pattern':'b.?'}"), "{'output':'b.c\\nb.h','count':2}");
	expect_json(ask("glob", "{'pattern':'[a-b].[c]'}"), "{'output':'a.c\\nb.c','count':2}");
	expect_json(ask("glob", "{'pattern':'a.c'}"), "{'output':'a.c','count':1}");
	expect_json(ask("glob", "{'pattern':'.*.c'}"), "{'output':'.dot.c','count':1}");
	expect_json(ask("glob", "{'pattern':'*.txt'}"), "{'output':'','count':0}");
	expect_json(ask("glob", "{'pattern':''}"), "{'output':'','count':0}");
	expect_json(ask("glob", "{'pattern':'*/'}"),
		"{'output':'link/\\nlocked/\\nsrc.d/\\nsrc/','count':4}");
}

Test(glob, in_a_directory)
{
	expect_json(ask("glob", "{'pattern':'u.*','path':'src/util'}"),
		"{'output':'src/util/u.c\\nsrc/util/u.h','count':2}");
	expect_json(ask("glob", "{'pattern':'u.c','path':'src/util/'}"),
		"{'output':'src/util/u.c','count':1}");
	expect_json(ask("glob", "{'pattern':'b.*','path':''}"), "{'output':'b.c\\nb.h','count':2}");
	expect_json(ask("glob", "{'pattern':'b.c','path':'.'}"), "{'output':'./b.c','count':1}");
	expect_json(ask("glob", "{'pattern':'etc','path':'/'}"), "{'output':'/etc','count':1}");
	expect_json(ask("glob", "{'pattern':'*','path':'missing'}"),
		"{'output':'','count':0}");
	expect_json(ask("glob", "{'pattern':'*','path':'a.c'}"),
		"{'output':'','count':0}");
}

Test(glob, a_directory_with_wildcards_in_its_name)
{
	cr_assert_eq(mkdir("[slug]", 0777), 0);
	make_text("[slug]/page.c", "");
	expect_json(ask("glob", "{'pattern':'*.c','path':'[slug]'}"),
		"{'output':'[slug]/page.c','count':1}");
	expect_json(ask("glob", "{'pattern':'**/*.c','path':'[slug]'}"),
		"{'output':'[slug]/page.c','count':1}");
	expect_json(ask("glob", "{'pattern':'x.c','path':'src*'}"), "{'output':'src.d/x.c','count':1}");
}

Test(glob, any_number_of_directories)
{
	expect_json(ask("glob", "{'pattern':'src/**/u.*'}"),
		"{'output':'src/util/u.c\\nsrc/util/u.h','count':2}");
	expect_json(ask("glob", "{'pattern':'**/*.c'}"),
		"{'output':'a.c\\nb.c\\ndangling.c\\nsrc.d/x.c\\nsrc/[x].c\\nsrc/a b.c\\nsrc/a.c\\n"
		"src/new\\nline.c\\nsrc/util/deep/d.c\\nsrc/util/u.c\\nsrc/ä.c','count':11}");
	expect_json(ask("glob", "{'pattern':'**/util/**/d.c'}"),
		"{'output':'src/util/deep/d.c','count':1}");
	expect_json(ask("glob", "{'pattern':'src/**/**/d.c'}"),
		"{'output':'src/util/deep/d.c','count':1}");
	expect_json(ask("glob", "{'pattern':'**/deep'}"), "{'output':'src/util/deep','count':1}");
	expect_json(ask("glob", "{'pattern':'**','path':'src/util'}"),
		"{'output':'src/util/deep\\nsrc/util/deep/d.c\\nsrc/util/u.c\\nsrc/util/u.h','count':4}");
	expect_json(ask("glob", "{'pattern':'src/**/'}"),
		"{'output':'src/up/\\nsrc/util/\\nsrc/util/deep/','count':3}");
	expect_json(ask("glob", "{'pattern':'**/missing'}"), "{'output':'','count':0}");
	/* "**" as a part of a component is "*" twice. */
	expect_json(ask("glob", "{'pattern':'src/**.h'}"), "{'output':'','count':0}");
	/* Before the first wildcard there may be any number of directories. */
	struct ik_buf pattern;
	ik_buf_init(&pattern, SIZE_MAX / 2);
	for (int i = 0; i < 100; i++)
		ik_buf_puts(&pattern, "src/../");
	expect_json(ask("glob", "{'pattern':'%s**/x.c'}", pattern.data),
		"{'output':'%ssrc.d/x.c','count':1}", pattern.data);
	ik_buf_done(&pattern);
}

Test(glob, a_dot_at_the_end_of_a_wildcard_is_not_the_directory_itself)
{
	make_text("src/end.", "");
	expect_json(ask("glob", "{'pattern':'**/*.'}"), "{'output':'src/end.','count':1}");
	expect_json(ask("glob", "{'pattern':'src/**/*./'}"), "{'output':'','count':0}");
}

Test(glob, deep_patterns_and_links)
{
	/* A link that is named is followed, one that is found is not. */
	expect_json(ask("glob", "{'pattern':'link/**/d.c'}"),
		"{'output':'link/util/deep/d.c','count':1}");
	expect_json(ask("glob", "{'pattern':'**/x.c'}"), "{'output':'src.d/x.c','count':1}");
	expect_json(ask("glob", "{'pattern':'src/../**/x.c'}"), "{'output':'src/../src.d/x.c','count':1}");
}

Test(glob, deep_patterns_and_dot_entries)
{
	expect_json(ask("glob", "{'pattern':'**/g.c'}"), "{'output':'','count':0}");
	expect_json(ask("glob", "{'pattern':'.git/**/g.c'}"), "{'output':'.git/g.c','count':1}");
	expect_json(ask("glob", "{'pattern':'**/.hidden/h.c'}"),
		"{'output':'src/.hidden/h.c','count':1}");
	expect_json(ask("glob", "{'pattern':'**/.dot.c'}"), "{'output':'.dot.c','count':1}");
}

Test(glob, escapes_in_deep_patterns)
{
	expect_json(ask("glob", "{'pattern':'**/\\\\[x].c'}"), "{'output':'src/[x].c','count':1}");
	expect_json(ask("glob", "{'pattern':'**/[[]x].c'}"), "{'output':'src/[x].c','count':1}");
}

Test(glob, question_mark_is_a_character)
{
	expect_json(ask("glob", "{'pattern':'src/?.c'}"), "{'output':'src/a.c\\nsrc/ä.c','count':2}");
	expect_json(ask("glob", "{'pattern':'**/src/?.c'}"), "{'output':'src/a.c\\nsrc/ä.c','count':2}");
}

Test(glob, names_that_are_no_utf8)
{
	make_text("src/util/\xff.c", "");
	expect_json(ask("glob", "{'pattern':'src/util/[!u].c'}"), "{'output':'src/util/\uFFFD.c','count':1}");
	expect_json(ask("glob", "{'pattern':'src/**/*.c','path':'.'}"),
		"{'output':'./src/[x].c\\n./src/a b.c\\n./src/a.c\\n./src/new\\nline.c\\n"
		"./src/util/deep/d.c\\n./src/util/u.c\\n./src/util/\uFFFD.c\\n./src/ä.c','count':8}");
}

Test(glob, an_unreadable_directory_ends_nothing)
{
	expect_json(ask_as_nobody("glob", "{'pattern':'**/[dx].c'}"),
		"{'output':'src.d/x.c\\nsrc/util/deep/d.c','count':2}");
	expect_json(ask_as_nobody("glob", "{'pattern':'*/x.c'}"), "{'output':'src.d/x.c','count':1}");
}

Test(glob, an_unreadable_start_is_a_read_error)
{
	static const char *const inputs[] = { "{'pattern':'*','path':'locked'}", "{'pattern':'locked/*.c'}",
		"{'pattern':'**/*.c','path':'locked'}", "{'pattern':'locked/**'}",
		"{'pattern':'a.c','path':'locked'}", "{'pattern':'lo\\\\cked/?'}" };

	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		expect_error(ask_as_nobody("glob", "%s", inputs[i]), "READ_ERROR", "Read error during glob");
	/* What does not exist has no files. */
	expect_json(ask_as_nobody("glob", "{'pattern':'*','path':'a.c'}"), "{'output':'','count':0}");
	/* A wildcard that finds it goes on. */
	expect_json(ask_as_nobody("glob", "{'pattern':'l*/*.h'}"), "{'output':'','count':0}");
}

/* Expect that glob refuses a pattern of so many parts, and grep refuses it as its filter. */
static void expect_too_deep(const char *part, int times)
{
	struct ik_buf pattern;

	ik_buf_init(&pattern, SIZE_MAX / 2);
	for (int i = 0; i < times; i++)
		ik_buf_puts(&pattern, part);
	expect_error(ask("glob", "{'pattern':'%s'}", pattern.data), "INVALID_PATTERN",
		"Invalid glob pattern");
	expect_error(ask("grep", "{'pattern':'x','glob':'%s'}", pattern.data), "INVALID_PATTERN",
		"Invalid glob pattern");
	ik_buf_done(&pattern);
}

Test(glob, too_many_components)
{
	expect_too_deep("**/x/", 100);
	/* The C library's recursion would overflow the stack. */
	expect_too_deep("*/", 3000);
	expect_too_deep("*/", 200000);
	expect_too_deep("/", 200000);
}

Test(glob, as_deep_as_a_path_can_be)
{
	struct ik_buf pattern;

	ik_buf_init(&pattern, SIZE_MAX / 2);
	for (int i = 1; i < PATH_MAX / 2; i++)
		ik_buf_puts(&pattern, "*/");
	/* Without links that form a loop. */
	expect_json(ask("glob", "{'pattern':'%s','path':'src.d'}", pattern.data),
		"{'output':'','count':0}");
	ik_buf_done(&pattern);
}

Test(glob, deep_directories)
{
	char here[PATH_MAX];
	struct ik_buf wanted;

	cr_assert_not_null(getcwd(here, sizeof(here)));
	ik_buf_init(&wanted, SIZE_MAX / 2);
	cr_assert_eq(mkdir("deep", 0777), 0);
	cr_assert_eq(chdir("deep"), 0);
	ik_buf_puts(&wanted, "deep/");
	for (int i = 0; i < 1000; i++) {
		cr_assert_eq(mkdir("d", 0777), 0);
		cr_assert_eq(chdir("d"), 0);
		ik_buf_puts(&wanted, "d/");
	}
	make_text("bottom", "");
	cr_assert_eq(chdir(here), 0);
	expect_json(ask("glob", "{'pattern':'deep/**/bottom'}"), "{'output':'%sbottom','count':1}",
		wanted.data);
	ik_buf_done(&wanted);
}

/* Paths that are too long for the kernel are skipped, with a warning. */
Test(glob, paths_longer_than_may_be)
{
	char here[PATH_MAX];

	cr_assert_not_null(getcwd(here, sizeof(here)));
	for (int i = 1; i <= 2100; i++) {
		cr_assert_eq(mkdir("d", 0777), 0);
		cr_assert_eq(chdir("d"), 0);
		if (i == 2043 || i == 2044)
			make_text(i == 2043 ? "last.deep" : "lost.deep", "x\n");
	}
	cr_assert_eq(chdir(here), 0);
	for (int i = 0; i < 3; i++) {
		struct reply reply = i < 2 ? ask("glob", "{'pattern':'%s.deep','recursive':%s}",
			i == 0 ? "*" : "**/*", i == 0 ? "true" : "false") :
			ask("grep", "{'pattern':'x','glob':'*.deep','recursive':true}");

		cr_expect_not_null(strstr(reply.out.data, "last.deep"));
		cr_expect_null(strstr(reply.out.data, "lost.deep"));
		cr_expect_not_null(strstr(reply.out.data, "\"count\":1,\"warning\":\"Paths longer than "
			"4095 bytes were not searched.\""));
		reply_free(&reply);
	}
}

Test(glob, recursive)
{
	expect_json(ask("glob", "{'pattern':'u.*','recursive':true}"),
		"{'output':'src/util/u.c\\nsrc/util/u.h','count':2}");
	expect_json(ask("glob", "{'pattern':'*.h','recursive':true,'path':'src'}"),
		"{'output':'src/util/u.h','count':1}");
	/* Only the last part of a pattern is searched for at any depth. */
	expect_json(ask("glob", "{'pattern':'src/d.c','recursive':true}"),
		"{'output':'src/util/deep/d.c','count':1}");
	expect_json(ask("glob", "{'pattern':'src/**/d.c','recursive':true}"),
		"{'output':'src/util/deep/d.c','count':1}");
	expect_json(ask("glob", "{'pattern':'*ep/','recursive':true}"),
		"{'output':'src/util/deep/','count':1}");
	/* Dot files are found, .git is not; links are not followed. */
	expect_json(ask("glob", "{'pattern':'[a-h.]*.c','recursive':true}"),
		"{'output':'.dot.c\\na.c\\nb.c\\ndangling.c\\nsrc/.hidden/h.c\\nsrc/a b.c\\nsrc/a.c\\n"
		"src/util/deep/d.c','count':8}");
	expect_json(ask("glob", "{'pattern':'g.c','recursive':true}"), "{'output':'','count':0}");
	expect_json(ask("glob", "{'pattern':'g.c','recursive':true,'ignored':true}"),
		"{'output':'.git/g.c','count':1}");
	expect_json(ask("glob", "{'pattern':'','recursive':true}"), "{'output':'','count':0}");
	expect_json(ask("glob", "{'pattern':'*','recursive':true,'path':'missing'}"),
		"{'output':'','count':0}");
	expect_error(ask_as_nobody("glob", "{'pattern':'*','recursive':true,'path':'locked'}"),
		"READ_ERROR", "Read error during glob");
}

Test(glob, recursive_without_what_is_ignored)
{
	make_text(".gitignore", "u.*\n*.h\n!b.h\n/a.c\nsrc/**/d.c\n.hidden/\n");
	make_text("src/.ignore", "!u.h\nx y\n");
	expect_json(ask("glob", "{'pattern':'*.[ch]','recursive':true}"),
		"{'output':'.dot.c\\nb.c\\nb.h\\ndangling.c\\nsrc.d/x.c\\nsrc/[x].c\\nsrc/a b.c\\nsrc/a.c\\n"
		"src/new\\nline.c\\nsrc/util/u.h\\nsrc/ä.c','count':11}");
	/* The rules of the directories above apply, too, but the named directory is searched. */
	expect_json(ask("glob", "{'pattern':'*.[ch]','recursive':true,'path':'src/util'}"),
		"{'output':'src/util/u.h','count':1}");
	expect_json(ask("glob", "{'pattern':'*.c','recursive':true,'path':'src/.hidden'}"),
		"{'output':'src/.hidden/h.c','count':1}");
	expect_json(ask("glob", "{'pattern':'u.?','recursive':true,'ignored':true}"),
		"{'output':'src/util/u.c\\nsrc/util/u.h','count':2}");
	/* Without recursive nothing is ignored. */
	expect_json(ask("glob", "{'pattern':'**/u.?'}"),
		"{'output':'src/util/u.c\\nsrc/util/u.h','count':2}");
}

/* As in git: in a range that runs backwards, only the first character matches. */
Test(glob, ignored_by_a_range_that_runs_backwards)
{
	make_text("src.d/.gitignore", "[z-a].y\n");
	make_text("src.d/a.y", "");
	make_text("src.d/m.y", "");
	make_text("src.d/z.y", "");
	expect_json(ask("glob", "{'pattern':'*.y','recursive':true,'path':'src.d'}"),
		"{'output':'src.d/a.y\\nsrc.d/m.y','count':2}");
}

Test(glob, rules_have_a_limit)
{
	struct ik_buf rules;

	ik_buf_init(&rules, SIZE_MAX / 2);
	for (int i = 0; i < 19999; i++)
		ik_buf_puts(&rules, "no such name\n");
	ik_buf_puts(&rules, "*.x\n");
	make_text("src.d/one.x", "");
	make_text("src.d/one.y", "");
	make_text("src.d/.gitignore", rules.data);
	expect_json(ask("glob", "{'pattern':'one.?','recursive':true,'path':'src.d'}"),
		"{'output':'src.d/one.y','count':1}");
	ik_buf_puts(&rules, "*.y\n");
	make_text("src.d/.gitignore", rules.data);
	expect_json(ask("glob", "{'pattern':'one.?','recursive':true,'path':'src.d'}"),
		"{'output':'src.d/one.y','count':1,'warning':'A .gitignore or .ignore file has more than "
		"20000 rules, the rest of which was not used.'}");
	ik_buf_done(&rules);
}

/* As in git, only [core] names the file; the repository's own configuration does not. */
Test(glob, excludes_file_of_the_user)
{
	char here[PATH_MAX - 20], home[PATH_MAX];
	struct call call = { .tool = "glob", .setting = home,
		.input = "{\"pattern\":\"one.?\",\"recursive\":true,\"path\":\"src.d\"}" };

	cr_assert_not_null(getcwd(here, sizeof(here)));
	snprintf(home, sizeof(home), "HOME=%s/home", here);
	cr_assert_eq(mkdir("home", 0777), 0);
	make_text("src.d/one.x", "");
	make_text("src.d/one.y", "");
	make_text("home/mi#ne", "*.x\n");
	make_text("home/wrong", "*.y\n");
	make_text(".git/config", "[core]\n\texcludesFile = ~/wrong\n");
	make_text("home/.gitconfig", "[alias]\n\texcludesfile = ~/wrong\n"
		"[Core] excludesFile = \"~/mi#ne\" ; mine\n"
		"[core \"sub\"]\n\texcludesFile = ~/wrong\n[other]\n\texcludesfile = ~/wrong\n");
	expect_json(call_run(&call), "{'output':'src.d/one.y','count':1}");
}

Test(glob, repositories_in_a_repository)
{
	make_text(".gitignore", "*.h\n");
	make_text(".ignore", "d.c\n");
	cr_assert_eq(mkdir("src/util/.git", 0777), 0);
	cr_assert_eq(mkdir("src/util/.git/info", 0777), 0);
	make_text("src/util/.git/info/exclude", "u.c\n");
	/* .gitignore rules end at the root of the inner repository, .ignore rules do not. */
	expect_json(ask("glob", "{'pattern':'[bdu].?','recursive':true}"),
		"{'output':'b.c\\nsrc/util/u.h','count':2}");
	expect_json(ask("glob", "{'pattern':'[bdu].?','recursive':true,'path':'src/util/deep'}"),
		"{'output':'src/util/deep/d.c','count':1}");
	/* A linked work tree has a file instead. */
	cr_assert_eq(mkdir("src.d/info", 0777), 0);
	cr_assert_eq(rename("src/util/.git", ".git/tree"), 0);
	make_text(".git/tree/commondir", "../../src.d\n");
	make_text("src/util/.git", "gitdir: ../../.git/tree\n");
	make_text("src.d/info/exclude", "u.h\n");
	expect_json(ask("glob", "{'pattern':'[bdu].?','recursive':true}"),
		"{'output':'b.c\\nsrc/util/u.c','count':2}");
}
