#include "config/config.h"

#include <stdlib.h>
#include <string.h>

#include "config/config_keys.h"
#include "config/rules.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit on the part of a value that an error quotes. */
#define EXCERPT_BYTES 60

/* Return an origin's name, such as "default". */
static const char *origin_name(enum ik_origin origin)
{
	static const char *const names[] = { "default", "user", "project", "environment", "option" };

	return names[origin];
}

/* A struct whose fields a table describes. */
struct config_target {
	const struct ik_key_table *table;
	void *base;
	enum ik_origin *origins; /* origins of the keys, in the table's order */
};

static struct config_target plain_target(struct ik_config *config)
{
	return (struct config_target){ &ik_config_keys, config, config->origins };
}

/* Return the entry called name in providers; create it if it is missing. */
static struct config_target provider_target(struct ik_config *config, const char *name)
{
	const struct ik_provider_config *known = ik_config_provider(config, name);
	size_t index = known ? (size_t)(known - config->providers) : config->provider_count;
	struct ik_provider_config *provider;

	if (!known) {
		config->providers = ik_alloc_array(config->providers, index + 1,
			sizeof(*config->providers));
		config->providers[config->provider_count++] = (struct ik_provider_config){
			.name = ik_strdup(name),
			.price_input = -1,
			.price_output = -1,
			.price_cached = -1,
			.price_written = -1,
			.origins = ik_alloc(ik_provider_keys.count * sizeof(enum ik_origin)),
		};
	}
	provider = &config->providers[index];
	return (struct config_target){ &ik_provider_keys, provider, provider->origins };
}

/* Store a valid value in its field and record its origin. */
static void store_value(const struct config_target *target, const struct ik_config_key *key,
	struct ik_json_span value, enum ik_origin origin)
{
	ik_config_value_store(key, value, target->base);
	target->origins[key - target->table->keys] = origin;
}

void ik_string_list_add(struct ik_string_list *list, char *text)
{
	list->items = ik_alloc_array(list->items, list->count + 2, sizeof(*list->items));
	list->items[list->count++] = text;
	list->items[list->count] = NULL;
}

void ik_string_list_done(struct ik_string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct ik_string_list){ NULL, 0 };
}

void ik_config_warn(struct ik_config *config, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	ik_string_list_add(&config->warnings, ik_vformat(format, arguments));
	va_end(arguments);
}

struct ik_config *ik_config_new(void)
{
	struct ik_config *config = ik_alloc(sizeof(*config));
	struct config_target target;

	config->origins = ik_alloc(ik_config_keys.count * sizeof(enum ik_origin));
	target = plain_target(config);
	for (size_t i = 0; i < ik_config_keys.count; i++) {
		const struct ik_config_key *key = &ik_config_keys.keys[i];

		if (key->standard)
			store_value(&target, key, (struct ik_json_span){ key->standard, strlen(key->standard) },
				IK_ORIGIN_DEFAULT);
	}
	return config;
}

/* Release all fields of a table. */
static void free_fields(const struct ik_key_table *table, void *base)
{
	for (size_t i = 0; i < table->count; i++)
		ik_config_value_free(&table->keys[i], base);
}

struct ik_config *ik_config_free(struct ik_config *config)
{
	if (!config)
		return NULL;
	free_fields(&ik_config_keys, config);
	for (size_t i = 0; i < config->provider_count; i++) {
		free_fields(&ik_provider_keys, &config->providers[i]);
		free(config->providers[i].name);
		free(config->providers[i].origins);
	}
	free(config->providers);
	for (size_t i = 0; i < config->warnings.count; i++)
		free(config->warnings.items[i]);
	free(config->warnings.items);
	free(config->origins);
	free(config->model_lists);
	free(config->model_rules);
	free(config);
	return NULL;
}

const struct ik_provider_config *ik_config_provider(const struct ik_config *config,
	const char *name)
{
	for (size_t i = 0; i < config->provider_count; i++) {
		if (ik_text_equal(config->providers[i].name, name))
			return &config->providers[i];
	}
	return NULL;
}

enum ik_origin ik_config_origin(const struct ik_config *config, const char *name)
{
	char *provider_name;
	const struct ik_config_key *key = ik_config_key_named(name, &provider_name);
	const struct ik_provider_config *provider = provider_name
		? ik_config_provider(config, provider_name)
		: NULL;
	enum ik_origin origin = IK_ORIGIN_DEFAULT;

