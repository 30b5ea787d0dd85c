#include "json/checker.h"

#include <string.h>

#include "json/escape.h"
#include "json/plain.h"
#include "util/text.h"
#include "util/utf8.h"

/* What is expected or being read. */
enum checker_state {
	VALUE,         /* a value is expected */
	FIRST_ELEMENT, /* after '[': a value or ']' */
	FIRST_NAME,    /* after '{': a name or '}' */
	NAME,          /* after ',' in an object */
	COLON,
	AFTER,  /* after a value */
	STRING, /* inside a string */
	MINUS,  /* in a number: after its sign */
	ZERO,   /* after a leading 0 */
	WHOLE,  /* in its integer part */
	POINT,  /* after the point */
	FRACTION,
	EXPONENT, /* after the e */
	SIGN,     /* after the exponent's sign */
	POWER
};

/* The bytes being read. */
struct checker_piece {
	const char *start, *at, *end;
	bool last; /* nothing follows: an incomplete token is an error */
};

/* The result of a step. */
enum outcome {
	ON,
	MORE, /* the token at piece->at is incomplete */
	WRONG
};

void ik_json_checker_init(struct ik_json_checker *checker)
{
	/* Not all of it: the stack is large, and is written before it is read. */
	memset(checker, 0, offsetof(struct ik_json_checker, is_object));
}

/* Return the position of piece->at in the repaired text. */
static size_t place(const struct ik_json_checker *checker, const struct checker_piece *piece)
{
	return checker->offset + (size_t)(piece->at - piece->start) + (size_t)checker->grown;
}

static enum outcome refuse(struct ik_json_checker *checker, const char *expected)
{
	checker->expected = expected;
	return WRONG;
}

/* A value ends here. */
static void end_value(struct ik_json_checker *checker, const struct checker_piece *piece)
{
	checker->state = AFTER;
	if (checker->depth == 0)
		checker->value_end = place(checker, piece);
}

/* A string ends here, after its closing quote. */
static void end_string(struct ik_json_checker *checker, const struct checker_piece *piece)
{
	struct ik_json_seen seen;

	if (checker->in_name) {
		checker->state = COLON;
		return;
	}
	end_value(checker, piece);
	if (!checker->seen)
		return;
	seen.start = checker->string_start;
	seen.length = place(checker, piece) - checker->string_start;
	seen.decoded = seen.length - 2 - checker->shrunk;
	if (seen.length >= checker->seen_length)
		checker->seen(checker->arg, &seen);
}

/* Read an escape within a string. */
static enum outcome take_escape(struct ik_json_checker *checker, struct checker_piece *piece)
{
	int decoded;
	int count = ik_json_escape_length(piece->at, piece->end, &decoded);

	if (count <= 0 && !piece->last && ik_json_escape_is_open(piece->at, piece->end))
		return MORE;
	if (count == 0)
		return refuse(checker, _("an escape that JSON knows"));
	if (count < 0) {
		if (!checker->mend)
			return refuse(checker, _("no surrogate escape without its other half"));
		checker->mended = true;
		count = 6; /* \ufffd has the same length */
	}
	checker->shrunk += (size_t)(count - decoded);
	piece->at += count;
	return ON;
}

/* Read a non-ASCII character within a string. */
static enum outcome take_character(struct ik_json_checker *checker, struct checker_piece *piece)
{
	size_t left = (size_t)(piece->end - piece->at);
	uint32_t codepoint;
	int count = ik_utf8_decode(piece->at, left, &codepoint);

	if (count > 0) {
		piece->at += count;
		return ON;
	}
	if (count < 0 && !piece->last)
		return MORE;
	if (!checker->mend)
		return refuse(checker, _("valid UTF-8"));
	left = ik_utf8_bad(piece->at, left);
	piece->at += left;
	checker->mended = true;
	checker->grown += (ptrdiff_t)(sizeof(IK_UTF8_REPLACEMENT) - 1) - (ptrdiff_t)left;
	return ON;
}

/* Read the inside of a string, up to its end or the end of the piece. */
static enum outcome take_string(struct ik_json_checker *checker, struct checker_piece *piece)
{
	enum outcome outcome = ON;

