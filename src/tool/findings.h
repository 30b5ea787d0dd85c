/*
 * findings: list everything that is wrong, or could be better, in a tool's description.
 *
 * The reader (tool/protocol.h) stops at the first error, which is enough for a scan; the author of
 * a tool wants to see all of them.  Only the reader decides what is an error: it is given each
 * member by itself.
 *
 * Pure.  May include: util, json, tool/protocol.h, tool/registry.h.
 */
#ifndef IK_TOOL_FINDINGS_H
#define IK_TOOL_FINDINGS_H

#include "tool/registry.h"

struct ik_finding {
	bool fault;       /* the tool is refused; else a suggestion */
	const char *code; /* of an error: "INVALID_SCHEMA", ... */
	const char *sentence;
	int line; /* of the description, from 1; 0: concerns all of it */
};

/* The finding and its sentence are valid during the call only. */
typedef void ik_finding_sink(void *arg, const struct ik_finding *finding);

/* Report each finding about a description in that protocol, from top to bottom. */
void ik_findings(enum ik_tool_protocol protocol, const char *text, size_t length,
	ik_finding_sink *sink, void *arg);

#endif
