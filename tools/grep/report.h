/*
 * report: matching lines as they stand in the answer, escaped.
 *
 * Each line begins with what separates it from the one before.  What is
 * gathered goes on by itself when it grows: to the answer, or to a file.
 *
 * Owns its buffers, not where they go.  May include: util, json,
 * tools/common/answer.h.
 */
#ifndef IK_TOOLS_GREP_REPORT_H
#define IK_TOOLS_GREP_REPORT_H

#include "tools/common/answer.h"

/* "\n" within a JSON string: what each line begins with. */
#define REPORT_SEPARATOR "\\n"
#define REPORT_SEPARATOR_LENGTH 2

struct report {
	struct ik_buf text;
	struct ik_buf name;       /* of the file, with its colon */
	const char *path;         /* whose name that is, NULL: not made yet */
	int64_t count;            /* lines, since the report was made */
	bool separate;            /* a line goes before the next one */
	bool relative;            /* numbers will be known later: see report_relative() */
	struct ik_answer *answer; /* where the text goes, or NULL */
	int fd;                   /* or there, or -1: it stays */
	uint64_t written;         /* bytes that went to fd */
	bool failed;              /* it did not get there */
};

/* separate: there is a line before the first of this report. */
void report_init(struct report *report, bool separate);
void report_done(struct report *report);

/* The lines that follow are from this file; path must last as long. */
void report_file(struct report *report, const char *path);

void report_line(struct report *report, uint64_t number, const char *line, size_t length);

/* Pass on what was gathered. */
void report_flush(struct report *report);

/* Pass on lines that another report gathered while it was relative: there are so many lines
 * before those that it counted from. */
void report_relative(struct report *report, uint64_t before, const char *text, size_t length);

/* Pass text that begins with a separator to the answer, without it if it is the first. */
void report_answer(struct ik_answer *answer, bool first, const char *text, size_t length);

#endif
