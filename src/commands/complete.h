/*
 * complete: propose completions of the word at the cursor: commands and their arguments, tools,
 * models, files.
 *
 * Nothing is read before it is needed; directories and the provider's list of models are read
 * without blocking the loop, and kept here.
 *
 * May include: all.
 */
#ifndef IK_COMMANDS_COMPLETE_H
#define IK_COMMANDS_COMPLETE_H

#include "commands/action.h"
#include "core/core.h"
#include "tui/screen/screen.h"

struct ik_complete;

/* Answer the screen's questions from now on. core, which need not have started, and screen are
 * borrowed. */
struct ik_complete *ik_complete_new(struct ik_loop *loop, struct ik_core *core,
	struct ik_setup *setup, struct ik_screen *screen, const struct ik_action_row *actions);
/* Call it before core and screen are released. Accepts NULL and returns NULL. */
struct ik_complete *ik_complete_free(struct ik_complete *complete);

#endif
