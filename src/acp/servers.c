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
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, pair;

	ik_json_open(out, '{');
	while (ik_json_next(list, &walk, &key, &pair)) {
		struct ik_json_span name = ik_json_member(pair, "name");

		struct ik_json_span value = ik_json_member(pair, "value");

		if (ik_json_span_type(name) == IK_JSON_STRING && value.text)
			put_member(out, name, value);
	}
	ik_json_close(out, '}');
}

/* Append a server: what it has but its name. */
static void put_server(struct ik_buf *out, struct ik_json_span server)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value;

	ik_json_open(out, '{');
	while (ik_json_next(server, &walk, &key, &value)) {
		if (ik_json_string_is(key, "env") || ik_json_string_is(key, "headers")) {
			ik_json_put_raw(out, key);
			ik_buf_putc(out, ':');
			put_pairs(out, value);
		} else if (!ik_json_string_is(key, "name") && !ik_json_string_is(key, "_meta")) {
			put_member(out, key, value);
		}
	}
	ik_json_close(out, '}');
}

char *ik_editor_servers(struct ik_json_span list)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, server;
	struct ik_buf out;

	if (ik_json_span_type(list) != IK_JSON_ARRAY || ik_json_count(list) == 0)
		return NULL;
	ik_buf_init(&out, IK_LIMIT_CONFIG);
	ik_json_printf(&out, "{'mcpServers':{");
	while (ik_json_next(list, &walk, &key, &server)) {
		struct ik_json_span name = ik_json_member(server, "name");

		if (ik_json_span_type(name) != IK_JSON_STRING)
			continue;
		ik_json_put_raw(&out, name);
		ik_buf_putc(&out, ':');
		put_server(&out, server);
	}
	ik_json_printf(&out, "}}");
	return ik_buf_take(&out, NULL);
}
