#include "json/edit.h"

#include <string.h>

#include <criterion/criterion.h>

#include "util/limits.h"

/* Edit "servers" -> NAME in a text: put a value (NULL: remove it). */
static void expect(const char *text, const char *name, const char *value, const char *wanted)
{
	const char *names[] = { "servers", name };
	struct ik_buf plain, out;
	struct ik_json_edit edit = { .text = text, .out = &out };
	struct ik_json_gap gap;

	ik_buf_init(&plain, IK_KIB(64));
	ik_buf_init(&out, IK_KIB(64));
	ik_buf_puts(&plain, text);
	ik_json_blank_comments(plain.data, plain.length);
	edit.plain = plain.data;
	if (ik_json_check(plain.data, plain.length, &edit.root, NULL) != IK_OK)
		edit.root.text = NULL;
	gap = ik_json_gap_find(edit.root, names, 2);
	if (value)
		ik_json_edit_put(&edit, &gap, value);
	else
		ik_json_edit_remove(&edit, &gap);
	cr_expect_str_eq(out.data, wanted, "%s became %s", text, out.data);
	ik_buf_done(&plain);
	ik_buf_done(&out);
}

Test(edit, a_member_is_put_where_the_others_are)
{
	expect("", "a", "1", "{\n  \"servers\": { \"a\": 1 }\n}\n");
	expect("{\n  \"servers\": {\n  }\n}\n", "a", "1",
		"{\n  \"servers\": {\n    \"a\": 1\n  }\n}\n");
	expect("{\"servers\": {\"a\": 1}} // x\n", "a", "2", "{\"servers\": {\"a\": 2}} // x\n");
}

Test(edit, a_member_is_removed_with_its_comma_and_line)
{
	expect("{\"servers\": {\"a\": 1, \"b\": 2}}", "a", NULL, "{\"servers\": { \"b\": 2}}");
	expect("{\"servers\": {\"a\": 1, \"b\": 2}}", "b", NULL, "{\"servers\": {\"a\": 1}}");
	expect("{\"servers\": { \"a\": 1 }}", "a", NULL, "{\"servers\": { }}");
	expect("{\"servers\": {\n\t// of a\n\t\"a\": 1, // one\n\t/* of b */\n\t\"b\": 2\n}}", "a",
		NULL, "{\"servers\": {\n\t// of a\n\t/* of b */\n\t\"b\": 2\n}}");
	expect("{\"servers\": {\n\t\"a\": 1, // one\n\t\"b\": {\n\t\t\"c\": 2 } // two\n}}", "b", NULL,
		"{\"servers\": {\n\t\"a\": 1 // one\n}}");
	expect("{\"servers\": {\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}}", "b", NULL,
		"{\"servers\": {\r\n\t\"a\": 1\r\n}}");
	expect("{\"servers\": { // all\n\t\"a\": 1 }}", "a", NULL, "{\"servers\": { // all\n }}");
	expect("{\"servers\": { \"a\": 1 /* , */ , /* b */ \"b\": 2 }}", "a", NULL,
		"{\"servers\": { \"b\": 2 }}");
}
