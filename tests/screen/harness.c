/*
 * harness: screen tests as readable files.
 *
 *     harness FILE.screen
 *
 * drives the real program in a pseudo-terminal and prints TAP.  A file is a
 * list of steps, one a line; # begins a comment.  A step that ends in << takes
 * the lines up to a line END.
 *
 *   size ROWS COLUMNS        before start: the terminal's size (24 80)
 *   one-screen               before start: it has no second screen, whatever TERM says
 *   env NAME=VALUE           a variable for the program; NAME alone unsets it
 *   file PATH <<             a file in the working directory
 *   home-file PATH <<        a file in the program's home (~/.ikigai)
 *   tool NAME <<             an executable in ~/.ikigai/tools
 *   sh <<                    shell lines that must succeed ($HOME,
 *                            $WORK, $SERVER, $FIXTURES and $BUILD are set)
 *   server <<                a scenario for the loopback server; sets $SERVER to
 *                            its address, which ARGS and env may use, and
 *                            $REQUESTS to the file of what it was asked
 *   go NAME                  release what the server's scenario waits for
 *   start ARGS               start ikigai, or start it again
 *   start-sh <<              a shell in the terminal with these lines; $IKIGAI is the
 *                            program, and with set -m it can be stopped and continued
 *   other                    from here on the steps are for a second terminal, which has
 *                            its own program; once more: for the first again
 *   type TEXT                \e \r \n \t \\ \xHH are understood; like key, it waits until a
 *                            question on the screen takes an answer
 *   paste <<                 as a bracketed paste
 *   paste-many COUNT TEXT    the same with that many copies of TEXT
 *   burst COUNT TEXT         so many copies of TEXT as fast as they are taken, at once
 *   key NAMES                Enter Esc Tab Up F1 PgUp Ctrl-C Alt-x Ctrl-Home ...; Ctrl-D
 *                            only once no turn runs
 *   wait TEXT                until a row shows TEXT; this, wait-not and never take
 *                            @NAME for a text of tests/screen/messages.txt
 *   wait-not TEXT            until no row does
 *   at-rest                  until no turn runs
 *   expect <<                until the screen is this picture: a line "..." is
 *                            any number of rows, * in a line any characters, and a line ">"
 *                            is also the empty prompt with its placeholder
 *   never TEXT               no row shows TEXT now
 *   translated <<            no row has a word with a plain vowel but these (see
 *                            accents.py)
 *   picture PATH             write the screen as SVG, on a light background if COLORFGBG says so
 *   style NAMES TEXT         until the first cell of TEXT is bold, reverse, underline,
 *                            coloured or plain (with commas between)
 *   cursor ROW COLUMN        until the cursor is there (from 0), or: cursor hidden
 *   screen main | alternate  until the terminal is back as a shell wants it (main
 *                            screen, cursor, no paste brackets, no mouse, plain keys), or taken
 *   raw TEXT | no-raw TEXT   the program wrote, or never wrote, these bytes (as in type)
 *   harmless FILE            all that it wrote is what a screen is drawn with, and none of
 *                            the lines of FILE (escapes as in type) stands in it
 *   raw-at-most COUNT TEXT   it wrote them no more often
 *   resize ROWS COLUMNS
 *   resize-storm COUNT [MS]  as many sizes as fast as can be, or so far apart, then the one of before
 *   idle MILLISECONDS        in which the program does not wake up once
 *   stop-reading | go-on-reading
 *   baud RATE                the terminal takes no more than such a line carries (0: all)
 *   hang-up                  the terminal goes away
 *   signal NAME              to the program, or what has the terminal
 *   exit STATUS              until the program has ended with it
 *   skip-unless-sh COMMAND   skip the test, by name, where COMMAND fails
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"
#include "harmless.h"
#include "keys.h"
#include "messages.h"
#include "picture.h"
#include "place.h"
#include "terminal.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

#define WAIT_MS 60000
#define ESCAPE_MS 120
#define BUSY_MS 10000
#define PAUSE_MS 150  /* without output after which a frame is whole */
#define MOVES_MS 600  /* after which something is taken to move all the time */
#define UNREAD_MS 1000 /* after which input is taken for some that nobody will read */

