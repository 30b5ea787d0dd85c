#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/print.h"
#include "guard/permissions.h"
#include "loop/child.h"
#include "tool/envelope.h"
#include "tool/findings.h"
#include "tool/protocol.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* Time limits in milliseconds: for a descendant that holds the pipes open, and after SIGTERM. */
enum { GRACE_MS = 250, KILL_AFTER_MS = 2000 };
/* Limits on the bytes shown of an envelope and of standard error. */
enum { ENVELOPE_SHOWN = 2000, EXCERPT_SHOWN = 200 };
/* A larger schema gets a suggestion, because it is sent with every request. */
enum { SCHEMA_BYTES_MUCH = 4096 };

/* The validation of all executables, and the current one. */
struct validation {
	struct ik_cli cli;
	struct ik_source *source; /* runs the calls; never scanned */
	int tools, faults, advice;

	char *path;  /* absolute */
	bool pinned; /* part of the project: run it only while it is unchanged */
	struct ik_identity identity;
	enum ik_tool_protocol protocol;
	struct ik_child *child;
	struct ik_child_result result; /* of the last run */
	struct ik_buf output, errors;
	struct ik_tool tool; /* the tool that it describes */
};

/* ---- the report, printed as it goes, because a tool may be slow ---- */

enum validation_finding { FINE, WRONG, ADVICE };

/* Print "  word    sentence", with the words in a column. code names the error, or is NULL. */
IK_PRINTF(4, 5)
static void say(struct validation *v, enum validation_finding finding, const char *code,
	const char *format, ...)
{
	static const char *const words[] = { N_("ok"), N_("wrong"), N_("advice") };
	struct ik_buf out;
	va_list arguments;

	v->faults += finding == WRONG;
	v->advice += finding == ADVICE;
	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_buf_puts(&out, "  ");
	ik_utf8_put_cell(&out, _(words[finding]), 6);
	ik_buf_printf(&out, "  %s%s", code ? code : "", code ? ": " : "");
	va_start(arguments, format);
	ik_buf_vprintf(&out, format, arguments);
	va_end(arguments);
	ik_buf_putc(&out, '\n');
	ik_cli_print_buf(&v->cli, &out);
	ik_buf_done(&out);
}

/* Print JSON, cut to ENVELOPE_SHOWN bytes. */
static void put_json(struct validation *v, const char *json, size_t length)
{
	size_t shown = ik_utf8_cut(json, length, ENVELOPE_SHOWN);

	ik_cli_print(&v->cli, "          %.*s%s\n", (int)shown, json, shown < length ? "…" : "");
}

/* ---- one run of the executable ---- */

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct validation *v = arg;

	ik_buf_append(stream == IK_STDOUT ? &v->output : &v->errors, bytes, length);
	if (ik_buf_status(&v->output) != IK_OK)
		ik_child_cancel(v->child);
}

static void on_child_done(void *arg, const struct ik_child_result *result)
{
	struct validation *v = arg;

	v->result = *result;
	ik_cli_go_on(&v->cli);
}

/* Run it with one argument (or NULL) and an input, and wait for its end. Return false if it can't
 * be run. */
static bool run(struct validation *v, const char *argument, const char *input, int64_t timeout_ms)
{
	static const struct ik_child_events events = { on_output, on_child_done };
	const char *const argv[] = { v->path, argument, NULL };
	struct ik_child_spec spec = {
		.path = v->path,
		.identity = v->pinned ? &v->identity : NULL,
		.argv = argv,
		.environment = (const char *const *)v->cli.environment,
		.directory = v->cli.setup->places.directory,
		.input = input,
		.input_length = input ? strlen(input) : 0,
		.timeout_ms = timeout_ms,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
	};
	struct ik_error error;
	bool ended;

	if (v->pinned && !ik_identity_holds(v->path, &v->identity)) {
		say(v, WRONG, "NOT_TRUSTED", _("it was changed meanwhile"));
		return false;
	}
	ik_buf_done(&v->output);
	ik_buf_done(&v->errors);
	ik_buf_init(&v->output, IK_LIMIT_SCHEMA);
	ik_buf_init(&v->errors, IK_LIMIT_TOOL_OUTPUT);
	/* Once its description is known, run it in the sandbox like a call of the tool. */
	if (ik_sandbox_start(v->cli.setup->sandbox, v->tool.name ? v->tool.name : ik_path_base(v->path),
			v->tool.name ? IK_SANDBOX_CALL : IK_SANDBOX_QUESTION, v->cli.loop, &spec, &events, v,
			&v->child, &error) != IK_OK) {
		say(v, WRONG, "SPAWN_FAILED", _("it cannot be started: %s"), error.text);
		return false;
	}
	ended = ik_cli_wait(&v->cli);
	v->child = ik_child_close(v->child);
	return ended;
}

