#include "tui/term/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/utf8.h"

#define ESC 0x1B
#define BEL 0x07
#define CANCEL 0x18
#define SUBSTITUTE 0x1A

/* Limit of a sequence that can have a meaning; longer ones are dropped whole. */
#define SEQUENCE_BYTES 64
#define OLD_MOUSE_BYTES 5 /* "[M" and three more */
/* limit of the line ends held at the end of a run; more are a paste */
#define LINE_ENDS 4

static const char paste_begin[] = "200~";
static const char paste_end[] = "\033[201~";
#define PASTE_END_LENGTH (sizeof(paste_end) - 1)

/* ---- the meaning of sequences ---- */

#define PARAMETERS 4
#define SUBPARAMETERS 3

/* Numbers between semicolons, each with subparameters between colons; -1 if omitted. */
struct parameters {
	int count;
	int value[PARAMETERS][SUBPARAMETERS];
};

/* The keys of sequences, by final byte and first number; a number of 1 may be omitted. */
static const struct {
	char final;
	int number;
	enum ik_key_code code;
	unsigned modifiers;
} key_rows[] = {
	/* CSI X, SS3 X */
	{ 'A', 1, IK_KEY_UP, 0 }, { 'B', 1, IK_KEY_DOWN, 0 }, { 'C', 1, IK_KEY_RIGHT, 0 },
	{ 'D', 1, IK_KEY_LEFT, 0 }, { 'H', 1, IK_KEY_HOME, 0 }, { 'F', 1, IK_KEY_END, 0 },
	{ 'P', 1, IK_KEY_F1, 0 }, { 'Q', 1, IK_KEY_F2, 0 }, { 'R', 1, IK_KEY_F3, 0 },
	{ 'S', 1, IK_KEY_F4, 0 }, { 'Z', 1, IK_KEY_TAB, IK_SHIFT },
	/* CSI x of rxvt */
	{ 'a', 1, IK_KEY_UP, IK_SHIFT }, { 'b', 1, IK_KEY_DOWN, IK_SHIFT },
	{ 'c', 1, IK_KEY_RIGHT, IK_SHIFT }, { 'd', 1, IK_KEY_LEFT, IK_SHIFT },
	/* CSI number ~; numbers from 25 on are F13 and up, treated as Shift-F1 and up */
	{ '~', 1, IK_KEY_HOME, 0 }, { '~', 2, IK_KEY_INSERT, 0 }, { '~', 3, IK_KEY_DELETE, 0 },
	{ '~', 4, IK_KEY_END, 0 }, { '~', 5, IK_KEY_PAGE_UP, 0 }, { '~', 6, IK_KEY_PAGE_DOWN, 0 },
	{ '~', 7, IK_KEY_HOME, 0 }, { '~', 8, IK_KEY_END, 0 }, { '~', 11, IK_KEY_F1, 0 },
	{ '~', 12, IK_KEY_F2, 0 }, { '~', 13, IK_KEY_F3, 0 }, { '~', 14, IK_KEY_F4, 0 },
	{ '~', 15, IK_KEY_F5, 0 }, { '~', 17, IK_KEY_F6, 0 }, { '~', 18, IK_KEY_F7, 0 },
	{ '~', 19, IK_KEY_F8, 0 }, { '~', 20, IK_KEY_F9, 0 }, { '~', 21, IK_KEY_F10, 0 },
	{ '~', 23, IK_KEY_F11, 0 }, { '~', 24, IK_KEY_F12, 0 }, { '~', 25, IK_KEY_F1, IK_SHIFT },
	{ '~', 26, IK_KEY_F2, IK_SHIFT }, { '~', 28, IK_KEY_F3, IK_SHIFT },
	{ '~', 29, IK_KEY_F4, IK_SHIFT }, { '~', 31, IK_KEY_F5, IK_SHIFT },
	{ '~', 32, IK_KEY_F6, IK_SHIFT }, { '~', 33, IK_KEY_F7, IK_SHIFT },
	{ '~', 34, IK_KEY_F8, IK_SHIFT },
	/* CSI [ X of the linux console */
	{ '[', 'A', IK_KEY_F1, 0 }, { '[', 'B', IK_KEY_F2, 0 }, { '[', 'C', IK_KEY_F3, 0 },
	{ '[', 'D', IK_KEY_F4, 0 }, { '[', 'E', IK_KEY_F5, 0 },
	/* kitty's numbers for keypad keys that are not characters */
	{ 'u', 57414, IK_KEY_ENTER, 0 }, { 'u', 57417, IK_KEY_LEFT, 0 },
	{ 'u', 57418, IK_KEY_RIGHT, 0 }, { 'u', 57419, IK_KEY_UP, 0 }, { 'u', 57420, IK_KEY_DOWN, 0 },
	{ 'u', 57421, IK_KEY_PAGE_UP, 0 }, { 'u', 57422, IK_KEY_PAGE_DOWN, 0 },
	{ 'u', 57423, IK_KEY_HOME, 0 }, { 'u', 57424, IK_KEY_END, 0 }, { 'u', 57425, IK_KEY_INSERT, 0 },
	{ 'u', 57426, IK_KEY_DELETE, 0 }
};