	if (key && !provider_name)
		origin = config->origins[key - ik_config_keys.keys];
	else if (provider)
		origin = provider->origins[key - ik_provider_keys.keys];
	free(provider_name);
	return origin;
}

/* Is the value of a key with its own format (rules, bindings) valid? If not, *ret_place points to
 * the faulty part. */
static enum ik_status check_form(const struct ik_config *config, const struct ik_config_key *key,
	struct ik_json_span value, const char **ret_place, struct ik_error *error)
{
	struct ik_rules rules = { NULL, 0 };
	enum ik_status status = IK_OK;

	if (key->type == IK_KEY_RULES) {
		status = ik_rules_read(&rules, value, ret_place, error);
		ik_rules_done(&rules);
	} else if (key->type == IK_KEY_BINDINGS && config->check_keys) {
		status = config->check_keys(value, ret_place, error);
	}
	return status;
}

/* The source of values, as errors name it. */
struct config_source {
	const char *name; /* name of a file, a variable or an option */
	const char *text; /* contents of the file; NULL if the source is not a file */
	enum ik_origin origin;
};

/* Return the subject of an error: "config.json:7: \"model\"", or "--model". The caller frees it. */
static char *subject_of(const struct config_source *source, const char *place, const char *key)
{
	return source->text
		? ik_format("%s:%d: \"%s\"", source->name, ik_json_line(source->text, place), key)
		: ik_strdup(source->name);
}

/* Fail because the value of a key, or of something that contains it, is not as wanted. Runs of
 * blanks in the quoted value are collapsed; long text is cut. */
static enum ik_status refuse(const struct config_source *source, const char *name,
	struct ik_json_span value, const char *wanted, struct ik_error *error)
{
	char *subject = subject_of(source, value.text, name);
	char excerpt[EXCERPT_BYTES + 1];
	size_t count = 0, at;

	for (at = 0; at < value.length && count < EXCERPT_BYTES; at++) {
		bool blank = strchr(" \t\r\n", value.text[at]);

		if (!blank || count == 0 || excerpt[count - 1] != ' ')
			excerpt[count++] = blank ? ' ' : value.text[at];
	}
	/* The cut may have split a character. */
	excerpt[count] = '\0';
	count = ik_utf8_valid_prefix(excerpt, count);
	(void)ik_error_set(error, IK_INVALID, _("%s is %.*s%s, but must be %s"), subject, (int)count,
		excerpt, at < value.length ? "\xe2\x80\xa6" : "", wanted);
	free(subject);
	return IK_INVALID;
}

/* Set the key with this full name if the value is valid. provider is NULL for a plain key. */
static enum ik_status set_value(struct ik_config *config, const struct ik_config_key *key,
	const char *name, const char *provider, struct ik_json_span value,
	const struct config_source *source, struct ik_error *error)
{
	const char *place = value.text;
	struct config_target target;
	struct ik_error reason;
	struct ik_buf wanted;
	char *subject;

	if (!ik_config_value_fits(key, value)) {
		ik_buf_init(&wanted, IK_KIB(1));
		ik_config_key_wanted(key, &wanted);
		(void)refuse(source, name, value, wanted.data, error);
		ik_buf_done(&wanted);
		return IK_INVALID;
	}
	if (check_form(config, key, value, &place, &reason) != IK_OK) {
		subject = subject_of(source, place, name);
		(void)ik_error_set(error, IK_INVALID, "%s%s %s", subject, source->text ? "," : ":",
			reason.text);
		free(subject);
		return IK_INVALID;
	}
	target = provider ? provider_target(config, provider) : plain_target(config);
	store_value(&target, key, value, source->origin);
	return IK_OK;
}

enum ik_status ik_config_set(struct ik_config *config, const char *name, const char *text,
	enum ik_origin origin, const char *where, struct ik_error *error)
{
	const struct config_source source = { .name = where, .origin = origin };
	char *provider;
	const struct ik_config_key *key = ik_config_key_named(name, &provider);
	enum ik_status status;
	struct ik_buf json;

	if (!key)
		return ik_error_set(error, IK_NOT_FOUND,
			_("%s: there is no key \"%s\" in the configuration"), where, name);
	ik_buf_init(&json, IK_LIMIT_CONFIG);
	ik_config_value_read(key, text, &json);
	status = ik_buf_check(&json, where, error);
	if (status == IK_OK)
		status = set_value(config, key, name, provider,
			(struct ik_json_span){ json.data, json.length }, &source, error);
	ik_buf_done(&json);
	free(provider);
	return status;
}

