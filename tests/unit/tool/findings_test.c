#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tool/findings.h"
#include "util/limits.h"

TestSuite(findings);

/* Record a finding as "line code" or "line advice". */
static void note(void *arg, const struct ik_finding *finding)
{
	cr_assert_eq(finding->fault, finding->code != NULL);
	cr_assert_not_null(finding->sentence);
	ik_buf_printf(arg, "%d %s\n", finding->line, finding->fault ? finding->code : "advice");
}

static void assert_findings(enum ik_tool_protocol protocol, const char *text, const char *wanted)
{
	struct ik_buf found;

	ik_buf_init(&found, IK_KIB(64));
	ik_findings(protocol, text, strlen(text), note, &found);
	cr_assert_str_eq(found.length ? found.data : "", wanted, "of %s", text);
	ik_buf_done(&found);
}

static void assert_native(const char *text, const char *wanted)
{
	assert_findings(IK_PROTOCOL_NATIVE, text, wanted);
}

#define NAMED "{\"name\":\"a\",\"description\":\"d\",\n"
#define FINE "{\"type\":\"string\",\"description\":\"d\"}"

Test(findings, finds_nothing_where_all_is_well)
{
	assert_native(NAMED "\"parameters\":{\"p\":" FINE "},\"returns\":{},\"timeout_s\":5,"
		"\"annotations\":{\"readOnly\":true},\"other\":1}", "");
	assert_native(NAMED "\"parameters\":{\"type\":\"object\",\"properties\":{\"p\":" FINE
		"},\"required\":[\"p\"]}}", "");
	assert_native("{\"name\":\"a\",\"description\":\"d\"}", "");
	assert_findings(IK_PROTOCOL_KODELET, NAMED "\"input_schema\":{\"type\":\"object\","
		"\"properties\":{\"p\":" FINE "}}}", "");
}

Test(findings, tells_of_every_member)
{
	assert_native("", "0 INVALID_JSON\n");
	assert_native("{\"name\":", "0 INVALID_JSON\n");
	assert_native("[]", "0 INVALID_SCHEMA\n");
	assert_native("{}", "0 INVALID_SCHEMA\n0 INVALID_SCHEMA\n");
	assert_native("{\n\"name\":\"1\",\n\"description\":\" \",\n\"returns\":1,\n\"annotations\":[],\n"
		"\"timeout_s\":3601}", "2 INVALID_NAME\n3 INVALID_SCHEMA\n4 INVALID_SCHEMA\n"
		"5 INVALID_SCHEMA\n6 INVALID_SCHEMA\n");
}

Test(findings, tells_of_every_parameter_in_either_spelling)
{
	assert_native(NAMED "\"parameters\":{\n\"p\":" FINE ",\n\"q\":5,\n\"r\":{\"type\":\"text\","
		"\"description\":\"d\"}}}", "4 INVALID_SCHEMA\n5 INVALID_SCHEMA\n");
	assert_native(NAMED "\"parameters\":{\"type\":\"object\",\"properties\":{\n\"p\":" FINE
		",\n\"q\":5}}}", "4 INVALID_SCHEMA\n");
	/* The whole is invalid, though each part is valid. */
	assert_native(NAMED "\"parameters\":{\"type\":\"object\",\"properties\":{},\n\"required\":5}}",
		"2 INVALID_SCHEMA\n");
	assert_findings(IK_PROTOCOL_KODELET, NAMED "\"input_schema\":{\"type\":\"object\",\"properties\":{\n"
		"\"q\":5}}}", "3 INVALID_SCHEMA\n");
}

Test(findings, tells_what_is_wrong_with_the_display)
{
	assert_native(NAMED "\"parameters\":{\"p\":" FINE "},\n\"display\":{\"line\":\"{p}\"}}", "");
	assert_native(NAMED "\"parameters\":{\"p\":" FINE "},\n\"display\":{\"line\":\"{q}\"}}",
		"3 INVALID_SCHEMA\n");
	assert_native(NAMED "\"display\":1}", "2 INVALID_SCHEMA\n");
	/* Without parameters that can be read, nothing can be said. */
	assert_native(NAMED "\"parameters\":5,\n\"display\":{\"line\":\"{q}\"}}",
		"2 INVALID_SCHEMA\n");
}

Test(findings, advises)
{
	/* No description, no type, a name that some providers refuse. */
	assert_native(NAMED "\"parameters\":{\n\"p\":{\"type\":\"string\"},\n\"q\":{\"description\":\"d\"},\n"
		"\"\xc3\xa9\":" FINE "}}", "3 advice\n4 advice\n5 advice\n");
	/* A required name that is missing; a member that is ignored, one that occurs twice. */
	assert_native(NAMED "\"parameters\":{\"type\":\"object\",\"properties\":{},\"required\":[\n\"p\"]}}",
		"3 advice\n");
	assert_native(NAMED "\"time_out_s\":5}", "2 advice\n");
	assert_native(NAMED "\"name\":\"b\"}", "2 advice\n");
}

Test(findings, advises_against_a_long_description)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_KIB(8));
	ik_buf_puts(&text, "{\"name\":\"a\",\"description\":\"");
	for (int index = 0; index < 1025; index++)
		ik_buf_putc(&text, 'x');
	ik_buf_puts(&text, "\"}");
	assert_native(text.data, "1 advice\n");
	ik_buf_done(&text);
}