#define KITTY_FIRST 57344 /* its private numbers, which are not characters */
#define KITTY_LAST 63743
#define KITTY_KEYPAD 57399
static const char kitty_keypad[] = "0123456789./*-+";

#define MODIFIER_KEYS 7u    /* Shift, Alt, Control; the same bits as ours */
#define OTHER_MODIFIERS 56u /* Super, Hyper, Meta; not Caps Lock and Num Lock */
#define EVENT_RELEASE 3

static bool look_up(char final, int number, unsigned modifiers, struct ik_key *ret_key)
{
	for (size_t i = 0; i < sizeof(key_rows) / sizeof(*key_rows); i++)
		if (key_rows[i].final == final && key_rows[i].number == number) {
			*ret_key = (struct ik_key){ .code = key_rows[i].code,
				.modifiers = key_rows[i].modifiers | modifiers };
			return true;
		}
	return false;
}

/* Parse "1;5:2;..."; return false for anything else or for too many numbers. */
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

/* Make the key for a character, which may be a control character; return false if it is not a
 * valid one. */
static bool make_character(uint32_t codepoint, unsigned modifiers, struct ik_key *ret_key)
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
		/* The character itself implies Shift. */
		if (codepoint >= 'a' && codepoint <= 'z')
			codepoint -= 'a' - 'A';
		modifiers &= ~(unsigned)IK_SHIFT;
	}
	*ret_key = (struct ik_key){ .code = code, .modifiers = modifiers, .codepoint = codepoint };
	return true;
}

/* Parse CSI code:shifted ; modifiers:event u. */
static bool kitty_key(const struct parameters *parameters, unsigned bits, struct ik_key *ret_key)
{
	int code = parameters->value[0][0], shifted = parameters->value[0][1];
	unsigned modifiers = bits & MODIFIER_KEYS;

	if (look_up('u', code, modifiers, ret_key))
		return true;
	if (code >= KITTY_KEYPAD && code < KITTY_KEYPAD + (int)strlen(kitty_keypad))
		code = kitty_keypad[code - KITTY_KEYPAD];
	if (code < 0 || (code >= KITTY_FIRST && code <= KITTY_LAST) || bits & OTHER_MODIFIERS)
		return false;
	if (modifiers & IK_SHIFT && !(modifiers & IK_CONTROL) && shifted > 0)
		code = shifted;
	return make_character((uint32_t)code, modifiers, ret_key);
}

/* Parse CSI < button ; column ; row M, or m for a release. */
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

