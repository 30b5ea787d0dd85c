/*
 * settings: what an editor lets the user choose in a session: mode, model, level of thinking.
 *
 * May include: all but tui and the other front ends.
 */
#ifndef IK_ACP_SETTINGS_H
#define IK_ACP_SETTINGS_H

#include "core/core.h"

struct ik_settings;

/* changed is called when the models of the provider have become known. */
struct ik_settings *ik_settings_new(struct ik_core *core, void (*changed)(void *arg), void *arg);
/* Takes NULL. Returns NULL. */
struct ik_settings *ik_settings_free(struct ik_settings *settings);

/* Append "modes": {...} (the older form), or "configOptions": [...]. */
void ik_settings_put_modes(const struct ik_settings *settings, struct ik_buf *out);
void ik_settings_put_options(const struct ik_settings *settings, struct ik_buf *out);

/* Set one of them. */
enum ik_status ik_settings_set(struct ik_settings *settings, const char *id, const char *value,
	struct ik_error *error) IK_MUST_USE;

#endif
