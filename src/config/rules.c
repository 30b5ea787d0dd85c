#include "config/rules.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

static const char *const actions[] = { "allow", "ask", "deny" };
#define ACTION_COUNT (sizeof(actions) / sizeof(actions[0]))

void ik_rule_done(struct ik_rule *rule)
{
	for (size_t i = 0; i < rule->argument_count; i++) {
		free(rule->arguments[i].name);
		free(rule->arguments[i].glob);
	}
	free(rule->arguments);
	free(rule->tool);
	*rule = (struct ik_rule){ 0 };
}

/* Free all rules from index count on. */
static void rules_truncate(struct ik_rules *rules, size_t count)
{
	while (rules->count > count)
		ik_rule_done(&rules->items[--rules->count]);
}

void ik_rules_done(struct ik_rules *rules)
{
	rules_truncate(rules, 0);
	free(rules->items);
	rules->items = NULL;
}

/* Append a zeroed rule and return it. */
static struct ik_rule *rules_grow(struct ik_rules *rules)
{
	rules->items = ik_alloc_array(rules->items, rules->count + 1, sizeof(*rules->items));
	rules->items[rules->count] = (struct ik_rule){ 0 };
	return &rules->items[rules->count++];
}

void ik_rule_add_argument(struct ik_rule *rule, char *name, char *glob)
{
	rule->arguments = ik_alloc_array(rule->arguments, rule->argument_count + 1,
		sizeof(*rule->arguments));
	rule->arguments[rule->argument_count++] = (struct ik_rule_argument){ name, glob };
}

void ik_rules_add(struct ik_rules *rules, const struct ik_rule *rule)
{
	struct ik_rule *copy = rules_grow(rules);

	copy->tool = ik_strdup(rule->tool);
	copy->action = rule->action;
	for (size_t i = 0; i < rule->argument_count; i++)
		ik_rule_add_argument(copy, ik_strdup(rule->arguments[i].name),
			ik_strdup(rule->arguments[i].glob));
}

void ik_rules_remove(struct ik_rules *rules, size_t index)
{
	ik_rule_done(&rules->items[index]);
	memmove(&rules->items[index], &rules->items[index + 1],
		(rules->count - index - 1) * sizeof(*rules->items));
	rules->count--;
}

size_t ik_rules_find(const struct ik_rules *rules, const struct ik_rule *rule)
{
	struct ik_buf one, other;
	size_t i;

	ik_buf_init(&one, IK_LIMIT_CONFIG);
	ik_buf_init(&other, IK_LIMIT_CONFIG);
	ik_rule_put(&one, rule);
	for (i = 0; i < rules->count; i++) {
		ik_buf_clear(&other);
		ik_rule_put(&other, &rules->items[i]);
		if (ik_text_equal(one.data, other.data))
			break;
	}
	ik_buf_done(&one);
	ik_buf_done(&other);
	return i;
}

const char *ik_rule_action_name(enum ik_rule_action action)
{
	return actions[action];
}

void ik_rule_put(struct ik_buf *out, const struct ik_rule *rule)
{
	ik_json_printf(out, "{'tool':'%s'", rule->tool);
	if (rule->argument_count > 0) {
		ik_json_printf(out, "'args':{");
		for (size_t i = 0; i < rule->argument_count; i++)
			ik_json_printf(out, "'%s':'%s'", rule->arguments[i].name, rule->arguments[i].glob);
		ik_json_printf(out, "}");
	}
	ik_json_printf(out, "'do':'%s'}", actions[rule->action]);
}

/* ---- reading ---- */

/* The rule being read, and the error. */
struct rules_reader {
	size_t number; /* number of the rule, from 1 */
	const char *place;
	struct ik_error *error;
};

/* Fail with a sentence about the rule. */
IK_PRINTF(3, 4)
static enum ik_status refuse(struct rules_reader *reader, struct ik_json_span at,
	const char *format, ...)
{
	va_list arguments;
	char *sentence;

	va_start(arguments, format);
	sentence = ik_vformat(format, arguments);
	va_end(arguments);
	reader->place = at.text;
	(void)ik_error_set(reader->error, IK_INVALID, _("rule %zu: %s"), reader->number, sentence);
	free(sentence);
	return IK_INVALID;
}

