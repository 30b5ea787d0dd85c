#include "core/expansion.h"

#include <stdlib.h>
#include <string.h>

#include "core/prompt_text.h"
#include "guard/permissions.h"
#include "json/write.h"
#include "loop/child.h"
#include "loop/confine.h"
#include "util/alloc.h"
#include "util/front_matter.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

/* The tool with whose rights everything runs. */
#define SHELL "bash"
/* Limit on what one process prints. */
#define OUTPUT_MOST IK_MIB(1)

enum { KILL_AFTER_MS = 2000, GRACE_MS = 250, ERRORS_KEPT = 300 };

struct ik_expansion {
	struct ik_core *core;
	ik_expansion_done *done;
	void *arg;
	enum ik_custom_kind kind;
	char *name, *path, *shown;
	bool pinned; /* to identity */
	struct ik_identity identity;
	char *typed; /* the arguments */
	struct ik_prompt_arguments arguments;
	struct ik_buf file; /* of a text: all of it, */
	struct ik_front_matter matter;
	size_t position; /* and how much of its body is done */
	int line;        /* of the command that runs; 0: a program does */
	struct ik_buf text, written, output, errors;
	struct ik_child *child;
};

/* Set an error that names the place in the file. */
static enum ik_status fail(const struct ik_expansion *expansion, enum ik_status status,
	const char *why, struct ik_error *error)
{
	if (expansion->line > 0)
		return ik_error_set(error, status, _("%s:%d: %s. Nothing was sent."), expansion->shown,
			expansion->line, why);
	return ik_error_set(error, status, _("%s: %s. Nothing was sent."), expansion->shown, why);
}

/* Report the prompt, or why there is none. The expansion may be closed then. */
static void finish(struct ik_expansion *expansion, const struct ik_error *error)
{
	const struct ik_expanded expanded = {
		.file = expansion->shown, .text = &expansion->text, .written = &expansion->written
	};

	expansion->done(expansion->arg, error ? NULL : &expanded, error);
}

/* ---- processes ---- */

/* Fail if the policy denies bash this command. */
static enum ik_status ask_policy(const struct ik_expansion *expansion, const char *command,
	struct ik_error *error)
{
	const struct ik_policy *policy = expansion->core->policy;
	struct ik_verdict verdict;
	struct ik_buf arguments;
	char *why;

	ik_buf_init(&arguments, IK_LIMIT_ARGUMENTS);
	ik_json_printf(&arguments, "{'command':'%s'}", command);
	verdict = ik_policy_judge(policy, SHELL, false, arguments.data, arguments.length);
	ik_buf_done(&arguments);
	if (verdict.decision != IK_DECISION_DENY)
		return IK_OK;
	why = verdict.reason == IK_REASON_MODE
		? ik_format(_("in %s mode it may not run anything (/mode)"),
			  ik_mode_name(ik_policy_mode(policy)))
		: ik_format(_("rule %zu of the policy denies what it runs (/mode)"), verdict.number);
	(void)fail(expansion, IK_DENIED, why, error);
	free(why);
	return IK_DENIED;
}

static const struct ik_child_events events;

/* Start a process with these arguments; script is NULL for the program itself. */
static enum ik_status run(struct ik_expansion *expansion, const char *script,
	struct ik_error *error)
{
	const struct ik_setup *setup = expansion->core->setup;
	const struct ik_shell_words *words = &expansion->arguments.words;
	const char **argv = ik_alloc_array(NULL, words->count + 5, sizeof(*argv)), **environment;
	char *typed = ik_format("ARGUMENTS=%s", expansion->typed);
	const char *const ours[] = { typed, ik_sandbox_variable(setup->sandbox, SHELL), NULL };
	struct ik_child_spec spec = {
		.path = script ? "/bin/sh" : expansion->path,
		.identity = !script && expansion->pinned ? &expansion->identity : NULL,
		.argv = argv,
		.directory = setup->places.directory,
		.timeout_ms = setup->config->tools_timeout_s * 1000,
		.memory_limit = setup->config->tools_memory_limit_mb * (int64_t)IK_MIB(1),
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
	};
	enum ik_status status;
	struct ik_error why;
	size_t count = 0;

	if (script) {
		argv[count++] = "sh";
		argv[count++] = "-c";
		argv[count++] = script;
	}
	argv[count++] = script ? expansion->name : expansion->path;
	for (size_t i = 0; i < words->count; i++)
		argv[count++] = words->words[i];
	argv[count] = NULL;
	environment = ik_environment_with((const char *const *)expansion->core->environment, ours);
	spec.environment = environment;
	status = ik_sandbox_start(setup->sandbox, SHELL, IK_SANDBOX_CALL, expansion->core->loop, &spec,
		&events, expansion, &expansion->child, &why);
	free(environment);
	free(typed);
	free(argv);
	return status == IK_OK ? status : fail(expansion, status, why.text, error);
}

