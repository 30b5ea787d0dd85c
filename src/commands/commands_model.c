#include "commands/commands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "commands/action.h"
#include "provider/models.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

enum { NEAR_SHOWN = 3 };

/* Append which model gets the next message. */
static void put_present(struct ik_buf *out, const struct ik_model *model)
{
	ik_buf_printf(out, _("The model is %s of %s."), model->name, model->endpoint.provider);
	ik_buf_putc(out, '\n');
}

/* Keep the model for later chats, as the provider's, or as the one for all if such a one is set and
 * counts for the provider. provider: keep that, too. */
static void keep(struct ik_core *core, const struct ik_model *model, bool provider,
	struct ik_buf *answer)
{
	const struct ik_config *config = core->setup->config;
	const char *name = model->endpoint.provider;
	bool counts = config->model &&
		(provider || ik_text_equal(name, ik_model_default_provider(config, NULL)));
	char *key = counts ? ik_strdup("model") : ik_format("providers.%s.model", name);

	if (provider)
		ik_command_keep(core, "provider", name, answer);
	if (!provider || counts)
		ik_command_keep(core, key, model->name, answer);
	free(key);
}

/* Switch a session to another model, and append the new state or an error. */
static bool use(struct ik_core *core, struct ik_session *session, const struct ik_model_wish *wish,
	struct ik_buf *answer)
{
	struct ik_error error;
	bool switched = ik_core_use_model(core, session, wish, &error) == IK_OK;

	if (!switched)
		ik_buf_printf(answer, "%s\n", error.text);
	put_present(answer, ik_session_model(session));
	if (switched && ik_session_busy(session))
		ik_buf_printf(answer, "%s\n", _("It is asked from the next request on."));
	return switched;
}

/* ---- /model ---- */

/* Switch a session to another model of its provider; for_good: keep it, too. */
static bool use_model(struct ik_core *core, struct ik_session *session, const char *name,
	bool for_good, struct ik_buf *answer)
{
	struct ik_model *now = ik_model_ref(ik_session_model(session)); /* about to be replaced */
	const struct ik_model_wish wish = {
		.provider = now->endpoint.provider,
		.model = name,
		.base_url = now->url_given ? now->endpoint.base_url : NULL,
	};
	bool switched = use(core, session, &wish, answer);

	if (switched && for_good)
		keep(core, ik_session_model(session), false, answer);
	ik_model_unref(now);
	return switched;
}

static bool has(char *const *names, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (ik_text_equal(names[i], name))
			return true;
	return false;
}

/* Append that the provider has no such model, and similar names. */
static void put_refusal(struct ik_buf *out, const char *provider, const char *model,
	const char *const *near, size_t found)
{
	struct ik_buf list;
	size_t i;

	ik_buf_init(&list, IK_KIB(4));
	for (i = 0; i < found; i++)
		ik_buf_printf(&list, "%s%s", i > 0 ? ", " : "", near[i]);
	if (found > 0)
		ik_buf_printf(out, _("%s lists no model %s. Near it: %s. /model %s switches to the first."),
			provider, model, list.data, near[0]);
	else
		ik_buf_printf(out, _("%s lists no model %s; /model shows the ones it has."), provider,
			model);
	ik_buf_putc(out, '\n');
	ik_buf_done(&list);
}

/* Does a part of the near name begin with the letter that a name begins with? The first letter is
 * hardly ever a typo. */
static bool begins_alike(const char *name, const char *near)
{
	for (const char *at = near; *at; at++)
		if ((at == near || !isalnum((unsigned char)at[-1])) && strncasecmp(at, name, 1) == 0)
			return true;
	return false;
}

/* Handle the provider's answer. The session that asked may no longer be the current one. */
static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct ik_model_question *question = arg;
	struct ik_core *core = question->core;
	struct ik_session *session = question->session;
	const struct ik_model *model = ik_session_model(session);
	const char *wanted = question->wanted, *provider = model->endpoint.provider, *near[NEAR_SHOWN];
	size_t found = ik_model_nearest(wanted, names, count, near, NEAR_SHOWN);
	bool listed = has(names, count, wanted), switched = false;
	bool sure = !listed && found == 1 && begins_alike(wanted, near[0]);
	struct ik_buf out;

	ik_core_entry(core, session)->question = NULL;
	ik_buf_init(&out, IK_LIMIT_MODEL_LIST);
	if (sure)
		ik_buf_printf(&out, _("%s lists no model %s. Using the nearest: %s."), provider, wanted,
			near[0]);
	if (listed || sure) {
		ik_buf_puts(&out, listed ? "" : "\n");
		switched = use_model(core, session, listed ? wanted : near[0], question->keep, &out);
	} else {
		if (!names)
			ik_buf_printf(&out, "%s\n", sentence);
		else
			put_refusal(&out, provider, wanted, near, found);
		put_present(&out, model);
		ik_buf_printf(&out, _("/model --force %s switches without asking the provider."), wanted);
	}
	ik_command_answer(session, question->line, &out);
	/* Send the messages queued meanwhile, or hold them if the switch failed. */
	ik_session_know_model(session, switched);
	ik_model_question_free(question);
}

/* Ask the provider whether a model is one of its models. */
static void ask(struct ik_core *core, const struct ik_invocation *invocation)
{
	struct ik_core_session *entry = ik_core_entry(core, core->session);
	struct ik_model_question *question = ik_alloc(sizeof(*question));

	if (entry->question)
		ik_session_know_model(core->session, false);
	ik_model_question_free(entry->question);
	*question = (struct ik_model_question){
		.core = core,
		.session = core->session,
		.line = ik_strdup(invocation->line),
		.wanted = ik_strdup(invocation->text),
		.keep = invocation->keep,
	};
	entry->question = question;
	ik_session_await_model(core->session);
	question->list = ik_model_list_start(core->loop, core->http, ik_core_model(core),
		core->setup->config->http_idle_timeout_s * 1000, on_models, question);
}

void ik_command_model(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	const char *argument = invocation->text, *forced = ik_argument_after(argument, "--force");

	if (!forced)
		ask(core, invocation);
	else if (forced[0] != '\0')
		(void)use_model(core, core->session, forced, invocation->keep, answer);
	else
		ik_buf_puts(answer, _("/model --force needs the name of a model."));
}

/* ---- /provider ---- */

void ik_command_provider(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	const struct ik_model_wish wish = { .provider = invocation->text };

	if (use(core, core->session, &wish, answer) && invocation->keep)
		keep(core, ik_core_model(core), true, answer);
}
