#include "tool/command_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit on a description where all tools are listed. */
#define LINE_BYTES 160

/* A property of the schema, and what the words give for it. */
struct property {
	struct ik_json_span key, schema;
	char *name;
	enum ik_json_type type; /* NONE: not said, or several that are written differently */
	bool integer, required;
	struct ik_buf values; /* JSON, with commas between them */
	size_t count;         /* of values */
};

struct reading {
	struct property *properties;
	size_t count;
	struct ik_buf *out; /* for what is wrong */
};

/* ---- the schema ---- */

/* Return the type of a value that the schema allows, null aside; NONE: unknown or several. */
static enum ik_json_type type_of(struct ik_json_span schema, bool *ret_integer)
{
	static const char *const names[] = { "boolean", "number", "string", "array", "object",
		"integer" };
	struct ik_json_span type = ik_json_member(schema, "type");
	enum ik_json_type found = IK_JSON_NONE;

	for (struct ik_json_walk walk = ik_json_walk(type); ik_json_next_string(&walk);)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (!ik_json_string_is(walk.value, names[i]))
				continue;
			*ret_integer = i == 5;
			if (found != IK_JSON_NONE)
				return IK_JSON_NONE;
			found = i == 5 ? IK_JSON_NUMBER : (enum ik_json_type)(IK_JSON_BOOL + (int)i);
		}
	return found;
}

static struct reading open_reading(const struct ik_tool *tool, struct ik_buf *out)
{
	struct reading reading = { .out = out };
	struct ik_json_span schema = { tool->parameters, tool->parameters_length };
	struct ik_json_span required = ik_json_member(schema, "required");

	schema = ik_json_member(schema, "properties");
	for (struct ik_json_walk walk = ik_json_walk(schema); ik_json_next(&walk);) {
		struct property *property;
		char *name = ik_json_text_new(walk.key);

		if (!name)
			continue;
		reading.properties = ik_alloc_more(reading.properties, reading.count, sizeof(*property));
		property = &reading.properties[reading.count++];
		*property = (struct property){ .key = walk.key, .schema = walk.value, .name = name };
		property->type = type_of(walk.value, &property->integer);
		property->required = ik_json_holds(required, walk.key);
		ik_buf_init(&property->values, IK_LIMIT_ARGUMENTS);
	}
	return reading;
}

static void close_reading(struct reading *reading)
{
	for (size_t i = 0; i < reading->count; i++) {
		free(reading->properties[i].name);
		ik_buf_done(&reading->properties[i].values);
	}
	free(reading->properties);
}

/* Are two names of an option the same, apart from "-" and "_"? */
static bool is_name(const char *name, const char *word, size_t length)
{
	size_t i = 0;

	while (i < length && name[i] &&
		(name[i] == word[i] || (strchr("-_", name[i]) && strchr("-_", word[i]))))
		i++;
	return i == length && !name[i];
}

/* Return the property that an option names, or NULL. */
static struct property *find(const struct reading *reading, const char *word, size_t length)
{
	for (size_t i = 0; i < reading->count; i++)
		if (is_name(reading->properties[i].name, word, length))
			return &reading->properties[i];
	return NULL;
}

/* ---- values ---- */

/* Append a value as JSON: as it is where that fits the type, else as a string, so that the schema
 * says what is wrong with it. */
static void put_value(enum ik_json_type type, struct ik_json_span text, struct ik_buf *out)
{
	struct ik_json_span value;
	bool json = type != IK_JSON_STRING &&
		ik_json_check(text.text, text.length, &value, NULL) == IK_OK &&
		(type == IK_JSON_NONE || ik_json_span_type(value) == type);

	if (json)
		ik_json_put_raw(out, value);
	else
		ik_json_put_string(out, text.text, text.length);
}

/* Take a value of a property. Return false if it has one already. */
static bool take(struct reading *reading, struct property *property, struct ik_json_span text)
{
	struct ik_json_span items, value;
	enum ik_json_type type = property->type;
	bool integer;

	if (property->count > 0 && type != IK_JSON_ARRAY) {
		ik_buf_printf(reading->out, "--%s is given twice", property->name);
		return false;
	}
	if (type == IK_JSON_ARRAY) {
		items = ik_json_member(property->schema, "items");
		type = type_of(items, &integer);
		if (ik_json_check(text.text, text.length, &value, NULL) == IK_OK &&
			ik_json_span_type(value) == IK_JSON_ARRAY && type != IK_JSON_ARRAY) {
			property->count++; /* also for [] */
			for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);)
				ik_json_put_raw(&property->values, walk.value);
			return true;
		}
	}
	property->count++;
	put_value(type, text, &property->values);
	return true;
}

