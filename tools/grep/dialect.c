#include "tools/grep/dialect.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "tools/grep/syntax.h"

#include "util/limits.h"
#include "util/utf8.h"

/* Unicode's White_Space beyond ASCII. */
#define WIDE_SPACES \
	"\xc2\x85\xc2\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008" \
	"\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

/* The zeros of Unicode's decimal digits (Nd) beyond ASCII; nine more follow each. */
static const uint32_t zeros[] = { 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6,
	0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0,
	0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50,
	0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0,
	0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x11f50, 0x16a60,
	0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4d0,
	0x1e950, 0x1fbf0 };

/* Characters with more than two forms that differ only in case. */
static const char *const alike[] = { "Kk\u212a", "Ss\u017f", "\u00c5\u00e5\u212b",
	"\u00b5\u039c\u03bc", "\u03a3\u03c3\u03c2", "\u0392\u03b2\u03d0", "\u0395\u03b5\u03f5",
	"\u0398\u03b8\u03d1\u03f4", "\u0399\u03b9\u0345\u1fbe", "\u039a\u03ba\u03f0",
	"\u03a0\u03c0\u03d6", "\u03a1\u03c1\u03f1", "\u03a6\u03c6\u03d5", "\u03a9\u03c9\u2126",
	"\u1e60\u1e61\u1e9b", "\u00df\u1e9e", "\u01c4\u01c5\u01c6", "\u01c7\u01c8\u01c9",
	"\u01ca\u01cb\u01cc", "\u01f1\u01f2\u01f3" };
/* Larger ranges beyond ASCII are left to the C library. */
#define RANGE_MAX 0x1000

/* Classes named with a backslash, as bits. */
enum { DIGIT = 1, SPACE = 2, WORD = 4 };

struct translator {
	const char *at;
	struct ik_buf *out;
	bool fold;            /* ignore case here */
	bool multibyte;       /* characters are UTF-8, otherwise single bytes */
	struct ik_buf scopes; /* values of fold before each open group */
	const char *refusal;  /* a sentence, or NULL */
};

static const char lookaround[] = "lookaround is not supported";
static const char back_reference[] = "back-references are not supported";
static const char line_feed[] = "\\n cannot match: each line is searched by itself";
static const char unicode_class[] = "\\p{...} is not supported";
static const char unknown_escape[] = "unrecognized escape sequence";
static const char unknown_group[] = "unrecognized group (?...";
static const char bad_number[] = "invalid character number";
static const char odd_set[] = "unsupported exclusion from a class in [^...]";

static void refuse(struct translator *translator, const char *sentence)
{
	if (!translator->refusal)
		translator->refusal = sentence;
}

/* Decode the character at text; an invalid byte counts as one. */
static size_t decode(const struct translator *translator, const char *text, uint32_t *ret)
{
	int length = translator->multibyte ? ik_utf8_decode(text, strlen(text), ret) : 0;

	if (length > 0)
		return (size_t)length;
	*ret = (unsigned char)*text;
	return 1;
}

/* Append a character in the locale's encoding. */
static void append_character(const struct translator *translator, struct ik_buf *out,
	uint32_t character)
{
	char bytes[4];

	if (translator->multibyte)
		ik_buf_append(out, bytes, (size_t)ik_utf8_encode(character, bytes));
	else
		ik_buf_putc(out, (char)character);
}

/* Append the characters that differ from this one only in case. */
static void append_cases(const struct translator *translator, struct ik_buf *out,
	uint32_t character)
{
	char bytes[5] = "";

	if (!translator->multibyte) {
		if (character < 0x80 && isalpha((int)character))
			ik_buf_putc(out, (char)(character ^ 0x20));
		return;
	}
	(void)ik_utf8_encode(character, bytes);
	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
		const char *found = strstr(alike[i], bytes);

		if (!found)
			continue;
		ik_buf_append(out, alike[i], (size_t)(found - alike[i]));
		ik_buf_puts(out, found + strlen(bytes));
		return;
	}
	uint32_t lower = towlower(character), upper = towupper(character);

	if (lower != character)
		append_character(translator, out, lower);
	if (upper != character && upper != lower)
		append_character(translator, out, upper);
}