/* The program's screen, for a failed test. */
static void print_screen(struct terminal *terminal)
{
	int row;

	if (terminal->vterm == NULL)
		return;
	for (row = 0; row < terminal->rows; row++)
		printf("# |%s\n", terminal_row(terminal, row));
	printf("# cursor %d %d%s, %zu bytes%s\n", terminal->cursor_row, terminal->cursor_column,
		terminal->cursor_visible ? "" : " hidden", terminal->bytes_read,
		terminal->exited ? ", the program has ended" : "");
}

/* Take output for IK_TEST_LATE milliseconds without looking at it: as a busy machine has it. */
static void come_late(struct harness *h)
{
	const char *late = getenv("IK_TEST_LATE");
	int64_t end = ik_clock_ms() + (late != NULL ? strtol(late, NULL, 10) : 0);

	while (!h->terminal.exited && ik_clock_ms() < end) {
		(void)terminal_pump(&h->terminal, 20);
		(void)terminal_pump(&h->other, 0);
	}
}

/* Take output until the condition holds, the time is over or the program ended. */
static bool wait_until(struct harness *h, bool (*holds)(struct harness *, const char *), const char *text)
{
	int64_t end;

	come_late(h);
	end = ik_clock_ms() + WAIT_MS;
	for (;;) {
		bool any = terminal_pump(&h->terminal, 20);

		(void)terminal_pump(&h->other, 0);
		if (holds(h, text))
			return true;
		if (ik_clock_ms() > end || (h->terminal.exited && !any))
			return false;
	}
}

static bool shows_not(struct harness *h, const char *text)
{
	return !screen_shows(h, text);
}

static bool cursor_is(struct harness *h, const char *text)
{
	int row, column;

	if (ik_text_equal(text, "hidden"))
		return !h->terminal.cursor_visible;
	return sscanf(text, "%d %d", &row, &column) == 2 && h->terminal.cursor_row == row &&
		h->terminal.cursor_column == column && h->terminal.cursor_visible;
}

static bool has_exited(struct harness *h, const char *text)
{
	(void)text;
	return h->terminal.exited;
}

/* Start the program with the words of arguments. */
static bool start_program(struct harness *h, const char *arguments)
{
	const char *build = getenv("IK_TOP_BUILDDIR");
	char *program = ik_path_join(build != NULL ? build : ".", "ikigai");
	char *copy = expand(h, arguments), *at = copy, *argv[64];
	size_t count = 0;
	bool started;

	argv[count++] = program;
	while (at != NULL && *at != '\0' && count < 63) {
		char *word = strsep(&at, " ");

		if (*word != '\0')
			argv[count++] = word;
	}
	argv[count] = NULL;
	started = terminal_start(&h->terminal, argv, h->variables, h->work);
	free(copy);
	free(program);
	return started || fail(h, "cannot start: %s", strerror(errno));
}

/* Start a shell in the terminal that runs the body. */
static bool start_shell(struct harness *h)
{
	const char *build = getenv("IK_TOP_BUILDDIR");
	char *assignment = ik_format("IKIGAI=%s/ikigai", build != NULL ? build : ".");
	char *path = ik_path_join(h->root, "script"), shell_path[] = "/bin/sh", *argv[] = {shell_path, path, NULL};
	bool good;

	set_variable(h, assignment);
	good = write_file(h, h->root, "script", 0644) &&
		(terminal_start(&h->terminal, argv, h->variables, h->work) ||
			fail(h, "cannot start a shell: %s", strerror(errno)));
	free(assignment);
	free(path);
	return good;
}

/* Type so many copies of text between before and after. */
static bool type_many(struct harness *h, long count, const char *text, const char *before,
	const char *after)
{
	struct ik_buf bytes;
	bool written;

	ik_buf_init(&bytes, IK_MIB(64));
	ik_buf_puts(&bytes, before);
	while (count-- > 0)
		put_escaped(&bytes, text);
	ik_buf_puts(&bytes, after);
	written = terminal_write(&h->terminal, bytes.data, bytes.length);
	ik_buf_done(&bytes);
	return written || fail(h, "the program takes no input");
}

