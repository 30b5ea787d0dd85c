#include "tools/grep/report.h"

#include <string.h>

#include "util/limits.h"

#include "json/write.h"

/* When text is passed on. */
#define FLUSH_AT IK_KIB(256)

/* Line feeds within a JSON string, which come before each line and each group of lines. */
#define SEPARATOR "\\n"
#define GROUP_SEPARATOR "\\n--\\n"

void report_init(struct report *report, bool separate, bool groups, struct ik_tool_answer *answer)
{
	*report = (struct report){ .separate = separate, .groups = groups, .answer = answer };
	ik_buf_init(&report->text, SIZE_MAX / 2);
	ik_buf_init(&report->name, IK_MIB(1));
}

void report_done(struct report *report)
{
	ik_buf_done(&report->text);
	ik_buf_done(&report->name);
}

void report_file(struct report *report, const char *path)
{
	report->path = path;
	report->last = 0;
	ik_buf_clear(&report->name);
}

/* Write a number; printf() would take half of the time for a line. */
static char *write_number(char *to, uint64_t number)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	memcpy(to, digits + at, sizeof(digits) - at);
	return to + (sizeof(digits) - at);
}

/* Append the separator from the line before, and the file's name. */
static void begin_line(struct report *report, uint64_t number)
{
	bool group = report->groups && (report->last == 0 || number != report->last + 1);

	if (report->name.length == 0)
		ik_json_escape(&report->name, report->path, strlen(report->path));
	if (report->separate)
		ik_buf_append(&report->text, group ? GROUP_SEPARATOR : SEPARATOR,
			group ? strlen(GROUP_SEPARATOR) : strlen(SEPARATOR));
	ik_buf_append(&report->text, report->name.data, report->name.length);
	report->separate = true;
	report->last = number;
}

/* Append what comes before a line's text. */
static void append_head(struct report *report, uint64_t number, char mark)
{
	char head[24 + 3], *to = head;

	begin_line(report, number);
	*to++ = mark;
	to = write_number(to, number);
	*to++ = mark;
	*to++ = ' ';
	ik_buf_append(&report->text, head, (size_t)(to - head));
}

/* Pass the text on if there is enough. */
static void end_line(struct report *report)
{
	if (report->text.length >= FLUSH_AT && report->answer)
		report_flush(report);
}

void report_line(struct report *report, const struct search_line *line)
{
	append_head(report, line->number, line->context ? '-' : ':');
	ik_json_escape(&report->text, line->text, line->length);
	report->count += !line->context;
	end_line(report);
}

void report_binary(struct report *report)
{
	begin_line(report, 0);
	ik_buf_puts(&report->text, ": binary file matches");
	report->count++;
	end_line(report);
}

void report_answer(struct ik_tool_answer *answer, bool first, bool groups, const char *text,
	size_t length)
{
	size_t skipped = first && length > 0 ? strlen(groups ? GROUP_SEPARATOR : SEPARATOR) : 0;

	ik_answer_escaped(answer, text + skipped, length - skipped);
}

void report_flush(struct report *report)
{
	ik_answer_escaped(report->answer, report->text.data, report->text.length);
	ik_buf_clear(&report->text);
}
