/*
 * servers: the MCP servers that the files mcp.json and .mcp.json name.
 *
 *     {"mcpServers": {"NAME": {"command": "npx", "args": ["-y", "PACKAGE"], "env": {"K": "V"}},
 *                     "OTHER": {"url": "https://...", "headers": {"Authorization": "Bearer ${KEY}"}}}}
 *
 * The members are those that other programs have in such files, so that one file serves all. ${VAR}
 * in a value is a variable of the environment, ${VAR:-TEXT} has TEXT in place of one that is not
 * set or empty. A mistake costs only its server, which stays in the list with its problem. So does
 * a file that can't be read at all, under its own name.
 *
 * Owns its entries. May include: util, json, config.
 */
#ifndef IK_TOOL_MCP_SERVERS_H
#define IK_TOOL_MCP_SERVERS_H

#include "config/config.h"
#include "tool/mcp/entry.h"

struct ik_mcp_servers {
	struct ik_mcp_entry *items;
	size_t count;
	struct ik_string_list
		notes; /* sentences about what has no effect, for who looks for mistakes */
};

/* Where a file lies. Borrowed. */
struct ik_mcp_file {
	const char *path;
	bool project;          /* it came with a project */
	const char *directory; /* the session's, for "cwd" */
	const char *home;      /* the user's home directory, for "~"; NULL: none */
};

/* Add the servers in the text of a file, in which blanks then replace the comments. One with a name
 * that is there already takes its place. */
void ik_mcp_servers_read(struct ik_mcp_servers *servers, const struct ik_mcp_file *file,
	struct ik_buf *text);
/* Add an entry for a file that can't be read; why begins with its name. */
void ik_mcp_servers_refuse(struct ik_mcp_servers *servers, const struct ik_mcp_file *file,
	const char *why);
void ik_mcp_servers_done(struct ik_mcp_servers *servers);

/* NULL: there is none. */
const struct ik_mcp_entry *ik_mcp_servers_find(const struct ik_mcp_servers *servers,
	const char *name);

#endif
