#include "cli/exec_input.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/print.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* Append all of standard input. */
static enum ik_status read_stdin(struct ik_buf *prompt, struct ik_error *error)
{
	struct ik_buf raw;
	enum ik_status status;
	int number;

	ik_buf_init(&raw, IK_LIMIT_USER_TEXT);
	number = ik_read_all(STDIN_FILENO, &raw, 0);
	status = ik_buf_check(&raw, _("what came on standard input"), error);
	/* Closed standard input is empty. */
	if (status == IK_OK && number != 0 && number != EBADF)
		status = ik_error_set_errno(error, number, _("cannot read standard input"));
	if (status == IK_OK) {
		ik_utf8_repair(prompt, raw.data, raw.length);
		status = ik_buf_check(prompt, _("what came on standard input"), error);
	}
	ik_buf_done(&raw);
	return status;
}

/* Should standard input be appended to a prompt? */
static bool goes_with_prompt(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	struct stat status;
	off_t at;

	if (isatty(STDIN_FILENO) == 1 || fstat(STDIN_FILENO, &status) != 0)
		return false;
	if (S_ISREG(status.st_mode)) {
		at = lseek(STDIN_FILENO, 0, SEEK_CUR);
		if (at > 0 && at < status.st_size)
			ik_complain(_("standard input is left to the program that has read the first lines of "
						  "it "
						  "(ikigai exec PROMPT - reads the rest; </dev/null: there is nothing)"));
		return at == 0;
	}
	if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))
		return true;
	/* The end of the input counts too. */
	if (poll(&input, 1, IK_EXEC_SILENCE_MS) != 0)
		return true;
	ik_complain(_("nothing came on standard input for a second, so it is left unread "
				  "(ikigai exec PROMPT - waits for its end; </dev/null: there is nothing)"));
	return false;
}

enum ik_status ik_exec_read_prompt(const struct ik_options *options, struct ik_buf *prompt,
	size_t *ret_written, struct ik_error *error)
{
	bool whole = !options->first || options->second || ik_text_equal(options->first, "-");
	enum ik_status status = IK_OK;
	size_t before;

	if (!options->first && isatty(STDIN_FILENO) == 1)
		return ik_error_set(error, IK_INVALID,
			_("exec needs a prompt: ikigai exec \"...\", or text on standard input"));
	if (options->first && !ik_text_equal(options->first, "-"))
		ik_utf8_repair(prompt, options->first, strlen(options->first));
	*ret_written = before = prompt->length;
	if (whole || goes_with_prompt()) {
		if (before > 0)
			ik_buf_puts(prompt, "\n\n");
		status = read_stdin(prompt, error);
		if (status == IK_OK && before > 0 && prompt->length == before + 2)
			ik_buf_truncate(prompt, before);
	}
	if (status == IK_OK && strspn(prompt->data, " \t\r\n") == prompt->length)
		return ik_error_set(error, IK_INVALID,
			_("the prompt is empty; exec needs one: ikigai exec \"...\""));
	return status;
}
