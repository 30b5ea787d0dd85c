#include "tui/term/key_name.h"

#include <string.h>
#include <strings.h>

#include "util/utf8.h"

static const char *const key_names[] = {
	[IK_KEY_ENTER] = "Enter",
	[IK_KEY_TAB] = "Tab",
	[IK_KEY_BACKSPACE] = "Backspace",
	[IK_KEY_ESCAPE] = "Esc",
	[IK_KEY_UP] = "Up",
	[IK_KEY_DOWN] = "Down",
	[IK_KEY_LEFT] = "Left",
	[IK_KEY_RIGHT] = "Right",
	[IK_KEY_HOME] = "Home",
	[IK_KEY_END] = "End",
	[IK_KEY_PAGE_UP] = "PgUp",
	[IK_KEY_PAGE_DOWN] = "PgDn",
	[IK_KEY_INSERT] = "Insert",
	[IK_KEY_DELETE] = "Delete",
	[IK_KEY_F1] = "F1",
	"F2",
	"F3",
	"F4",
	"F5",
	"F6",
	"F7",
	"F8",
	"F9",
	"F10",
	"F11",
	"F12",
};
#define KEY_NAMES (sizeof(key_names) / sizeof(*key_names))

static const struct {
	const char *prefix;
	unsigned modifier;
} modifier_names[] = {
	{ "Ctrl-", IK_CONTROL },
	{ "Alt-", IK_ALT },
	{ "Shift-", IK_SHIFT },
};
#define MODIFIER_NAMES (sizeof(modifier_names) / sizeof(*modifier_names))

static const char space_name[] = "Space";

/* Remove a modifier from the front of *text and return it, or 0 if there is none. */
static unsigned take_modifier(const char **text, size_t *length)
{
	for (size_t i = 0; i < MODIFIER_NAMES; i++) {
		size_t prefix = strlen(modifier_names[i].prefix);

		if (*length > prefix && strncasecmp(*text, modifier_names[i].prefix, prefix) == 0) {
			*text += prefix;
			*length -= prefix;
			return modifier_names[i].modifier;
		}
	}
	return 0;
}

/* Control characters that are keys of their own. Terminals that can tell Ctrl-I from Tab must
 * not make it a different key. */
static const struct {
	uint32_t codepoint;
	enum ik_key_code code;
} control_keys[] = {
	{ 'i', IK_KEY_TAB },
	{ 'm', IK_KEY_ENTER },
	{ '[', IK_KEY_ESCAPE },
};

struct ik_key ik_key_plain(const struct ik_key *key)
{
	struct ik_key plain = { .code = key->code, .modifiers = key->modifiers };

	if (key->code != IK_KEY_CHARACTER)
		return plain;
	plain.codepoint = key->codepoint;
	if (key->modifiers && plain.codepoint >= 'A' && plain.codepoint <= 'Z')
		plain.codepoint += 'a' - 'A';
	if (!(key->modifiers & IK_CONTROL))
		return plain;
	if (plain.codepoint == '-' && (key->modifiers & IK_SHIFT)) {
		plain.codepoint = '_'; /* for terminals that report the pressed keys */
		plain.modifiers &= ~(unsigned)IK_SHIFT;
	}
	for (size_t i = 0; i < sizeof(control_keys) / sizeof(*control_keys); i++)
		if (plain.codepoint == control_keys[i].codepoint)
			plain = (struct ik_key){ .code = control_keys[i].code,
				.modifiers = plain.modifiers & ~(unsigned)IK_CONTROL };
	return plain;
}

bool ik_key_equal(const struct ik_key *a, const struct ik_key *b)
{
	return a->code == b->code && a->modifiers == b->modifiers && a->codepoint == b->codepoint;
}

bool ik_key_is_text(const struct ik_key *key)
{
	return key->code == IK_KEY_CHARACTER && !key->modifiers;
}

bool ik_key_parse(const char *text, size_t length, struct ik_key *ret_key)
{
	struct ik_key key = { .code = IK_KEY_NONE };
	unsigned modifier;

	while ((modifier = take_modifier(&text, &length)))
		key.modifiers |= modifier;
	for (size_t i = 0; i < KEY_NAMES; i++)
		if (key_names[i] && strlen(key_names[i]) == length &&
			strncasecmp(text, key_names[i], length) == 0)
			key.code = (enum ik_key_code)i;
	if (key.code == IK_KEY_NONE) {
		key.code = IK_KEY_CHARACTER;
		if (length == strlen(space_name) && strncasecmp(text, space_name, length) == 0)
			key.codepoint = ' ';
		else if (length == 0 || ik_utf8_decode(text, length, &key.codepoint) != (int)length)
			return false;
	}
	*ret_key = ik_key_plain(&key);
	return true;
}

void ik_key_put(struct ik_buf *out, const struct ik_key *key)
{
	char bytes[4];

	for (size_t i = 0; i < MODIFIER_NAMES; i++)
		if (key->modifiers & modifier_names[i].modifier)
			ik_buf_puts(out, modifier_names[i].prefix);
	if (key->code < KEY_NAMES && key_names[key->code])
		ik_buf_puts(out, key_names[key->code]);
	if (key->code != IK_KEY_CHARACTER)
		return;
	uint32_t shown = key->codepoint;

	if (key->modifiers && shown >= 'a' && shown <= 'z')
		shown -= 'a' - 'A';
	if (shown == ' ')
		ik_buf_puts(out, space_name);
	else
		ik_buf_append(out, bytes, (size_t)ik_utf8_encode(shown, bytes));
}

bool ik_key_put_text(struct ik_buf *out, const struct ik_key *key)
{
	char bytes[4];
	bool typed = key->code == IK_KEY_CHARACTER && !(key->modifiers & (IK_ALT | IK_CONTROL));
	bool pasted = key->code == IK_KEY_PASTE && !key->text_cut;

	if (typed)
		ik_buf_append(out, bytes, (size_t)ik_utf8_encode(key->codepoint, bytes));
	else if (pasted)
		ik_buf_append(out, key->text, key->text_length);
	return typed || pasted;
}