/* Parse "CSI body", whose last byte is the final one; return false if it is not a key. */
static bool read_csi(const char *body, size_t length, struct ik_key *ret_key)
{
	struct parameters parameters;
	const int *number = parameters.value[0], *modifier = parameters.value[1];
	char final = body[length - 1];

	if (length == 2 && body[0] == '[')
		return look_up('[', final, 0, ret_key);
	if (body[0] == '<')
		return (final == 'M' || final == 'm') &&
			read_parameters(body + 1, length - 2, &parameters) &&
			mouse_report(&parameters, final == 'm', ret_key);
	if (!read_parameters(body, length - 1, &parameters) || modifier[1] == EVENT_RELEASE)
		return false;
	unsigned bits = modifier[0] > 1 ? (unsigned)modifier[0] - 1 : 0; /* sent plus 1 */
	unsigned modifiers = bits & MODIFIER_KEYS;

	switch (final) {
	case '~':
		if (number[0] == 27 && parameters.count == 3) /* xterm's modifyOtherKeys */
			return parameters.value[2][0] >= 0 &&
				make_character((uint32_t)parameters.value[2][0], modifiers, ret_key);
		return look_up('~', number[0], modifiers, ret_key);
	case '^': /* rxvt's */
		return look_up('~', number[0], modifiers | IK_CONTROL, ret_key);
	case '$':
		return look_up('~', number[0], modifiers | IK_SHIFT, ret_key);
	case '@':
		return look_up('~', number[0], modifiers | IK_CONTROL | IK_SHIFT, ret_key);
	case 'u':
		return kitty_key(&parameters, bits, ret_key);
	case 'I':
	case 'O':
		*ret_key = (struct ik_key){ .code = final == 'I' ? IK_KEY_FOCUS_IN : IK_KEY_FOCUS_OUT };
		return length == 1;
	default:
		/* A cursor position report, CSI row ; column R, is not a key. */
		return number[0] <= 1 && modifier[0] <= 256 && look_up(final, 1, modifiers, ret_key);
	}
}

/* Parse "SS3 body"; return false if it is not a key. */
static bool read_ss3(const char *body, size_t length, struct ik_key *ret_key)
{
	/* the keypad in application mode, starting at "j" */
	static const char keypad[] = "*+,-./0123456789";
	char final = body[length - 1], csi[SEQUENCE_BYTES + 3];
	bool letter = final >= 'A' && final <= 'S';

	if (length > 1 && letter) {
		/* "SS3 modifiers X" and "SS3 1 ; modifiers X" of older terminals */
		bool alone = !memchr(body, ';', length);

		(void)snprintf(csi, sizeof(csi), "%s%.*s", alone ? "1;" : "", (int)length, body);
		return read_csi(csi, strlen(csi), ret_key);
	}
	if (final >= 'a' && final <= 'd') /* rxvt's */
		return look_up((char)(final - 'a' + 'A'), 1, IK_CONTROL, ret_key);
	if (final == 'M')
		return make_character('\r', 0, ret_key);
	if (final == 'X')
		return make_character('=', 0, ret_key);
	if (final >= 'j' && final < 'j' + (int)strlen(keypad))
		return make_character((unsigned char)keypad[final - 'j'], 0, ret_key);
	return length == 1 && letter && look_up(final, 1, 0, ret_key);
}

/* ---- bytes ---- */

enum input_state {
	GROUND,
	SEQUENCE, /* after ESC */
	PASTE,
	BURST /* a paste without brackets */
};

struct ik_terminal_input {
	ik_key_sink *sink; /* receives the keys of this call */
	void *sink_arg;
	enum input_state state;
	/* The bytes after ESC. Empty if there are none yet; '[' begins CSI and 'O' SS3; anything
	 * else begins a string, which ends with BEL or ESC \\. */
	char sequence[SEQUENCE_BYTES + 1];
	size_t sequence_length; /* number of bytes, even beyond the array's size */
	bool string_escape;     /* the last byte of the string was ESC */
	bool answers;           /* answers to queries are expected */
	bool doubled;           /* ESC ESC */
	unsigned alt;           /* IK_ALT or 0, for the character in utf8 */
	char utf8[4];
	int utf8_length;
	size_t run;           /* bytes of plain text without a pause */
	char held[LINE_ENDS]; /* line ends after a run: Enter, or part of a paste */
	size_t held_length;
	struct ik_buf paste;
	bool paste_cut;
	size_t paste_end_matched;
	bool paste_ended; /* the last input was its end mark */
};

static void emit(const struct ik_terminal_input *input, const struct ik_key *key)
{
	input->sink(input->sink_arg, key);
}

static void emit_escape(const struct ik_terminal_input *input)
{
	emit(input, &(struct ik_key){ .code = IK_KEY_ESCAPE });
}

static void emit_character(const struct ik_terminal_input *input, uint32_t codepoint,
	unsigned modifiers)
{
	struct ik_key key;

	if (make_character(codepoint, modifiers, &key))
		emit(input, &key);
}

