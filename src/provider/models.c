#include "provider/models.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* Limit on the models in a list, more than any provider has; the rest is ignored. */
#define MODELS_MOST 10000

extern const char ik_built_in_model_rules[]; /* models.json */

static const char *const level_names[] = { "off", "minimal", "low", "medium", "high", "xhigh",
	"max" };
#define LEVELS (sizeof(level_names) / sizeof(*level_names))
/* Budgets for the same levels, in tokens. */
static const int64_t budgets[LEVELS] = { 0, 512, 2048, 8192, 24576, 24576, 24576 };

enum ik_thinking ik_thinking_level(const char *name)
{
	for (size_t index = 0; name && index < LEVELS; index++) {
		if (ik_text_equal(level_names[index], name))
			return (enum ik_thinking)((size_t)IK_THINKING_OFF + index);
	}
	return IK_THINKING_UNSET;
}

/* ---- facts ---- */

/* Facts being collected about a model. */
struct facts_reader {
	const char *model; /* its name without its vendor */
	const char *type;
	struct ik_model_facts facts;
	unsigned known; /* a bit for each member of rules that is known */
};

static bool read_window(struct facts_reader *reader, struct ik_json_span value)
{
	return ik_json_integer(value, &reader->facts.context_window) &&
		reader->facts.context_window > 0;
}

static bool read_output(struct facts_reader *reader, struct ik_json_span value)
{
	return ik_json_integer(value, &reader->facts.max_output) && reader->facts.max_output > 0;
}

/* Read the levels of a form. */
static bool read_levels(struct ik_model_facts *facts, struct ik_json_span words)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, word;

	while (ik_json_next(words, &walk, &key, &word)) {
		char *name = ik_json_text_new(word);
		enum ik_thinking level = ik_thinking_level(name);

		if (!name)
			return false;
		if (level == IK_THINKING_UNSET)
			level = IK_THINKING_OFF;
		if (level == IK_THINKING_OFF)
			(void)snprintf(facts->off, sizeof(facts->off), "%s", name);
		facts->levels |= 1u << level;
		free(name);
	}
	return facts->levels != 0;
}

/* The forms of each wire format; the first one that a rule has applies. */
static const struct thinking_name {
	const char *name, *type;
	enum ik_thinking_form form;
} forms[] = {
	{ "effort", IK_OPENAI_CHAT, IK_THINKING_EFFORT },
	{ "effort", IK_OPENAI_RESPONSES, IK_THINKING_EFFORT },
	{ "adaptive", IK_ANTHROPIC, IK_THINKING_ADAPTIVE },
	{ "budget", IK_ANTHROPIC, IK_THINKING_BUDGET },
	{ "level", IK_GOOGLE, IK_THINKING_GOOGLE_LEVEL },
	{ "tokens", IK_GOOGLE, IK_THINKING_GOOGLE_BUDGET },
};

static bool read_thinking(struct facts_reader *reader, struct ik_json_span value)
{
	for (size_t index = 0; index < sizeof(forms) / sizeof(*forms); index++) {
		struct ik_json_span words = ik_json_member(value, forms[index].name);

		if (!words.text || !ik_text_equal(forms[index].type, reader->type))
			continue;
		reader->facts.form = forms[index].form;
		return read_levels(&reader->facts, words);
	}
	return ik_json_span_type(value) == IK_JSON_OBJECT && ik_json_count(value) == 0;
}

static bool read_signatures(struct facts_reader *reader, struct ik_json_span value)
{
	return ik_json_bool(value, &reader->facts.signatures);
}

static bool read_price(struct facts_reader *reader, struct ik_json_span value)
{
	struct ik_price *price = &reader->facts.price;

	(void)ik_json_double(ik_json_member(value, "cached"), &price->cached);
	return ik_json_double(ik_json_member(value, "input"), &price->input) &&
		ik_json_double(ik_json_member(value, "output"), &price->output);
}

static bool read_retires(struct facts_reader *reader, struct ik_json_span value)
{
	char *day = ik_json_text_new(value);
	bool is_day = day && fnmatch("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]", day, 0) == 0;

	if (is_day)
		memcpy(reader->facts.retires, day, sizeof(reader->facts.retires));
	free(day);
	return is_day;
}

/* Members that are not facts. */
static bool read_text(struct facts_reader *reader, struct ik_json_span value)
{
	(void)reader;
	return ik_json_span_type(value) == IK_JSON_STRING;
}

