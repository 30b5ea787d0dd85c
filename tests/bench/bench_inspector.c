/*
 * bench_inspector: many calls in the inspector, and one with a large result.
 *
 *     bench_inspector CALLS MEGABYTES
 *
 * Prints the peak CPU time of a turn of the loop: opening, going through the list, reading the
 * large result, scrolling, unfolding; and the memory that it takes besides the messages.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json/write.h"
#include "tui/scrollback/block.h"
#include "tui/pane/pane_inspector.h"
#include "tui/pane/status_bar.h"
#include "util/limits.h"

static struct ik_inspector *inspector;
static struct ik_pane *pane;
static struct ik_cells cells;
static double began, longest;

static double cpu_ms_of_thread(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1000 + (double)now.tv_nsec / 1e6;
}

static void begin_turn(void)
{
	began = cpu_ms_of_thread();
}

static void end_turn(void)
{
	double took = cpu_ms_of_thread() - began;
	longest = took > longest ? took : longest;
}

static void print_longest(const char *name)
{
	printf("  %-40s %10.3f ms of CPU in a turn at most\n", name, longest);
	longest = 0;
}

static void draw(void)
{
	struct ik_status_bar bar = {.now_ms = 0};

	pane->ops->draw(pane, &cells, (struct ik_rectangle){0, 0, 40, 120}, true, &bar);
}

/* An action and a frame, a turn each. */
static void act(enum ik_action action, size_t times)
{
	struct ik_invocation reaction = {.action = IK_ACTION_NONE};
	for (size_t i = 0; i < times; i++) {
		begin_turn();
		if (action != IK_ACTION_NONE
			&& pane->ops->key(pane, NULL, action, &reaction) == IK_PANE_PASSED)
			pane->ops->act(pane, action);
		draw();
		end_turn();
	}
}

/* Make a stored result of this size. */
static struct ik_message *make_result(size_t bytes)
{
	struct ik_buf envelope, data;
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	ik_buf_init(&data, IK_LIMIT_ENVELOPE);
	ik_buf_puts(&envelope, "{\"tool_success\":true,\"result\":{\"output\":\"");
	while (envelope.length < bytes)
		ik_buf_puts(&envelope, "a line of what a tool may print, as long as most lines are\\n");
	ik_buf_puts(&envelope, "\",\"exit_code\":0}}");
	ik_buf_puts(&data, "{\"tool_call_id\":\"x\",\"name\":\"bash\",\"duration_ms\":7,\"output\":");
	ik_json_put_string(&data, envelope.data, envelope.length);
	ik_buf_puts(&data, ",\"success\":true}");
	struct ik_message *message = ik_message_new(IK_KIND_TOOL_RESULT, "", 0, data.data, data.length);
	ik_buf_done(&envelope);
	ik_buf_done(&data);
	return message;
}

static double held_mb(void)
{
	struct mallinfo2 info = mallinfo2();
	return (double)(info.uordblks + info.hblkhd) / 1e6;
}

int main(int argc, char **argv)
{
	size_t count = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	size_t bytes = argc == 3 ? strtoul(argv[2], NULL, 10) * 1000000 : 0;
	char id[32];

	if (count == 0 || bytes == 0) {
		fprintf(stderr, "usage: bench_inspector CALLS MEGABYTES\n");
		return 2;
	}
	struct ik_calls *calls = ik_calls_new();
	struct ik_keymap *keymap = ik_keymap_new(NULL);
	struct ik_message *small = make_result(2000), *large = make_result(bytes);
	double before = held_mb();
	ik_cells_resize(&cells, 40, 120);
	inspector = ik_inspector_new(calls, keymap, NULL);
	pane = (struct ik_pane *)inspector;
	for (size_t i = 0; i < count; i++) {
		(void)snprintf(id, sizeof id, "call-%zu", i);
		struct ik_shown_call *call = ik_calls_get(calls, id, "bash");
		ik_calls_set_arguments(calls, call, "{\"command\":\"make check\"}", 24);
		ik_calls_set_result(calls, call, small);
	}
	printf("%zu calls: %.1f MB\n", count, held_mb() - before);
	act(IK_ACTION_NONE, 1);
	print_longest("open");
	act(IK_ACTION_UP, 200);
	act(IK_ACTION_TOP, 1);
	act(IK_ACTION_BOTTOM, 1);
	print_longest("through the list");
	struct ik_shown_call *call = ik_calls_get(calls, "large", "bash");
	begin_turn();
	ik_calls_set_result(calls, call, large);
	end_turn();
	printf("a result of %zu MB\n", bytes / 1000000);
	print_longest("it is restored");
	before = held_mb();
	struct ik_block *block = ik_block_of_call(call);
	begin_turn();
	ik_block_prepare(block);
	end_turn();
	print_longest("its line in the scrollback");
	ik_block_fold(block, false);
	begin_turn();
	ik_block_prepare(block);
	end_turn();
	print_longest("and unfolded there");
	ik_inspector_follow(inspector);
	act(IK_ACTION_NONE, 1);
	print_longest("open");
	act(IK_ACTION_PAGE_DOWN, 20);
	print_longest("scroll");
	act(IK_ACTION_UNFOLD_ALL, 1);
	print_longest("unfold all");
	act(IK_ACTION_PAGE_DOWN, 50);
	print_longest("scroll in it");
	act(IK_ACTION_FOLD_ALL, 1);
	print_longest("fold all");
	printf("  held beside the message: %.1f MB\n", held_mb() - before);
	ik_block_free(block);
	pane->ops->release(pane);
	ik_calls_free(calls);
	ik_keymap_free(keymap);
	ik_message_unref(small);
	ik_message_unref(large);
	ik_cells_done(&cells);
	return 0;
}
