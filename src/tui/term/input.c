#include "tui/term/input.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/utf8.h"

#include "tui/term/input_sequences.h"

#define ESC 0x1B
#define BEL 0x07
#define CANCEL 0x18
#define SUBSTITUTE 0x1A

/* Limit of a sequence that can have a meaning; longer ones are dropped whole. */
#define SEQUENCE_BYTES 64
#define OLD_MOUSE_BYTES 3
/* Limit of the line ends that wait at the end of a run; more are a paste. */
#define LINE_ENDS 4

static const char paste_begin[] = "200~";
static const char paste_end[] = "\033[201~";
#define PASTE_END_LENGTH (sizeof(paste_end) - 1)

enum input_state {
	GROUND,
	ESCAPE,        /* after ESC */
	CSI,           /* after ESC [ */
	SS3,           /* after ESC O */
	STRING,        /* after ESC and one of ] P _ ^ X: ends with BEL or ESC \ */
	STRING_ESCAPE, /* after the ESC in a STRING */
	OLD_MOUSE,     /* the three bytes after CSI M */
	PASTE,
	BURST /* a paste without brackets */
};

struct ik_terminal_input {
	enum input_state state;
	char sequence[SEQUENCE_BYTES];
	size_t sequence_length; /* bytes so far, even when the array is full */
	char opener;            /* the byte after ESC */
	bool answers;           /* to queries are expected */
	bool doubled;           /* ESC ESC */
	unsigned alt;           /* IK_ALT or 0, of the character in utf8 */
	char utf8[4];
	int utf8_length;
	size_t run;           /* bytes of plain text without a pause */
	char held[LINE_ENDS]; /* line ends at the end of a run: Enter, or part of a paste */
	size_t held_length;
	struct ik_buf paste;
	bool paste_cut;
	size_t paste_end_matched;
	bool paste_ended; /* its end mark was the last input */
};

/* Where keys go in this call. */
struct output {
	ik_key_sink *sink;
	void *arg;
};

/* Emit a key. */
static void emit(const struct output *output, const struct ik_key *key)
{
	output->sink(output->arg, key);
}

/* Emit the Escape key. */
static void emit_escape(const struct output *output)
{
	emit(output, &(struct ik_key){ .code = IK_KEY_ESCAPE });
}

/* Emit a character. */
static void emit_character(const struct output *output, uint32_t codepoint, unsigned modifiers)
{
	struct ik_key key;

	if (ik_input_character(codepoint, modifiers, &key))
		emit(output, &key);
}

/* Enter a state that collects a sequence. */
static void begin(struct ik_terminal_input *input, enum input_state state, char opener)
{
	input->state = state;
	input->opener = opener;
	input->sequence_length = 0;
}

/* Return to GROUND. */
static void rest(struct ik_terminal_input *input)
{
	input->state = GROUND;
	input->doubled = false;
}

/* Append to the paste what fits below its limit. */
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
static void paste_finish(struct ik_terminal_input *input, const struct output *output)
{
	struct ik_key key = { .code = IK_KEY_PASTE,
		.text = input->paste.data,
		.text_length = input->paste.length,
		.text_cut = input->paste_cut };

	rest(input);
	input->run = 0;
	emit(output, &key);
	ik_buf_done(&input->paste);
	input->paste_cut = false;
	input->paste_end_matched = 0;
	input->paste_ended = false;
}

/* Emit an answer of the terminal, unless it is too long to be one that we know. */
static void emit_report(struct ik_terminal_input *input, const struct output *output)
{
	char text[1 + SEQUENCE_BYTES + 1];
	size_t length = input->sequence_length;

	if (length > SEQUENCE_BYTES)
		return;
	text[0] = input->opener;
	memcpy(text + 1, input->sequence, length);
	text[1 + length] = '\0';
	emit(output,
		&(struct ik_key){ .code = IK_KEY_REPORT, .text = text, .text_length = 1 + length });
}

/* Read a byte of a character, or a control character. */
static void ground_byte(struct ik_terminal_input *input, const struct output *output, char byte,
	unsigned alt)
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
		emit_character(output, codepoint, input->alt);
	else if (!alone)
		/* Drop the broken character; this byte may start the next. */
		ground_byte(input, output, byte, 0);
}

