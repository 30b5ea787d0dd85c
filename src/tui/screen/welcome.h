/*
 * welcome: what an empty conversation shows: five lines to get going.
 *
 * Pure.  May include: util, tui/scrollback, tui/edit.
 */
#ifndef IK_TUI_SCREEN_WELCOME_H
#define IK_TUI_SCREEN_WELCOME_H

#include "tui/edit/keymap.h"
#include "tui/scrollback/block.h"

/* provider: "practice" is told how to set up a real one; may be NULL. */
struct ik_block *ik_welcome_block(const char *provider, const struct ik_keymap *keymap, bool utf8);

#endif
