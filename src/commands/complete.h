/*
 * complete: completions for the word at the cursor: commands and their arguments, tools, files.
 *
 * Nothing is read before it is needed. Directories are read without blocking the loop, and cached
 * here. Of a directory's names, "." and ".." are omitted, as
 * are those that can't be typed: with control characters, or not UTF-8.
 *
 * May include: all.
 */
#ifndef IK_COMMANDS_COMPLETE_H
#define IK_COMMANDS_COMPLETE_H

#include "commands/choices.h"
#include "core/core.h"
#include "tui/screen/screen.h"

struct ik_complete;

/* Start answering the screen's questions. core, which starts before the first question, screen
 * and choices are borrowed. */
struct ik_complete *ik_complete_new(struct ik_loop *loop, struct ik_core *core,
	struct ik_screen *screen, struct ik_actions *actions, struct ik_choices *choices);
/* Release it, before core and screen. Accepts NULL and returns NULL. */
struct ik_complete *ik_complete_free(struct ik_complete *complete);

/* Append one JSON object on one line with the required arguments of a canonical schema, or all
 * arguments if none is required. Each has its default, or else the first allowed value, or else an
 * empty one. */
void ik_argument_template(struct ik_buf *out, struct ik_json_span schema);

#endif
