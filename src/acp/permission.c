#include "acp/permission.h"

#include <stdlib.h>
#include <string.h>

#include "guard/policy_match.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* The ids of the answers; a rule's are followed by its width. */
#define ONCE "once"
#define SESSION "session-"
#define ALWAYS "always-"
#define NO "no"

static void ask(struct ik_viewed_call *call, const char *why);

/* Tell the session. */
static void settle(const struct ik_viewed_call *call, bool allow, const char *reason)
{
	char *id = ik_strdup(call->id), *name = ik_strdup(call->name);

	ik_session_answer(call->all->core->session, id, name, allow, reason);
	free(id);
	free(name);
}

static bool suggest(const struct ik_viewed_call *call, int width, struct ik_rule *ret_rule)
{
	return ik_policy_suggest(call->all->core->policy, call->name, call->arguments, call->length,
		(enum ik_width)width, ret_rule);
}

/* Keep the rule that an answer names, and allow the call. */
static void allow_always(struct ik_viewed_call *call, const char *answer, bool for_good)
{
	struct ik_core *core = call->all->core;
	int width = answer[strlen(answer) - 1] - '0';
	struct ik_rule rule;

	if (width < IK_WIDTH_CALL || width > IK_WIDTH_TOOL || !suggest(call, width, &rule)) {
		ask(call, NULL);
		return;
	}
	if (ik_core_keep_rule(core, &rule, for_good)) {
		settle(call, true, "");
		ik_core_policy_changed(core);
	} else {
		ask(call, NULL);
	}
	ik_rule_done(&rule);
}

static char *find_targets(const struct ik_viewed_call *call)
{
	return ik_policy_targets(call->all->viewer->directory, call->arguments, call->length);
}

/* Is the call still the one that the user was shown? If one of its paths leads elsewhere by now,
 * judge it again and ask again. */
static bool is_as_shown(struct ik_viewed_call *call)
{
	char *targets = find_targets(call);
	bool same = ik_text_equal(targets, call->targets);

	free(targets);
	if (!same) {
		ask(call, _("A path of this call leads elsewhere by now."));
		ik_session_policy_changed(call->all->core->session);
	}
	return same;
}

static void on_answer(void *arg, struct ik_json_span result, const char *error)
{
	struct ik_viewed_call *call = arg;
	char *answer = ik_json_text_new(ik_json_at(result, "outcome.optionId"));

	call->question = 0;
	if (!answer || ik_text_equal(answer, NO))
		/* The model reads this, so it is not translated. */
		settle(call, false, error ? "The editor could not ask the user." : "");
	else if (!is_as_shown(call))
		; /* asked again */
	else if (ik_text_starts(answer, SESSION) || ik_text_starts(answer, ALWAYS))
		allow_always(call, answer, ik_text_starts(answer, ALWAYS));
	else
		settle(call, ik_text_equal(answer, ONCE), "");
	free(answer);
}

/* Append the answer that keeps the rule of a width. */
static void put_rule(const struct ik_viewed_call *call, bool for_good, int width,
	struct ik_buf *out)
{
	struct ik_rule rule;
	struct ik_buf words;
	char *id, *name;

	if (!suggest(call, width, &rule))
		return;
	ik_buf_init(&words, IK_LIMIT_CONFIG);
	ik_policy_put_rule(call->all->core->policy, &rule, &words);
	id = ik_format("%s%d", for_good ? ALWAYS : SESSION, width);
	/* Translators: %s is which calls, as in "bash: commands that begin with git log" */
	name = ik_format(for_good ? _("Always: %s") : _("In this session: %s"), words.data);
	ik_update_put_option(out, id, name, "allow_always");
	free(id);
	free(name);
	ik_rule_done(&rule);
	ik_buf_done(&words);
}

static void put_options(const struct ik_viewed_call *call, struct ik_buf *out)
{
	struct ik_rule rule;
	int width = IK_WIDTH_CALL;

	if (call->circling) {
		ik_update_put_option(out, ONCE, _("Go on"), "allow_once");
		ik_update_put_option(out, NO, _("Stop"), "reject_once");
		return;
	}
	/* Calls like this one, if there are any, else this one. */
	if (suggest(call, IK_WIDTH_LIKE, &rule)) {
		ik_rule_done(&rule);
		width = IK_WIDTH_LIKE;
	}
	ik_update_put_option(out, ONCE, _("Once"), "allow_once");
	put_rule(call, false, width, out);
	put_rule(call, false, IK_WIDTH_TOOL, out);
	put_rule(call, true, width, out);
	ik_update_put_option(out, NO, _("No"), "reject_once");
}

static void ask(struct ik_viewed_call *call, const char *why)
{
	struct ik_buf params;

	free(call->targets);
	call->targets = find_targets(call);
	ik_peer_open(&params);
	ik_json_printf(&params, "'sessionId':'%s','toolCall':{", call->all->viewer->session);
	ik_viewed_call_put(call, true, why, &params);
	ik_json_printf(&params, "},'options':[");
	put_options(call, &params);
	ik_json_close(&params, ']');
	call->question = ik_peer_ask(call->all->viewer->peer, "session/request_permission", &params,
		on_answer, call);
}

void ik_permission_ask(struct ik_viewed_call *call, const char *why, bool circling)
{
	call->circling = circling;
	ask(call, why);
}

void ik_permission_withdraw(struct ik_viewed_call *call)
{
	if (call->question != 0)
		ik_peer_take_back(call->all->viewer->peer, call->question);
	call->question = 0;
}