/* ---- its description ---- */

/* Return the first words of what a program printed, on one line; the caller frees it. */
static char *excerpt(const char *bytes, size_t length)
{
	char *copy;
	size_t i;

	while (length > 0 && strchr(" \t\r\n", bytes[0])) {
		bytes++;
		length--;
	}
	if (length == 0)
		return ik_strdup("");
	copy = ik_strndup(bytes, ik_utf8_cut(bytes, length, EXCERPT_SHOWN));
	for (i = 0; copy[i] != '\0'; i++)
		if (copy[i] == '\n' || copy[i] == '\r' || copy[i] == '\t')
			copy[i] = ' ';
	while (i > 0 && copy[i - 1] == ' ')
		copy[--i] = '\0';
	return copy;
}

/* Return line number of a text, without surrounding blanks; no value if there is no such line. */
static struct ik_json_span line_of(const char *text, int number)
{
	const char *end;

	while (--number > 0 && (text = strchr(text, '\n')))
		text++;
	if (!text)
		return (struct ik_json_span){ NULL, 0 };
	end = text + strcspn(text, "\n");
	while (text < end && strchr(" \t\r,", *text))
		text++;
	while (text < end && strchr(" \t\r,", end[-1]))
		end--;
	return (struct ik_json_span){ text, (size_t)(end - text) };
}

/* Return the number of the only line in the file that equals the given line of the description; 0
 * if none or several do. */
static int find_in_file(const char *path, const char *announcement, int line)
{
	struct ik_json_span wanted = line_of(announcement, line);
	const char *found = NULL, *end;
	struct ik_buf file;
	int number = 0;

	ik_buf_init(&file, IK_LIMIT_SCHEMA);
	/* A binary's schema isn't edited in the file itself. */
	if (wanted.length > 0 && ik_file_read(path, &file, NULL) == IK_OK &&
		ik_text_starts(file.data, "#!"))
		found = memmem(file.data, file.length, wanted.text, wanted.length);
	end = file.data + file.length;
	if (found && !memmem(found + 1, (size_t)(end - found) - 1, wanted.text, wanted.length))
		number = ik_json_line(file.data, found);
	ik_buf_done(&file);
	return number;
}

static void on_finding(void *arg, const struct ik_finding *finding)
{
	struct validation *v = arg;
	int line = finding->line > 0 ? find_in_file(v->path, v->output.data, finding->line) : 0;
	char *sentence;

	if (line > 0)
		sentence = ik_format("%s:%d: %s", ik_path_base(v->path), line, finding->sentence);
	else if (finding->line > 0)
		sentence = ik_format(_("line %d of what it prints: %s"), finding->line, finding->sentence);
	else
		sentence = ik_strdup(finding->sentence);
	say(v, finding->fault ? WRONG : ADVICE, finding->fault ? finding->code : NULL, "%s", sentence);
	free(sentence);
}

/* Return why the answer can't be read, or NULL if it can. The caller frees it. */
static char *refused(const struct validation *v, const char **ret_code)
{
	const struct ik_child_result *result = &v->result;
	const char *question = ik_protocol_question(v->protocol);
	char *said = excerpt(v->errors.data, v->errors.length);
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
			question, (long long)v->cli.setup->config->tools_scan_timeout_ms);
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

/* Ask the executable to describe itself. Return false, after printing why, if it doesn't. */
static bool ask(struct validation *v)
{
	int64_t timeout_ms = v->cli.setup->config->tools_scan_timeout_ms;
	const char *code = NULL, *other_code;
	char *refusal, *other;
	bool answers;

	v->protocol = IK_PROTOCOL_NATIVE;
	if (!run(v, ik_protocol_question(v->protocol), NULL, timeout_ms))
		return false;
	refusal = refused(v, &code);
	answers = !refusal;
	/* It may use the other protocol. */
	if (refusal && (ik_text_equal(code, "SCHEMA_EXIT") || ik_text_equal(code, "INVALID_JSON"))) {
		v->protocol = IK_PROTOCOL_KODELET;
		if (!run(v, ik_protocol_question(v->protocol), NULL, timeout_ms)) {
			free(refusal);
			return false;
		}
		other = refused(v, &other_code);
		answers = !other;
		free(other);
	}
	/* The author has to fix the first answer. */
	if (!answers)
		say(v, WRONG, code, "%s", refusal);
	free(refusal);
	return answers;
}

/* Report all findings about the description. Return false if it does not describe a tool. */
static bool describe(struct validation *v)
{
	say(v, FINE, NULL, _("it answers %s within %lld ms"), ik_protocol_question(v->protocol),
		(long long)v->result.duration_ms);
	ik_findings(v->protocol, v->output.data, v->output.length, on_finding, v);
	if (ik_protocol_read(v->protocol, v->output.data, v->output.length, &v->tool) != IK_OK)
		return false;
	say(v, FINE, NULL, _("it is the tool \"%s\""), v->tool.name);
	return true;
}

