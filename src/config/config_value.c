#include "config/config_value.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/redact.h"
#include "util/text.h"

/* Shown in place of a secret. */
static const char hidden[] = "***";

/* Strings. */

static bool is_text(struct ik_json_span value)
{
	char *text = ik_json_text_new(value);

	free(text);
	return text;
}

static bool is_choice(const struct ik_config_key *key, struct ik_json_span value)
{
	for (const char *const *choice = key->choices; *choice; choice++) {
		if (ik_json_string_is(value, *choice))
			return true;
	}
	return false;
}

/* Durations. */

/* Parse an unsigned duration like Go's time.ParseDuration; return milliseconds, -1 if it is
 * invalid. */
static double read_duration(const char *at)
{
	static const struct {
		const char *name;
		double nanoseconds;
	} units[] = {
		/* longer ones first: "ms" is not "m" followed by an "s" */
		{ "ns", 1 },
		{ "us", 1e3 },
		{ "\xc2\xb5s", 1e3 },
		{ "\xce\xbcs", 1e3 },
		{ "ms", 1e6 },
		{ "s", 1e9 },
		{ "m", 60e9 },
		{ "h", 3600e9 },
	};
	double total = 0;

	if (!*at)
		return -1;
	while (*at) {
		size_t digits = strspn(at, "0123456789."), unit = 0;
		char *end;
		double number = strtod(at, &end);

		if (digits == 0 || end != at + digits)
			return -1;
		while (unit < sizeof(units) / sizeof(units[0]) && !ik_text_starts(end, units[unit].name))
			unit++;
		if (unit == sizeof(units) / sizeof(units[0]))
			return -1;
		at = end + strlen(units[unit].name);
		total += number * units[unit].nanoseconds;
	}
	return total / 1e6;
}

/* Read a duration within its range. */
static bool to_duration(const struct ik_config_key *key, struct ik_json_span value,
	int64_t *ret_milliseconds)
{
	char *text = ik_json_text_new(value);
	double milliseconds = text ? read_duration(text) : -1;

	free(text);
	if (milliseconds < (double)key->least || milliseconds > (double)key->most)
		return false;
	*ret_milliseconds = (int64_t)(milliseconds + 0.5);
	return true;
}

/* Numbers. */

static bool to_integer(const struct ik_config_key *key, struct ik_json_span value,
	int64_t *ret_number)
{
	return ik_json_integer(value, ret_number) && *ret_number >= key->least &&
		*ret_number <= key->most;
}

/* Lists and objects. */

/* Does every element (member) of a container satisfy fits? */
static bool all_fit(const struct ik_config_key *key, struct ik_json_span container,
	bool (*fits)(const struct ik_config_key *key, struct ik_json_span name,
		struct ik_json_span value))
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span name, value;

	while (ik_json_next(container, &walk, &name, &value)) {
		if (!fits(key, name, value))
			return false;
	}
	return true;
}

static bool is_item(const struct ik_config_key *key, struct ik_json_span name,
	struct ik_json_span value)
{
	return is_text(value);
}

static bool is_timeout(const struct ik_config_key *key, struct ik_json_span name,
	struct ik_json_span value)
{
	int64_t seconds;

	return is_text(name) && to_integer(key, value, &seconds);
}

/* Could a string be (part of) a header line without ending it? */
static bool is_header_text(struct ik_json_span value, bool may_have_colon)
{
	char *text = ik_json_text_new(value);
	bool fits = text && !strpbrk(text, "\r\n") && (may_have_colon || !strchr(text, ':'));

	free(text);
	return fits;
}

static bool is_header(const struct ik_config_key *key, struct ik_json_span name,
	struct ik_json_span value)
{
	char *line;
	bool fits;

	if (name.length)
		return is_header_text(name, false) && is_header_text(value, true);
	line = ik_json_text_new(value);
	fits = is_header_text(value, true) && strchr(line, ':') > line;
	free(line);
	return fits;
}

bool ik_config_value_fits(const struct ik_config_key *key, struct ik_json_span value)
{
	enum ik_json_type type = ik_json_span_type(value);
	int64_t number;
	double price;

	switch (key->type) {
	case IK_KEY_BOOL:
		return type == IK_JSON_BOOL;
	case IK_KEY_INTEGER:
		return to_integer(key, value, &number);
	case IK_KEY_DURATION:
		return to_duration(key, value, &number);
	case IK_KEY_PRICE:
		return ik_json_double(value, &price) && price >= 0;
	case IK_KEY_TEXT:
		return is_text(value);
	case IK_KEY_CHOICE:
		return is_choice(key, value);
	case IK_KEY_LIST:
		return type == IK_JSON_ARRAY && all_fit(key, value, is_item);
	case IK_KEY_HEADERS:
		return (type == IK_JSON_ARRAY || type == IK_JSON_OBJECT) && all_fit(key, value, is_header);
	case IK_KEY_TIMEOUTS:
		return type == IK_JSON_OBJECT && all_fit(key, value, is_timeout);
	case IK_KEY_RULES:
		return type == IK_JSON_ARRAY;
	case IK_KEY_BINDINGS:
		return type == IK_JSON_OBJECT;
	}
	return false;
}

/* Make a list from the strings of an array, or as "Name: value" from an object. */
static void store_list(struct ik_json_span value, struct ik_string_list *list)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span name, item;
	size_t size = ik_json_count(value);

	if (size == 0)
		return;
	list->items = ik_alloc((size + 1) * sizeof(*list->items));
	while (ik_json_next(value, &walk, &name, &item)) {
		char *text = ik_json_text_new(item);

		if (name.length) {
			char *header = ik_json_text_new(name), *line = ik_format("%s: %s", header, text);

			free(header);
			free(text);
			text = line;
		}
		list->items[list->count++] = text;
	}
}

