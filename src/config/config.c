#include "config/config.h"

#include <stdlib.h>
#include <string.h>

#include "config/config_parts.h"
#include "config/rules.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit on the part of a value that an error quotes. */
#define EXCERPT_BYTES 60

/* Return "default" and so on. */
static const char *origin_name(enum ik_origin origin)
{
	static const char *const names[] = { "default", "user", "project", "environment", "option" };

	return names[origin];
}

struct ik_config_target ik_config_target(struct ik_config *config)
{
	return (struct ik_config_target){ &ik_config_keys, config, config->origins->keys };
}

/* Return the row of origins of a provider. */
static enum ik_origin *provider_origins(const struct ik_config *config, size_t index)
{
	return config->origins->providers + index * ik_provider_keys.count;
}

struct ik_config_target ik_config_provider_target(struct ik_config *config, const char *name)
{
	const struct ik_provider_config *known = ik_config_provider(config, name);
	size_t index = known ? (size_t)(known - config->providers) : config->provider_count;

	if (!known) {
		config->providers = ik_alloc_array(config->providers, index + 1,
			sizeof(*config->providers));
		config->providers[index] = (struct ik_provider_config){
			.name = ik_strdup(name),
			.price_input = -1,
			.price_output = -1,
			.price_cached = -1,
		};
		config->origins->providers = ik_alloc_array(config->origins->providers,
			(index + 1) * ik_provider_keys.count, sizeof(enum ik_origin));
		for (size_t i = 0; i < ik_provider_keys.count; i++)
			provider_origins(config, index)[i] = IK_ORIGIN_DEFAULT;
		config->provider_count++;
	}
	return (struct ik_config_target){ &ik_provider_keys, &config->providers[index],
		provider_origins(config, index) };
}

void ik_config_store(const struct ik_config_target *target, const struct ik_config_key *key,
	struct ik_json_span value, enum ik_origin origin)
{
	ik_config_value_store(key, value, target->base);
	target->origins[key - target->table->keys] = origin;
}

void ik_config_warn(struct ik_config *config, const char *format, ...)
{
	struct ik_string_list *list = &config->warnings;
	struct ik_buf text;

	va_list arguments;

	ik_buf_init(&text, IK_KIB(4));
	va_start(arguments, format);
	ik_buf_vprintf(&text, format, arguments);
	va_end(arguments);
	list->items = ik_alloc_array(list->items, list->count + 2, sizeof(*list->items));
	list->items[list->count++] = ik_buf_take(&text, NULL);
	list->items[list->count] = NULL;
}

enum ik_status ik_config_refuse(const char *subject, struct ik_json_span value, const char *wanted,
	struct ik_error *error)
{
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
	return ik_error_set(error, IK_INVALID, _("%s is %.*s%s, but must be %s"), subject, (int)count,
		excerpt, at < value.length ? "\xe2\x80\xa6" : "", wanted);
}

struct ik_config *ik_config_new(void)
{
	struct ik_config *config = ik_alloc(sizeof(*config));
	struct ik_config_target target;

	config->origins = ik_alloc(sizeof(*config->origins));
	config->origins->keys = ik_alloc(ik_config_keys.count * sizeof(enum ik_origin));
	target = ik_config_target(config);
	for (size_t i = 0; i < ik_config_keys.count; i++) {
		const struct ik_config_key *key = &ik_config_keys.keys[i];

		if (key->standard)
			ik_config_store(&target, key,
				(struct ik_json_span){ key->standard, strlen(key->standard) }, IK_ORIGIN_DEFAULT);
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
	}
	free(config->providers);
	for (size_t i = 0; i < config->warnings.count; i++)
		free(config->warnings.items[i]);
	free(config->warnings.items);
	free(config->origins->keys);
	free(config->origins->providers);
	free(config->origins);
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

/*
 * Find a key by its full name, including "providers.NAME.KEY". NAME may contain dots; *ret_provider
 * gets it in new memory, NULL for a plain key.
 */
static const struct ik_config_key *find_key(const char *name, char **ret_provider)
{
	static const char prefix[] = "providers.";

	*ret_provider = NULL;
	if (!ik_text_starts(name, prefix))
		return ik_config_key_find(&ik_config_keys, name);
	name += sizeof(prefix) - 1;
	for (size_t i = 0; i < ik_provider_keys.count; i++) {
		const struct ik_config_key *key = &ik_provider_keys.keys[i];
		size_t tail = strlen(key->name) + 1, length = strlen(name);

		if (length > tail && name[length - tail] == '.' && ik_text_ends(name, key->name)) {
			*ret_provider = ik_strndup(name, length - tail);
			return key;
		}
	}
	return NULL;
}

enum ik_origin ik_config_origin(const struct ik_config *config, const char *name)
{
	enum ik_origin origin = IK_ORIGIN_DEFAULT;
	char *provider_name;
	const struct ik_config_key *key = find_key(name, &provider_name);
	const struct ik_provider_config *provider;