/* "COUNT TEXT": many copies. */
static bool type_counted(struct harness *h, const char *rest, const char *before, const char *after)
{
	char *text;
	long count = strtol(rest, &text, 10);

	return count > 0 && *text == ' ' ? type_many(h, count, text + 1, before, after) :
		fail(h, "wanted: a count and a text");
}

/* More sizes than anybody can draw, or so many milliseconds apart that each is drawn. */
static bool resize_storm(struct harness *h, const char *rest)
{
	char *end;
	long count = strtol(rest, &end, 10), pause = strtol(end, NULL, 10), i;
	int rows = h->terminal.rows, columns = h->terminal.columns;

	for (i = 0; i < count; i++) {
		terminal_resize(&h->terminal, 1 + (int)(i * 7 % 60), 1 + (int)(i * 13 % 200));
		(void)terminal_pump(&h->terminal, (int)pause);
	}
	terminal_resize(&h->terminal, rows, columns);
	return true;
}

/* What follows an ESC too fast is Alt with a key: be as slow as a hand, and as the program, which
 * may have to wait for a processor. So long it has to have been at rest, with nothing left to read:
 * then it has taken the ESC, and what it may have been part of is over. With IK_TEST_HASTY nothing is waited
 * for, and a test fails that does not itself wait for what an ESC does. */
static void let_escape_be_read(struct harness *h)
{
	int64_t begin = ik_clock_ms(), now = begin, rest = begin;

	if (getenv("IK_TEST_HASTY") != NULL)
		return;
	while (now < rest + ESCAPE_MS && now < begin + BUSY_MS) {
		(void)terminal_pump(&h->terminal, 10);
		now = ik_clock_ms();
		if (terminal_is_busy(&h->terminal, now < begin + UNREAD_MS))
			rest = now;
	}
}

/* Is there a question that takes no answer yet? A row of it is nothing but this mark. */
static bool question_is_new(struct harness *h)
{
	int row;

	for (row = 0; row < h->terminal.rows; row++) {
		const char *text = terminal_row(&h->terminal, row);

		if (ik_text_equal(text, "…") || ik_text_equal(text, "..."))
			return true;
	}
	return false;
}

/* A question that came by itself takes no answer before there was time to see it. */
static void let_question_be_seen(struct harness *h)
{
	int64_t end = ik_clock_ms() + BUSY_MS;

	if (h->terminal.vterm == NULL || !h->terminal.reading)
		return;
	do
		(void)terminal_pump(&h->terminal, 2);
	while (question_is_new(h) && ik_clock_ms() < end);
}

/* Press the keys that are named, one after the other. */
static bool press_keys(struct harness *h, const char *names)
{
	char *copy = ik_strdup(names), *at = copy, bytes[32];
	bool good = true;

	let_question_be_seen(h);
	while (good && at != NULL) {
		char *name = strsep(&at, " ");
		size_t length = key_bytes(name, bytes);

		if (*name == '\0')
			continue;
		/* In the midst of a turn it would ask: a test that means that types \x04. */
		if (ik_text_equal(name, "Ctrl-D") && !wait_until(h, ends_at_once, "")) {
			good = fail(h, "a turn went on running");
			continue;
		}
		good = length > 0 ? terminal_write(&h->terminal, bytes, length) ||
			fail(h, "the program takes no input") : fail(h, "there is no key %s", name);
		if (good && bytes[0] == '\033' && length == 1)
			let_escape_be_read(h);
		(void)terminal_pump(&h->terminal, 0);
	}
	free(copy);
	return good;
}

static bool paste(struct harness *h)
{
	size_t length = strlen(h->body);

	return (terminal_write(&h->terminal, "\033[200~", 6) &&
		terminal_write(&h->terminal, h->body, length > 0 ? length - 1 : 0) &&
		terminal_write(&h->terminal, "\033[201~", 6)) || fail(h, "the program takes no input");
}

