/*
 * report: format matching lines for the answer, escaped.
 *
 *     path:12: a line that matches
 *     path-13- a line of its context
 *     --                        between lines that are not adjacent, with context
 *     path: binary file matches
 *
 * Each line begins with the separator from the one before.
 *
 * Owns its buffers, not where they go.  May include: util, json,
 * tools/common/answer.h, tools/grep/search.h.
 */
#ifndef IK_TOOLS_GREP_REPORT_H
#define IK_TOOLS_GREP_REPORT_H

#include "tools/common/answer.h"
#include "tools/grep/search.h"

struct report {
	struct ik_buf text;
	struct ik_buf name;            /* of the file, escaped */
	const char *path;              /* whose name that is, if it is not empty */
	int64_t count;                 /* lines, since the report was made */
	uint64_t last;                 /* number of the last line of this file, 0: none yet */
	bool separate;                 /* a separator goes before the next line */
	bool groups;                   /* "--" goes between lines that are not adjacent */
	struct ik_tool_answer *answer; /* gets the text when there is much of it; NULL: it stays */
};

/* separate: the first line follows another one. groups: lines come with context. */
void report_init(struct report *report, bool separate, bool groups, struct ik_tool_answer *answer);
void report_done(struct report *report);

/* The next lines are from this file; path must live as long. */
void report_file(struct report *report, const char *path);

void report_line(struct report *report, const struct search_line *line);

/* Report, instead of its lines, that the file is binary and matches. */
void report_binary(struct report *report);

/* Pass the text on to the answer. */
void report_flush(struct report *report);

/* Pass text that begins with a separator (with "--" for groups) to the answer; without the
 * separator if it is the first. */
void report_answer(struct ik_tool_answer *answer, bool first, bool groups, const char *text,
	size_t length);

#endif
