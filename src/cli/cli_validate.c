#include "cli/cli_validate.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/validate_text.h"
#include "core/core.h"
#include "core/print.h"
#include "guard/permissions.h"
#include "loop/child.h"
#include "loop/children.h"
#include "tool/findings.h"
#include "tool/protocol.h"
#include "tool/source.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Time limits for a descendant that holds the pipes open, and for SIGTERM. */
enum { GRACE_MS = 250, KILL_AFTER_MS = 2000 };

/* The steps for each executable, in order. */
enum cli_validate_stage { ASK, ASK_OTHERWISE, RUN_EMPTY, RUN_GARBAGE };

static const char garbage[] = "this is no JSON\n";

/* All executables, and the one that is being checked. */
struct validation {
	const struct ik_options *options;
	struct ik_setup *setup;
	struct ik_loop *loop;
	char **environment;
	struct ik_validate_text report;
	int status;
	size_t index; /* of the current operand */
	char *path;   /* absolute */
	bool pinned;  /* it belongs to the project: run it only while it is this file */
	struct ik_identity identity;
	enum cli_validate_stage stage;
	enum ik_tool_protocol protocol;
	struct ik_child *child;
	struct ik_buf output, errors;
	char *refusal; /* the result of --schema while the other protocol is tried */
	const char *refusal_code;
	struct ik_tool tool; /* its description, if it is valid */
	struct ik_run *run;
	struct ik_source *source; /* runs the calls; never scanned */
	struct ik_registry *registry;
};

static void next_path(void *arg);
static void next_stage(void *arg);

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct validation *v = arg;

	ik_buf_append(stream == IK_STDOUT ? &v->output : &v->errors, bytes, length);
	if (ik_buf_status(&v->output) != IK_OK)
		ik_child_cancel(v->child);
}

static void on_child_done(void *arg, const struct ik_child_result *result);

/* Start the tool with one argument (or none) and an input. */
static void start(struct validation *v, const char *argument, const char *input, int64_t timeout_ms)
{
	static const struct ik_child_events events = { on_output, on_child_done };
	const char *const argv[] = { v->path, argument, NULL };
	const struct ik_child_spec spec = {
		.path = v->path,
		.identity = v->pinned ? &v->identity : NULL,
		.argv = argv,
		.environment = (const char *const *)v->environment,
		.directory = v->setup->places.directory,
		.input = input,
		.input_length = input ? strlen(input) : 0,
		.timeout_ms = timeout_ms,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
	};
	struct ik_error error;

	ik_buf_done(&v->output);
	ik_buf_done(&v->errors);
	ik_buf_init(&v->output, IK_LIMIT_SCHEMA);
	ik_buf_init(&v->errors, IK_LIMIT_TOOL_OUTPUT);
	if (ik_child_start(v->loop, &spec, &events, v, &v->child, &error) == IK_OK)
		return;
	ik_validate_fault(&v->report, "SPAWN_FAILED",
		ik_format(_("it cannot be started: %s"), error.text));
	ik_loop_defer(v->loop, next_path, v);
}

/* ---- its description ---- */

static void on_finding(void *arg, const struct ik_finding *finding)
{
	struct validation *v = arg;

	ik_validate_finding(&v->report, v->path, v->output.data, finding);
}

/* Return why an answer can't be read; NULL: it can. The caller frees it. */
static char *refused(const struct validation *v, const struct ik_child_result *result,
	const char *question, const char **ret_code)
{
	char *said = ik_validate_excerpt(v->errors.data, v->errors.length);
	char *sentence = NULL;
	struct ik_error error;

	if (ik_buf_status(&v->output) != IK_OK) {
		*ret_code = "SCHEMA_TOO_LARGE";
		sentence = ik_format(_("what it prints for %s is larger than %d KiB"), question,
			(int)(IK_LIMIT_SCHEMA / IK_KIB(1)));
	} else if (result->timed_out) {
		*ret_code = IK_CODE_SCHEMA_TIMEOUT;
		sentence = ik_format(_("it did not answer %s within %lld ms; print the schema before "
							   "anything else, and do not read standard input then"),
			question, (long long)v->setup->config->tools_scan_timeout_ms);
	} else if (!result->exited || result->exit_code != 0) {
		*ret_code = "SCHEMA_EXIT";
		sentence = ik_format(_("asked for %s it ended with exit code %d%s%s; print the schema and "
							   "exit with 0"),
			question, result->exited ? result->exit_code : 128 + result->signal_number,
			*said != '\0' ? ": " : "", said);
	} else if (ik_json_check(v->output.data, v->output.length, NULL, &error) != IK_OK) {
		*ret_code = "INVALID_JSON";
		sentence = v->output.length == 0
			? ik_format(_("it printed nothing when asked for %s"), question)
			: ik_format(_("what it prints for %s is no JSON: %s"), question, error.text);
	}
	free(said);
	return sentence;
}

