/*
 * report: matching lines as they stand in the answer, escaped.
 *
 *     path:12: a line that matches
 *     path-13- a line of its context
 *     --                        between lines that do not follow each other, with context
 *     path: binary file matches
 *
 * Each line begins with what separates it from the one before.  What is
 * gathered goes on by itself when it grows: to the answer, or to a file.
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
	struct ik_buf name;            /* of the file */
	const char *path;              /* whose name that is, NULL: not made yet */
	int64_t count;                 /* lines, since the report was made */
	uint64_t last;                 /* number of the last line from this file, 0: none yet */
	bool separate;                 /* a line goes before the next one */
	bool groups;                   /* so does "--", where the next one does not follow it */
	struct ik_tool_answer *answer; /* where the text goes, or NULL */
	int fd;                        /* or there, or -1: it stays */
	uint64_t written;              /* bytes that went to fd */
	bool failed;                   /* it did not get there */
};

/* separate: there is a line before the first of this report. groups: lines come with context. */
void report_init(struct report *report, bool separate, bool groups);
void report_done(struct report *report);

/* The lines that follow are from this file; path must last as long. */
void report_file(struct report *report, const char *path);

void report_line(struct report *report, const struct search_line *line);

/* Instead of its lines: that the file is a binary one, and matches. */
void report_binary(struct report *report);

/* Pass on what was gathered. */
void report_flush(struct report *report);

/* Pass text that begins with a separator, with "--" in groups, to the answer; without it if it is
 * the first. */
void report_answer(struct ik_tool_answer *answer, bool first, bool groups, const char *text,
	size_t length);

#endif
