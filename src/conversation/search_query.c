#include "conversation/search_query.h"

#include <string.h>

#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

#define SNIPPET_BEFORE 48 /* bytes before the first match, and in all */
#define SNIPPET_BYTES 160
#define PLACES 64 /* limit on the matches that are compared */

/* ---- parsing ---- */

/* Append the words of a piece as terms that must follow each other. */
static void add_piece(struct ik_search_query *query, const char *text, size_t length, bool prefix)
{
	size_t first = query->count;
	struct ik_words words;
	struct ik_word word;
	enum ik_word_kind kind = IK_WORD_WHOLE;

	ik_words_begin(&words, text, length);
	while (query->count < IK_SEARCH_TERMS && ik_words_next(&words, &word)) {
		struct ik_search_term *term = &query->terms[query->count];

		memcpy(term->text, word.text, word.length);
		term->length = word.length;
		term->joined = query->count > first;
		term->half = word.kind == IK_WORD_ALONE || word.kind == IK_WORD_LAST;
		term->prefix = false;
		kind = word.kind;
		query->count++;
	}
	if (query->count == first)
		return;
	/* In the text the run may continue, so its last character need not be a word there. */
	if (kind == IK_WORD_LAST && query->count > first + 1)
		query->count--;
	else if (kind == IK_WORD_ALONE)
		query->terms[query->count - 1].prefix = true;
	else if (prefix && kind == IK_WORD_WHOLE && query->terms[query->count - 1].length > 1)
		query->terms[query->count - 1].prefix = true;
}

/* Return the length of the blank at text (ASCII or ideographic), or 0 if there is none. */
static size_t blank(const char *text, size_t length)
{
	if (strchr(" \t\r\n\v\f", text[0]))
		return 1;
	return length >= 3 && memcmp(text, "\xe3\x80\x80", 3) == 0 ? 3 : 0;
}

enum ik_status ik_search_query_read(struct ik_search_query *query, const char *text, size_t length,
	struct ik_error *error)
{
	size_t at = 0;

	query->count = 0;
	while (at < length && query->count < IK_SEARCH_TERMS) {
		bool quoted = text[at] == '"';
		size_t start, bytes = blank(text + at, length - at);

		if (bytes > 0) {
			at += bytes;
			continue;
		}
		start = at += quoted;
		while (at < length && text[at] != '"' && (quoted || !blank(text + at, length - at)))
			at++;
		bytes = at - start;
		at += quoted && at < length;
		add_piece(query, text + start, bytes,
			quoted ? at < length && text[at] == '*' : bytes > 0 && text[at - 1] == '*');
	}
	if (query->count > 0)
		return IK_OK;
	return ik_error_set(error, IK_INVALID,
		_("Say which words to look for: there is no letter and no digit in this."));
}

/* ---- for the backends ---- */

void ik_search_query_put_fts(const struct ik_search_query *query, struct ik_buf *out)
{
	for (size_t i = 0; i < query->count; i++) {
		const struct ik_search_term *term = &query->terms[i];
		bool more = i + 1 < query->count && term[1].joined;

		if (term->joined)
			ik_buf_putc(out, ' ');
		else
			ik_buf_puts(out, i > 0 ? " AND \"" : "\"");
		ik_buf_append(out, term->text, term->length);
		if (!more)
			ik_buf_puts(out, term->prefix ? "\"*" : "\"");
	}
}

void ik_search_query_put_ts(const struct ik_search_query *query, struct ik_buf *out)
{
	for (size_t i = 0; i < query->count; i++) {
		const struct ik_search_term *term = &query->terms[i];

		ik_buf_puts(out, term->joined ? " <-> '" : i > 0 ? " & '" : "'");
		ik_buf_append(out, term->text, term->length);
		ik_buf_puts(out, term->prefix ? "':*" : "'");
	}
}

/* ---- snippets ---- */

/* A match: its position, and the index of its first term, which identifies that part of the
 * query. */
struct search_query_place {
	size_t start, end, part;
};

/* Does the word match the term? */
static bool term_matches(const struct ik_search_term *term, const struct ik_word *word)
{
	return (term->length == word->length || (term->prefix && term->length < word->length)) &&
		memcmp(term->text, word->text, term->length) == 0;
}

/* Does the phrase of joined terms from first on match at word, which was just read from words?
 * *ret_end is then where it ends. */
