#include "tool/mcp/transport.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard/sandbox.h"
#include "tool/run.h"
#include "util/alloc.h"
#include "util/line_splitter.h"
#include "util/path.h"
#include "util/text.h"

/* What waits for a server that doesn't read. */
#define BACKLOG_LIMIT IK_MIB(64)
/* A server that was told to end by the end of its input gets SIGTERM, and then SIGKILL. */
enum { END_MS = 1000, KILL_AFTER_MS = 2000, GRACE_MS = 250 };

struct stdio {
	struct ik_mcp_transport transport;
	struct ik_loop *loop;
	struct ik_child *child;
	struct ik_line_splitter lines;
};

static void on_line(void *arg, const char *text, size_t length)
{
	struct stdio *stdio = arg;

	if (stdio->child)
		stdio->transport.events->message(stdio->transport.arg, text, length);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct stdio *stdio = arg;

	if (stream == IK_STDERR)
		stdio->transport.events->log(stdio->transport.arg, bytes, length);
	else
		ik_line_splitter_add(&stdio->lines, IK_MCP_MESSAGE_LIMIT, bytes, length, on_line, stdio);
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	struct stdio *stdio = arg;
	char *sentence;

	if (result->exited)
		sentence = ik_format(_("the server ended with exit status %d"), result->exit_code);
	else
		sentence = ik_format(_("the server was ended by signal %d (%s)"), result->signal_number,
			strsignal(result->signal_number));
	stdio->transport.events->over(stdio->transport.arg, sentence, result);
	free(sentence);
}

static bool stdio_send(struct ik_mcp_transport *transport, struct ik_json_span message,
	struct ik_json_span schema)
{
	return ik_child_write(((struct stdio *)transport)->child, message.text, message.length + 1);
}

static void stdio_end(struct ik_mcp_transport *transport)
{
	ik_child_end(((struct stdio *)transport)->child, END_MS);
}

/* Deferred: a line may be at work. */
static void release(void *arg)
{
	struct stdio *stdio = arg;

	ik_line_splitter_done(&stdio->lines);
	free(stdio);
}

static void stdio_close(struct ik_mcp_transport *transport)
{
	struct stdio *stdio = (struct stdio *)transport;

	stdio->child = ik_child_close(stdio->child);
	ik_loop_defer(stdio->loop, release, stdio);
}

/* Return the value of a variable in an environment; NULL: it is not there. */
static const char *value_of(const char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

/* Return the directory that a server is started in (new memory). */
static char *directory_of(const struct ik_mcp_entry *entry, const struct ik_mcp_options *options)
{
	const char *base = options->directory ? options->directory : ".";

	return ik_path_join(base, entry->cwd ? entry->cwd : "");
}

char *ik_mcp_stdio_program(const struct ik_mcp_entry *entry, const struct ik_mcp_options *options)
{
	const char *path = value_of((const char *const *)entry->env, "PATH"), *end;
	char *directory = directory_of(entry, options), *found = NULL;

	if (!path)
		path = value_of(options->environment, "PATH");
	if (strchr(entry->command, '/')) {
		found = ik_path_join(directory, entry->command);
		path = NULL;
	}
	for (; path && !found; path = *end ? end + 1 : NULL) {
		char *place, *whole;

		end = path + strcspn(path, ":");
		place = ik_strndup(path, (size_t)(end - path));
		whole = ik_path_join(directory, place);
		found = ik_path_join(whole, entry->command);
		if (access(found, X_OK) != 0) {
			free(found);
			found = NULL;
		}
		free(whole);
		free(place);
	}
	free(directory);
	return found;
}

/* Return the command line: the program by the name that was written, and the arguments. */
static const char **command_line(const struct ik_mcp_entry *entry)
{
	size_t count = 0;
	const char **argv;

	while (entry->args && entry->args[count])
		count++;
	argv = ik_alloc((count + 2) * sizeof(*argv));
	argv[0] = entry->command;
	for (size_t i = 0; i < count; i++)
		argv[i + 1] = entry->args[i];
	return argv;
}

struct ik_mcp_transport *ik_mcp_stdio_new(struct ik_loop *loop, const struct ik_mcp_entry *entry,
	const struct ik_mcp_options *options, const struct ik_mcp_transport_events *events, void *arg,
	struct ik_error *error)
{
	static const struct ik_mcp_transport_ops ops = { stdio_send, stdio_end, stdio_close };
	static const struct ik_child_events heard = { on_output, on_done };
	struct stdio *stdio = ik_alloc(sizeof(*stdio));
	char *directory = directory_of(entry, options);
	const char *const ours[] = { IK_MCP_INSIDE "=1",
		ik_sandbox_variable(options->sandbox, entry->name), NULL };
	const char **argv = command_line(entry), **environment, **whole = NULL;
	char *program = ik_mcp_stdio_program(entry, options);
	struct ik_child_spec spec = {
		.path = program,
		.argv = argv,
		.directory = directory,
		.input_room = BACKLOG_LIMIT,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
		.memory_limit = options->memory_limit,
	};
	enum ik_status status;

	stdio->transport = (struct ik_mcp_transport){ &ops, events, arg, NULL };
	stdio->loop = loop;
	environment = ik_environment_with(options->environment, ours);
	if (entry->env)
		whole = ik_environment_with(environment, (const char *const *)entry->env);
	spec.environment = whole ? whole : environment;
	status = program ? ik_sandbox_start(options->sandbox, entry->name, IK_SANDBOX_CALL, loop, &spec,
						   &heard, stdio, &stdio->child, error)
					 : ik_error_set(error, IK_NOT_FOUND, _("the command %s was not found in PATH"),
						   entry->command);
	free(whole);
	free(environment);
	free(program);
	free(argv);
	free(directory);
	if (status != IK_OK) {
		release(stdio);
		return NULL;
	}
	return &stdio->transport;
}
