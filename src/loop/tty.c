#include "loop/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "loop/fatal.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/text.h"

/* The owner checks ik_tty_busy() before each frame, so only single writes are added: a frame, or
 * text for the clipboard. */
#define CEILING IK_MIB(64)

/* Limit on input per event; a terminal returns up to 4 KiB per read. What is left is read in the
 * next event. */
#define INPUT_PIECE IK_KIB(64)
#define INPUT_SHORT IK_KIB(1)

/* How long leaving waits for a terminal that accepts no output. */
#define LEAVE_MS 200

/* How long a last message waits for a terminal that accepts nothing. */
#define SAY_MS 500

/* How long leaving waits for answers from the terminal. */
#define ANSWER_MS 150

/* Assumed if the terminal does not know its size. */
#define DEFAULT_ROWS 24
#define DEFAULT_COLUMNS 80
#define SIZE_MAXIMUM 2000 /* more rows or columns than any screen has */

struct ik_tty {
	struct ik_loop *loop;
	struct ik_tty_events events;
	void *arg;
	int fd;
	struct ik_watch *watch;
	struct ik_buf out; /* not written yet */
	struct ik_watch *signals[4];
	struct termios modes; /* the original modes */
	char *enter;
	char *leave;
	int rows;
	int columns;
	int cell_width, cell_height; /* pixels; 0: not known */
	bool may_stop;               /* SIGTSTP was not ignored */
	bool entered;
	bool answers; /* the terminal is about to answer */
	bool gone;    /* hung up: no system calls on it make sense any more */
};

/* Deferred: report that the terminal is gone. */
static void tell_gone(void *arg)
{
	struct ik_tty *tty = arg;

	if (tty->events.hung_up)
		tty->events.hung_up(tty->arg);
}

/* The terminal is gone. */
static void hang_up(struct ik_tty *tty)
{
	if (tty->gone)
		return;
	tty->gone = true;
	tty->entered = false;
	ik_fatal_forget_terminal();
	ik_buf_clear(&tty->out);
	ik_watch_set(tty->watch, 0, NULL);
	ik_loop_defer(tty->loop, tell_gone, tty);
}

/* Watch for what is possible now. */
static void update_watch(struct ik_tty *tty)
{
	struct ik_error error;
	int what = 0;

	if (tty->entered)
		what = IK_READABLE | (tty->out.length > 0 ? IK_WRITABLE : 0);
	if (ik_watch_set(tty->watch, what, &error) != IK_OK) {
		ik_log(IK_LOG_ERROR, "terminal: %s", error.text);
		hang_up(tty);
	}
}

/* Write as much as the terminal accepts. */
static void write_waiting(struct ik_tty *tty)
{
	while (tty->out.length > 0) {
		ssize_t length = write(tty->fd, tty->out.data, tty->out.length);

		if (length > 0) {
			ik_buf_consume(&tty->out, (size_t)length);
		} else if (length < 0 && errno == EINTR) {
			continue;
		} else {
			if (length < 0 && errno != EAGAIN)
				hang_up(tty);
			return;
		}
	}
}

/* Read what was typed, as much as there is. */
static void read_input(struct ik_tty *tty)
{
	char bytes[INPUT_PIECE];
	size_t length = 0;
	bool ended = false;

	while (length < sizeof(bytes)) {
		ssize_t got = read(tty->fd, bytes + length, sizeof(bytes) - length);

		if (got > 0) {
			length += (size_t)got;
			if ((size_t)got < INPUT_SHORT)
				break;
		} else if (got < 0 && errno == EINTR) {
			continue;
		} else {
			/* End of file and EIO: the other end is closed. */
			ended = got == 0 || errno != EAGAIN;
			break;
		}
	}
	if (ended)
		hang_up(tty);
	if (length > 0)
		tty->events.input(tty->arg, bytes, length);
}

/* The terminal accepts output or has input. */
static void ready(void *arg, int what)
{
	struct ik_tty *tty = arg;

	if ((what & IK_WRITABLE) != 0) {
		write_waiting(tty);
		if (tty->out.length == 0 && tty->entered) {
			update_watch(tty);
			if (tty->events.drained)
				tty->events.drained(tty->arg);
		}
	}
	/* drained may have left or closed the terminal. */
	if ((what & IK_READABLE) != 0 && tty->entered)
		read_input(tty);
}

