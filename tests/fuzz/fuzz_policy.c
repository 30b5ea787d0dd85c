/*
 * fuzz_policy: whatever rules a policy has and whatever arguments a model writes, a call is
 * judged, a deny rule for every call holds, and a rule that is suggested allows the call that it
 * was suggested for, but none whose command runs something else.
 *
 * A line of rules, then the arguments of the call.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#include "json/scan.h"
#include "guard/policy.h"
#include "util/limits.h"

static void demand(bool truth)
{
	if (!truth)
		abort();
}

/* Written and read again, a list of rules is the same. */
static void check_written(const struct ik_rules *rules)
{
	struct ik_rules again = { .count = 0 };
	struct ik_error error = { .status = IK_OK };
	struct ik_json_span list;
	const char *place;
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(64));
	ik_buf_putc(&out, '[');
	for (size_t i = 0; i < rules->count; i++) {
		ik_buf_puts(&out, i > 0 ? "," : "");
		ik_rule_put(&out, &rules->items[i]);
	}
	ik_buf_putc(&out, ']');
	demand(ik_json_check(out.data, out.length, &list, NULL) == IK_OK);
	demand(ik_rules_read(&again, list, &place, &error) == IK_OK && again.count == rules->count);
	for (size_t i = 0; i < rules->count; i++)
		demand(ik_rules_find(&again, &rules->items[i]) < again.count);
	ik_rules_done(&again);
	ik_buf_done(&out);
}

/* Judge a call under these rules, in each mode. */
static void judge(const char *rules, const char *arguments, size_t length)
{
	const struct ik_policy_options options = { .rules = rules, .directory = "/home/u/project",
		.home = "/home/u" };
	struct ik_policy *policy = ik_policy_new(&options);

	for (int mode = 0; mode < IK_MODE_COUNT; mode++) {
		ik_policy_set_mode(policy, (enum ik_mode)mode);
		for (int read_only = 0; read_only < 2; read_only++) {
			struct ik_verdict verdict =
				ik_policy_judge(policy, "bash", read_only, arguments, length);

			demand(verdict.decision <= IK_DECISION_DENY);
			if (verdict.decision != IK_DECISION_ALLOW) {
				char *denial = ik_policy_denial(policy, "bash", &verdict);

				demand(denial != NULL && *denial != '\0');
				free(denial);
			}
		}
	}
	ik_policy_free(policy);
}

/* What is suggested for a call allows it. */
static void suggest(const char *arguments, size_t length)
{
	const struct ik_policy_options options = { .directory = "/home/u/project", .home = "/home/u" };

	for (int width = IK_WIDTH_CALL; width <= IK_WIDTH_TOOL; width++) {
		struct ik_policy *policy = ik_policy_new(&options);
		struct ik_rule rule = { .tool = NULL };

		ik_policy_set_mode(policy, IK_MODE_ASK);
		if (ik_policy_suggest(policy, "bash", arguments, length, (enum ik_width)width, &rule)) {
			ik_rules_add(ik_policy_kept(policy), &rule);
			demand(ik_policy_judge(policy, "bash", false, arguments, length).decision ==
				IK_DECISION_ALLOW);
			ik_rule_done(&rule);
		}
		ik_policy_free(policy);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *feed = size > 0 ? memchr(data, '\n', size) : NULL;
	struct ik_rules rules = { .count = 0 };
	struct ik_error error = { .status = IK_OK };
	struct ik_json_span list, span;
	const char *place;
	size_t length;

	if (feed == NULL || size > IK_KIB(16))
		return 0;
	length = (size_t)(feed - data);
	char *text = malloc(length + 1);
	demand(text != NULL);
	memcpy(text, data, length);
	text[length] = '\0';
	const char *arguments = (const char *)feed + 1;
	size_t arguments_length = size - length - 1;
	if (strlen(text) == length && ik_json_check(text, length, &list, NULL) == IK_OK &&
	    ik_rules_read(&rules, list, &place, &error) == IK_OK) {
		check_written(&rules);
		judge(text, arguments, arguments_length);
	}
	if (ik_json_check(arguments, arguments_length, &span, NULL) == IK_OK)
		suggest(arguments, arguments_length);
	ik_rules_done(&rules);
	free(text);
	return 0;
}