/* Read the byte after ESC. */
static void escape_byte(struct ik_terminal_input *input, const struct output *output, char byte)
{
	switch (byte) {
	case ESC:
		if (input->doubled)
			emit_escape(output);
		input->doubled = true;
		return;
	case '[':
		begin(input, CSI, byte);
		return;
	case 'O':
		begin(input, SS3, byte);
		return;
	case ']':
	case 'P':
	case '_':
	case '^':
	case 'X':
		if (input->doubled)
			emit_escape(output);
		input->doubled = false;
		begin(input, STRING, byte);
		return;
	default:
		if (input->doubled)
			emit_escape(output);
		rest(input);
		ground_byte(input, output, byte, IK_ALT);
	}
}

/* Is this byte the last of the CSI sequence? */
static bool ends_csi(const struct ik_terminal_input *input, char byte)
{
	size_t before = input->sequence_length;

	if (before == 0 && byte == '[')
		return false; /* the linux console's CSI [ A */
	if (byte >= 0x40 && byte <= 0x7E)
		return true;
	/* rxvt's CSI 7 $; in other sequences '$' comes before the last byte. */
	if (byte != '$' || before == 0 || before >= SEQUENCE_BYTES)
		return false;
	for (size_t i = 0; i < before; i++)
		if (input->sequence[i] < '0' || input->sequence[i] > '9')
			return false;
	return true;
}

/* Interpret a complete sequence. An ESC before a key's sequence means Alt, before any other it was
 * the Escape key. */
static void finish(struct ik_terminal_input *input, const struct output *output)
{
	size_t length = input->sequence_length;
	bool doubled = input->doubled, csi = input->state == CSI;
	struct ik_key key = { .code = IK_KEY_NONE };

	rest(input);
	if (length <= SEQUENCE_BYTES &&
		!(csi ? ik_input_csi : ik_input_ss3)(input->sequence, length, &key))
		key.code = IK_KEY_NONE;
	bool typed = key.code > IK_KEY_NONE && key.code < IK_KEY_PASTE;

	if (doubled && typed)
		key.modifiers |= IK_ALT;
	else if (doubled)
		emit_escape(output);
	if (key.code != IK_KEY_NONE)
		emit(output, &key);
	else if (csi && length > 1 && input->sequence[0] == '?')
		emit_report(input, output);
	else if (csi && length == strlen(paste_begin) &&
		memcmp(input->sequence, paste_begin, length) == 0)
		input->state = PASTE;
	else if (csi && length == 1 && input->sequence[0] == 'M')
		begin(input, OLD_MOUSE, 0);
}

/* Give up an incomplete sequence: it was an Alt key, or is dropped. */
static void abandon(struct ik_terminal_input *input, const struct output *output)
{
	bool doubled = input->doubled;

	rest(input);
	if (input->sequence_length > 0)
		return;
	if (doubled)
		emit_escape(output);
	emit_character(output, (unsigned char)input->opener, IK_ALT);
}

/* Append a byte to the sequence. */
static void collect(struct ik_terminal_input *input, char byte)
{
	if (input->sequence_length < SEQUENCE_BYTES)
		input->sequence[input->sequence_length] = byte;
	if (input->sequence_length <= SEQUENCE_BYTES)
		input->sequence_length++;
}

static void one_byte(struct ik_terminal_input *input, const struct output *output, char byte);

/* Read a byte of a CSI or SS3 sequence. */
static void sequence_byte(struct ik_terminal_input *input, const struct output *output, char byte)
{
	unsigned char value = (unsigned char)byte;

	if (value < 0x20 || value >= 0x7F) {
		abandon(input, output);
		if (value != CANCEL && value != SUBSTITUTE)
			one_byte(input, output, byte);
		return;
	}
	if (input->state == CSI) {
		bool last = ends_csi(input, byte) &&
			!(input->sequence_length == 1 && input->sequence[0] == '[' && byte == '[');

		collect(input, byte);
		if (last)
			finish(input, output);
	} else {
		collect(input, byte);
		if (!((byte >= '0' && byte <= '9') || byte == ';'))
			finish(input, output);
	}
}

/* Read a byte of a string that ends with BEL or ESC \. */
static void string_byte(struct ik_terminal_input *input, const struct output *output, char byte)
{
	if (input->state == STRING_ESCAPE) {
		if (byte == '\\')
			emit_report(input, output);
		rest(input);
		if (byte == '\\')
			return;
		input->state = ESCAPE;
		one_byte(input, output, byte);
	} else if (byte == ESC) {
		input->state = STRING_ESCAPE;
	} else if (byte == BEL || byte == CANCEL || byte == SUBSTITUTE) {
		if (byte == BEL)
			emit_report(input, output);
		rest(input);
	} else {
		collect(input, byte);
	}
}

