/*
 * complete: what the word at the cursor may become: commands and what follows
 * them, tools, models, files.
 *
 * Looks at nothing before it is wanted; a directory is read, and a provider asked for
 * its models, beside the loop.  Owns what it knows of both.
 *
 * May include: all.
 */
#ifndef IK_COMMANDS_COMPLETE_H
#define IK_COMMANDS_COMPLETE_H

#include "commands/action.h"
#include "core/core.h"
#include "tui/screen/screen.h"

struct ik_complete;

/* core and screen are borrowed; core need not have been started. The screen asks it
 * from now on. */
struct ik_complete *ik_complete_new(struct ik_loop *loop, struct ik_core *core,
	struct ik_setup *setup, struct ik_screen *screen, const struct ik_action_row *actions);
/* Before core and screen go. Takes and returns NULL. */
struct ik_complete *ik_complete_free(struct ik_complete *complete);

/* The core is there: models and tools can be asked for. */
void ik_complete_set_started(struct ik_complete *complete, bool started);

#endif
