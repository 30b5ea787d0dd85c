#include "guard/policy.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <criterion/criterion.h>

#include "guard/glob.h"
#include "util/alloc.h"
#include "util/limits.h"

Test(glob, table)
{
	static const struct {
		const char *glob, *text, *barred;
		bool matches;
	} rows[] = {
		{ "", "", NULL, true }, { "", "a", NULL, false }, { "a", "", NULL, false },
		{ "*", "", NULL, true }, { "*", "a/b\n", NULL, true }, { "a*", "abc", NULL, true },
		{ "*c", "abcc", NULL, true }, { "a*c", "ab", NULL, false },
		{ "a*b*c", "aXbXbXc", NULL, true }, { "**", "x", NULL, true },
		{ "?", "é", NULL, true }, { "?", "", NULL, false }, { "??", "\xff" "a", NULL, true },
		{ "[a-c]x", "bx", NULL, true }, { "[a-c]x", "dx", NULL, false },
		{ "[!a-c]", "d", NULL, true }, { "[^a]", "a", NULL, false },
		{ "[]]", "]", NULL, true }, { "[é-ü]", "ö", NULL, true }, { "[a", "[a", NULL, true },
		{ "[a\\]]", "]", NULL, true }, { "[a-]", "-", NULL, true },
		{ "\\*", "*", NULL, true }, { "\\*", "x", NULL, false }, { "a\\", "a\\", NULL, true },
		{ "*aab", "aaaaab", NULL, true }, { "A", "a", NULL, false },
		{ "git *", "git log", ";", true }, { "git *", "git log; rm x", ";", false },
		{ "git ?", "git ;", ";", false }, { "git [;]", "git ;", ";", false },
		{ "a;*", "a;b", ";", true }, { "*a*b", "a;b", ";", false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_assert_eq(ik_glob_match(rows[i].glob, rows[i].text, strlen(rows[i].text),
			rows[i].barred), rows[i].matches, "%s %s", rows[i].glob, rows[i].text);
	cr_assert(ik_glob_match("a?b", "a\0b", 3, ";"));
	cr_assert_not(ik_glob_match("a", "a\0b", 3, NULL));
}

/* Links of the tests: /work/link leads to /etc, /alias to /work. */
static char *resolve(const char *path)
{
	if (strncmp(path, "/work/link", 10) == 0)
		return ik_format("/etc%s", path + 10);
	if (strncmp(path, "/alias", 6) == 0)
		return ik_format("/work%s", path + 6);
	return NULL;
}

static struct ik_policy *make(const char *rules)
{
	struct ik_policy_options options = {
		.rules = rules, .directory = "/work", .home = "/home/me", .resolve = resolve,
	};

	return ik_policy_new(&options);
}

static struct ik_verdict judge(const struct ik_policy *policy, const char *tool,
	const char *arguments)
{
	bool read_only = strncmp(tool, "read", 4) == 0;

	return ik_policy_judge(policy, tool, read_only, arguments, strlen(arguments));
}

static const char *const words[] = { "allow", "ask", "deny" };

/* One rule, one call: does the rule fit? */
static const struct {
	const char *tool, *args;   /* of the rule; args may be NULL */
	const char *name, *call;   /* of the call */
	bool stops, allows;        /* it fits if it denies; if it allows */
} fits[] = {
	{ "*", NULL, "x", "{}", true, true },
	{ "file_*", NULL, "file_edit", "{}", true, true },
	{ "file_*", NULL, "xfile_edit", "{}", false, false },
	{ "x", NULL, "X", "{}", false, false },
	{ "x", NULL, "x", "not JSON", true, true },
	{ "x", "{\"a\":\"*\"}", "x", "not JSON", false, false },
	{ "x", "{\"a\":\"*\"}", "x", "{}", false, false },
	{ "x", "{\"a\":\"*\"}", "x", "{\"a\":\"\"}", true, true },
	{ "x", "{\"a\":\"1\",\"b\":\"2\"}", "x", "{\"a\":\"1\"}", false, false },
	{ "x", "{\"a\":\"1\",\"b\":\"2\"}", "x", "{\"a\":\"1\",\"b\":\"2\"}", true, true },
	{ "x", "{\"a\":\"q*\"}", "x", "{\"\\u0061\":\"\\u0071uit\"}", true, true },
	/* values that are not strings */
	{ "x", "{\"a\":\"1?\"}", "x", "{\"a\": 12 }", true, true },
	{ "x", "{\"a\":\"1000\"}", "x", "{\"a\":1e3}", false, false },
	{ "x", "{\"a\":\"true\"}", "x", "{\"a\":true}", true, true },
	{ "x", "{\"a\":\"null\"}", "x", "{\"a\":null}", true, true },
	{ "x", "{\"a\":\"{\\\"b\\\":\\\\[1,\\\"c d\\\"]}\"}", "x", "{\"a\":{ \"b\" : [1, \"c\\u0020d\"] }}",
	  true, true },
	{ "x", "{\"a\":\"red\"}", "x", "{\"a\":[\"blue\",\"red\"]}", true, false },
	{ "x", "{\"a\":\"red\"}", "x", "{\"a\":[\"red\",[\"red\"]]}", true, true },
	{ "x", "{\"a\":\"red\"}", "x", "{\"a\":[]}", false, false },
	{ "x", "{\"a\":\"\\\\[]\"}", "x", "{\"a\":[ ]}", true, true },
	{ "x", "{\"a.b\":\"1\"}", "x", "{\"a\":{\"b\":1}}", true, true },
	{ "x", "{\"a.b\":\"1\"}", "x", "{\"a.b\":1,\"a\":{\"b\":2}}", true, true },
	{ "x", "{\"a.b\":\"1\"}", "x", "{\"a\":[{\"b\":1},{\"b\":2}]}", true, false },
	{ "x", "{\"a.b\":\"1\"}", "x", "{\"a\":[{\"b\":1},{}]}", true, false },
	{ "x", "{\"a.b\":\"1\"}", "x", "{\"a\":[]}", false, false },
	{ "x", "{\"a.b.c\":\"1\"}", "x", "{\"a.b\":{\"c\":1}}", true, true },
	/* two readings */
	{ "x", "{\"a\":\"1\"}", "x", "{\"a\":\"2\",\"a\":\"1\"}", true, false },
	{ "x", "{\"a\":\"1\"}", "x", "{\"a\":\"1\",\"a\":\"2\"}", true, false },
	{ "x", "{\"a\":\"b\"}", "x", "{\"a\":\"b\\u0000c\"}", true, false },
	{ "x", "{\"a\":\"b*\"}", "x", "{\"a\":\"b\\u0000c\"}", true, true },
	/* paths */
	{ "x", "{\"path\":\"/etc/*\"}", "x", "{\"path\":\"/etc/passwd\"}", true, true },
	{ "x", "{\"path\":\"/etc/*\"}", "x", "{\"path\":\"/etc/a/b\"}", true, true },
	{ "x", "{\"path\":\"/etc/*\"}", "x", "{\"path\":\"/etc\"}", true, true },
	{ "x", "{\"path\":\"/etc/*\"}", "x", "{\"path\":\"/etcetera\"}", false, false },
	{ "x", "{\"path\":\"/etc/*\"}", "x", "{\"path\":\"/tmp/../etc/x\"}", true, true },
	{ "x", "{\"path\":\"/etc/*\"}", "x", "{\"path\":\"//etc/./x\"}", true, true },
	{ "x", "{\"path\":\"/etc/*\"}", "x", "{\"path\":\"../../../etc/x\"}", true, true },
	{ "x", "{\"path\":\"/etc/*\"}", "x", "{\"path\":\"link/x\"}", true, false },
	{ "x", "{\"path\":\"/etc/*\"}", "x", "{\"path\":\"/etc/x\\u0000.txt\"}", true, true },
	{ "x", "{\"path\":\"./src/*\"}", "x", "{\"path\":\"src/a.c\"}", true, true },
	{ "x", "{\"path\":\"src/*\"}", "x", "{\"path\":\"/work/src/d/a.c\"}", true, true },
	{ "x", "{\"path\":\"src/*\"}", "x", "{\"path\":\"src/../../etc/x\"}", true, false },
	{ "x", "{\"path\":\"*\"}", "x", "{\"path\":\"/x\"}", true, true },
	{ "x", "{\"path\":\"*.env\"}", "x", "{\"path\":\"a/.env\"}", true, true },
	{ "x", "{\"path\":\"./*\"}", "x", "{\"path\":\".\"}", true, true },
	{ "x", "{\"path\":\"./*\"}", "x", "{\"path\":\"link/passwd\"}", true, false },
	{ "x", "{\"path\":\"~/.ssh/*\"}", "x", "{\"path\":\"/home/me/.ssh/id\"}", true, true },
	{ "x", "{\"path\":\"~/.ssh/*\"}", "x", "{\"path\":\"~/.ssh/id\"}", true, true },
	{ "x", "{\"path\":\"/alias/*\"}", "x", "{\"path\":\"/alias/a\"}", true, true },
	{ "x", "{\"path\":\"/alias/*\"}", "x", "{\"path\":\"a\"}", true, true },
	{ "x", "{\"path\":\"/*\"}", "x", "{\"path\":\"/\"}", true, true },
	{ "x", "{\"path\":\"../*\"}", "x", "{\"path\":\"/other\"}", true, true },
	{ "x", "{\"paths\":\"/etc/*\"}", "x", "{\"paths\":[\"/tmp/../etc/x\"]}", true, true },
	{ "x", "{\"paths\":\"/etc/*\"}", "x", "{\"paths\":[\"a\",\"/etc/x\"]}", true, false },
	{ "x", "{\"edits.file_path\":\"/etc/*\"}", "x", "{\"edits\":[{\"file_path\":\"/a/../etc/x\"}]}",
	  true, true },
	/* commands */
	{ "x", "{\"command\":\"git *\"}", "x", "{\"command\":\"git log\"}", true, true },
	{ "x", "{\"command\":\"git *\"}", "x", "{\"command\":\"git log; rm x\"}", true, false },
	{ "x", "{\"command\":\"git *\"}", "x", "{\"command\":\"git $(rm x)\"}", true, false },
	{ "x", "{\"command\":\"git *\"}", "x", "{\"command\":\"git log\\nrm x\"}", true, false },
	{ "x", "{\"command\":\"git *\"}", "x", "{\"command\":\"git log >x\"}", true, false },
	{ "x", "{\"command\":\"rm *\"}", "x", "{\"command\":\"cd / && rm -r x\"}", true, false },
	{ "x", "{\"command\":\"rm *\"}", "x", "{\"command\":\"echo rm x\"}", false, false },
#define RM_FITS(call, stops) \
	{ "x", "{\"command\":\"rm *\"}", "x", "{\"command\":\"" call "\"}", stops, false }
#define RM(call) RM_FITS(call, true)
#define NO_RM(call) RM_FITS(call, false)
	RM("rm\\tx"), RM("\\trm\\tx"), RM("{ rm x; }"), RM("! rm x"), RM("if rm x; then y; fi"),
	RM("if y; then rm x; fi"), RM("while rm x; do y; done"), RM("y && time rm x"),
	RM("time -p rm x"), RM("A=1 rm x"), RM("A='1 2' B+=$3 rm x"), RM("A= rm x"),
	RM("\\\\rm x"), RM("'rm' x"), RM("\\\"rm\\\" x"), RM("r'm' x"), RM("r\\\\m x"), RM("$'rm' x"),
	RM("2>&1 rm x"), RM(">f rm x"), RM("> f rm x"), RM(">'f g' rm x"), RM("&>f rm x"), RM("<f rm x"),
	RM(">|f rm x"), RM("rm</dev/null x"), RM("2>f A=1 rm x"), RM("/bin/rm x"), RM("../../bin/rm x"),
	RM("'/bin/'rm x"), RM("sudo rm x"), RM("sudo -n rm x"), RM("command rm x"), RM("exec rm x"),
	RM("env -i A=1 rm x"), RM("y | xargs rm x"), RM("nice -n 5 rm x"), RM("timeout 5s rm x"),
	RM("sh -c 'rm x'"), RM("/bin/bash -ec \\\"rm x\\\""), RM("eval rm x"), RM("y & rm x"),
	/* which word is the program depends on what starts it */
	RM("sudo -u root rm x"), RM("env -u A rm x"), RM("timeout -s KILL 5 rm x"), RM("env A=1 rm x"),
	RM("xargs -I {} rm {}"), RM("find /d -exec rm {} +"), RM("find /d -exec rm {} \\\\;"),
	RM("flock /tmp/l rm x"), RM("chroot /r /bin/rm x"), RM("ssh host rm x"), RM("su bob -c 'rm x'"),
	RM("su bob -c 'env -u A rm x'"), RM("sudo sh -c 'A=1 rm x'"), RM("time -o f rm x"),
	RM("ssh host \\\"cd /; 'rm' x\\\""),
	/* quoted characters separate nothing */
	RM("X=';' rm victim"), RM("X=\\\";|\\\" rm victim"), RM("X='a b' Y=\\\\; rm victim"),
	RM("sh <<< 'rm x'"), RM("sh -s 0<<<'rm x'"), RM("<<<'a' sh -c 'rm x'"), RM("a[0]=1 rm x"),
	RM("a['b']+=1 rm x"), NO_RM("echo ';' rm x"), NO_RM("if git rm x; then y; fi"),
	NO_RM("sudo ls rmdir x"), NO_RM("env A='rm x' ls"),
	NO_RM("echo rm x"), NO_RM("rmdir x"), NO_RM("A=rm x"), NO_RM(">rm x"), NO_RM("y 2>&1 rm x"),
	NO_RM("git rm x"), NO_RM("ls /bin/rm x"), NO_RM("<"), NO_RM("'"), NO_RM("2>"), NO_RM("sudo"),
	{ "x", "{\"command\":\"git push *\"}", "x", "{\"command\":\"git  push\\tx\"}", true, false },
	{ "x", "{\"command\":\"sudo *\"}", "x", "{\"command\":\"A=1 sudo env rm x\"}", true, false },
	{ "x", "{\"command\":\"ls | wc\"}", "x", "{\"command\":\"ls | wc\"}", true, true },
	{ "x", "{\"command\":\"*\"}", "x", "{\"command\":\"a; b\"}", true, true },
};

Test(policy, what_a_rule_fits)
{
	for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
		for (int allow = 0; allow < 2; allow++) {
			char *rules = ik_format("[{\"tool\":\"%s\"%s%s,\"do\":\"%s\"},"
				"{\"tool\":\"*\",\"do\":\"%s\"}]", fits[i].tool,
				fits[i].args ? ",\"args\":" : "", fits[i].args ? fits[i].args : "",
				allow ? "allow" : "deny", allow ? "deny" : "allow");
			struct ik_policy *policy = make(rules);
			struct ik_verdict verdict = judge(policy, fits[i].name, fits[i].call);

			cr_assert_eq(ik_policy_rules(policy)->count, 2, "%s", rules);
			cr_assert_eq(verdict.number == 1, allow ? fits[i].allows : fits[i].stops,
				"%s for %s", rules, fits[i].call);
			ik_policy_free(policy);
			free(rules);
		}
	}
}

/* Judge a command of so many parts; return how much time that takes the processor. */
static clock_t time_parts(const struct ik_policy *policy, int parts)
{
	struct ik_buf call;
	clock_t start;

	ik_buf_init(&call, IK_LIMIT_ARGUMENTS);
	ik_buf_puts(&call, "{\"command\":\"");
	for (int i = 0; i < parts; i++)
		ik_buf_puts(&call, "a;");
	ik_buf_puts(&call, "\"}");
	start = clock();
	cr_assert_eq(judge(policy, "x", call.data).number, 0);
	start = clock() - start;
	ik_buf_done(&call);
	return start;
}

/* The work grows with a command, not with its square: the program waits for it. */
Test(policy, a_command_of_many_parts)
{
	struct ik_policy *policy =
		make("[{\"tool\":\"x\",\"args\":{\"command\":\"rm *\"},\"do\":\"deny\"}]");
	clock_t few = time_parts(policy, 10000), many = time_parts(policy, 400000);

	cr_assert_lt(many, 40 * 4 * few);
	ik_policy_free(policy);
}

/* The table of guard/policy.h. */
static const struct {
	const char *rule; /* of policy: "" for none */
	bool kept;
	enum ik_decision writes[IK_MODE_COUNT], reads[IK_MODE_COUNT];
} table[] = {
#define ALLOW IK_DECISION_ALLOW
#define ASK IK_DECISION_ASK
#define DENY IK_DECISION_DENY
	{ "deny", false, { DENY, DENY, DENY }, { DENY, DENY, DENY } },
	{ "deny", true, { DENY, DENY, DENY }, { DENY, DENY, DENY } },
	{ "ask", false, { ASK, ASK, DENY }, { ASK, ASK, ASK } },
	{ "ask", true, { ALLOW, ALLOW, DENY }, { ALLOW, ALLOW, ALLOW } },
	{ "allow", false, { ALLOW, ALLOW, DENY }, { ALLOW, ALLOW, ALLOW } },
	{ "allow", true, { ALLOW, ALLOW, DENY }, { ALLOW, ALLOW, ALLOW } },
	{ "", false, { ALLOW, ASK, DENY }, { ALLOW, ALLOW, ALLOW } },
	{ "", true, { ALLOW, ALLOW, DENY }, { ALLOW, ALLOW, ALLOW } },
};

Test(policy, rules_modes_and_what_is_kept)
{
	static const struct ik_rule kept = { .tool = (char *)"*", .action = IK_RULE_ALLOW };

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		for (int session = 0; session < 2; session++) {
			char *rules = ik_format("[{\"tool\":\"*\",\"do\":\"%s\"}]", table[i].rule);
			struct ik_policy *policy = make(table[i].rule[0] ? rules : NULL);

			if (table[i].kept)
				ik_rules_add(session ? ik_policy_session(policy) : ik_policy_kept(policy),
					&kept);
			for (int mode = 0; mode < IK_MODE_COUNT; mode++) {
				ik_policy_set_mode(policy, (enum ik_mode)mode);
				enum ik_decision writes = judge(policy, "write", "{}").decision;
				enum ik_decision reads = judge(policy, "read", "{}").decision;

				cr_assert_eq(writes, table[i].writes[mode], "%s %s: %s", table[i].rule,
					ik_mode_name((enum ik_mode)mode), words[writes]);
				cr_assert_eq(reads, table[i].reads[mode], "%s %s: %s", table[i].rule,
					ik_mode_name((enum ik_mode)mode), words[reads]);
			}
			ik_policy_free(policy);
			free(rules);
		}
	}
}