static bool phrase_matches(const struct ik_search_query *query, size_t first,
	const struct ik_words *words, const struct ik_word *word, size_t *ret_end)
{
	struct ik_word next = *word;
	struct ik_words walk;
	size_t i = first;

	if (!term_matches(&query->terms[first], word))
		return false;
	walk = *words;
	while (++i < query->count && query->terms[i].joined) {
		if (!ik_words_next(&walk, &next) || !term_matches(&query->terms[i], &next))
			return false;
	}
	*ret_end = query->terms[i - 1].half ? next.middle : next.end;
	return true;
}

/* Find the first PLACES matches, without overlaps. Return their number. */
static size_t find_places(const struct ik_search_query *query, const char *text, size_t length,
	struct search_query_place places[PLACES])
{
	struct ik_words words;
	struct ik_word word;
	size_t count = 0, end = 0, i;

	ik_words_begin(&words, text, length);
	while (count < PLACES && ik_words_next(&words, &word)) {
		if (count > 0 && word.start < places[count - 1].end)
			continue; /* within the previous match */
		for (i = 0; i < query->count; i++) {
			if (query->terms[i].joined || !phrase_matches(query, i, &words, &word, &end))
				continue;
			places[count++] = (struct search_query_place){ word.start, end, i };
			break;
		}
	}
	return count;
}

/* Return how many parts of the query match on a line that begins with places[first]. */
static size_t parts_from(const struct search_query_place *places, size_t count, size_t first)
{
	uint64_t parts = 0;
	size_t i, number = 0;

	for (i = first;
		 i < count && places[i].end < places[first].start + SNIPPET_BYTES - SNIPPET_BEFORE; i++)
		parts |= UINT64_C(1) << places[i].part;
	for (; parts; parts &= parts - 1)
		number++;
	return number;
}

/* Return the index of the match from which most parts of the query fit on one line. */
static size_t best_of(const struct search_query_place *places, size_t count)
{
	size_t i, best = 0, parts = 0;

	for (i = 0; i < count; i++) {
		size_t here = parts_from(places, count, i);

		if (here > parts) {
			parts = here;
			best = i;
		}
	}
	return best;
}

/* Append a part of the text on one line, with each run of blanks as one space. */
static void put_part(struct ik_buf *line, const char *text, size_t length)
{
	while (length > 0) {
		size_t part = 0;

		while (part < length && !blank(text + part, length - part))
			part++;
		ik_sanitize_line(line, text, part);
		text += part;
		length -= part;
		if (length > 0 && line->length > 0 && line->data[line->length - 1] != ' ')
			ik_buf_putc(line, ' ');
		for (part = 1; length > 0 && (part = blank(text, length)) > 0;) {
			text += part;
			length -= part;
		}
	}
}

/* Return where a line with the match at start begins: if possible, at a word. */
static size_t begin_of(const char *text, size_t start)
{
	size_t begin = start > SNIPPET_BEFORE ? start - SNIPPET_BEFORE : 0;
	size_t word;

	if (begin == 0)
		return 0;
	while (begin < start && ik_utf8_is_continuation(text[begin]))
		begin++;
	for (word = begin; word < start && text[word] != ' ' && text[word] != '\n'; word++)
		;
	return word < start ? word + 1 : begin;
}

bool ik_snippet_make(struct ik_snippet *snippet, const struct ik_search_query *query,
	const char *text, size_t length)
{
	struct search_query_place places[PLACES];
	size_t count = find_places(query, text, length, places);
	size_t i = best_of(places, count), at, end;

	ik_buf_init(&snippet->line, IK_KIB(8));
	snippet->count = 0;
	at = count > 0 ? begin_of(text, places[i].start) : 0;
	end = length - at > SNIPPET_BYTES ? ik_utf8_cut(text + at, length - at, SNIPPET_BYTES) + at
									  : length;
	if (at > 0)
		ik_buf_puts(&snippet->line, "…");
	for (; i < count && places[i].end <= end && snippet->count < IK_SNIPPET_MARKS; i++) {
		put_part(&snippet->line, text + at, places[i].start - at);
		snippet->marks[snippet->count].start = snippet->line.length;
		put_part(&snippet->line, text + places[i].start, places[i].end - places[i].start);
		snippet->marks[snippet->count].length = snippet->line.length -
			snippet->marks[snippet->count].start;
		snippet->count++;
		at = places[i].end;
	}
	put_part(&snippet->line, text + at, end - at);
	if (end < length)
		ik_buf_puts(&snippet->line, "…");
	return count > 0;
}

void ik_snippet_done(struct ik_snippet *snippet)
{
	ik_buf_done(&snippet->line);
}