/* The contents of a bracket expression being built. */
struct set {
	struct byte_set ascii;
	struct ik_buf wide;   /* characters and ranges beyond ASCII, and names of classes */
	unsigned classes;     /* included classes */
	unsigned not_classes; /* classes whose complements are included */
};

static void set_init(struct set *set)
{
	*set = (struct set){ .classes = 0 };
	ik_buf_init(&set->wide, SIZE_MAX / 2);
}

static void set_add_bytes(struct set *set, unsigned first, unsigned last)
{
	for (unsigned byte = first; byte <= last; byte++)
		byte_set_add(&set->ascii, (unsigned char)byte);
}

static bool set_is_empty(const struct set *set)
{
	return (set->ascii.bits[0] | set->ascii.bits[1]) == 0 && set->wide.length == 0;
}

static void set_add_one(const struct translator *translator, struct set *set, uint32_t character)
{
	if (character < 0x80)
		byte_set_add(&set->ascii, (unsigned char)character);
	else
		append_character(translator, &set->wide, character);
}

/* Add a character; if case is ignored, in all its forms. */
static void set_add(const struct translator *translator, struct set *set, uint32_t character)
{
	struct ik_buf cases;

	set_add_one(translator, set, character);
	if (!translator->fold || character == 0)
		return;
	ik_buf_init(&cases, IK_KIB(1));
	append_cases(translator, &cases, character);
	for (const char *at = cases.data; *at != '\0';) {
		at += decode(translator, at, &character);
		set_add_one(translator, set, character);
	}
	ik_buf_done(&cases);
}

/* Add a range, character by character, since the C library does not support ranges beyond ASCII in
 * every locale. */
static void set_add_range(const struct translator *translator, struct set *set, uint32_t first,
	uint32_t last)
{
	for (; first <= last && (first < 0x80 || last - first < RANGE_MAX); first++)
		set_add(translator, set, first);
	if (first > last)
		return;
	append_character(translator, &set->wide, first);
	ik_buf_putc(&set->wide, '-');
	append_character(translator, &set->wide, last);
}

/* Add the characters of classes. */
static void set_add_classes(const struct translator *translator, struct set *set, unsigned classes)
{
	if ((classes & DIGIT) != 0) {
		set_add_bytes(set, '0', '9');
		for (size_t i = 0; translator->multibyte && i < sizeof(zeros) / sizeof(zeros[0]); i++)
			for (uint32_t digit = 0; digit < 10; digit++)
				append_character(translator, &set->wide, zeros[i] + digit);
	}
	if ((classes & SPACE) != 0) {
		set_add_bytes(set, '\t', '\r');
		byte_set_add(&set->ascii, ' ');
		if (translator->multibyte)
			ik_buf_puts(&set->wide, WIDE_SPACES);
	}
	if ((classes & WORD) != 0) {
		byte_set_add(&set->ascii, '_');
		ik_buf_puts(&set->wide, "[:alnum:]");
	}
}

/* Append a bracket expression; characters that would be special are placed where they are not. */
static void append_bracket(struct ik_buf *out, const struct set *set, bool negated)
{
	const struct byte_set *ascii = &set->ascii;
	size_t start = out->length + (negated ? 2 : 1);

	ik_buf_puts(out, negated ? "[^" : "[");
	if (byte_set_has(ascii, ']'))
		ik_buf_putc(out, ']');
	for (unsigned char byte = 1; byte < 0x80; byte++)
		if (byte_set_has(ascii, byte) && !strchr("]^-[", byte))
			ik_buf_putc(out, (char)byte);
	ik_buf_append(out, set->wide.data, set->wide.length);
	if (byte_set_has(ascii, '['))
		ik_buf_putc(out, '[');
	if (byte_set_has(ascii, '-') && out->length == start)
		ik_buf_puts(out, byte_set_has(ascii, '^') ? "-^" : "-");
	else
		ik_buf_puts(out,
			byte_set_has(ascii, '^')       ? byte_set_has(ascii, '-') ? "^-" : "^"
				: byte_set_has(ascii, '-') ? "-"
										   : "");
	ik_buf_putc(out, ']');
	/* A lone caret would negate. */
	if (strcmp(out->data + start - 1, "[^]") == 0) {
		ik_buf_truncate(out, start - 1);
		ik_buf_puts(out, "\\^");
	}
}

