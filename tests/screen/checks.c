#include "checks.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "messages.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

bool screen_shows(struct harness *h, const char *text)
{
	int row;

	for (row = 0; row < h->terminal.rows; row++)
		if (strstr(terminal_row(&h->terminal, row), text) != NULL)
			return true;
	return false;
}

/* Does a row end with the message of that name, as the row of what is at work ends with a key? */
static bool row_ends(struct harness *h, const char *name)
{
	char *text = message_text(h, name);
	bool found = false;

	for (int row = 0; text != NULL && row < h->terminal.rows && !found; row++)
		found = ik_text_ends(terminal_row(&h->terminal, row), text);
	free(text);
	return found;
}

bool is_at_rest(struct harness *h, const char *unused)
{
	(void)unused;
	return !row_ends(h, "@working") && !row_ends(h, "@retry");
}

bool ends_at_once(struct harness *h, const char *unused)
{
	char *asking = message_text(h, "@waiting");
	bool asks = asking != NULL && screen_shows(h, asking);

	free(asking);
	return asks || is_at_rest(h, unused);
}

/* Does a row match a line of a picture, in which * is any characters? */
static bool row_matches(const char *row, const char *line)
{
	const char *star = NULL, *mark = NULL;

	while (*row != '\0') {
		if (*line == '*') {
			star = line++;
			mark = row;
		} else if (*line == *row) {
			line++;
			row++;
		} else if (star != NULL) {
			line = star + 1;
			row = ++mark;
		} else {
			return false;
		}
	}
	while (*line == '*')
		line++;
	return *line == '\0';
}

/* Is the row the prompt, with nothing but its placeholder, which begins beneath the cursor? */
static bool is_empty_prompt(struct harness *h, int row)
{
	return strncmp(terminal_row(&h->terminal, row), "> ", 2) == 0
		&& h->terminal.cursor_visible && h->terminal.cursor_row == row
		&& h->terminal.cursor_column == 2;
}

/* Do the rows from row on match the picture's lines from line on? */
static bool picture_matches(struct harness *h, char *const *lines, size_t count, size_t line, int row)
{
	for (; line < count; line++, row++) {
		if (ik_text_equal(lines[line], "...")) {
			int next;

			if (line + 1 == count)
				return true;
			for (next = row; next <= h->terminal.rows; next++)
				if (picture_matches(h, lines, count, line + 1, next))
					return true;
			return false;
		}
		if (row >= h->terminal.rows)
			return false;
		if (!row_matches(terminal_row(&h->terminal, row), lines[line])
			&& !(ik_text_equal(lines[line], ">") && is_empty_prompt(h, row)))
			return false;
	}
	for (; row < h->terminal.rows; row++)
		if (terminal_row(&h->terminal, row)[0] != '\0')
			return false;
	return true;
}

bool picture_is_there(struct harness *h, const char *picture)
{
	char *copy = ik_strdup(picture), *at = copy, *lines[256];
	size_t count = 0;
	bool match;

	while (at != NULL && *at != '\0' && count < 256) {
		char *line = strsep(&at, "\n");
		size_t length = strlen(line);

		while (length > 0 && line[length - 1] == ' ')
			line[--length] = '\0';
		lines[count++] = line;
	}
	match = picture_matches(h, lines, count, 0, 0);
	free(copy);
	return match;
}

/* How often do these bytes stand in what the program wrote? */
static long count_raw(struct harness *h, const char *text)
{
	const struct ik_buf *raw = &h->terminal.raw;
	const char *at = raw->data, *end = raw->data + raw->length;
	struct ik_buf wanted;
	long count = 0;

	ik_buf_init(&wanted, IK_KIB(64));
	put_escaped(&wanted, text);
	while ((at = memmem(at, (size_t)(end - at), wanted.data, wanted.length)) != NULL) {
		at += wanted.length;
		count++;
	}
	ik_buf_done(&wanted);
	return count;
}

bool wrote(struct harness *h, const char *text)
{
	return count_raw(h, text) > 0;
}

bool wrote_at_most(struct harness *h, const char *rest)
{
	char *text;
	long most = strtol(rest, &text, 10), count = count_raw(h, text + (*text == ' '));

	return count <= most || fail(h, "the program wrote them %ld times", count);
}

/* Where the bytes of text stand for the last time, or -1. */
static ptrdiff_t last_of(const struct ik_buf *raw, const char *text)
{
	size_t length = strlen(text), at;

	for (at = raw->length + 1; at-- > 0;)
		if (at + length <= raw->length && memcmp(raw->data + at, text, length) == 0)
			return (ptrdiff_t)at;
	return -1;
}

bool screen_is(struct harness *h, const char *which)
{
	const struct ik_buf *raw = &h->terminal.raw;
	bool brackets = last_of(raw, "\033[?2004h") > last_of(raw, "\033[?2004l");
	/* kitty's protocol, which libvterm does not know */
	bool keyboard = last_of(raw, "\033[>1u") > last_of(raw, "\033[<u");

	bool focus = last_of(raw, "\033[?1004h") > last_of(raw, "\033[?1004l");
	bool title = last_of(raw, "\033[22;2t") > last_of(raw, "\033[23;2t");
	bool progress = last_of(raw, "\033]9;4;3") > last_of(raw, "\033]9;4;0");

	if (ik_text_equal(which, "main"))
		return !h->terminal.alternate && !brackets && !h->terminal.mouse && !keyboard && !focus &&
			!title && !progress && h->terminal.cursor_visible;
	return h->terminal.alternate && brackets;
}

/* How often the threads of the program have gone to sleep so far; -1: unknown. */
static long count_sleeps(struct harness *h)
{
	char *command = ik_format("cat /proc/%d/task/*/status", (int)h->terminal.pid);
	FILE *stream = popen(command, "r");
	char line[256];
	long sum = 0, count;
	bool any = false;

	free(command);
	while (stream != NULL && fgets(line, sizeof line, stream) != NULL)
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1) {
			sum += count;
			any = true;
		}
	if (stream != NULL)
		(void)pclose(stream);
	return any ? sum : -1;
}

bool check_idle(struct harness *h, const char *rest)
{
	long milliseconds = strtol(rest, NULL, 10), before = -1, after = 0;
	int tries;

	for (tries = 0; tries < 4; tries++) {
		int64_t end = ik_clock_ms() + milliseconds;

		before = count_sleeps(h);
		while (ik_clock_ms() < end)
			(void)terminal_pump(&h->terminal, 20);
		after = count_sleeps(h);
		if (before >= 0 && before == after)
			return true;
	}
	return fail(h, "the idle program woke up %ld times in %ld ms", after - before, milliseconds);
}
