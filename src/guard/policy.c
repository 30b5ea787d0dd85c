#include "guard/policy.h"

#include <stdlib.h>
#include <string.h>

#include "guard/glob.h"
#include "guard/policy_match.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

/* Longer arguments are left out of a suggested rule. */
#define SHORT_ARGUMENT 200

struct ik_policy {
	enum ik_mode mode;
	struct ik_rules rules, kept, session;
	char *directory, *home;
	struct ik_policy_place place;
};

static const char *const mode_names[IK_MODE_COUNT] = { "auto", "ask", "read-only" };

const char *ik_mode_name(enum ik_mode mode)
{
	return mode_names[mode];
}

bool ik_mode_find(const char *name, enum ik_mode *ret_mode)
{
	for (int mode = 0; mode < IK_MODE_COUNT; mode++) {
		if (ik_text_equal(name, mode_names[mode])) {
			*ret_mode = (enum ik_mode)mode;
			return true;
		}
	}
	return false;
}

struct ik_policy *ik_policy_new(const struct ik_policy_options *options)
{
	struct ik_policy *policy = ik_alloc(sizeof(*policy));
	struct ik_rule deny_all = { .tool = ik_strdup("*"), .action = IK_RULE_DENY };
	struct ik_json_span list;
	struct ik_error error;
	const char *place;

	policy->directory = ik_strdup(options->directory);
	policy->home = options->home ? ik_strdup(options->home) : NULL;
	policy->place = (struct ik_policy_place){ policy->directory, policy->home, options->resolve };
	/* Rules that cannot be read deny everything. */
	if (options->rules &&
		(ik_json_check(options->rules, strlen(options->rules), &list, NULL) != IK_OK ||
			ik_rules_read(&policy->rules, list, &place, &error) != IK_OK))
		ik_rules_add(&policy->rules, &deny_all);
	ik_rule_done(&deny_all);
	return policy;
}

struct ik_policy *ik_policy_free(struct ik_policy *policy)
{
	if (!policy)
		return NULL;
	ik_rules_done(&policy->rules);
	ik_rules_done(&policy->kept);
	ik_rules_done(&policy->session);
	free(policy->directory);
	free(policy->home);
	free(policy);
	return NULL;
}

enum ik_mode ik_policy_mode(const struct ik_policy *policy)
{
	return policy->mode;
}

void ik_policy_set_mode(struct ik_policy *policy, enum ik_mode mode)
{
	policy->mode = mode;
}

const struct ik_rules *ik_policy_rules(const struct ik_policy *policy)
{
	return &policy->rules;
}

struct ik_rules *ik_policy_kept(struct ik_policy *policy)
{
	return &policy->kept;
}

struct ik_rules *ik_policy_session(struct ik_policy *policy)
{
	return &policy->session;
}

/* ---- judging ---- */

/* Return the number of the first rule that fits, from 1; 0: none. */
static size_t find_rule(const struct ik_policy *policy, const struct ik_rules *rules,
	const char *tool, struct ik_json_span arguments)
{
	for (size_t i = 0; i < rules->count; i++) {
		if (ik_policy_fits(&policy->place, &rules->items[i], tool, arguments))
			return i + 1;
	}
	return 0;
}

/* Return the arguments as an object; no value if they are not one. */
static struct ik_json_span read_arguments(const char *arguments, size_t length)
{
	struct ik_json_span value = { NULL, 0 };

	if (ik_json_check(arguments, length, &value, NULL) != IK_OK ||
		ik_json_span_type(value) != IK_JSON_OBJECT)
		return (struct ik_json_span){ NULL, 0 };
	return value;
}

static struct ik_verdict make_verdict(enum ik_decision decision, enum ik_reason reason,
	const struct ik_rules *rules, size_t number)
{
	return (struct ik_verdict){
		.decision = decision,
		.reason = reason,
		.number = number,
		.rule = number > 0 ? &rules->items[number - 1] : NULL,
	};
}

