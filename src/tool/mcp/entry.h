/*
 * entry: what a configuration says about one MCP server.
 *
 * Made by who reads the files (tool/mcp/servers.h), used by the source (tool/mcp/source.h). A server
 * is a command to start, or a URL.
 *
 * Pure. May include: util.
 */
#ifndef IK_TOOL_MCP_ENTRY_H
#define IK_TOOL_MCP_ENTRY_H

#include <stdbool.h>

/* All strings and lists are owned; lists are NULL-terminated, and NULL if there is none. */
struct ik_mcp_entry {
	char *name;
	char *file;   /* that says so, for the user */
	bool project; /* it came with a project: what it says of itself is not relied on */
	bool enabled;
	char *problem; /* why it cannot be used, to follow the name; NULL: it can */

	/* Over stdio: */
	char *command; /* looked up in PATH unless it has a slash; NULL: it has a URL */
	char **args;   /* without the command itself */
	char **env;    /* "NAME=VALUE", added to the environment of tools */
	char *cwd;     /* NULL: the session's directory */

	/* Over HTTP: */
	char *url;
	char **headers;       /* "Name: value" */
	char *headers_helper; /* a shell command that prints more of them as a JSON object; or NULL */

	int timeout_s; /* of a call; 0: as for all tools */
	char **tools;  /* names or globs of those that are used; NULL: all */
};

/* Release a list. Takes NULL. */
void ik_mcp_list_free(char **list);
/* Release the strings, and zero it. */
void ik_mcp_entry_done(struct ik_mcp_entry *entry);

/* Do two say the same? Then a running server is kept. */
bool ik_mcp_entry_equal(const struct ik_mcp_entry *one, const struct ik_mcp_entry *other);

/* Return all that identifies a server, as one text, in new memory: it changes if another server
 * could answer. */
char *ik_mcp_entry_text(const struct ik_mcp_entry *entry);

#endif