/* Read the size of the terminal. */
static void read_size(struct ik_tty *tty)
{
	struct winsize size;

	if (ioctl(tty->fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
		tty->rows = size.ws_row < SIZE_MAXIMUM ? size.ws_row : SIZE_MAXIMUM;
		tty->columns = size.ws_col < SIZE_MAXIMUM ? size.ws_col : SIZE_MAXIMUM;
		tty->cell_width = size.ws_xpixel / size.ws_col;
		tty->cell_height = size.ws_ypixel / size.ws_row;
	}
}

/* Set the terminal's modes, even from the background. Return false with errno. */
static bool set_modes(struct ik_tty *tty, const struct termios *modes)
{
	sigset_t background, before;
	int outcome;

	sigemptyset(&background);
	sigaddset(&background, SIGTTOU);
	sigprocmask(SIG_BLOCK, &background, &before);
	do
		/* Not TCSADRAIN: it waits for a terminal that may be stalled. */
		outcome = tcsetattr(tty->fd, TCSANOW, modes);
	while (outcome != 0 && errno == EINTR);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return outcome == 0;
}

/* Set raw mode: no signals, lines, echo or mapping. */
static bool set_raw(struct ik_tty *tty)
{
	struct termios raw = tty->modes;

	cfmakeraw(&raw);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return set_modes(tty, &raw);
}

/* Is another process group in the foreground? */
static bool in_background(const struct ik_tty *tty)
{
	pid_t group = tcgetpgrp(tty->fd); /* -1: not our controlling terminal */

	return group > 0 && group != getpgrp();
}

/* Stop the whole job with a signal's default action. Returns when it is continued, or immediately
 * if nobody would continue it (an orphaned group). */
static void stop_job(int number)
{
	const struct sigaction standard = { .sa_handler = SIG_DFL };
	const struct timespec at_once = { 0, 0 };
	struct sigaction before;
	sigset_t continued, mask;

	/* SIGCONT continues us even if blocked; if it stayed pending, the terminal would be taken
	 * twice. */
	sigemptyset(&continued);
	sigaddset(&continued, SIGCONT);
	sigprocmask(SIG_BLOCK, &continued, &mask);
	sigaction(number, &standard, &before);
	kill(0, number);
	/* ... stopped ... */
	sigaction(number, &before, NULL);
	sigtimedwait(&continued, NULL, &at_once);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* Stop, like any program that wants the terminal while in the background. */
static bool wait_for_foreground(struct ik_tty *tty)
{
	for (int tries = 0; in_background(tty) && tries < 10; tries++)
		stop_job(SIGTTOU);
	return !in_background(tty);
}

/* Take the terminal. modes are those to restore. */
static bool take(struct ik_tty *tty)
{
	if (!set_raw(tty))
		return false;
	tty->entered = true;
	ik_fatal_restore_terminal(tty->fd, &tty->modes, tty->leave);
	read_size(tty);
	ik_tty_write(tty, tty->enter, strlen(tty->enter));
	update_watch(tty);
	return true;
}

/* Deferred: the screen must be redrawn. */
static void tell_resumed(void *arg)
{
	struct ik_tty *tty = arg;

	if (tty->events.resumed)
		tty->events.resumed(tty->arg);
}

/* Take the terminal again after a stop; keep_modes if it was not given back. */
static void take_again(struct ik_tty *tty, bool keep_modes)
{
	if (!wait_for_foreground(tty) || (!keep_modes && tcgetattr(tty->fd, &tty->modes) != 0) ||
		!take(tty)) {
		hang_up(tty);
		return;
	}
	ik_loop_cancel_deferred(tty->loop, tell_resumed, tty);
	ik_loop_defer(tty->loop, tell_resumed, tty);
}

/* Deferred: stop once, however often it was asked for: by the terminal, and by the program that
 * borrows it, which stops with us. */
static void stop_lent(void *arg)
{
	const struct ik_tty *tty = arg;

	if (!tty->entered)
		stop_job(SIGTSTP);
}

/* One of the signals of a terminal. */
static void signal_came(void *arg, int number)
{
	struct ik_tty *tty = arg;

	if (number == SIGHUP) {
		/* The terminal may still be there: kill(1) can send it too. */
		ik_tty_leave(tty);
		hang_up(tty);
	} else if (!tty->entered) {
		if (number == SIGTSTP)
			ik_tty_stop_job(tty); /* nothing to give back first */
	} else if (number == SIGWINCH) {
		read_size(tty);
		if (tty->events.resized)
			tty->events.resized(tty->arg, tty->rows, tty->columns);
	} else if (number == SIGTSTP) {
		ik_tty_suspend(tty);
	} else { /* SIGCONT: we were stopped with SIGSTOP, and a shell had the terminal */
		take_again(tty, true);
	}
}

/* Open the terminal of a standard stream again; -1 with errno. */
static int reopen(int stream)
{
	char name[256];
	int fd = -1;

	if (ttyname_r(stream, name, sizeof(name)) == 0)
		fd = open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	/* After su(1) or in a container, its name may be unreachable. */
	if (fd < 0)
		fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	return fd;
}

struct ik_tty *ik_tty_open(struct ik_loop *loop, const struct ik_tty_events *events, void *arg,
	struct ik_error *error)
{
	static const int numbers[] = { SIGWINCH, SIGTSTP, SIGCONT, SIGHUP };
	struct sigaction stop;
	struct ik_tty *tty;
	int fd;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		ik_error_set(error, IK_UNAVAILABLE,
			isatty(STDIN_FILENO)
				? _("standard output is not a terminal; without one, use ikigai exec")
				: _("standard input is not a terminal; without one, use ikigai exec"));
		return NULL;
	}
	fd = reopen(STDIN_FILENO);
	if (fd < 0) {
		ik_error_set_errno(error, errno, _("cannot open the terminal"));
		return NULL;
	}
	tty = ik_alloc(sizeof(*tty));
	tty->loop = loop;
	tty->events = *events;
	tty->arg = arg;
	tty->fd = fd;
	tty->watch = ik_watch_new(loop, fd, ready, tty);
	tty->rows = DEFAULT_ROWS;
	tty->columns = DEFAULT_COLUMNS;
	read_size(tty);
	ik_buf_init(&tty->out, CEILING);
	tty->may_stop = sigaction(SIGTSTP, NULL, &stop) != 0 || stop.sa_handler != SIG_IGN;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		tty->signals[i] = ik_watch_signal(loop, numbers[i], signal_came, tty);
	return tty;
}

enum ik_status ik_tty_enter(struct ik_tty *tty, const char *enter, const char *leave,
	struct ik_error *error)
{
	if (tty->gone)
		return ik_error_set(error, IK_UNAVAILABLE, _("the terminal is gone"));
	if (!wait_for_foreground(tty))
		return ik_error_set(error, IK_UNAVAILABLE,
			_("the terminal belongs to another program (started in the background?)"));
	if (!tty->entered && tcgetattr(tty->fd, &tty->modes) != 0)
		return ik_error_set_errno(error, errno, _("cannot read the terminal's modes"));
	ik_fatal_forget_terminal(); /* it points to the old text */
	free(tty->enter);
	free(tty->leave);
	tty->enter = ik_strdup(enter);
	tty->leave = ik_strdup(leave);
	if (!take(tty))
		return ik_error_set_errno(error, errno, _("cannot set the terminal's modes"));
	return IK_OK;
}

void ik_tty_change(struct ik_tty *tty, const char *enter, const char *leave)
{
	char *old_enter = tty->enter, *old_leave = tty->leave;

	tty->enter = ik_strdup(enter);
	tty->leave = ik_strdup(leave);
	ik_fatal_leave_with(tty->leave);
	free(old_enter);
	free(old_leave);
}

/* Write what waits until end, as long as the terminal accepts it. */
static void flush_until(struct ik_tty *tty, int64_t end)
{
	struct pollfd wanted = { .fd = tty->fd, .events = POLLOUT };

	write_waiting(tty);
	while (tty->out.length > 0 && ik_clock_ms() < end) {
		poll(&wanted, 1, (int)(end - ik_clock_ms()));
		write_waiting(tty);
	}
}

/* Discard the terminal's answers up to the last one, ESC [ ? ... c. Keys typed meanwhile were meant
 * for this program. */
static void drop_answers(struct ik_tty *tty)
{
	const int64_t end = ik_clock_ms() + ANSWER_MS;
	struct pollfd wanted = { .fd = tty->fd, .events = POLLIN };
	bool over = !tty->answers;
	char bytes[4096];

	tty->answers = false;
	while (!over && ik_clock_ms() < end) {
		ssize_t length;

		poll(&wanted, 1, (int)(end - ik_clock_ms()));
		length = read(tty->fd, bytes, sizeof(bytes));
		over = length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR) ||
			(length > 0 && bytes[length - 1] == 'c');
	}
}

