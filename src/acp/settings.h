/*
 * settings: what an editor lets the user choose in a session: mode, model, level of thinking.
 *
 * May include: all but tui and the other front ends.
 */
#ifndef IK_ACP_SETTINGS_H
#define IK_ACP_SETTINGS_H

#include "commands/choices.h"
#include "core/core.h"

/* Append "modes": {...} (the older form), or "configOptions": [...]; choices knows the models. */
void ik_settings_put_modes(const struct ik_core *core, struct ik_buf *out);
void ik_settings_put_options(const struct ik_core *core, struct ik_choices *choices,
	struct ik_buf *out);

/* Set one of them. */
enum ik_status ik_settings_set(struct ik_core *core, const char *id, const char *value,
	struct ik_error *error) IK_MUST_USE;

#endif
