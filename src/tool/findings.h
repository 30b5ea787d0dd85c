/*
 * findings: all that is wrong, or could be better, in what a tool says of itself.
 *
 * The reader (tool/protocol.h) stops at the first fault, as a scan wants it; the
 * author of a tool wants to hear of all of them at once.  What is a fault is
 * the reader's word alone: it is asked about each member by itself.
 *
 * Pure.  May include: util, json, tool/protocol.h, tool/registry.h.
 */
#ifndef IK_TOOL_FINDINGS_H
#define IK_TOOL_FINDINGS_H

#include "tool/registry.h"

struct ik_finding {
	bool fault;       /* the tool is refused for it; else advice */
	const char *code; /* of a fault: "INVALID_SCHEMA", ... */
	const char *sentence;
	int line; /* of the announcement, from 1; 0: of the whole */
};

/* The finding and its sentence live for the call only. */
typedef void ik_finding_sink(void *arg, const struct ik_finding *finding);

/* Tell each finding about an announcement in the way of protocol, top to bottom. */
void ik_findings(enum ik_tool_protocol protocol, const char *text, size_t length,
	ik_finding_sink *sink, void *arg);

#endif
