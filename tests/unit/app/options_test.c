#include "core/options.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define MOST 20

/* Copy words that end with NULL, since a command line may be changed. Return their number. */
static int copy_words(const char *const *words, char *argv[MOST + 1])
{
	static char kept[MOST][80];
	int count = 0;

	for (; words[count] != NULL; count++) {
		(void)snprintf(kept[count], sizeof kept[count], "%s", words[count]);
		argv[count] = kept[count];
	}
	argv[count] = NULL;
	return count;
}

/* Read a command line given as words that end with NULL. */
static enum ik_status read_words(const char *const *words, struct ik_options *options, struct ik_error *error)
{
	char *argv[MOST + 1];
	int count = copy_words(words, argv);

	return ik_options_read(count, argv, options, error);
}

#define READ(...) read_words((const char *const[]){"ikigai", __VA_ARGS__, NULL}, &o, &error)

Test(options, nothing_is_the_chat)
{
	struct ik_options o;
	struct ik_error error;

	cr_assert_eq(read_words((const char *const[]){"ikigai", NULL}, &o, &error), IK_OK);
	cr_assert_eq(o.verb, IK_VERB_CHAT);
	cr_assert_not(o.resume);
}

Test(options, common_options)
{
	struct ik_options o;
	struct ik_error error;

	cr_assert_eq(READ("-C", "/tmp", "-p", "openai", "-m", "m", "--base-url", "http://x/v1", "--resume=abc",
		"--no-tools", "--max-tool-turns", "3"), IK_OK);
	cr_assert_str_eq(o.directory, "/tmp");
	cr_assert_str_eq(o.provider, "openai");
	cr_assert_str_eq(o.base_url, "http://x/v1");
	cr_assert(o.resume);
	cr_assert_str_eq(o.resume_id, "abc");
	cr_assert(o.no_tools);
	cr_assert_str_eq(o.max_tool_turns, "3");
}

Test(options, resume_without_id)
{
	struct ik_options o;
	struct ik_error error;

	cr_assert_eq(READ("--resume"), IK_OK);
	cr_assert(o.resume);
	cr_assert_null(o.resume_id);
}

Test(options, first_message)
{
	struct ik_options o;
	struct ik_error error;

	cr_assert_eq(READ("--continue", "what was I doing?"), IK_OK);
	cr_assert_eq(o.verb, IK_VERB_CHAT);
	cr_assert(o.resume);
	cr_assert_str_eq(o.first, "what was I doing?");
	cr_assert_eq(READ("exec", "review", "-"), IK_OK);
	cr_assert_str_eq(o.second, "-");
}

Test(options, verbs_and_operands)
{
	struct ik_options o;
	struct ik_error error;

	cr_assert_eq(READ("exec", "--json", "say it"), IK_OK);
	cr_assert_eq(o.verb, IK_VERB_EXEC);
	cr_assert(o.json);
	cr_assert_str_eq(o.first, "say it");
	cr_assert_eq(READ("tool", "run", "glob", "{}"), IK_OK);
	cr_assert_eq(o.verb, IK_VERB_TOOL_RUN);
	cr_assert_str_eq(o.first, "glob");
	cr_assert_str_eq(o.second, "{}");
	cr_assert_eq(READ("tool", "list", "--all"), IK_OK);
	cr_assert(o.all);
}

Test(options, help_and_version_need_nothing_else)
{
	struct ik_options o;
	struct ik_error error;

	cr_assert_eq(READ("tool", "--help"), IK_OK);
	cr_assert_eq(o.verb, IK_VERB_HELP);
	cr_assert_not_null(strstr(o.help_text, "Example:"));
	cr_assert_eq(READ("exec", "--help"), IK_OK);
	cr_assert_not_null(strstr(o.help_text, "Example:"));
	cr_assert_eq(READ("tool", "run", "--help"), IK_OK);
	cr_assert_eq(o.verb, IK_VERB_HELP);
	cr_assert_eq(READ("--version"), IK_OK);
	cr_assert_eq(o.verb, IK_VERB_VERSION);
}

