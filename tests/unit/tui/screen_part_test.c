#include <criterion/criterion.h>
#include <string.h>

#include "tui/screen/screen.h"

#define ROWS 24
#define COLUMNS 80

/* Two screens that are told the same: one draws what changed, the other everything. */
struct twins {
	struct ik_screen *part, *whole;
	struct ik_cells part_cells, whole_cells;
	int parts; /* how many frames were not whole */
	int held;  /* and how many of these although more was new */
};

static struct ik_screen *make(struct ik_cells *cells)
{
	struct ik_screen_options options = { .utf8 = true, .provider = "openai", .model = "gpt",
		.commands = "/help    what there is\n" };
	struct ik_screen *screen = ik_screen_new(&options);
	ik_screen_resize(screen, ROWS, COLUMNS);
	ik_cells_init(cells);
	ik_cells_resize(cells, ROWS, COLUMNS);
	return screen;
}

static void compare(struct twins *twins)
{
	int row, column, whole_row, whole_column;
	cr_assert_eq(ik_screen_dirty(twins->part), ik_screen_dirty(twins->whole));
	ik_screen_touch(twins->whole);
	ik_screen_draw(twins->part, &twins->part_cells, &row, &column);
	ik_screen_draw(twins->whole, &twins->whole_cells, &whole_row, &whole_column);
	twins->parts += twins->part_cells.changed_from > 0;
	cr_assert_eq(twins->whole_cells.changed_from, 0);
	cr_assert_eq(row, whole_row);
	cr_assert_eq(column, whole_column);
	cr_assert_eq(memcmp(twins->part_cells.cells, twins->whole_cells.cells,
		(size_t)ROWS * COLUMNS * sizeof *twins->whole_cells.cells), 0);
}

/* What was typed shows at once, in its rows, while the rest waits; then all is there. */
static void compare_held(struct twins *twins)
{
	int row, column, whole_row, whole_column;
	bool dirty = ik_screen_dirty(twins->part), held = ik_screen_hold(twins->part);
	if (!held || !dirty) {
		compare(twins);
		return;
	}
	struct ik_cells before;
	size_t size = (size_t)ROWS * COLUMNS * sizeof *before.cells;
	ik_cells_init(&before);
	ik_cells_resize(&before, ROWS, COLUMNS);
	memcpy(before.cells, twins->part_cells.cells, size);
	ik_screen_touch(twins->whole);
	ik_screen_draw(twins->part, &twins->part_cells, &row, &column);
	ik_screen_draw(twins->whole, &twins->whole_cells, &whole_row, &whole_column);
	cr_assert_eq(row, whole_row);
	cr_assert_eq(column, whole_column);
	int from = twins->part_cells.changed_from;
	size_t above = (size_t)from * COLUMNS, below = (size_t)(ROWS - 1 - from) * COLUMNS;
	cr_assert_eq(memcmp(twins->part_cells.cells, before.cells, above * sizeof *before.cells), 0);
	cr_assert_eq(memcmp(twins->part_cells.cells + above, twins->whole_cells.cells + above,
		below * sizeof *before.cells), 0);
	twins->held += ik_screen_dirty(twins->part);
	ik_cells_done(&before);
	if (!ik_screen_dirty(twins->part))
		return;
	ik_screen_touch(twins->part);
	ik_screen_touch(twins->whole);
	compare(twins);
}

static void press(struct twins *twins, const struct ik_key *key)
{
	ik_screen_key(twins->part, key);
	ik_screen_key(twins->whole, key);
}

static void tell(struct twins *twins, enum ik_event_kind kind, const char *text)
{
	const struct ik_event event = { .kind = kind, .text = text,
		.text_length = text ? strlen(text) : 0 };
	ik_screen_apply(twins->part, &event);
	ik_screen_apply(twins->whole, &event);
}

/* What is typed while all else happens shows as if everything were drawn in every frame. */
Test(screen_part, a_part_and_the_whole_look_the_same)
{
	static const struct ik_key keys[] = {
		{ .code = IK_KEY_CHARACTER, .codepoint = 'a' },
		{ .code = IK_KEY_CHARACTER, .codepoint = ' ' },
		{ .code = IK_KEY_CHARACTER, .codepoint = 'x' },
		{ .code = IK_KEY_CHARACTER, .codepoint = 0x65E5 },
		{ .code = IK_KEY_CHARACTER, .codepoint = '/' },
		{ .code = IK_KEY_CHARACTER, .codepoint = 'j', .modifiers = IK_CONTROL },
		{ .code = IK_KEY_LEFT }, { .code = IK_KEY_UP }, { .code = IK_KEY_DOWN },
		{ .code = IK_KEY_HOME }, { .code = IK_KEY_BACKSPACE },
		{ .code = IK_KEY_CHARACTER, .codepoint = 'w', .modifiers = IK_CONTROL },
		/* from here on seldom */
		{ .code = IK_KEY_F1 }, { .code = IK_KEY_F2 }, { .code = IK_KEY_F3 },
		{ .code = IK_KEY_F6 }, { .code = IK_KEY_TAB }, { .code = IK_KEY_PAGE_UP },
		{ .code = IK_KEY_ESCAPE }, { .code = IK_KEY_ENTER },
		{ .code = IK_KEY_CHARACTER, .codepoint = 'r', .modifiers = IK_CONTROL },
		{ .code = IK_KEY_CHARACTER, .codepoint = 'c', .modifiers = IK_CONTROL },
		{ .code = IK_KEY_CHARACTER, .codepoint = 'g', .modifiers = IK_CONTROL },
	};
	const unsigned often = 12, count = sizeof keys / sizeof *keys;
	struct twins twins = { .parts = 0 };
	unsigned seed = 1;
	twins.part = make(&twins.part_cells);
	twins.whole = make(&twins.whole_cells);
	for (int i = 0; i < 3000; i++) {
		seed = seed * 1103515245u + 12345u;
		unsigned dice = seed >> 16;
		if (dice % 16 == 0)
			press(&twins, &keys[often + dice / 16 % (count - often)]);
		else if (dice % 7 == 3)
			tell(&twins, IK_EVENT_TEXT, "some words\n\nof a reply ");
		else
			press(&twins, &keys[dice / 16 % often]);
		if (dice % 5 > 1)
			compare(&twins);
		else if (dice % 5 == 1)
			compare_held(&twins);
	}
	cr_assert_gt(twins.parts, 500, "%d", twins.parts);
	cr_assert_gt(twins.held, 10, "%d", twins.held);
	/* On another grid nothing stands yet. */
	ik_cells_resize(&twins.part_cells, ROWS, COLUMNS);
	press(&twins, &(struct ik_key){ .code = IK_KEY_ESCAPE });
	press(&twins, &keys[0]);
	compare(&twins);
	ik_screen_free(twins.part);
	ik_screen_free(twins.whole);
	ik_cells_done(&twins.part_cells);
	ik_cells_done(&twins.whole_cells);
}