/* Merge an object of time-outs into the current ones. */
static void store_timeouts(struct ik_json_span value, struct ik_config *config)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span name, seconds;

	while (ik_json_next(value, &walk, &name, &seconds)) {
		struct ik_tool_timeout *timeout = NULL;
		char *tool = ik_json_text_new(name);

		for (size_t i = 0; i < config->tools_timeout_count; i++) {
			if (ik_text_equal(config->tools_timeouts[i].name, tool))
				timeout = &config->tools_timeouts[i];
		}
		if (!timeout) {
			config->tools_timeouts = ik_alloc_array(config->tools_timeouts,
				config->tools_timeout_count + 1, sizeof(*timeout));
			timeout = &config->tools_timeouts[config->tools_timeout_count++];
			timeout->name = ik_strdup(tool);
		}
		ik_json_integer(seconds, &timeout->seconds);
		free(tool);
	}
}

void ik_config_value_store(const struct ik_config_key *key, struct ik_json_span value, void *base)
{
	void *field = (char *)base + key->offset;

	if (key->set_offset)
		*(bool *)((char *)base + key->set_offset) = true;
	switch (key->type) {
	case IK_KEY_BOOL:
		ik_json_bool(value, field);
		break;
	case IK_KEY_INTEGER:
		ik_json_integer(value, field);
		break;
	case IK_KEY_DURATION:
		to_duration(key, value, field);
		break;
	case IK_KEY_PRICE:
		ik_json_double(value, field);
		break;
	case IK_KEY_TEXT:
	case IK_KEY_CHOICE:
		ik_config_value_free(key, base);
		*(char **)field = ik_json_text_new(value);
		break;
	case IK_KEY_LIST:
	case IK_KEY_HEADERS:
		ik_config_value_free(key, base);
		store_list(value, field);
		break;
	case IK_KEY_TIMEOUTS:
		store_timeouts(value, base);
		break;
	case IK_KEY_RULES:
	case IK_KEY_BINDINGS:
		ik_config_value_free(key, base);
		*(char **)field = ik_strndup(value.text, value.length);
		break;
	}
}

static void free_list(struct ik_string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct ik_string_list){ NULL, 0 };
}

static void free_timeouts(struct ik_config *config)
{
	for (size_t i = 0; i < config->tools_timeout_count; i++)
		free(config->tools_timeouts[i].name);
	free(config->tools_timeouts);
	config->tools_timeouts = NULL;
	config->tools_timeout_count = 0;
}

void ik_config_value_free(const struct ik_config_key *key, void *base)
{
	void *field = (char *)base + key->offset;

	switch (key->type) {
	case IK_KEY_TEXT:
	case IK_KEY_CHOICE:
	case IK_KEY_RULES:
	case IK_KEY_BINDINGS:
		free(*(char **)field);
		*(char **)field = NULL;
		break;
	case IK_KEY_LIST:
	case IK_KEY_HEADERS:
		free_list(field);
		break;
	case IK_KEY_TIMEOUTS:
		free_timeouts(base);
		break;
	default:
		break;
	}
}

/* Append a string; a URL or a connection string without its password. */
static void print_text(const char *text, struct ik_buf *out)
{
	char *shown = ik_redact(text);

	ik_json_put_text(out, shown);
	free(shown);
}

/* Append a list; of headers only the names. */
static void print_list(const struct ik_string_list *list, bool are_headers, struct ik_buf *out)
{
	ik_json_open(out, '[');
	for (size_t i = 0; i < list->count; i++) {
		size_t length = are_headers ? strcspn(list->items[i], ":") : strlen(list->items[i]);

		ik_json_quote_open(out);
		ik_json_escape(out, list->items[i], length);
		if (are_headers)
			ik_buf_printf(out, ": %s", hidden);
		ik_json_quote_close(out);
	}
	ik_json_close(out, ']');
}

static void print_timeouts(const struct ik_config *config, struct ik_buf *out)
{
	ik_json_open(out, '{');
	for (size_t i = 0; i < config->tools_timeout_count; i++) {
		ik_json_printf(out, "'%s':%lld", config->tools_timeouts[i].name,
			(long long)config->tools_timeouts[i].seconds);
	}
	ik_json_close(out, '}');
}

void ik_config_value_print(const struct ik_config_key *key, const void *base, struct ik_buf *out)
{
	const void *field = (const char *)base + key->offset;
	const char *text;

	switch (key->type) {
	case IK_KEY_BOOL:
		ik_json_put_bool(out, *(const bool *)field);
		break;
	case IK_KEY_INTEGER:
		ik_json_put_integer(out, *(const int64_t *)field);
		break;
	case IK_KEY_DURATION:
		ik_json_quote_open(out);
		ik_config_put_duration(*(const int64_t *)field, out);
		ik_json_quote_close(out);
		break;
	case IK_KEY_PRICE:
		ik_json_put_double(out, *(const double *)field);
		break;
	case IK_KEY_TEXT:
	case IK_KEY_CHOICE:
		text = *(char *const *)field;
		if (text)
			print_text(text, out);
		else
			ik_json_put_null(out);
		break;
	case IK_KEY_LIST:
	case IK_KEY_HEADERS:
		print_list(field, key->type == IK_KEY_HEADERS, out);
		break;
	case IK_KEY_TIMEOUTS:
		print_timeouts(base, out);
		break;
	case IK_KEY_RULES:
	case IK_KEY_BINDINGS:
		ik_json_printf(out, "%s", *(char *const *)field);
		break;
	}
}
