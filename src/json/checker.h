/*
 * checker: JSON checked strictly as it comes, in pieces of any size.
 *
 * The machine behind ik_json_check(): the verdict on a text is the same
 * however it is split.  It keeps no text but the beginning of a character or
 * word that the end of a piece cuts apart, so it takes half a kilobyte however
 * long the text.  With mend set it judges the text as ik_json_repair() would
 * make it, without making it.
 *
 * Owns nothing, allocates nothing.  May include: util.
 */
#ifndef IK_JSON_CHECKER_H
#define IK_JSON_CHECKER_H

#include "util/limits.h"

#include <stdbool.h>
#include <stddef.h>

/* A string that is a value (no member's name): where its opening quote stands in the text as
 * repaired, its bytes there with both quotes, and the bytes of UTF-8 that it means. */
struct ik_json_seen {
	size_t start;
	size_t length;
	size_t decoded;
};

struct ik_json_checker {
	/* To be set after init, before the first piece. */
	bool mend;          /* characters that ik_json_repair() puts right are no fault */
	size_t seen_length; /* strings of at least so many bytes are told of */
	void (*seen)(void *arg, const struct ik_json_seen *string); /* NULL: none are */
	void *arg;

	/* The verdict. */
	const char *expected; /* what should stand at offset instead; NULL: no fault so far */
	size_t offset;        /* bytes of the text that are judged */
	size_t value_start;   /* the value without blanks, in the text as repaired */
	size_t value_end;
	bool mended; /* ik_json_repair() would change something */

	/* Private from here on. */
	int state;
	bool in_name; /* the string at hand is a member's name */
	bool begun;   /* value_start is known */
	size_t string_start;
	size_t shrunk;   /* bytes by which the string at hand is shorter decoded */
	ptrdiff_t grown; /* bytes by which the text repaired is longer up to offset */
	size_t carried;  /* bytes of carry */
	char carry[24];  /* of a token that is not whole */
	size_t depth;
	bool is_object[IK_LIMIT_JSON_DEPTH]; /* of the containers that are open */
};

void ik_json_checker_init(struct ik_json_checker *checker);

/* Judge the next bytes. False once it is no JSON, whatever follows. */
bool ik_json_checker_feed(struct ik_json_checker *checker, const char *bytes, size_t length);

/* The text is over: was it one JSON value? */
bool ik_json_checker_end(struct ik_json_checker *checker);

#endif
