/* The half of config/config.h that reads files. */
#include "config/config.h"

#include <stdlib.h>
#include <string.h>

#include "config/config_parts.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* A file is traversed twice: first everything is checked, then, if it is valid, stored. */
struct loader {
	struct ik_config *config;
	const char *path;
	const char *text;
	enum ik_origin origin;
	bool store;
	struct ik_error *error;
};

/* An object in the file whose members are keys of a table. */
struct section {
	const struct ik_key_table *table;
	const char *provider; /* NULL: the table of plain keys */
	const char *prefix;   /* prefix of the keys in the table: "" or "tools." */
};

static enum ik_status load_section(struct loader *loader, struct ik_json_span object,
	const struct section *section);

/* Return a key's full name for an error, in new memory. */
static char *shown_name(const struct section *section, const char *name)
{
	if (section->provider)
		return ik_format("providers.%s.%s", section->provider, name);
	return ik_strdup(name);
}

/* Fail: the value of a key is invalid. */
static enum ik_status refuse(struct loader *loader, const char *name, struct ik_json_span value,
	const char *wanted)
{
	char *subject = ik_format("%s:%d: \"%s\"", loader->path, ik_json_line(loader->text, value.text),
		name);
	enum ik_status status = ik_config_refuse(subject, value, wanted, loader->error);

	free(subject);
	return status;
}

/* Add a warning about a key, during the storing pass. */
static void warn(struct loader *loader, struct ik_json_span key, const char *name,
	const char *sentence)
{
	if (loader->store)
		ik_config_warn(loader->config, "%s:%d: \"%s\" %s", loader->path,
			ik_json_line(loader->text, key.text), name, sentence);
}

/* Return the group of a key, "tools" of "tools.watch", in new memory. */
static char *group_of(const struct ik_config_key *key)
{
	return ik_strndup(key->name, strcspn(key->name, "."));
}

/* Add a warning about an unknown key that suggests the nearest key or group. */
static void warn_unknown(struct loader *loader, struct ik_json_span key,
	const struct section *section, const char *name)
{
	size_t count = section->table->count;
	/* Each key and its group; duplicate groups do no harm. */
	char **groups = ik_alloc_array(NULL, count, sizeof(*groups));
	const char **names = ik_alloc_array(NULL, 2 * count + 1, sizeof(*names));
	char *shown = shown_name(section, name), *nearest, *sentence;
	const char *found;

	for (size_t i = 0; i < count; i++) {
		groups[i] = group_of(&section->table->keys[i]);
		names[i] = section->table->keys[i].name;
		names[count + i] = groups[i];
	}
	names[2 * count] = "providers";
	found = ik_text_nearest(name, names, section->provider ? 2 * count : 2 * count + 1);
	nearest = found ? shown_name(section, found) : NULL;
	sentence = nearest ? ik_format(_("is unknown; did you mean \"%s\"?"), nearest)
					   : ik_strdup(_("is unknown"));
	warn(loader, key, shown, sentence);
	for (size_t i = 0; i < count; i++)
		free(groups[i]);
	free(groups);
	free(names);
	free(shown);
	free(nearest);
	free(sentence);
}

/* May a file of this origin set this? If not, add a warning. */
static bool is_allowed(struct loader *loader, struct ik_json_span key, const char *name,
	bool project)
{
	if (loader->origin != IK_ORIGIN_PROJECT || project)
		return true;
	warn(loader, key, name, _("is left out: a project's file may not set it"));
	return false;
}

/* Fail if a value with its own format is invalid. */
static enum ik_status check_form(struct loader *loader, const struct ik_config_key *key,
	struct ik_json_span value)
{
	struct ik_error reason;
	const char *place;

	if (ik_config_check_form(loader->config, key, value, &place, &reason) == IK_OK)
		return IK_OK;
	return ik_error_set(loader->error, IK_INVALID, "%s:%d: \"%s\", %s", loader->path,
		ik_json_line(loader->text, place), key->name, reason.text);
}

/* Check or store the value of a known key. */
static enum ik_status load_value(struct loader *loader, const struct section *section,
	const struct ik_config_key *key, struct ik_json_span value)
{
	struct ik_config_target target;
	enum ik_status status = IK_OK;
	struct ik_buf wanted;
	char *name;

	if (loader->store) {
		target = section->provider ? ik_config_provider_target(loader->config, section->provider)
								   : ik_config_target(loader->config);
		ik_config_store(&target, key, value, loader->origin);
	} else if (!ik_config_value_fits(key, value)) {
		ik_buf_init(&wanted, IK_KIB(1));
		ik_config_key_wanted(key, &wanted);
		name = shown_name(section, key->name);
		status = refuse(loader, name, value, wanted.data);
		free(name);
		ik_buf_done(&wanted);
	} else {
		status = check_form(loader, key, value);
	}
	return status;
}

