#include "tui/pane/browser_form.h"

#include <criterion/criterion.h>
#include <string.h>

#include "picture.h"

static const char schema[] = "{\"type\":\"object\",\"properties\":{"
	"\"path\":{\"type\":\"string\",\"description\":\"Which file\"},"
	"\"count\":{\"type\":\"integer\",\"minimum\":1,\"default\":10},"
	"\"mode\":{\"enum\":[\"fast\",\"slow\"]},"
	"\"deep\":{\"type\":\"boolean\"},"
	"\"edits\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":"
	"{\"line\":{\"type\":\"integer\"}}}}},\"required\":[\"path\"]}";

static struct ik_cells cells;
static struct ik_form *form;
static struct ik_buf out;

static void begin_as(const char *parameters)
{
	struct ik_tool tool = {
		.name = (char *)(uintptr_t)"sample", .description = (char *)(uintptr_t)"Does it",
		.parameters = (char *)(uintptr_t)parameters, .parameters_length = strlen(parameters),
	};
	form = ik_form_free(form);
	form = ik_form_new(&tool, NULL, NULL);
}

static void begin(void)
{
	ik_buf_init(&out, 10000);
	begin_as(schema);
}

static void end(void)
{
	form = ik_form_free(form);
	ik_cells_done(&cells);
	ik_buf_done(&out);
}

TestSuite(browser_form, .init = begin, .fini = end);

static void type(const char *text)
{
	for (; *text; text++) {
		struct ik_key key = {.code = IK_KEY_CHARACTER, .codepoint = (uint32_t)*text};
		cr_assert_eq(ik_form_key(form, &key, IK_ACTION_NONE), IK_PANE_TAKEN);
	}
}

static enum ik_pane_result act(enum ik_action action)
{
	struct ik_key key = {.code = IK_KEY_F12};
	return ik_form_key(form, &key, action);
}

static const char *arguments(void)
{
	struct ik_error error;
	ik_buf_clear(&out);
	cr_assert_eq(ik_form_put(form, &out, &error), IK_OK);
	return out.data;
}

static const struct ik_cells *draw(int rows, int columns)
{
	ik_cells_resize(&cells, rows, columns);
	ik_form_draw(form, &cells, (struct ik_rectangle){0, 0, rows, columns});
	return &cells;
}

Test(browser_form, shows_a_field_for_each_property)
{
	PICTURE_IS(draw(16, 40),
		"Does it\n"
		"\n"
		"▌path · text · required\n"
		"▌  Which file\n"
		"▌>\n"
		" count · whole number, at least 1 ·\n"
		" default 10\n"
		"\n"
		" mode · text\n"
		" [left out] \"fast\"  \"slow\"\n"
		" deep · true or false\n"
		" [left out] true  false\n"
		" edits · list of objects\n"
		"\n"
		"\n"
		"\n");
	cr_assert_eq(cells.cursor_row, 4);
	cr_assert_eq(cells.cursor_column, 3);
	cr_assert_eq(picture_style(&cells, "path"), IK_STYLE_BOLD);
	cr_assert_eq(picture_style(&cells, "count"), IK_STYLE_NORMAL);
}

Test(browser_form, makes_arguments_of_what_is_written_and_leaves_out_the_rest)
{
	type("a \"b\"");
	act(IK_ACTION_DOWN);
	type("12");
	act(IK_ACTION_DOWN);
	act(IK_ACTION_RIGHT);
	act(IK_ACTION_RIGHT);
	act(IK_ACTION_COMPLETE);
	act(IK_ACTION_RIGHT);
	cr_assert_str_eq(arguments(),
		"{\"path\":\"a \\\"b\\\"\",\"count\":12,\"mode\":\"slow\",\"deep\":true}");
	act(IK_ACTION_LEFT);
	act(IK_ACTION_UP);
	act(IK_ACTION_RIGHT);
	cr_assert_str_eq(arguments(), "{\"path\":\"a \\\"b\\\"\",\"count\":12}");
	cr_assert_eq(act(IK_ACTION_SEND), IK_PANE_CALLED);
}

Test(browser_form, says_at_its_field_what_is_missing_or_wrong)
{
	act(IK_ACTION_DOWN);
	type("0");
	cr_assert_eq(act(IK_ACTION_SEND), IK_PANE_TAKEN);
	cr_assert(picture_has(draw(16, 60), "  This is required (\"\" is the empty text)."));
	cr_assert_eq(picture_style(&cells, "This is required"), IK_STYLE_BAD);
	type("\"\"");
	cr_assert_not(picture_has(draw(16, 60), "This is required"));
	cr_assert_eq(act(IK_ACTION_SEND), IK_PANE_TAKEN);
	cr_assert(picture_has(draw(16, 60), "/count: "));
	cr_assert_eq(cells.cursor_row, 6, "%d: the cursor goes there", cells.cursor_row);
	act(IK_ACTION_DELETE_LEFT);
	type("x");
	cr_assert_eq(act(IK_ACTION_SEND), IK_PANE_TAKEN);
	cr_assert(picture_has(draw(16, 60), "Expected: whole number, at least 1"));
	act(IK_ACTION_DELETE_LEFT);
	type("7");
	act(IK_ACTION_UP);
	cr_assert_eq(act(IK_ACTION_SEND), IK_PANE_CALLED);
	cr_assert_str_eq(arguments(), "{\"path\":\"\",\"count\":7}");
}

