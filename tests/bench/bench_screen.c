/*
 * bench_screen: time full-screen programs in a real pseudo-terminal, from
 * outside.
 *
 *     bench_screen first RUNS MARKER PROGRAM [ARGS] [-- MARKER PROGRAM [ARGS]]
 *                           exec to the first full frame; several programs take
 *                           turns, and all but the last are compared with the last
 *     bench_screen keys COUNT MARKER PROGRAM [ARGS]   key to echo
 *     bench_screen keys-at-once COUNT MARKER PROGRAM [ARGS]   the same from the first frame on
 *     bench_screen idle SECONDS MARKER PROGRAM [ARGS] wake-ups, CPU and memory once it rests
 *     bench_screen reply RUNS MARKER PROMPT PROGRAM [ARGS]
 *                           Enter to the end of the reply on screen, again and
 *                           again in one program: wall, CPU, bytes to the
 *                           terminal, memory. The n-th reply ends in the n-th
 *                           letter seven times, so that no two look alike
 *     bench_screen keys-while-reply COUNT MARKER PROMPT PROGRAM [ARGS]
 *     bench_screen paste MEGABYTES MARKER PROGRAM [ARGS]
 *                           a bracketed paste to its mark on screen, five times
 *     bench_screen resize COUNT MARKER PROGRAM [ARGS]
 *                           a change of the size to the end of the frame for it
 *
 * IK_BENCH_SIZE="ROWS COLUMNS" is the terminal's size (40 120).
 *
 * A frame is full when MARKER has come, escape sequences left out.
 */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

#define MOST_RUNS 1000
#define WAIT_MS 60000.0

static const char frame_end[] = "\033[?2026l";

/* A program in a terminal; text is what it wrote less escape sequences. */
struct run {
	pid_t pid;
	int master;
	double started, last_read;
	size_t bytes, frames; /* of those whose ends are told of */
	char *text;
	size_t length, capacity;
	int escape; /* 0 text, 1 after ESC, 2 in CSI, 3 in OSC, DCS, ..., 4 one more byte */
};

static void fail(const char *what)
{
	fprintf(stderr, "bench_screen: %s\n", what);
	exit(1);
}

/* Keep one byte unless it belongs to an escape sequence. */
static void take_byte(struct run *run, char byte)
{
	switch (run->escape) {
	case 1:
		run->escape = byte == '[' ? 2 : strchr("]P_^X", byte) != NULL ? 3 :
			strchr("()*+", byte) != NULL ? 4 : 0;
		return;
	case 2:
		if (byte >= '@' && byte <= '~')
			run->escape = 0;
		return;
	case 3:
		if (byte == '\a' || byte == '\\')
			run->escape = 0;
		return;
	case 4:
		run->escape = 0;
		return;
	default:
		break;
	}
	if (byte == '\033') {
		run->escape = 1;
		return;
	}
	if (run->length + 2 > run->capacity) {
		run->capacity = run->capacity == 0 ? 65536 : run->capacity * 2;
		run->text = realloc(run->text, run->capacity);
		if (run->text == NULL)
			fail("out of memory");
	}
	run->text[run->length++] = byte;
	run->text[run->length] = '\0';
}

/* Read what comes within milliseconds; false at the end of the program. */
static bool pump(struct run *run, double milliseconds)
{
	struct pollfd wait = {.fd = run->master, .events = POLLIN};
	char bytes[65536];
	ssize_t length, i;

	if (poll(&wait, 1, milliseconds < 1 ? 1 : (int)milliseconds) <= 0)
		return true;
	length = read(run->master, bytes, sizeof bytes);
	if (length <= 0)
		return false;
	run->last_read = now_ms();
	run->bytes += (size_t)length;
	for (i = 0; i < length; i++)
		take_byte(run, bytes[i]);
	for (const char *at = bytes; (at = memmem(at, (size_t)(bytes + length - at), frame_end,
		sizeof frame_end - 1)) != NULL; at++)
		run->frames++;
	return true;
}

