/*
 * search_query: what a person looks for in all sessions, and where it stands in a text.
 *
 * Words that must all be there, in any order; "in quotation marks" they stand one behind the
 * other, and so do those that other characters join (a path, a name with underscores); word*
 * is the beginning of a word, of two letters at least.  Nothing else means anything: there is
 * no query that is wrong, but one without a word.
 *
 * The same words as those of the index (util/words.h).  Pure.  May include: util.
 */
#ifndef IK_CONVERSATION_SEARCH_QUERY_H
#define IK_CONVERSATION_SEARCH_QUERY_H

#include "util/buf.h"
#include "util/words.h"

/* More is not looked at: what fits it fits the beginning of the query. */
#define IK_SEARCH_TERMS 32

/* A word of a query. */
struct ik_search_term {
	char text[2 * IK_WORD_BYTES];
	size_t length;
	bool prefix; /* words that begin so */
	bool joined; /* stands right behind the one before it */
	bool half;   /* one character, of pairs */
};

struct ik_search_query {
	struct ik_search_term terms[IK_SEARCH_TERMS];
	size_t count;
};

/* Read a query (any bytes). IK_INVALID with a sentence: there is no word in it. */
enum ik_status ik_search_query_read(struct ik_search_query *query, const char *text, size_t length,
	struct ik_error *error) IK_MUST_USE;

/* Append it in the language of SQLite's FTS5, of PostgreSQL's tsquery. */
void ik_search_query_put_fts(const struct ik_search_query *query, struct ik_buf *out);
void ik_search_query_put_ts(const struct ik_search_query *query, struct ik_buf *out);

#define IK_SNIPPET_MARKS 8

/* A line of a text around what was found in it, in bytes. */
struct ik_snippet {
	struct ik_buf line; /* harmless, in one line */
	struct {
		size_t start, length;
	} marks[IK_SNIPPET_MARKS];
	size_t count;
};
/* Of a text (ik_search_text()) some 160 bytes around the place where most of the query stands
 * together; false, and the beginning: nothing of it does. Release it in either case. */
bool ik_snippet_make(struct ik_snippet *snippet, const struct ik_search_query *query,
	const char *text, size_t length);
void ik_snippet_done(struct ik_snippet *snippet);

#endif
