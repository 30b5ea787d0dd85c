#include "tui/term/input_sequences.h"

#include <string.h>

#include "util/utf8.h"

#define PARAMETERS 4
#define SUBPARAMETERS 3

/* Numbers between semicolons, each with its parts between colons; -1 where one is omitted. */
struct parameters {
	int count;
	int value[PARAMETERS][SUBPARAMETERS];
};

struct key_name {
	int number;
	enum ik_key_code code;
	unsigned modifiers;
};

/* By the final byte of "CSI ... X" and "SS3 X" */
static const struct key_name by_letter[] = { { 'A', IK_KEY_UP, 0 }, { 'B', IK_KEY_DOWN, 0 },
	{ 'C', IK_KEY_RIGHT, 0 }, { 'D', IK_KEY_LEFT, 0 }, { 'H', IK_KEY_HOME, 0 },
	{ 'F', IK_KEY_END, 0 }, { 'P', IK_KEY_F1, 0 }, { 'Q', IK_KEY_F2, 0 }, { 'R', IK_KEY_F3, 0 },
	{ 'S', IK_KEY_F4, 0 }, { 0, IK_KEY_NONE, 0 } };

/* rxvt writes arrows in lower case: CSI with Shift, SS3 with Control. */
static const struct key_name by_small_letter[] = { { 'a', IK_KEY_UP, 0 }, { 'b', IK_KEY_DOWN, 0 },
	{ 'c', IK_KEY_RIGHT, 0 }, { 'd', IK_KEY_LEFT, 0 }, { 0, IK_KEY_NONE, 0 } };

/* CSI number ~ ; from 25 on: F13 and up, which are Shift-F1 and up */
static const struct key_name by_number[] = { { 1, IK_KEY_HOME, 0 }, { 2, IK_KEY_INSERT, 0 },
	{ 3, IK_KEY_DELETE, 0 }, { 4, IK_KEY_END, 0 }, { 5, IK_KEY_PAGE_UP, 0 },
	{ 6, IK_KEY_PAGE_DOWN, 0 }, { 7, IK_KEY_HOME, 0 }, { 8, IK_KEY_END, 0 }, { 11, IK_KEY_F1, 0 },
	{ 12, IK_KEY_F2, 0 }, { 13, IK_KEY_F3, 0 }, { 14, IK_KEY_F4, 0 }, { 15, IK_KEY_F5, 0 },
	{ 17, IK_KEY_F6, 0 }, { 18, IK_KEY_F7, 0 }, { 19, IK_KEY_F8, 0 }, { 20, IK_KEY_F9, 0 },
	{ 21, IK_KEY_F10, 0 }, { 23, IK_KEY_F11, 0 }, { 24, IK_KEY_F12, 0 },
	{ 25, IK_KEY_F1, IK_SHIFT }, { 26, IK_KEY_F2, IK_SHIFT }, { 28, IK_KEY_F3, IK_SHIFT },
	{ 29, IK_KEY_F4, IK_SHIFT }, { 31, IK_KEY_F5, IK_SHIFT }, { 32, IK_KEY_F6, IK_SHIFT },
	{ 33, IK_KEY_F7, IK_SHIFT }, { 34, IK_KEY_F8, IK_SHIFT }, { 0, IK_KEY_NONE, 0 } };

/* CSI [ X of the linux console */
static const struct key_name by_console_letter[] = { { 'A', IK_KEY_F1, 0 }, { 'B', IK_KEY_F2, 0 },
	{ 'C', IK_KEY_F3, 0 }, { 'D', IK_KEY_F4, 0 }, { 'E', IK_KEY_F5, 0 }, { 0, IK_KEY_NONE, 0 } };

/* kitty's numbers for keypad keys that are not characters */
static const struct key_name by_kitty_number[] = { { 57414, IK_KEY_ENTER, 0 },
	{ 57417, IK_KEY_LEFT, 0 }, { 57418, IK_KEY_RIGHT, 0 }, { 57419, IK_KEY_UP, 0 },
	{ 57420, IK_KEY_DOWN, 0 }, { 57421, IK_KEY_PAGE_UP, 0 }, { 57422, IK_KEY_PAGE_DOWN, 0 },
	{ 57423, IK_KEY_HOME, 0 }, { 57424, IK_KEY_END, 0 }, { 57425, IK_KEY_INSERT, 0 },
	{ 57426, IK_KEY_DELETE, 0 }, { 0, IK_KEY_NONE, 0 } };

#define KITTY_FIRST 57344 /* its private numbers, which are not characters */
#define KITTY_LAST 63743
#define KITTY_KEYPAD 57399
static const char kitty_keypad[] = "0123456789./*-+";

#define MODIFIER_KEYS 7u    /* Shift, Alt, Control; the same bits as ours */
#define OTHER_MODIFIERS 56u /* Super, Hyper, Meta; not the locks */
#define EVENT_RELEASE 3