/* Report all findings about a description, and continue with calls if it is a tool. */
static void read_announcement(struct validation *v, const struct ik_child_result *result)
{
	ik_validate_ok(&v->report,
		ik_format(_("it answers %s within %lld ms"), ik_protocol_question(v->protocol),
			(long long)result->duration_ms));
	ik_findings(v->protocol, v->output.data, v->output.length, on_finding, v);
	if (ik_protocol_read(v->protocol, v->output.data, v->output.length, &v->tool) != IK_OK) {
		ik_loop_defer(v->loop, next_path, v);
		return;
	}
	ik_validate_ok(&v->report, ik_format(_("it is the tool \"%s\""), v->tool.name));
	v->stage = RUN_EMPTY;
	ik_loop_defer(v->loop, next_stage, v);
}

/* Judge the end of a question. */
static void on_answer(struct validation *v, const struct ik_child_result *result)
{
	const char *code = NULL;
	char *refusal = refused(v, result, ik_protocol_question(v->protocol), &code);

	if (!refusal) {
		read_announcement(v, result);
	} else if (v->stage == ASK &&
		(ik_text_equal(code, "SCHEMA_EXIT") || ik_text_equal(code, "INVALID_JSON"))) {
		/* The executable may speak the other protocol. */
		v->refusal = refusal;
		v->refusal_code = code;
		v->stage = ASK_OTHERWISE;
		v->protocol = IK_PROTOCOL_KODELET;
		ik_loop_defer(v->loop, next_stage, v);
	} else {
		/* The first result is the one that its author has to fix. */
		ik_validate_fault(&v->report, v->refusal ? v->refusal_code : code,
			v->refusal ? v->refusal : refusal);
		if (v->refusal)
			free(refusal);
		v->refusal = NULL;
		ik_loop_defer(v->loop, next_path, v);
	}
}

/* ---- its calls ---- */

/* Does the schema refuse {}, so that the tool never gets it? */
static bool needs_arguments(const struct ik_tool *tool)
{
	struct ik_json_span schema = { tool->parameters, tool->parameters_length };

	return ik_json_count(ik_json_member(schema, "required")) > 0;
}

static void on_run_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	(void)arg;
	(void)stream;
	(void)bytes;
	(void)length;
}

static void on_run_done(void *arg, const struct ik_run_result *result)
{
	struct validation *v = arg;

	ik_validate_run(&v->report, &v->tool, needs_arguments(&v->tool), result->envelope,
		result->envelope_length);
	v->stage = RUN_GARBAGE;
	ik_loop_defer(v->loop, next_stage, v);
}

/* Call the tool with {}, even if its schema refuses that. */
static void run_empty(struct validation *v)
{
	static const struct ik_run_events events = { on_run_output, on_run_done };
	struct ik_run_options options = ik_core_run_options(v->loop, v->setup, v->environment);
	struct ik_tool tool = {
		.name = ik_strdup(v->tool.name),
		.path = ik_strdup(v->path),
		.protocol = v->protocol,
		.timeout_s = v->tool.timeout_s,
		.source = IK_SOURCE_USER,
		.owner = ik_source_ref(v->source),
	};

	v->registry = ik_registry_new();
	ik_registry_add(v->registry, &tool);
	ik_registry_finish(v->registry, IK_SCAN_COMPLETE);
	v->run = ik_run_start(&options, v->registry, v->tool.name, "{}", 2, &events, v);
}

static void on_garbage(struct validation *v, const struct ik_child_result *result)
{
	int code = result->exited ? result->exit_code : 128 + result->signal_number;

	if (result->timed_out)
		ik_validate_advice(&v->report, ik_strdup(_("given input that is no JSON it does not end")),
			0);
	else if (code != 0 && v->protocol == IK_PROTOCOL_NATIVE)
		ik_validate_advice(&v->report,
			ik_format(_("given input that is no JSON it ends with exit code "
						"%d; better answer {\"error\": \"...\", \"error_code\": \"INVALID_ARG\"} "
						"and exit with 0 "
						"(ikigai never sends such input, but people and other programs may)"),
				code),
			0);
	else if (code == 0 && ik_json_check(v->output.data, v->output.length, NULL, NULL) != IK_OK &&
		v->protocol == IK_PROTOCOL_NATIVE)
		ik_validate_advice(&v->report,
			ik_strdup(_("given input that is no JSON it prints no JSON "
						"either; better answer {\"error\": \"...\", \"error_code\": "
						"\"INVALID_ARG\"}")),
			0);
	else
		ik_validate_ok(&v->report, ik_strdup(_("it bears input that is no JSON")));
	ik_validate_views(&v->report, v->setup->config, &v->tool);
	ik_loop_defer(v->loop, next_path, v);
}

static void on_child_done(void *arg, const struct ik_child_result *result)
{
	struct validation *v = arg;

	v->child = ik_child_close(v->child);
	if (v->stage == RUN_GARBAGE)
		on_garbage(v, result);
	else
		on_answer(v, result);
}