Test(policy, the_first_rule_that_fits_decides)
{
	struct ik_policy *policy = make("[{\"tool\":\"bash\",\"args\":{\"command\":\"ls*\"},\"do\":\"allow\"},"
		"{\"tool\":\"bash\",\"do\":\"ask\"},{\"tool\":\"bash\",\"do\":\"deny\"}]");

	cr_assert_eq(judge(policy, "bash", "{\"command\":\"ls -l\"}").number, 1);
	cr_assert_eq(judge(policy, "bash", "{\"command\":\"rm\"}").number, 2);
	cr_assert_eq(judge(policy, "bash", "{\"command\":\"rm\"}").rule->action, IK_RULE_ASK);
	cr_assert_eq(judge(policy, "grep", "{}").number, 0);
	cr_assert_eq(judge(policy, "grep", "{}").reason, IK_REASON_NO_RULE);
	ik_policy_free(policy);
	policy = make("[{\"tool\":1}]");
	cr_assert_eq(judge(policy, "read", "{}").decision, IK_DECISION_DENY, "what cannot be read denies");
	ik_policy_free(policy);
}

static void suggests(struct ik_policy *policy, const char *tool, const char *arguments,
	enum ik_width width, const char *wanted)
{
	struct ik_rule rule;
	struct ik_buf out;
	bool found = ik_policy_suggest(policy, tool, arguments, strlen(arguments), width, &rule);

