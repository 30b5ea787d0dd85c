/*
 * vi: vi's keys for an editor: a state machine that turns keys into operations of the editor.
 *
 * What it does is what Vim does, of which tests/unit/tui/vi_cases.h has several hundred examples.
 * In insert mode all keys but Esc are left to the table of keys (keymap.h), as without it; Alt with
 * a character other than a digit is Esc and the character.
 *
 * Owns its register and what "." repeats.  May include: util, tui/term, tui/edit.
 */
#ifndef IK_TUI_EDIT_VI_H
#define IK_TUI_EDIT_VI_H

#include "tui/edit/editor.h"

enum ik_vi_mode { IK_VI_INSERT, IK_VI_NORMAL, IK_VI_VISUAL };

struct ik_vi;

/* Return a new state, in insert mode. */
struct ik_vi *ik_vi_new(void);
struct ik_vi *ik_vi_free(struct ik_vi *vi);

enum ik_vi_mode ik_vi_mode(const struct ik_vi *vi);
const char *ik_vi_mode_name(const struct ik_vi *vi); /* "NORMAL", translated */

/* Return to insert mode and forget half a command, because another text begins. */
void ik_vi_reset(struct ik_vi *vi);

/*
 * Handle a key. Return true if it was vi's. Otherwise it means what it means without vi; that is so
 * for Esc in normal mode when no command has begun. *ret_action is an action for the caller instead
 * of the key: the history (j, k, /), or IK_ACTION_NONE.
 */
bool ik_vi_key(struct ik_vi *vi, struct ik_editor *editor, const struct ik_key *key,
	enum ik_action *ret_action);

#endif