/* Append classes, or the complement of one. */
static void append_classes(const struct translator *translator, unsigned classes, bool negated)
{
	struct set set;

	set_init(&set);
	set_add_classes(translator, &set, classes);
	append_bracket(translator->out, &set, negated);
	ik_buf_done(&set.wide);
}

/* Append the union of a set and its complements, as alternatives. */
static void append_union(const struct translator *translator, struct set *set)
{
	struct ik_buf *out = translator->out;

	ik_buf_putc(out, '(');
	set_add_classes(translator, set, set->classes);
	if (!set_is_empty(set)) {
		append_bracket(out, set, false);
		ik_buf_putc(out, '|');
	}
	for (unsigned class = DIGIT; class <= WORD; class *= 2)
		if ((set->not_classes & class) != 0) {
			append_classes(translator, class, true);
			ik_buf_putc(out, '|');
		}
	ik_buf_truncate(out, out->length - 1);
	ik_buf_putc(out, ')');
}

/*
 * Append the complement of a set that contains complements: the intersection of their classes minus
 * the rest of the set; [^\W\d_] is one.  POSIX has no such difference, so it is computed here. But
 * to the C library the digits of other scripts are letters, and stay.
 */
static void append_difference(struct translator *translator, const struct set *set)
{
	unsigned class = set->not_classes == (DIGIT | WORD) ? DIGIT : set->not_classes;
	struct set rest;

	set_init(&rest);
	set_add_classes(translator, &rest, class);
	if (class == WORD) {
		set_add_bytes(&rest, '0', '9');
		set_add_bytes(&rest, 'A', 'Z');
		set_add_bytes(&rest, 'a', 'z');
		ik_buf_clear(&rest.wide);
		if (translator->multibyte)
			ik_buf_puts(&rest.wide, "[:alpha:]");
	}
	struct set gone = *set;
	ik_buf_init(&gone.wide, SIZE_MAX / 2);
	set_add_classes(translator, &gone, set->classes & DIGIT);
	for (size_t i = 0; i < 2; i++)
		rest.ascii.bits[i] &= ~gone.ascii.bits[i];
	/* A letter cannot be removed from [:alpha:]. */
	bool letters_gone = class == WORD && translator->multibyte &&
		((gone.ascii.bits[1] & UINT64_C(0x07fffffe07fffffe)) != 0);
	if (set->wide.length > 0 || letters_gone || (class & (class - 1)) != 0 ||
		(set->classes & (class | (class == DIGIT ? WORD : 0))) != 0 || set_is_empty(&rest))
		refuse(translator, odd_set);
	else
		append_bracket(translator->out, &rest, false);
	ik_buf_done(&gone.wide);
	ik_buf_done(&rest.wide);
}

/* Return the bit of a class; 0 if it is not one. */
static unsigned class_of(char letter)
{
	switch (letter) {
	case 'd':
	case 'D':
		return DIGIT;
	case 's':
	case 'S':
		return SPACE;
	case 'w':
	case 'W':
		return WORD;
	default:
		return 0;
	}
}

/* Read a hexadecimal number of so many digits, or in braces. */
static uint32_t take_number(struct translator *translator, size_t digits)
{
	const char *close = *translator->at == '{' ? strchr(translator->at, '}') : NULL;
	char *end;

	if (close) {
		translator->at++;
		digits = (size_t)(close - translator->at);
	}
	char text[9] = "";

	if (digits == 0 || digits > 8 || strlen(translator->at) < digits) {
		refuse(translator, bad_number);
		return '?';
	}
	memcpy(text, translator->at, digits);
	unsigned long number = strtoul(text, &end, 16);
	char bytes[4];

	if (*end != '\0' || !isxdigit((unsigned char)text[0]) || number == 0 ||
		ik_utf8_encode((uint32_t)number, bytes) == 0 || (!translator->multibyte && number > 0xff))
		refuse(translator, bad_number);
	translator->at += digits + (close ? 1 : 0);
	return (uint32_t)number;
}