/* Wait until text has come since from; its time, or -1. */
static double wait_for(struct run *run, const char *text, size_t from)
{
	double end = now_ms() + WAIT_MS;

	for (;;) {
		size_t back = strlen(text);

		if (run->length > from && strstr(run->text + from, text) != NULL)
			return run->last_read;
		if (run->length > back && run->length - back > from)
			from = run->length - back;
		if (!pump(run, 50) || now_ms() > end)
			return -1;
	}
}

/* Take output until none came for a while. */
static void settle(struct run *run, double milliseconds)
{
	double quiet_since = now_ms();
	size_t bytes = run->bytes;

	while (now_ms() - quiet_since < milliseconds) {
		if (!pump(run, 10))
			return;
		if (run->bytes != bytes) {
			bytes = run->bytes;
			quiet_since = now_ms();
		}
	}
}

static void start(struct run *run, char **argv)
{
	struct winsize size = {.ws_row = 40, .ws_col = 120};
	const char *wish = getenv("IK_BENCH_SIZE");

	if (wish != NULL)
		(void)sscanf(wish, "%hu %hu", &size.ws_row, &size.ws_col);
	memset(run, 0, sizeof *run);
	run->started = now_ms();
	run->pid = forkpty(&run->master, NULL, NULL, &size);
	if (run->pid < 0)
		fail("no pseudo-terminal");
	if (run->pid == 0) {
		(void)execvp(argv[0], argv);
		_exit(127);
	}
	(void)fcntl(run->master, F_SETFD, FD_CLOEXEC);
}

static void stop(struct run *run)
{
	(void)kill(run->pid, SIGTERM);
	settle(run, 100);
	(void)kill(run->pid, SIGKILL);
	(void)waitpid(run->pid, NULL, 0);
	(void)close(run->master);
	free(run->text);
}

static void type_text(struct run *run, const char *text)
{
	if (write(run->master, text, strlen(text)) < 0)
		fail("the program takes no input");
}

#define MOST_PROGRAMS 8

/* One of the programs whose first frames are compared. */
struct first {
	const char *marker;
	char **argv;
	double wall[MOST_RUNS], cpu[MOST_RUNS];
};

/* Start one once and note when its first frame was there, and what it had cost by then. */
static void time_first(struct first *program, size_t i)
{
	struct run run;
	double at;

	start(&run, program->argv);
	at = wait_for(&run, program->marker, 0);
	program->cpu[i] = cpu_ms(run.pid);
	if (at < 0)
		fail("the marker did not come");
	program->wall[i] = at - run.started;
	stop(&run);
}

/* Medians, and the quickest quarter: what a busy machine disturbs least. */
static void bench_first(size_t runs, char **argv)
{
	static struct first programs[MOST_PROGRAMS];
	size_t count = 0, i, j;

	for (i = 0; argv[i] != NULL && argv[i + 1] != NULL && count < MOST_PROGRAMS;) {
		programs[count].marker = argv[i];
		programs[count++].argv = argv + i + 1;
		while (argv[i] != NULL && strcmp(argv[i], "--") != 0)
			i++;
		if (argv[i] != NULL)
			argv[i++] = NULL;
	}
	for (i = 0; i < runs; i++)
		for (j = 0; j < count; j++)
			time_first(&programs[j], i);
	for (j = 0; j < count; j++) {
		printf("%s\n", programs[j].argv[0]);
		print_figure("  first full frame", "ms", programs[j].wall, runs);
		print_figure("  CPU until it was seen", "ms", programs[j].cpu, runs);
	}
	for (j = 0; j + 1 < count; j++)
		printf("%s / %s: wall %.2f, of the quickest quarter %.2f, CPU %.2f\n", programs[j].argv[0],
			programs[count - 1].argv[0], programs[j].wall[runs / 2] / programs[count - 1].wall[runs / 2],
			programs[j].wall[runs / 4] / programs[count - 1].wall[runs / 4],
			programs[j].cpu[runs / 2] / programs[count - 1].cpu[runs / 2]);
}

