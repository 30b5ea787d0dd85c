#include "tools/grep/search.h"

#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/grep/bytes.h"
#include "tools/grep/dfa.h"
#include "tools/grep/dialect.h"
#include "tools/grep/prefilter.h"
#include "tools/grep/syntax.h"

#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"

#define BLOCK IK_KIB(256)
/* Give up searching a block for the prefilter's sequence if it stops in vain more often than once
 * in so many bytes; decide that after so many stops. */
#define USELESS_DISTANCE 250
#define USELESS_MIN 8
/* A line of this length is searched for the sequence before it is kept whole. */
#define LONG_LINE IK_MIB(4)

/*
 * There are two ways to find lines. If all matches contain a certain sequence, the whole block is
 * searched for it, and the DFA decides whether the line matches. Otherwise the DFA runs over the
 * whole block. If the DFA is not certain, regexec() decides.
 */
struct search {
	regex_t expression;
	bool loose; /* whatever the DFA finds must be confirmed */
	struct prefilter prefilter;
	struct dfa *dfa;    /* NULL: use regexec() alone */
	struct dfa *strict; /* NULL: nothing is certain in lines that are not plain */
	struct ik_buf text; /* the part of the file that is not searched yet, from the start of a
	                       line */
	off_t end;          /* offset in the file of the text's end */
	struct lines found;
	uint64_t context; /* lines around each match */
	/* Of the file that is being searched: */
	uint64_t lines;   /* before the text that is searched next */
	uint64_t matches; /* so far */
	uint64_t most;    /* limit on them; 0: none */
	bool more;        /* the search stopped because there is one more */
	uint64_t visited; /* number of the last visited line */
	uint64_t owed;    /* lines still to be visited after the last match */
};

/* The visitor. */
struct search_visitor {
	search_fn visit;
	void *arg;
};

/* Return half of the memory: a longer line would not fit into an answer. */
static size_t text_ceiling(void)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (size_t)pages / 2 * (size_t)size : SIZE_MAX / 2;
}

/* Compile a POSIX expression. Return 0 or regcomp()'s error. */
static int compile(struct search *search, const char *pattern)
{
	struct syntax syntax;
	enum ik_status status = syntax_parse(&syntax, pattern);
	int number = status == IK_OK ? regcomp(&search->expression, pattern, REG_EXTENDED | REG_NOSUB)
								 : REG_ESIZE;

	if (number == 0) {
		search->loose = syntax.loose;
		prefilter_choose(&search->prefilter, &syntax);
		search->dfa = dfa_new(&syntax, false);
		if (search->dfa && !syntax.loose)
			search->strict = dfa_new(&syntax, true);
		ik_buf_init(&search->text, text_ceiling());
	}
	syntax_done(&syntax);
	return number;
}

struct search *search_new(const char *pattern, bool ignore_case, struct ik_error *error)
{
	struct search *search = ik_alloc(sizeof(*search));
	struct ik_buf posix;
	char message[256];
	int number = 0;

	ik_buf_init(&posix, SIZE_MAX / 2);
	enum ik_status status = dialect_translate(pattern, ignore_case, &posix, error);

	if (status == IK_OK)
		number = compile(search, posix.data);
	ik_buf_done(&posix);
	if (number != 0) {
		regerror(number, &search->expression, message, sizeof(message));
		status = ik_error_set(error, IK_INVALID, "%s", message);
	}
	if (status == IK_OK)
		return search;
	free(search);
	return NULL;
}

struct search *search_free(struct search *search)
{
	if (!search)
		return NULL;
	regfree(&search->expression);
	dfa_free(search->dfa);
	dfa_free(search->strict);
	ik_buf_done(&search->text);
	free(search->found.list);
	free(search);
	return NULL;
}

/* Does regexec() find the expression? Its offsets are ints, so a longer line counts as found. */
static bool regexec_matches(const struct search *search, const char *start, const char *end)
{
	regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)(end - start) };

	return end - start > INT_MAX ||
		regexec(&search->expression, start, 1, &range, REG_STARTEND) == 0;
}

/* Confirm a line that was found without certainty. */
static bool is_confirmed(const struct search *search, const struct lines_line *line)
{
	if (!search->dfa)
		return true;
	if (!search->loose && bytes_are_plain(line->start, line->end))
		return true;
	if (search->strict && dfa_matches(search->strict, line->start, line->end + 1))
		return true;
	return regexec_matches(search, line->start, line->end);
}

