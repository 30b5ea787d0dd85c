#include "util/front_matter.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit on the front matter: people write it by hand. */
#define LARGEST IK_KIB(64)
/* Limit on the name of a field and on that of its map, which each field in the map repeats. */
enum { NAME_MOST = 128 };

struct reader {
	const char *at, *end;
	int line; /* of at */
	struct ik_front_matter *matter;
	const char *path;
	struct ik_error *error;
};

/* A line without the blanks at its ends. */
struct line {
	const char *text;
	size_t length, indent;
};

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool is_item(struct line line)
{
	return line.length > 0 && line.text[0] == '-' && (line.length == 1 || is_blank(line.text[1]));
}

/* Drop the blanks at the ends of a line. */
static struct line trimmed(const char *text, size_t length)
{
	struct line line = { text, length, 0 };

	while (line.length > 0 && is_blank(line.text[line.length - 1]))
		line.length--;
	while (line.indent < line.length && is_blank(text[line.indent]))
		line.indent++;
	line.text += line.indent;
	line.length -= line.indent;
	return line;
}

/* Take the next line. */
static bool next_line(struct reader *reader, struct line *ret_line)
{
	const char *at = reader->at, *end;

	if (at == reader->end)
		return false;
	end = memchr(at, '\n', (size_t)(reader->end - at));
	*ret_line = trimmed(at, (size_t)((end ? end : reader->end) - at));
	reader->at = end ? end + 1 : reader->end;
	reader->line++;
	return true;
}

/* Take the next line if it belongs to a field that is indented by so much: it is further in, or
 * empty, or (list) an item. */
static bool next_inner(struct reader *reader, size_t indent, bool list, struct line *ret_line)
{
	struct reader before = *reader;

	if (next_line(reader, ret_line) &&
		(ret_line->length == 0 || ret_line->indent > indent ||
			(list && ret_line->indent == indent && is_item(*ret_line))))
		return true;
	*reader = before;
	return false;
}

static bool is_comment(const char *text, size_t length)
{
	return length == 0 || (text[0] == '#' && (length == 1 || is_blank(text[1])));
}

/* Return the line without a comment at its end. */
static struct line uncommented(struct line line)
{
	for (size_t i = 0; i < line.length; i++)
		if ((i == 0 || is_blank(line.text[i - 1])) && is_comment(line.text + i, line.length - i)) {
			struct line left = trimmed(line.text, i);

			left.indent = line.indent;
			return left;
		}
	return line;
}

/* Append a line to a value: by a blank, or a line feed where lines are kept. Empty lines become
 * line feeds, of which those at the end are dropped. */
static void put_line(struct ik_buf *value, struct line line, bool keep)
{
	bool ended = value->length == 0 || value->data[value->length - 1] == '\n';

	if (value->length > 0 && (keep || line.length == 0))
		ik_buf_putc(value, '\n');
	else if (!ended)
		ik_buf_putc(value, ' ');
	ik_buf_append(value, line.text, line.length);
}

static void put_plain(struct reader *reader, struct line line, size_t indent, struct ik_buf *value)
{
	do
		put_line(value, uncommented(line), false);
	while (next_inner(reader, indent, false, &line));
}

/* Read a block, whose first line says how far it is indented. Lines further in stay lines. */
static void put_block(struct reader *reader, bool literal, size_t indent, struct ik_buf *value)
{
	size_t base = 0;
	struct line line;

	while (next_inner(reader, indent, false, &line)) {
		if (base == 0)
			base = line.indent;
		if (line.length > 0 && line.indent > base) {
			line.text -= line.indent - base;
			line.length += line.indent - base;
			put_line(value, line, true);
		} else {
			put_line(value, line, literal);
		}
	}
}

/* Append the character that an escape means; return how many bytes at at (after the
 * backslash) it has. */
static size_t put_escape(const char *at, struct ik_buf *value)
{
	static const char from[] = "ntr0\"\\/ ", to[] = "\n\t\r \"\\/ ", sized[] = "xuU";
	const char *found = *at ? strchr(from, *at) : NULL, *size = *at ? strchr(sized, *at) : NULL;
	char digits[9] = "", bytes[4];
	size_t count = 0;

	if (size)
		while (count < (size_t)2 << (size - sized) && at[1 + count] != '\0' &&
			strchr("0123456789abcdefABCDEF", at[1 + count])) {
			digits[count] = at[1 + count];
			count++;
		}
	if (count > 0)
		ik_buf_append(value, bytes,
			(size_t)ik_utf8_encode((uint32_t)strtoul(digits, NULL, 16), bytes));
	else if (found)
		ik_buf_putc(value, to[found - from]);
	else
		ik_buf_append(value, at - 1, 2);
	return 1 + count;
}

