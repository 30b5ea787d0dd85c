/*
 * source: open a file that is to be read as a whole or in lines.
 *
 * Opening never blocks (a FIFO without a writer), and files without contents of a definite size are
 * refused: one that cannot be sought with SEEK_FAILED, an endless device with SIZE_FAILED, a
 * directory with READ_FAILED.
 *
 * May include: util, tools/common/answer.h.
 */
#ifndef IK_TOOLS_SOURCE_H
#define IK_TOOLS_SOURCE_H

#include "tools/common/answer.h"

#include <sys/types.h>

/* Open path for reading. -1 after answering with the error, and similar names as a hint if there is
 * no such file. */
int ik_source_open(const char *path, struct ik_tool_answer *answer) IK_MUST_USE;

/* Like read(2), but retry after a signal. */
ssize_t ik_source_read(int fd, char *to, size_t size);

/* Move past a hole at the offset of fd; return its length, 0 if there is none. */
off_t ik_source_skip_hole(int fd);

/* Answer READ_FAILED for path; number is the errno value. */
void ik_source_read_failed(const char *path, int number, struct ik_tool_answer *answer);

#endif