	cr_assert_eq(found, wanted != NULL, "%s %s", tool, arguments);
	if (!found)
		return;
	ik_buf_init(&out, IK_KIB(4));
	ik_rule_put(&out, &rule);
	cr_assert_str_eq(out.data, wanted);
	/* A kept rule answers the same call. */
	ik_policy_set_mode(policy, IK_MODE_ASK);
	cr_assert_eq(judge(policy, tool, arguments).decision, IK_DECISION_ASK);
	ik_rules_add(ik_policy_session(policy), &rule);
	cr_assert_eq(judge(policy, tool, arguments).reason, IK_REASON_SESSION);
	ik_rules_remove(ik_policy_session(policy), 0);
	ik_buf_done(&out);
	ik_rule_done(&rule);
}

Test(policy, rules_to_keep)
{
	struct ik_policy *policy = make(NULL);
	struct ik_buf large;

	suggests(policy, "bash", "{\"command\":\"git log *.c\"}", IK_WIDTH_CALL,
		"{\"tool\":\"bash\",\"args\":{\"command\":\"git log \\\\*.c\"},\"do\":\"allow\"}");
	suggests(policy, "bash", "{\"command\":\"ls -l\"}", IK_WIDTH_LIKE,
		"{\"tool\":\"bash\",\"args\":{\"command\":\"ls *\"},\"do\":\"allow\"}");
	suggests(policy, "bash", "{\"command\":\"git log -1\"}", IK_WIDTH_LIKE,
		"{\"tool\":\"bash\",\"args\":{\"command\":\"git log *\"},\"do\":\"allow\"}");
	suggests(policy, "bash", "{\"command\":\"git log\"}", IK_WIDTH_TOOL,
		"{\"tool\":\"bash\",\"do\":\"allow\"}");
	suggests(policy, "bash", "{\"command\":\"git log; rm x\"}", IK_WIDTH_CALL,
		"{\"tool\":\"bash\",\"args\":{\"command\":\"git log; rm x\"},\"do\":\"allow\"}");
	suggests(policy, "bash", "{\"command\":\"git log; rm x\"}", IK_WIDTH_LIKE, NULL);
	suggests(policy, "bash", "{\"command\":\"ls\"}", IK_WIDTH_LIKE, NULL);
	/* Such a rule would allow everything. */
	static const char *const starting[] = {
		"git log", "git -c alias.x=!y x", "git --exec-path=. x y", "git config alias.x !y",
		"git bisect run y", "env rm x", "sudo ls x", "/usr/bin/sudo ls x", "sh x y", "bash -c x",
		"find . -delete", "xargs rm x", "ssh host x", "python -c x", "python3 x.py y", "make -f x",
		"npm run x", "docker run x", "A=1 ls x", "A=1 B=2 ls", "'ls' x", "\\\\ls x", "l\\\"s\\\" x",
		"/tmp/git log x", "./ls x", "python3.12 -c x", "nodejs -e x", "gmake x", "tar -xf x",
		"rsync -e x y", "rg --pre x y", "sort -o x y", "git grep -Ox y", "git fetch x", "git push x",
		"git archive x y", "go test x", "docker compose x", "hg log x", "rm x", "unknown x", "git logs x",
		"~/ls x", "* x", "if x y", "{ x y", "time ls x", "ls\\tx", ". x y", "git 'log' x y",
	};
	for (size_t i = 0; i < sizeof(starting) / sizeof(starting[0]); i++) {
		char *call = ik_format("{\"command\":\"%s\"}", starting[i]);

		suggests(policy, "bash", call, IK_WIDTH_LIKE, NULL);
		free(call);
	}
	suggests(policy, "file_edit", "{\"file_path\":\"src/../a[1].c\",\"n\":12}", IK_WIDTH_CALL,
		"{\"tool\":\"file_edit\",\"args\":{\"file_path\":\"/work/a\\\\[1].c\",\"n\":\"12\"},"
		"\"do\":\"allow\"}");
	suggests(policy, "file_edit", "{\"file_path\":\"src/a.c\",\"n\":12}", IK_WIDTH_LIKE,
		"{\"tool\":\"file_edit\",\"args\":{\"file_path\":\"/work/src/*\"},\"do\":\"allow\"}");
	suggests(policy, "file_edit", "{\"file_path\":\"/a\"}", IK_WIDTH_LIKE, NULL);
	suggests(policy, "x", "{}", IK_WIDTH_CALL, NULL);
	suggests(policy, "x", "{\"a\":\"1\\u0000\"}", IK_WIDTH_CALL, NULL);
	suggests(policy, "x", "{\"a\":1,\"a\":2}", IK_WIDTH_CALL, NULL);
	suggests(policy, "x", "garbage", IK_WIDTH_TOOL, "{\"tool\":\"x\",\"do\":\"allow\"}");
	/* A link in a rule means its target. */
	suggests(policy, "file_edit", "{\"file_path\":\"link/x\"}", IK_WIDTH_LIKE,
		"{\"tool\":\"file_edit\",\"args\":{\"file_path\":\"/work/link/*\"},\"do\":\"allow\"}");
	ik_buf_init(&large, IK_MIB(1));
	ik_buf_puts(&large, "{\"file_path\":\"a\",\"content\":\"");
	for (int i = 0; i < 1000; i++)
		ik_buf_puts(&large, "text ");
	ik_buf_puts(&large, "\"}");
	suggests(policy, "file_write", large.data, IK_WIDTH_CALL,
		"{\"tool\":\"file_write\",\"args\":{\"file_path\":\"/work/a\"},\"do\":\"allow\"}");
	ik_buf_done(&large);
	ik_policy_free(policy);
}