/* Type letters that stand nowhere else and time each one's echo. */
static void time_keys(struct run *run, size_t count, const char *name)
{
	double values[MOST_RUNS];
	size_t i;

	for (i = 0; i < count; i++) {
		static const char *const letters[] = {"é", "ñ", "ß", "ø", "æ", "å", "ü", "ö", "ç"};
		const char *letter = letters[i % 9];
		size_t from = run->length;
		double typed = now_ms(), at;

		type_text(run, letter);
		at = wait_for(run, letter, from);
		if (at < 0)
			fail("a key was not echoed");
		values[i] = at - typed;
		while (now_ms() - typed < 60)
			if (!pump(run, 5))
				break;
	}
	print_figure(name, "ms", values, count);
}

static void bench_keys(size_t count, const char *marker, bool at_once, char **argv)
{
	struct run run;

	start(&run, argv);
	if (wait_for(&run, marker, 0) < 0)
		fail("the marker did not come");
	if (!at_once)
		settle(&run, 500);
	time_keys(&run, count, at_once ? "key to echo from the first frame on" : "key to echo");
	stop(&run);
}

static void bench_keys_while_reply(size_t count, const char *marker, const char *prompt, char **argv)
{
	struct run run;

	start(&run, argv);
	if (wait_for(&run, marker, 0) < 0)
		fail("the marker did not come");
	settle(&run, 500);
	type_text(&run, prompt);
	settle(&run, 200);
	type_text(&run, "\r");
	(void)pump(&run, 1000);
	time_keys(&run, count, "key to echo while a reply streams");
	stop(&run);
}

/* Wait until a second has passed in which it did not wake: what is shown may still be looked
 * through for the search. */
static void wait_for_rest(struct run *run)
{
	double began = now_ms();
	long switches = -1, before;

	do {
		double end = now_ms() + 1000;

		before = switches;
		while (now_ms() < end)
			if (!pump(run, 100))
				fail("the program ended");
		switches = context_switches(run->pid);
	} while (switches != before && now_ms() - began < WAIT_MS);
	if (switches == before)
		printf("came to rest within %.0f s\n", (now_ms() - began) / 1000);
	else
		printf("did not come to rest in %.0f s\n", WAIT_MS / 1000);
}

static void bench_idle(size_t seconds, const char *marker, char **argv)
{
	struct run run;
	double end, cpu;
	long switches;
	size_t bytes;

	start(&run, argv);
	if (wait_for(&run, marker, 0) < 0)
		fail("the marker did not come");
	settle(&run, 2000);
	wait_for_rest(&run);
	switches = context_switches(run.pid);
	cpu = cpu_ms(run.pid);
	bytes = run.bytes;
	for (end = now_ms() + (double)seconds * 1000; now_ms() < end;)
		if (!pump(&run, 100))
			fail("the program ended");
	printf("idle for %zu s: %ld wake-ups, %.3f ms CPU, %zu bytes written, %ld kB Pss\n", seconds,
		context_switches(run.pid) - switches, cpu_ms(run.pid) - cpu, run.bytes - bytes,
		pss_kb(run.pid));
	stop(&run);
}

static void bench_reply(size_t runs, const char *marker, const char *prompt, char **argv)
{
	double wall[MOST_RUNS], cpu[MOST_RUNS], bytes[MOST_RUNS];
	struct run run;
	size_t i;

	start(&run, argv);
	if (wait_for(&run, marker, 0) < 0)
		fail("the marker did not come");
	settle(&run, 1000);
	for (i = 0; i < runs; i++) {
		size_t from, before, frames;
		double typed, at, cpu_before;
		char mark[8] = "";

		memset(mark, 'a' + (int)(i % 26), 7);

		type_text(&run, prompt);
		settle(&run, 300);
		from = run.length;
		before = run.bytes;
		frames = run.frames;
		cpu_before = cpu_ms(run.pid);
		typed = now_ms();
		type_text(&run, "\r");
		at = wait_for(&run, mark, from);
		if (at < 0)
			fail("the end of the reply did not come");
		wall[i] = at - typed;
		settle(&run, 500);
		cpu[i] = cpu_ms(run.pid) - cpu_before;
		bytes[i] = (double)(run.bytes - before) / 1000;
		printf("  reply %zu: %.1f ms wall, %.1f ms CPU, %.0f kB written, %.1f frames/s, %ld kB Pss\n",
			i + 1, wall[i], cpu[i], bytes[i], (double)(run.frames - frames) * 1000 / wall[i],
			pss_kb(run.pid));
	}
	print_figure("reply, Enter to end on screen", "ms", wall, runs);
	print_figure("reply, CPU", "ms", cpu, runs);
	print_figure("reply, written to the terminal", "kB", bytes, runs);
	stop(&run);
}