/* Read an escaped character, after its backslash; '?' if it is refused. */
static uint32_t take_escaped(struct translator *translator)
{
	uint32_t character = '?';
	char letter = *translator->at;

	if (isalnum((unsigned char)letter))
		translator->at++;
	switch (letter) {
	case 't':
		return '\t';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 'f':
		return '\f';
	case 'v':
		return '\v';
	case 'a':
		return '\a';
	case 'x':
		return take_number(translator, 2);
	case 'u':
		return take_number(translator, 4);
	case 'U':
		return take_number(translator, 8);
	default:
		break;
	}
	if (letter == 'p' || letter == 'P')
		refuse(translator, unicode_class);
	else if (letter >= '1' && letter <= '9')
		refuse(translator, back_reference);
	else if (isalnum((unsigned char)letter))
		refuse(translator, unknown_escape);
	else
		translator->at += decode(translator, translator->at, &character);
	return character;
}

/*
 * Are backslashes escapes in this bracket, although POSIX makes them ordinary? They are if one
 * makes a class such as \d, a control character or the "]" of [^\]], since nobody means these as
 * letters or as the end.  *ret_end is the "]" that then ends the bracket.
 */
static bool has_escapes(const char *at, const char **ret_end)
{
	bool found = false, closed = false;

	at += *at == '^';
	at += *at == ']';
	for (; *at != '\0' && *at != ']'; at++) {
		const char *close = at[0] == '[' && at[1] == ':' ? strstr(at + 2, ":]") : NULL;

		if (close) {
			at = close + 1;
		} else if (at[0] == '[' && closed && !found) {
			return false;
		} else if (at[0] == '\\' && at[1] != '\0') {
			at++;
			closed = closed || *at == ']';
			found = found || strchr("dDsSwWtrnfv", *at);
		}
	}
	*ret_end = at;
	return (found || closed) && *at == ']';
}

/* Add a nested element: [:alpha:], [.x.] or [=x=]; false if it is not one. */
static bool take_element(struct translator *translator, const char *end, struct set *set)
{
	const char *at = translator->at;
	const char close[3] = { at[1], ']', '\0' };
	const char *stop = at[0] == '[' && strchr(":.=", at[1]) ? strstr(at + 2, close) : NULL;

	if (!stop || stop >= end)
		return false;
	size_t length = (size_t)(stop + 2 - at);

	if (translator->fold && length == strlen("[:upper:]") &&
		(memcmp(at, "[:upper:]", length) == 0 || memcmp(at, "[:lower:]", length) == 0))
		ik_buf_puts(&set->wide, "[:upper:][:lower:]");
	else
		ik_buf_append(&set->wide, at, length);
	translator->at = stop + 2;
	return true;
}

/* Read a character of a bracket, which may be escaped. */
static uint32_t take_member(struct translator *translator, bool escapes)
{
	uint32_t character;

	if (escapes && translator->at[0] == '\\') {
		translator->at++;
		return take_escaped(translator);
	}
	translator->at += decode(translator, translator->at, &character);
	return character;
}

/* Add the contents of a bracket up to its end. */
static void take_members(struct translator *translator, const char *end, bool escapes,
	struct set *set)
{
	while (translator->at < end && !translator->refusal) {
		const char *at = translator->at;

		if (take_element(translator, end, set))
			continue;
		if (escapes && at[0] == '\\' && class_of(at[1]) != 0) {
			*(islower((unsigned char)at[1]) ? &set->classes : &set->not_classes) |= class_of(at[1]);
			translator->at += 2;
			continue;
		}
		uint32_t first = take_member(translator, escapes), last = first;
		at = translator->at;
		if (at[0] == '-' && at + 1 < end && !(escapes && at[1] == '\\' && class_of(at[2]) != 0)) {
			translator->at++;
			last = take_member(translator, escapes);
		}
		if (first == last)
			set_add(translator, set, first);
		else if (first < last)
			set_add_range(translator, set, first, last);
		else
			/* Let regcomp() refuse it. */
			ik_buf_puts(&set->wide, "z-a");
	}
}