/* Set *ret_key from the row with that number. */
static bool look_up(const struct key_name *table, int number, struct ik_key *ret_key)
{
	for (; table->number; table++)
		if (table->number == number) {
			*ret_key = (struct ik_key){ .code = table->code, .modifiers = table->modifiers };
			return true;
		}
	return false;
}

/* Read "1;5:2;..."; false for anything else, or too many numbers. */
static bool read_parameters(const char *text, size_t length, struct parameters *ret)
{
	struct parameters read = { .count = length > 0 };
	int sub = 0;

	memset(read.value, 0xFF, sizeof(read.value));
	for (size_t i = 0; i < length; i++) {
		if (text[i] == ';') {
			if (read.count == PARAMETERS)
				return false;
			read.count++;
			sub = 0;
		} else if (text[i] == ':') {
			if (++sub == SUBPARAMETERS)
				return false;
		} else if (text[i] >= '0' && text[i] <= '9') {
			int *value = &read.value[read.count - 1][sub];

			if (*value > 0x110000)
				return false;
			*value = (*value < 0 ? 0 : *value * 10) + (text[i] - '0');
		} else {
			return false;
		}
	}
	*ret = read;
	return true;
}

/* Read the bits of a modifiers parameter, which counts from 1; false for a release. */
static bool read_modifiers(const int value[SUBPARAMETERS], unsigned *ret_bits)
{
	*ret_bits = value[0] > 1 ? (unsigned)value[0] - 1 : 0;
	return value[1] != EVENT_RELEASE;
}

bool ik_input_character(uint32_t codepoint, unsigned modifiers, struct ik_key *ret_key)
{
	enum ik_key_code code = IK_KEY_CHARACTER;

	if (codepoint == '\r')
		code = IK_KEY_ENTER;
	else if (codepoint == '\t')
		code = IK_KEY_TAB;
	else if (codepoint == '\b' || codepoint == 0x7F)
		code = IK_KEY_BACKSPACE;
	else if (codepoint == 0x1B)
		code = IK_KEY_ESCAPE;
	if (code != IK_KEY_CHARACTER) {
		*ret_key = (struct ik_key){ .code = code, .modifiers = modifiers };
		return true;
	}
	char encoded[4];

	if ((codepoint >= 0x80 && codepoint < 0xA0) || !ik_utf8_encode(codepoint, encoded))
		return false;
	if (codepoint < 0x20) {
		modifiers |= IK_CONTROL;
		codepoint = codepoint == 0 ? ' ' : codepoint + (codepoint <= 26 ? 0x60 : 0x40);
	}
	if (modifiers & IK_CONTROL) {
		if (codepoint >= 'A' && codepoint <= 'Z')
			codepoint += 'a' - 'A';
	} else if (modifiers & IK_SHIFT) {
		/* The character itself says that it is shifted. */
		if (codepoint >= 'a' && codepoint <= 'z')
			codepoint -= 'a' - 'A';
		modifiers &= ~(unsigned)IK_SHIFT;
	}
	*ret_key = (struct ik_key){ .code = code, .modifiers = modifiers, .codepoint = codepoint };
	return true;
}

/* Read CSI code:shifted ; modifiers:event u. */
static bool kitty_key(const struct parameters *parameters, struct ik_key *ret_key)
{
	int code = parameters->value[0][0], shifted = parameters->value[0][1];
	unsigned bits;

	if (code < 0 || !read_modifiers(parameters->value[1], &bits))
		return false;
	unsigned modifiers = bits & MODIFIER_KEYS;

	if (look_up(by_kitty_number, code, ret_key)) {
		ret_key->modifiers = modifiers;
		return true;
	}
	if (code >= KITTY_KEYPAD && code < KITTY_KEYPAD + (int)strlen(kitty_keypad))
		code = kitty_keypad[code - KITTY_KEYPAD];
	if ((code >= KITTY_FIRST && code <= KITTY_LAST) || bits & OTHER_MODIFIERS)
		return false;
	if (modifiers & IK_SHIFT && !(modifiers & IK_CONTROL) && shifted > 0)
		code = shifted;
	return ik_input_character((uint32_t)code, modifiers, ret_key);
}

/* Read CSI 27 ; modifiers ; code ~ of xterm's modifyOtherKeys. */
static bool other_key(const struct parameters *parameters, struct ik_key *ret_key)
{
	unsigned bits;

	if (parameters->count != 3 || parameters->value[2][0] < 0 ||
		!read_modifiers(parameters->value[1], &bits))
		return false;
	return ik_input_character((uint32_t)parameters->value[2][0], bits & MODIFIER_KEYS, ret_key);
}

