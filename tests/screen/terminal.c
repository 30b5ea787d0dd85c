#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "util/limits.h"
#include "util/utf8.h"

/* Remember where the cursor is and whether it shows. */
static int on_cursor(VTermPos position, VTermPos old, int visible, void *arg)
{
	struct terminal *terminal = arg;

	(void)old;
	terminal->cursor_row = position.row;
	terminal->cursor_column = position.col;
	terminal->cursor_visible = visible != 0;
	return 1;
}

static int on_property(VTermProp property, VTermValue *value, void *arg)
{
	struct terminal *terminal = arg;

	if (property == VTERM_PROP_CURSORVISIBLE)
		terminal->cursor_visible = value->boolean != 0;
	else if (property == VTERM_PROP_ALTSCREEN)
		terminal->alternate = value->boolean != 0;
	else if (property == VTERM_PROP_MOUSE)
		terminal->mouse = value->number != VTERM_PROP_MOUSE_NONE;
	return 1;
}

static const VTermScreenCallbacks callbacks = {
	.movecursor = on_cursor, .settermprop = on_property,
};

void terminal_swap(struct terminal *one, struct terminal *other)
{
	struct terminal first = *one;

	*one = *other;
	*other = first;
	if (one->screen != NULL)
		vterm_screen_set_callbacks(one->screen, &callbacks, one);
	if (other->screen != NULL)
		vterm_screen_set_callbacks(other->screen, &callbacks, other);
}

/* A fresh emulator. */
static void make_screen(struct terminal *terminal)
{
	if (terminal->vterm != NULL)
		vterm_free(terminal->vterm);
	terminal->vterm = vterm_new(terminal->rows, terminal->columns);
	vterm_set_utf8(terminal->vterm, 1);
	terminal->screen = vterm_obtain_screen(terminal->vterm);
	vterm_screen_enable_altscreen(terminal->screen, !terminal->one_screen);
	vterm_screen_set_callbacks(terminal->screen, &callbacks, terminal);
	vterm_screen_reset(terminal->screen, 1);
	terminal->cursor_visible = true;
	terminal->alternate = false;
	terminal->mouse = false;
	ik_buf_clear(&terminal->raw);
}

void terminal_init(struct terminal *terminal, int rows, int columns)
{
	memset(terminal, 0, sizeof *terminal);
	terminal->rows = rows;
	terminal->columns = columns;
	terminal->master = -1;
	terminal->exited = true;
	ik_buf_init(&terminal->raw, IK_MIB(256));
}

/* End the program for good. */
static void end_program(struct terminal *terminal)
{
	if (terminal->master >= 0)
		(void)close(terminal->master);
	terminal->master = -1;
	if (!terminal->exited) {
		(void)kill(terminal->pid, SIGKILL);
		(void)waitpid(terminal->pid, &terminal->status, 0);
		terminal->exited = true;
	}
}

void terminal_done(struct terminal *terminal)
{
	end_program(terminal);
	if (terminal->vterm != NULL)
		vterm_free(terminal->vterm);
	terminal->vterm = NULL;
	ik_buf_done(&terminal->raw);
}

/* A window of cells of 10 by 20 pixels. */
static struct winsize window_of(int rows, int columns)
{
	return (struct winsize){.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns,
		.ws_xpixel = (unsigned short)(10 * columns), .ws_ypixel = (unsigned short)(20 * rows)};
}

bool terminal_start(struct terminal *terminal, char *const *argv, char *const *environment,
	const char *directory)
{
	struct winsize size = window_of(terminal->rows, terminal->columns);

	end_program(terminal);
	make_screen(terminal);
	terminal->pid = forkpty(&terminal->master, NULL, NULL, &size);
	if (terminal->pid < 0)
		return false;
	if (terminal->pid == 0) {
		if (chdir(directory) == 0)
			(void)execve(argv[0], argv, environment);
		_exit(127);
	}
	(void)fcntl(terminal->master, F_SETFD, FD_CLOEXEC);
	(void)fcntl(terminal->master, F_SETFL, O_NONBLOCK);
	terminal->exited = false;
	terminal->reading = true;
	return true;
}

/* Has the program not read all of its input yet? */
static bool has_unread(const struct terminal *terminal)
{
	const char *name = ptsname(terminal->master);
	int fd = name != NULL ? open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
	int unread = 0;

	if (fd < 0)
		return false;
	(void)ioctl(fd, FIONREAD, &unread);
	(void)close(fd);
	return unread > 0;
}

bool terminal_is_busy(const struct terminal *terminal, bool reads)
{
	char path[64], state = 'X';
	FILE *file;

	if (terminal->exited || terminal->master < 0)
		return false;
	if (reads && has_unread(terminal))
		return true;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)terminal->pid);
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) /* proc_pid_stat(5) */
		state = 'X';
	(void)fclose(file);
	return state == 'R' || state == 'D';
}