/* Begin a sequence after ESC. */
static void begin(struct ik_terminal_input *input)
{
	input->state = SEQUENCE;
	input->sequence_length = 0;
	input->string_escape = false;
}

/* Append a byte to the sequence. */
static void collect(struct ik_terminal_input *input, char byte)
{
	if (input->sequence_length < SEQUENCE_BYTES)
		input->sequence[input->sequence_length] = byte;
	if (input->sequence_length <= SEQUENCE_BYTES)
		input->sequence_length++;
}

/* Return to GROUND. */
static void rest(struct ik_terminal_input *input)
{
	input->state = GROUND;
	input->doubled = false;
}

/* Append bytes to the paste, up to its limit. */
static void paste_append(struct ik_terminal_input *input, const char *bytes, size_t length)
{
	size_t room = input->paste.ceiling - input->paste.length;

	if (length > room) {
		input->paste_cut = true;
		length = room;
	}
	ik_buf_append(&input->paste, bytes, length);
	if (ik_buf_status(&input->paste) != IK_OK)
		input->paste_cut = true;
}

/* Emit the paste and release its memory. */
static void paste_finish(struct ik_terminal_input *input)
{
	struct ik_key key = { .code = IK_KEY_PASTE,
		.text = input->paste.data,
		.text_length = input->paste.length,
		.text_cut = input->paste_cut };

	rest(input);
	input->run = 0;
	emit(input, &key);
	ik_buf_done(&input->paste);
	input->paste_cut = false;
	input->paste_end_matched = 0;
	input->paste_ended = false;
}

/* Emit an answer of the terminal, unless it is too long to be a known one. */
static void emit_report(struct ik_terminal_input *input)
{
	size_t length = input->sequence_length;

	if (length > SEQUENCE_BYTES)
		return;
	input->sequence[length] = '\0';
	emit(input,
		&(struct ik_key){ .code = IK_KEY_REPORT, .text = input->sequence, .text_length = length });
}

/* Read a byte of a character, or a control character. */
static void ground_byte(struct ik_terminal_input *input, char byte, unsigned alt)
{
	uint32_t codepoint;

	if (input->utf8_length == 0)
		input->alt = alt;
	input->utf8[input->utf8_length++] = byte;
	int count = ik_utf8_decode(input->utf8, (size_t)input->utf8_length, &codepoint);

	if (count < 0)
		return;
	bool alone = input->utf8_length == 1;
	input->utf8_length = 0;
	if (count > 0)
		emit_character(input, codepoint, input->alt);
	else if (!alone)
		/* Drop the broken character; this byte may start the next. */
		ground_byte(input, byte, 0);
}

/* Read the byte after ESC. */
static void escape_byte(struct ik_terminal_input *input, char byte)
{
	bool keys = byte == '[' || byte == 'O';

	if (input->doubled && !keys)
		emit_escape(input);
	input->doubled = byte == ESC || (input->doubled && keys);
	if (byte == ESC)
		return;
	if (keys || (byte && strchr("]P_^X", byte))) {
		collect(input, byte);
		return;
	}
	rest(input);
	ground_byte(input, byte, IK_ALT);
}

/* Is a CSI sequence complete with its last byte? */
static bool is_whole_csi(const struct ik_terminal_input *input, char last)
{
	const char *body = input->sequence + 1;
	size_t length = input->sequence_length - 1;

	if (body[0] == 'M')
		return input->sequence_length == OLD_MOUSE_BYTES;
	if (body[0] == '[' && length <= 2)
		return length == 2 && last != '['; /* the linux console's CSI [ A */
	if (last >= 0x40 && last <= 0x7E)
		return true;
	/* rxvt's CSI 7 $; in other sequences '$' comes before the last byte. */
	return last == '$' && length > 1 && strspn(body, "0123456789") == length - 1;
}

/* Handle a complete sequence. An ESC before a key's sequence means Alt; before any other it was
 * the Escape key. */