/* Continue after a process, or begin: what is left of a text, up to the next command that runs. */
static void go_on(struct ik_expansion *expansion)
{
	const struct ik_front_matter *matter = &expansion->matter;
	enum ik_status status = IK_OK;
	struct ik_prompt_part part;
	struct ik_error error;

	while (status == IK_OK && !expansion->child &&
		ik_prompt_next(matter->body, matter->body_length, &expansion->position, &part)) {
		if (part.command) {
			char *script = ik_strndup(part.text, part.length);

			expansion->line = matter->body_line;
			for (const char *at = matter->body; at < part.text; at++)
				expansion->line += *at == '\n';
			status = ask_policy(expansion, script, &error);
			if (status == IK_OK)
				status = run(expansion, script, &error);
			free(script);
			continue;
		}
		ik_prompt_put(&expansion->text, &part, &expansion->arguments);
		if (expansion->kind != IK_CUSTOM_SKILL) /* made for others, who attach nothing */
			ik_prompt_put(&expansion->written, &part, &expansion->arguments);
	}
	if (!expansion->child || status != IK_OK)
		finish(expansion, status == IK_OK ? NULL : &error);
}

/* End the expansion because of what its process did. */
static void give_up(struct ik_expansion *expansion, char *why)
{
	struct ik_error error;
	struct ik_buf all;

	ik_buf_init(&all, IK_KIB(8));
	ik_buf_puts(&all, why);
	ik_buf_trim(&expansion->errors, 0, " \n");
	if (expansion->errors.length > 0) {
		ik_buf_puts(&all, ": ");
		ik_sanitize_line(&all, expansion->errors.data, expansion->errors.length);
	}
	(void)fail(expansion, IK_FAILED, all.data, &error);
	ik_buf_done(&all);
	free(why);
	finish(expansion, &error);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_expansion *expansion = arg;
	struct ik_buf *errors = &expansion->errors;

	if (stream == IK_STDERR) {
		size_t kept = length < ERRORS_KEPT ? length : ERRORS_KEPT;

		if (errors->length + kept > ERRORS_KEPT)
			ik_buf_consume(errors, errors->length + kept - ERRORS_KEPT);
		ik_buf_append(errors, bytes + length - kept, kept);
		return;
	}
	ik_buf_append(&expansion->output, bytes, length);
	if (ik_buf_status(&expansion->output) == IK_OK)
		return;
	expansion->child = ik_child_close(expansion->child);
	give_up(expansion, ik_strdup(_("it printed more than 1 MB")));
}

/* Return why what a process printed can't be used, in new memory, or NULL. */
static char *problem_of(const struct ik_expansion *expansion, const struct ik_child_result *result)
{
	if (result->timed_out)
		return ik_format(_("it did not end within %lld s"),
			(long long)expansion->core->setup->config->tools_timeout_s);
	if (!result->exited)
		return ik_format(_("signal %d ended it"), result->signal_number);
	if (result->exit_code != 0)
		return ik_format(_("it failed with exit status %d"), result->exit_code);
	if (expansion->kind == IK_CUSTOM_PROGRAM &&
		strspn(expansion->output.data, " \t\r\n") == expansion->output.length)
		return ik_strdup(_("it printed nothing"));
	return NULL;
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	struct ik_expansion *expansion = arg;
	struct ik_buf *output = &expansion->output;
	char *problem = problem_of(expansion, result);

	expansion->child = ik_child_close(expansion->child);
	if (problem) {
		give_up(expansion, problem);
		return;
	}
	ik_buf_trim(output, 0, "\n");
	ik_utf8_repair(&expansion->text, output->data, output->length);
	ik_buf_clear(output);
	ik_buf_clear(&expansion->errors);
	go_on(expansion);
}

static const struct ik_child_events events = { on_output, on_done };

/* ---- the file ---- */

/* Make sure that a project's file is trusted as it is now. */
static enum ik_status check_trust(struct ik_expansion *expansion, struct ik_error *error)
{
	struct ik_error why;

	if (!expansion->pinned ||
		ik_project_trusts(&expansion->core->setup->project, expansion->path, &expansion->identity,
			&why))
		return IK_OK;
	return fail(expansion, IK_DENIED, why.text, error);
}

/* Read a text. */
static enum ik_status read_text(struct ik_expansion *expansion, struct ik_error *error)
{
	struct ik_error why = { .status = IK_OK };
	struct ik_buf raw;
	enum ik_status status;