static void next_stage(void *arg)
{
	struct validation *v = arg;
	const struct ik_config *config = v->setup->config;

	if (v->pinned && !ik_identity_holds(v->path, &v->identity)) {
		ik_validate_fault(&v->report, "NOT_TRUSTED", ik_strdup(_("it was changed meanwhile")));
		ik_loop_defer(v->loop, next_path, v);
		return;
	}
	switch (v->stage) {
	case ASK:
	case ASK_OTHERWISE:
		start(v, ik_protocol_question(v->protocol), NULL, config->tools_scan_timeout_ms);
		break;
	case RUN_EMPTY:
		run_empty(v);
		break;
	case RUN_GARBAGE:
		start(v, v->protocol == IK_PROTOCOL_KODELET ? "run" : NULL, garbage,
			config->tools_timeout_s * 1000);
		break;
	}
}

/* ---- one executable after the other ---- */

/* May the executable be run at all? Report what is wrong. */
static bool look_at_file(struct validation *v)
{
	const char *base = ik_path_base(v->path);
	struct ik_error error;
	struct stat status;

	if (stat(v->path, &status) != 0) {
		ik_validate_fault(&v->report, "SPAWN_FAILED",
			ik_format("%s: %s", v->path, strerror(errno)));
		return false;
	}
	if (!S_ISREG(status.st_mode)) {
		ik_validate_fault(&v->report, "SPAWN_FAILED", ik_strdup(_("it is no regular file")));
		return false;
	}
	if (access(v->path, X_OK) != 0) {
		ik_validate_fault(&v->report, "SPAWN_FAILED",
			ik_format(_("it is not executable: chmod +x %s"), v->path));
		return false;
	}
	if (base[0] == '.' || base[strlen(base) - 1] == '~')
		ik_validate_advice(&v->report,
			ik_strdup(_("files that begin with a dot or end in ~ are passed "
						"over in tool directories")),
			0);
	if (ik_permissions_check(v->path, &error) != IK_OK) {
		ik_validate_fault(&v->report, "UNSAFE_PERMISSIONS", ik_strdup(error.text));
		return false;
	}
	v->pinned = ik_core_is_project_tool(v->setup, v->path);
	if (v->pinned && !ik_project_trusts(&v->setup->project, v->path, &v->identity, &error)) {
		ik_validate_fault(&v->report, "NOT_TRUSTED", ik_strdup(error.text));
		return false;
	}
	ik_validate_ok(&v->report, ik_strdup(_("it is an executable that only you can change")));
	return true;
}

static void forget(struct validation *v)
{
	v->run = ik_run_close(v->run);
	v->child = ik_child_close(v->child);
	if (v->registry)
		v->registry = ik_registry_unref(v->registry);
	ik_tool_clear(&v->tool);
	free(v->refusal);
	v->refusal = NULL;
	free(v->path);
	v->path = NULL;
}

static void next_path(void *arg)
{
	struct validation *v = arg;
	const char *operand;

	forget(v);
	if (!v->options->operands[v->index]) {
		v->status = ik_validate_end(&v->report) != 0;
		ik_loop_stop(v->loop);
		return;
	}
	operand = v->options->operands[v->index++];
	v->path = ik_path_join(v->setup->places.directory, operand);
	ik_validate_begin(&v->report, operand);
	v->stage = ASK;
	v->protocol = IK_PROTOCOL_NATIVE;
	ik_loop_defer(v->loop, look_at_file(v) ? next_stage : next_path, v);
}

static void on_signal(void *arg, int number)
{
	struct validation *v = arg;

	v->status = 128 + number;
	ik_loop_stop(v->loop);
}

int ik_cli_validate(const struct ik_options *options, struct ik_setup *setup)
{
	struct validation v = { .options = options, .setup = setup };
	struct ik_signal *interrupt, *terminate;
	struct ik_error error;

	v.loop = ik_loop_new(&error);
	if (!v.loop) {
		ik_complain(error.text);
		return 1;
	}
	interrupt = ik_signal_new(v.loop, SIGINT, on_signal, &v);
	terminate = ik_signal_new(v.loop, SIGTERM, on_signal, &v);
	ik_children_become_reaper(v.loop, "/proc/self/exe");
	v.environment = ik_setup_tool_environment(setup);
	v.source = ik_source_directory_new(v.loop,
		&(struct ik_source_directory_options){
			.path = "/",
			.origin = IK_SOURCE_USER,
		});
	ik_buf_init(&v.output, IK_LIMIT_SCHEMA);
	ik_buf_init(&v.errors, IK_LIMIT_TOOL_OUTPUT);
	ik_loop_defer(v.loop, next_path, &v);
	if (ik_loop_run(v.loop, &error) != IK_OK) {
		ik_complain(error.text);
		v.status = 1;
	}
	forget(&v);
	v.source->ops->close(v.source);
	ik_source_unref(v.source);
	ik_buf_done(&v.output);
	ik_buf_done(&v.errors);
	interrupt = ik_signal_close(interrupt);
	terminate = ik_signal_close(terminate);
	ik_children_end(v.loop);
	ik_loop_free(v.loop);
	ik_environment_free(v.environment);
	return v.status;
}