/* Each wrong line is refused with a sentence that names the mistake. */
Test(options, errors_name_the_word)
{
	static const struct { const char *words[6]; const char *named; } rows[] = {
		{{"ikigai", "--nonsense", NULL}, "--nonsense"},
		{{"ikigai", "-x", NULL}, "-x"},
		{{"ikigai", "-p", NULL}, "-p"},
		{{"ikigai", "--no-tools=1", NULL}, "--no-tools"},
		{{"ikigai", "exce", NULL}, "\"exec\""},
		{{"ikigai", "tool", NULL}, "list, show, run, validate, new, trust"},
		{{"ikigai", "model", "frob", NULL}, "list, show"},
		{{"ikigai", "tool", "frob", NULL}, "frob"},
		{{"ikigai", "tool", "show", NULL}, "name of a tool"},
		{{"ikigai", "exec", "one", "two", NULL}, "\"two\""},
		{{"ikigai", "exec", "one", "-", "three", NULL}, "three"},
		{{"ikigai", "one", "two", NULL}, "two"},
		{{"ikigai", "bogus", "exec", NULL}, "\"bogus\" is no command"},
		{{"ikigai", "tool", "run", "x", "--all", NULL}, "--all"},
		{{"ikigai", "tool", "list", "--lang=c", NULL}, "--lang"},
		{{"ikigai", "tool", "validate", NULL}, "path of an executable"},
		{{"ikigai", "tool", "new", NULL}, "a name for the tool"},
	};
	struct ik_options o;
	struct ik_error error;
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		error.text[0] = '\0';
		cr_assert_eq(read_words(rows[i].words, &o, &error), IK_INVALID, "row %zu", i);
		cr_assert_not_null(strstr(error.text, rows[i].named), "row %zu: %s", i, error.text);
	}
}

/* What completion offers: words separated by blanks. */
static void keep_word(void *arg, const char *word, const char *meaning)
{
	ik_buf_printf(arg, "%s%s ", word, meaning[0] != '\0' ? "!" : "");
}

#define COMPLETE(...) complete((const char *const[]){"ikigai", __VA_ARGS__, NULL}, &o, &start, &offered)

static enum ik_operand complete(const char *const *words, struct ik_options *o, size_t *start,
	struct ik_buf *offered)
{
	char *argv[MOST + 1];
	int count = copy_words(words, argv);

	ik_buf_clear(offered);
	return ik_options_complete(count, argv, o, start, keep_word, offered);
}

/* A command line is completed by what can follow; "!" marks words that are explained. */
Test(options, completion)
{
	struct ik_options o;
	struct ik_buf offered;
	size_t start;

	ik_buf_init(&offered, 10000);
	cr_assert_eq(COMPLETE(""), IK_OPERAND_TEXT);
	cr_assert_not_null(strstr(offered.data, "exec tool session "));
	cr_assert_eq(COMPLETE("session", ""), IK_OPERAND_TEXT);
	cr_assert_not_null(strstr(offered.data, "list! show! export!"));
	cr_assert_eq(COMPLETE("session", "show", ""), IK_OPERAND_SESSION);
	cr_assert_eq(COMPLETE("session", "show", "1", ""), IK_OPERAND_TEXT);
	cr_assert_eq(COMPLETE("tool", "run", "-p", "x", ""), IK_OPERAND_TOOL);
	cr_assert_eq(COMPLETE("tool", "run", "glob", ""), IK_OPERAND_TEXT);
	cr_assert_eq(COMPLETE("tool", "validate", "one", "two"), IK_OPERAND_FILE);
	cr_assert_eq(COMPLETE("-m", ""), IK_OPERAND_MODEL);
	cr_assert_eq(COMPLETE("-p", "other", "--model=x"), IK_OPERAND_MODEL);
	cr_assert_eq(start, strlen("--model="));
	cr_assert_str_eq(o.provider, "other");
	cr_assert_eq(COMPLETE("config", "set", "ui.theme", ""), IK_OPERAND_KEY_VALUE);
	cr_assert_str_eq(o.first, "ui.theme");
	(void)COMPLETE("--sandbox", "");
	cr_assert_str_eq(offered.data, "off project read-only ");
	(void)COMPLETE("--sandbox=off", "doc");
	cr_assert_not_null(strstr(offered.data, "doctor"));
	(void)COMPLETE("exec", "-");
	cr_assert_not_null(strstr(offered.data, "--wait! "));
	cr_assert_null(strstr(offered.data, "--limit"));
	(void)COMPLETE("--nonsense", "");
	cr_assert_eq(offered.length, 0);
	ik_buf_done(&offered);
}
