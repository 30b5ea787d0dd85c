#include "tools/grep/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/grep/expression.h"

#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"

#define BLOCK IK_KIB(256)
/* Limit on a line, and on the lines kept as context. */
#define LINE_LIMIT IK_MIB(64)

struct search {
	struct expression *expression;
	uint64_t context;   /* lines around each match */
	struct ik_buf text; /* lines kept as context, and the part of the file that is not searched yet,
						   from the start of a line */
	off_t end;          /* offset in the file of the text's end */
	/* The file being searched: */
	search_fn visit;
	void *arg;
	uint64_t lines;   /* before the text that is searched next */
	uint64_t matches; /* so far */
	uint64_t most;    /* limit on them */
	bool more;        /* the search stopped because there is one more */
	uint64_t visited; /* number of the last visited line */
	uint64_t owed;    /* lines still to be visited after the last match */
};

struct search *search_new(const char *pattern, bool ignore_case, uint64_t context,
	struct ik_error *error, const char **ret_hint)
{
	struct expression *expression = expression_new(pattern, ignore_case, error, ret_hint);

	if (!expression)
		return NULL;
	struct search *search = ik_alloc(sizeof(*search));

	*search = (struct search){ .expression = expression, .context = context };
	ik_buf_init(&search->text, 4 * LINE_LIMIT);
	return search;
}

struct search *search_free(struct search *search)
{
	if (!search)
		return NULL;
	expression_free(search->expression);
	ik_buf_done(&search->text);
	free(search);
	return NULL;
}

/* Return the start of the line that ends at the line feed before end; text is where lines begin. */
static const char *line_before(const char *text, const char *end)
{
	const char *feed = end - 1 > text ? memrchr(text, '\n', (size_t)(end - 1 - text)) : NULL;

	return feed ? feed + 1 : text;
}

/* Count the line feeds in [at, end), in pieces that a compiler turns into vectors: one byte after
 * the other would take longer than the search itself. */
static uint64_t count_feeds(const char *at, const char *end)
{
	enum { WIDTH = 32, ROWS = 128 };
	uint64_t count = 0;

	while (end - at >= WIDTH) {
		unsigned char feeds[WIDTH] = { 0 };

		for (int row = 0; row < ROWS && end - at >= WIDTH; row++, at += WIDTH)
			for (int i = 0; i < WIDTH; i++)
				feeds[i] = (unsigned char)(feeds[i] + (at[i] == '\n'));
		for (int i = 0; i < WIDTH; i++)
			count += feeds[i];
	}
	for (; at < end; at++)
		count += *at == '\n';
	return count;
}

static bool visit_line(struct search *search, uint64_t number, const char *start, const char *end,
	bool context)
{
	const struct search_line line = { number, start, (size_t)(end - start), context };

	search->visited = number;
	return search->visit(search->arg, &line);
}

/* Visit the lines from text to end that are owed to the last match. */
static bool visit_after(struct search *search, const char *text, const char *end)
{
	for (; search->owed > 0 && text < end; search->owed--) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));

		if (!visit_line(search, search->visited + 1, text, feed, true))
			return false;
		text = feed + 1;
	}
	return true;
}

/* Visit the lines before a match, from text on, that have not been visited. */
static bool visit_before(struct search *search, const char *text, const char *start,
	uint64_t number)
{
	uint64_t count = 0;
	const char *at = start;

	while (count < search->context && count < number - 1 - search->visited && at > text) {
		at = line_before(text, at);
		count++;
	}
	for (; count > 0; count--) {
		const char *feed = memchr(at, '\n', (size_t)(start - at));

		if (!visit_line(search, number - count, at, feed, true))
			return false;
		at = feed + 1;
	}
	return true;
}

/*
 * Visit the lines of [seen, end) that match, and their context. [text, seen) was searched before
 * and is there as context. search->lines counts the lines before seen, and afterwards, unless the
 * block is the last, those before end.
 */