/* Look whether the program has ended. */
static void look_for_end(struct terminal *terminal)
{
	if (!terminal->exited && waitpid(terminal->pid, &terminal->status, WNOHANG) == terminal->pid)
		terminal->exited = true;
}

/* Answer what the program asked of the emulator. */
static void send_answers(struct terminal *terminal)
{
	char bytes[256];
	size_t length;

	while ((length = vterm_output_read(terminal->vterm, bytes, sizeof bytes)) > 0)
		if (write(terminal->master, bytes, length) < 0)
			break;
}

/* How many bytes a slow line brings in the time that one call may take: it is slept. */
static size_t line_share(const struct terminal *terminal)
{
	const int share_ms = 10, bits = 10;

	(void)poll(NULL, 0, share_ms);
	return (size_t)(terminal->baud / bits * share_ms / 1000);
}

/* Take what is there now; true when something was. */
static bool take_output(struct terminal *terminal)
{
	char bytes[65536];
	size_t most = terminal->baud > 0 ? line_share(terminal) : sizeof bytes;
	ssize_t length;
	bool any = false;

	while (terminal->reading && (length = read(terminal->master, bytes, most)) > 0) {
		vterm_input_write(terminal->vterm, bytes, (size_t)length);
		terminal->bytes_read += (size_t)length;
		ik_buf_append(&terminal->raw, bytes, (size_t)length);
		any = true;
		if (terminal->baud > 0)
			break;
	}
	if (any)
		send_answers(terminal);
	return any;
}

bool terminal_pump(struct terminal *terminal, int milliseconds)
{
	struct pollfd wait = {.fd = terminal->master, .events = terminal->reading ? POLLIN : 0};
	bool any;

	look_for_end(terminal);
	if (terminal->master < 0) {
		(void)poll(NULL, 0, milliseconds);
		return false;
	}
	if (poll(&wait, 1, milliseconds) > 0 && (wait.revents & POLLHUP) != 0 &&
	    (wait.revents & POLLIN) == 0)
		(void)poll(NULL, 0, milliseconds < 5 ? milliseconds : 5);
	any = take_output(terminal);
	look_for_end(terminal);
	return any;
}

bool terminal_write(struct terminal *terminal, const char *bytes, size_t length)
{
	while (length > 0) {
		struct pollfd wait = {.fd = terminal->master, .events = POLLIN | POLLOUT};
		ssize_t written;

		if (poll(&wait, 1, 5000) <= 0)
			return false;
		if ((wait.revents & POLLIN) != 0)
			(void)take_output(terminal);
		if ((wait.revents & (POLLHUP | POLLERR)) != 0)
			return false;
		if ((wait.revents & POLLOUT) == 0)
			continue;
		written = write(terminal->master, bytes, length < 4096 ? length : 4096);
		if (written < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (written > 0) {
			bytes += written;
			length -= (size_t)written;
		}
	}
	return true;
}

void terminal_hang_up(struct terminal *terminal)
{
	(void)close(terminal->master);
	terminal->master = -1;
}

void terminal_resize(struct terminal *terminal, int rows, int columns)
{
	struct winsize size = window_of(rows, columns);

	terminal->rows = rows;
	terminal->columns = columns;
	if (terminal->vterm != NULL)
		vterm_set_size(terminal->vterm, rows, columns);
	if (terminal->master >= 0)
		(void)ioctl(terminal->master, TIOCSWINSZ, &size);
}

bool terminal_cell(struct terminal *terminal, int row, int column, VTermScreenCell *ret_cell)
{
	VTermPos position = {.row = row, .col = column};

	return vterm_screen_get_cell(terminal->screen, position, ret_cell) != 0;
}

const char *terminal_row(struct terminal *terminal, int row)
{
	static char text[16384];
	VTermScreenCell cell;
	size_t length = 0, end = 0;
	int column, i;

	for (column = 0; column < terminal->columns; column += cell.width > 0 ? cell.width : 1) {
		if (!terminal_cell(terminal, row, column, &cell) || length + 64 > sizeof text)
			break;
		if (cell.chars[0] == 0 || cell.chars[0] == ' ') {
			text[length++] = ' ';
			continue;
		}
		if (cell.chars[0] == (uint32_t)-1)
			continue;
		for (i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; i++) {
			char bytes[4];
			int count = ik_utf8_encode(cell.chars[i], bytes);

			memcpy(text + length, bytes, (size_t)count);
			length += (size_t)count;
		}
		end = length;
	}
	text[end] = '\0';
	return text;
}