/* Read CSI < button ; column ; row M, or m for a release. */
static bool mouse_report(const struct parameters *parameters, bool released, struct ik_key *ret_key)
{
	static const enum ik_mouse_button buttons[] = { IK_MOUSE_LEFT, IK_MOUSE_MIDDLE, IK_MOUSE_RIGHT,
		IK_MOUSE_RELEASE };
	int bits = parameters->value[0][0];
	int column = parameters->value[1][0], row = parameters->value[2][0];

	if (parameters->count != 3 || bits < 0 || column < 1 || row < 1 || bits & ~0x7F)
		return false;
	enum ik_mouse_button button = buttons[bits & 3];

	if (bits & 64) {
		if ((bits & 3) > 1)
			return false; /* horizontal wheels */
		button = bits & 1 ? IK_MOUSE_WHEEL_DOWN : IK_MOUSE_WHEEL_UP;
	} else if (released) {
		button = IK_MOUSE_RELEASE;
	} else if (bits & 32) {
		button = IK_MOUSE_MOVE;
	}
	*ret_key = (struct ik_key){
		.code = IK_KEY_MOUSE, .row = row - 1, .column = column - 1, .button = button
	};
	if (bits & 4)
		ret_key->modifiers |= IK_SHIFT;
	if (bits & 8)
		ret_key->modifiers |= IK_ALT;
	if (bits & 16)
		ret_key->modifiers |= IK_CONTROL;
	return true;
}

/* Read CSI number ; modifiers ~, or rxvt's ^ $ @ in place of ~. */
static bool numbered_key(const struct parameters *parameters, char final, struct ik_key *ret_key)
{
	unsigned bits;

	if (!look_up(by_number, parameters->value[0][0], ret_key) ||
		!read_modifiers(parameters->value[1], &bits))
		return false;
	ret_key->modifiers |= bits & MODIFIER_KEYS;
	if (final == '^' || final == '@')
		ret_key->modifiers |= IK_CONTROL;
	if (final == '$' || final == '@')
		ret_key->modifiers |= IK_SHIFT;
	return true;
}

/* Read CSI X and CSI 1 ; modifiers X. */
static bool lettered_key(const struct parameters *parameters, char final, struct ik_key *ret_key)
{
	unsigned bits;

	/* A report of the cursor's place, row ; column R, is not a key. */
	if (parameters->count > 0 && parameters->value[0][0] > 1)
		return false;
	if (final == 'R' && parameters->value[1][0] > 256)
		return false;
	if (!look_up(by_letter, final, ret_key) || !read_modifiers(parameters->value[1], &bits))
		return false;
	ret_key->modifiers |= bits & MODIFIER_KEYS;
	return true;
}

bool ik_input_csi(const char *body, size_t length, struct ik_key *ret_key)
{
	struct parameters parameters;
	char final = body[length - 1];

	if (length == 2 && body[0] == '[')
		return look_up(by_console_letter, final, ret_key);
	if (body[0] == '<')
		return (final == 'M' || final == 'm') &&
			read_parameters(body + 1, length - 2, &parameters) &&
			mouse_report(&parameters, final == 'm', ret_key);
	if (!read_parameters(body, length - 1, &parameters))
		return false;
	switch (final) {
	case '~':
		if (parameters.value[0][0] == 27)
			return other_key(&parameters, ret_key);
		return numbered_key(&parameters, final, ret_key);
	case '^':
	case '$':
	case '@':
		return numbered_key(&parameters, final, ret_key);
	case 'u':
		return kitty_key(&parameters, ret_key);
	case 'Z':
		*ret_key = (struct ik_key){ .code = IK_KEY_TAB, .modifiers = IK_SHIFT };
		return true;
	case 'I':
	case 'O':
		*ret_key = (struct ik_key){ .code = final == 'I' ? IK_KEY_FOCUS_IN : IK_KEY_FOCUS_OUT };
		return length == 1;
	default:
		if (length == 1 && look_up(by_small_letter, final, ret_key)) {
			ret_key->modifiers = IK_SHIFT;
			return true;
		}
		return lettered_key(&parameters, final, ret_key);
	}
}

bool ik_input_ss3(const char *body, size_t length, struct ik_key *ret_key)
{
	/* the keypad in application mode, from "j" on */
	static const char keypad[] = "*+,-./0123456789";
	struct parameters parameters;
	char final = body[length - 1];

	if (length > 1) {
		/* "SS3 modifiers X" and "SS3 1 ; modifiers X" of older terminals */
		if (!read_parameters(body, length - 1, &parameters))
			return false;
		if (parameters.count == 1) {
			memcpy(parameters.value[1], parameters.value[0], sizeof(parameters.value[1]));
			parameters.value[0][0] = 1;
		}
		return lettered_key(&parameters, final, ret_key);
	}
	if (look_up(by_letter, final, ret_key))
		return true;
	if (look_up(by_small_letter, final, ret_key)) {
		ret_key->modifiers = IK_CONTROL;
		return true;
	}
	if (final == 'M') {
		*ret_key = (struct ik_key){ .code = IK_KEY_ENTER };
		return true;
	}
	if (final == 'X')
		return ik_input_character('=', 0, ret_key);
	if (final >= 'j' && final < 'j' + (int)strlen(keypad))
		return ik_input_character((unsigned char)keypad[final - 'j'], 0, ret_key);
	return false;
}
