/*
 * answer: build and print the one JSON object of a tool.
 *
 * Members are appended, and anything beyond a block is written at once, so an answer of any size
 * takes little memory.  Whatever bytes are given, the result is valid UTF-8: a NUL becomes \u0000,
 * an invalid byte U+FFFD. A character may be split over two pieces.
 *
 * Owns its buffer, not the descriptor.  May include: util, json.
 */
#ifndef IK_TOOLS_ANSWER_H
#define IK_TOOLS_ANSWER_H

#include "util/buf.h"

#include <stdint.h>

struct ik_tool_answer {
	struct ik_buf text; /* not yet written */
	struct ik_buf held; /* start of a character that the next piece may complete */
	int fd;
	int write_error; /* errno of the first failed write, or 0 */
	bool started;    /* the object has been opened */
	bool partly_out; /* a part has been written: too late for an error */
	bool broken;     /* an error came after a part had been written */
	bool settled;    /* OUT_OF_MEMORY has been written: nothing else will be */
};

void ik_answer_init(struct ik_tool_answer *answer, int fd);

/* Append a string member in one piece, or in several between open and close. */
void ik_answer_text(struct ik_tool_answer *answer, const char *name, const char *bytes,
	size_t length);
void ik_answer_open(struct ik_tool_answer *answer, const char *name);
void ik_answer_piece(struct ik_tool_answer *answer, const char *bytes, size_t length);
/* The same for a piece of whole characters that ik_json_escape() has escaped. */
void ik_answer_escaped(struct ik_tool_answer *answer, const char *bytes, size_t length);
void ik_answer_close(struct ik_tool_answer *answer);

void ik_answer_integer(struct ik_tool_answer *answer, const char *name, int64_t number);

/*
 * Make the answer an error, whatever was appended before; hint (may be NULL or empty) becomes a
 * member, too. If a part of the answer has been written, the answer is broken, and ik_answer_end()
 * says so.
 */
void ik_answer_error(struct ik_tool_answer *answer, const char *code, const char *hint,
	const char *format, ...) IK_PRINTF(4, 5);

/* Write OUT_OF_MEMORY as the whole answer without allocating memory. False if a part of another
 * answer has been written, or if this one cannot be. */
bool ik_answer_out_of_memory(struct ik_tool_answer *answer) IK_MUST_USE;

/* Has writing failed, so that continuing is useless? */
bool ik_answer_lost(const struct ik_tool_answer *answer);

/* Close the object, write the rest and free the buffer. False if the answer was not written
 * completely: write_error says why, or a message on stderr. */
bool ik_answer_end(struct ik_tool_answer *answer) IK_MUST_USE;

#endif
