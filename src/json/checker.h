/*
 * checker: check JSON strictly as it arrives, in pieces of any size.
 *
 * The machine behind ik_json_check(): the verdict on a text does not depend on how it is split. It
 * stores no text except the beginning of a character or word that a piece ends in, so it needs half
 * a kilobyte however long the text is. With mend set it checks the text as ik_json_repair() would
 * change it, without making the change.
 *
 * Owns nothing, allocates nothing. May include: util.
 */
#ifndef IK_JSON_CHECKER_H
#define IK_JSON_CHECKER_H

#include "util/limits.h"

#include <stdbool.h>
#include <stddef.h>

/* A string value (not a member's name): where its opening quote is in the repaired text, its length
 * there with both quotes, and the number of UTF-8 bytes it decodes to. */
struct ik_json_seen {
	size_t start;
	size_t length;
	size_t decoded;
};

struct ik_json_checker {
	/* To be set after init, before the first piece. */
	bool mend;          /* accept characters that ik_json_repair() would fix */
	size_t seen_length; /* report strings of at least this many bytes */
	void (*seen)(void *arg, const struct ik_json_seen *string); /* NULL: report none */
	void *arg;

	/* The verdict. */
	const char *expected; /* what is expected at offset instead; NULL: no error so far */
	size_t offset;        /* bytes of the text that were checked */
	size_t value_start;   /* offset of the value, without blanks, in the repaired text */
	size_t value_end;
	bool mended; /* ik_json_repair() would change something */

	/* Private from here on. */
	int state;
	bool in_name; /* the current string is a member's name */
	bool begun;   /* value_start is known */
	size_t string_start;
	size_t shrunk;   /* by how many bytes the current string gets shorter when decoded */
	ptrdiff_t grown; /* by how many bytes the repaired text is longer, up to offset */
	size_t carried;  /* bytes of carry */
	char carry[24];  /* an incomplete token */
	size_t depth;
	bool is_object[IK_LIMIT_JSON_DEPTH]; /* for each open container */
};

void ik_json_checker_init(struct ik_json_checker *checker);

/* Check the next bytes. Return false once it cannot be JSON, whatever follows. */
bool ik_json_checker_feed(struct ik_json_checker *checker, const char *bytes, size_t length);

/* The text is complete: was it one JSON value? */
bool ik_json_checker_end(struct ik_json_checker *checker);

#endif
