/*
 * file-write: create a file with the given contents, or replace it.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/program.h"
#include "tools/common/target.h"

#include "util/alloc.h"
#include "util/path.h"

enum { FILE_PATH, CONTENT };

static const struct ik_parameter parameters[] = {
	[FILE_PATH] = { "file_path", IK_PARAMETER_NAME, true, "Absolute or relative path to file" },
	[CONTENT] = { "content", IK_PARAMETER_STRING, true, "Content to write to file" },
};

/* Open the target, and wait for other tools that are writing it. */
static bool open_locked(struct ik_target *target, const char *path, struct ik_tool_answer *answer)
{
	for (int attempt = 0; ik_target_open(target, path, answer); attempt++) {
		if (target->fd < 0 || !S_ISREG(target->status.st_mode) ||
			ik_target_lock(target->fd, path, attempt))
			return true;
		ik_target_close(target);
	}
	return false;
}

static void run(const struct ik_argument *arguments, struct ik_tool_answer *answer)
{
	const char *path = arguments[FILE_PATH].text;
	size_t length = arguments[CONTENT].length;
	struct ik_target target;
	bool opened = open_locked(&target, path, answer);

	if (opened)
		ik_target_write(&target, arguments[CONTENT].text, length);
	if (opened && ik_target_commit(&target, NULL, answer) == IK_TARGET_WRITTEN) {
		char *sentence = ik_format("Wrote %zu bytes to %s", length, ik_path_base(path));

		ik_answer_text(answer, "output", sentence, strlen(sentence));
		ik_answer_integer(answer, "bytes", (int64_t)length);
		free(sentence);
	}
	ik_target_close(&target);
}

const struct ik_program ik_program = {
	.name = "file_write",
	.binary = "file-write",
	.description = "Write content to a file (creates or overwrites)",
	.example = "{\"file_path\": \"/tmp/test.txt\", \"content\": \"Hello, world!\\n\"}",
	.writes = "file_path",
	.display = { { "kind", "edit" }, { "line", "Write {file_path}" }, { "path", "file_path" },
		{ "new_text", "content" } },
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.parameters = parameters,
	.run = run,
};
