#include "tool/display.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

#define TEMPLATE_BYTES 200 /* Limit on a template: it fills a line. */
#define RESULT_BYTES 60    /* Limit on a value that should be a few words. */

static const char *const kinds[] = { "other", "execute", "read", "edit", "search", "fetch" };

/* The members that name an argument. */
static const char *const roles[] = { "path", "command", "old_text", "new_text" };

/* ---- templates ---- */

struct template_piece {
	enum {
		PIECE_END,
		PIECE_TEXT,
		PIECE_NAME,
		PIECE_OPEN, /* a bracket */
		PIECE_CLOSE,
		PIECE_BROKEN /* a brace that is not closed */
	} kind;
	const char *text; /* or the name of a member */
	size_t length;
	const char *one, *many; /* words after the number; NULL: none */
	size_t one_length, many_length;
};

/* Read what is between the braces: "NAME" or "NAME|ONE|MANY". */
static void read_name(struct template_piece *piece, const char *at, const char *end)
{
	const char *one = memchr(at, '|', (size_t)(end - at));
	const char *many = one ? memchr(one + 1, '|', (size_t)(end - one - 1)) : NULL;

	piece->kind = PIECE_NAME;
	piece->text = at;
	piece->length = (size_t)((one ? one : end) - at);
	if (one) {
		piece->one = one + 1;
		piece->one_length = (size_t)((many ? many : end) - piece->one);
	}
	if (many) {
		piece->many = many + 1;
		piece->many_length = (size_t)(end - piece->many);
	}
}

/* Read the next piece of a template, and return where the rest begins. */
static const char *next_piece(const char *at, struct template_piece *piece)
{
	const char *end;

	*piece = (struct template_piece){ .kind = PIECE_TEXT, .text = at, .length = 1 };
	if (*at == '\0') {
		piece->kind = PIECE_END;
		return at;
	}
	if (strchr("{}[]", at[0]) && at[1] == at[0])
		return at + 2;
	switch (*at) {
	case '[':
		piece->kind = PIECE_OPEN;
		return at + 1;
	case ']':
		piece->kind = PIECE_CLOSE;
		return at + 1;
	case '{':
		end = strchr(at, '}');
		if (!end) {
			piece->kind = PIECE_BROKEN;
			return at + strlen(at);
		}
		read_name(piece, at + 1, end);
		return end + 1;
	default:
		piece->length = *at == '}' ? 1 : strcspn(at, "{}[]");
		return at + piece->length;
	}
}

static struct ik_json_span named(const struct template_piece *piece, struct ik_json_span values)
{
	char *name = ik_strndup(piece->text, piece->length);
	struct ik_json_span value = ik_json_member(values, name);

	free(name);
	return value;
}

/* Is a value worth showing? */
static bool is_given(struct ik_json_span value)
{
	enum ik_json_type type = ik_json_span_type(value);

	if (type == IK_JSON_BOOL)
		return ik_json_is_true(value);
	if (type == IK_JSON_STRING)
		return value.length > 2;
	return type != IK_JSON_NONE && type != IK_JSON_NULL;
}

/* Append a value as JSON, cut after most bytes. */
static void put_json(struct ik_json_span value, size_t most, struct ik_buf *out)
{
	ik_buf_append(out, value.text,
		value.length <= most ? value.length : ik_utf8_cut(value.text, value.length, most));
}

/* Append a text as it is, anything else as JSON. */
static void put_value(struct ik_json_span value, size_t most, struct ik_buf *out)
{
	size_t start = out->length, at = 0;

	if (ik_json_span_type(value) != IK_JSON_STRING)
		put_json(value, most, out);
	else if (ik_json_string_slice(value, &at, most, out))
		ik_buf_truncate(out, start + ik_utf8_valid_prefix(out->data + start, out->length - start));
}

static void put_piece(const struct template_piece *piece, struct ik_json_span value, size_t most,
	struct ik_buf *out)
{
	int64_t number;

	put_value(value, most, out);
	if (!piece->many)
		return;
	ik_buf_putc(out, ' ');
	if (ik_json_integer(value, &number) && number == 1)
		ik_buf_append(out, piece->one, piece->one_length);
	else
		ik_buf_append(out, piece->many, piece->many_length);
}