/* Read a quoted value, whose lines are joined by blanks. Return false, taking nothing, if the quote
 * has no end, or is only a part of the value. */
static bool put_quoted(struct reader *reader, struct line line, size_t indent, struct ik_buf *value)
{
	struct reader before = *reader;
	char quote = line.text[0];
	struct ik_buf inner;
	bool closed = false;
	size_t i = 1;

	ik_buf_init(&inner, LARGEST);
	do {
		ik_buf_putc(&inner, ' ');
		for (; i < line.length && !closed; i++) {
			if (line.text[i] == '\\' && quote == '"' && i + 1 < line.length) {
				char escape[16] = "\\";

				memcpy(escape + 1, line.text + i + 1,
					line.length - i - 1 < 14 ? line.length - i - 1 : 14);
				i += put_escape(escape + 1, &inner);
			} else if (line.text[i] != quote) {
				ik_buf_putc(&inner, line.text[i]);
			} else if (quote == '\'' && i + 1 < line.length && line.text[i + 1] == quote) {
				ik_buf_putc(&inner, line.text[i++]);
			} else {
				closed = true;
			}
		}
		if (closed) {
			line = trimmed(line.text + i, line.length - i);
			closed = is_comment(line.text, line.length);
			break;
		}
		i = 0;
	} while (next_inner(reader, indent, false, &line));
	if (closed)
		ik_buf_append(value, inner.data + 1, inner.length - 1);
	else
		*reader = before;
	ik_buf_done(&inner);
	return closed;
}

/* Append the value that begins with line (not empty), of a field that is indented by so much. */
static void put_value(struct reader *reader, struct line line, size_t indent, struct ik_buf *value)
{
	struct line header = uncommented(line);
	bool quoted = line.text[0] == '"' || line.text[0] == '\'';

	if (header.length > 0 && (header.text[0] == '>' || header.text[0] == '|') &&
		strspn(header.text + 1, "+-123456789") >= header.length - 1)
		put_block(reader, header.text[0] == '|', indent, value);
	else if (!quoted || !put_quoted(reader, line, indent, value))
		put_plain(reader, line, indent, value);
}

/* Return the name of a field within the map prefix, with that end; the caller frees it. */
static char *whole_name(const char *prefix, struct line name, const char *end)
{
	return ik_format("%.*s%.*s%s", NAME_MOST, prefix,
		name.length < NAME_MOST ? (int)name.length : NAME_MOST, name.text, end);
}

/* Add a field; its name is name, within the map prefix. */
static void add_field(struct reader *reader, const char *prefix, struct line name, int line,
	struct ik_buf *value)
{
	struct ik_front_matter *matter = reader->matter;
	struct ik_buf valid;

	ik_buf_trim(value, 0, "\n ");
	ik_buf_init(&valid, SIZE_MAX / 2);
	ik_utf8_repair(&valid, value->data, value->length);
	matter->fields = ik_alloc_more(matter->fields, matter->count, sizeof(*matter->fields));
	matter->fields[matter->count++] = (struct ik_front_field){ whole_name(prefix, name, ""),
		ik_buf_take(&valid, NULL), line };
}

/* Where does the name of a field end? At the first colon before a blank; else at the first. */
static const char *colon_of(struct line line)
{
	const char *at = line.text, *end = line.text + line.length;

	while ((at = memchr(at, ':', (size_t)(end - at))) && at + 1 < end && !is_blank(at[1]))
		at++;
	return at ? at : memchr(line.text, ':', line.length);
}

static enum ik_status read_field(struct reader *reader, const char *prefix, struct line line);

