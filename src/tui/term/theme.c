#include "tui/term/theme.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "json/scan.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define BOLD IK_ATTRIBUTE_BOLD
#define DIM IK_ATTRIBUTE_DIM
#define REVERSE IK_ATTRIBUTE_REVERSE
#define UNDERLINE IK_ATTRIBUTE_UNDERLINE
#define ITALIC IK_ATTRIBUTE_ITALIC
#define OWN IK_COLOUR_OWN

/*
 * Columns: foreground, background, attributes.
 *
 * One accent, indigo, says where you are: your messages, what has focus, what is at work. What
 * the machine is given is sand: calls and code. Green, red and amber judge; all else is grey.
 *
 * The contrast is at least 4.5 to 1 for text and 3 to 1 for frames and blocks, in 24 bits and in
 * the 256-colour palette: on backgrounds from #000000 to #282C34 for "dark", from #FFFFFF to
 * #F5F0E0 for "light". For text in "contrast", which has its own background, it is 7 to 1.
 */
/* clang-format off */
static const struct ik_theme built_in[] = {
	{ "dark", {
		[IK_STYLE_NORMAL] = { OWN, OWN, 0 },
		[IK_STYLE_DIM] = { 0x9AA3B2, OWN, 0 },
		[IK_STYLE_BOLD] = { OWN, OWN, BOLD },
		[IK_STYLE_EMPHASIS] = { OWN, OWN, ITALIC },
		[IK_STYLE_THINKING] = { 0xA6A9B8, OWN, ITALIC },
		[IK_STYLE_USER] = { 0x8DB9F5, OWN, BOLD },
		[IK_STYLE_ACCENT] = { 0x8DB9F5, OWN, 0 },
		[IK_STYLE_CODE] = { 0xD9C49A, OWN, 0 },
		[IK_STYLE_KEYWORD] = { 0xC3A6F0, OWN, 0 },
		[IK_STYLE_OUTPUT] = { 0xB6BCC8, OWN, 0 },
		[IK_STYLE_GOOD] = { 0x8CC98F, OWN, 0 },
		[IK_STYLE_BAD] = { 0xF28F8F, OWN, 0 },
		[IK_STYLE_WARNING] = { 0xF0B858, OWN, 0 },
		[IK_STYLE_FRAME] = { 0x7A8294, OWN, 0 },
		[IK_STYLE_SELECTION] = { 0x0E1420, 0x86AEE8, 0 },
		[IK_STYLE_LINK] = { 0x8DB9F5, OWN, UNDERLINE },
		[IK_STYLE_MATCH] = { 0x101216, 0xE8BE6A, 0 },
	} },
	{ "light", {
		[IK_STYLE_NORMAL] = { OWN, OWN, 0 },
		[IK_STYLE_DIM] = { 0x5C6370, OWN, 0 },
		[IK_STYLE_BOLD] = { OWN, OWN, BOLD },
		[IK_STYLE_EMPHASIS] = { OWN, OWN, ITALIC },
		[IK_STYLE_THINKING] = { 0x5A5F70, OWN, ITALIC },
		[IK_STYLE_USER] = { 0x1B4FB8, OWN, BOLD },
		[IK_STYLE_ACCENT] = { 0x1B4FB8, OWN, 0 },
		[IK_STYLE_CODE] = { 0x7A5A12, OWN, 0 },
		[IK_STYLE_KEYWORD] = { 0x6B3FA0, OWN, 0 },
		[IK_STYLE_OUTPUT] = { 0x48505C, OWN, 0 },
		[IK_STYLE_GOOD] = { 0x1B6A24, OWN, 0 },
		[IK_STYLE_BAD] = { 0xB3261E, OWN, 0 },
		[IK_STYLE_WARNING] = { 0x8F4E00, OWN, 0 },
		[IK_STYLE_FRAME] = { 0x7F8693, OWN, 0 },
		[IK_STYLE_SELECTION] = { 0xFFFFFF, 0x1B4FB8, 0 },
		[IK_STYLE_LINK] = { 0x1B4FB8, OWN, UNDERLINE },
		[IK_STYLE_MATCH] = { 0xFFFFFF, 0x8A5A00, 0 },
	} },
	{ "contrast", {
		[IK_STYLE_NORMAL] = { 0xFFFFFF, 0x000000, 0 },
		[IK_STYLE_DIM] = { 0xD0D0D0, 0x000000, 0 },
		[IK_STYLE_BOLD] = { 0xFFFFFF, 0x000000, BOLD },
		[IK_STYLE_EMPHASIS] = { 0xFFFFFF, 0x000000, UNDERLINE },
		[IK_STYLE_THINKING] = { 0xD0D0D0, 0x000000, ITALIC },
		[IK_STYLE_USER] = { 0x00FFFF, 0x000000, BOLD },
		[IK_STYLE_ACCENT] = { 0x00FFFF, 0x000000, 0 },
		[IK_STYLE_CODE] = { 0xFFFF87, 0x000000, 0 },
		[IK_STYLE_KEYWORD] = { 0xFFAFFF, 0x000000, 0 },
		[IK_STYLE_OUTPUT] = { 0xFFFFFF, 0x000000, 0 },
		[IK_STYLE_GOOD] = { 0x87FF87, 0x000000, 0 },
		[IK_STYLE_BAD] = { 0xFFAFAF, 0x000000, BOLD },
		[IK_STYLE_WARNING] = { 0xFFFF00, 0x000000, BOLD },
		[IK_STYLE_FRAME] = { 0xBCBCBC, 0x000000, 0 },
		[IK_STYLE_SELECTION] = { 0x000000, 0xFFFF00, BOLD },
		[IK_STYLE_LINK] = { 0x87FFFF, 0x000000, UNDERLINE },
		[IK_STYLE_MATCH] = { 0x000000, 0x00FFFF, BOLD },
	} },
	{ "mono", {
		[IK_STYLE_NORMAL] = { OWN, OWN, 0 },
		[IK_STYLE_DIM] = { OWN, OWN, DIM },
		[IK_STYLE_BOLD] = { OWN, OWN, BOLD },
		[IK_STYLE_EMPHASIS] = { OWN, OWN, UNDERLINE },
		[IK_STYLE_THINKING] = { OWN, OWN, DIM },
		[IK_STYLE_USER] = { OWN, OWN, BOLD },
		[IK_STYLE_ACCENT] = { OWN, OWN, BOLD },
		[IK_STYLE_CODE] = { OWN, OWN, BOLD },
		[IK_STYLE_KEYWORD] = { OWN, OWN, BOLD },
		[IK_STYLE_OUTPUT] = { OWN, OWN, 0 },
		[IK_STYLE_GOOD] = { OWN, OWN, 0 },
		[IK_STYLE_BAD] = { OWN, OWN, BOLD },
		[IK_STYLE_WARNING] = { OWN, OWN, BOLD | UNDERLINE },
		[IK_STYLE_FRAME] = { OWN, OWN, DIM },
		[IK_STYLE_SELECTION] = { OWN, OWN, REVERSE },
		[IK_STYLE_LINK] = { OWN, OWN, UNDERLINE },
		[IK_STYLE_MATCH] = { OWN, OWN, REVERSE | UNDERLINE },
	} },
};
/* clang-format on */