	if (key && !provider_name) {
		origin = config->origins->keys[key - ik_config_keys.keys];
	} else if (key) {
		provider = ik_config_provider(config, provider_name);
		if (provider)
			origin = provider_origins(config,
				(size_t)(provider - config->providers))[key - ik_provider_keys.keys];
	}
	free(provider_name);
	return origin;
}

/* Translate the words for true and false used in variables and options. */
static const char *to_bool(const char *text)
{
	static const char *const words[][2] = {
		{ "1", "true" },
		{ "yes", "true" },
		{ "on", "true" },
		{ "0", "false" },
		{ "no", "false" },
		{ "off", "false" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(text, words[i][0]) == 0)
			return words[i][1];
	}
	return text;
}

/* Convert plain text to the JSON that a key expects; to a string if it is nothing else. */
static void to_json(const struct ik_config_key *key, const char *text, struct ik_buf *out)
{
	struct ik_json_span value;

	if (key->type == IK_KEY_BOOL)
		text = to_bool(text);
	if (key->type == IK_KEY_TEXT || key->type == IK_KEY_CHOICE || key->type == IK_KEY_DURATION ||
		ik_json_check(text, strlen(text), &value, NULL) != IK_OK)
		ik_json_put_text(out, text);
	else
		ik_json_put_raw(out, value);
}

enum ik_status ik_config_check_form(const struct ik_config *config, const struct ik_config_key *key,
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

enum ik_status ik_config_set(struct ik_config *config, const char *name, const char *text,
	enum ik_origin origin, const char *where, struct ik_error *error)
{
	char *provider;
	const struct ik_config_key *key = find_key(name, &provider);
	enum ik_status status = IK_OK;
	struct ik_config_target target;
	struct ik_buf json, wanted;
	struct ik_json_span value;
	struct ik_error reason;
	const char *place;

	if (!key)
		return ik_error_set(error, IK_NOT_FOUND,
			_("%s: there is no key \"%s\" in the configuration"), where, name);
	ik_buf_init(&json, IK_LIMIT_CONFIG);
	ik_buf_init(&wanted, IK_KIB(1));
	to_json(key, text, &json);
	value = (struct ik_json_span){ json.data, json.length };
	status = ik_buf_check(&json, where, error);
	if (status == IK_OK && !ik_config_value_fits(key, value)) {
		ik_config_key_wanted(key, &wanted);
		status = ik_config_refuse(where, value, wanted.data, error);
	}
	if (status == IK_OK && ik_config_check_form(config, key, value, &place, &reason) != IK_OK)
		status = ik_error_set(error, IK_INVALID, "%s: %s", where, reason.text);
	if (status == IK_OK) {
		target = provider ? ik_config_provider_target(config, provider) : ik_config_target(config);
		ik_config_store(&target, key, value, origin);
	}
	ik_buf_done(&json);
	ik_buf_done(&wanted);
	free(provider);
	return status;
}

/* Set a key from a variable that exists and is not empty. */
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
		print_key(ik_config_keys.keys[i].name, &ik_config_keys.keys[i], config,
			config->origins->keys[i], json, out);
	for (size_t i = 0; i < config->provider_count * ik_provider_keys.count; i++) {
		const struct ik_config_key *key = &ik_provider_keys.keys[i % ik_provider_keys.count];
		const struct ik_provider_config *provider = &config->providers[i / ik_provider_keys.count];
		char *name;

		if (config->origins->providers[i] == IK_ORIGIN_DEFAULT)
			continue;
		name = ik_format("providers.%s.%s", provider->name, key->name);
		print_key(name, key, provider, config->origins->providers[i], json, out);
		free(name);
	}
	if (json)
		ik_json_close(out, '}');
}