struct ik_verdict ik_policy_judge(const struct ik_policy *policy, const char *tool, bool read_only,
	const char *text, size_t length)
{
	struct ik_json_span arguments = read_arguments(text, length);
	size_t number = find_rule(policy, &policy->rules, tool, arguments), kept;
	enum ik_reason reason = number > 0 ? IK_REASON_RULE : IK_REASON_NO_RULE;
	enum ik_rule_action action = number > 0         ? policy->rules.items[number - 1].action
		: policy->mode == IK_MODE_ASK && !read_only ? IK_RULE_ASK
													: IK_RULE_ALLOW;

	if (action == IK_RULE_DENY)
		return make_verdict(IK_DECISION_DENY, reason, &policy->rules, number);
	if (policy->mode == IK_MODE_READ_ONLY && !read_only)
		return make_verdict(IK_DECISION_DENY, IK_REASON_MODE, NULL, 0);
	if (action == IK_RULE_ALLOW)
		return make_verdict(IK_DECISION_ALLOW, reason, &policy->rules, number);
	kept = find_rule(policy, &policy->session, tool, arguments);
	if (kept > 0)
		return make_verdict(IK_DECISION_ALLOW, IK_REASON_SESSION, &policy->session, kept);
	kept = find_rule(policy, &policy->kept, tool, arguments);
	if (kept > 0)
		return make_verdict(IK_DECISION_ALLOW, IK_REASON_KEPT, &policy->kept, kept);
	return make_verdict(IK_DECISION_ASK, number > 0 ? IK_REASON_RULE : IK_REASON_MODE,
		&policy->rules, number);
}

char *ik_policy_denial(const struct ik_policy *policy, const char *tool,
	const struct ik_verdict *verdict)
{
	if (verdict->decision == IK_DECISION_ASK)
		return ik_format("Tool '%s' was not run: the policy says that the person has to be asked "
						 "first, and there is nobody to ask. (--yes allows such calls.)",
			tool);
	if (verdict->reason == IK_REASON_MODE)
		return ik_format("Tool '%s' was not run: the session is in %s mode, in which only tools "
						 "that change nothing may be used. The person can switch the mode.",
			tool, ik_mode_name(policy->mode));
	return ik_format("Tool '%s' was not run: rule %zu of the policy denies this call", tool,
		verdict->number);
}

/* ---- rules to keep ---- */

/* Append the glob for exactly this value. */
static void put_same(const struct ik_policy *policy, const char *name, const struct ik_buf *text,
	bool is_string, struct ik_buf *out)
{
	char *absolute;

	if (!is_string || !ik_policy_is_path(name)) {
		ik_glob_escape(out, text->data, text->length);
		return;
	}
	absolute = ik_policy_absolute(&policy->place, text->data);
	ik_glob_escape(out, absolute, strlen(absolute));
	free(absolute);
}

/* Append the glob for similar values: a file in the same directory, a command that begins alike.
 * Append nothing if there are none. */
static void put_like(const struct ik_policy *policy, const char *name, const struct ik_buf *text,
	bool is_string, struct ik_buf *out)
{
	char *absolute;

	if (!is_string)
		return;
	if (ik_policy_is_command(name)) {
		ik_policy_put_command_like(text->data, out);
	} else if (ik_policy_is_path(name)) {
		absolute = ik_policy_absolute(&policy->place, text->data);
		/* Below / itself, a similar file would be any file. */
		if (strrchr(absolute, '/') > absolute) {
			ik_glob_escape(out, absolute, (size_t)(strrchr(absolute, '/') - absolute));
			ik_buf_puts(out, "/*");
		}
		free(absolute);
	}
}

