/*
 * fuzz_keys: whatever a terminal sends, in whatever pieces, becomes keys that are
 * whole, and nothing of it waits for ever.
 */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

#include "tui/edit/keymap.h"
#include "util/utf8.h"

static void demand(bool truth)
{
	if (!truth)
		abort();
}

/* Assert what the header promises of a key, and ask what it means. */
static void check_key(void *arg, const struct ik_key *key)
{
	struct ik_keymap *keymap = arg;
	char bytes[4];

	demand(key->code > IK_KEY_NONE && key->code <= IK_KEY_REPORT);
	demand((key->modifiers & ~(unsigned)(IK_SHIFT | IK_ALT | IK_CONTROL)) == 0);
	if (key->code == IK_KEY_CHARACTER)
		demand(key->codepoint >= 0x20 && ik_utf8_encode(key->codepoint, bytes) > 0);
	if (key->code == IK_KEY_MOUSE)
		demand(key->row >= 0 && key->column >= 0);
	demand(ik_keymap_action(keymap, IK_IN_EDITOR, key) < IK_ACTION_COUNT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ik_terminal_input *input = ik_input_new();
	struct ik_keymap *keymap = ik_keymap_new(NULL);
	size_t piece = size > 0 ? 1 + data[0] % 32u : 1;

	for (size_t at = 1; at < size; at += piece) {
		size_t length = size - at < piece ? size - at : piece;

		ik_input_feed(input, (const char *)data + at, length, check_key, keymap);
		if (data[at] % 7 == 0)
			ik_input_timeout(input, check_key, keymap);
		demand(!ik_input_pending(input) || ik_input_wait_ms(input) > 0);
	}
	for (int rounds = 0; ik_input_wait_ms(input) >= 0; rounds++) {
		demand(rounds < 4);
		ik_input_timeout(input, check_key, keymap);
	}
	ik_keymap_free(keymap);
	ik_input_free(input);
	return 0;
}