Test(browser_form, blames_the_field_that_holds_what_is_wrong_deep_inside)
{
	type("x");
	for (int i = 0; i < 4; i++)
		act(IK_ACTION_DOWN);
	type("[{\"line\": 1}, {\"line\": \"two\"}]");
	act(IK_ACTION_UP);
	cr_assert_eq(act(IK_ACTION_SEND), IK_PANE_TAKEN);
	cr_assert(picture_has(draw(20, 60), "/edits/1/line: "));
	cr_assert_eq(picture_style(&cells, "edits · list of objects"), IK_STYLE_BOLD);
}

Test(browser_form, keeps_the_field_with_the_cursor_in_sight)
{
	for (int i = 0; i < 4; i++)
		act(IK_ACTION_DOWN);
	type("[1]");
	PICTURE_IS(draw(4, 40),
		" deep · true or false\n"
		" [left out] true  false\n"
		"▌edits · list of objects\n"
		"▌> [1]\n");
	cr_assert_eq(cells.cursor_row, 3);
	cr_assert_eq(act(IK_ACTION_CANCEL), IK_PANE_CLOSED);
}

Test(browser_form, shows_what_is_written_below_a_description_that_fills_the_page)
{
	static const char long_one[] = "{\"properties\":{\"a\":{\"type\":\"string\",\"description\":"
		"\"One two three four five six seven eight nine ten eleven twelve thirteen fourteen\"}},"
		"\"required\":[\"a\"]}";
	begin_as(long_one);
	PICTURE_IS(draw(4, 20),
		"▌a · text · required\n"
		"▌  One two three\n"
		"▌  four five six\n"
		"▌>\n");
	cr_assert_eq(cells.cursor_row, 3);
	cr_assert_eq(act(IK_ACTION_SEND), IK_PANE_TAKEN);
	PICTURE_IS(draw(4, 20),
		"▌a · text · required\n"
		"▌>\n"
		"▌  This is required\n"
		"▌  (\"\" is the empty\n");
	cr_assert_eq(cells.cursor_row, 1);
}

Test(browser_form, shows_the_present_one_of_many_choices)
{
	struct ik_buf choices;
	ik_buf_init(&choices, 10000);
	ik_buf_puts(&choices, "{\"properties\":{\"a\":{\"enum\":[1000");
	for (int i = 1001; i < 1100; i++)
		ik_buf_printf(&choices, ",%d", i);
	ik_buf_puts(&choices, "]}}}");
	begin_as(choices.data);
	cr_assert(picture_has(draw(10, 40), "[left out] 1000 "));
	for (int i = 0; i < 60; i++)
		act(IK_ACTION_RIGHT);
	cr_assert(picture_has(draw(10, 40), "[1059]"));
	cr_assert_not(picture_has(draw(10, 40), " 1000 "));
	for (int i = 0; i < 40; i++)
		act(IK_ACTION_RIGHT);
	cr_assert(picture_has(draw(10, 40), "[1099]"));
	ik_buf_done(&choices);
}

/* As pydantic writes them: an enumeration, one that may be left out, texts that may. */
static const char optional[] = "{\"type\":\"object\",\"$defs\":{\"Unit\":{\"type\":\"string\","
	"\"enum\":[\"celsius\",\"kelvin\"],\"description\":\"How heat is counted\"}},\"properties\":{"
	"\"unit\":{\"$ref\":\"#/$defs/Unit\"},"
	"\"second\":{\"anyOf\":[{\"$ref\":\"#/$defs/Unit\"},{\"type\":\"null\"}],\"default\":null},"
	"\"place\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}],\"default\":null},"
	"\"name\":{\"type\":[\"string\",\"null\"]},"
	"\"sure\":{\"type\":[\"boolean\",\"null\"]},"
	"\"way\":{\"oneOf\":[{\"const\":\"up\",\"title\":\"Up\"},{\"const\":\"down\"}]},"
	"\"some\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}}}";

Test(browser_form, offers_what_references_and_alternatives_lead_to)
{
	begin_as(optional);
	PICTURE_IS(draw(18, 60),
		"Does it\n"
		"\n"
		"▌unit · text\n"
		"▌  How heat is counted\n"
		"▌[left out] \"celsius\"  \"kelvin\"\n"
		" second · text or null · default null\n"
		" [left out] \"celsius\"  \"kelvin\"  null\n"
		" place · text or null · default null\n"
		"\n"
		" name · text or null\n"
		"\n"
		" sure · true or false or null\n"
		" [left out] true  false  null\n"
		" way · text\n"
		" [left out] \"up\"  \"down\"\n"
		" some · text or whole number\n"
		"\n"
		"\n");
}

Test(browser_form, takes_a_text_that_may_be_null_as_it_is_written)
{
	begin_as(optional);
	act(IK_ACTION_DOWN);
	act(IK_ACTION_DOWN);
	type("Paris");
	act(IK_ACTION_DOWN);
	type("null");
	cr_assert_str_eq(arguments(), "{\"place\":\"Paris\",\"name\":null}");
	cr_assert_eq(act(IK_ACTION_SEND), IK_PANE_CALLED);
}