static const struct rule_member {
	const char *name;
	/* Read the fact; false: the value is wrong, or says nothing for this wire format. */
	bool (*read)(struct facts_reader *reader, struct ik_json_span value);
	const char *form; /* what its value has to be */
} members[] = {
	{ "name", read_text, N_("a string") },
	{ "match", read_text, N_("a string") },
	{ "default", read_text, N_("a string") },
	{ "context_window", read_window, N_("a whole number above 0") },
	{ "max_output", read_output, N_("a whole number above 0") },
	{ "thinking", read_thinking,
		N_("an object with lists of levels: \"effort\", \"adaptive\", \"budget\", \"level\" or "
		   "\"tokens\"") },
	{ "signatures", read_signatures, N_("true or false") },
	{ "price", read_price, N_("an object with the numbers \"input\", \"output\" and \"cached\"") },
	{ "retires", read_retires, N_("a day such as \"2026-11-30\"") },
};
#define MEMBERS (sizeof(members) / sizeof(*members))

/* Return a model's name without its vendor: anthropic/NAME, us.anthropic.NAME. */
static const char *without_vendor(const char *model)
{
	static const char vendor[] = "anthropic.";
	const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model;
	const char *dotted = strstr(name, vendor);

	return dotted ? dotted + strlen(vendor) : name;
}

static bool applies(struct ik_json_span rule, const char *model)
{
	char *pattern = ik_json_text_new(ik_json_member(rule, "match"));
	bool matches = pattern && fnmatch(pattern, model, 0) == 0;

	free(pattern);
	return matches || ik_json_string_is(ik_json_member(rule, "name"), model);
}

/* Read the members of a rule that are not known yet. */
static void read_rule(struct facts_reader *reader, struct ik_json_span rule)
{
	for (size_t index = 0; index < MEMBERS; index++) {
		struct ik_json_span value = ik_json_member(rule, members[index].name);

		if (value.text && !(reader->known & 1u << index) && members[index].read(reader, value))
			reader->known |= 1u << index;
	}
}

/* Return the array in a text that is known to be JSON; no value for NULL. */
static struct ik_json_span array_of(const char *rules)
{
	struct ik_json_span array = { NULL, 0 };

	if (rules)
		(void)!ik_json_check(rules, strlen(rules), &array, NULL);
	return array;
}

struct ik_model_facts ik_model_facts(const char *rules, const char *model, const char *type)
{
	const char *const sources[] = { rules, ik_built_in_model_rules };
	struct facts_reader reader = {
		.model = without_vendor(model), .type = type, .facts.price = IK_PRICE_UNKNOWN
	};

	for (size_t i = 0; i < 2; i++) {
		struct ik_json_span array = array_of(sources[i]), key, rule;
		struct ik_json_walk walk = { 0 };

		while (ik_json_next(array, &walk, &key, &rule))
			if (applies(rule, reader.model))
				read_rule(&reader, rule);
	}
	return reader.facts;
}

char *ik_model_default(const char *rules, const char *provider)
{
	const char *const sources[] = { rules, ik_built_in_model_rules };
	char *name = NULL;

	for (size_t i = 0; !name && i < 2; i++) {
		struct ik_json_span array = array_of(sources[i]), key, rule;
		struct ik_json_walk walk = { 0 };

		while (!name && ik_json_next(array, &walk, &key, &rule))
			if (ik_json_string_is(ik_json_member(rule, "default"), provider))
				name = ik_json_text_new(ik_json_member(rule, "name"));
	}
	return name;
}

/* ---- checking rules ---- */

/* Return the member of rules with this name; NULL if it is unknown. */
static const struct rule_member *find_member(struct ik_json_span name)
{
	for (size_t index = 0; index < MEMBERS; index++)
		if (ik_json_string_is(name, members[index].name))
			return &members[index];
	return NULL;
}

/* Could the value be right in one of the wire formats? */
static bool is_right(const struct rule_member *member, struct ik_json_span value)
{
	for (size_t index = 0; index < sizeof(forms) / sizeof(*forms); index++) {
		struct facts_reader reader = { .type = forms[index].type };

		if (member->read(&reader, value))
			return true;
	}
	return false;
}

static enum ik_status check_rule(const char *path, const char *text, struct ik_json_span rule,
	struct ik_error *error)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value;

	if (!ik_json_member(rule, "name").text && !ik_json_member(rule, "match").text)
		return ik_error_set(error, IK_INVALID,
			_("%s:%d: a rule has to be an object with \"name\" or \"match\""), path,
			ik_json_line(text, rule.text));
	while (ik_json_next(rule, &walk, &key, &value)) {
		const struct rule_member *member = find_member(key);

		if (!member)
			return ik_error_set(error, IK_INVALID, _("%s:%d: %.*s is unknown; there are: %s"), path,
				ik_json_line(text, key.text), (int)key.length, key.text,
				"name, match, default, context_window, max_output, thinking, signatures, price, "
				"retires");
		if (!is_right(member, value))
			return ik_error_set(error, IK_INVALID, _("%s:%d: \"%s\" has to be %s"), path,
				ik_json_line(text, key.text), member->name, _(member->form));
	}
	return IK_OK;
}

