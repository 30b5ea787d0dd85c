/*
 * tool_text: tools in words, for /tool and `ikigai tool`.
 *
 * Pure: registry in, text out (not sanitised: whoever shows it does that).
 * May include: util, json, tool/registry.h.
 */
#ifndef IK_COMMANDS_TOOL_TEXT_H
#define IK_COMMANDS_TOOL_TEXT_H

#include "tool/registry.h"

/* "Available tools:" and a line each; with all also what is not offered and
 * why; "No tools available." */
void ik_tool_text_list(const struct ik_registry *registry, bool all, struct ik_buf *out);

/* One tool with parameters and returns; the sentence that says what to do when
 * there is none of that name. hint names the command that lists. */
void ik_tool_text_show(const struct ik_registry *registry, const char *name, const char *hint,
	struct ik_buf *out);

/* "Tools refreshed. N tools available." with the failed ones and why. */
void ik_tool_text_refreshed(const struct ik_registry *registry, struct ik_buf *out);

/* One line, without its end, of what differs between two scans: which tools are new, offered
 * otherwise, failed (and why), gone. False when nothing does. */
bool ik_tool_text_changes(const struct ik_registry *before, const struct ik_registry *after,
	struct ik_buf *out);

/* The array of `tool list --json`, the object of `tool show --json`. */
void ik_tool_json_list(const struct ik_registry *registry, bool all, struct ik_buf *out);
void ik_tool_json_show(const struct ik_tool *tool, struct ik_buf *out);

#endif
