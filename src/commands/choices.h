/*
 * choices: what the argument of /model, /provider, /theme, /mode and /sandbox can be.
 *
 * One list for two uses: the picker shows it if the command has no argument, completion if it is
 * being typed.  To add such a command, add a row to the table in choices.c.
 *
 * May include: all but the front ends.
 */
#ifndef IK_COMMANDS_CHOICES_H
#define IK_COMMANDS_CHOICES_H

#include "commands/action.h"
#include "core/core.h"
#include "tui/pane/pane_picker.h"

struct ik_choices;

/* Called when the models of a provider have become known. */
typedef void ik_choices_changed(void *arg);

struct ik_choices *ik_choices_new(struct ik_core *core, ik_choices_changed *changed, void *arg);
/* Release it, before the core. Accepts NULL and returns NULL. */
struct ik_choices *ik_choices_free(struct ik_choices *choices);

/* Is the argument of a command one of a few? */
bool ik_choices_has(enum ik_argument_kind kind);

/* List the choices of a command. ret_list->empty, if not NULL, says why some or all are missing:
 * the provider's models are being requested or unavailable; it is valid until the next call. The
 * caller owns the picks. */
void ik_choices_list(struct ik_choices *choices, const struct ik_action_row *row,
	struct ik_pick_list *ret_list);

/* Ask the provider for its models again when they are next listed. */
void ik_choices_forget(struct ik_choices *choices);

#endif