static void finish(struct ik_terminal_input *input)
{
	const char *body = input->sequence + 1;
	size_t length = input->sequence_length - 1;
	bool doubled = input->doubled, csi = input->sequence[0] == '[';
	struct ik_key key = { .code = IK_KEY_NONE };

	rest(input);
	if (length < SEQUENCE_BYTES && !(csi ? read_csi : read_ss3)(body, length, &key))
		key.code = IK_KEY_NONE;
	bool typed = key.code > IK_KEY_NONE && key.code < IK_KEY_PASTE;

	if (doubled && typed)
		key.modifiers |= IK_ALT;
	else if (doubled)
		emit_escape(input);
	if (key.code != IK_KEY_NONE)
		emit(input, &key);
	else if (csi && length > 1 && body[0] == '?')
		emit_report(input);
	else if (csi && length == strlen(paste_begin) && memcmp(body, paste_begin, length) == 0)
		input->state = PASTE;
}

/* End an incomplete sequence: emit it if it is an Alt key, else drop it. */
static void abandon(struct ik_terminal_input *input)
{
	bool doubled = input->doubled;

	rest(input);
	if (input->sequence_length > 1 || input->string_escape)
		return;
	if (doubled)
		emit_escape(input);
	emit_character(input, (unsigned char)input->sequence[0], IK_ALT);
}

static void one_byte(struct ik_terminal_input *input, char byte);

/* Read a byte of a CSI or SS3 sequence. */
static void key_byte(struct ik_terminal_input *input, char byte)
{
	unsigned char value = (unsigned char)byte;
	bool csi = input->sequence[0] == '[';
	bool mouse = csi && input->sequence_length > 1 && input->sequence[1] == 'M';

	if (!mouse && (value < 0x20 || value >= 0x7F)) {
		abandon(input);
		if (value != CANCEL && value != SUBSTITUTE)
			one_byte(input, byte);
		return;
	}
	collect(input, byte);
	if (csi ? is_whole_csi(input, byte) : byte != ';' && (byte < '0' || byte > '9'))
		finish(input);
}

static void string_byte(struct ik_terminal_input *input, char byte)
{
	bool ends = byte == BEL || (input->string_escape && byte == '\\');

	if (ends)
		emit_report(input);
	if (ends || byte == CANCEL || byte == SUBSTITUTE) {
		rest(input);
	} else if (input->string_escape) {
		rest(input);
		begin(input);
		escape_byte(input, byte);
	} else if (byte == ESC) {
		input->string_escape = true;
	} else {
		collect(input, byte);
	}
}

/* Read a byte outside a paste. */
static void one_byte(struct ik_terminal_input *input, char byte)
{
	if (input->state == SEQUENCE && input->sequence_length == 0) {
		escape_byte(input, byte);
	} else if (input->state == SEQUENCE) {
		bool keys = input->sequence[0] == '[' || input->sequence[0] == 'O';

		(keys ? key_byte : string_byte)(input, byte);
	} else if (byte == ESC) {
		input->utf8_length = 0;
		begin(input);
	} else {
		ground_byte(input, byte, 0);
	}
}

/*
 * Read bytes of a bracketed paste. Some terminals don't filter end marks out of the pasted text,
 * and what follows such a mark must not be typed, so the paste ends only when nothing follows its
 * end mark.
 */
static void paste_bytes(struct ik_terminal_input *input, const char *bytes, size_t length)
{
	size_t at = 0;

	while (at < length) {
		input->paste_ended = false;
		if (input->paste_end_matched == 0) {
			const char *escape = memchr(bytes + at, ESC, length - at);
			size_t plain = escape ? (size_t)(escape - bytes) - at : length - at;

			paste_append(input, bytes + at, plain);
			at += plain;
			if (at == length)
				break;
		}
		if (bytes[at] == paste_end[input->paste_end_matched]) {
			at++;
			if (++input->paste_end_matched == PASTE_END_LENGTH) {
				input->paste_end_matched = 0;
				input->paste_ended = true;
			}
		} else {
			/* Only the first byte of the mark is ESC, so no other match can have started. */
			paste_append(input, paste_end, input->paste_end_matched);
			input->paste_end_matched = 0;
		}
	}
}

/* Return the length of the printable text, tabs and line ends at the front. */
static size_t plain_length(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if ((byte < 0x20 && byte != '\r' && byte != '\n' && byte != '\t') || byte == 0x7F)
			return i;
	}
	return length;
}

/* Emit the held line ends as typed keys. */
static void release_held(struct ik_terminal_input *input)
{
	size_t length = input->held_length;

	input->held_length = 0;
	for (size_t i = 0; i < length; i++)
		ground_byte(input, input->held[i], 0);
}