/* Fill a template in. Return whether that shows one of the values, whose text this is. */
static bool fill(const char *at, struct ik_json_span values, size_t most, struct ik_buf *out,
	const char *sought)
{
	struct template_piece piece;
	size_t part = 0;                   /* where the optional part begins */
	bool whole = true;                 /* all of it has values */
	bool shown = false, found = false; /* before this part, and in it */

	for (at = next_piece(at, &piece); piece.kind != PIECE_END; at = next_piece(at, &piece)) {
		struct ik_json_span value = { NULL, 0 };

		switch (piece.kind) {
		case PIECE_TEXT:
			ik_buf_append(out, piece.text, piece.length);
			break;
		case PIECE_NAME:
			value = named(&piece, values);
			if (is_given(value))
				put_piece(&piece, value, most, out);
			else
				whole = false;
			found |= sought && value.text == sought;
			break;
		case PIECE_OPEN:
			part = out->length;
			whole = true;
			shown |= found;
			found = false;
			break;
		case PIECE_CLOSE:
			if (whole)
				break;
			ik_buf_truncate(out, part);
			found = false;
			break;
		case PIECE_BROKEN:
		case PIECE_END:
			break;
		}
	}
	return shown || found;
}

/* Return what is wrong with a piece of a template over the properties (no value: anything), or
 * NULL. */
static char *check_piece(const struct template_piece *piece, bool *in_part,
	struct ik_json_span properties)
{
	bool was_in_part = *in_part;

	switch (piece->kind) {
	case PIECE_NAME:
		if (piece->one && !piece->many)
			return ik_format(_("after \"{%.*s|\" come two words, for one and for several: "
							   "{count|match|matches}"),
				(int)piece->length, piece->text);
		if (properties.text && !named(piece, properties).text)
			return ik_format(_("there is no parameter \"%.*s\""), (int)piece->length, piece->text);
		return NULL;
	case PIECE_OPEN:
	case PIECE_CLOSE:
		*in_part = piece->kind == PIECE_OPEN;
		if (*in_part == was_in_part)
			return ik_strdup(_("a part in brackets begins with \"[\" and ends with \"]\", without "
							   "another one inside; \"[[\" is a bracket"));
		return NULL;
	case PIECE_BROKEN:
		return ik_strdup(_("a \"{\" has no \"}\"; \"{{\" is a brace"));
	case PIECE_TEXT:
	case PIECE_END:
		break;
	}
	return NULL;
}

/* Return what is wrong with a template, or NULL. */
static char *check_template(const char *member, const char *template,
	struct ik_json_span properties)
{
	struct template_piece piece;
	bool in_part = false;
	char *wrong = NULL, *reason;

	if (strlen(template) > TEMPLATE_BYTES)
		return ik_format(_("the member \"display.%s\" of the schema has more than %d bytes"),
			member, TEMPLATE_BYTES);
	do {
		template = next_piece(template, &piece);
		wrong = check_piece(&piece, &in_part, properties);
	} while (!wrong && piece.kind != PIECE_END);
	if (!wrong && in_part)
		wrong = ik_strdup(_("a \"[\" has no \"]\"; \"[[\" is a bracket"));
	if (!wrong)
		return NULL;
	reason = ik_format(_("the member \"display.%s\" of the schema is wrong: %s"), member, wrong);
	free(wrong);
	return reason;
}

/* ---- the member ---- */

/* Return what is wrong with a member, or NULL. */
static char *check_member(const char *member, struct ik_json_span value,
	struct ik_json_span properties)
{
	char *text, *wrong = NULL;
	size_t i = 0;

	if (!value.text)
		return NULL;
	text = ik_json_text_new(value);
	if (!text)
		return ik_format(_("the member \"display.%s\" of the schema has to be a string that is not "
						   "empty"),
			member);
	if (ik_text_equal(member, "kind")) {
		while (i < sizeof(kinds) / sizeof(*kinds) && !ik_text_equal(text, kinds[i]))
			i++;
		if (i == sizeof(kinds) / sizeof(*kinds))
			wrong = ik_strdup(_("the member \"display.kind\" of the schema has to be \"execute\", "
								"\"read\", \"edit\", \"search\", \"fetch\" or \"other\""));
	} else if (ik_text_equal(member, "line") || ik_text_equal(member, "result")) {
		wrong = check_template(member, text, properties);
	} else if (properties.text && !ik_json_member(properties, text).text) {
		wrong =
			ik_format(_("the member \"display.%s\" of the schema has to name a parameter; there "
						"is no \"%s\""),
				member, text);
	}
	free(text);
	return wrong;
}

char *ik_display_check(struct ik_json_span display, struct ik_json_span parameters)
{
	struct ik_json_span properties = ik_json_member(parameters, "properties");
	const struct ik_json_span none = { NULL, 0 };
	char *wrong = NULL;

	if (!properties.text)
		properties = IK_JSON_SPAN("{}");
	wrong = check_member("kind", ik_json_member(display, "kind"), none);
	if (!wrong)
		wrong = check_member("line", ik_json_member(display, "line"), properties);
	if (!wrong)
		wrong = check_member("result", ik_json_member(display, "result"), none);
	if (!wrong)
		wrong = check_member("at", ik_json_member(display, "at"), none);
	if (!wrong)
		wrong = check_member("times", ik_json_member(display, "times"), none);
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles) && !wrong; i++)
		wrong = check_member(roles[i], ik_json_member(display, roles[i]), properties);
	return wrong;
}

