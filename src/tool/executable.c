#include "tool/executable.h"

#include <stdlib.h>

#include "guard/sandbox.h"
#include "loop/orphans.h"
#include "tool/run.h"
#include "util/alloc.h"

/* From SIGTERM to SIGKILL, and how long to wait for output after the leader's end. */
enum { KILL_AFTER_MS = 2000, GRACE_MS = 250 };

struct executable {
	struct ik_call call;
	struct ik_child *child; /* reports to the caller */
};

static void executable_cancel(struct ik_call *call)
{
	ik_child_cancel(((struct executable *)call)->child);
}

static void executable_close(struct ik_call *call)
{
	ik_child_close(((struct executable *)call)->child);
	free(call);
}

struct ik_call *ik_executable_call(struct ik_loop *loop, const struct ik_call_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_error *error)
{
	static const struct ik_call_ops ops = { executable_cancel, executable_close };
	struct executable *executable = ik_alloc(sizeof(*executable));
	const struct ik_tool *tool = spec->tool;
	bool native = tool->protocol == IK_PROTOCOL_NATIVE;
	const char *const *environment = spec->environments[tool->protocol];
	char *id = spec->id ? ik_format(IK_CALL_VARIABLE "=%s", spec->id) : NULL;
	const char *const ours[] = { "IKIGAI_LIVE=1", id ? id : IK_CALL_VARIABLE,
		spec->sandbox ? spec->sandbox : IK_SANDBOX_VARIABLE, NULL };
	const char **live = native ? ik_environment_with(environment, ours) : NULL;
	const char *const argv[] = { tool->path, native ? NULL : "run", NULL };
	struct ik_child_spec child = {
		.path = tool->path,
		.identity = tool->pinned ? &tool->identity : NULL,
		.argv = argv,
		.environment = native ? live : environment,
		.directory = spec->directory,
		.confinement = spec->confinement,
		.input = spec->arguments,
		.input_length = spec->length,
		.timeout_ms = spec->timeout_ms,
		.kill_after_ms = KILL_AFTER_MS,
		.grace_ms = GRACE_MS,
		.memory_limit = spec->memory_limit,
	};
	enum ik_status status;

	executable->call.ops = &ops;
	status = ik_child_start(loop, &child, events, arg, &executable->child, error);
	free(live);
	free(id);
	if (status == IK_OK)
		return &executable->call;
	free(executable);
	return NULL;
}
