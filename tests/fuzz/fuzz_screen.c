/*
 * fuzz_screen: whatever a terminal sends, the screen does something with it, can be drawn at any
 * size, and never sends a paste by itself.
 *
 * The first two bytes are the size of the screen, the third that of the pieces in which the rest
 * comes from the terminal.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#include "tui/screen/screen.h"
#include "util/limits.h"
#include "util/utf8.h"

static struct ik_cells cells;

static void demand(bool truth)
{
	if (!truth)
		abort();
}

static void draw(struct ik_screen *screen, int rows, int columns)
{
	ik_cells_resize(&cells, rows, columns);
	ik_screen_resize(screen, rows, columns);
	ik_screen_draw(screen, &cells);
	demand(cells.cursor_row >= -1 && cells.cursor_row < rows && cells.cursor_column < columns);
	demand(!ik_screen_dirty(screen));
}

/* Say one message, as a model would. */
static void say(struct ik_screen *screen, const char *text)
{
	struct ik_message *message = ik_message_new(IK_KIND_ASSISTANT, text, strlen(text), NULL, 0);

	ik_screen_apply(screen, &(struct ik_event){ .kind = IK_EVENT_MESSAGE, .message = message });
	ik_message_unref(message);
}

static void on_key(void *arg, const struct ik_key *key)
{
	struct ik_screen *screen = arg;
	struct ik_invocation reaction = ik_screen_key(screen, key);
	size_t length = 0;
	const char *draft = ik_screen_draft(screen, &length);

	demand(ik_utf8_valid_prefix(draft, length) == length);
	if (reaction.text != NULL)
		demand(ik_utf8_valid_prefix(reaction.text, reaction.length) == reaction.length);
	demand(reaction.action != IK_ACTION_SEND || key->code != IK_KEY_PASTE);
}

static void put_commands(void *arg, enum ik_group group, struct ik_buf *out)
{
	(void)arg;
	if (group == IK_GROUP_SCREEN)
		ik_buf_puts(out, "/help\twhat there is\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ik_screen_options options = { .provider = "openai", .model = "gpt",
		.commands = put_commands, .markdown = true };
	struct ik_terminal_input *input;
	struct ik_screen *screen;
	int rows, columns;

	if (size < 3 || size > IK_KIB(16))
		return 0;
	rows = 1 + data[0] % 60;
	columns = 1 + data[1] % 220;
	size_t piece = 1 + data[2] % 64u;
	input = ik_input_new();
	screen = ik_screen_new(&options);
	say(screen, "# One\n\nsome **bold** words\n\n```c\nint one;\n```\n");
	draw(screen, rows, columns);
	for (size_t at = 3; at < size; at += piece) {
		ik_input_feed(input, (const char *)data + at, size - at < piece ? size - at : piece, on_key,
			screen);
		draw(screen, rows, columns);
	}
	ik_input_timeout(input, on_key, screen);
	draw(screen, columns % 60 + 1, rows);
	ik_screen_free(screen);
	ik_input_free(input);
	ik_cells_done(&cells);
	return 0;
}
