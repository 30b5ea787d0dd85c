#include "tui/screen/welcome.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "util/limits.h"
#include "util/text.h"

#define NAME_COLUMNS 11 /* of a message, a command or a key, with the blanks behind it */

/* Add a line: what to type or press, and what comes of it. */
static void add_line(struct ik_buf *out, const char *name, const char *meaning)
{
	ik_buf_printf(out, "\n  %-*s%s", NAME_COLUMNS, name, _(meaning));
}

struct ik_block *ik_welcome_block(const char *provider, const struct ik_keymap *keymap, bool utf8)
{
	static const char title[] = "ikigai " PACKAGE_VERSION;

	static const struct {
		enum ik_action action;
		const char *meaning;
	} keys[] = {
		{ IK_ACTION_BROWSER, N_("the tools that were found") },
		{ IK_ACTION_REFRESH, N_("look for tools again") },
		{ IK_ACTION_INSPECTOR, N_("every tool call, in full") },
	};
	static const char practice[] =
		N_("\n\nThis is the practice model, built in: it follows fixed rules. For a real one, "
		   "set OPENAI_API_KEY and start ikigai again.");
	struct ik_buf out;
	/* Translators: what stands in braces is replaced with a key: leave it as it is. */
	char *sentence = ik_keymap_sentence(keymap,
		_("Type a message and press {send}: the model "
		  "answers, and uses your tools."));
	ik_buf_init(&out, IK_KIB(16));
	ik_buf_printf(&out, "%s\n%s\n", title, sentence);
	free(sentence);
	add_line(&out, "list *.c", N_("a message to try"));
	add_line(&out, "/help", N_("the commands"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct ik_buf key;

		ik_buf_init(&key, IK_KIB(1));
		if (ik_keymap_put_key(keymap, IK_IN_EDITOR, keys[i].action, &key))
			add_line(&out, key.data, keys[i].meaning);
		ik_buf_done(&key);
	}
	if (ik_text_equal(provider, "practice"))
		ik_buf_puts(&out, _(practice));
	struct ik_block *block = ik_block_new(IK_BLOCK_WELCOME, utf8);
	ik_block_append(block, out.data, out.length);
	block->head = strlen(title);
	block->hang = IK_HANG_TABLE;
	ik_block_finish(block);
	ik_buf_done(&out);
	return block;
}
