#include "config/config_edit.h"

#include <fcntl.h>
#include <string.h>

#include <criterion/criterion.h>

#include "../../support/scratch.h"
#include "util/limits.h"
#include "util/path.h"

/* Edit a text; the result is out's, or the error's. */
static enum ik_status edit(const char *text, const char *key, const char *value,
	struct ik_buf *out, struct ik_error *error)
{
	struct ik_buf in;
	enum ik_status status;

	ik_buf_init(&in, IK_LIMIT_CONFIG);
	ik_buf_init(out, IK_LIMIT_CONFIG);
	ik_buf_puts(&in, text);
	*error = (struct ik_error){ .text = "" };
	status = ik_config_edit_text("config.json", &in, key, value, out, error);
	ik_buf_done(&in);
	return status;
}

static void expect(const char *text, const char *key, const char *value, const char *wanted)
{
	struct ik_error error;
	struct ik_buf out;

	cr_expect_eq(edit(text, key, value, &out, &error), IK_OK, "%s: %s", text, error.text);
	cr_expect_str_eq(out.data, wanted, "%s became %s", text, out.data);
	ik_buf_done(&out);
}

static void expect_theme(const char *text, const char *wanted)
{
	expect(text, "ui.theme", "light", wanted);
}

Test(config_edit, a_value_is_replaced_and_nothing_else)
{
	expect_theme("{\"ui\": {\"theme\": \"dark\"}}", "{\"ui\": {\"theme\": \"light\"}}");
	expect_theme("// \"theme\": \"x\"\n{ /* {\"ui\": */ \"ui\"/**/:{\"mouse\" :true,\n\t\"theme\"\n:\"auto\"//\n}  }\n\n",
		"// \"theme\": \"x\"\n{ /* {\"ui\": */ \"ui\"/**/:{\"mouse\" :true,\n\t\"theme\"\n:\"light\"//\n}  }\n\n");
	expect_theme("{\"u\\u0069\": {\"them\\u0065\": \"dark\"}}",
		"{\"u\\u0069\": {\"them\\u0065\": \"light\"}}");
	expect("{\"model\": \"// no comment /*\", \"provider\": \"openai\"}", "provider", "a \"b\"\\",
		"{\"model\": \"// no comment /*\", \"provider\": \"a \\\"b\\\"\\\\\"}");
	expect("{\"ui\": {\"mouse\": true}}", "ui.mouse", "off", "{\"ui\": {\"mouse\": false}}");
	expect("{\"keep\": {\"undo_days\": 30}}", "keep.undo_days", "7", "{\"keep\": {\"undo_days\": 7}}");
}

Test(config_edit, of_several_members_the_one_that_counts_is_replaced)
{
	expect_theme("{\"ui\":{\"theme\":\"dark\",\"theme\":\"mono\"},\"ui\":{\"theme\":\"auto\"}}",
		"{\"ui\":{\"theme\":\"light\",\"theme\":\"mono\"},\"ui\":{\"theme\":\"auto\"}}");
	expect_theme("{\"ui.theme\": \"dark\"}", "{\"ui.theme\": \"light\"}");
	expect_theme("{\"ui\": {\"theme\": \"mono\"}, \"ui.theme\": \"dark\"}",
		"{\"ui\": {\"theme\": \"mono\"}, \"ui.theme\": \"light\"}");
	expect_theme("{\"ui.theme\": \"dark\", \"ui\": {\"theme\": \"mono\"}}",
		"{\"ui.theme\": \"dark\", \"ui\": {\"theme\": \"light\"}}");
	expect_theme("{\"ui.theme\": \"dark\", \"ui\": {}}", "{\"ui.theme\": \"light\", \"ui\": {}}");
}

Test(config_edit, a_missing_member_goes_to_the_end_of_its_object)
{
	expect_theme("{}", "{ \"ui\": { \"theme\": \"light\" } }");
	expect_theme("{ }\n", "{ \"ui\": { \"theme\": \"light\" } }\n");
	expect_theme("{\n}", "{\n  \"ui\": { \"theme\": \"light\" }\n}");
	expect_theme("{\"model\": \"m\"}", "{\"model\": \"m\", \"ui\": { \"theme\": \"light\" }}");
	expect_theme("{\n\t\"model\": \"m\"\n}\n",
		"{\n\t\"model\": \"m\",\n\t\"ui\": { \"theme\": \"light\" }\n}\n");
	expect_theme("{\n    \"ui\": {\n        \"mouse\": true\n    },\n    \"model\": \"m\"\n}\n",
		"{\n    \"ui\": {\n        \"mouse\": true,\n        \"theme\": \"light\"\n    },\n    \"model\": \"m\"\n}\n");
	expect_theme("{\n\t\"ui\": {\n\t}\n}", "{\n\t\"ui\": {\n\t\t\"theme\": \"light\"\n\t}\n}");
	expect_theme("{\n  \"ui\": {}\n}", "{\n  \"ui\": { \"theme\": \"light\" }\n}");
}

Test(config_edit, a_comment_stays_with_its_member)
{
	expect_theme("{\n  \"model\": \"m\" // mine\n}\n",
		"{\n  \"model\": \"m\", // mine\n  \"ui\": { \"theme\": \"light\" }\n}\n");
	expect_theme("{\n  \"model\": \"m\" /* two\n  lines */ // mine\n  // \"ui\": 1\n}\n",
		"{\n  \"model\": \"m\", /* two\n  lines */ // mine\n  \"ui\": { \"theme\": \"light\" }\n  // \"ui\": 1\n}\n");
	expect_theme("{ \"model\": \"m\" /* mine */ }",
		"{ \"model\": \"m\", /* mine */ \"ui\": { \"theme\": \"light\" } }");
	expect_theme("{ // all of it\n}", "{ // all of it\n  \"ui\": { \"theme\": \"light\" }\n}");
	expect_theme("{ \"model\": \"m\" // mine\n}",
		"{ \"model\": \"m\", // mine\n  \"ui\": { \"theme\": \"light\" }\n}");
}

