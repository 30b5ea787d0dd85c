#include "core/memory.h"

#include <stddef.h>
#include <stdio.h>

#include "core/core.h"
#include "core/print.h"
#include "loop/children.h"
#include "util/alloc.h"
#include "util/text.h"

/* Called if the reserve is used up, too. */
static void (*last_restore)(void);

static void give_up(void)
{
	static const char message[] = "ikigai: out of memory\n";

	if (last_restore)
		last_restore();
	(void)fputs(message, stderr);
	ik_children_end_now();
}

static void save(const struct ik_core *core)
{
	if (core->store)
		ik_store_end_now(core->store);
	for (size_t i = 0; i < core->session_count; i++)
		ik_session_end_now(core->sessions[i]->session);
}

/* Print how to resume each session that has anything stored. */
static void print_sessions(const struct ik_core *core)
{
	for (size_t i = 0; i < core->session_count; i++) {
		const struct ik_session *session = core->sessions[i]->session;

		if (ik_resume_is_possible(session))
			(void)fprintf(stderr, _("Resume with: ikigai --resume=%s\n"), ik_session_id(session));
	}
}

void ik_memory_gone_with(const struct ik_core *core, void (*restore)(void))
{
	last_restore = restore;
	ik_alloc_set_hook(give_up);
	if (core)
		save(core);
	if (restore)
		restore();
	ik_complain(_("out of memory"));
	if (core)
		print_sessions(core);
	ik_children_end_now();
}

void ik_memory_gone(void)
{
	ik_memory_gone_with(NULL, NULL);
}