	while (outcome == ON) {
		piece->at += ik_json_plain_run(piece->at, (size_t)(piece->end - piece->at));
		if (piece->at == piece->end)
			return ON;
		if (*piece->at == '"') {
			piece->at++;
			end_string(checker, piece);
			return ON;
		}
		if (*piece->at == '\\')
			outcome = take_escape(checker, piece);
		else if ((unsigned char)*piece->at < 0x20)
			return refuse(checker, _("no control character within a string"));
		else
			outcome = take_character(checker, piece);
	}
	return outcome;
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Skip digits. */
static void skip_digits(struct checker_piece *piece)
{
	while (piece->at < piece->end && is_digit(*piece->at))
		piece->at++;
}

/* Read a byte or a run of digits of a number. */
static enum outcome take_number(struct ik_json_checker *checker, struct checker_piece *piece)
{
	char byte = *piece->at;

	switch (checker->state) {
	case MINUS:
	case POINT:
	case EXPONENT:
	case SIGN:
		if (checker->state == EXPONENT && (byte == '+' || byte == '-')) {
			checker->state = SIGN;
			piece->at++;
			return ON;
		}
		if (!is_digit(byte))
			return refuse(checker, _("a digit"));
		if (checker->state == MINUS) {
			checker->state = byte == '0' ? ZERO : WHOLE;
			piece->at++;
		} else {
			checker->state = checker->state == POINT ? FRACTION : POWER;
		}
		return ON;
	case WHOLE:
	case FRACTION:
	case POWER:
		skip_digits(piece);
		if (piece->at == piece->end)
			return ON;
		byte = *piece->at;
		break;
	}
	if (byte == '.' && (checker->state == ZERO || checker->state == WHOLE)) {
		checker->state = POINT;
		piece->at++;
	} else if ((byte == 'e' || byte == 'E') && checker->state != POWER) {
		checker->state = EXPONENT;
		piece->at++;
	} else {
		end_value(checker, piece);
	}
	return ON;
}

static enum outcome take_word(struct ik_json_checker *checker, struct checker_piece *piece,
	const char *word)
{
	size_t length = strlen(word);
	size_t left = (size_t)(piece->end - piece->at);

	if (memcmp(piece->at, word, left < length ? left : length) != 0 ||
		(left < length && piece->last))
		return refuse(checker, _("a value"));
	if (left < length)
		return MORE;
	piece->at += length;
	end_value(checker, piece);
	return ON;
}

static enum outcome open_string(struct ik_json_checker *checker, struct checker_piece *piece,
	bool in_name)
{
	checker->string_start = place(checker, piece);
	checker->shrunk = 0;
	checker->in_name = in_name;
	checker->state = STRING;
	piece->at++;
	return take_string(checker, piece);
}

static enum outcome open_container(struct ik_json_checker *checker, struct checker_piece *piece,
	bool is_object)
{
	if (checker->depth == IK_LIMIT_JSON_DEPTH)
		return refuse(checker, _("no deeper nesting"));
	checker->is_object[checker->depth++] = is_object;
	checker->state = is_object ? FIRST_NAME : FIRST_ELEMENT;
	piece->at++;
	return ON;
}

static void close_container(struct ik_json_checker *checker, struct checker_piece *piece)
{
	piece->at++;
	checker->depth--;
	end_value(checker, piece);
}

/* Read the beginning of a value, or the end of an empty array. */
static enum outcome take_value(struct ik_json_checker *checker, struct checker_piece *piece)
{
	char byte = *piece->at;

	if (!checker->begun) {
		checker->begun = true;
		checker->value_start = place(checker, piece);
	}
	switch (byte) {
	case '"':
		return open_string(checker, piece, false);
	case '{':
	case '[':
		return open_container(checker, piece, byte == '{');
	case 't':
		return take_word(checker, piece, "true");
	case 'f':
		return take_word(checker, piece, "false");
	case 'n':
		return take_word(checker, piece, "null");
	case ']':
		if (checker->state != FIRST_ELEMENT)
			return refuse(checker, _("a value"));
		close_container(checker, piece);
		return ON;
	default:
		if (byte != '-' && !is_digit(byte))
			return refuse(checker, _("a value"));
		checker->state = byte == '-' ? MINUS : byte == '0' ? ZERO : WHOLE;
		piece->at++;
		return ON;
	}
}

/* Read a member's name, or the end of an empty object. */
static enum outcome take_name(struct ik_json_checker *checker, struct checker_piece *piece)
{
	if (*piece->at == '"')
		return open_string(checker, piece, true);
	if (*piece->at != '}' || checker->state != FIRST_NAME)
		return refuse(checker, _("a member's name in double quotes"));
	close_container(checker, piece);
	return ON;
}

/* Return what should follow a value. */
static const char *expected_after(const struct ik_json_checker *checker)
{
	if (checker->depth == 0)
		return _("nothing more");
	return checker->is_object[checker->depth - 1] ? _("',' or '}'") : _("',' or ']'");
}

/* Read what follows a value. */
static enum outcome take_after(struct ik_json_checker *checker, struct checker_piece *piece)
{
	bool is_object;

