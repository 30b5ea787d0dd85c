/*
 * bench_frame: frames of a chat with a long conversation, in this process, to their bytes.
 *
 *     bench_frame MEGABYTES RUNS ROWS COLUMNS
 *
 * Prints the CPU time of a frame in which one line changed (a reply grows by a word), of one with a
 * new row of a reply, so that all rows move up, of a key's echo, and of a page up and down.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tui/screen/screen.h"
#include "tui/term/term.h"
#include "util/limits.h"
#include "measure.h"

#define MOST_RUNS 10000
#define MESSAGE 50000

struct bench {
	struct ik_screen *screen;
	struct ik_term *term;
	struct ik_cells cells;
	struct ik_buf out;
	size_t runs;
	double values[MOST_RUNS];
};

/* What others of the machine do meanwhile is no part of a frame. */
static double cpu_ms_of_thread(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1000 + (double)now.tv_nsec / 1e6;
}

/* Draw what there is to draw. */
static void draw(struct bench *bench)
{
	ik_screen_draw(bench->screen, &bench->cells);
	ik_buf_clear(&bench->out);
	ik_term_frame(bench->term, &bench->cells, &bench->out);
}

/* A piece of the reply. */
static void grow(struct bench *bench, const char *text)
{
	struct ik_event event = {.kind = IK_EVENT_TEXT, .round = 1, .text = text,
		.text_length = strlen(text)};
	ik_screen_apply(bench->screen, &event);
}

/* A piece, and then one of a paragraph that is not timed. */
static void time_pieces(struct bench *bench, const char *name, const char *piece)
{
	for (size_t i = 0; i < bench->runs; i++) {
		double began = cpu_ms_of_thread();
		grow(bench, piece);
		draw(bench);
		bench->values[i] = cpu_ms_of_thread() - began;
		grow(bench, i % 50 == 0 ? ".\n\nA paragraph" : " of more");
		draw(bench);
	}
	print_figure(name, "ms of CPU", bench->values, bench->runs);
}

/* One key, and another that is not timed. */
static void time_keys(struct bench *bench, const char *name, struct ik_key key, struct ik_key back)
{
	for (size_t i = 0; i < bench->runs; i++) {
		double began = cpu_ms_of_thread();
		ik_screen_key(bench->screen, &key);
		draw(bench);
		bench->values[i] = cpu_ms_of_thread() - began;
		ik_screen_key(bench->screen, &back);
		draw(bench);
	}
	print_figure(name, "ms of CPU", bench->values, bench->runs);
}

/* Show a conversation of this size. */
static void converse(struct ik_screen *screen, size_t bytes)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(1));
	for (size_t line = 0; text.length < MESSAGE; line++)
		ik_buf_printf(&text, "line %zu of a message, about as long as lines are\n", line);
	for (size_t told = 0; told < bytes; told += text.length) {
		enum ik_kind kind = told / text.length % 2 == 0 ? IK_KIND_USER : IK_KIND_ASSISTANT;
		struct ik_event event = {.kind = IK_EVENT_MESSAGE,
			.message = ik_message_new(kind, text.data, text.length, NULL, 0)};
		ik_screen_apply(screen, &event);
		ik_message_unref(event.message);
	}
	ik_buf_done(&text);
}

int main(int argc, char **argv)
{
	static struct bench bench;
	static const struct ik_key letter = {.code = IK_KEY_CHARACTER, .codepoint = 'x'},
		erase = {.code = IK_KEY_BACKSPACE}, up = {.code = IK_KEY_PAGE_UP},
		down = {.code = IK_KEY_PAGE_DOWN};
	size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) * 1000000 : 0;
	int rows = argc > 3 ? atoi(argv[3]) : 0, columns = argc > 4 ? atoi(argv[4]) : 0;
	struct ik_error error;

	bench.runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	if (bench.runs == 0 || bench.runs > MOST_RUNS || rows < 10 || columns < 40) {
		fprintf(stderr, "usage: bench_frame MEGABYTES RUNS ROWS COLUMNS\n");
		return 2;
	}
	(void)setlocale(LC_ALL, "");
	bench.screen = ik_screen_new(&(struct ik_screen_options){.markdown = true,
		.provider = "openai", .model = "bench"});
	bench.term = ik_term_new(&(struct ik_term_options){.type = "xterm-256color",
		.colours = IK_COLOURS_256, .theme = ik_theme_find(NULL, "dark"), .rows = rows,
		.columns = columns}, &error);
	if (!bench.term) {
		fprintf(stderr, "bench_frame: %s\n", error.text);
		return 1;
	}
	ik_buf_init(&bench.out, IK_MIB(64));
	ik_cells_init(&bench.cells);
	ik_cells_resize(&bench.cells, rows, columns);
	ik_screen_resize(bench.screen, rows, columns);
	converse(bench.screen, bytes);
	draw(&bench);
	ik_screen_apply(bench.screen, &(struct ik_event){.kind = IK_EVENT_TURN_STARTED});
	ik_screen_apply(bench.screen, &(struct ik_event){.kind = IK_EVENT_ROUND_STARTED, .round = 1});
	time_pieces(&bench, "one changed line", " word");
	time_pieces(&bench, "a new row, all others move up", "\n\nA paragraph");
	time_keys(&bench, "a key's echo", letter, erase);
	time_keys(&bench, "a page up", up, down);
	ik_screen_free(bench.screen);
	ik_term_free(bench.term);
	ik_cells_done(&bench.cells);
	ik_buf_done(&bench.out);
	return 0;
}
