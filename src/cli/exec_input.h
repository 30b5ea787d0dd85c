/*
 * exec_input: the prompt of exec, from the command line and standard input.
 *
 * May include: util, core/options.h.
 */
#ifndef IK_CLI_EXEC_INPUT_H
#define IK_CLI_EXEC_INPUT_H

#include "core/options.h"
#include "util/buf.h"

/*
 * Build the prompt. Its first *ret_written bytes are from the command line, the rest from standard
 * input. Without a PROMPT, or with "-", standard input is read to its end. With a PROMPT alone, it
 * is read only if there is something for ikigai:
 *
 * - A file that another program has begun to read is left to that program: it may be the input of a
 * `while read` loop, or the script that a shell is running. Reading it would end the loop, and send
 *   a model what isn't meant for it. (Nobody can tell who has read from a pipe.)
 * - A pipe or socket that stays silent for IK_EXEC_SILENCE_MS without ending is left alone: a
 *   supervisor may never write to it. From the first byte on, it is read to its end.
 *
 * A message on standard error says if something was left unread.
 */
#define IK_EXEC_SILENCE_MS 1000
enum ik_status ik_exec_read_prompt(const struct ik_options *options, struct ik_buf *prompt,
	size_t *ret_written, struct ik_error *error) IK_MUST_USE;

#endif
