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

/* Append what stands before a line. */
static void append_head(struct ik_buf *text, bool separate, const struct ik_buf *name,
	uint64_t number)
{
	char *start = ik_buf_reserve(text, REPORT_SEPARATOR_LENGTH + name->length + 24 + 2);
	char *to = start;

	if (start == NULL)
		return;
	if (separate) {
		memcpy(to, REPORT_SEPARATOR, REPORT_SEPARATOR_LENGTH);
		to += REPORT_SEPARATOR_LENGTH;
	}
	memcpy(to, name->data, name->length);
	to = write_number(to + name->length, number);
	memcpy(to, ": ", 2);
	ik_buf_commit(text, (size_t)(to + 2 - start));
}

/* Append what stands before a line. */
static void begin_line(struct report *report, uint64_t number)
{
	if (report->name.length == 0) {
		ik_json_escape(&report->name, report->path, strlen(report->path));
		ik_buf_putc(&report->name, ':');
	}
	append_head(&report->text, report->separate, &report->name, number);
	report->separate = true;
}

/* Count a line, and pass on what has grown. */
static void end_line(struct report *report)
{
	report->count++;
	if (report->text.length >= FLUSH_AT && (report->answer != NULL || report->fd >= 0))
		report_flush(report);
}

/* What stands before a line as long as its number is relative. */
struct record {
	uint64_t number, length;
};

void report_line(struct report *report, uint64_t number, const char *line, size_t length)
{
	struct record record = { .number = number };
	struct ik_buf *text = &report->text;
	size_t start = text->length;

	if (report->relative)
		ik_buf_append(text, (const char *)&record, sizeof(record));
	else
		begin_line(report, number);
	ik_json_escape(text, line, length);
	if (report->relative && ik_buf_status(text) == IK_OK) {
		record.length = text->length - start - sizeof(record);
		memcpy(text->data + start, &record, sizeof(record));
	}
	end_line(report);
}

void report_relative(struct report *report, uint64_t before, const char *text, size_t length)
{
	const char *end = text + length;
	struct record record;

	while ((size_t)(end - text) >= sizeof(record)) {
		memcpy(&record, text, sizeof(record));
		text += sizeof(record);
		begin_line(report, before + record.number);
		ik_buf_append(&report->text, text, record.length);
		end_line(report);
		text += record.length;
	}
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