void ik_tty_leave(struct ik_tty *tty)
{
	const int64_t end = ik_clock_ms() + LEAVE_MS;

	if (!tty->entered)
		return;
	flush_until(tty, end);
	if (!tty->gone) {
		drop_answers(tty);
		ik_buf_clear(&tty->out);
		ik_buf_puts(&tty->out, tty->leave);
		flush_until(tty, end);
		set_modes(tty, &tty->modes);
	}
	tty->entered = false;
	ik_buf_clear(&tty->out);
	if (!tty->gone) {
		ik_fatal_forget_terminal();
		update_watch(tty);
	}
}

void ik_tty_write(struct ik_tty *tty, const char *bytes, size_t length)
{
	bool waiting = tty->out.length > 0;

	if (!tty->entered)
		return;
	ik_buf_append(&tty->out, bytes, length);
	if (ik_buf_status(&tty->out) != IK_OK) {
		ik_log(IK_LOG_ERROR, "terminal: %zu bytes dropped", length);
		tty->out.status = IK_OK;
	}
	if (!waiting) {
		write_waiting(tty);
		if (tty->out.length > 0)
			update_watch(tty);
	}
}

void ik_tty_expect(struct ik_tty *tty, bool answers)
{
	tty->answers = answers;
}

bool ik_tty_busy(const struct ik_tty *tty)
{
	return tty->out.length > 0;
}

