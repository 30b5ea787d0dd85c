/*
 * search_query: a full-text query over all sessions, and where it matches in a text.
 *
 * All words must match, in any order. Words "in quotation marks", or joined by other characters (a
 * path, a name with underscores), must follow each other. word* matches words that begin with it
 * and needs at least two letters. There is no other syntax, so the only invalid query is one
 * without a word.
 *
 * The words are split like those of the index (util/words.h). Pure. May include: util.
 */
#ifndef IK_CONVERSATION_SEARCH_QUERY_H
#define IK_CONVERSATION_SEARCH_QUERY_H

#include "util/buf.h"
#include "util/words.h"

/* Limit on the words of a query; further ones are ignored. */
#define IK_SEARCH_TERMS 32

/* A word of a query. */
struct ik_search_term {
	char text[2 * IK_WORD_BYTES];
	size_t length;
	bool prefix; /* matches all words that begin with it */
	bool joined; /* must directly follow the term before it */
	bool half;   /* a single character of a run, which the index has as part of a pair */
};

struct ik_search_query {
	struct ik_search_term terms[IK_SEARCH_TERMS];
	size_t count;
};

/* Parse a query (any bytes). IK_INVALID with a sentence: it has no word. */
enum ik_status ik_search_query_read(struct ik_search_query *query, const char *text, size_t length,
	struct ik_error *error) IK_MUST_USE;

/* Append the query in the syntax of SQLite's FTS5 or of PostgreSQL's tsquery. */
void ik_search_query_put_fts(const struct ik_search_query *query, struct ik_buf *out);
void ik_search_query_put_ts(const struct ik_search_query *query, struct ik_buf *out);

#define IK_SNIPPET_MARKS 8

/* A line of text around the first matches; positions are in bytes. */
struct ik_snippet {
	struct ik_buf line; /* sanitised, on one line */
	struct {
		size_t start, length;
	} marks[IK_SNIPPET_MARKS];
	size_t count;
};
/* Make a line of some 160 bytes of text (ik_search_text()) around the place where most parts of the
 * query match. Return false if nothing matches; the line is then the beginning of text. Release it
 * with ik_snippet_done() in either case. */
bool ik_snippet_make(struct ik_snippet *snippet, const struct ik_search_query *query,
	const char *text, size_t length);
void ik_snippet_done(struct ik_snippet *snippet);

#endif