/* ---- words ---- */

/* Take an option without its dashes, and perhaps the next word. */
static bool take_option(struct reading *reading, const char *word, const char *next, bool *ret_used)
{
	size_t length = strcspn(word, "=");
	struct property *property = find(reading, word, length);
	struct ik_json_span value = { word + length + 1, word[length] ? strlen(word + length + 1) : 0 };

	*ret_used = false;
	if (!property && !word[length] && ik_text_starts(word, "no-")) {
		property = find(reading, word + 3, length - 3);
		if (property && property->type == IK_JSON_BOOL)
			return take(reading, property, IK_JSON_SPAN("false"));
		property = NULL;
	}
	if (!property) {
		ik_buf_printf(reading->out, "unknown option --%.*s", (int)length, word);
		return false;
	}
	if (!word[length] && property->type == IK_JSON_BOOL)
		return take(reading, property, IK_JSON_SPAN("true"));
	if (!word[length] && !next) {
		ik_buf_printf(reading->out, "--%s needs a value", property->name);
		return false;
	}
	if (!word[length]) {
		*ret_used = true;
		value = (struct ik_json_span){ next, strlen(next) };
	}
	return take(reading, property, value);
}

/* Give the words without an option to the required properties that have no value. */
static bool take_positions(struct reading *reading, char **words, size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < reading->count && used < count; i++) {
		struct property *property = &reading->properties[i];

		if (!property->required || property->count > 0)
			continue;
		do {
			if (!take(reading, property, (struct ik_json_span){ words[used], strlen(words[used]) }))
				return false;
			used++;
		} while (property->type == IK_JSON_ARRAY && used < count);
	}
	if (used == count)
		return true;
	ik_buf_printf(reading->out, "unexpected argument \"%s\"", words[used]);
	return false;
}

/* Take all words; those without an option move to the front. */
static bool take_words(struct reading *reading, char **words, size_t count)
{
	size_t positions = 0;
	bool options = true, used;

	for (size_t i = 0; i < count; i++) {
		if (options && ik_text_equal(words[i], "--")) {
			options = false;
		} else if (options && words[i][0] == '-' && words[i][1] == '-') {
			if (!take_option(reading, words[i] + 2, i + 1 < count ? words[i + 1] : NULL, &used))
				return false;
			i += used;
		} else if (options && words[i][0] == '-' && isalpha((unsigned char)words[i][1])) {
			ik_buf_printf(reading->out, "unknown option %s", words[i]);
			return false;
		} else {
			char *word = words[i];

			words[i] = words[positions];
			words[positions++] = word;
		}
	}
	return take_positions(reading, words, positions);
}

static void put_arguments(const struct reading *reading, struct ik_buf *out)
{
	ik_json_open(out, '{');
	for (size_t i = 0; i < reading->count; i++) {
		const struct property *property = &reading->properties[i];
		bool array = property->type == IK_JSON_ARRAY;

		if (property->count == 0)
			continue;
		ik_json_key(out, property->name);
		ik_buf_printf(out, "%s%s%s", array ? "[" : "",
			property->values.data ? property->values.data : "", array ? "]" : "");
	}
	ik_json_close(out, '}');
}

/* ---- help ---- */

/* Append the placeholder of a value, after a blank. */
static void put_metavariable(const struct property *property, struct ik_buf *out)
{
	static const char *const names[] = { " JSON", " JSON", "", " NUMBER", " TEXT", "", " JSON" };
	struct property item = { .type = property->type, .integer = property->integer };

	if (item.type == IK_JSON_ARRAY)
		item.type = type_of(ik_json_member(property->schema, "items"), &item.integer);
	ik_buf_puts(out,
		item.integer                     ? " INTEGER"
			: item.type == IK_JSON_ARRAY ? " JSON"
										 : names[item.type]);
}