/* Let what is being drawn be whole: wait for a pause, unless something moves all the time. */
static void let_frame_end(struct harness *h)
{
	int64_t begin = ik_clock_ms(), last = begin;

	while (ik_clock_ms() < last + PAUSE_MS && last < begin + MOVES_MS)
		if (terminal_pump(&h->terminal, 10))
			last = ik_clock_ms();
}

/* Write the screen into a file. A terminal is light if COLORFGBG says so. */
static bool write_picture(struct harness *h, const char *name)
{
	char *path = expand(h, name), *light = expand(h, "$COLORFGBG");
	struct ik_error error = {.text = "too large"};
	struct ik_buf out;
	bool done;

	let_frame_end(h);
	ik_buf_init(&out, IK_MIB(16));
	put_picture(&h->terminal, ik_text_ends(light, ";15"), &out);
	done = ik_buf_status(&out) == IK_OK &&
		ik_file_write(path, out.data, out.length, 0644, &error) == IK_OK;
	ik_buf_done(&out);
	free(path);
	free(light);
	return done || fail(h, "%s", error.text);
}

/* Is the cell drawn as the names, with commas between, say? A name that is none is never true. */
static bool is_drawn_so(const VTermScreenCell *cell, char *names)
{
	bool coloured = !VTERM_COLOR_IS_DEFAULT_FG(&cell->fg) || !VTERM_COLOR_IS_DEFAULT_BG(&cell->bg);
	bool so = true;

	while (so && names != NULL) {
		const char *name = strsep(&names, ",");

		so = (ik_text_equal(name, "bold") && cell->attrs.bold) ||
			(ik_text_equal(name, "reverse") && cell->attrs.reverse) ||
			(ik_text_equal(name, "underline") && cell->attrs.underline) ||
			(ik_text_equal(name, "coloured") && coloured) ||
			(ik_text_equal(name, "plain") && !coloured && !cell->attrs.bold && !cell->attrs.reverse);
	}
	return so;
}

/* "NAMES TEXT": does the first row that has the text draw it so? */
static bool is_styled(struct harness *h, const char *rest)
{
	const char *text = rest + strcspn(rest, " ") + 1;
	char *names = ik_strndup(rest, strcspn(rest, " "));
	bool good = false;
	int row;

	for (row = 0; row < h->terminal.rows; row++) {
		const char *line = terminal_row(&h->terminal, row), *found = strstr(line, text);
		VTermScreenCell cell;

		if (found == NULL)
			continue;
		(void)terminal_cell(&h->terminal, row,
			(int)ik_utf8_width(line, (size_t)(found - line)), &cell);
		good = is_drawn_so(&cell, names);
		break;
	}
	free(names);
	return good;
}

static bool check_exit(struct harness *h, const char *wanted)
{
	int status;

	if (!wait_until(h, has_exited, NULL))
		return fail(h, "the program did not end");
	(void)terminal_pump(&h->terminal, 50);
	status = WIFEXITED(h->terminal.status) ? WEXITSTATUS(h->terminal.status) :
		128 + WTERMSIG(h->terminal.status);
	return status == (int)strtol(wanted, NULL, 10) ||
		fail(h, "the program ended with status %d instead of %s", status, wanted);
}

static bool send_signal(struct harness *h, const char *name)
{
	static const struct { const char *name; int number; } signals[] = {
		{"TERM", SIGTERM}, {"INT", SIGINT}, {"HUP", SIGHUP}, {"KILL", SIGKILL}, {"TSTP", SIGTSTP},
		{"STOP", SIGSTOP}, {"CONT", SIGCONT}, {"SEGV", SIGSEGV}, {"WINCH", SIGWINCH}, {"ABRT", SIGABRT},
		{"QUIT", SIGQUIT}, {"USR1", SIGUSR1},
	};
	size_t i;

	for (i = 0; i < sizeof signals / sizeof signals[0]; i++)
		if (ik_text_equal(name, signals[i].name))
			break;
	if (i < sizeof signals / sizeof signals[0]) {
		/* In a shell it is the job in the foreground. */
		pid_t pid = h->terminal.master >= 0 ? tcgetpgrp(h->terminal.master) : -1;

		return kill(pid > 0 ? pid : h->terminal.pid, signals[i].number) == 0 ||
			fail(h, "kill: %s", strerror(errno));
	}
	return fail(h, "there is no signal %s", name);
}