static void bench_paste(size_t megabytes, const char *marker, char **argv)
{
	enum { TIMES = 5 };
	double values[TIMES];
	size_t length = megabytes * 1000000, i, at;
	char *text = malloc(length + 1);
	struct run run;

	if (text == NULL)
		fail("out of memory");
	for (i = 0; i < length; i++)
		text[i] = i % 80 == 79 ? '\n' : (char)('a' + i % 26);
	start(&run, argv);
	if (wait_for(&run, marker, 0) < 0)
		fail("the marker did not come");
	settle(&run, 500);
	(void)fcntl(run.master, F_SETFL, O_NONBLOCK);
	for (i = 0; i < TIMES; i++) {
		size_t from = run.length;
		double began = now_ms(), shown;

		type_text(&run, "\033[200~");
		for (at = 0; at < length;) {
			struct pollfd wait = {.fd = run.master, .events = POLLOUT};
			ssize_t count;

			(void)poll(&wait, 1, 1000);
			count = write(run.master, text + at, length - at < 65536 ? length - at : 65536);
			at += count > 0 ? (size_t)count : 0;
		}
		type_text(&run, "\033[201~");
		shown = wait_for(&run, "pasted", from);
		if (shown < 0)
			fail("the mark of the paste did not come");
		values[i] = shown - began;
		settle(&run, 200);
		type_text(&run, "\003");
		settle(&run, 200);
	}
	print_figure("paste, to its mark", "ms", values, TIMES);
	free(text);
	stop(&run);
}

/* Each time another size; a frame is there when its end is. */
static void bench_resize(size_t count, const char *marker, char **argv)
{
	double values[MOST_RUNS];
	struct run run;
	size_t i;

	start(&run, argv);
	if (wait_for(&run, marker, 0) < 0)
		fail("the marker did not come");
	settle(&run, 3000);
	for (i = 0; i < count; i++) {
		struct winsize size = {.ws_row = (unsigned short)(30 + i % 2 * 20),
			.ws_col = (unsigned short)(90 + i % 3 * 40)};
		size_t frames = run.frames;
		double began = now_ms();

		(void)ioctl(run.master, TIOCSWINSZ, &size);
		while (run.frames == frames && now_ms() - began < WAIT_MS)
			if (!pump(&run, 50))
				fail("the program ended");
		values[i] = run.last_read - began;
		settle(&run, 100);
	}
	print_figure("resize, to the end of its frame", "ms", values, count);
	printf("memory: %ld kB Pss\n", pss_kb(run.pid));
	stop(&run);
}

int main(int argc, char **argv)
{
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	(void)setenv("TERM", "xterm-256color", 1);
	if (count == 0 || count > MOST_RUNS || argc < 5) {
		fprintf(stderr, "usage: bench_screen first|keys|keys-at-once|idle|reply|keys-while-reply|paste|resize COUNT MARKER ... PROGRAM\n");
		return 2;
	}
	if (strcmp(argv[1], "first") == 0)
		bench_first(count, argv + 3);
	else if (strcmp(argv[1], "keys") == 0)
		bench_keys(count, argv[3], false, argv + 4);
	else if (strcmp(argv[1], "keys-at-once") == 0)
		bench_keys(count, argv[3], true, argv + 4);
	else if (strcmp(argv[1], "idle") == 0)
		bench_idle(count, argv[3], argv + 4);
	else if (strcmp(argv[1], "paste") == 0)
		bench_paste(count, argv[3], argv + 4);
	else if (strcmp(argv[1], "resize") == 0)
		bench_resize(count, argv[3], argv + 4);
	else if (strcmp(argv[1], "reply") == 0 && argc > 5)
		bench_reply(count, argv[3], argv[4], argv + 5);
	else if (strcmp(argv[1], "keys-while-reply") == 0 && argc > 5)
		bench_keys_while_reply(count, argv[3], argv[4], argv + 5);
	else
		return 2;
	return 0;
}