/* Does the line match, as far as the DFA can tell? end is its line feed. */
static bool line_matches(const struct search *search, const char *start, const char *end)
{
	if (!search->dfa)
		return regexec_matches(search, start, end);
	return search->prefilter.whole || dfa_matches(search->dfa, start, end + 1);
}

/* Judge each line that contains the sequence; return how far. */
static const char *find_by_prefilter(struct search *search, const char *text, const char *end)
{
	const char *at = text;
	size_t useless = 0;

	while ((at = prefilter_find(&search->prefilter, at, end))) {
		const char *feed = at > text ? memrchr(text, '\n', (size_t)(at - text)) : NULL;
		const char *start = feed ? feed + 1 : text;
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (line_matches(search, start, stop))
			lines_add(&search->found, start, stop);
		else if (++useless >= USELESS_MIN && search->dfa &&
			(size_t)(at - text) / useless < USELESS_DISTANCE)
			return stop + 1;
		at = stop + 1;
	}
	return end;
}

/* Collect the lines of [text, end) that match, perhaps too many. */
static void find_lines(struct search *search, const char *text, const char *end)
{
	search->found.count = 0;
	if (search->prefilter.length > 0)
		text = find_by_prefilter(search, text, end);
	if (text == end)
		return;
	if (search->dfa) {
		dfa_search(search->dfa, text, end, &search->found);
		return;
	}
	while (text < end) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));

		if (regexec_matches(search, text, feed))
			lines_add(&search->found, text, feed);
		text = feed + 1;
	}
}

static bool visit_line(struct search *search, const struct search_visitor *visitor, uint64_t number,
	const char *start, const char *end, bool context)
{
	const struct search_line line = { number, start, (size_t)(end - start), context };

	search->visited = number;
	return visitor->visit(visitor->arg, &line);
}

/* Visit the lines from text to end that are owed to the last match. */
static bool visit_after(struct search *search, const struct search_visitor *visitor,
	const char *text, const char *end)
{
	for (; search->owed > 0 && text < end; search->owed--) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));

		if (!visit_line(search, visitor, search->visited + 1, text, feed, true))
			return false;
		text = feed + 1;
	}
	return true;
}

/* Visit the lines before a match, from text on, that have not been visited. */
static bool visit_before(struct search *search, const struct search_visitor *visitor,
	const char *text, const char *start, uint64_t number)
{
	uint64_t count = number - 1 - search->visited;
	const char *at = start;

	if (count > search->context)
		count = search->context;
	for (uint64_t i = 0; i < count; i++) {
		const char *feed = at - 1 > text ? memrchr(text, '\n', (size_t)(at - 1 - text)) : NULL;

		at = feed ? feed + 1 : text;
	}
	for (; count > 0; count--) {
		const char *feed = memchr(at, '\n', (size_t)(start - at));

		if (!visit_line(search, visitor, number - count, at, feed, true))
			return false;
		at = feed + 1;
	}
	return true;
}

/*
 * Visit the lines of [seen, end) that match, and their context. [text, seen) was searched before and
 * is there as context. search->lines counts the lines before seen, and afterwards those before end.
 */
static bool search_block(struct search *search, const char *text, const char *seen, const char *end,
	const struct search_visitor *visitor)
{
	const char *counted = seen, *next = seen;

	find_lines(search, seen, end);
	for (size_t i = 0; i < search->found.count; i++) {
		const struct lines_line *line = &search->found.list[i];

		if (!is_confirmed(search, line))
			continue;
		search->lines += bytes_count_feeds(counted, line->start);
		counted = line->start;
		if (!visit_after(search, visitor, next, line->start))
			return false;
		if (search->most > 0 && search->matches == search->most) {
			search->more = true;
			return false;
		}
		if ((search->context > 0 &&
				!visit_before(search, visitor, text, line->start, search->lines + 1)) ||
			!visit_line(search, visitor, search->lines + 1, line->start, line->end, false))
			return false;
		search->matches++;
		search->owed = search->context;
		next = line->end + 1;
	}
	if (!visit_after(search, visitor, next, end))
		return false;
	search->lines += bytes_count_feeds(counted, end);
	return true;
}

/* Return the start of the lines of [text, end) that may be context of a later match. */
static const char *context_start(const struct search *search, const char *text, const char *end)
{
	for (uint64_t i = 0; i < search->context && end > text; i++) {
		const char *feed = end - 1 > text ? memrchr(text, '\n', (size_t)(end - 1 - text)) : NULL;

		end = feed ? feed + 1 : text;
	}
	return end;
}

