#include "tui/term/term_info.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/term/term.h"
#include "tui/term/term_family.h"
#include "util/alloc.h"
#include "util/text.h"

/* A capability of the current terminal, NULL where it has none. */
const char *ik_term_capability(const char *name)
{
	const char *value = tigetstr(name);

	return value == (const char *)-1 ? NULL : value;
}

/* Append a capability without its padding, "$<5>"; terminals of now need none. */
void ik_term_put_capability(struct ik_buf *out, const char *name)
{
	const char *at = ik_term_capability(name), *padding, *end;

	if (!at)
		return;
	while ((padding = strstr(at, "$<")) && (end = strchr(padding, '>'))) {
		ik_buf_append(out, at, (size_t)(padding - at));
		at = end + 1;
	}
	ik_buf_puts(out, at);
}

/* Does the terminal take ECMA-48 sequences at all? */
bool ik_term_is_ansi(void)
{
	const char *move = ik_term_capability("cup");

	return move && ik_text_starts(move, "\033[");
}

/* A capability as a string of its own. */
char *ik_term_new_capability(const char *name)
{
	struct ik_buf buf;

	ik_buf_init(&buf, 4096);
	ik_term_put_capability(&buf, name);
	return ik_buf_take(&buf, NULL);
}

TERMINAL *ik_term_info_read(const char *type)
{
	TERMINAL *last = cur_term;
	int result;

	if (setupterm(type, STDOUT_FILENO, &result) != OK || !ik_term_capability("cup"))
		return NULL;
	if (last && last != cur_term)
		del_curterm(last);
	return cur_term;
}

TERMINAL *ik_term_info_free(TERMINAL *terminal)
{
	TERMINAL *last = terminal ? set_curterm(NULL) : NULL;
	if (last && last != terminal)
		set_curterm(last);
	if (terminal)
		del_curterm(terminal);
	return NULL;
}

uint8_t ik_term_attributes(void)
{
	static const struct {
		const char *name;
		uint8_t attribute;
	} attributes[] = {
		{ "bold", IK_ATTRIBUTE_BOLD },
		{ "dim", IK_ATTRIBUTE_DIM },
		{ "rev", IK_ATTRIBUTE_REVERSE },
		{ "smul", IK_ATTRIBUTE_UNDERLINE },
		{ "sitm", IK_ATTRIBUTE_ITALIC },
	};
	uint8_t all = 0;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (ik_term_capability(attributes[i].name))
			all |= attributes[i].attribute;
	return all;
}

bool ik_term_can_paint(void)
{
	return tigetflag("xenl") > 0 && tigetnum("ncv") <= 0 && ik_term_capability("op");
}

/* Set what terminfo says of a type; false when it does not know it. */
static bool look_up(const char *type, int *ret_colours, bool *ret_direct)
{
	int result;

	if (!type || setupterm(type, STDOUT_FILENO, &result) != OK)
		return false;
	*ret_colours = tigetnum("colors");
	*ret_direct = tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || ik_term_capability("RGB") ||
		tigetflag("Tc") > 0;
	return true;
}

/* What a type's name promises, by which a terminal is told that is not installed. */
static int named_colours(const char *type, int colours)
{
	/* Of a palette of 88 no more than the first 16 stand where those of 256 do. */
	return ik_text_ends(type, "-16color") || ik_text_ends(type, "-88color") ? 16 : colours;
}

const char *ik_term_missing(const char *type)
{
	TERMINAL *kept = set_curterm(NULL);
	const char *stand_in = type && *type ? ik_term_stand_in(type) : NULL;
	int colours;
	bool direct, known = type && *type && look_up(type, &colours, &direct);
	TERMINAL *mine = set_curterm(kept);
	if (mine)
		del_curterm(mine);
	return known ? NULL : stand_in;
}

enum ik_colour_depth ik_term_colours(const char *type, const char *colorterm)
{
	TERMINAL *kept = set_curterm(NULL);
	const char *stand_in = type && *type ? ik_term_stand_in(type) : NULL;
	int colours = -1;
	bool direct = false;

	if (type && *type && !look_up(type, &colours, &direct) && look_up(stand_in, &colours, &direct))
		colours = named_colours(type, colours);
	/* Where none is in use ik_term_info_read() is about to ask for the same. */
	TERMINAL *mine = kept ? set_curterm(kept) : NULL;
	if (mine)
		del_curterm(mine);
	direct |= (colorterm &&
				  (ik_text_equal(colorterm, "truecolor") || ik_text_equal(colorterm, "24bit"))) ||
		(stand_in && ik_text_ends(type, "-direct"));
	/* Without a palette numbers above 7 are none of it. */
	if (colours > IK_PALETTE && !stand_in)
		return IK_COLOURS_8;
	if (colours >= IK_PALETTE)
		return direct ? IK_COLOURS_TRUE : IK_COLOURS_256;
	return colours >= 16 ? IK_COLOURS_16 : colours >= 8 ? IK_COLOURS_8 : IK_COLOURS_NONE;
}

/* Set a variable of the environment to a number, or give it back its old value. */
static char *swap_variable(const char *name, int number)
{
	const char *value = getenv(name);
	char *old = value ? ik_strdup(value) : NULL, digits[16];

	snprintf(digits, sizeof(digits), "%d", number);
	setenv(name, digits, 1);
	return old;
}

static void restore_variable(const char *name, char *old)
{
	if (old)
		setenv(name, old, 1);
	else
		unsetenv(name);
	free(old);
}

SCREEN *ik_term_info_screen(const char *type, FILE *out, FILE *in, int rows, int columns)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction kept[sizeof(signals) / sizeof(*signals)];

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], NULL, &kept[i]);
	char *old_lines = swap_variable("LINES", rows);
	char *old_columns = swap_variable("COLUMNS", columns);
	SCREEN *screen = newterm(type, out, in);
	restore_variable("LINES", old_lines);
	restore_variable("COLUMNS", old_columns);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &kept[i], NULL);
	return screen;
}
