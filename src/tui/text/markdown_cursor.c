#include "tui/text/markdown_cursor.h"

#include <string.h>

/* The end of the line that holds the byte at position. */
static size_t line_end(const struct ik_markdown_cursor *cursor, size_t position)
{
	if (position >= cursor->until)
		return cursor->until;
	const char *feed = memchr(cursor->text + position, '\n', cursor->until - position);

	return feed ? (size_t)(feed - cursor->text) : cursor->until;
}

/* The first byte of the line at position behind blanks and marks of quotes. */
static size_t line_content(const struct ik_markdown_cursor *cursor, size_t position)
{
	while (position < cursor->until && strchr(" \t>", cursor->text[position]))
		position++;
	return position;
}

/* Is the line at position blank? */
static bool line_is_blank(const struct ik_markdown_cursor *cursor, size_t position)
{
	position = line_content(cursor, position);
	return position >= cursor->until || cursor->text[position] == '\n';
}

/* The next line with anything in it. */
static size_t next_line(const struct ik_markdown_cursor *cursor)
{
	size_t position = cursor->at;

	if (cursor->moved)
		position = line_end(cursor, position) + 1;
	while (position < cursor->until && line_is_blank(cursor, position))
		position = line_end(cursor, position) + 1;
	return position;
}

void ik_cursor_move(struct ik_markdown_cursor *cursor, size_t position)
{
	if (position > cursor->at)
		cursor->at = position;
	cursor->moved = true;
}

void ik_cursor_next_line(struct ik_markdown_cursor *cursor)
{
	cursor->at = line_end(cursor, cursor->at) + 1;
}

void ik_cursor_skip_line(struct ik_markdown_cursor *cursor)
{
	cursor->at = line_end(cursor, next_line(cursor));
	cursor->moved = true;
}

void ik_cursor_leave_code(struct ik_markdown_cursor *cursor, char fence)
{
	size_t closing = line_content(cursor, cursor->at);

	if (fence && closing < cursor->until && cursor->text[closing] == fence)
		cursor->at = line_end(cursor, closing);
	else if (cursor->at > cursor->start)
		cursor->at--;
	cursor->moved = true;
}

char ik_cursor_line_starts(const struct ik_markdown_cursor *cursor)
{
	size_t start = cursor->at;

	while (start > cursor->start && cursor->text[start - 1] != '\n')
		start--;
	start = line_content(cursor, start);
	return start < cursor->until ? cursor->text[start] : '\0';
}

bool ik_cursor_gap(struct ik_markdown_cursor *cursor)
{
	if (cursor->moved) {
		size_t next = line_end(cursor, cursor->at) + 1;
		bool gap = next < cursor->until && line_is_blank(cursor, next);

		if (gap)
			cursor->at = next_line(cursor) - 1;
		return gap;
	}
	size_t position = cursor->start;

	if (position == 0 || cursor->text[--position] != '\n')
		return false;
	while (position > 0 && strchr(" \t>", cursor->text[position - 1]))
		position--;
	return position == 0 || cursor->text[position - 1] == '\n';
}