static bool set_size(struct harness *h, const char *text)
{
	int rows, columns;

	if (sscanf(text, "%d %d", &rows, &columns) != 2)
		return fail(h, "a size is two numbers");
	terminal_resize(&h->terminal, rows, columns);
	return true;
}

/* The steps that look for a text, or for a message by its name. */
static bool look_for(struct harness *h, const char *verb, const char *what)
{
	char *text = message_text(h, what);
	bool good = false;

	if (text == NULL)
		return false;
	if (ik_text_equal(verb, "wait"))
		good = wait_until(h, screen_shows, text) || fail(h, "no row came to show \"%s\"", text);
	else if (ik_text_equal(verb, "wait-not"))
		good = wait_until(h, shows_not, text) || fail(h, "a row went on showing \"%s\"", text);
	else
		good = !screen_shows(h, text) || fail(h, "a row shows \"%s\"", text);
	free(text);
	return good;
}

/* Do one step. */
static bool do_step(struct harness *h, const char *verb, const char *rest)
{
#define IS(word) ik_text_equal(verb, word)
	if (IS("size") || IS("resize"))
		return set_size(h, rest);
	if (IS("env")) {
		char *value = expand(h, rest);

		set_variable(h, value);
		free(value);
		return true;
	}
	if (IS("file"))
		return write_file(h, h->work, rest, 0644);
	if (IS("home-file"))
		return write_file(h, h->ikigai_home, rest, 0600);
	if (IS("tool")) {
		char *path = ik_path_join("tools", rest);
		bool good = write_file(h, h->ikigai_home, path, 0755);

		free(path);
		return good;
	}
	if (IS("sh"))
		return shell(h, h->body) || fail(h, "the shell lines failed");
	if (IS("skip-unless-sh")) {
		if (!shell(h, rest))
			h->skipped = ik_strdup(rest);
		return true;
	}
	if (IS("server"))
		return start_server(h);
	if (IS("go")) {
		char *script = ik_format("python3 -c 'import sys,urllib.request;urllib.request.urlopen(sys.argv[1])' "
			"\"$SERVER/_go/%s\"", rest);
		bool good = shell(h, script);

		free(script);
		return good || fail(h, "the server does not answer");
	}
	if (IS("start"))
		return start_program(h, rest);
	if (IS("other")) {
		terminal_swap(&h->terminal, &h->other);
		return true;
	}
	if (IS("start-sh"))
		return start_shell(h);
	if (IS("type")) {
		let_question_be_seen(h);
		return type_many(h, 1, rest, "", "");
	}
	if (IS("burst"))
		return type_counted(h, rest, "", "");
	if (IS("paste-many"))
		return type_counted(h, rest, "\033[200~", "\033[201~");
	if (IS("paste"))
		return paste(h);
	if (IS("key"))
		return press_keys(h, rest);
	if (IS("wait") || IS("wait-not") || IS("never"))
		return look_for(h, verb, rest);
	if (IS("at-rest"))
		return wait_until(h, is_at_rest, rest) || fail(h, "a turn went on running");
	if (IS("expect"))
		return wait_until(h, picture_is_there, h->body) || fail(h, "the screen did not become:\n%s", h->body);
	if (IS("translated"))
		return check_translated(h, h->body);
	if (IS("picture"))
		return write_picture(h, rest);
	if (IS("style"))
		return strchr(rest, ' ') == NULL ? fail(h, "style NAMES TEXT") :
			wait_until(h, is_styled, rest) || fail(h, "not so: %s", rest);
	if (IS("cursor"))
		return wait_until(h, cursor_is, rest) || fail(h, "the cursor did not come to %s", rest);
	if (IS("screen"))
		return wait_until(h, screen_is, rest) || fail(h, "the terminal's %s screen did not come", rest);
	if (IS("raw"))
		return wait_until(h, wrote, rest) || fail(h, "the program did not write \"%s\"", rest);
	if (IS("harmless"))
		return wrote_harmlessly(h, rest);
	if (IS("raw-at-most"))
		return wrote_at_most(h, rest);
	if (IS("no-raw"))
		return !wrote(h, rest) || fail(h, "the program wrote \"%s\"", rest);
	if (IS("resize-storm"))
		return resize_storm(h, rest);
	if (IS("idle"))
		return check_idle(h, rest);
	if (IS("stop-reading") || IS("go-on-reading")) {
		h->terminal.reading = IS("go-on-reading");
		return true;
	}
	if (IS("baud")) {
		h->terminal.baud = (int)strtol(rest, NULL, 10);
		return true;
	}
	if (IS("one-screen")) {
		h->terminal.one_screen = true;
		return true;
	}
	if (IS("hang-up")) {
		terminal_hang_up(&h->terminal);
		return true;
	}
	if (IS("signal"))
		return send_signal(h, rest);
	if (IS("exit"))
		return check_exit(h, rest);
#undef IS
	return fail(h, "there is no step \"%s\"", verb);
}