static void put_usage(const struct ik_tool *tool, const struct reading *reading, struct ik_buf *out)
{
	ik_buf_printf(out, "Usage: %s [OPTION]...", tool->name);
	for (size_t i = 0; i < reading->count; i++) {
		const struct property *property = &reading->properties[i];

		if (!property->required)
			continue;
		ik_buf_putc(out, ' ');
		for (const char *at = property->name; *at; at++)
			ik_buf_putc(out, (char)toupper((unsigned char)*at));
		if (property->type == IK_JSON_ARRAY)
			ik_buf_puts(out, "...");
	}
	ik_buf_puts(out, "\n\n");
}

/* Append one of the facts that a schema says of a value, if it does; the text about it begins at
 * before. */
static void put_fact(const struct property *property, const char *name, const char *words,
	size_t before, struct ik_buf *out)
{
	struct ik_json_span value = ik_json_member(property->schema, name);

	if (!value.text)
		return;
	if (out->length > before)
		ik_buf_puts(out, out->data[out->length - 1] == '.' ? " " : ". ");
	ik_buf_printf(out, "%s%.*s", words, (int)value.length, value.text);
}

static void put_option(const struct property *property, struct ik_buf *out)
{
	char *description = ik_json_string_new(ik_json_member(property->schema, "description"), NULL);
	size_t before;

	ik_buf_puts(out, "  --");
	for (const char *at = property->name; *at; at++)
		ik_buf_putc(out, *at == '_' ? '-' : *at);
	put_metavariable(property, out);
	if (property->required || property->type == IK_JSON_ARRAY)
		ik_buf_printf(out, " (%s%s%s)", property->required ? "required" : "",
			property->required && property->type == IK_JSON_ARRAY ? ", " : "",
			property->type == IK_JSON_ARRAY ? "may be repeated" : "");
	ik_buf_puts(out, "\n        ");
	before = out->length;
	if (description)
		ik_buf_puts(out, description);
	put_fact(property, "enum", "One of ", before, out);
	put_fact(property, "default", "Default ", before, out);
	if (out->length == before)
		ik_buf_truncate(out, before - 9);
	ik_buf_putc(out, '\n');
	free(description);
}

static void put_help(const struct ik_tool *tool, const struct reading *reading, struct ik_buf *out)
{
	ik_buf_printf(out, "%s\n\n", tool->description ? tool->description : tool->name);
	put_usage(tool, reading, out);
	for (size_t i = 0; i < reading->count; i++)
		put_option(&reading->properties[i], out);
	ik_buf_puts(out,
		"  --json JSON\n        all arguments as one JSON object; -: read from standard input\n"
		"  --schema\n        print the JSON Schema of the arguments\n");
}

void ik_command_line_put_name(const struct ik_tool *tool, struct ik_buf *out)
{
	const char *text = tool->description ? tool->description : "";
	size_t length = strcspn(text, "\n"), shown = ik_utf8_cut(text, length, LINE_BYTES);

	ik_buf_printf(out, "%s - %.*s%s\n", tool->name, (int)shown, text, shown < length ? "…" : "");
}

/* ---- all of it ---- */

/* Read what applies to every command, if the words are that. */
static bool read_common(const struct ik_tool *tool, const struct reading *reading, char **words,
	size_t count, struct ik_json_span input, enum ik_command_line *ret_result)
{
	struct ik_json_span schema = { tool->parameters, tool->parameters_length };
	const char *word = count > 0 ? words[0] : "", *json = NULL;
	bool needed = ik_json_count(ik_json_member(schema, "required")) > 0;

	if (ik_text_equal(word, "--help") && !find(reading, "help", 4)) {
		put_help(tool, reading, reading->out);
		*ret_result = IK_COMMAND_HELP;
		return true;
	}
	if (ik_text_equal(word, "--schema") && !find(reading, "schema", 6)) {
		ik_json_pretty(reading->out, schema);
		*ret_result = IK_COMMAND_HELP;
		return true;
	}
	if (!find(reading, "json", 4)) {
		if (count == 2 && ik_text_equal(word, "--json"))
			json = words[1];
		else if (count == 1 && ik_text_starts(word, "--json="))
			json = word + 7;
	}
	if (json && !ik_text_equal(json, "-"))
		input = (struct ik_json_span){ json, strlen(json) };
	else if (!json && (count > 0 || !needed))
		return false;
	*ret_result = input.text ? IK_COMMAND_CALL : IK_COMMAND_INPUT;
	if (input.text)
		ik_buf_append(reading->out, input.text, input.length);
	return true;
}