/* Translate a bracket expression; translator->at is after the "[". */
static void translate_bracket(struct translator *translator)
{
	const char *at = translator->at;
	const char *end, *posix_end = syntax_bracket_end(at);
	bool escapes = has_escapes(at, &end), negated = *at == '^';
	struct set set;

	if (!escapes)
		end = posix_end;
	if (!end || (!escapes && !translator->fold)) {
		const char *stop = end ? end + 1 : at + strlen(at);

		ik_buf_putc(translator->out, '[');
		ik_buf_append(translator->out, at, (size_t)(stop - at));
		translator->at = stop;
		return;
	}
	set_init(&set);
	translator->at += negated;
	take_members(translator, end, escapes, &set);
	translator->at = end + 1;
	if (set.not_classes == 0) {
		set_add_classes(translator, &set, set.classes);
		append_bracket(translator->out, &set, negated);
	} else if (negated) {
		append_difference(translator, &set);
	} else {
		append_union(translator, &set);
	}
	ik_buf_done(&set.wide);
}

/* Append an ordinary character. */
static void append_literal(struct translator *translator, uint32_t character)
{
	struct ik_buf *out = translator->out;
	struct set set;

	if (translator->fold && character != 0) {
		set_init(&set);
		set_add(translator, &set, character);
		bool alone = set.wide.length == 0 &&
			__builtin_popcountll(set.ascii.bits[0]) + __builtin_popcountll(set.ascii.bits[1]) == 1;
		if (!alone)
			append_bracket(out, &set, false);
		ik_buf_done(&set.wide);
		if (!alone)
			return;
	}
	if (character < 0x80 && strchr("\\.[]{}()*+?^$|", (int)character))
		ik_buf_putc(out, '\\');
	append_character(translator, out, character);
}

/* Translate what follows a backslash; translator->at is after it. */
static void translate_escape(struct translator *translator)
{
	char letter = *translator->at;

	if (letter == '\0') {
		ik_buf_putc(translator->out, '\\');
	} else if (strchr("wWbB<>`'", letter)) {
		ik_buf_putc(translator->out, '\\');
		ik_buf_putc(translator->out, letter);
		translator->at++;
	} else if (letter == 'A' || letter == 'z') {
		ik_buf_puts(translator->out, letter == 'A' ? "\\`" : "\\'");
		translator->at++;
	} else if (class_of(letter) != 0) {
		append_classes(translator, class_of(letter), isupper((unsigned char)letter));
		translator->at++;
	} else {
		uint32_t character = take_escaped(translator);

		if (character == '\n')
			refuse(translator, line_feed);
		append_literal(translator, character);
	}
}

/* Translate flags up to ")" or ":"; translator->at is after the "(?". */
static void translate_flags(struct translator *translator)
{
	bool fold = translator->fold, on = true;
	const char *start = translator->at, *at = start;

	/* Flags other than i have no effect on single lines, or on which lines match. */
	for (; *at != '\0' && strchr("imsuU-", *at); at++) {
		if (*at == '-')
			on = false;
		if (*at == 'i')
			fold = on;
		if (!on && (*at == 'u' || *at == 'm'))
			break;
	}
	translator->at = at + (*at != '\0');
	if (*at == ':') {
		ik_buf_putc(&translator->scopes, translator->fold ? 'i' : '-');
		ik_buf_putc(translator->out, '(');
	} else if (*at != ')' || at == start) {
		refuse(translator, unknown_group);
	}
	translator->fold = fold;
}

/* Translate the start of a group; translator->at is after the "(". */
static void translate_group(struct translator *translator)
{
	const char *at = translator->at;
	const char *name = at + (at[0] == '?' && at[1] == 'P' ? 3 : 2);

	if (*at == '?' &&
		(name[-1] == '=' || name[-1] == '!' ||
			(name[-1] == '<' && (*name == '=' || *name == '!')))) {
		refuse(translator, lookaround);
		return;
	}
	if (*at == '?' && name[-1] != '<') {
		translator->at++;
		translate_flags(translator);
		return;
	}
	if (*at == '?') {
		at = name + strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		if (at == name || *at != '>') {
			refuse(translator, unknown_group);
			return;
		}
		translator->at = at + 1;
	}
	ik_buf_putc(&translator->scopes, translator->fold ? 'i' : '-');
	ik_buf_putc(translator->out, '(');
}