	if (checker->depth == 0)
		return refuse(checker, expected_after(checker));
	is_object = checker->is_object[checker->depth - 1];
	if (*piece->at == ',') {
		checker->state = is_object ? NAME : VALUE;
		piece->at++;
		return ON;
	}
	if (*piece->at != (is_object ? '}' : ']'))
		return refuse(checker, expected_after(checker));
	close_container(checker, piece);
	return ON;
}

/* Make one step, with at least one byte available. */
static enum outcome take(struct ik_json_checker *checker, struct checker_piece *piece)
{
	if (checker->state == STRING)
		return take_string(checker, piece);
	if (checker->state > STRING)
		return take_number(checker, piece);
	while (ik_json_is_blank(*piece->at)) {
		if (++piece->at == piece->end)
			return ON;
	}
	switch (checker->state) {
	case VALUE:
	case FIRST_ELEMENT:
		return take_value(checker, piece);
	case COLON:
		if (*piece->at != ':')
			return refuse(checker, "':'");
		checker->state = VALUE;
		piece->at++;
		return ON;
	case AFTER:
		return take_after(checker, piece);
	default:
		return take_name(checker, piece);
	}
}

/* Check a piece as far as its tokens are complete; return how many bytes were checked. */
static size_t judge(struct ik_json_checker *checker, const char *bytes, size_t length, bool last)
{
	struct checker_piece piece = { bytes, bytes, bytes + length, last };
	enum outcome outcome = ON;
	size_t judged;

	while (outcome == ON && piece.at < piece.end)
		outcome = take(checker, &piece);
	judged = (size_t)(piece.at - bytes);
	checker->offset += judged;
	return judged;
}

bool ik_json_checker_feed(struct ik_json_checker *checker, const char *bytes, size_t length)
{
	size_t judged, before;

	while (checker->carried > 0 && length > 0 && !checker->expected) {
		before = checker->carried;
		judged = sizeof(checker->carry) - before < length ? sizeof(checker->carry) - before
														  : length;
		memcpy(checker->carry + before, bytes, judged);
		checker->carried += judged;
		judged = judge(checker, checker->carry, checker->carried, false);
		if (judged < before) {
			/* Tokens are short, so it was the piece that ended. */
			checker->carried -= judged;
			memmove(checker->carry, checker->carry + judged, checker->carried);
			return !checker->expected;
		}
		bytes += judged - before;
		length -= judged - before;
		checker->carried = 0;
	}
	if (length == 0 || checker->expected)
		return !checker->expected;
	judged = judge(checker, bytes, length, false);
	if (checker->expected)
		return false;
	checker->carried = length - judged;
	memcpy(checker->carry, bytes + judged, checker->carried);
	return true;
}

/* Return what is still expected at the end of the text; NULL if it may end here. */
static const char *missing(const struct ik_json_checker *checker)
{
	switch ((enum checker_state)checker->state) {
	case VALUE:
	case FIRST_ELEMENT:
		return _("a value");
	case FIRST_NAME:
	case NAME:
		return _("a member's name in double quotes");
	case COLON:
		return "':'";
	case STRING:
		return _("'\"' that ends the string");
	case MINUS:
	case POINT:
	case EXPONENT:
	case SIGN:
		return _("a digit");
	case AFTER:
	case ZERO:
	case WHOLE:
	case FRACTION:
	case POWER:
		break;
	}
	return checker->depth > 0 ? expected_after(checker) : NULL;
}

bool ik_json_checker_end(struct ik_json_checker *checker)
{
	if (!checker->expected) {
		judge(checker, checker->carry, checker->carried, true);
		checker->carried = 0;
	}
	if (!checker->expected)
		checker->expected = missing(checker);
	if (checker->state > STRING) /* a number that is the whole text */
		checker->value_end = checker->offset + (size_t)checker->grown;
	return !checker->expected;
}
