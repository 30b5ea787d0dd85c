#include "tool/mcp/version.h"

const char *ik_mcp_legacy_version(struct ik_json_span name)
{
	static const char *const versions[] = { IK_MCP_LEGACY, "2025-06-18", "2025-03-26",
		"2024-11-05" };

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (ik_json_string_is(name, versions[i]))
			return versions[i];
	return NULL;
}