/* Set a key from an environment variable that exists and is not empty. */
static enum ik_status set_from_variable(struct ik_config *config, const char *key,
	const char *variable, struct ik_error *error)
{
	const char *value = variable ? getenv(variable) : NULL;

	if (!value || !*value)
		return IK_OK;
	return ik_config_set(config, key, value, IK_ORIGIN_ENVIRONMENT, variable, error);
}

enum ik_status ik_config_environment(struct ik_config *config, struct ik_error *error)
{
	enum ik_status status = IK_OK;
	const struct ik_provider_variable *pair;

	for (size_t i = 0; i < ik_config_keys.count && status == IK_OK; i++)
		status = set_from_variable(config, ik_config_keys.keys[i].name,
			ik_config_keys.keys[i].variable, error);
	for (pair = ik_provider_variables; pair->variable && status == IK_OK; pair++)
		status = set_from_variable(config, pair->key, pair->variable, error);
	return status;
}

/* Append a key with its value and origin. */
static void print_key(const char *name, const struct ik_config_key *key, const void *base,
	enum ik_origin origin, bool json, struct ik_buf *out)
{
	if (json) {
		ik_json_printf(out, "'%s':{'value':", name);
		ik_config_value_print(key, base, out);
		ik_json_printf(out, "'origin':'%s'}", origin_name(origin));
	} else {
		ik_buf_printf(out, "%s = ", name);
		ik_config_value_print(key, base, out);
		ik_buf_printf(out, " (%s)\n", origin_name(origin));
	}
}

void ik_config_print(const struct ik_config *config, bool json, struct ik_buf *out)
{
	if (json)
		ik_json_open(out, '{');
	for (size_t i = 0; i < ik_config_keys.count; i++)
		print_key(ik_config_keys.keys[i].name, &ik_config_keys.keys[i], config, config->origins[i],
			json, out);
	for (size_t i = 0; i < config->provider_count * ik_provider_keys.count; i++) {
		const struct ik_config_key *key = &ik_provider_keys.keys[i % ik_provider_keys.count];
		const struct ik_provider_config *provider = &config->providers[i / ik_provider_keys.count];
		enum ik_origin origin = provider->origins[i % ik_provider_keys.count];
		char *name;

		if (origin == IK_ORIGIN_DEFAULT)
			continue;
		name = ik_format("providers.%s.%s", provider->name, key->name);
		print_key(name, key, provider, origin, json, out);
		free(name);
	}
	if (json)
		ik_json_close(out, '}');
}

/* ---- files ---- */

/* A file being loaded. */
struct loader {
	struct ik_config *config;
	struct config_source source;
	struct ik_error *error;
};

/* An object in the file whose members are keys of a table. */
struct section {
	const struct ik_key_table *table;
	const char *provider; /* NULL: the table of plain keys */
	const char *prefix;   /* prefix of the keys in the table: "" or "tools." */
};

static enum ik_status load_section(struct loader *loader, const char *name,
	struct ik_json_span object, const struct section *section);

/* Return a key's full name, in new memory. */
static char *full_name(const struct section *section, const char *name)
{
	return section->provider ? ik_format("providers.%s.%s", section->provider, name)
							 : ik_strdup(name);
}

/* Add a warning about a key. */
static void warn(struct loader *loader, struct ik_json_span key, const char *name,
	const char *sentence)
{
	char *subject = subject_of(&loader->source, key.text, name);

	ik_config_warn(loader->config, "%s %s", subject, sentence);
	free(subject);
}

