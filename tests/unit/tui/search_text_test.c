/* What is looked for in the source alone is found as often in what is shown. */
#include "tui/scrollback/search_text.h"

#include <criterion/criterion.h>

#include "tui/text/markdown.h"
#include "util/limits.h"

static void generate(struct ik_buf *out, unsigned seed)
{
	static const char *const parts[] = {"word ", "Some more ", "ab, ab. ", "end\n", "end.\n\n",
		"x ", "a b ", "and (ab) ", "nine 9 ", "\xC3\xA9t\xC3\xA9 ", "  ", "- ab ", "**ab** ", "1. ",
		"[a](b) ", "http://a.b/ab ", "\n", "www.ab.de ", "a@ab.de ", "under_score_d ", "(ab\n"};
	while (out->length < 3000) {
		seed = seed * 1103515245u + 12345u;
		/* Most of them are without markup. */
		ik_buf_puts(out, parts[(seed >> 16) % ((seed >> 8) % 600 == 0 ? 21 : 10)]);
	}
}

Test(search_text, source_and_lines_hold_the_same)
{
	static const char *const patterns[] = {"ab", "a b", "word some", "b", ". ", "ord so", "e a", "9 w"};
	size_t by_source = 0;
	for (unsigned seed = 1; seed < 200; seed++) {
		struct ik_scrollback *scrollback = ik_scrollback_new();
		struct ik_block *block = ik_block_new(IK_BLOCK_ASSISTANT, true);
		struct ik_search_text text;
		struct ik_buf source;
		ik_buf_init(&source, IK_KIB(64));
		generate(&source, seed);
		ik_search_text_init(&text);
		ik_block_set_renderer(block, &ik_renderer_markdown);
		ik_block_append(block, source.data, source.length);
		ik_block_finish(block);
		ik_scrollback_add(scrollback, block);
		ik_scrollback_resize(scrollback, 10, 31);
		for (uint32_t unit = 0, units = ik_search_units(block); unit < units; unit++) {
			size_t length;
			const char *alone = ik_search_source(block, unit, &length);
			by_source += alone != NULL;
			ik_search_text_fill(&text, scrollback, block, unit, true);
			for (size_t i = 0; alone && i < sizeof patterns / sizeof *patterns; i++) {
				struct ik_needle needle;
				ik_needle_init(&needle, patterns[i], strlen(patterns[i]));
				cr_assert_eq(ik_needle_count(&needle, alone, length),
					ik_needle_count(&needle, text.text, text.length),
					"\"%s\" in:\n%.*s\nshown:\n%.*s", patterns[i], (int)length, alone,
					(int)text.length, text.text);
				ik_needle_done(&needle);
			}
		}
		ik_search_text_done(&text);
		ik_buf_done(&source);
		ik_scrollback_free(scrollback);
	}
	cr_assert_gt(by_source, 100);
}