#define BUILT_IN (sizeof(built_in) / sizeof(*built_in))

const struct ik_theme *ik_theme_at(const struct ik_themes *themes, size_t index)
{
	if (index < BUILT_IN)
		return &built_in[index];
	index -= BUILT_IN;
	return themes && index < themes->count ? &themes->items[index] : NULL;
}

const struct ik_theme *ik_theme_find(const struct ik_themes *themes, const char *name)
{
	const struct ik_theme *theme;

	for (size_t i = 0; (theme = ik_theme_at(themes, i)); i++)
		if (ik_text_equal(theme->name, name))
			return theme;
	return NULL;
}

/* ---- themes in files ---- */

static const char *const style_names[IK_STYLE_COUNT] = {
	[IK_STYLE_NORMAL] = "normal",
	[IK_STYLE_DIM] = "dim",
	[IK_STYLE_BOLD] = "bold",
	[IK_STYLE_EMPHASIS] = "emphasis",
	[IK_STYLE_THINKING] = "thinking",
	[IK_STYLE_USER] = "user",
	[IK_STYLE_ACCENT] = "accent",
	[IK_STYLE_CODE] = "code",
	[IK_STYLE_KEYWORD] = "keyword",
	[IK_STYLE_OUTPUT] = "output",
	[IK_STYLE_GOOD] = "good",
	[IK_STYLE_BAD] = "bad",
	[IK_STYLE_WARNING] = "warning",
	[IK_STYLE_FRAME] = "frame",
	[IK_STYLE_SELECTION] = "selection",
	[IK_STYLE_LINK] = "link",
	[IK_STYLE_MATCH] = "match",
};

