/*
 * bench_search: a search through a long conversation, as the chat does it in slices.
 *
 *     bench_search MEGABYTES RUNS PATTERN...
 *     bench_search one MEGABYTES RUNS PATTERN...    all of it in one output
 *     bench_search reply MEGABYTES RUNS PATTERN...  all of it in one reply
 *     bench_search text MEGABYTES      prints the same text, for others to search
 *
 * For each pattern: the time to the first match, to the count of all, to the next match and
 * back, and the longest slice, during which a key would have to wait.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tui/text/markdown.h"
#include "tui/scrollback/scrollback_search.h"
#include "util/limits.h"
#include "measure.h"

#define MESSAGE 100000
#define MOST_RUNS 1000

/* Append a paragraph of words that stand in most texts. */
static void add_paragraph(struct ik_buf *out, unsigned *seed)
{
	static const char *const words[] = {"the", "quick", "brown", "terminal", "renders", "streaming",
		"tokens", "while", "a", "scrollback", "buffer", "wraps", "lines", "and", "status", "bar",
		"counts", "bytes", "per", "second", "across", "panes", "without", "dropping", "any", "frame",
		"of", "output", "from", "model", "tool", "calls"};
	for (int i = 0; i < 50; i++) {
		*seed = *seed * 1103515245u + 12345u;
		ik_buf_puts(out, words[(*seed >> 16) % 32]);
		ik_buf_putc(out, i == 49 ? '\n' : ' ');
	}
	ik_buf_putc(out, '\n');
}

/* The messages' texts; each can be told from the others by its number. */
static void make_message(struct ik_buf *out, size_t index)
{
	unsigned seed = (unsigned)index;
	ik_buf_clear(out);
	ik_buf_printf(out, "## Message m%zuq\n\n", index);
	while (out->length < MESSAGE)
		add_paragraph(out, &seed);
}

/* What the others of the machine do meanwhile is no part of a slice. */
static double cpu_ms_of_thread(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1000 + (double)now.tv_nsec / 1e6;
}

/* Work until nothing is sought, or until nothing is left; the longest slice is kept. */
static void work(struct ik_search *search, bool all, double *longest)
{
	while (ik_search_state(search).seeking || (all && ik_search_working(search))) {
		double slice = cpu_ms_of_thread();
		ik_search_work(search);
		slice = cpu_ms_of_thread() - slice;
		if (slice > *longest)
			*longest = slice;
	}
}

static void search(struct ik_scrollback *scrollback, const char *pattern, size_t runs)
{
	double shown[MOST_RUNS], counted[MOST_RUNS], stepped[MOST_RUNS], slices[MOST_RUNS];
	struct ik_search *search = ik_search_new(scrollback, false);
	struct ik_search_state state = {.on = false};
	for (size_t i = 0; i < runs; i++) {
		double began = now_ms();
		ik_scrollback_bottom(scrollback);
		ik_search_begin(search);
		ik_search_set(search, pattern, strlen(pattern));
		slices[i] = 0;
		work(search, false, &slices[i]);
		shown[i] = now_ms() - began;
		work(search, true, &slices[i]);
		counted[i] = now_ms() - began;
		state = ik_search_state(search);
		began = now_ms();
		ik_search_step(search, 1);
		work(search, false, &slices[i]);
		ik_search_step(search, -1);
		work(search, false, &slices[i]);
		stepped[i] = now_ms() - began;
	}
	printf("\"%s\": %zu places\n", pattern, state.total);
	print_figure("  to the place", "ms", shown, runs);
	print_figure("  to the count of all", "ms", counted, runs);
	print_figure("  to the next and back", "ms", stepped, runs);
	print_figure("  the longest slice", "ms of CPU", slices, runs);
	ik_search_free(search);
}

static struct ik_block *block_new(bool output)
{
	struct ik_block *block = ik_block_new(output ? IK_BLOCK_COMMAND : IK_BLOCK_ASSISTANT);
	if (!output)
		ik_block_set_renderer(block, &ik_renderer_markdown);
	return block;
}

int main(int argc, char **argv)
{
	bool text = argc == 3 && strcmp(argv[1], "text") == 0;
	bool output = argc > 4 && strcmp(argv[1], "one") == 0;
	bool one = output || (argc > 4 && strcmp(argv[1], "reply") == 0);
	int first = text || one ? 2 : 1;
	size_t bytes = argc > 2 ? strtoul(argv[first], NULL, 10) * 1000000 : 0;
	size_t runs = argc > 3 ? strtoul(argv[first + 1], NULL, 10) : 0, done = 0;
	struct ik_scrollback *scrollback;
	struct ik_block *block = NULL;
	struct ik_buf message;

	if (bytes == 0 || (!text && (runs == 0 || runs > MOST_RUNS))) {
		fprintf(stderr, "usage: bench_search [one|reply] MEGABYTES RUNS PATTERN...\n");
		return 2;
	}
	ik_buf_init(&message, IK_MIB(1));
	scrollback = ik_scrollback_new();
	ik_scrollback_resize(scrollback, 40, 120);
	for (size_t index = 0; done < bytes; index++, done += message.length) {
		make_message(&message, index);
		if (text) {
			(void)fwrite(message.data, 1, message.length, stdout);
			continue;
		}
		if (!block)
			block = block_new(output);
		ik_block_append(block, message.data, message.length);
		if (one && done + message.length < bytes)
			continue;
		ik_block_finish(block);
		ik_scrollback_add(scrollback, block);
		block = NULL;
	}
	for (int i = first + 2; i < argc; i++)
		search(scrollback, argv[i], runs);
	ik_scrollback_free(scrollback);
	ik_buf_done(&message);
	return 0;
}