/* Read a byte outside a paste. */
static void one_byte(struct ik_terminal_input *input, const struct output *output, char byte)
{
	switch (input->state) {
	case ESCAPE:
		escape_byte(input, output, byte);
		break;
	case CSI:
	case SS3:
		sequence_byte(input, output, byte);
		break;
	case STRING:
	case STRING_ESCAPE:
		string_byte(input, output, byte);
		break;
	case OLD_MOUSE:
		collect(input, byte);
		if (input->sequence_length == OLD_MOUSE_BYTES)
			rest(input);
		break;
	case GROUND:
	case PASTE:
	case BURST:
		if (byte == ESC) {
			input->utf8_length = 0;
			begin(input, ESCAPE, 0);
		} else {
			ground_byte(input, output, byte, 0);
		}
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

/* Return the length of a text without the line ends at its end. */
static size_t without_line_ends(const char *bytes, size_t length)
{
	while (length > 0 && (bytes[length - 1] == '\r' || bytes[length - 1] == '\n'))
		length--;
	return length;
}

/* Are there two characters or more? */
static bool is_several(const char *bytes, size_t length)
{
	size_t characters = 0;

	for (size_t i = 0; i < length && characters < 2; i++)
		characters += ((unsigned char)bytes[i] & 0xC0) != 0x80;
	return characters > 1;
}

/* Emit the line ends that waited as typed. */
static void release_held(struct ik_terminal_input *input, const struct output *output)
{
	size_t length = input->held_length;

	input->held_length = 0;
	for (size_t i = 0; i < length; i++)
		ground_byte(input, output, input->held[i], 0);
}

/*
 * Apply the header's rule to a read: start a BURST, hold back line ends, or have everything typed.
 * Returns the number of bytes that are typed now.
 */
static size_t judge(struct ik_terminal_input *input, const struct output *output, const char *bytes,
	size_t length)
{
	bool plain = length > 0 && plain_length(bytes, length) == length;

	if (!plain || (input->run == 0 && !is_several(bytes, length))) {
		input->run = 0;
		release_held(input, output);
		return length;
	}
	size_t text = without_line_ends(bytes, length);
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
		release_held(input, output);
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
	const struct output output = { sink, arg };
	size_t at = 0;

	if (input->state == GROUND)
		length = judge(input, &output, bytes, all);
	if (input->state == BURST) {
		length = all;
		at = plain_length(bytes, length);
		paste_append(input, input->utf8, (size_t)input->utf8_length);
		input->utf8_length = 0;
		paste_append(input, bytes, at);
		if (at < length)
			paste_finish(input, &output);
	}
	while (at < length) {
		if (input->state == PASTE) {
			paste_bytes(input, bytes + at, length - at);
			break;
		}
		one_byte(input, &output, bytes[at++]);
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
	case ESCAPE:
		return alone;
	case CSI:
	case SS3:
	case STRING:
		/* It may still be Alt-[ or the like, until another byte follows. */
		return input->sequence_length ? begun : alone;
	case PASTE:
		return input->paste_ended ? IK_INPUT_ESCAPE_MS : begun;
	case STRING_ESCAPE:
	case OLD_MOUSE:
		break;
	}
	return begun;
}

bool ik_input_pending(const struct ik_terminal_input *input)
{
	return input->state != GROUND || input->held_length > 0;
}

void ik_input_timeout(struct ik_terminal_input *input, ik_key_sink *sink, void *arg)
{
	const struct output output = { sink, arg };
	enum input_state state = input->state;
	bool doubled = input->doubled;

	input->run = 0;
	switch (state) {
	case GROUND:
		release_held(input, &output);
		return;
	case PASTE:
		paste_append(input, paste_end, input->paste_end_matched);
		paste_finish(input, &output);
		return;
	case BURST:
		paste_finish(input, &output);
		return;
	case ESCAPE:
		rest(input);
		if (doubled)
			emit_escape(&output);
		emit_escape(&output);
		return;
	case CSI:
	case SS3:
	case STRING:
		abandon(input, &output);
		return;
	case STRING_ESCAPE:
	case OLD_MOUSE:
		rest(input);
	}
}