enum ik_command_line ik_command_line_read(const struct ik_tool *tool, struct ik_json_span words,
	struct ik_json_span input, struct ik_buf *out)
{
	struct reading reading = open_reading(tool, out);
	size_t count = 0, all = ik_json_count(words);
	char **list = ik_alloc_array(NULL, all + 1, sizeof(*list)), **texts;
	struct ik_json_walk walk = ik_json_walk(words);
	enum ik_command_line result = IK_COMMAND_WRONG;

	while (count < all && ik_json_next_string(&walk))
		list[count++] = ik_json_string_new(walk.value, NULL);
	texts = ik_alloc_array(NULL, count + 1, sizeof(*texts));
	memcpy(texts, list, count * sizeof(*texts));
	if (!read_common(tool, &reading, texts, count, input, &result) &&
		take_words(&reading, texts, count)) {
		put_arguments(&reading, out);
		result = IK_COMMAND_CALL;
	}
	free(texts);
	for (size_t i = 0; i < count; i++)
		free(list[i]);
	free(list);
	close_reading(&reading);
	return result;
}

/* ---- results ---- */

/* Append text with a line feed at its end. */
static void put_line(struct ik_json_span string, struct ik_buf *out)
{
	size_t before = out->length;

	(void)ik_json_string(string, out);
	if (out->length > before && out->data[out->length - 1] != '\n')
		ik_buf_putc(out, '\n');
}

/* Return the string that a result is, or has as its only string; else no value. */
static struct ik_json_span only_string(struct ik_json_span value)
{
	struct ik_json_span found = { NULL, 0 };
	enum ik_json_type type = ik_json_span_type(value);

	if (type == IK_JSON_STRING)
		return value;
	for (struct ik_json_walk walk = ik_json_walk(value);
		 type == IK_JSON_OBJECT && ik_json_next(&walk);) {
		enum ik_json_type kind = ik_json_span_type(walk.value);

		if (kind >= IK_JSON_ARRAY || (kind == IK_JSON_STRING && found.text))
			return (struct ik_json_span){ NULL, 0 };
		if (kind == IK_JSON_STRING)
			found = walk.value;
	}
	return found;
}

static int put_failure(const char *name, struct ik_json_span envelope, struct ik_buf *out,
	struct ik_buf *errors)
{
	struct ik_json_span code = ik_json_member(envelope, "error_code");
	int64_t status = 1;

	put_line(ik_json_member(envelope, "stdout"), out);
	put_line(ik_json_member(envelope, "stderr"), errors);
	ik_buf_printf(errors, "%s: ", name);
	put_line(ik_json_member(envelope, "error"), errors);
	if (ik_json_string_is(code, ik_tool_failure_code(IK_TOOL_INVALID_PARAMS)))
		return 2;
	if (!ik_json_integer(ik_json_member(envelope, "exit_code"), &status) || status < 1 ||
		status > 255)
		status = 1;
	return (int)status;
}

int ik_command_line_result(const char *name, struct ik_json_span envelope,
	struct ik_json_span value, struct ik_buf *out, struct ik_buf *errors)
{
	struct ik_json_span error, text;
	int64_t status = 0;

	if (!ik_envelope_succeeded(envelope))
		return put_failure(name, envelope, out, errors);
	if (!value.text)
		value = ik_json_member(envelope, "result");
	error = ik_json_member(value, "error");
	text = only_string(value);
	if (ik_json_span_type(error) == IK_JSON_STRING) {
		ik_buf_printf(errors, "%s: ", name);
		put_line(error, errors);
		return 1;
	}
	if (text.text) {
		put_line(text, out);
	} else {
		ik_json_put_raw(out, value);
		ik_buf_putc(out, '\n');
	}
	if (!ik_json_integer(ik_json_member(value, "exit_code"), &status) || status < 0 || status > 255)
		return 0;
	return (int)status;
}
