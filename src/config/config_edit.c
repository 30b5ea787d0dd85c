#include "config/config_edit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/config.h"
#include "config/config_keys.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

#define MOST_NAMES 4 /* providers, NAME, price, input */

/* The text, and a copy of equal length in which blanks replace all comments. */
struct edit {
	const char *text, *plain;
	struct ik_json_span root; /* in plain */
	struct ik_buf *out;
};

/* A value to replace, or a missing one: names, each in the one before it, in an object. */
struct gap {
	struct ik_json_span value, object;
	const char *const *names;
	size_t count;
};

/* Return the offset of a place in plain. */
static size_t offset(const struct edit *edit, const char *place)
{
	return (size_t)(place - edit->plain);
}

/* Append the text between two offsets. */
static void copy(const struct edit *edit, size_t from, size_t to)
{
	ik_buf_append(edit->out, edit->text + from, to - from);
}

/* Return the end of the comments that follow a place in its line. *ret_line: the last one reaches
 * to the end of the line. */
static size_t skip_comments(const char *text, size_t at, bool *ret_line)
{
	size_t end = at;
	const char *close;

	*ret_line = false;
	for (;;) {
		at += strspn(text + at, " \t");
		if (strncmp(text + at, "//", 2) == 0) {
			*ret_line = true;
			return at + strcspn(text + at, "\r\n");
		}
		close = strncmp(text + at, "/*", 2) == 0 ? strstr(text + at + 2, "*/") : NULL;
		if (!close)
			return end;
		end = at = (size_t)(close - text) + 2;
	}
}

/* Return where the line of a place begins, and in *ret_blanks how many blanks it begins with. */
static size_t line_of(const struct edit *edit, size_t at, size_t *ret_blanks)
{
	while (at > 0 && edit->text[at - 1] != '\n')
		at--;
	*ret_blanks = strspn(edit->text + at, " \t");
	return at;
}

/* Begin a line as the text does: with its line ends. */
static void new_line(const struct edit *edit)
{
	const char *end = strchr(edit->text, '\n');

	ik_buf_puts(edit->out, end && end > edit->text && end[-1] == '\r' ? "\r\n" : "\n");
}

/* Append the missing members around the value: "ui": { "theme": "light" }. */
static void put_member(const struct edit *edit, const struct gap *gap, const char *value)
{
	for (size_t i = 0; i < gap->count; i++) {
		ik_buf_puts(edit->out, i > 0 ? "{ \"" : "\"");
		ik_json_escape(edit->out, gap->names[i], strlen(gap->names[i]));
		ik_buf_puts(edit->out, "\": ");
	}
	ik_buf_puts(edit->out, value);
	for (size_t i = 1; i < gap->count; i++)
		ik_buf_puts(edit->out, " }");
}

/* Add the missing members at the end of their object, in a line of their own if the others are. */
static void insert(const struct edit *edit, const struct gap *gap, const char *value)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, last;
	size_t first = offset(edit, gap->object.text), after = first + 1, line, blanks, end;
	bool empty = true, alone, own_line;

	while (ik_json_next(gap->object, &walk, &key, &last)) {
		first = empty ? offset(edit, key.text) : first;
		after = offset(edit, last.text) + last.length;
		empty = false;
	}
	line = line_of(edit, first, &blanks);
	alone = !empty && line + blanks == first;
	end = skip_comments(edit->text, after, &own_line);
	own_line = own_line || alone || strchr("\r\n", edit->text[end]);
	copy(edit, 0, after);
	ik_buf_puts(edit->out, empty ? "" : ",");
	copy(edit, after, end);
	if (own_line) {
		new_line(edit);
		copy(edit, line, line + blanks);
	}
	if (!alone)
		ik_buf_puts(edit->out, !own_line ? " " : edit->text[line] == '\t' ? "\t" : "  ");
	put_member(edit, gap, value);
	ik_buf_puts(edit->out, empty && edit->text[end] == '}' ? " " : "");
	ik_buf_puts(edit->out, edit->text + end);
}

/* Find the value at the names, the last `own` of which are the key's. A key may also be one name
 * with a dot, "ui.theme"; of both the later one counts. */
static struct gap find(struct ik_json_span object, const char *const *names, size_t count,
	size_t own)
{
	struct gap gap = { .object = object, .names = names, .count = count };
	struct ik_json_span inner = ik_json_member(object, names[0]);

	if (count == 1)
		gap.value = inner;
	else if (inner.text)
		gap = find(inner, names + 1, count - 1, own);
	if (count == 2 && own == 2) {
		char *dotted = ik_format("%s.%s", names[0], names[1]);
		struct ik_json_span value = ik_json_member(object, dotted);

		free(dotted);
		if (value.text && (!gap.value.text || value.text > gap.value.text))
			gap.value = value;
	}
	return gap;
}

