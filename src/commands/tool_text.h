/*
 * tool_text: tools in words, for /tool and `ikigai tool`.
 *
 * Pure: registry in, text out (not sanitised; the caller does that). May include: util, json,
 * tool/registry.h.
 */
#ifndef IK_COMMANDS_TOOL_TEXT_H
#define IK_COMMANDS_TOOL_TEXT_H

#include "tool/registry.h"

/* Append "Available tools:" and a line each, or "No tools available."; with all, also the tools
 * that are not offered, and why. */
void ik_tool_text_list(const struct ik_registry *registry, bool all, struct ik_buf *out);

/* Append one tool with its parameters and returns, or, if there is no tool of that name, a sentence
 * that says what to do. hint is the command that lists the tools. */
void ik_tool_text_show(const struct ik_registry *registry, const char *name, const char *hint,
	struct ik_buf *out);

/* Append "Tools refreshed. N tools available.", and the failed ones with the reason. */
void ik_tool_text_refreshed(const struct ik_registry *registry, struct ik_buf *out);

/* Append one line, without a line feed, with the differences between two scans: which tools are
 * new, changed, failed (and why) or gone. Return false if there are none. */
bool ik_tool_text_changes(const struct ik_registry *before, const struct ik_registry *after,
	struct ik_buf *out);

/* Append the array of `tool list --json`, or the object of `tool show --json`. */
void ik_tool_json_list(const struct ik_registry *registry, bool all, struct ik_buf *out);
void ik_tool_json_show(const struct ik_tool *tool, struct ik_buf *out);

#endif
