/*
 * executable: run the call of a tool that is an executable file, in a process of its own.
 *
 * A native tool is started without arguments, in the environment of native tools plus IKIGAI_LIVE=1
 * (and IKIGAI_SANDBOX=MODE); a Kodelet tool as `TOOL run`, in its own environment and nothing else.
 *
 * May include: util, loop, tool/source.h.
 */
#ifndef IK_TOOL_EXECUTABLE_H
#define IK_TOOL_EXECUTABLE_H

#include "tool/source.h"

/* The operation `call` of a source: start the process of spec->tool->path. */
struct ik_call *ik_executable_call(struct ik_loop *loop, const struct ik_call_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_error *error);

#endif
