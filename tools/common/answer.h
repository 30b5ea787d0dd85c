/*
 * answer: the one JSON object that a tool prints.
 *
 * Members are appended; what has grown beyond a block goes out at once, so an
 * answer of any size takes little memory.  Whatever bytes come in, the result
 * is valid UTF-8: a NUL becomes \u0000, what is no character U+FFFD, also
 * where a character is split over two pieces.
 *
 * Owns its buffer, not the descriptor.  May include: util, json.
 */
#ifndef IK_TOOLS_ANSWER_H
#define IK_TOOLS_ANSWER_H

#include "util/buf.h"

#include <stdint.h>

struct ik_tool_answer {
	struct ik_buf text; /* not yet written */
	char held[4];       /* beginning of a character that the next piece may complete */
	size_t held_length;
	int fd;
	int write_error; /* errno of the first write that failed, or 0 */
	bool started;    /* the object is open */
	bool partly_out; /* some of it has been written: too late for an error */
	bool broken;     /* failed after a part had been written */
	bool settled;    /* OUT_OF_MEMORY has been answered: nothing more goes out */
};

void ik_answer_init(struct ik_tool_answer *answer, int fd);

/* A string member in one piece, or in several between open and close. */
void ik_answer_text(struct ik_tool_answer *answer, const char *name, const char *bytes,
	size_t length);
void ik_answer_open(struct ik_tool_answer *answer, const char *name);
void ik_answer_piece(struct ik_tool_answer *answer, const char *bytes, size_t length);
/* A piece of whole characters that is escaped already. */
void ik_answer_escaped(struct ik_tool_answer *answer, const char *text, size_t length);
void ik_answer_close(struct ik_tool_answer *answer);

void ik_answer_integer(struct ik_tool_answer *answer, const char *name, int64_t number);

/*
 * Make the answer an error, whatever was appended before; hint (may be NULL or
 * empty) becomes a member of its own.  When a part of the answer is already
 * out, the answer is broken, and ik_answer_end() says so.
 */
void ik_answer_error(struct ik_tool_answer *answer, const char *code, const char *hint,
	const char *format, ...) IK_PRINTF(4, 5);

/* Write OUT_OF_MEMORY as the whole answer, without using any memory. False when a part of
 * another answer is out already, or when this one could not be written. */
bool ik_answer_out_of_memory(struct ik_tool_answer *answer) IK_MUST_USE;

/* Has writing failed? Then going on is of no use. */
bool ik_answer_lost(const struct ik_tool_answer *answer);

/* Close the object, write what is left, free the buffer. False when the answer
 * did not get out whole: write_error says why, or a word on stderr has. */
bool ik_answer_end(struct ik_tool_answer *answer) IK_MUST_USE;

#endif
