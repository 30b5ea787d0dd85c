#include "tool/mcp/servers.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "util/limits.h"

static const struct ik_mcp_file user_file = { "/h/mcp.json", false, "/work", "/h" };
static const struct ik_mcp_file project_file = { "/work/.mcp.json", true, "/work", "/h" };

static void read_text(struct ik_mcp_servers *servers, const struct ik_mcp_file *file,
	const char *text)
{
	struct ik_buf buf;

	ik_buf_init(&buf, IK_LIMIT_CONFIG);
	ik_buf_puts(&buf, text);
	ik_mcp_servers_read(servers, file, &buf);
	ik_buf_done(&buf);
}

/* The one server {"a": TEXT} has this problem; NULL: none. */
static void expect_problem(const char *text, const char *wanted)
{
	struct ik_mcp_servers servers = { .count = 0 };
	struct ik_buf whole;

	ik_buf_init(&whole, IK_LIMIT_CONFIG);
	ik_buf_printf(&whole, "{\"mcpServers\": {\n\"a\": %s, \"b\": {\"command\": \"x\"}}}", text);
	read_text(&servers, &user_file, whole.data);
	cr_assert_eq(servers.count, 2, "%s", text);
	if (wanted)
		cr_expect_str_eq(servers.items[0].problem, wanted, "%s", text);
	else
		cr_expect_null(servers.items[0].problem, "%s: %s", text, servers.items[0].problem);
	cr_expect_null(servers.items[1].problem);
	ik_buf_done(&whole);
	ik_mcp_servers_done(&servers);
}

Test(mcp_servers, the_members_that_everybody_has)
{
	struct ik_mcp_servers servers = { .count = 0 };
	const struct ik_mcp_entry *a, *b;

	setenv("IK_T", "value", 1);
	unsetenv("IK_NONE");
	read_text(&servers, &user_file,
		"\xef\xbb\xbf// servers\n{\"mcpServers\": {\"a\": {\"type\": \"stdio\", \"command\": "
		"\"~/bin/npx\","
		"\"args\": [\"-y\", \"${IK_T}/x\", \"${IK_NONE:-else}\", \"$IK_T ${\", \"\"], \"cwd\": "
		"\"sub\","
		"\"env\": {\"K\": \"a:b=${IK_T}\", \"E\": \"\"}, \"timeout\": 30000, \"tools\": "
		"[\"get_*\"]},"
		"\"b\": {\"url\": \"https://h/${IK_T}\", \"headers\": {\"X-A\": \"1\"}, \"disabled\": true,"
		"\"headersHelper\": \"echo ${IK_NONE}\", \"timeout\": 45}}}");
	a = ik_mcp_servers_find(&servers, "a");
	b = ik_mcp_servers_find(&servers, "b");
	cr_assert(a && b && !a->problem && !b->problem);
	cr_expect_str_eq(a->command, "/h/bin/npx");
	cr_expect_str_eq(a->args[1], "value/x");
	cr_expect_str_eq(a->args[2], "else");
	cr_expect_str_eq(a->args[3], "$IK_T ${");
	cr_expect_str_eq(a->args[4], "");
	cr_expect_null(a->args[5]);
	cr_expect_str_eq(a->env[0], "K=a:b=value");
	cr_expect_str_eq(a->env[1], "E=");
	cr_expect_str_eq(a->cwd, "/work/sub");
	cr_expect_str_eq(a->tools[0], "get_*");
	cr_expect_eq(a->timeout_s, 30);
	cr_expect(a->enabled && !a->project && !a->url);
	cr_expect_str_eq(b->url, "https://h/value");
	cr_expect_str_eq(b->headers[0], "X-A: 1");
	cr_expect_str_eq(b->headers_helper, "echo ${IK_NONE}");
	cr_expect_eq(b->timeout_s, 45);
	cr_expect(!b->enabled && !b->command);
	cr_expect_eq(servers.notes.count, 0);
	ik_mcp_servers_done(&servers);
}

