#include "tools/grep/report.h"

#include <string.h>

#include "util/limits.h"
#include "util/path.h"

#include "json/write.h"

/* When gathered text is passed on. */
#define FLUSH_AT IK_KIB(256)

void report_init(struct report *report, bool separate)
{
	*report = (struct report){ .fd = -1, .separate = separate };
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
	ik_buf_clear(&report->name);
}

/* Append a number; printf() would take half of the time for a line. */
static void append_number(struct ik_buf *out, uint64_t number)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	ik_buf_append(out, digits + at, sizeof(digits) - at);
}

void report_line(struct report *report, uint64_t number, const char *line, size_t length)
{
	struct ik_buf *text = &report->text;

	if (report->name.length == 0) {
		ik_json_escape(&report->name, report->path, strlen(report->path));
		ik_buf_putc(&report->name, ':');
	}
	if (report->separate)
		ik_buf_append(text, REPORT_SEPARATOR, REPORT_SEPARATOR_LENGTH);
	report->separate = true;
	ik_buf_append(text, report->name.data, report->name.length);
	append_number(text, number);
	ik_buf_append(text, ": ", 2);
	ik_json_escape(text, line, length);
	report->count++;
	if (text->length >= FLUSH_AT && (report->answer != NULL || report->fd >= 0))
		report_flush(report);
}

void report_answer(struct ik_answer *answer, bool first, const char *text, size_t length)
{
	size_t skipped = first && length > 0 ? REPORT_SEPARATOR_LENGTH : 0;

	ik_answer_escaped(answer, text + skipped, length - skipped);
}

void report_flush(struct report *report)
{
	struct ik_buf *text = &report->text;

	if (ik_buf_status(text) != IK_OK)
		report->failed = true;
	if (report->answer != NULL)
		ik_answer_escaped(report->answer, text->data, text->length);
	else if (ik_write_all(report->fd, text->data, text->length) != 0)
		report->failed = true;
	report->written += text->length;
	ik_buf_clear(text);
}