/* Read what is below a field without a value on its line: a map, a list, or its value. */
static enum ik_status read_inner(struct reader *reader, const char *prefix, struct line name,
	size_t indent, struct ik_buf *value)
{
	char *inner = whole_name(prefix, name, ".");
	enum ik_status status = IK_OK;
	struct line line;

	while (status == IK_OK && next_inner(reader, indent, true, &line)) {
		if (is_comment(line.text, line.length))
			continue;
		if (is_item(line)) {
			struct line item = trimmed(line.text + 1, line.length - 1);

			if (value->length > 0)
				ik_buf_putc(value, '\n');
			if (item.length > 0)
				put_value(reader, item, line.indent, value);
		} else if (value->length == 0 && line.text[0] != '"' && line.text[0] != '\'' &&
			colon_of(line)) {
			status = read_field(reader, inner, line);
		} else {
			put_value(reader, line, indent, value);
		}
	}
	free(inner);
	return status;
}

/* Read the field that begins with line. */
static enum ik_status read_field(struct reader *reader, const char *prefix, struct line line)
{
	const char *colon = colon_of(line);
	enum ik_status status = IK_OK;
	struct line name, rest;
	struct ik_buf value;
	int number = reader->line;

	if (!colon || colon == line.text)
		return ik_error_set(reader->error, IK_INVALID,
			_("%s:%d: this line of the front matter is no \"name: value\""), reader->path, number);
	name = trimmed(line.text, (size_t)(colon - line.text));
	if (name.length > 1 && strchr("\"'", name.text[0]) &&
		name.text[name.length - 1] == name.text[0]) {
		name.text++;
		name.length -= 2;
	}
	rest = trimmed(colon + 1, (size_t)(line.text + line.length - colon - 1));
	ik_buf_init(&value, LARGEST);
	if (is_comment(rest.text, rest.length))
		status = read_inner(reader, prefix, name, line.indent, &value);
	else
		put_value(reader, rest, line.indent, &value);
	add_field(reader, prefix, name, number, &value);
	ik_buf_done(&value);
	return status;
}

/* Find the line "---" that ends the front matter, and with it the body. */
static enum ik_status find_end(struct reader *reader)
{
	struct ik_front_matter *matter = reader->matter;
	struct reader scan = *reader;
	struct line line;

	while (next_line(&scan, &line))
		if (line.length == 3 && line.indent == 0 && memcmp(line.text, "---", 3) == 0) {
			matter->body = scan.at;
			matter->body_length = (size_t)(scan.end - scan.at);
			matter->body_line = scan.line + 1;
			reader->end = line.text;
			if (reader->end - reader->at > (ptrdiff_t)LARGEST)
				break;
			return IK_OK;
		}
	return ik_error_set(reader->error, IK_INVALID,
		_("%s:1: the front matter isn't ended by a line \"---\", or is larger than %zu KiB"),
		reader->path, LARGEST / 1024);
}

enum ik_status ik_front_matter_read(struct ik_front_matter *matter, const char *path,
	const char *text, size_t length, struct ik_error *error)
{
	size_t mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	struct reader reader = { text + mark, text + length, 0, matter, path, error };
	enum ik_status status;
	struct line line;

	*matter = (struct ik_front_matter){
		.body = reader.at, .body_length = length - mark, .body_line = 1
	};
	if (memchr(text, '\0', length))
		return ik_error_set(error, IK_INVALID, _("%s: this is not a text"), path);
	if (!next_line(&reader, &line) || line.length != 3 || line.indent != 0 ||
		memcmp(line.text, "---", 3) != 0)
		return IK_OK;
	status = find_end(&reader);
	while (status == IK_OK && next_line(&reader, &line))
		if (!is_comment(line.text, line.length))
			status = read_field(&reader, "", line);
	return status;
}

void ik_front_matter_done(struct ik_front_matter *matter)
{
	for (size_t i = 0; i < matter->count; i++) {
		free(matter->fields[i].name);
		free(matter->fields[i].value);
	}
	free(matter->fields);
	*matter = (struct ik_front_matter){ .count = 0 };
}

const struct ik_front_field *ik_front_matter_field(const struct ik_front_matter *matter,
	const char *name)
{
	for (size_t i = 0; i < matter->count; i++)
		if (ik_text_equal(matter->fields[i].name, name))
			return &matter->fields[i];
	return NULL;
}

const char *ik_front_matter_value(const struct ik_front_matter *matter, const char *name)
{
	const struct ik_front_field *field = ik_front_matter_field(matter, name);

	return field && field->value[0] != '\0' ? field->value : NULL;
}

bool ik_front_matter_is(const struct ik_front_matter *matter, const char *name, bool missing)
{
	const char *value = ik_front_matter_value(matter, name);

	return value ? strcasecmp(value, "true") == 0 || strcasecmp(value, "yes") == 0 : missing;
}
