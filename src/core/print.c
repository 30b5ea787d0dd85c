#include "core/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sanitize.h"
#include "util/text.h"

int ik_print_buf(const struct ik_buf *out)
{
	struct ik_error error;
	struct ik_buf clean;
	int number;

	if (ik_buf_check(out, _("the output"), &error) != IK_OK) {
		ik_complain(error.text);
		return 1;
	}
	ik_buf_init(&clean, IK_LIMIT_ENVELOPE);
	if (isatty(STDOUT_FILENO) == 1)
		ik_sanitize(&clean, out->data, out->length);
	else
		ik_buf_append(&clean, out->data, out->length);
	number = ik_buf_status(&clean) != IK_OK ? ENOMEM
											: ik_write_all(STDOUT_FILENO, clean.data, clean.length);
	ik_buf_done(&clean);
	if (number != 0 && number != EPIPE) /* the reader needs no more, for example head */
		(void)fprintf(stderr, _("ikigai: cannot write: %s\n"), strerror(number));
	return number != 0;
}

char *ik_complaint(const char *sentence)
{
	struct ik_buf clean;
	char *line;

	ik_buf_init(&clean, IK_LIMIT_ENVELOPE);
	if (isatty(STDERR_FILENO) == 1)
		ik_sanitize(&clean, sentence, strlen(sentence));
	if (clean.length > 0 && ik_buf_status(&clean) == IK_OK)
		sentence = clean.data;
	line = ik_format("ikigai: %s\n", sentence);
	ik_buf_done(&clean);
	return line;
}

void ik_complain(const char *sentence)
{
	char *line = ik_complaint(sentence);

	(void)fputs(line, stderr);
	free(line);
}

void ik_complainf(const char *format, ...)
{
	va_list arguments;
	char *sentence;

	va_start(arguments, format);
	sentence = ik_vformat(format, arguments);
	va_end(arguments);
	ik_complain(sentence);
	free(sentence);
}