/* ---- its calls ---- */

/* Return what a failed call reveals about the tool; the caller frees it. */
static char *explain(const struct ik_tool *tool, struct ik_json_span envelope)
{
	struct ik_json_span code = ik_json_member(envelope, "error_code");
	int64_t status = 0;

	(void)ik_json_integer(ik_json_member(envelope, "exit_code"), &status);
	if (ik_json_string_is(code, "TOOL_CRASHED"))
		return ik_format(_("called with {} it ends with exit code %d; answer {\"error\": \"...\", "
						   "\"error_code\": \"...\"} and exit with 0, so that the model can mend "
						   "its call"),
			(int)status);
	if (ik_json_string_is(code, "INVALID_OUTPUT"))
		return ik_strdup(_("called with {} it prints no JSON; print one JSON value on standard "
						   "output, and everything else on standard error"));
	if (ik_json_string_is(code, "TOOL_TIMEOUT"))
		return ik_strdup(_("called with {} it does not end; read standard input to its end, "
						   "answer, exit; a tool that needs longer says \"timeout_s\" in its "
						   "schema"));
	return ik_format(_("called with {} tool \"%s\" could not be run"), tool->name);
}

/* Does the schema reject {}, so that the tool never receives it? */
static bool needs_arguments(const struct ik_tool *tool)
{
	struct ik_json_span schema = { tool->parameters, tool->parameters_length };

	return ik_json_count(ik_json_member(schema, "required")) > 0;
}

static void on_run_done(void *arg, const struct ik_run_result *result)
{
	struct validation *v = arg;
	struct ik_json_span envelope = { result->envelope, result->envelope_length };
	char *sentence, *code;

	if (ik_envelope_succeeded(envelope)) {
		say(v, FINE, NULL, _("called with {} it answers; a model would see"));
	} else if (v->protocol == IK_PROTOCOL_KODELET) {
		/* In that protocol, an exit status reports an error. */
		say(v, FINE, NULL, _("called with {} it fails; a model would see"));
	} else {
		sentence = explain(&v->tool, envelope);
		code = ik_json_string_new(ik_json_member(envelope, "error_code"), NULL);
		if (needs_arguments(&v->tool))
			say(v, ADVICE, NULL, "%s", sentence);
		else
			say(v, WRONG, code ? code : "", "%s", sentence);
		free(code);
		free(sentence);
	}
	put_json(v, result->envelope, result->envelope_length);
	ik_cli_go_on(&v->cli);
}

/* Call the tool with {}, even if its schema rejects that. */
static bool call_empty(struct validation *v)
{
	static const struct ik_run_events events = { .done = on_run_done };
	struct ik_run_options options = ik_core_run_options(v->cli.loop, v->cli.setup,
		v->cli.environment);
	struct ik_tool tool = {
		.name = ik_strdup(v->tool.name),
		.path = ik_strdup(v->path),
		.protocol = v->protocol,
		.timeout_s = v->tool.timeout_s,
		.source = IK_SOURCE_USER,
		.owner = ik_source_ref(v->source),
	};
	struct ik_registry *registry = ik_registry_new();
	struct ik_run *call;
	bool ended;

	ik_registry_add(registry, &tool);
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	call = ik_run_start(&options, registry, v->tool.name, "{}", 2, &events, v);
	ended = ik_cli_wait(&v->cli);
	(void)ik_run_close(call);
	(void)ik_registry_unref(registry);
	return ended;
}

/* Run it with input that is not JSON. */
static bool call_wrongly(struct validation *v)
{
	bool native = v->protocol == IK_PROTOCOL_NATIVE;
	int code;

	if (!run(v, native ? NULL : "run", "this is no JSON\n",
			v->cli.setup->config->tools_timeout_s * 1000))
		return false;
	code = v->result.exited ? v->result.exit_code : 128 + v->result.signal_number;
	if (v->result.timed_out)
		say(v, ADVICE, NULL, _("given input that is not JSON it does not end"));
	else if (code != 0 && native)
		say(v, ADVICE, NULL,
			_("given input that is not JSON it ends with exit code %d; better answer {\"error\": "
			  "\"...\", \"error_code\": \"INVALID_ARG\"} and exit with 0 (ikigai never sends such "
			  "input, but people and other programs may)"),
			code);
	else if (native && ik_json_check(v->output.data, v->output.length, NULL, NULL) != IK_OK)
		say(v, ADVICE, NULL,
			_("given input that is not JSON it prints no JSON either; better answer {\"error\": "
			  "\"...\", \"error_code\": \"INVALID_ARG\"}"));
	else
		say(v, FINE, NULL, _("it copes with input that is not JSON"));
	return true;
}