static void reads(struct ik_policy *policy, const char *tool, const char *arguments,
	enum ik_width width, const char *wanted)
{
	struct ik_rule rule;
	struct ik_buf out;

	cr_assert(ik_policy_suggest(policy, tool, arguments, strlen(arguments), width, &rule));
	ik_buf_init(&out, IK_KIB(4));
	ik_policy_put_rule(policy, &rule, &out);
	cr_assert_str_eq(out.data, wanted);
	ik_buf_done(&out);
	ik_rule_done(&rule);
}

Test(policy, rules_to_keep_in_words)
{
	struct ik_policy *policy = make(NULL);
	char *long_command = ik_format("{\"command\":\"%0300d\",\"timeout\":5}", 1);

	reads(policy, "bash", "{\"command\":\"git log *.c\"}", IK_WIDTH_CALL, "bash: only the command git log *.c");
	reads(policy, "bash", "{\"command\":\"git log -1\"}", IK_WIDTH_LIKE,
		"bash: commands that begin with git log");
	reads(policy, "bash", "{\"command\":\"git log -1\"}", IK_WIDTH_TOOL, "bash: any call");
	reads(policy, "file_write", "{\"file_path\":\"a\",\"content\":\"one\\ntwo\"}", IK_WIDTH_CALL,
		"file_write: only /work/a");
	reads(policy, "file_write", "{\"file_path\":\"a\",\"content\":\"one\"}", IK_WIDTH_LIKE,
		"file_write: anything in this directory");
	reads(policy, "file_write", "{\"file_path\":\"src/a[1]\"}", IK_WIDTH_LIKE, "file_write: anything in /work/src");
	reads(policy, "grep", "{\"pattern\":\"a*\",\"path\":\"src\"}", IK_WIDTH_CALL,
		"grep: only with pattern a*, path /work/src");
	/* A command that is too long to be kept is not any command. */
	suggests(policy, "bash", long_command, IK_WIDTH_CALL, NULL);
	suggests(policy, "bash", "{\"command\":\"rm x\",\"cwd\":\"/work/src\"}", IK_WIDTH_LIKE, NULL);
	free(long_command);
	ik_policy_free(policy);
}

