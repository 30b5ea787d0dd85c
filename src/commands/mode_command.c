#include "commands/mode_command.h"

#include <stdlib.h>
#include <string.h>

#include "core/policy_file.h"
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
static bool forget(struct ik_policy *policy, const char *path, const char *text, struct ik_buf *out)
{
	struct ik_rules *kept = ik_policy_kept(policy), *session = ik_policy_session(policy);
	char *end;
	unsigned long number = strtoul(text, &end, 10);
	struct ik_error error;

	if (text[0] < '0' || text[0] > '9' || *end != '\0' || number == 0 ||
		number > kept->count + session->count) {
		ik_buf_puts(out, _("There is no kept rule of that number. /mode lists them."));
		return false;
	}
	if (number > kept->count) {
		ik_rules_remove(session, number - kept->count - 1);
	} else if (ik_policy_file_forget(path, number - 1, kept, &error) != IK_OK) {
		ik_buf_puts(out, error.text);
		return false;
	}
	ik_buf_puts(out, _("The rule is taken back."));
	return true;
}

bool ik_mode_command(struct ik_policy *policy, const char *path, const char *rest,
	struct ik_buf *out)
{
	enum ik_mode mode;

	if (rest[0] == '\0') {
		put_all(policy, out);
		return false;
	}
	if (ik_text_starts(rest, "forget "))
		return forget(policy, path,
			rest + strlen("forget ") + strspn(rest + strlen("forget "), " "), out);
	if (!ik_mode_find(rest, &mode)) {
		ik_buf_printf(out, _("There is no mode \"%s\": /mode auto, /mode ask or /mode read-only."),
			rest);
		return false;
	}
	ik_policy_set_mode(policy, mode);
	ik_buf_printf(out, "%s: %s", ik_mode_name(mode), _(meanings[mode]));
	return true;
}
