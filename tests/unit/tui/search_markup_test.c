/* What a search counts, and goes to, is what a plain look through all that is shown finds. */
#include "tui/scrollback/scrollback_search.h"

#include <criterion/criterion.h>

#include "tui/text/markdown.h"
#include "tui/scrollback/shown_text.h"
#include "tui/text/needle.h"
#include "util/limits.h"

static void generate(struct ik_buf *out, unsigned seed, size_t size)
{
	static const char *const parts[] = {
		"a**bc**d ", "un*believ*able ", "&#97;bcd ", "&amp;bcd ", "`ab`cd ", "ab~~cd~~ ",
		"[ab](cd)cd ", "ab[cd](http://x.y) ", "\\abcd ", "ab\\*cd ", "abcd ", "abcd\n",
		"ab\ncd ", "- abcd\n", "> abcd\n", "\n\n", "```\nabcd\n```\n", "# abcd\n", "1. one\n",
		"| abcd | b |\n|---|---|\n| a**b**cd | x |\n\n", "A\xCC\x81" "BCD ", "日本abcd ",
		"Ähnlich ähnlich ", "<b>ab</b>cd ", "ab<!-- x -->cd ", "<http://abcd.de> ",
		"[ab][x]cd ", "long words in a row of them ", "\xC5\xBFtraße STRASSE ",
		"time of day ", "time **of** day ", "time\nof day\n", "_time_, of day ", "(time) of ",
		"the time `of` ", "[r]: http://time/of\n\n", "[time][r] of day ", "[r] of day ",
		"| time | of |\n|---|---|\n| day | time of |\n\n", "> the time\n> of day\n", "time of <b>day</b> ",
		"- the time\n  of day\n", "time\n\nof ", "<time> of ", "the ![time](x) of ", "times of 3 days ",
		"\xE2\x84\xAA" "elvin ", "ab&#x63;d ", "&copy;right ", "x ",
	};
	while (out->length < size) {
		seed = seed * 1103515245u + 12345u;
		ik_buf_puts(out, parts[(seed >> 16) % (sizeof parts / sizeof *parts)]);
	}
}

static size_t count_shown(struct ik_scrollback *scrollback, struct ik_block *block,
	const char *pattern)
{
	struct ik_needle needle;
	struct ik_shown_text text;
	size_t count = 0;
	ik_shown_text_init(&text);
	ik_block_prepare(block);
	ik_needle_init(&needle, pattern, strlen(pattern));
	for (uint32_t i = 0; i < block->section_count; i++) {
		ik_shown_text_fill(&text, block, ik_scrollback_lines(scrollback, block, i));
		count += ik_needle_count(&needle, text.text.data, text.text.length);
	}
	ik_needle_done(&needle);
	ik_shown_text_done(&text);
	return count;
}

static void work(struct ik_search *search)
{
	while (ik_search_working(search))
		(void)ik_search_work(search);
}

/* Go on until the first place comes again. */
static size_t count_steps(struct ik_search *search, size_t most)
{
	size_t first = ik_search_state(search).number, steps = 0;
	do {
		ik_search_step(search, 1);
		work(search);
		steps++;
	} while (ik_search_state(search).number != first && steps <= most);
	return steps;
}

Test(search_markup, finds_what_is_shown_whatever_markup_was_in_it)
{
	static const char *const patterns[] = { "abcd", "bcd", "unbelievable", "ähnlich", "ä", "stra",
		"kelvin", "copy", "cd ", "ab cd", "ABCD", "words in", "x", "amp", "abc", "本a", "right",
		"©right", "|", "97", "time of day", "the time of", "ime of d", "Time of", "time, of",
		"r of day", "time) of", "of 3 days", "http://time/of" };
	for (unsigned seed = 1; seed < 60; seed++) {
		struct ik_scrollback *scrollback = ik_scrollback_new();
		struct ik_block *block = ik_block_new(IK_BLOCK_ASSISTANT);
		struct ik_search *search = ik_search_new(scrollback, false);
		struct ik_buf source;
		ik_buf_init(&source, IK_KIB(64));
		generate(&source, seed * 7919, seed % 3 == 0 ? 100 : seed % 3 == 1 ? 1000 : 6000);
		ik_block_set_renderer(block, &ik_renderer_markdown);
		ik_block_append(block, source.data, source.length);
		ik_block_finish(block);
		ik_scrollback_add(scrollback, block);
		ik_scrollback_resize(scrollback, 10, 31);
		for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
			size_t shown = count_shown(scrollback, block, patterns[i]);
			ik_search_set(search, patterns[i], strlen(patterns[i]));
			work(search);
			struct ik_search_state state = ik_search_state(search);
			cr_assert_eq(state.total, shown, "\"%s\", seed %u: %zu, not %zu", patterns[i], seed,
				state.total, shown);
			cr_assert_eq(state.found, shown > 0, "\"%s\", seed %u", patterns[i], seed);
			if (shown > 0 && shown < 20)
				cr_assert_eq(count_steps(search, shown), shown, "\"%s\", seed %u", patterns[i],
					seed);
		}
		ik_search_free(search);
		ik_buf_done(&source);
		ik_scrollback_free(scrollback);
	}
}