static void denial_is(const struct ik_policy *policy, const char *tool, const char *wanted)
{
	struct ik_verdict verdict = judge(policy, tool, "{}");
	char *sentence = ik_policy_denial(policy, tool, &verdict);

	cr_assert_str_eq(sentence, wanted);
	free(sentence);
}

Test(policy, sentences_for_a_model)
{
	struct ik_policy *policy = make("[{\"tool\":\"a\",\"do\":\"ask\"},{\"tool\":\"b\",\"do\":\"deny\"}]");

	denial_is(policy, "a", "Tool 'a' was not run: the policy says that the person has to be asked "
		"first, and there is nobody to ask. (--yes allows such calls.)");
	denial_is(policy, "b", "Tool 'b' was not run: rule 2 of the policy denies this call");
	ik_policy_set_mode(policy, IK_MODE_READ_ONLY);
	denial_is(policy, "c", "Tool 'c' was not run: the session is in read-only mode, in which only "
		"tools that change nothing may be used. The person can switch the mode.");
	ik_policy_free(policy);
}

Test(policy, modes_by_name)
{
	enum ik_mode mode = IK_MODE_AUTO;

	for (int i = 0; i < IK_MODE_COUNT; i++) {
		cr_assert(ik_mode_find(ik_mode_name((enum ik_mode)i), &mode));
		cr_assert_eq((int)mode, i);
	}
	cr_assert_not(ik_mode_find("Auto", &mode));
}
