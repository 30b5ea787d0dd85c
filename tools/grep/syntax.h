/*
 * syntax: parse a POSIX extended regular expression into a tree.
 *
 * Reads patterns as glibc's regcomp() with REG_EXTENDED does, including GNU's \w \b \< and so on;
 * regcomp() itself decides what is an error.  The dialect (dialect.h) has expanded what others add.
 *
 * A byte is plain if it is an ASCII character other than NUL.  For lines of plain bytes the tree
 * describes exactly what matches, unless it is marked as loose.  For all other lines, and for loose
 * trees, it describes a superset: nothing that regexec() finds is missing, but regexec() must confirm
 * a match.
 *
 * Owns its nodes.  May include: util.
 */
#ifndef IK_TOOLS_GREP_SYNTAX_H
#define IK_TOOLS_GREP_SYNTAX_H

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_kind {
	NODE_EMPTY,    /* the empty string */
	NODE_SET,      /* one byte of a set; if wide, also one character that is not plain */
	NODE_ASSERT,   /* a place between two bytes */
	NODE_ANYTHING, /* any string within the line */
	NODE_CONCAT,   /* left, then right */
	NODE_ALTERNATE,
	NODE_REPEAT /* left, min to max times */
};

enum assertion {
	ASSERT_LINE_START,
	ASSERT_LINE_END,
	ASSERT_WORD_EDGE,
	ASSERT_NO_WORD_EDGE,
	ASSERT_WORD_START,
	ASSERT_WORD_END
};

/* A set of bytes: 256 bits. */
struct byte_set {
	uint64_t bits[4];
};

#define REPEAT_ENDLESS (-1)

struct node {
	enum node_kind kind;
	enum assertion assertion;
	bool wide;
	struct byte_set set;
	size_t left, right; /* indexes of nodes */
	int min, max;
};

struct syntax {
	struct node *nodes;
	size_t count, capacity;
	size_t root;
	bool loose;     /* every match must be confirmed */
	bool multibyte; /* characters are those of UTF-8, otherwise single bytes */
};

/* Limit on the length of a character that is not plain, in bytes. */
#define WIDE_BYTES_MAX 6

static inline bool byte_set_has(const struct byte_set *set, unsigned char byte)
{
	return (set->bits[byte / 64] >> byte % 64 & 1) != 0;
}

static inline void byte_set_add(struct byte_set *set, unsigned char byte)
{
	set->bits[byte / 64] |= UINT64_C(1) << byte % 64;
}

static inline bool byte_is_plain(unsigned char byte)
{
	return byte != 0 && byte < 0x80;
}

static inline bool byte_is_word(unsigned char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
		(byte >= '0' && byte <= '9') || byte == '_';
}

/* Parse pattern. IK_TOO_LARGE if no engine could handle it in reasonable time: nested too deeply,
 * or with too many repetitions. */
enum ik_status syntax_parse(struct syntax *syntax, const char *pattern) IK_MUST_USE;

/* Is the locale's charset UTF-8? */
bool syntax_is_utf8(void);

/* Return the bracket that ends an expression whose contents begin at "at"; NULL: none. */
const char *syntax_bracket_end(const char *at);

void syntax_done(struct syntax *syntax);

#endif
