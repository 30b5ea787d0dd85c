/*
 * file-read: the contents of a file, or some of its lines or bytes.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/program.h"
#include "tools/common/source.h"

#include "util/limits.h"

#define BLOCK IK_KIB(128)

/* Default limit in bytes: a result has room for so much of most texts. */
#define BYTES_DEFAULT IK_KIB(16)

enum { FILE_PATH, OFFSET, LIMIT, BYTE_OFFSET, BYTE_LIMIT };

static const struct ik_parameter parameters[] = {
	[FILE_PATH] = { "file_path", IK_PARAMETER_NAME, true, "Absolute or relative path to file" },
	[OFFSET] = { "offset", IK_PARAMETER_COUNT, false,
		"Line number to start reading from (1-based)" },
	[LIMIT] = { "limit", IK_PARAMETER_COUNT, false, "Number of lines to read" },
	[BYTE_OFFSET] = { "byte_offset", IK_PARAMETER_NUMBER, false,
		"Byte to start reading from (0-based), instead of a line" },
	[BYTE_LIMIT] = { "byte_limit", IK_PARAMETER_COUNT, false,
		"Number of bytes to read (default 16384)" },
};

/* Return where the lines to skip end in block; *lines is what remains of them. */
static const char *skip_lines(const char *block, const char *end, int64_t *lines)
{
	while (*lines > 0 && block < end) {
		const char *feed = memchr(block, '\n', (size_t)(end - block));

		if (!feed)
			return end;
		block = feed + 1;
		(*lines)--;
	}
	return block;
}

/* Answer with so many lines after the first skipped ones, and at most so many bytes. */
static void copy(int fd, const char *path, int64_t skipped, int64_t lines, int64_t bytes,
	struct ik_tool_answer *answer)
{
	static char block[BLOCK];
	ssize_t count = 0;

	ik_answer_open(answer, "output");
	while (lines > 0 && bytes > 0 && !ik_answer_lost(answer)) {
		count = ik_source_read(fd, block,
			bytes < (int64_t)sizeof(block) ? (size_t)bytes : sizeof(block));
		if (count <= 0)
			break;
		bytes -= count;
		const char *end = block + count;
		const char *from = skip_lines(block, end, &skipped);

		if (skipped > 0) {
			/* A hole contains no lines. */
			if (end[-1] == '\0')
				(void)ik_source_skip_hole(fd);
			continue;
		}
		const char *to = lines == INT64_MAX ? end : skip_lines(from, end, &lines);
		ik_answer_piece(answer, from, (size_t)(to - from));
	}
	if (count < 0)
		ik_source_read_failed(path, errno, answer);
	else
		ik_answer_close(answer);
}

static void run(const struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	const char *path = arguments[FILE_PATH].text;
	bool lines = arguments[OFFSET].given || arguments[LIMIT].given;
	bool bytes = arguments[BYTE_OFFSET].given || arguments[BYTE_LIMIT].given;
	int64_t most = !bytes             ? INT64_MAX
		: arguments[BYTE_LIMIT].given ? arguments[BYTE_LIMIT].number
									  : (int64_t)BYTES_DEFAULT;
	int fd;

	if (lines && bytes) {
		ik_answer_error(answer, "INVALID_ARG", NULL,
			"offset and limit are lines and cannot be given with byte_offset or byte_limit");
		return;
	}
	fd = ik_source_open(path, answer);
	if (fd < 0)
		return;
	/* Not all files can seek (FUSE), but they can be read from the start. */
	if (arguments[BYTE_OFFSET].given && lseek(fd, arguments[BYTE_OFFSET].number, SEEK_SET) < 0)
		most = errno == EINVAL ? 0 : -1; /* 0: beyond the end of any file */
	if (most < 0)
		ik_source_read_failed(path, errno, answer);
	else
		copy(fd, path, arguments[OFFSET].given ? arguments[OFFSET].number - 1 : 0,
			arguments[LIMIT].given ? arguments[LIMIT].number : INT64_MAX, most, answer);
	close(fd);
}

const struct ik_program ik_program = {
	.name = "file_read",
	.binary = "file-read",
	.description = "Read contents of a file",
	.example = "{\"file_path\": \"README\", \"offset\": 10, \"limit\": 20}",
	.read_only = true,
	.display = { { "kind", "read" },
		{ "line",
			"Read {file_path}[, from line {offset}][, {limit|line|lines}]"
			"[, from byte {byte_offset}][, {byte_limit|byte|bytes}]" },
		{ "path", "file_path" } },
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.parameters = parameters,
	.run = run,
};
