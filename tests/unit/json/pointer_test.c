#include "json/pointer.h"

#include <criterion/criterion.h>
#include <string.h>

static const char root_text[] =
	"{\"$defs\":{\"a/b\":1,\"m~n\":2,\"c%d\":3,\"Map<a, b>\":4,\"\":5,\"\\u00e9\":6},\"list\":[7,[8]],\"1\":9}";

/* What a reference names; NULL: nothing. */
static void leads_to(const char *reference, const char *expected)
{
	struct ik_json_span root, string, found;

	cr_assert_eq(ik_json_check(root_text, strlen(root_text), &root, NULL), IK_OK);
	cr_assert_eq(ik_json_check(reference, strlen(reference), &string, NULL), IK_OK);
	found = ik_json_referred(root, string);
	if (!expected)
		cr_assert_null(found.text, "%s", reference);
	else
		cr_assert(found.length == strlen(expected) && memcmp(found.text, expected, found.length) == 0,
			"%s: %.*s", reference, (int)found.length, found.text);
}

Test(pointer, leads_through_members_and_elements)
{
	leads_to("\"#\"", root_text);
	leads_to("\"#/$defs/a~1b\"", "1");
	leads_to("\"#/$defs/m~0n\"", "2");
	leads_to("\"#/$defs/c%25d\"", "3");
	leads_to("\"#/$defs/Map%3Ca,%20b%3e\"", "4");
	leads_to("\"#/$defs/Map<a, b>\"", "4");
	leads_to("\"#/$defs/\"", "5");
	leads_to("\"#/$defs/%C3%A9\"", "6");
	leads_to("\"#/list/0\"", "7");
	leads_to("\"#/list/1/0\"", "8");
	leads_to("\"#/1\"", "9");
}

Test(pointer, leads_nowhere_else)
{
	leads_to("\"\"", NULL);
	leads_to("\"#/\"", NULL);
	leads_to("\"#anchor\"", NULL);
	leads_to("\"#/$defs/none\"", NULL);
	leads_to("\"#/list/2\"", NULL);
	leads_to("\"#/list/x\"", NULL);
	leads_to("\"#/list/1.0\"", NULL);
	leads_to("\"#/list/-\"", NULL);
	leads_to("\"#/list/0/0\"", NULL);
	leads_to("\"other.json#/list/0\"", NULL);
	leads_to("7", NULL);
	leads_to("null", NULL);
}