bool ik_policy_suggest(const struct ik_policy *policy, const char *tool, const char *text,
	size_t length, enum ik_width width, struct ik_rule *ret_rule)
{
	struct ik_json_span arguments = read_arguments(text, length);
	struct ik_rule rule = { .action = IK_RULE_ALLOW };
	struct ik_buf glob, shown;
	bool good = true;

	ik_buf_init(&glob, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&shown, IK_LIMIT_ARGUMENTS);
	ik_glob_escape(&glob, tool, strlen(tool));
	rule.tool = ik_strdup(glob.data);
	for (struct ik_json_walk walk = ik_json_walk(arguments);
		 good && width != IK_WIDTH_TOOL && ik_json_next(&walk);) {
		char *name = ik_json_string_new(walk.key, NULL);
		bool is_string = ik_json_span_type(walk.value) == IK_JSON_STRING;
		bool command = is_string && ik_policy_is_command(name);

		ik_buf_clear(&glob);
		ik_buf_clear(&shown);
		ik_policy_value_text(walk.value, &shown);
		if (shown.length > 0 && shown.length <= SHORT_ARGUMENT &&
			strlen(shown.data) == shown.length && name[0] != '\0' &&
			(command || !strchr(shown.data, '\n')))
			(width == IK_WIDTH_CALL ? put_same : put_like)(policy, name, &shown, is_string, &glob);
		if (glob.length > 0)
			ik_rule_add_argument(&rule, ik_strdup(name), ik_strdup(glob.data));
		else
			good = !command; /* a rule for the rest would allow any command */
		free(name);
	}
	ik_buf_done(&glob);
	ik_buf_done(&shown);
	if (!good || (width != IK_WIDTH_TOOL && rule.argument_count == 0) ||
		!ik_policy_fits(&policy->place, &rule, tool, arguments)) {
		ik_rule_done(&rule);
		return false;
	}
	*ret_rule = rule;
	return true;
}

/* ---- rules in words ---- */

/* Append a glob without its escapes, and without a "*" at its end. Return whether it had one. */
static bool put_unescaped(const char *glob, struct ik_buf *out)
{
	for (; *glob; glob++) {
		if (glob[0] == '*' && glob[1] == '\0')
			return true;
		if (glob[0] == '\\' && glob[1])
			glob++;
		ik_buf_putc(out, *glob);
	}
	return false;
}

/* Append which calls a rule with one argument is about. Return false if there are no words for
 * it. */
static bool put_one(const struct ik_policy *policy, const char *tool,
	const struct ik_rule_argument *argument, struct ik_buf *out)
{
	struct ik_buf value;
	bool command = ik_policy_is_command(argument->name), path = ik_policy_is_path(argument->name);

	ik_buf_init(&value, IK_LIMIT_ARGUMENTS);
	bool open = put_unescaped(argument->glob, &value);
	char last = value.length > 0 ? value.data[value.length - 1] : '\0';
	bool whole = !open || last == (command ? ' ' : '/'); /* words, or directories */

	if (open)
		ik_buf_truncate(&value, value.length - (value.length > 0));
	if (!whole || (!command && !path))
		command = path = false;
	else if (command && open)
		ik_buf_printf(out, _("%s: commands that begin with %s"), tool, value.data);
	else if (command)
		ik_buf_printf(out, _("%s: only the command %s"), tool, value.data);
	else if (open && ik_text_equal(value.data, policy->directory))
		ik_buf_printf(out, _("%s: anything in this directory"), tool);
	else if (open)
		ik_buf_printf(out, _("%s: anything in %s"), tool, value.data);
	else
		ik_buf_printf(out, _("%s: only %s"), tool, value.data);
	ik_buf_done(&value);
	return command || path;
}

void ik_policy_put_rule(const struct ik_policy *policy, const struct ik_rule *rule,
	struct ik_buf *out)
{
	struct ik_buf tool, values, words;

	ik_buf_init(&tool, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&values, IK_LIMIT_ARGUMENTS);
	ik_buf_init(&words, IK_LIMIT_ARGUMENTS);
	if (put_unescaped(rule->tool, &tool))
		ik_buf_putc(&tool, '*');
	for (size_t i = 0; i < rule->argument_count; i++) {
		ik_buf_printf(&values, "%s%s ", i > 0 ? ", " : "", rule->arguments[i].name);
		if (put_unescaped(rule->arguments[i].glob, &values))
			ik_buf_putc(&values, '*');
	}
	if (rule->argument_count == 0)
		ik_buf_printf(&words, _("%s: any call"), tool.data);
	else if (rule->argument_count > 1 || !put_one(policy, tool.data, rule->arguments, &words))
		/* Translators: names of arguments and their values: "grep: only with pattern main". */
		ik_buf_printf(&words, _("%s: only with %s"), tool.data, values.data);
	ik_sanitize_line(out, words.data, words.length); /* a second line would look like a rule */
	ik_buf_done(&tool);
	ik_buf_done(&values);
	ik_buf_done(&words);
}