/* Split the name of a key, or its part after "providers.NAME.", at its dot. Return the number of
 * names. */
static size_t split(char *name, const char **names)
{
	char *dot = strchr(name, '.');

	names[0] = name;
	if (!dot)
		return 1;
	*dot = '\0';
	names[1] = dot + 1;
	return 2;
}

/* Append the text with the value at the names. */
static void put(const struct edit *edit, const char *const *names, size_t count, size_t own,
	const char *value)
{
	struct gap gap = { .names = names, .count = count };

	if (!edit->root.text) { /* only blanks and comments */
		size_t length = strlen(edit->text);

		copy(edit, 0, length);
		if (length > 0 && edit->text[length - 1] != '\n')
			new_line(edit);
		ik_buf_puts(edit->out, "{");
		new_line(edit);
		ik_buf_puts(edit->out, "  ");
		put_member(edit, &gap, value);
		new_line(edit);
		ik_buf_puts(edit->out, "}");
		new_line(edit);
		return;
	}
	gap = find(edit->root, names, count, own);
	if (!gap.value.text) {
		insert(edit, &gap, value);
		return;
	}
	copy(edit, 0, offset(edit, gap.value.text));
	ik_buf_puts(edit->out, value);
	ik_buf_puts(edit->out, edit->text + offset(edit, gap.value.text) + gap.value.length);
}

/* Load a copy of a text, in which blanks then replace the comments. With a key, also set that. */
static enum ik_status load(const char *path, const struct ik_buf *text, struct ik_buf *plain,
	const char *key, const char *value, struct ik_error *error)
{
	struct ik_config *config = ik_config_new();
	enum ik_status status;

	ik_buf_append(plain, text->data, text->length);
	status = ik_buf_check(plain, path, error);
	if (status == IK_OK && strlen(plain->data) != plain->length)
		status = ik_error_set(error, IK_INVALID, _("%s is not a text file"), path);
	if (status == IK_OK)
		status = ik_config_load_text(config, path, plain, IK_ORIGIN_USER, error);
	if (status == IK_OK && key)
		status = ik_config_set(config, key, value, IK_ORIGIN_USER, key, error);
	ik_config_free(config);
	return status;
}

enum ik_status ik_config_edit_text(const char *path, const struct ik_buf *text, const char *key,
	const char *value, struct ik_buf *out, struct ik_error *error)
{
	struct ik_buf plain, json;
	enum ik_status status;

	ik_buf_init(&plain, IK_LIMIT_CONFIG);
	ik_buf_init(&json, IK_LIMIT_CONFIG);
	status = load(path, text, &plain, key, value, error);
	if (status == IK_OK) {
		struct edit edit = { .text = text->data, .plain = plain.data, .out = out };
		char *provider;
		const struct ik_config_key *known = ik_config_key_named(key, &provider);
		const char *names[MOST_NAMES] = { "providers", provider };
		char *name = ik_strdup(known->name);
		size_t first = provider ? 2 : 0, own = split(name, names + first);

		ik_config_value_read(known, value, &json);
		if (ik_json_check(plain.data, plain.length, &edit.root, NULL) != IK_OK)
			edit.root.text = NULL; /* nothing but blanks, or it had not been loaded */
		put(&edit, names, first + own, own, json.data);
		free(name);
		free(provider);
		/* It would be a fault of this file if this failed, but then nothing is written. */
		ik_buf_clear(&plain);
		status = load(path, out, &plain, NULL, NULL, error);
	}
	ik_buf_done(&json);
	ik_buf_done(&plain);
	return status;
}

enum ik_status ik_config_edit(const char *path, const char *key, const char *value,
	struct ik_error *error)
{
	struct ik_buf text, changed;
	struct stat status_of;
	mode_t mode = stat(path, &status_of) == 0 ? status_of.st_mode & 07777 : 0600;
	enum ik_status status;

	ik_buf_init(&text, IK_LIMIT_CONFIG);
	ik_buf_init(&changed, IK_LIMIT_CONFIG);
	status = ik_file_read(path, &text, error);
	if (status == IK_OK || status == IK_NOT_FOUND)
		status = ik_config_edit_text(path, &text, key, value, &changed, error);
	if (status == IK_OK)
		status = ik_file_write(path, changed.data, changed.length, mode, error);
	ik_buf_done(&text);
	ik_buf_done(&changed);
	return status;
}
