/*
 * tool_switch: tools that the user switched on or off in the tool browser.
 *
 * Permanent switches are in tools.json in the home, an object of names: {"bash": false,
 * "grep": true}.  They override tools.disabled of the configuration, which ikigai never
 * writes; switches of the session override both.
 *
 * Owns its names.  May include: util, json.
 */
#ifndef IK_CORE_TOOL_SWITCH_H
#define IK_CORE_TOOL_SWITCH_H

#include "util/buf.h"

#include <stdbool.h>

struct ik_tool_switch {
	char *name;
	bool on;
};
struct ik_tool_switches {
	struct ik_tool_switch *items;
	size_t count;
};

void ik_tool_switches_done(struct ik_tool_switches *switches);

void ik_tool_switches_set(struct ik_tool_switches *switches, const char *name, bool on);

/* Add the switches of a file (NULL or missing: none). The error names file and line. */
enum ik_status ik_tool_switches_read(const char *path, struct ik_tool_switches *switches,
	struct ik_error *error) IK_MUST_USE;

/* Write a switch to the file. It is read again first, so that what another ikigai wrote stays. */
enum ik_status ik_tool_switch_keep(const char *path, const char *name, bool on,
	struct ik_error *error) IK_MUST_USE;

#endif