/* Read "#rrggbb" or "default". */
static bool read_colour(struct ik_json_span value, int32_t *ret_colour)
{
	char *text = ik_json_text_new(value);
	bool own = text && ik_text_equal(text, "default");
	bool good = own ||
		(text && text[0] == '#' && strlen(text) == 7 &&
			strspn(text + 1, "0123456789abcdefABCDEF") == 6);

	if (good)
		*ret_colour = own ? IK_COLOUR_OWN : (int32_t)strtol(text + 1, NULL, 16);
	free(text);
	return good;
}

static bool read_attributes(struct ik_json_span value, struct ik_look *look)
{
	static const char *const names[] = { "bold", "dim", "reverse", "underline", "italic" };
	unsigned attributes = 0;

	if (ik_json_span_type(value) != IK_JSON_ARRAY)
		return false;
	for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);) {
		size_t i = 0;

		while (i < sizeof(names) / sizeof(*names) && !ik_json_string_is(walk.value, names[i]))
			i++;
		if (i == sizeof(names) / sizeof(*names))
			return false;
		attributes |= 1U << i;
	}
	look->attributes = (uint8_t)attributes;
	return true;
}

/* A file whose text is read. */
struct theme_file {
	const char *path, *text;
	struct ik_error *error;
};

static enum ik_status refuse_name(const struct theme_file *file, struct ik_json_span key,
	const char *allowed)
{
	return ik_error_set(file->error, IK_INVALID, _("%s:%d: %.*s is unknown; there are: %s"),
		file->path, ik_json_line(file->text, key.text), (int)key.length, key.text, allowed);
}

static enum ik_status refuse_value(const struct theme_file *file, struct ik_json_span value,
	const char *name, const char *form)
{
	return ik_error_set(file->error, IK_INVALID, _("%s:%d: \"%s\" has to be %s"), file->path,
		ik_json_line(file->text, value.text), name, form);
}

static enum ik_status read_member(const struct theme_file *file, struct ik_json_span key,
	struct ik_json_span value, struct ik_look *look)
{
	const char *colour = _("\"#rrggbb\" or \"default\"");

	if (ik_json_string_is(key, "foreground"))
		return read_colour(value, &look->foreground)
			? IK_OK
			: refuse_value(file, value, "foreground", colour);
	if (ik_json_string_is(key, "background"))
		return read_colour(value, &look->background)
			? IK_OK
			: refuse_value(file, value, "background", colour);
	if (ik_json_string_is(key, "attributes"))
		return read_attributes(value, look)
			? IK_OK
			: refuse_value(file, value, "attributes",
				  _("a list of \"bold\", \"dim\", \"italic\", \"reverse\" and \"underline\""));
	return refuse_name(file, key, "foreground, background, attributes");
}

static enum ik_status read_look(const struct theme_file *file, const char *name,
	struct ik_json_span members, struct ik_look *look)
{
	enum ik_status status = IK_OK;

	if (ik_json_span_type(members) != IK_JSON_OBJECT)
		return refuse_value(file, members, name, _("an object"));
	for (struct ik_json_walk walk = ik_json_walk(members); status == IK_OK && ik_json_next(&walk);)
		status = read_member(file, walk.key, walk.value, look);
	return status;
}

static enum ik_status refuse_style(const struct theme_file *file, struct ik_json_span key)
{
	enum ik_status status;
	struct ik_buf names;

	ik_buf_init(&names, IK_KIB(1));
	ik_buf_puts(&names, "base");
	for (int style = 0; style < IK_STYLE_COUNT; style++)
		ik_buf_printf(&names, ", %s", style_names[style]);
	status = refuse_name(file, key, names.data);
	ik_buf_done(&names);
	return status;
}

/* Read the looks that a file names over those of its base. */
static enum ik_status read_looks(const struct theme_file *file, struct ik_json_span root,
	struct ik_look looks[IK_STYLE_COUNT])
{
	struct ik_json_span base = ik_json_member(root, "base");
	enum ik_status status = IK_OK;
	size_t i = 0;

	while (base.text && i < BUILT_IN && !ik_json_string_is(base, built_in[i].name))
		i++;
	if (i == BUILT_IN)
		return refuse_value(file, base, "base", _("\"dark\", \"light\", \"contrast\" or \"mono\""));
	memcpy(looks, built_in[i].looks, sizeof(built_in[i].looks));
	for (struct ik_json_walk walk = ik_json_walk(root); status == IK_OK && ik_json_next(&walk);) {
		int style = 0;

		while (style < IK_STYLE_COUNT && !ik_json_string_is(walk.key, style_names[style]))
			style++;
		if (style < IK_STYLE_COUNT)
			status = read_look(file, style_names[style], walk.value, &looks[style]);
		else if (!ik_json_string_is(walk.key, "base"))
			status = refuse_style(file, walk.key);
	}
	return status;
}

