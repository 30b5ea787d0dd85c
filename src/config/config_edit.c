#include "config/config_edit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/config.h"
#include "config/config_keys.h"
#include "json/edit.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

#define MOST_NAMES 4 /* providers, NAME, price, input */

/* Find the value at the names, the last `own` of which are the key's. A key may also be one name
 * with a dot, "ui.theme"; of both the later one counts. */
static struct ik_json_gap find(struct ik_json_span object, const char *const *names, size_t count,
	size_t own)
{
	struct ik_json_gap gap = ik_json_gap_find(object, names, count);

	if (own == 2) {
		char *dotted = ik_format("%s.%s", names[count - 2], names[count - 1]);
		struct ik_json_span value;

		for (size_t i = 0; i + own < count; i++)
			object = ik_json_member(object, names[i]);
		value = ik_json_member(object, dotted);
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
		struct ik_json_edit edit = { .text = text->data, .plain = plain.data, .out = out };
		char *provider;
		const struct ik_config_key *known = ik_config_key_named(key, &provider);
		const char *names[MOST_NAMES] = { "providers", provider };
		char *name = ik_strdup(known->name);
		size_t first = provider ? 2 : 0, own = split(name, names + first);
		struct ik_json_gap gap;

		ik_config_value_read(known, value, &json);
		if (ik_json_check(plain.data, plain.length, &edit.root, NULL) != IK_OK)
			edit.root.text = NULL; /* nothing but blanks, or it had not been loaded */
		gap = find(edit.root, names, first + own, own);
		ik_json_edit_put(&edit, &gap, json.data);
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