static bool search_block(struct search *search, const char *text, const char *seen, const char *end,
	bool last)
{
	const char *next = seen, *found;

	while (next < end && (found = expression_find(search->expression, next, end))) {
		const char *feed = memchr(found, '\n', (size_t)(end - found));
		const char *start = line_before(next, feed + 1);

		search->lines += count_feeds(next, start);
		if (!visit_after(search, next, start))
			return false;
		if (search->matches == search->most) {
			search->more = true;
			return false;
		}
		if (!visit_before(search, text, start, search->lines + 1) ||
			!visit_line(search, search->lines + 1, start, feed, false))
			return false;
		search->lines++;
		search->matches++;
		search->owed = search->context;
		next = feed + 1;
	}
	if (!last)
		search->lines += count_feeds(next, end);
	return visit_after(search, next, end);
}

/* Return the start of the lines of [text, end) that may be context of a later match. */
static const char *context_start(const struct search *search, const char *text, const char *end)
{
	const char *start = end;

	for (uint64_t i = 0; i < search->context && start > text; i++) {
		const char *before = line_before(text, start);

		if ((size_t)(end - before) > LINE_LIMIT)
			break;
		start = before;
	}
	return start;
}

/* Like read(2), from an offset that some of the kernel's files do not support. */
static ssize_t read_at(int fd, char *to, size_t size, off_t offset)
{
	ssize_t count;

	do {
		count = pread(fd, to, size, offset);
		if (count < 0 && errno == ESPIPE)
			count = read(fd, to, size);
	} while (count < 0 && errno == EINTR);
	return count;
}

/* Read until there are wanted bytes; false at the end of the file, or if it cannot be read any
 * further. */
static bool fill(struct search *search, int fd, size_t wanted)
{
	struct ik_buf *text = &search->text;

	while (text->length < wanted) {
		/* One byte more, for a line feed that may be missing at the end. */
		char *to = ik_buf_reserve(text, wanted - text->length + 1);

		if (!to)
			ik_alloc_fail();
		ssize_t count = read_at(fd, to, wanted - text->length, search->end);

		if (count <= 0)
			return false;
		ik_buf_commit(text, (size_t)count);
		search->end += count;
	}
	return true;
}

/* Pass over the rest of a line that is too long; a hole in the file would be read as NULs. */
static void skip_line(struct search *search, int fd)
{
	char block[IK_KIB(64)];
	off_t data = lseek(fd, search->end, SEEK_DATA);
	ssize_t count;

	if (data < 0 && errno == ENXIO)
		data = lseek(fd, 0, SEEK_END);
	if (data > search->end)
		search->end = data;
	while ((count = read_at(fd, block, sizeof(block), search->end)) > 0) {
		const char *feed = memchr(block, '\n', (size_t)count);

		search->end += feed ? feed + 1 - block : count;
		if (feed)
			return;
	}
}

bool search_file(struct search *search, int fd, uint64_t most, search_fn visit, void *arg)
{
	struct ik_buf *text = &search->text;
	size_t wanted = BLOCK, seen = 0;
	bool going = true;

	ik_buf_clear(text);
	search->end = 0;
	search->lines = search->matches = search->owed = search->visited = 0;
	search->visit = visit;
	search->arg = arg;
	search->most = most;
	search->more = false;
	while (going) {
		bool filled = fill(search, fd, wanted);
		const char *feed = memrchr(text->data + seen, '\n', text->length - seen);

		if (filled && !feed && text->length - seen < LINE_LIMIT) {
			wanted = text->length < LINE_LIMIT / 2 ? 2 * text->length : seen + LINE_LIMIT;
			continue;
		}
		if (filled && !feed)
			skip_line(search, fd);
		if ((!filled || !feed) && text->length > seen && text->data[text->length - 1] != '\n')
			ik_buf_putc(text, '\n');
		const char *end = filled && feed ? feed + 1 : text->data + text->length;

		going = search_block(search, text->data, text->data + seen, end, !filled) && filled;
		const char *start = context_start(search, text->data, end);

		seen = (size_t)(end - start);
		ik_buf_consume(text, (size_t)(start - text->data));
		wanted = text->length + BLOCK;
	}
	return search->more;
}
