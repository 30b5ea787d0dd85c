#include "acp/servers.h"

#include "json/write.h"
#include "util/limits.h"

/* Append a member whose name is the string key. */
static void put_member(struct ik_buf *out, struct ik_json_span key, struct ik_json_span value)
{
	ik_json_put_raw(out, key);
	ik_buf_putc(out, ':');
	ik_json_put_raw(out, value);
}

/* Append a list of names with values as an object. */
static void put_pairs(struct ik_buf *out, struct ik_json_span list)
{
	ik_json_open(out, '{');
	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
		struct ik_json_span name = ik_json_member(walk.value, "name");

		struct ik_json_span value = ik_json_member(walk.value, "value");

		if (ik_json_span_type(name) == IK_JSON_STRING && value.text)
			put_member(out, name, value);
	}
	ik_json_close(out, '}');
}

/* Append a server: what it has but its name. */
static void put_server(struct ik_buf *out, struct ik_json_span server)
{
	ik_json_open(out, '{');
	for (struct ik_json_walk walk = ik_json_walk(server); ik_json_next(&walk);) {
		if (ik_json_string_is(walk.key, "env") || ik_json_string_is(walk.key, "headers")) {
			ik_json_put_raw(out, walk.key);
			ik_buf_putc(out, ':');
			put_pairs(out, walk.value);
		} else if (!ik_json_string_is(walk.key, "name") && !ik_json_string_is(walk.key, "_meta")) {
			put_member(out, walk.key, walk.value);
		}
	}
	ik_json_close(out, '}');
}

char *ik_editor_servers(struct ik_json_span list)
{
	struct ik_buf out;

	if (ik_json_span_type(list) != IK_JSON_ARRAY || ik_json_count(list) == 0)
		return NULL;
	ik_buf_init(&out, IK_LIMIT_CONFIG);
	ik_json_printf(&out, "{'mcpServers':{");
	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
		struct ik_json_span name = ik_json_member(walk.value, "name");

		if (ik_json_span_type(name) != IK_JSON_STRING)
			continue;
		ik_json_put_raw(&out, name);
		ik_buf_putc(&out, ':');
		put_server(&out, walk.value);
	}
	ik_json_printf(&out, "}}");
	return ik_buf_take(&out, NULL);
}
