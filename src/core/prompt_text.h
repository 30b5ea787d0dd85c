/*
 * prompt_text: the text of a prompt file with the arguments of its command in it.
 *
 *     $ARGUMENTS     all that follows the command's name, as it was typed
 *     $1 $2 ...      one argument, "" if there are fewer
 *     $@             all arguments, with a blank between them
 *     ${@:N}         those from the Nth on; ${@:N:L}: L of them
 *     \$             a dollar sign
 *     !`COMMAND`     at the beginning of a word: what COMMAND prints
 *
 * Arguments are words as in a shell (util/shell_word.h). Nothing is replaced in a COMMAND: the shell
 * that runs it has the arguments as its own, so that none of them can become a part of the script.
 * What an argument brings in is not read again. (The syntax is that of Claude Code, opencode and pi.)
 *
 * Pure. May include: util.
 */
#ifndef IK_CORE_PROMPT_TEXT_H
#define IK_CORE_PROMPT_TEXT_H

#include "util/buf.h"
#include "util/shell_word.h"

struct ik_prompt_arguments {
	const char *typed; /* without blanks at its ends */
	struct ik_shell_words words;
};

/* A part of the text: a COMMAND without its marks, or what is between two. */
struct ik_prompt_part {
	const char *text;
	size_t length;
	bool command;
};

/* Find the part after position, and move position past it. Return false at the end. */
bool ik_prompt_next(const char *text, size_t length, size_t *position,
	struct ik_prompt_part *ret_part);

/* Append a part that is no command, with the arguments in it. */
void ik_prompt_put(struct ik_buf *out, const struct ik_prompt_part *part,
	const struct ik_prompt_arguments *arguments);

#endif
