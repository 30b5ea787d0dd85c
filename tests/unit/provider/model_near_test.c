#include "provider/models.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

static const char *const names[] = {"claude-haiku-4-5", "claude-opus-4-1", "claude-sonnet-4", "claude-sonnet-4-5",
	"gemini-2.5-flash", "gpt-5", "gpt-5-mini", "openai/gpt-oss-120b", "qwen3:8b"};

/* The names near to a name, with blanks between. */
static const char *near_to(const char *name)
{
	static char out[400];
	const char *near[3];
	size_t count = ik_model_nearest(name, (char *const *)names, sizeof names / sizeof names[0], near, 3);

	out[0] = '\0';
	for (size_t i = 0; i < count; i++)
		(void)snprintf(out + strlen(out), sizeof out - strlen(out), "%s%s", i > 0 ? " " : "", near[i]);
	return out;
}

Test(model_near, slips_find_what_was_meant)
{
	cr_assert_str_eq(near_to("sonet"), "claude-sonnet-4 claude-sonnet-4-5");
	cr_assert_str_eq(near_to("claude-sonet-4-5"), "claude-sonnet-4-5");
	cr_assert_str_eq(near_to("haiku"), "claude-haiku-4-5");
	cr_assert_str_eq(near_to("gpt-5-minni"), "gpt-5-mini");
	cr_assert_str_eq(near_to("gemni-2.5-flash"), "gemini-2.5-flash");
	cr_assert_str_eq(near_to("gpt-oss-120b"), "openai/gpt-oss-120b");
	cr_assert_str_eq(near_to("Qwen3"), "qwen3:8b");
}

Test(model_near, what_nobody_means_is_near_nothing)
{
	cr_assert_str_eq(near_to("zzz"), "");
	cr_assert_str_eq(near_to(""), "");
	cr_assert_str_eq(near_to("---"), "");
}
