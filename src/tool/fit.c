#include "tool/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard/sandbox.h"
#include "loop/child.h"
#include "loop/spawn.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Time to read and scale the largest picture on a slow machine. */
#define TIMEOUT_MS 60000
/* Limits on the line before the file, and on what the program says of a failure. */
#define LINE_MOST IK_KIB(1)
#define PROBLEM_MOST 400

struct ik_fit {
	struct ik_fit_options options;
	ik_fit_done *done;
	void *arg;
	struct ik_child *child;
	struct ik_buf output, errors;
	struct ik_error error; /* why the child could not be started */
};

bool ik_fit_begins(const char *bytes, size_t length)
{
	static const struct {
		const char *bytes;
		size_t length;
	} marks[] = {
		{ "\x89PNG\r\n\x1a\n", 8 },
		{ "\xff\xd8\xff", 3 },
		{ "GIF87a", 6 },
		{ "GIF89a", 6 },
		{ "%PDF-", 5 },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (length >= marks[i].length && memcmp(bytes, marks[i].bytes, marks[i].length) == 0)
			return true;
	return length >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0;
}

/* Read the line that precedes the file, and take the file's bytes. Return false if the output is
 * something else. */
static bool take_file(struct ik_fit *fit, struct ik_attached_file *ret_file)
{
	const char *end = memchr(fit->output.data, '\n', fit->output.length);
	struct ik_json_span line;
	char *type;

	if (!end ||
		ik_json_check(fit->output.data, (size_t)(end - fit->output.data), &line, NULL) != IK_OK)
		return false;
	type = ik_json_text_new(ik_json_member(line, "media_type"));
	snprintf(ret_file->media_type, sizeof(ret_file->media_type), "%s", type ? type : "");
	free(type);
	(void)ik_json_integer(ik_json_member(line, "width"), &ret_file->width);
	(void)ik_json_integer(ik_json_member(line, "height"), &ret_file->height);
	ik_buf_consume(&fit->output, (size_t)(end - fit->output.data) + 1);
	if (ik_buf_status(&fit->output) == IK_OK && ret_file->media_type[0] != '\0')
		ret_file->bytes = ik_bytes_take(&fit->output);
	return ret_file->bytes;
}

/* Report why there is no file: the first line that the child said. */
static void report_problem(struct ik_fit *fit)
{
	size_t length = strcspn(fit->errors.data, "\n");

	if (length == 0) {
		ik_buf_clear(&fit->errors);
		ik_buf_puts(&fit->errors, fit->options.tool ? "it cannot be read" : _("it cannot be read"));
		length = fit->errors.length;
	}
	ik_buf_truncate(&fit->errors, length);
	fit->done(fit->arg, NULL, fit->errors.data);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_fit *fit = arg;
	struct ik_buf *out = stream == IK_STDOUT ? &fit->output : &fit->errors;
	size_t room = out->ceiling - out->length;

	/* More than it may be: the limit has been reached, and the rest is missing. */
	ik_buf_append(out, bytes, stream == IK_STDOUT || length < room ? length : room);
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	struct ik_fit *fit = arg;
	struct ik_attached_file file = { .bytes = NULL };

	fit->child = ik_child_close(fit->child);
	if (result->exited && result->exit_code == 0 && take_file(fit, &file))
		fit->done(fit->arg, &file, NULL);
	else
		report_problem(fit);
	ik_bytes_unref(file.bytes);
}

const char **ik_fit_environment(bool for_tool)
{
	static const char *const wanted[] = { "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "LSAN_OPTIONS=",
		"UBSAN_OPTIONS=", "LANG=", "LANGUAGE=", "LC_" };
	size_t all = sizeof(wanted) / sizeof(*wanted), languages = 3;

	return ik_spawn_environment(wanted, for_tool ? all - languages : all);
}

/* Start the program: itself, or through a shell that opens the file. */
static enum ik_status start_child(struct ik_fit *fit)
{
	static const struct ik_child_events events = { on_output, on_done };
	const struct ik_fit_options *options = &fit->options;
	char *edge = ik_format("%d", IK_PICTURE_EDGE), *bytes = ik_format("%zu", IK_PICTURE_BYTES);
	const char *own[] = { options->program, "fit", edge, bytes, NULL };
	const char *shell[] = { "sh", "-c", "exec \"$0\" fit \"$1\" \"$2\" <\"$3\"", options->program,
		edge, bytes, options->path, NULL };
	const char **environment = ik_fit_environment(options->tool);
	struct ik_child_spec spec = {
		.path = options->path ? "/bin/sh" : options->program,
		.argv = options->path ? shell : own,
		.environment = environment,
		.directory = options->directory,
		.input = options->path ? NULL : options->bytes,
		.input_length = options->path ? 0 : options->length,
		.timeout_ms = TIMEOUT_MS,
	};
	enum ik_status status = ik_sandbox_start(options->sandbox, options->tool, IK_SANDBOX_CALL,
		options->loop, &spec, &events, fit, &fit->child, &fit->error);

	free(environment);
	free(bytes);
	free(edge);
	return status;
}

/* Report that the child could not be started (deferred). */
static void report_start(void *arg)
{
	struct ik_fit *fit = arg;

	fit->done(fit->arg, NULL, fit->error.text);
}

struct ik_fit *ik_fit_start(const struct ik_fit_options *options, ik_fit_done *done, void *arg)
{
	struct ik_fit *fit = ik_alloc(sizeof(*fit));

	fit->options = *options;
	fit->done = done;
	fit->arg = arg;
	ik_buf_init(&fit->output, IK_LIMIT_DOCUMENT + LINE_MOST);
	ik_buf_init(&fit->errors, PROBLEM_MOST);
	if (start_child(fit) != IK_OK)
		ik_loop_defer(options->loop, report_start, fit);
	return fit;
}

/* Free it (deferred). */
static void release(void *arg)
{
	struct ik_fit *fit = arg;

	ik_buf_done(&fit->output);
	ik_buf_done(&fit->errors);
	free(fit);
}

struct ik_fit *ik_fit_close(struct ik_fit *fit)
{
	if (!fit)
		return NULL;
	fit->child = ik_child_close(fit->child);
	ik_loop_cancel_deferred(fit->options.loop, report_start, fit);
	ik_loop_defer(fit->options.loop, release, fit);
	return NULL;
}
