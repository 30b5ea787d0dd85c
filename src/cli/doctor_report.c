#include "cli/doctor_report.h"

#include <stdlib.h>
#include <string.h>

#include "core/print.h"
#include "json/write.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

enum { WORD_COLUMNS = 7, LABEL_COLUMNS = 15 };

/* Append text, padded with blanks. */
static void put_cell(struct ik_buf *out, const char *text, size_t columns)
{
	size_t width = ik_utf8_width(text, strlen(text));

	ik_buf_printf(out, "%s%*s", text, width < columns ? (int)(columns - width) : 1, "");
}

void ik_doctor_say(struct ik_doctor_report *report, enum ik_doctor_finding finding,
	const char *label, const char *sentence)
{
	static const char *const words[] = {
		[IK_FINDING_OK] = N_("ok"),
		[IK_FINDING_NOTE] = N_("note"),
		[IK_FINDING_WRONG] = N_("wrong"),
	};
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	if (report->json) {
		ik_json_printf(&out, "{'check':'%s','state':'%s','message':'%s'}", label, words[finding],
			sentence);
	} else {
		put_cell(&out, _(words[finding]), WORD_COLUMNS);
		put_cell(&out, _(label), LABEL_COLUMNS);
		for (; *sentence != '\0'; sentence++) /* one line a check */
			ik_buf_putc(&out, *sentence == '\n' ? ' ' : *sentence);
	}
	ik_buf_putc(&out, '\n');
	report->print_failed |= ik_print_buf(&out) != 0;
	report->wrong |= finding == IK_FINDING_WRONG;
	ik_buf_done(&out);
}

void ik_doctor_say_free(struct ik_doctor_report *report, enum ik_doctor_finding finding,
	const char *label, char *sentence)
{
	ik_doctor_say(report, finding, label, sentence);
	free(sentence);
}
