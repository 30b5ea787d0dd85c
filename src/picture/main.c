/*
 * main: one picture from stdin, made into what the job says (picture.h), to stdout.
 *
 * Pictures come from anywhere, so each is read by a process of its own, which can be killed and
 * whose memory and time are limited; status 1, and a sentence on stderr, if it can't be read.
 */

#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "picture/picture.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Seconds of a processor, and bytes of address space: the largest picture, several times. */
#define TIME_LIMIT 20
#define MEMORY_LIMIT IK_MIB(1536)

/* AddressSanitizer reserves more than any limit; gcc and clang say in two ways that it is there. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* Limit what a picture can cost. */
static void limit_resources(void)
{
	const struct rlimit seconds = { TIME_LIMIT, TIME_LIMIT }, none = { 0, 0 };

	(void)setrlimit(RLIMIT_CPU, &seconds);
	(void)setrlimit(RLIMIT_CORE, &none);
#ifndef SANITIZED
	const struct rlimit memory = { MEMORY_LIMIT, MEMORY_LIMIT };

	(void)setrlimit(RLIMIT_AS, &memory);
#endif
}

/* Do the job; return the status. */
static int run(char **arguments)
{
	struct ik_buf in, out;
	struct ik_error error = { .status = IK_OK };
	int numbers[3] = { 1, 1, 1 }, number, status = 1;

	ik_buf_init(&in, IK_LIMIT_PICTURE);
	ik_buf_init(&out, IK_LIMIT_PICTURE);
	for (int i = 0; i < 3 && arguments[i + 1]; i++)
		numbers[i] = (int)strtol(arguments[i + 1], NULL, 10);
	number = ik_read_all(STDIN_FILENO, &in, 0);
	if (number != 0)
		(void)ik_error_set_errno(&error, number, _("the picture cannot be read"));
	else if (ik_picture_make(arguments[0], numbers[0], numbers[1], numbers[2], in.data, in.length,
				 &out, &error) == IK_OK)
		status = ik_write_all(STDOUT_FILENO, out.data, out.length) == 0 ? 0 : 1;
	if (error.status != IK_OK)
		(void)fprintf(stderr, "%s\n", error.text);
	ik_buf_done(&in);
	ik_buf_done(&out);
	return status;
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	setlocale(LC_MESSAGES, "");
	bindtextdomain(PACKAGE, IK_LOCALEDIR);
	textdomain(PACKAGE);
	if (argc < 4 || argc > 5) {
		(void)fprintf(stderr,
			"Usage: picture fit EDGE BYTES | cells COLUMNS ROWS | "
			"png WIDTH HEIGHT | sixel WIDTH HEIGHT LINE\n");
		return 2;
	}
	limit_resources();
	return run(argv + 1);
}