/* Fail because a member is invalid. */
static enum ik_status refuse_member(struct rules_reader *reader, struct ik_json_span at,
	const char *name, const char *wanted)
{
	return refuse(reader, at, _("\"%s\" must be %s"), name, wanted);
}

static enum ik_status read_arguments(struct rules_reader *reader, struct ik_rule *rule,
	struct ik_json_span arguments)
{
	if (ik_json_span_type(arguments) != IK_JSON_OBJECT)
		return refuse_member(reader, arguments, "args", _("an object, {NAME: GLOB}"));
	for (struct ik_json_walk walk = ik_json_walk(arguments); ik_json_next(&walk);) {
		char *name = ik_json_text_new(walk.key), *glob = ik_json_text_new(walk.value);

		if (!name || !glob) {
			enum ik_status status = refuse_member(reader, walk.value, name ? name : "args",
				_("a string that is not empty: what the argument looks like"));

			free(name);
			free(glob);
			return status;
		}
		ik_rule_add_argument(rule, name, glob);
	}
	return IK_OK;
}

static enum ik_status read_action(struct rules_reader *reader, struct ik_rule *rule,
	struct ik_json_span action)
{
	for (size_t i = 0; i < ACTION_COUNT; i++) {
		if (ik_json_span_type(action) == IK_JSON_STRING && ik_json_string_is(action, actions[i])) {
			rule->action = (enum ik_rule_action)i;
			return IK_OK;
		}
	}
	return refuse_member(reader, action, "do", _("\"allow\", \"ask\" or \"deny\""));
}

/* Reject unknown members: a misspelt one would make a rule broader than intended. */
static enum ik_status read_member(struct rules_reader *reader, struct ik_rule *rule,
	const char *name, struct ik_json_span key, struct ik_json_span value)
{
	if (ik_text_equal(name, "args"))
		return read_arguments(reader, rule, value);
	if (ik_text_equal(name, "do"))
		return read_action(reader, rule, value);
	if (ik_text_equal(name, "tool")) {
		rule->tool = ik_json_text_new(value);
		return rule->tool ? IK_OK
						  : refuse_member(reader, value, "tool",
								_("a string that is not empty: the name of the tool, or \"*\""));
	}
	return refuse(reader, key, _("\"%s\" is unknown; a rule has \"tool\", \"args\" and \"do\""),
		name);
}

static enum ik_status read_rule(struct rules_reader *reader, struct ik_rule *rule,
	struct ik_json_span value)
{
	enum ik_status status = IK_OK;

	if (ik_json_span_type(value) != IK_JSON_OBJECT)
		return refuse(reader, value, "%s", _("it must be an object with \"tool\" and \"do\""));
	for (struct ik_json_walk walk = ik_json_walk(value); status == IK_OK && ik_json_next(&walk);) {
		char *name = ik_json_string_new(walk.key, NULL);

		if (ik_json_member(value, name).text != walk.value.text)
			status = refuse_member(reader, walk.key, name, _("there only once"));
		else
			status = read_member(reader, rule, name, walk.key, walk.value);
		free(name);
	}
	if (status == IK_OK && !rule->tool)
		status = refuse(reader, value, _("\"tool\" is missing: the name of the tool, or \"*\""));
	if (status == IK_OK && !ik_json_member(value, "do").text)
		status = refuse(reader, value, _("\"do\" is missing: \"allow\", \"ask\" or \"deny\""));
	return status;
}

enum ik_status ik_rules_read(struct ik_rules *rules, struct ik_json_span list,
	const char **ret_place, struct ik_error *error)
{
	struct rules_reader reader = { .place = list.text, .error = error };
	enum ik_status status = IK_OK;
	size_t before = rules->count;

	if (ik_json_span_type(list) != IK_JSON_ARRAY) {
		*ret_place = list.text;
		return ik_error_set(error, IK_INVALID, _("rules must be a list"));
	}
	for (struct ik_json_walk walk = ik_json_walk(list); status == IK_OK && ik_json_next(&walk);) {
		reader.number++;
		status = read_rule(&reader, rules_grow(rules), walk.value);
	}
	if (status != IK_OK) {
		rules_truncate(rules, before);
		*ret_place = reader.place;
	}
	return status;
}