	ik_buf_init(&raw, IK_CUSTOM_TEXT_BYTES);
	status = ik_file_read(expansion->path, &raw, &why);
	if (status == IK_OK && expansion->pinned &&
		!ik_identity_holds(expansion->path, &expansion->identity))
		status = ik_error_set(&why, IK_DENIED, _("it has just changed"));
	ik_utf8_repair(&expansion->file, raw.data, raw.length);
	ik_buf_done(&raw);
	if (status != IK_OK)
		return fail(expansion, status, why.text, error);
	status = ik_front_matter_read(&expansion->matter, expansion->shown, expansion->file.data,
		expansion->file.length, &why);
	return status == IK_OK ? status
						   : ik_error_set(error, status, _("%s. Nothing was sent."), why.text);
}

/* Run the program, if nobody else could have changed it, and the policy lets bash do so. */
static enum ik_status run_program(struct ik_expansion *expansion, struct ik_error *error)
{
	enum ik_status status;
	struct ik_buf command;
	struct ik_error why;

	if (ik_permissions_check(expansion->path, &why) != IK_OK)
		return fail(expansion, IK_DENIED, why.text, error);
	ik_buf_init(&command, IK_LIMIT_USER_TEXT);
	ik_shell_word_put(&command, expansion->path);
	for (size_t i = 0; i < expansion->arguments.words.count; i++) {
		ik_buf_putc(&command, ' ');
		ik_shell_word_put(&command, expansion->arguments.words.words[i]);
	}
	status = ask_policy(expansion, command.data, error);
	ik_buf_done(&command);
	return status == IK_OK ? run(expansion, NULL, error) : status;
}

/* ---- beginning and end ---- */

/* Take the arguments of a command line. */
static void take_arguments(struct ik_expansion *expansion, const char *line, size_t length)
{
	static const char blanks[] = " \t\r\n";
	char *text = ik_strndup(line, length);
	const char *start = text + strcspn(text, blanks);
	size_t end;

	start += strspn(start, blanks);
	for (end = strlen(start); end > 0 && strchr(blanks, start[end - 1]);)
		end--;
	expansion->arguments.typed = expansion->typed = ik_strndup(start, end);
	ik_shell_words_split(&expansion->arguments.words, expansion->typed);
	free(text);
}

struct ik_expansion *ik_expansion_start(struct ik_core *core,
	const struct ik_custom_command *command, const char *line, size_t length,
	ik_expansion_done *done, void *arg)
{
	struct ik_expansion *expansion = ik_alloc(sizeof(*expansion));
	enum ik_status status;
	struct ik_error error;
	bool loaded;

	expansion->core = core;
	expansion->done = done;
	expansion->arg = arg;
	expansion->kind = command->kind;
	expansion->name = ik_strdup(command->name);
	expansion->path = ik_strdup(command->path);
	loaded = command->kind == IK_CUSTOM_SKILL && ik_core_has_loaded(core, command->path);
	expansion->shown = ik_strdup(loaded ? command->name : command->shown);
	expansion->pinned = command->of_project;
	ik_buf_init(&expansion->file, 3 * IK_CUSTOM_TEXT_BYTES);
	ik_buf_init(&expansion->text, IK_LIMIT_USER_TEXT);
	ik_buf_init(&expansion->written, IK_LIMIT_USER_TEXT);
	ik_buf_init(&expansion->output, OUTPUT_MOST);
	ik_buf_init(&expansion->errors, IK_KIB(1));
	take_arguments(expansion, line, length);
	status = check_trust(expansion, &error);
	if (status == IK_OK && loaded)
		ik_buf_printf(&expansion->text,
			"This skill is loaded already: follow it as it is above. If a summary has "
			"left it out, read %s again.",
			expansion->path);
	else if (status == IK_OK)
		status = command->kind == IK_CUSTOM_PROGRAM ? run_program(expansion, &error)
													: read_text(expansion, &error);
	if (status != IK_OK || loaded)
		finish(expansion, status == IK_OK ? NULL : &error);
	else if (!expansion->child)
		go_on(expansion);
	return expansion->child ? expansion : ik_expansion_close(expansion);
}

struct ik_expansion *ik_expansion_close(struct ik_expansion *expansion)
{
	if (!expansion)
		return NULL;
	expansion->child = ik_child_close(expansion->child);
	ik_front_matter_done(&expansion->matter);
	ik_shell_words_done(&expansion->arguments.words);
	ik_buf_done(&expansion->file);
	ik_buf_done(&expansion->text);
	ik_buf_done(&expansion->written);
	ik_buf_done(&expansion->output);
	ik_buf_done(&expansion->errors);
	free(expansion->name);
	free(expansion->path);
	free(expansion->shown);
	free(expansion->typed);
	free(expansion);
	return NULL;
}
