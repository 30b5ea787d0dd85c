#include "acp/trust.h"

#include <stdlib.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/uuid.h"

/* The ids of the answers. */
#define TRUST "trust"
#define NOT_NOW "not-now"
#define NEVER "never"

static void on_granted(void *arg)
{
	struct ik_editor_trust *trust = arg;

	ik_core_granted(trust->core, &trust->files, trust->check);
	trust->check = ik_trust_check_close(trust->check);
}

static void on_answer(void *arg, struct ik_json_span result, const char *error)
{
	struct ik_editor_trust *trust = arg;
	struct ik_project *project = &trust->core->setup->project;
	struct ik_json_span answer = ik_json_at(result, "outcome.optionId");
	struct ik_error failure = { .status = IK_OK };
	char *warning = NULL;

	trust->question = 0;
	if (ik_json_string_is(answer, TRUST))
		trust->check = ik_project_grant(project, trust->core->loop, &trust->files, on_granted,
			trust);
	else if (!ik_json_string_is(answer, NEVER))
		warning = ik_project_warning(project, ik_core_registry(trust->core));
	else if (ik_trust_refuse(project->trust, &failure) != IK_OK)
		warning = ik_strdup(failure.text);
	(void)error; /* an editor that can't ask has said no */
	if (warning)
		ik_session_add_notice(trust->core->session, warning);
	free(warning);
}

/* Ask, with the names of the files. */
static void ask(struct ik_editor_trust *trust)
{
	const struct ik_project *project = &trust->core->setup->project;
	char *title = ik_format(ngettext("Trust %zu file that came with this directory?",
								"Trust %zu files that came with this directory?",
								trust->files.count),
		trust->files.count);
	char id[IK_UUID_TEXT];
	struct ik_buf params, text;

	ik_buf_init(&text, IK_LIMIT_CONFIG);
	for (size_t i = 0; i < trust->files.count; i++)
		ik_buf_printf(&text, "%s  (%s)\n", ik_project_relative(project, trust->files.items[i].path),
			trust->files.items[i].changed ? _("changed") : _("new"));
	ik_buf_puts(&text,
		_("What you trust can do all that you can. None of it has run or been followed yet."));
	ik_uuid_new(id);
	ik_peer_open(&params);
	ik_json_printf(&params,
		"'sessionId':'%s','toolCall':{'toolCallId':'%s','title':'%s','kind':'other',"
		"'status':'pending','content':[",
		trust->viewer->session, id, title);
	ik_update_put_text(&params, text.data, text.length, false);
	ik_json_printf(&params, "]},'options':[");
	ik_update_put_option(&params, TRUST, _("Trust"), "allow_always");
	ik_update_put_option(&params, NOT_NOW, _("Not now"), "reject_once");
	ik_update_put_option(&params, NEVER, _("Never ask here"), "reject_always");
	ik_json_close(&params, ']');
	trust->question = ik_peer_ask(trust->viewer->peer, "session/request_permission", &params,
		on_answer, trust);
	free(title);
	ik_buf_done(&text);
}

bool ik_editor_trust_is_settled(struct ik_editor_trust *trust)
{
	const struct ik_project *project = &trust->core->setup->project;

	if (!trust->core->scanned)
		return false;
	if (!trust->asked) {
		trust->asked = true;
		ik_project_untrusted(project, ik_core_registry(trust->core), &trust->files);
		if (trust->files.count > 0 && !ik_trust_is_refused(project->trust))
			ask(trust);
	}
	return trust->question == 0 && !trust->check;
}

void ik_editor_trust_done(struct ik_editor_trust *trust)
{
	if (trust->question != 0)
		ik_peer_take_back(trust->viewer->peer, trust->question);
	trust->question = 0;
	trust->check = ik_trust_check_close(trust->check);
	ik_untrusted_clear(&trust->files);
}