/* Add a warning about an unknown key that suggests the nearest key or group. */
static void warn_unknown(struct loader *loader, struct ik_json_span key,
	const struct section *section, const char *name)
{
	size_t count = section->table->count;
	/* Collect each key and its group, "tools" of "tools.watch"; duplicates do no harm. */
	char **groups = ik_alloc_array(NULL, count, sizeof(*groups));
	const char **names = ik_alloc_array(NULL, 2 * count + 1, sizeof(*names));
	char *shown = full_name(section, name), *nearest, *sentence;
	const char *found;

	for (size_t i = 0; i < count; i++) {
		const char *known = section->table->keys[i].name;

		names[i] = known;
		names[count + i] = groups[i] = ik_strndup(known, strcspn(known, "."));
	}
	names[2 * count] = "providers";
	found = ik_text_nearest(name, names, section->provider ? 2 * count : 2 * count + 1);
	nearest = found ? full_name(section, found) : NULL;
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

/* Load `providers`. */
static enum ik_status load_providers(struct loader *loader, struct ik_json_span providers)
{
	enum ik_status status = IK_OK;

	if (ik_json_span_type(providers) != IK_JSON_OBJECT)
		return refuse(&loader->source, "providers", providers, _("an object"), loader->error);
	for (struct ik_json_walk walk = ik_json_walk(providers);
		 status == IK_OK && ik_json_next(&walk);) {
		char *name = ik_json_string_new(walk.key, NULL), *shown = ik_format("providers.%s", name);
		const struct section section = { &ik_provider_keys, name, "" };

		if (*name)
			status = load_section(loader, shown, walk.value, &section);
		else
			status = refuse(&loader->source, "providers", walk.key, _("a name that is not empty"),
				loader->error);
		if (status == IK_OK)
			provider_target(loader->config, name); /* create it even if it is empty */
		free(name);
		free(shown);
	}
	return status;
}

/* Load one member of a section. */
static enum ik_status load_member(struct loader *loader, const struct section *section,
	const char *name, struct ik_json_span key, struct ik_json_span value)
{
	const struct ik_config_key *known = ik_config_key_find(section->table, name);
	bool providers = !section->provider && ik_text_equal(name, "providers");
	char *shown = full_name(section, name), *prefix = ik_format("%s.", name);
	struct section inner = { section->table, section->provider, prefix };
	enum ik_status status = IK_OK;

	if (!section->provider && ik_text_equal(name, "max_output_size"))
		known = ik_config_key_find(section->table, "tools.max_output_size");
	if (loader->source.origin == IK_ORIGIN_PROJECT && (providers || (known && !known->project)))
		warn(loader, key, name, _("is left out: a project's file may not set it"));
	else if (providers)
		status = load_providers(loader, value);
	else if (known)
		status = set_value(loader->config, known, shown, section->provider, value, &loader->source,
			loader->error);
	else if (ik_config_key_is_group(section->table, name))
		status = load_section(loader, shown, value, &inner);
	else
		warn_unknown(loader, key, section, name);
	free(shown);
	free(prefix);
	return status;
}

/* Load the object with this full name, whose members are keys or parts of keys. */
static enum ik_status load_section(struct loader *loader, const char *name,
	struct ik_json_span object, const struct section *section)
{
	enum ik_status status = IK_OK;

	if (ik_json_span_type(object) != IK_JSON_OBJECT)
		return refuse(&loader->source, name, object, _("an object"), loader->error);
	for (struct ik_json_walk walk = ik_json_walk(object); status == IK_OK && ik_json_next(&walk);) {
		char *part = ik_json_string_new(walk.key, NULL);
		char *member = ik_format("%s%s", section->prefix, part);

		if (ik_json_member(object, part).text != walk.value.text)
			warn(loader, walk.key, member, _("is there more than once; the first one counts"));
		else
			status = load_member(loader, section, member, walk.key, walk.value);
		free(part);
		free(member);
	}
	return status;
}

enum ik_status ik_config_load_text(struct ik_config *config, const char *path, struct ik_buf *text,
	enum ik_origin origin, struct ik_error *error)
{
	struct loader loader = {
		.config = config,
		.source = { .name = path, .text = text->data, .origin = origin },
		.error = error,
	};
	const struct section section = { &ik_config_keys, NULL, "" };
	struct ik_json_span root;
	struct ik_error reason;

	ik_json_blank_comments(text->data, text->length);
	if (strspn(text->data, " \t\r\n") == text->length)
		return IK_OK;
	if (ik_json_check(text->data, text->length, &root, &reason) != IK_OK)
		return ik_error_set(error, IK_INVALID, "%s: %s", path, reason.text);
	if (ik_json_span_type(root) != IK_JSON_OBJECT)
		return ik_error_set(error, IK_INVALID, _("%s: must be a JSON object, but is: %s"), path,
			ik_json_type_name(ik_json_span_type(root)));
	return load_section(&loader, path, root, &section);
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
		status = ik_config_load_text(config, path, &text, origin, error);
	ik_buf_done(&text);
	return status;
}