/* Print the tool as it is sent to each provider, with its size. */
static void put_views(struct validation *v)
{
	static const char *const providers[] = { "openai", "anthropic", "google" };
	struct ik_json_span value;
	struct ik_buf view;
	bool strict = false;

	ik_cli_print(&v->cli, "  %s\n", _("What providers are told of it with each request:"));
	for (size_t i = 0; i < sizeof(providers) / sizeof(*providers); i++) {
		ik_buf_init(&view, IK_LIMIT_ENVELOPE);
		if (ik_model_put_tool(v->cli.setup->config, providers[i], &v->tool, &view, NULL) == IK_OK &&
			ik_json_check(view.data, view.length, &value, NULL) == IK_OK) {
			strict = ik_json_bool(ik_json_member(value, "strict"), &strict) && strict;
			ik_cli_print(&v->cli,
				ngettext("  %-9s  %zu byte%s\n", "  %-9s  %zu bytes%s\n", view.length),
				providers[i], view.length,
				i == 0 ? strict ? _(", strict") : _(", not strict") : "");
			put_json(v, view.data, view.length);
			if (i == 1 && view.length > SCHEMA_BYTES_MUCH)
				say(v, ADVICE, NULL,
					_("its schema is sent with every request; can it do with less than %zu bytes?"),
					view.length);
		}
		ik_buf_done(&view);
	}
}

/* ---- one executable after another ---- */

/* Can the executable be run at all? Report any problem. */
static bool look_at_file(struct validation *v)
{
	const char *base = ik_path_base(v->path);
	struct ik_error error;
	struct stat status;

	if (stat(v->path, &status) != 0) {
		say(v, WRONG, "SPAWN_FAILED", "%s: %s", v->path, strerror(errno));
		return false;
	}
	if (!S_ISREG(status.st_mode)) {
		say(v, WRONG, "SPAWN_FAILED", _("it is no regular file"));
		return false;
	}
	if (access(v->path, X_OK) != 0) {
		say(v, WRONG, "SPAWN_FAILED", _("it is not executable: chmod +x %s"), v->path);
		return false;
	}
	if (base[0] == '.' || base[strlen(base) - 1] == '~')
		say(v, ADVICE, NULL,
			_("files that begin with a dot or end in ~ are passed over in tool directories"));
	if (ik_permissions_check(v->path, &error) != IK_OK) {
		say(v, WRONG, "UNSAFE_PERMISSIONS", "%s", error.text);
		return false;
	}
	v->pinned = ik_core_is_project_tool(v->cli.setup, v->path);
	if (v->pinned && !ik_project_trusts(&v->cli.setup->project, v->path, &v->identity, &error)) {
		say(v, WRONG, "NOT_TRUSTED", "%s", error.text);
		return false;
	}
	say(v, FINE, NULL, _("it is an executable that only you can change"));
	return true;
}

static void check(struct validation *v, const char *operand)
{
	v->path = ik_path_join(v->cli.setup->places.directory, operand);
	ik_cli_print(&v->cli, "%s%s\n", v->tools > 0 ? "\n" : "", operand);
	v->tools++;
	if (look_at_file(v) && ask(v) && describe(v) && call_empty(v) && call_wrongly(v))
		put_views(v);
	ik_tool_clear(&v->tool);
	free(v->path);
}

/* Print the summary line. */
static void put_sum(struct validation *v)
{
	char *faults = ik_format(ngettext("%d problem", "%d problems", v->faults), v->faults);
	char *advice = ik_format(ngettext("%d suggestion", "%d suggestions", v->advice), v->advice);

	/* Translators: the two parts are "1 problem" and "2 suggestions". */
	ik_cli_print(&v->cli,
		ngettext("\n%d executable: %s, %s\n", "\n%d executables: %s, %s\n", v->tools), v->tools,
		faults, advice);
	free(faults);
	free(advice);
}

int ik_cli_validate(const struct ik_options *options, struct ik_setup *setup)
{
	struct validation v = { .tools = 0 };

	if (!ik_cli_open(&v.cli, options, setup))
		return 1;
	v.source = ik_source_directory_new(v.cli.loop,
		&(struct ik_source_directory_options){
			.path = "/",
			.origin = IK_SOURCE_USER,
		});
	ik_buf_init(&v.output, IK_LIMIT_SCHEMA);
	ik_buf_init(&v.errors, IK_LIMIT_TOOL_OUTPUT);
	for (char *const *operand = options->operands; *operand && v.cli.signal == 0; operand++)
		check(&v, *operand);
	if (v.cli.signal == 0)
		put_sum(&v);
	v.source->ops->close(v.source);
	ik_source_unref(v.source);
	ik_buf_done(&v.output);
	ik_buf_done(&v.errors);
	return ik_cli_close(&v.cli, v.faults > 0);
}