/* Return the length of an interval such as {2,5}; 0 if it is not one. */
static size_t interval_length(const char *at)
{
	size_t length = 1 + strspn(at + 1, "0123456789,");

	return at[0] == '{' && at[length] == '}' ? length + 1 : 0;
}

/* Translate one element of the pattern. */
static void translate_next(struct translator *translator)
{
	struct ik_buf *scopes = &translator->scopes;
	char byte = *translator->at;
	uint32_t character;
	size_t length = interval_length(translator->at);

	if (strchr("*+?{", byte)) {
		length = length > 0 ? length : 1;
		ik_buf_append(translator->out, translator->at, length);
		translator->at += length;
		/* A lazy quantifier matches the same lines. A brace that begins no interval is not a
		 * quantifier. */
		if (*translator->at == '?' && (byte != '{' || length > 1))
			translator->at++;
		return;
	}
	if (!strchr("\\[(", byte) && byte != ')' && !strchr(".^$|{}]", byte)) {
		translator->at += decode(translator, translator->at, &character);
		append_literal(translator, character);
		return;
	}
	translator->at++;
	if (byte == '\\') {
		translate_escape(translator);
	} else if (byte == '[') {
		translate_bracket(translator);
	} else if (byte == '(') {
		translate_group(translator);
	} else {
		if (byte == ')' && scopes->length > 0) {
			translator->fold = scopes->data[scopes->length - 1] == 'i';
			ik_buf_truncate(scopes, scopes->length - 1);
		}
		ik_buf_putc(translator->out, byte);
	}
}

enum ik_status dialect_translate(const char *pattern, bool ignore_case, struct ik_buf *out,
	struct ik_error *error)
{
	struct translator translator = {
		.at = pattern, .out = out, .fold = ignore_case, .multibyte = syntax_is_utf8()
	};

	ik_buf_init(&translator.scopes, SIZE_MAX / 2);
	while (*translator.at != '\0' && !translator.refusal)
		translate_next(&translator);
	enum ik_status status = ik_buf_status(&translator.scopes);
	ik_buf_done(&translator.scopes);
	if (translator.refusal)
		return ik_error_set(error, IK_INVALID, "%s", translator.refusal);
	return status != IK_OK ? status : ik_buf_check(out, "the pattern", error);
}

const char *dialect_hint(const char *pattern, const char *sentence)
{
	static const struct {
		const char *part; /* of the sentence */
		const char *hint;
	} hints[] = {
		{ lookaround,
			"Leave (?=...) and (?!...) out, and choose from the lines that are found; "
			"context shows the lines around them." },
		{ back_reference, "Write out what is repeated, as alternatives: (aa|bb)." },
		{ line_feed, "Search for what is in one of the lines; context shows the lines around it." },
		{ unicode_class,
			"Write [[:alpha:]], [[:upper:]], [[:lower:]], [[:digit:]] or [[:punct:]]." },
		{ unknown_escape,
			"Classes are \\d, \\s and \\w, \\b is the edge of a word; a letter that "
			"stands for itself has no backslash." },
		{ unknown_group, "There are (?:...), (?i), (?i:...) and (?P<name>...)." },
		{ bad_number, "Write \\x and two digits, or \\x{...} with up to eight." },
		{ odd_set, "Write the characters that may be there: [b-df-hj-np-tv-z]." },
		{ "collation", "Write the characters one by one, or name a class such as [[:alpha:]]." },
		{ "Unmatched (", "Write \\( for a parenthesis that stands for itself." },
		{ "\\{", "Write \\{ for a brace that stands for itself." },
		{ "Unmatched [", "Write \\[ for a bracket that stands for itself." },
		{ "too big", "Search for a shorter part of it." },
	};

	if (pattern[0] == '*')
		return "There is nothing before the * that it could repeat: write .* for any text; which "
			   "files are searched is said by glob.";
	if (strstr(pattern, "[[:<:]]") || strstr(pattern, "[[:>:]]"))
		return "Write \\< for the start of a word, \\> for its end, \\b for either.";
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (strstr(sentence, hints[i].part))
			return hints[i].hint;
	return NULL;
}