/* Traverse an object whose members are parts of keys. */
static enum ik_status load_group(struct loader *loader, const struct section *section,
	const char *name, struct ik_json_span value)
{
	struct section inner = *section;
	enum ik_status status;
	char *shown, *prefix;

	if (ik_json_span_type(value) != IK_JSON_OBJECT) {
		shown = shown_name(section, name);
		status = refuse(loader, shown, value, _("an object"));
		free(shown);
		return status;
	}
	prefix = ik_format("%s.", name);
	inner.prefix = prefix;
	status = load_section(loader, value, &inner);
	free(prefix);
	return status;
}

/* Traverse `providers`. */
static enum ik_status load_providers(struct loader *loader, struct ik_json_span providers)
{
	struct ik_json_walk walk = { NULL };
	enum ik_status status = IK_OK;
	struct ik_json_span key, value;

	if (ik_json_span_type(providers) != IK_JSON_OBJECT)
		return refuse(loader, "providers", providers, _("an object"));
	while (status == IK_OK && ik_json_next(providers, &walk, &key, &value)) {
		char *name = ik_json_string_new(key, NULL), *shown = ik_format("providers.%s", name);
		const struct section section = { &ik_provider_keys, name, "" };

		if (!*name)
			status = refuse(loader, "providers", key, _("a name that is not empty"));
		else if (ik_json_span_type(value) != IK_JSON_OBJECT)
			status = refuse(loader, shown, value, _("an object"));
		else
			status = load_section(loader, value, &section);
		if (status == IK_OK && loader->store)
			ik_config_provider_target(loader->config, name); /* even if it is empty */
		free(name);
		free(shown);
	}
	return status;
}

/* Handle one member of a section. */
static enum ik_status load_member(struct loader *loader, const struct section *section,
	const char *name, struct ik_json_span key, struct ik_json_span value)
{
	const struct ik_config_key *known = ik_config_key_find(section->table, name);

	if (!section->provider && ik_text_equal(name, "max_output_size"))
		known = ik_config_key_find(section->table, "tools.max_output_size");
	if (!section->provider && ik_text_equal(name, "providers"))
		return is_allowed(loader, key, name, false) ? load_providers(loader, value) : IK_OK;
	if (known)
		return is_allowed(loader, key, name, known->project || section->provider)
			? load_value(loader, section, known, value)
			: IK_OK;
	if (ik_config_key_is_group(section->table, name))
		return load_group(loader, section, name, value);
	warn_unknown(loader, key, section, name);
	return IK_OK;
}

static enum ik_status load_section(struct loader *loader, struct ik_json_span object,
	const struct section *section)
{
	struct ik_json_walk walk = { NULL };
	enum ik_status status = IK_OK;
	struct ik_json_span key, value;

	while (status == IK_OK && ik_json_next(object, &walk, &key, &value)) {
		char *part = ik_json_string_new(key, NULL);
		char *name = ik_format("%s%s", section->prefix, part);

		if (ik_json_member(object, part).text != value.text)
			warn(loader, key, name, _("is there more than once; the first one counts"));
		else
			status = load_member(loader, section, name, key, value);
		free(part);
		free(name);
	}
	return status;
}

/* Load a text: blank out comments, check it, traverse it twice. */
static enum ik_status load_text(struct loader *loader, char *text, size_t length)
{
	const struct section section = { &ik_config_keys, NULL, "" };
	struct ik_json_span root;
	struct ik_error reason;
	enum ik_status status;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		memset(text, ' ', 3); /* an editor's byte order mark; columns stay the same */
	ik_json_blank_comments(text, length);
	if (strspn(text, " \t\r\n") == length)
		return IK_OK;
	if (ik_json_check(text, length, &root, &reason) != IK_OK)
		return ik_error_set(loader->error, IK_INVALID, "%s: %s", loader->path, reason.text);
	loader->text = text;
	if (ik_json_span_type(root) != IK_JSON_OBJECT)
		return ik_error_set(loader->error, IK_INVALID, _("%s: must be a JSON object, but is: %s"),
			loader->path, ik_json_type_name(ik_json_span_type(root)));
	status = load_section(loader, root, &section);
	if (status != IK_OK)
		return status;
	loader->store = true;
	return load_section(loader, root, &section);
}

enum ik_status ik_config_load_text(struct ik_config *config, const char *path, const char *text,
	size_t length, enum ik_origin origin, struct ik_error *error)
{
	struct loader loader = { .config = config, .path = path, .origin = origin, .error = error };
	struct ik_buf copy;
	enum ik_status status;

	/* Comments are blanked out in place. */
	ik_buf_init(&copy, IK_LIMIT_CONFIG);
	ik_buf_append(&copy, text, length);
	status = ik_buf_check(&copy, path, error);
	if (status == IK_OK && copy.length > 0)
		status = load_text(&loader, copy.data, copy.length);
	ik_buf_done(&copy);
	return status;
}

enum ik_status ik_config_load(struct ik_config *config, const char *path, enum ik_origin origin,
	struct ik_error *error)
{
	struct ik_buf text;
	enum ik_status status;

	ik_buf_init(&text, IK_LIMIT_CONFIG);
	status = ik_file_read(path, &text, error);
	if (status == IK_NOT_FOUND)
		status = IK_OK;
	else if (status == IK_OK)
		status = ik_config_load_text(config, path, text.data, text.length, origin, error);
	ik_buf_done(&text);
	return status;
}
