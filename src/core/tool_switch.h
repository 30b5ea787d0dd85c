/*
 * tool_switch: tools that the person switched on or off in the tool browser.
 *
 * Those that hold for good are kept in tools.json in the home, an object of
 * names: {"bash": false, "grep": true}.  They come before tools.disabled of the
 * configuration, which stays as the person wrote it; those of the session come
 * before both.
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

/* The switch of that name, or NULL. */
const struct ik_tool_switch *ik_tool_switches_find(const struct ik_tool_switches *switches,
	const char *name);
void ik_tool_switches_set(struct ik_tool_switches *switches, const char *name, bool on);

/* Add those of a file (NULL, or not there: none). The error names file and line. */
enum ik_status ik_tool_switches_read(const char *path, struct ik_tool_switches *switches,
	struct ik_error *error) IK_MUST_USE;

/* Keep a switch in the file, which is read again first: what another ikigai wrote stays. */
enum ik_status ik_tool_switch_keep(const char *path, const char *name, bool on,
	struct ik_error *error) IK_MUST_USE;

#endif
