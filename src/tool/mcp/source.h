/*
 * source: MCP servers as a source of tools.
 *
 * One source has all servers that a configuration names. Each scan reads it again: a server whose
 * entry is unchanged runs on, others end. A server's list of tools is kept in the cache of schemas,
 * so that a scan starts nothing; a server without a list is started and asked. The first call starts
 * it otherwise, and then its list is compared. It runs until ikigai ends; one that has died is
 * started by the next call.
 *
 * A tool is called SERVER__TOOL, and its path is mcp:SERVER/TOOL.
 *
 * May include: util, json, rpc, loop, guard, tool, tool/mcp.
 */
#ifndef IK_TOOL_MCP_SOURCE_H
#define IK_TOOL_MCP_SOURCE_H

#include "tool/mcp/transport.h"
#include "tool/source.h"

/* Who knows the servers. */
struct ik_mcp_reader {
	/* Return the entries as they are now: an array of *ret_count, which passes to the caller. */
	struct ik_mcp_entry *(*read)(void *arg, size_t *ret_count);
	/* Name the places whose change may change them, as in struct ik_source_ops; NULL: none. */
	void (*places)(void *arg, ik_source_place *place, void *place_arg);
	void (*free)(void *arg); /* with the source; NULL: not needed */
	void *arg;
};

struct ik_mcp_source_options {
	struct ik_mcp_options start;   /* what it points to is borrowed */
	int64_t timeout_ms;            /* of a scan, for a tool */
	struct ik_schema_cache *cache; /* borrowed until the source is closed; NULL: none */
	struct ik_mcp_reader reader;
};

struct ik_source *ik_mcp_source_new(struct ik_loop *loop,
	const struct ik_mcp_source_options *options);

/* Return how many tools a server has that are wanted, as far as the cache knows; -1: it doesn't. Starts
 * nothing. */
long ik_mcp_known_tools(const struct ik_mcp_entry *entry, const struct ik_mcp_options *start,
	const struct ik_schema_cache *cache);

/* Return the name that a model gets for a tool of a server (new memory): SERVER__TOOL in letters,
 * digits, _ and -; a longer one ends in a hash of the whole. */
char *ik_mcp_offered_name(const char *server, const char *tool);

#endif