void ik_tty_size(const struct ik_tty *tty, int *ret_rows, int *ret_columns)
{
	*ret_rows = tty->rows;
	*ret_columns = tty->columns;
}

bool ik_tty_cell(const struct ik_tty *tty, int *ret_width, int *ret_height)
{
	if (tty->cell_width < 1 || tty->cell_height < 1)
		return false;
	*ret_width = tty->cell_width;
	*ret_height = tty->cell_height;
	return true;
}

void ik_tty_suspend(struct ik_tty *tty)
{
	if (!tty->entered || !tty->may_stop)
		return;
	ik_tty_leave(tty);
	stop_job(SIGTSTP); /* like Ctrl-Z on the terminal */
	if (!tty->gone)
		take_again(tty, false);
}

void ik_tty_lend(struct ik_tty *tty)
{
	ik_tty_leave(tty);
	if (!tty->gone)
		ik_fatal_restore_terminal(tty->fd, &tty->modes, tty->leave);
}

void ik_tty_take_back(struct ik_tty *tty)
{
	if (!tty->gone)
		take_again(tty, true);
}

void ik_tty_stop_job(struct ik_tty *tty)
{
	ik_loop_cancel_deferred(tty->loop, stop_lent, tty);
	if (tty->may_stop)
		ik_loop_defer(tty->loop, stop_lent, tty);
}

struct ik_tty *ik_tty_close(struct ik_tty *tty)
{
	if (!tty)
		return NULL;
	ik_tty_leave(tty);
	ik_fatal_forget_terminal(); /* it may still be lent */
	ik_loop_cancel_deferred(tty->loop, tell_gone, tty);
	ik_loop_cancel_deferred(tty->loop, tell_resumed, tty);
	ik_loop_cancel_deferred(tty->loop, stop_lent, tty);
	for (size_t i = 0; i < sizeof(tty->signals) / sizeof(tty->signals[0]); i++)
		tty->signals[i] = ik_watch_close(tty->signals[i]);
	tty->watch = ik_watch_close(tty->watch);
	close(tty->fd);
	ik_buf_done(&tty->out);
	free(tty->enter);
	free(tty->leave);
	tty->enter = tty->leave = NULL;
	ik_loop_defer(tty->loop, free, tty);
	return NULL;
}

/* Write as much as the terminal accepts, waiting as long as it accepts anything. */
static void say_to(int fd, const char *text, size_t length)
{
	struct pollfd wanted = { .fd = fd, .events = POLLOUT };

	while (length > 0) {
		ssize_t written = write(fd, text, length);

		if (written > 0) {
			text += written;
			length -= (size_t)written;
		} else if (written == 0 ||
			(errno != EINTR && (errno != EAGAIN || poll(&wanted, 1, SAY_MS) == 0))) {
			return;
		}
	}
}

bool ik_tty_say(int stream, const char *text)
{
	int fd = isatty(stream) == 1 ? reopen(stream) : -1;

	if (fd < 0)
		return false;
	say_to(fd, text, strlen(text));
	(void)close(fd);
	return true;
}