Test(mcp_servers, a_project_wins_by_name_and_unknown_members_are_noted)
{
	struct ik_mcp_servers servers = { .count = 0 };

	read_text(&servers, &user_file,
		"{\"inputs\": [], \"mcpServers\": {\"a\": {\"command\": \"one\"}, \"b\": {\"command\": "
		"\"two\"}}}");
	read_text(&servers, &project_file,
		"{\"mcpServers\": {\n\"b\": {\"command\": \"three\",\n\"trust\": true}, \"c\": {\"url\": "
		"\"http://c/\"}}}");
	cr_assert_eq(servers.count, 3);
	cr_expect_str_eq(servers.items[1].command, "three");
	cr_expect(servers.items[1].project && !servers.items[0].project);
	cr_assert_eq(servers.notes.count, 1);
	cr_expect_str_eq(servers.notes.items[0],
		"/work/.mcp.json:3: \"trust\" of the server \"b\" is not known here, and has no effect");
	read_text(&servers, &project_file, " // nothing\n");
	read_text(&servers, &project_file, "{}");
	ik_mcp_servers_done(&servers);
}

Test(mcp_servers, a_mistake_costs_one_server)
{
	unsetenv("IK_NONE");
	expect_problem("{\"command\": \"x\"}", NULL);
	expect_problem("{\"url\": \"http://x/\", \"type\": \"streamable-http\"}", NULL);
	expect_problem("7", "/h/mcp.json:2: \"a\" must be an object");
	expect_problem("{}", "/h/mcp.json:2: \"command\" is missing");
	expect_problem("{\"type\": \"http\", \"command\": \"x\"}", "/h/mcp.json:2: \"url\" is missing");
	expect_problem("{\"command\": \"x\",\n\"args\": \"-y\"}",
		"/h/mcp.json:3: \"args\" must be a list of strings");
	expect_problem("{\"command\": \"x\", \"env\": {\"A\": 1}}",
		"/h/mcp.json:2: \"env\" must be an object of strings");
	expect_problem("{\"url\": \"http://x/\", \"headers\": {\"A\": \"b\\nC: d\"}}",
		"/h/mcp.json:2: \"headers\" must be an object of strings");
	expect_problem("{\"command\": \"\"}",
		"/h/mcp.json:2: \"command\" must be a string that is not empty");
	expect_problem("{\"command\": \"x\", \"timeout\": \"1m\"}",
		"/h/mcp.json:2: \"timeout\" must be a number of milliseconds");
	expect_problem("{\"command\": \"x\", \"type\": \"ws\"}",
		"/h/mcp.json:2: \"type\" is \"ws\", but must be \"stdio\" or \"http\"");
	expect_problem("{\"url\": \"http://x/\", \"type\": \"sse\"}",
		"/h/mcp.json:2: \"type\" is \"sse\", an older way that ikigai does not speak: ask for the "
		"address of \"http\"");
	expect_problem("{\"command\": \"x\", \"args\": [\n\"${IK_NONE}\"]}",
		"/h/mcp.json:2: \"args\" needs the variable IK_NONE, which is not set; ${IK_NONE:-TEXT} "
		"does "
		"without");
}

Test(mcp_servers, a_file_that_is_no_json_is_an_entry)
{
	static const char *const texts[] = { "{\"mcpServers\": {\n\"a\" 1}}", "{\"mcpServers\": []}" };
	static const char *const wanted[] = { "/h/mcp.json: line 2", "/h/mcp.json:1: \"mcpServers\"" };

	for (size_t i = 0; i < 2; i++) {
		struct ik_mcp_servers servers = { .count = 0 };

		read_text(&servers, &user_file, texts[i]);
		cr_assert_eq(servers.count, 1);
		cr_expect_str_eq(servers.items[0].name, "mcp.json");
		cr_expect(strncmp(servers.items[0].problem, wanted[i], strlen(wanted[i])) == 0, "%s",
			servers.items[0].problem);
		ik_mcp_servers_done(&servers);
	}
}
