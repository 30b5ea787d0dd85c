#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>

#include "core/policy_file.h"
#include "util/limits.h"
#include "util/text.h"

static const char *const meanings[IK_MODE_COUNT] = {
	[IK_MODE_AUTO] = N_("calls are made as the policy says; without a rule: all"),
	[IK_MODE_ASK] = N_("you are asked, but for tools that only read and what a rule allows"),
	[IK_MODE_READ_ONLY] = N_("only tools that say that they change nothing"),
};

/* Append rules, numbered from first on. */
static void put_rules(struct ik_buf *out, const char *heading, const struct ik_rules *rules,
	size_t first)
{
	if (rules->count == 0)
		return;
	ik_buf_printf(out, "%s\n", heading);
	for (size_t i = 0; i < rules->count; i++) {
		ik_buf_printf(out, "  %zu  ", first + i);
		ik_rule_put(out, &rules->items[i]);
		ik_buf_putc(out, '\n');
	}
}

/* Append the modes, and all rules there are. */
static void put_all(struct ik_policy *policy, struct ik_buf *out)
{
	const struct ik_rules *kept = ik_policy_kept(policy), *session = ik_policy_session(policy);

	for (int mode = 0; mode < IK_MODE_COUNT; mode++)
		ik_buf_printf(out, "%s %-9s  %s\n", mode == (int)ik_policy_mode(policy) ? "*" : " ",
			ik_mode_name((enum ik_mode)mode), _(meanings[mode]));
	put_rules(out, _("Rules of the configuration (the first that fits decides):"),
		ik_policy_rules(policy), 1);
	put_rules(out, _("Kept for good:"), kept, 1);
	put_rules(out, _("Kept for this session:"), session, kept->count + 1);
	if (kept->count + session->count > 0)
		ik_buf_puts(out, _("/mode forget N takes a kept rule back."));
}

/* Take back the kept rule of that number. */
static void forget(struct ik_core *core, const char *text, struct ik_buf *out)
{
	struct ik_rules *kept = ik_policy_kept(core->policy);
	struct ik_rules *session = ik_policy_session(core->policy);
	char *end;
	unsigned long number = strtoul(text, &end, 10);
	struct ik_error error;

	if (text[0] < '0' || text[0] > '9' || *end != '\0' || number == 0 ||
		number > kept->count + session->count) {
		ik_buf_puts(out, _("There is no kept rule of that number. /mode lists them."));
		return;
	}
	if (number > kept->count) {
		ik_rules_remove(session, number - kept->count - 1);
	} else if (ik_policy_file_forget(core->policy_path, number - 1, kept, &error) != IK_OK) {
		ik_buf_puts(out, error.text);
		return;
	}
	ik_buf_puts(out, _("The rule is taken back."));
	ik_core_policy_changed(core);
}

void ik_command_mode(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	static const char forget_word[] = "forget ";
	const char *argument = invocation->text;
	enum ik_mode mode;

	if (argument[0] == '\0') {
		put_all(core->policy, answer);
	} else if (ik_text_starts(argument, forget_word)) {
		argument += strlen(forget_word);
		forget(core, argument + strspn(argument, " "), answer);
	} else if (ik_mode_find(argument, &mode)) {
		ik_core_set_mode(core, mode);
		ik_buf_printf(answer, "%s: %s", ik_mode_name(mode), _(meanings[mode]));
	} else {
		ik_buf_printf(answer,
			_("There is no mode \"%s\": /mode auto, /mode ask or /mode read-only."), argument);
	}
}