/* Like read(2), from an offset that some of the kernel's files do not support. */
static ssize_t read_at(int fd, char *to, size_t size, off_t offset)
{
	ssize_t count = pread(fd, to, size, offset);

	return count < 0 && errno == ESPIPE ? read(fd, to, size) : count;
}

/* Read until there are wanted bytes; false at the end of the file, or if it cannot be read any
 * further. */
static bool fill(struct search *search, int fd, size_t wanted)
{
	struct ik_buf *text = &search->text;

	while (text->length < wanted) {
		/* One byte more, for a line feed that may be missing at the end. */
		char *to = ik_buf_reserve(text, wanted - text->length + 1);
		ssize_t count;

		if (!to)
			return false;
		do {
			count = read_at(fd, to, wanted - text->length, search->end);
		} while (count < 0 && errno == EINTR);
		if (count <= 0)
			return false;
		ik_buf_commit(text, (size_t)count);
		search->end += count;
	}
	return true;
}

/* Skip a hole in the file, which would be read as NULs. */
static void skip_hole(struct search *search, int fd)
{
	off_t data = lseek(fd, search->end, SEEK_DATA);

	if (data < 0 && errno == ENXIO)
		data = lseek(fd, 0, SEEK_END);
	if (data > search->end) {
		ik_buf_clear(&search->text);
		search->end = data;
	}
}

/*
 * The text is the start of a very long line. If the line does not contain the sequence, make the
 * text what follows the line, without ever keeping it whole, and return true. Otherwise the line
 * must be read again from its start.
 */
static bool pass_over_line(struct search *search, int fd)
{
	struct ik_buf *text = &search->text;
	off_t start = search->end - (off_t)text->length;

	for (bool more = true; more;) {
		const char *feed = memchr(text->data, '\n', text->length);
		const char *end = feed ? feed : text->data + text->length;

		if (prefilter_find(&search->prefilter, text->data, end))
			break;
		if (feed) {
			ik_buf_consume(text, (size_t)(feed + 1 - text->data));
			return true;
		}
		if (text->length > PREFILTER_MAX)
			ik_buf_consume(text, text->length - PREFILTER_MAX);
		if (search->prefilter.places[0] == 0)
			skip_hole(search, fd);
		size_t length = text->length;
		more = fill(search, fd, BLOCK) || text->length > length;
		if (!more) {
			ik_buf_clear(text);
			return true;
		}
	}
	search->end = start;
	ik_buf_clear(text);
	return false;
}

void search_set_context(struct search *search, uint64_t lines)
{
	search->context = lines;
}

enum search_end search_file(struct search *search, int fd, uint64_t most, search_fn visit,
	void *arg, bool *ret_more)
{
	const struct search_visitor visitor = { visit, arg };
	struct ik_buf *text = &search->text;
	bool always = search->prefilter.length == 0 || search->context > 0;
	bool keep = always; /* a long line must be kept whole */
	size_t wanted = BLOCK, seen = 0;

	ik_buf_clear(text);
	search->end = 0;
	search->lines = search->matches = search->owed = search->visited = 0;
	search->most = most;
	search->more = false;
	while (fill(search, fd, wanted)) {
		const char *feed = memrchr(text->data + seen, '\n', text->length - seen);

		if (!feed && !keep && text->length >= LONG_LINE) {
			keep = !pass_over_line(search, fd);
			search->lines += !keep;
			wanted = keep ? LONG_LINE : BLOCK;
			continue;
		}
		if (!feed) {
			wanted = 2 * text->length;
			continue;
		}
		keep = always;
		if (!search_block(search, text->data, text->data + seen, feed + 1, &visitor)) {
			*ret_more = search->more;
			return SEARCH_STOPPED;
		}
		const char *start = context_start(search, text->data, feed + 1);

		seen = (size_t)(feed + 1 - start);
		ik_buf_consume(text, (size_t)(start - text->data));
		wanted = BLOCK > 2 * text->length ? BLOCK : 2 * text->length;
	}
	if (text->length > 0 && text->data[text->length - 1] != '\n')
		ik_buf_putc(text, '\n');
	if (ik_buf_status(text) != IK_OK)
		return SEARCH_NO_MEMORY;
	if (search_block(search, text->data, text->data + seen, text->data + text->length, &visitor))
		return SEARCH_FILE_END;
	*ret_more = search->more;
	return SEARCH_STOPPED;
}
