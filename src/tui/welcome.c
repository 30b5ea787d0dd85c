#include "tui/welcome.h"

#include <string.h>

#include "config.h"
#include "util/text.h"

struct ik_block *ik_welcome_block(const char *provider, bool utf8)
{
	static const char title[] = "ikigai " PACKAGE_VERSION;
	static const char lines[] = N_(
		"Type a message and press Enter: the model answers, and uses your tools.\n"
		"\n"
		"  list *.c   a message to try\n"
		"  /help      the commands\n"
		"  F2         the tools that were found\n"
		"  F5         look for tools again\n"
		"  F3         every tool call, in full");
	static const char practice[] = N_(
		"\n\nThis is the practice model, built in: it follows fixed rules. For a real one, "
		"set OPENAI_API_KEY and start ikigai again.");
	struct ik_block *block = ik_block_new(IK_BLOCK_WELCOME, utf8);
	ik_block_append(block, title, strlen(title));
	block->head = strlen(title);
	ik_block_append(block, "\n", 1);
	ik_block_append(block, _(lines), strlen(_(lines)));
	if (ik_text_equal(provider, "practice"))
		ik_block_append(block, _(practice), strlen(_(practice)));
	ik_block_finish(block);
	return block;
}
