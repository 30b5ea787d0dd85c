#include "provider/models.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json/write.h"
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
	for (size_t index = 0; name && index < LEVELS; index++)
		if (ik_text_equal(level_names[index], name))
			return (enum ik_thinking)((size_t)IK_THINKING_OFF + index);
	return IK_THINKING_UNSET;
}

const char *ik_thinking_name(enum ik_thinking level)
{
	return level_names[level - IK_THINKING_OFF];
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
	for (struct ik_json_walk walk = ik_json_walk(words); ik_json_next(&walk);) {
		char *name = ik_json_text_new(walk.value);
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

/* Read what the model accepts. OpenRouter's word for a PDF is "file"; other words say nothing. */
static bool read_input(struct facts_reader *reader, struct ik_json_span value)
{
	if (ik_json_span_type(value) != IK_JSON_ARRAY)
		return false;
	if (ik_json_holds(value, IK_JSON_SPAN("\"image\"")))
		reader->facts.inputs |= IK_ACCEPTS_IMAGES;
	if (ik_json_holds(value, IK_JSON_SPAN("\"pdf\"")) ||
		ik_json_holds(value, IK_JSON_SPAN("\"file\"")))
		reader->facts.inputs |= IK_ACCEPTS_PDF;
	return true;
}

static bool read_signatures(struct facts_reader *reader, struct ik_json_span value)
{
	return ik_json_bool(value, &reader->facts.signatures);
}

static bool read_price(struct facts_reader *reader, struct ik_json_span value)
{
	struct ik_price *price = &reader->facts.price;

	(void)ik_json_double(ik_json_member(value, "cached"), &price->cached);
	(void)ik_json_double(ik_json_member(value, "written"), &price->written);
	return ik_json_double(ik_json_member(value, "input"), &price->input) &&
		ik_json_double(ik_json_member(value, "output"), &price->output);
}

/* The tools that search the web, by the wire format that they belong to. */
static const struct {
	const char *prefix, *type;
} search_tools[] = {
	{ "web_search_20", IK_ANTHROPIC },
	{ "web_search_options", IK_OPENAI_CHAT },
	{ "web_search", IK_OPENAI_RESPONSES },
	{ "googleSearch", IK_GOOGLE },
};

static bool read_search(struct facts_reader *reader, struct ik_json_span value)
{
	struct ik_json_span tool = ik_json_member(value, "tool");
	char *name = ik_json_text_new(tool.text ? tool : IK_JSON_SPAN("\"\""));
	size_t index = 0;
	bool known = ik_json_span_type(value) == IK_JSON_OBJECT && !tool.text;

	while (name && index < sizeof(search_tools) / sizeof(*search_tools) &&
		!ik_text_starts(name, search_tools[index].prefix))
		index++;
	if (name && !known && index < sizeof(search_tools) / sizeof(*search_tools) &&
		ik_text_equal(search_tools[index].type, reader->type)) {
		known = strlen(name) < sizeof(reader->facts.search);
		(void)snprintf(reader->facts.search, sizeof(reader->facts.search), "%s", name);
		(void)ik_json_double(ik_json_member(value, "price"), &reader->facts.price.search);
	}
	free(name);
	return known;
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

static bool read_created(struct facts_reader *reader, struct ik_json_span value)
{
	int64_t seconds;

	(void)reader;
	return ik_json_integer(value, &seconds) && seconds > 0;
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
	{ "input", read_input, N_("a list of \"text\", \"image\" and \"pdf\"") },
	{ "signatures", read_signatures, N_("true or false") },
	{ "price", read_price,
		N_("an object with the numbers \"input\", \"output\", \"cached\" and \"written\"") },
	{ "search", read_search,
		N_("an object with the name of a \"tool\" and its \"price\", or {}: it cannot search the "
		   "web") },
	{ "retires", read_retires, N_("a day such as \"2026-11-30\"") },
	{ "created", read_created, N_("a whole number above 0") },
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

/* Does a rule apply to a model, whose name is without its vendor? */
static bool applies(struct ik_json_span rule, const char *model)
{
	char *pattern = ik_json_text_new(ik_json_member(rule, "match"));
	char *name = ik_json_text_new(ik_json_member(rule, "name"));
	bool matches = (pattern && fnmatch(pattern, model, 0) == 0) ||
		(name && ik_text_equal(without_vendor(name), model));

	free(pattern);
	free(name);
	return matches;
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

/* The texts with rules, in their order. */
enum { OWN, LIST, BUILT_IN, SOURCES };

static struct ik_json_span source(const struct ik_model_rules *rules, int index)
{
	return array_of(index == OWN ? rules->own
			: index == LIST      ? rules->list
								 : ik_built_in_model_rules);
}

struct ik_model_facts ik_model_facts(const struct ik_model_rules *rules, const char *model,
	const char *type)
{
	struct facts_reader reader = {
		.model = without_vendor(model), .type = type, .facts.price = IK_PRICE_UNKNOWN
	};

	for (int i = 0; i < SOURCES; i++) {
		struct ik_json_span array = source(rules, i);

		for (struct ik_json_walk walk = ik_json_walk(array); ik_json_next(&walk);)
			if (applies(walk.value, reader.model))
				read_rule(&reader, walk.value);
	}
	return reader.facts;
}

/* Return the name of the first rule with this name as the default of the provider, in new memory, or
 * NULL. */
static char *named_default(struct ik_json_span rules, const char *provider)
{
	char *name = NULL;

	for (struct ik_json_walk walk = ik_json_walk(rules); !name && ik_json_next(&walk);)
		if (ik_json_string_is(ik_json_member(walk.value, "default"), provider))
			name = ik_json_text_new(ik_json_member(walk.value, "name"));
	return name;
}

/* Does a rule allow the model as the default of the provider? */
static bool may_be_default(struct ik_json_span rules, const char *model, const char *provider)
{
	for (struct ik_json_walk walk = ik_json_walk(rules); ik_json_next(&walk);)
		if (ik_json_string_is(ik_json_member(walk.value, "default"), provider) &&
			applies(walk.value, model))
			return true;
	return false;
}

/* Is one model newer than the other? Without dates, the higher version is. */
static bool is_newer(struct ik_json_span one, const char *name, struct ik_json_span other,
	const char *other_name)
{
	int64_t created_s = 0, other_s = 0;

	(void)ik_json_integer(ik_json_member(one, "created"), &created_s);
	(void)ik_json_integer(ik_json_member(other, "created"), &other_s);
	return !other_name || created_s > other_s ||
		(created_s == other_s && strverscmp(name, other_name) > 0);
}

char *ik_model_default(const struct ik_model_rules *rules, const char *provider)
{
	struct ik_json_span own = source(rules, OWN), list = source(rules, LIST), newest = { NULL, 0 };
	struct ik_json_span built_in = source(rules, BUILT_IN);
	char *name = named_default(own, provider), *found;

	if (name)
		return name;
	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
		found = ik_json_text_new(ik_json_member(walk.value, "name"));
		if (found &&
			(may_be_default(own, without_vendor(found), provider) ||
				may_be_default(built_in, without_vendor(found), provider)) &&
			is_newer(walk.value, found, newest, name)) {
			free(name);
			name = found;
			newest = walk.value;
		} else {
			free(found);
		}
	}
	return name ? name : named_default(built_in, provider);
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
	if (!ik_json_member(rule, "name").text && !ik_json_member(rule, "match").text)
		return ik_error_set(error, IK_INVALID,
			_("%s:%d: a rule has to be an object with \"name\" or \"match\""), path,
			ik_json_line(text, rule.text));
	for (struct ik_json_walk walk = ik_json_walk(rule); ik_json_next(&walk);) {
		const struct rule_member *member = find_member(walk.key);

		if (!member)
			return ik_error_set(error, IK_INVALID, _("%s:%d: %.*s is unknown; there are: %s"), path,
				ik_json_line(text, walk.key.text), (int)walk.key.length, walk.key.text,
				"name, match, default, context_window, max_output, thinking, input, signatures, "
				"price, "
				"retires, created");
		if (!is_right(member, walk.value))
			return ik_error_set(error, IK_INVALID, _("%s:%d: \"%s\" has to be %s"), path,
				ik_json_line(text, walk.key.text), member->name, _(member->form));
	}
	return IK_OK;
}

enum ik_status ik_model_rules_check(const char *path, char *text, size_t length,
	struct ik_error *error)
{
	enum ik_status status = IK_OK;
	struct ik_json_span rules;
	struct ik_error reason;

	ik_json_blank_comments(text, length);
	if (ik_json_check(text, length, &rules, &reason) != IK_OK)
		return ik_error_set(error, IK_INVALID, "%s: %s", path, reason.text);
	if (ik_json_span_type(rules) != IK_JSON_ARRAY)
		return ik_error_set(error, IK_INVALID, _("%s: must be a JSON array of rules"), path);
	for (struct ik_json_walk walk = ik_json_walk(rules); status == IK_OK && ik_json_next(&walk);)
		status = check_rule(path, text, walk.value, error);
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
	struct ik_thinking_words words = { .form = facts->form, .seen = !request->refused.thoughts };
	int level;

	if (request->thinking == IK_THINKING_UNSET || facts->form == IK_THINKING_UNSAID)
		return words;
	level = nearest(facts->levels, (int)request->thinking);
	words.off = level == IK_THINKING_OFF;
	words.level = words.off ? facts->off : ik_thinking_name((enum ik_thinking)level);
	words.tokens = budgets[level - IK_THINKING_OFF];
	words.seen = words.seen && !words.off;
	return words;
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

/* Return the list in a provider's answer. */
static struct ik_json_span list_in(struct ik_json_span answer)
{
	struct ik_json_span data = ik_json_member(answer, "data");

	return ik_json_span_type(data) == IK_JSON_ARRAY ? data : ik_json_member(answer, "models");
}

char **ik_models_read(const char *body, size_t length, size_t *ret_count, struct ik_error *error)
{
	struct ik_json_span answer, list;
	size_t count = 0, room;
	char **names;

	if (ik_json_check(body, length, &answer, error) != IK_OK)
		return NULL;
	list = list_in(answer);
	if (ik_json_span_type(list) != IK_JSON_ARRAY) {
		(void)ik_error_set(error, IK_INVALID, "%s", _("The server's answer is no list of models."));
		return NULL;
	}
	room = ik_json_count(list) < MODELS_MOST ? ik_json_count(list) : MODELS_MOST;
	names = ik_alloc((room + 1) * sizeof(*names));
	for (struct ik_json_walk walk = ik_json_walk(list); count < room && ik_json_next(&walk);) {
		char *name = generates(walk.value) ? name_of(walk.value) : NULL;

		if (name)
			names[count++] = name;
	}
	*ret_count = settle(names, count);
	return names;
}

/* ---- near names ---- */

/* Separators of a name's parts, and the limit on the parts. */
#define BETWEEN "-._/: @"
enum { PARTS = 24 };
/* Names to offer. */
enum { NEAR_MOST = 3 };

/* Split a name in place into its parts. Return their number. */
static size_t split(char *name, const char *parts[PARTS])
{
	size_t count = 0;
	char *rest = NULL, *part;

	for (part = strtok_r(name, BETWEEN, &rest); part && count < PARTS;
		 part = strtok_r(NULL, BETWEEN, &rest))
		parts[count++] = part;
	return count;
}

/* Return the distance of the parts to the closest parts of the other name; SIZE_MAX if a part has
 * no close one. Extra parts of the other name count less than any typo. */
static size_t distance(const char *const *parts, size_t count, const char *other)
{
	char *copy = ik_strdup(other);
	const char *others[PARTS];
	size_t other_count = split(copy, others), sum = 0, i;

	for (i = 0; i < count && sum != SIZE_MAX; i++) {
		const char *nearest = ik_text_nearest(parts[i], others, other_count);

		sum = nearest ? sum + ik_text_distance(parts[i], nearest) * PARTS : SIZE_MAX;
	}
	free(copy);
	if (sum == SIZE_MAX || other_count < count)
		return sum;
	return sum + other_count - count;
}

size_t ik_model_nearest(const char *name, char *const *names, size_t count, const char **ret_near,
	size_t room)
{
	char *copy = ik_strdup(name);
	const char *parts[PARTS];
	size_t *distances = ik_alloc_array(NULL, count + 1, sizeof(*distances));
	size_t part_count = split(copy, parts), found, i;

	for (i = 0; i < count; i++)
		distances[i] = part_count > 0 ? distance(parts, part_count, names[i]) : SIZE_MAX;
	for (found = 0; found < room && count > 0; found++) {
		size_t best = 0;

		for (i = 1; i < count; i++)
			best = distances[i] < distances[best] ? i : best;
		if (distances[best] == SIZE_MAX)
			break;
		ret_near[found] = names[best];
		distances[best] = SIZE_MAX;
	}
	free(distances);
	free(copy);
	return found;
}

/* Return the name without the parts that have no letter, in new memory. */
static char *without_version(const char *name)
{
	char *copy = ik_strdup(name), *rest = NULL;
	struct ik_buf words;

	ik_buf_init(&words, SIZE_MAX);
	for (char *part = strtok_r(copy, BETWEEN, &rest); part; part = strtok_r(NULL, BETWEEN, &rest))
		if (strcspn(part, "abcdefghijklmnopqrstuvwxyz") < strlen(part))
			ik_buf_printf(&words, "-%s", part);
	free(copy);
	copy = ik_strndup(words.data, words.length);
	ik_buf_done(&words);
	return copy;
}

void ik_model_put_near(const char *list, const char *model, struct ik_buf *out)
{
	struct ik_json_span rules = array_of(list);
	char **names = ik_alloc_array(NULL, ik_json_count(rules) + 1, sizeof(*names));
	size_t count = 0, found = 0;
	const char *near[NEAR_MOST];
	bool listed = false;

	for (struct ik_json_walk walk = ik_json_walk(rules); ik_json_next(&walk);) {
		char *name = ik_json_text_new(ik_json_member(walk.value, "name"));

		listed = listed || ik_text_equal(name, model);
		if (name)
			names[count++] = name;
	}
	if (!listed)
		found = ik_model_nearest(model, names, count, near, NEAR_MOST);
	if (!listed && found == 0) {
		char *short_name = without_version(model);

		found = ik_model_nearest(short_name, names, count, near, NEAR_MOST);
		free(short_name);
	}
	for (size_t i = 0; i < found; i++)
		ik_buf_printf(out, "%s%s", i > 0 ? ", " : "", near[i]);
	while (count > 0)
		free(names[--count]);
	free(names);
}

/* ---- its list as rules ---- */

/* Write a member with the first of these members of the model that is a number above 0. */
static void put_number(struct ik_buf *out, const char *name, struct ik_json_span model,
	const char *const *paths)
{
	int64_t number = 0;

	for (; *paths && number <= 0; paths++)
		(void)ik_json_integer(ik_json_at(model, *paths), &number);
	if (number > 0)
		ik_json_printf(out, "'%s':%lld", name, (long long)number);
}

/* Write when the model was published: seconds, or a time such as 2026-11-30T00:00:00Z. */
static void put_created(struct ik_buf *out, struct ik_json_span model)
{
	static const char *const paths[] = { "created", NULL };
	char *time = ik_json_text_new(ik_json_member(model, "created_at"));
	struct tm parts = { .tm_mday = 0 };

	if (time && strptime(time, "%Y-%m-%dT%H:%M:%S", &parts) && timegm(&parts) > 0)
		ik_json_printf(out, "'created':%lld", (long long)timegm(&parts));
	else
		put_number(out, "created", model, paths);
	free(time);
}

#define DAY 10 /* length of "2026-11-30" */

/* Write the day on which the model is switched off. */
static void put_retires(struct ik_buf *out, struct ik_json_span model)
{
	static const char *const names[] = { "retires_at", "shutdown_date", "expiration_date" };

	for (size_t index = 0; index < sizeof(names) / sizeof(*names); index++) {
		char *time = ik_json_text_new(ik_json_member(model, names[index]));
		struct tm parts = { .tm_mday = 0 };

		if (time && strptime(time, "%Y-%m-%d", &parts)) {
			ik_json_printf(out, "'retires':'%.*s'", DAY, time);
			index = sizeof(names) / sizeof(*names);
		}
		free(time);
	}
}

static bool supports(struct ik_json_span capabilities, const char *path)
{
	return ik_json_is_true(ik_json_member(ik_json_at(capabilities, path), "supported"));
}

/* Write the levels of thinking that Anthropic's list reports. */
static void put_capabilities(struct ik_buf *out, struct ik_json_span capabilities)
{
	bool adaptive = supports(capabilities, "thinking.types.adaptive");

	if (!adaptive && !supports(capabilities, "thinking.types.enabled")) {
		ik_json_printf(out, "'thinking':{}");
		return;
	}
	ik_json_printf(out, "'thinking':{'%s':[", adaptive ? "adaptive" : "budget");
	if (!adaptive)
		ik_json_printf(out, "'off','low','medium','high'");
	else if (supports(capabilities, "thinking.types.disabled"))
		ik_json_printf(out, "'disabled'");
	else if (supports(capabilities, "thinking.types.between_tools"))
		ik_json_printf(out, "'between_tools'");
	for (size_t index = 0; adaptive && index < LEVELS; index++) {
		char *path = ik_format("effort.%s", level_names[index]);

		if (supports(capabilities, path))
			ik_json_printf(out, "'%s'", level_names[index]);
		free(path);
	}
	ik_json_printf(out, "]}");
}

/* Write what the list says about thinking: Anthropic's for each level; Google's and OpenRouter's only
 * whether there is any. */
static void put_thinking(struct ik_buf *out, struct ik_json_span model)
{
	struct ik_json_span capabilities = ik_json_member(model, "capabilities");
	struct ik_json_span parameters = ik_json_member(model, "supported_parameters");
	bool thinks = true;

	(void)ik_json_bool(ik_json_member(model, "thinking"), &thinks);
	if (ik_json_span_type(ik_json_member(capabilities, "thinking")) == IK_JSON_OBJECT)
		put_capabilities(out, capabilities);
	else if (!thinks ||
		(parameters.text && !ik_json_holds(parameters, IK_JSON_SPAN("\"reasoning\""))))
		ik_json_printf(out, "'thinking':{}");
}

/* Read a price per token, which OpenRouter writes as a string. */
static bool read_token_price(struct ik_json_span pricing, const char *name, double *ret_million)
{
	char *text = ik_json_text_new(ik_json_member(pricing, name)), *end = NULL;
	/* Exact enough for the product to be the number that was meant. */
	long double price = text ? strtold(text, &end) : -1;
	bool good = text && *end == '\0' && price >= 0;

	if (good)
		*ret_million = (double)(price * 1e6L);
	free(text);
	return good;
}

static void put_price(struct ik_buf *out, struct ik_json_span model)
{
	struct ik_json_span pricing = ik_json_member(model, "pricing");
	struct ik_price price = IK_PRICE_UNKNOWN;

	if (!read_token_price(pricing, "prompt", &price.input) ||
		!read_token_price(pricing, "completion", &price.output))
		return;
	ik_json_printf(out, "'price':{'input':%g,'output':%g", price.input, price.output);
	if (read_token_price(pricing, "input_cache_read", &price.cached))
		ik_json_printf(out, "'cached':%g", price.cached);
	if (read_token_price(pricing, "input_cache_write", &price.written))
		ik_json_printf(out, "'written':%g", price.written);
	ik_json_printf(out, "}");
}

/* Write what the model accepts, if the list says so: OpenRouter its modalities, Anthropic and Mistral
 * capabilities, llama.cpp words for them, LM Studio a type. capabilities are the model's. */
static void put_input(struct ik_buf *out, struct ik_json_span model,
	struct ik_json_span capabilities)
{
	struct ik_json_span modalities = ik_json_at(model, "architecture.input_modalities");
	struct ik_json_span vision = ik_json_member(capabilities, "vision");
	bool named = ik_json_span_type(capabilities) == IK_JSON_ARRAY;
	bool sees = ik_json_is_true(vision) || supports(capabilities, "image_input") ||
		ik_json_string_is(ik_json_member(model, "type"), "vlm") ||
		ik_json_holds(capabilities, IK_JSON_SPAN("\"multimodal\"")) ||
		ik_json_holds(capabilities, IK_JSON_SPAN("\"vision\""));

	if (ik_json_span_type(modalities) == IK_JSON_ARRAY)
		ik_json_printf(out, "'input':%.*s", IK_JSON_ARGS(modalities));
	else if (sees && supports(capabilities, "pdf_input"))
		ik_json_printf(out, "'input':['text','image','pdf']");
	else if (sees)
		ik_json_printf(out, "'input':['text','image']");
	else if (vision.text || ik_json_member(capabilities, "image_input").text ||
		(named && ik_json_holds(capabilities, IK_JSON_SPAN("\"completion\""))))
		ik_json_printf(out, "'input':['text']");
}

/* Return the capabilities of a model in the list. llama.cpp has them in a second list. */
static struct ik_json_span capabilities_of(struct ik_json_span answer, struct ik_json_span model)
{
	struct ik_json_span own = ik_json_member(model, "capabilities");

	return own.text || ik_json_count(ik_json_member(answer, "data")) != 1
		? own
		: ik_json_at(answer, "models.0.capabilities");
}

static void put_rule(struct ik_buf *out, struct ik_json_span model,
	struct ik_json_span capabilities)
{
	static const char *const windows[] = { "max_input_tokens", "inputTokenLimit", "context_length",
		"max_model_len", "meta.n_ctx", "meta.n_ctx_train", "max_context_length", NULL };
	static const char *const outputs[] = { "max_tokens", "outputTokenLimit",
		"top_provider.max_completion_tokens", NULL };
	char *name = generates(model) ? name_of(model) : NULL;

	if (name) {
		ik_json_printf(out, "{'name':'%s'", name);
		put_number(out, "context_window", model, windows);
		put_number(out, "max_output", model, outputs);
		put_created(out, model);
		put_retires(out, model);
		put_thinking(out, model);
		put_input(out, model, capabilities);
		put_price(out, model);
		ik_json_printf(out, "}");
	}
	free(name);
}

void ik_models_put_rules(const char *body, size_t length, struct ik_buf *out)
{
	struct ik_json_span answer = { NULL, 0 };
	struct ik_json_walk walk;

	(void)!ik_json_check(body, length, &answer, NULL);
	walk = ik_json_walk(list_in(answer));
	ik_json_printf(out, "[");
	for (size_t count = 0; count < MODELS_MOST && ik_json_next(&walk); count++)
		put_rule(out, walk.value, capabilities_of(answer, walk.value));
	ik_json_printf(out, "]");
}