enum ik_status ik_model_rules_check(const char *path, char *text, size_t length,
	struct ik_error *error)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span rules, key, rule;
	enum ik_status status;
	struct ik_error reason;

	ik_json_blank_comments(text, length);
	if (ik_json_check(text, length, &rules, &reason) != IK_OK)
		return ik_error_set(error, IK_INVALID, "%s: %s", path, reason.text);
	if (ik_json_span_type(rules) != IK_JSON_ARRAY)
		return ik_error_set(error, IK_INVALID, _("%s: must be a JSON array of rules"), path);
	for (status = IK_OK; status == IK_OK && ik_json_next(rules, &walk, &key, &rule);)
		status = check_rule(path, text, rule, error);
	return status;
}

/* ---- thinking ---- */

/* Return the level nearest to the wanted one that the model has; of two, the higher one. */
static int nearest(unsigned levels, int wanted)
{
	for (int far = 0; far <= IK_THINKING_MAX; far++) {
		if (wanted + far <= IK_THINKING_MAX && levels & 1u << (wanted + far))
			return wanted + far;
		if (wanted - far >= IK_THINKING_OFF && levels & 1u << (wanted - far))
			return wanted - far;
	}
	return wanted;
}

struct ik_thinking_words ik_thinking_words(const struct ik_request *request)
{
	const struct ik_model_facts *facts = request->facts;
	int level;

	if (request->thinking == IK_THINKING_UNSET || facts->form == IK_THINKING_UNSAID)
		return (struct ik_thinking_words){ .form = IK_THINKING_UNSAID };
	level = nearest(facts->levels, (int)request->thinking);
	return (struct ik_thinking_words){
		.form = facts->form,
		.level = level == IK_THINKING_OFF ? facts->off : level_names[level - IK_THINKING_OFF],
		.tokens = budgets[level - IK_THINKING_OFF],
		.off = level == IK_THINKING_OFF,
	};
}

/* ---- a provider's list ---- */

/* Does a Google model generate content? Other providers do not report that. */
static bool generates(struct ik_json_span model)
{
	struct ik_json_span methods = ik_json_member(model, "supportedGenerationMethods");

	return !methods.text || ik_json_holds(methods, IK_JSON_SPAN("\"generateContent\""));
}

/* Return the name to use in requests, in new memory, or NULL. */
static char *name_of(struct ik_json_span model)
{
	static const char prefix[] = "models/";
	char *name = ik_json_string_new(ik_json_member(model, "id"), NULL);

	if (!name)
		name = ik_json_string_new(ik_json_member(model, "name"), NULL);
	if (name && ik_text_starts(name, prefix))
		memmove(name, name + sizeof(prefix) - 1, strlen(name) - (sizeof(prefix) - 1) + 1);
	if (name && *name == '\0') {
		free(name);
		name = NULL;
	}
	return name;
}

static int compare(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Sort the names and remove duplicates. Return the number left. */
static size_t settle(char **names, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(names, count, sizeof(*names), compare);
	for (size_t index = 0; index < count; index++) {
		if (kept && strcmp(names[kept - 1], names[index]) == 0)
			free(names[index]);
		else
			names[kept++] = names[index];
	}
	return kept;
}

char **ik_models_read(const char *body, size_t length, size_t *ret_count, struct ik_error *error)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span answer, list, key, model;
	size_t count = 0, room;
	char **names;

	if (ik_json_check(body, length, &answer, error) != IK_OK)
		return NULL;
	list = ik_json_member(answer, "data");
	if (ik_json_span_type(list) != IK_JSON_ARRAY)
		list = ik_json_member(answer, "models");
	if (ik_json_span_type(list) != IK_JSON_ARRAY) {
		(void)ik_error_set(error, IK_INVALID, "%s", _("The server's answer is no list of models."));
		return NULL;
	}
	room = ik_json_count(list) < MODELS_MOST ? ik_json_count(list) : MODELS_MOST;
	names = ik_alloc((room + 1) * sizeof(*names));
	while (count < room && ik_json_next(list, &walk, &key, &model)) {
		char *name = generates(model) ? name_of(model) : NULL;

		if (name)
			names[count++] = name;
	}
	*ret_count = settle(names, count);
	return names;
}
