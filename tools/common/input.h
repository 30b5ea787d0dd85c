/*
 * input: read and check the arguments of a call from stdin.
 *
 * May include: util, json, tools/common/program.h.
 */
#ifndef IK_TOOLS_INPUT_H
#define IK_TOOLS_INPUT_H

#include "tools/common/program.h"

/* Append everything from fd; on failure, *error has a sentence. */
enum ik_status ik_input_read(int fd, struct ik_buf *input, struct ik_error *error) IK_MUST_USE;

/*
 * Fill arguments (program->parameter_count of them) from the JSON text. False after answering with
 * INVALID_ARG. Release with ik_input_free() either way.
 */
bool ik_input_parse(const struct ik_program *program, const struct ik_buf *input,
	struct ik_argument *arguments, struct ik_tool_answer *answer) IK_MUST_USE;

void ik_input_free(const struct ik_program *program, struct ik_argument *arguments);

#endif