Test(config_edit, an_empty_text_gets_an_object)
{
	const char *object = "{\n  \"ui\": { \"theme\": \"light\" }\n}\n";
	char text[200];

	expect_theme("", object);
	snprintf(text, sizeof(text), "// nothing yet\n%s", object);
	expect_theme("// nothing yet", text);
	expect_theme("// nothing yet\n", text);
	snprintf(text, sizeof(text), " \n\n%s", object);
	expect_theme(" \n\n", text);
}

Test(config_edit, line_ends_and_a_byte_order_mark_stay)
{
	expect_theme("\xef\xbb\xbf{\r\n  \"model\": \"m\" // mine\r\n}\r\n",
		"\xef\xbb\xbf{\r\n  \"model\": \"m\", // mine\r\n  \"ui\": { \"theme\": \"light\" }\r\n}\r\n");
	expect_theme("// x\r\n", "// x\r\n{\r\n  \"ui\": { \"theme\": \"light\" }\r\n}\r\n");
}

Test(config_edit, a_provider_may_have_any_name)
{
	const char *home = "{\"providers\": {\"my.home\": {\"model\": \"a\"}}}";

	expect(home, "providers.my.home.model", "b",
		"{\"providers\": {\"my.home\": {\"model\": \"b\"}}}");
	expect(home, "providers.my.model", "b",
		"{\"providers\": {\"my.home\": {\"model\": \"a\"}, \"my\": { \"model\": \"b\" }}}");
	expect("{\"providers\": {\"x.model\": {}, \"x\": {}}}", "providers.x.model", "b",
		"{\"providers\": {\"x.model\": {}, \"x\": { \"model\": \"b\" }}}");
	expect("{\"providers\": {\"x\": {\"price.input\": 1}}}", "providers.x.price.input", "2",
		"{\"providers\": {\"x\": {\"price.input\": 2}}}");
	expect("{}", "providers.x.price.input", "2",
		"{ \"providers\": { \"x\": { \"price\": { \"input\": 2 } } } }");
}

static void refuse(const char *text, const char *key, const char *value, const char *sentence)
{
	struct ik_error error;
	struct ik_buf out;

	cr_expect_neq(edit(text, key, value, &out, &error), IK_OK, "%s", text);
	cr_expect_str_eq(error.text, sentence);
	cr_expect_eq(out.length, 0);
	ik_buf_done(&out);
}

Test(config_edit, what_cannot_be_loaded_is_refused)
{
	refuse("{\n\n  \"ui\": {\"theme\": \"dark\",}\n}", "ui.theme", "light",
		"config.json: line 3, column 26: found '}', expected a member's name in double quotes");
	refuse("{\n  \"ui\": 5}", "ui.theme", "light",
		"config.json:2: \"ui\" is 5, but must be an object");
	refuse("[]", "ui.theme", "light", "config.json: must be a JSON object, but is: array");
	refuse("{\"model\": 5}", "ui.theme", "light",
		"config.json:1: \"model\" is 5, but must be a string that is not empty");
	refuse("{}", "sandbox.mode", "pink",
		"sandbox.mode is \"pink\", but must be \"off\", \"project\" or \"read-only\"");
	refuse("{}", "ui.them", "light", "ui.them: there is no key \"ui.them\" in the configuration");
}

static char directory[] = SCRATCH_TEMPLATE;

static void set_up(void)
{
	scratch_make(directory);
}

static void tear_down(void)
{
	scratch_remove(directory);
}

TestSuite(config_edit_file, .init = set_up, .fini = tear_down);

static void expect_file(const char *path, const char *wanted)
{
	struct ik_error error = { .text = "" };
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_CONFIG);
	cr_assert_eq(ik_file_read(path, &text, &error), IK_OK, "%s", error.text);
	cr_assert_str_eq(text.data, wanted);
	ik_buf_done(&text);
}

Test(config_edit_file, is_created_and_then_keeps_mode_and_link)
{
	char *file = ik_path_join(directory, "config.json"), *link = ik_path_join(directory, "link");
	struct ik_error error;
	struct stat status;

	cr_assert_eq(symlink("config.json", link), 0);
	cr_assert_eq(ik_config_edit(file, "ui.theme", "light", &error), IK_OK);
	expect_file(file, "{\n  \"ui\": { \"theme\": \"light\" }\n}\n");
	cr_assert(stat(file, &status) == 0 && (status.st_mode & 07777) == 0600);
	cr_assert_eq(chmod(file, 0640), 0);
	cr_assert_eq(ik_config_edit(link, "ui.theme", "dark", &error), IK_OK);
	expect_file(file, "{\n  \"ui\": { \"theme\": \"dark\" }\n}\n");
	cr_assert(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
	cr_assert(stat(file, &status) == 0 && (status.st_mode & 07777) == 0640);
	free(file);
	free(link);
}

Test(config_edit_file, stays_as_it_is_if_it_is_wrong)
{
	char *file = ik_path_join(directory, "config.json");
	struct ik_error error;

	cr_assert_eq(ik_file_write(file, "{\"ui\"\n}", 7, 0600, &error), IK_OK);
	cr_assert_neq(ik_config_edit(file, "ui.theme", "light", &error), IK_OK);
	cr_assert(strstr(error.text, "config.json: line 2"), "%s", error.text);
	expect_file(file, "{\"ui\"\n}");
	free(file);
}