enum ik_status ik_themes_add(struct ik_themes *themes, const char *name, const char *path,
	char *text, size_t length, struct ik_error *error)
{
	const struct theme_file file = { path, text, error };
	struct ik_json_span root;
	struct ik_error reason;
	struct ik_theme theme;

	ik_json_blank_comments(text, length);
	if (ik_json_check(text, length, &root, &reason) != IK_OK)
		return ik_error_set(error, IK_INVALID, "%s: %s", path, reason.text);
	if (ik_json_span_type(root) != IK_JSON_OBJECT)
		return ik_error_set(error, IK_INVALID, _("%s: must be a JSON object, but is: %s"), path,
			ik_json_type_name(ik_json_span_type(root)));
	if (ik_theme_find(themes, name) || ik_text_equal(name, "auto"))
		return ik_error_set(error, IK_INVALID, _("%s: \"%s\" is a built-in theme: rename the file"),
			path, name);
	if (read_looks(&file, root, theme.looks) != IK_OK)
		return error->status;
	theme.name = ik_strdup(name);
	themes->items = ik_alloc_array(themes->items, themes->count + 1, sizeof(theme));
	themes->items[themes->count++] = theme;
	return IK_OK;
}

void ik_themes_done(struct ik_themes *themes)
{
	for (size_t i = 0; i < themes->count; i++)
		free((char *)themes->items[i].name);
	free(themes->items);
	*themes = (struct ik_themes){ 0 };
}

/* ---- the palette ---- */

#define CUBE_FIRST 16
#define CUBE_SIDE 6
#define GREY_FIRST 232
#define GREYS 24

int32_t ik_colour_of_palette(int index)
{
	static const int levels[CUBE_SIDE] = { 0, 95, 135, 175, 215, 255 };

	if (index >= GREY_FIRST)
		return (8 + 10 * (index - GREY_FIRST)) * 0x010101;
	index -= CUBE_FIRST;
	return levels[index / (CUBE_SIDE * CUBE_SIDE)] << 16 |
		levels[index / CUBE_SIDE % CUBE_SIDE] << 8 | levels[index % CUBE_SIDE];
}

/* Return the squared distance between two colours. */
static int distance(int32_t one, int32_t other)
{
	int sum = 0;

	for (int shift = 0; shift < 24; shift += 8) {
		int step = (one >> shift & 0xFF) - (other >> shift & 0xFF);

		sum += step * step;
	}
	return sum;
}

int ik_colour_nearest(int32_t rgb)
{
	int best = CUBE_FIRST, least = INT_MAX;

	if (rgb < 0)
		return IK_COLOUR_OWN;
	for (int index = CUBE_FIRST; index < GREY_FIRST + GREYS; index++) {
		int far = distance(rgb, ik_colour_of_palette(index));

		if (far < least) {
			least = far;
			best = index;
		}
	}
	return best;
}

#define GREY_SPREAD 40 /* between the components of a colour that counts as grey */
#define BRIGHT 0xC0    /* of a bright colour's largest component */

/* Return black, light grey or white: "bright black" is invisible in several palettes. */
static int grey_of_16(int most)
{
	return most < 0x60 ? 0 : most < 0xD8 ? 7 : 15;
}

int ik_colour_of_16(int32_t rgb, bool in_block)
{
	enum { YELLOW = 3, MAGENTA = 5 };
	int least = 0xFF, most = 0, number = 0;

	if (rgb < 0)
		return IK_COLOUR_OWN;
	for (int shift = 0; shift < 24; shift += 8) {
		int part = rgb >> shift & 0xFF;

		least = part < least ? part : least;
		most = part > most ? part : most;
	}
	if (most - least < GREY_SPREAD)
		return in_block ? grey_of_16(most) : IK_COLOUR_OWN;
	/* The bits are red, green and blue: those of the components that make the hue. */
	for (int bit = 0; bit < 3; bit++)
		if (3 * ((rgb >> (16 - 8 * bit) & 0xFF) - least) > most - least)
			number |= 1 << bit;
	if (most >= BRIGHT)
		return number | 8;
	/* In most palettes, dark yellow is too light to be read on white. */
	return number == YELLOW ? MAGENTA : number;
}
