#include "tui/text/markdown_delimiter.h"

#include <string.h>

#define LEAST_CELL 3
#define INDENT_MOST 3

/* Cells of a row: what stands between bars, but for the outer ones. */
static size_t count_cells(const char *line, size_t length)
{
	size_t start = strspn(line, " \t"), cells = 1;

	while (length > start && strchr(" \t\r\n", line[length - 1]))
		length--;
	if (start < length && line[start] == '|')
		start++;
	if (length > start && line[length - 1] == '|')
		length--;
	for (size_t i = start; i < length; i++)
		cells += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
	return cells;
}

/* Is it a row of dashes, colons and bars? */
static bool is_delimiter(const char *line, size_t length)
{
	size_t indent = strspn(line, " ");
	bool dash = false, bar = false;

	for (size_t i = 0; i < length; i++) {
		if (!strchr("|:- \t\r\n", line[i]))
			return false;
		dash |= line[i] == '-';
		bar |= line[i] == '|';
	}
	return dash && bar && indent <= INDENT_MOST;
}

/* The character of the fence that a line is; NUL: it is none. */
static char fence_of(const char *line)
{
	line += strspn(line, " ");
	return strncmp(line, "```", 3) == 0 || strncmp(line, "~~~", 3) == 0 ? *line : '\0';
}

/* Put dashes into the row at start; its new length. */
static size_t widen_row(struct ik_delimiters *delimiters, struct ik_buf *text, size_t start,
	size_t length)
{
	for (size_t i = start; i < start + length; i++) {
		size_t cell = strspn(text->data + i, ":-");

		if (cell == 0)
			continue;
		const char *dash = memchr(text->data + i, '-', cell);

		if (dash && cell < LEAST_CELL && delimiters->count < IK_DELIMITER_CELLS) {
			size_t offset = (size_t)(dash - text->data);
			size_t more = LEAST_CELL - cell;

			ik_buf_insert(text, offset, "--", more);
			delimiters->added[delimiters->count].offset = offset;
			delimiters->added[delimiters->count++].count = more;
			cell += more;
			length += more;
		}
		i += cell - 1;
	}
	return length;
}

void ik_delimiters_widen(struct ik_delimiters *delimiters, struct ik_buf *text)
{
	size_t before = 0; /* cells of the line before */
	char fence = '\0';

	delimiters->count = 0;
	for (size_t at = 0; at < text->length;) {
		const char *line = text->data + at;
		const char *feed = memchr(line, '\n', text->length - at);
		size_t length = feed ? (size_t)(feed - line) + 1 : text->length - at;
		char other = fence_of(line);

		if (fence == '\0' && before > 0 && is_delimiter(line, length) &&
			count_cells(line, length) == before)
			length = widen_row(delimiters, text, at, length);
		before = memchr(text->data + at, '|', length) ? count_cells(text->data + at, length) : 0;
		if (other != '\0' && (fence == '\0' || fence == other))
			fence = fence == '\0' ? other : '\0';
		at += length;
	}
}

size_t ik_delimiters_source(const struct ik_delimiters *delimiters, size_t offset)
{
	size_t sum = 0;

	for (size_t i = 0; i < delimiters->count && delimiters->added[i].offset < offset; i++) {
		size_t inside = offset - delimiters->added[i].offset;

		sum += inside < delimiters->added[i].count ? inside : delimiters->added[i].count;
	}
	return offset - sum;
}