enum ik_display_kind ik_display_kind(struct ik_json_span display)
{
	struct ik_json_span kind = ik_json_member(display, "kind");

	for (size_t i = 0; kind.text && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (ik_json_string_is(kind, kinds[i]))
			return (enum ik_display_kind)i;
	return IK_DISPLAY_OTHER;
}

const char *ik_display_kind_name(enum ik_display_kind kind)
{
	return kinds[kind];
}

struct ik_json_span ik_display_value(struct ik_json_span display, const char *role,
	struct ik_json_span values)
{
	char *name = ik_json_text_new(ik_json_member(display, role));
	struct ik_json_span value = { NULL, 0 };

	if (name)
		value = ik_json_member(values, name);
	free(name);
	return value;
}

bool ik_display_change(struct ik_json_span display, struct ik_json_span arguments,
	struct ik_display_change *ret_change)
{
	struct ik_display_change change = {
		ik_display_value(display, "path", arguments),
		ik_display_value(display, "old_text", arguments),
		ik_display_value(display, "new_text", arguments),
	};

	*ret_change = change;
	return ik_display_kind(display) == IK_DISPLAY_EDIT &&
		ik_json_span_type(change.path) == IK_JSON_STRING &&
		ik_json_span_type(change.new_text) == IK_JSON_STRING &&
		(!change.old_text.text || ik_json_span_type(change.old_text) == IK_JSON_STRING);
}

/* Append the name and all arguments as "NAME KEY=VALUE ...". A string without blanks and escapes
 * loses its quotes. */
static void put_arguments(const char *name, struct ik_json_span arguments, size_t most,
	struct ik_buf *out)
{
	ik_buf_puts(out, name);
	if (arguments.text && ik_json_span_type(arguments) != IK_JSON_OBJECT) {
		ik_buf_putc(out, ' ');
		put_json(arguments, most, out);
		return;
	}
	for (struct ik_json_walk walk = ik_json_walk(arguments); ik_json_next(&walk);) {
		bool plain = ik_json_span_type(walk.value) == IK_JSON_STRING && walk.value.length > 2 &&
			!memchr(walk.value.text, ' ', walk.value.length) &&
			!memchr(walk.value.text, '\\', walk.value.length);

		ik_buf_putc(out, ' ');
		(void)ik_json_string(walk.key, out);
		ik_buf_putc(out, '=');
		if (plain)
			put_value(walk.value, most, out);
		else
			put_json(walk.value, most, out);
	}
}

void ik_display_put_line(struct ik_json_span display, const char *name,
	struct ik_json_span arguments, size_t most, struct ik_buf *out)
{
	char *line = ik_json_text_new(ik_json_member(display, "line"));

	if (line)
		(void)fill(line, arguments, most, out, NULL);
	else
		put_arguments(name, arguments, most, out);
	free(line);
}

bool ik_display_shows(struct ik_json_span display, struct ik_json_span arguments,
	struct ik_json_span argument)
{
	char *line = ik_json_text_new(ik_json_member(display, "line"));
	struct ik_buf ignored;

	ik_buf_init(&ignored, IK_LIMIT_ARGUMENTS);
	bool shows = line && is_given(argument) &&
		fill(line, arguments, IK_LIMIT_ARGUMENTS, &ignored, argument.text);
	ik_buf_done(&ignored);
	free(line);
	return shows;
}

char *ik_display_line(const char *display, const char *name, const char *arguments, size_t length)
{
	struct ik_json_span object = { NULL, 0 };
	struct ik_buf words, line;

	ik_buf_init(&words, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&line, IK_LIMIT_ENVELOPE);
	if (length == 0 || ik_json_check(arguments, length, &object, NULL) == IK_OK)
		ik_display_put_line((struct ik_json_span){ display, display ? strlen(display) : 0 }, name,
			object, IK_DISPLAY_LINE_BYTES, &words);
	else
		ik_buf_printf(&words, "%s %.*s", name,
			(int)(length < IK_DISPLAY_LINE_BYTES ? length : IK_DISPLAY_LINE_BYTES), arguments);
	ik_sanitize_line(&line, words.data, words.length);
	if (line.length > IK_DISPLAY_LINE_BYTES) {
		ik_buf_truncate(&line,
			ik_utf8_cut(line.data, line.length, IK_DISPLAY_LINE_BYTES - strlen("…")));
		ik_buf_puts(&line, "…");
	}
	ik_buf_done(&words);
	return ik_buf_take(&line, NULL);
}

void ik_display_put_result(struct ik_json_span display, struct ik_json_span result,
	struct ik_buf *out)
{
	char *words = ik_json_text_new(ik_json_member(display, "result"));

	if (words)
		(void)fill(words, result, RESULT_BYTES, out, NULL);
	free(words);
}
