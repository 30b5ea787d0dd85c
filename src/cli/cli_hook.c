#include "cli/cli.h"

#include <stdlib.h>

#include "core/print.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sanitize.h"
#include "util/text.h"

/* Append a line about a hook: event, matcher, the file and its command, and whether it runs. */
static void put_hook(const struct ik_hook *hook, const char *home, struct ik_buf *out)
{
	static const char *const states[] = {
		[IK_TRUST_NEW] = N_("not trusted"),
		[IK_TRUST_CHANGED] = N_("changed since it was trusted"),
		[IK_TRUST_UNREAD] = N_("not trusted"),
	};
	char *path = ik_path_shorten(hook->path, home);
	const char *event = ik_hook_event_name(hook->event);
	struct ik_buf line;

	ik_buf_init(&line, IK_LIMIT_CONFIG);
	ik_buf_printf(&line, "%-16s  %-12s  %s", event[0] ? event : "?",
		hook->matcher ? hook->matcher : "*", path);
	if (hook->command)
		ik_buf_printf(&line, ": %s", hook->command);
	ik_sanitize_line(out, line.data, line.length);
	if (hook->state != IK_TRUST_TRUSTED)
		ik_buf_printf(out, "  (%s)", _(states[hook->state]));
	ik_buf_putc(out, '\n');
	ik_buf_done(&line);
	free(path);
}

int ik_cli_hook(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_hooks *hooks = ik_hooks_read(&setup->places, setup->config, &setup->project);
	int status = hooks->problems.count > 0;
	struct ik_buf out;

	(void)options;
	ik_cli_warn(setup);
	ik_buf_init(&out, IK_LIMIT_TRUST);
	for (size_t i = 0; i < hooks->problems.count; i++)
		ik_complain(hooks->problems.items[i]);
	for (size_t i = 0; i < hooks->count; i++)
		put_hook(&hooks->items[i], setup->places.user_home, &out);
	if (hooks->count == 0)
		ik_buf_printf(&out, "%s\n", _("There are no hooks; see ikigai-hooks(7)."));
	if (ik_print_buf(&out) != 0)
		status = 1;
	ik_buf_done(&out);
	ik_hooks_free(hooks);
	return status;
}