/* Collect the lines up to END. */
static void read_body(struct harness *h, FILE *stream)
{
	struct ik_buf body;
	char line[4096];

	ik_buf_init(&body, IK_MIB(16));
	while (fgets(line, sizeof line, stream) != NULL) {
		h->line++;
		if (ik_text_equal(line, "END\n"))
			break;
		ik_buf_puts(&body, line);
	}
	free(h->body);
	h->body = ik_buf_take(&body, NULL);
}

/* Do the steps of the file until one fails. */
static bool run_file(struct harness *h)
{
	FILE *stream = fopen(h->file, "re");
	char line[4096];
	bool good = stream != NULL || fail(h, "cannot read: %s", strerror(errno));

	while (good && h->skipped == NULL && fgets(line, sizeof line, stream) != NULL) {
		char *rest = line;
		const char *verb;
		size_t length;

		h->line++;
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#' || line[0] == '\0')
			continue;
		verb = strsep(&rest, " ");
		if (rest == NULL)
			rest = line + strlen(line);
		length = strlen(rest);
		if (length >= 2 && ik_text_equal(rest + length - 2, "<<")) {
			rest[length - 2] = '\0';
			if (length > 2 && rest[length - 3] == ' ')
				rest[length - 3] = '\0';
			read_body(h, stream);
		}
		good = do_step(h, verb, rest);
	}
	if (stream != NULL)
		(void)fclose(stream);
	return good;
}

int main(int argc, char **argv)
{
	struct harness h;
	bool good;

	if (argc != 2) {
		fprintf(stderr, "usage: harness FILE.screen\n");
		return 2;
	}
	(void)signal(SIGPIPE, SIG_IGN);
	/* A shell cannot take back what nohup, or a job in the background, has switched off. */
	(void)signal(SIGHUP, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGQUIT, SIG_DFL);
	memset(&h, 0, sizeof h);
	h.file = argv[1];
	terminal_init(&h.terminal, 24, 80);
	terminal_init(&h.other, 24, 80);
	make_place(&h);
	good = run_file(&h);
	if (h.skipped != NULL)
		printf("ok - %s # SKIP needs: %s\n", ik_path_base(h.file), h.skipped);
	else
		printf("%sok - %s\n", good ? "" : "not ", ik_path_base(h.file));
	if (!good) {
		char *at = h.failure, *reason;

		printf("# %s:%d:\n", h.file, h.line);
		while ((reason = strsep(&at, "\n")) != NULL)
			printf("# %s\n", reason);
		print_screen(&h.terminal);
		print_screen(&h.other);
	}
	printf("1..1\n");
	terminal_done(&h.terminal);
	terminal_done(&h.other);
	remove_place(&h);
	return good ? 0 : 1;
}