/*
 * Apply the rule in the header to a read: start a BURST, hold line ends, or
 * treat everything as typed. Return the number of bytes to treat as typed now.
 */
static size_t judge(struct ik_terminal_input *input, const char *bytes, size_t length)
{
	bool plain = length > 0 && plain_length(bytes, length) == length;

	if (!plain || (input->run == 0 && ik_utf8_count(bytes, length) < 2)) {
		input->run = 0;
		release_held(input);
		return length;
	}
	size_t text = length;

	while (text > 0 && strchr("\r\n", bytes[text - 1])) /* plain text has no NUL */
		text--;
	bool within = (input->held_length > 0 && text > 0) || memchr(bytes, '\r', text) ||
		memchr(bytes, '\n', text) || input->held_length + length - text > LINE_ENDS;
	input->run += length;
	if (length >= IK_INPUT_BURST_QUEUE || (within && input->run >= IK_INPUT_BURST_BYTES)) {
		input->state = BURST;
		paste_append(input, input->held, input->held_length);
		input->held_length = 0;
		return 0;
	}
	if (text > 0)
		release_held(input);
	if (input->run < IK_INPUT_BURST_BYTES)
		return length;
	memcpy(input->held + input->held_length, bytes + text, length - text);
	input->held_length += length - text;
	return text;
}

struct ik_terminal_input *ik_input_new(void)
{
	struct ik_terminal_input *input = ik_alloc(sizeof(*input));

	ik_buf_init(&input->paste, IK_LIMIT_USER_TEXT);
	return input;
}

struct ik_terminal_input *ik_input_free(struct ik_terminal_input *input)
{
	if (!input)
		return NULL;
	ik_buf_done(&input->paste);
	free(input);
	return NULL;
}

void ik_input_feed(struct ik_terminal_input *input, const char *bytes, size_t all,
	ik_key_sink *sink, void *arg)
{
	size_t length = all;
	size_t at = 0;

	input->sink = sink;
	input->sink_arg = arg;

	if (input->state == GROUND)
		length = judge(input, bytes, all);
	if (input->state == BURST) {
		length = all;
		at = plain_length(bytes, length);
		paste_append(input, input->utf8, (size_t)input->utf8_length);
		input->utf8_length = 0;
		paste_append(input, bytes, at);
		if (at < length)
			paste_finish(input);
	}
	while (at < length) {
		if (input->state == PASTE) {
			paste_bytes(input, bytes + at, length - at);
			break;
		}
		one_byte(input, bytes[at++]);
	}
}

void ik_input_expect(struct ik_terminal_input *input, bool answers)
{
	input->answers = answers;
}

int ik_input_wait_ms(const struct ik_terminal_input *input)
{
	int alone = input->answers ? IK_INPUT_ANSWER_ESCAPE_MS : IK_INPUT_ESCAPE_MS;
	int begun = input->answers ? IK_INPUT_ANSWER_MS : IK_INPUT_STALL_MS;

	switch (input->state) {
	case GROUND:
		return input->run > 0 ? IK_INPUT_BURST_MS : -1;
	case BURST:
		return IK_INPUT_ESCAPE_MS;
	case PASTE:
		return input->paste_ended ? IK_INPUT_ESCAPE_MS : begun;
	case SEQUENCE:
		break;
	}
	/* It may still be Alt-[ or the like, until another byte comes. */
	return input->sequence_length > 1 || input->string_escape ? begun : alone;
}

bool ik_input_pending(const struct ik_terminal_input *input)
{
	return input->state != GROUND || input->held_length > 0;
}

void ik_input_timeout(struct ik_terminal_input *input, ik_key_sink *sink, void *arg)
{
	enum input_state state = input->state;
	bool doubled = input->doubled;

	input->sink = sink;
	input->sink_arg = arg;
	input->run = 0;
	switch (state) {
	case GROUND:
		release_held(input);
		return;
	case PASTE:
		paste_append(input, paste_end, input->paste_end_matched);
		paste_finish(input);
		return;
	case BURST:
		paste_finish(input);
		return;
	case SEQUENCE:
		if (input->sequence_length > 0) {
			abandon(input);
			return;
		}
		rest(input);
		if (doubled)
			emit_escape(input);
		emit_escape(input);
	}
}
