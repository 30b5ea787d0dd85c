#include "app/commands_model.h"

#include <stdlib.h>
#include <string.h>

#include "app/model_hint.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

enum { NAME_COLUMNS = 12 };

static const struct ik_model_choice *choice_of(const struct ik_core *core)
{
	return ik_core_choice(core);
}

/* Say to whom the next message goes. */
static void put_present(struct ik_buf *out, const struct ik_core *core)
{
	ik_buf_printf(out, _("The model is %s of %s."), choice_of(core)->model, choice_of(core)->provider);
	ik_buf_putc(out, '\n');
}

/* Take another; what then is, or why not, is the answer. Is it taken? */
static bool use(struct ik_core *core, const char *line, const struct ik_model_wish *wish)
{
	bool taken = false;
	struct ik_error error;
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(16));
	if (ik_core_use_model(core, wish, &error) != IK_OK) {
		ik_buf_printf(&out, "%s\n", error.text);
		put_present(&out, core);
	} else {
		taken = true;
		put_present(&out, core);
		if (ik_session_busy(core->session))
			ik_buf_printf(&out, "%s\n", _("It is asked from the next request on."));
	}
	ik_command_answer(core, line, &out);
	return taken;
}

/* ---- /model ---- */

/* The provider has answered; the session that asked may not be in front any more. */
static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct ik_core *core = arg;
	struct ik_session *session = core->models_for;
	const struct ik_model_choice *choice = ik_core_choice_of(core, session);
	char *line = core->models_line;
	struct ik_buf out;
	size_t i;

	core->models_line = NULL;
	core->models = ik_model_list_close(core->models);
	ik_buf_init(&out, IK_LIMIT_MODEL_LIST);
	if (names == NULL) {
		ik_buf_printf(&out, "%s\n%s\n", sentence, _("/model NAME takes one all the same."));
	} else {
		ik_buf_printf(&out, ngettext("%s offers %zu model; /model NAME takes one.",
			"%s offers %zu models; /model NAME takes one.", count), choice->provider, count);
		ik_buf_putc(&out, '\n');
		for (i = 0; i < count; i++)
			ik_buf_printf(&out, "%s %s\n", ik_text_equal(names[i], choice->model) ? "*" : " ",
				names[i]);
	}
	core->models_for = NULL;
	ik_command_answer_in(session, line, &out);
	free(line);
}

/* Ask the provider what it offers. */
static void ask(struct ik_core *core, const char *line)
{
	struct ik_model_spec spec = ik_model_choice_spec(choice_of(core));
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(16));
	put_present(&out, core);
	ik_buf_printf(&out, _("Asking %s what it offers…"), choice_of(core)->provider);
	ik_command_answer(core, line, &out);
	free(core->models_line);
	ik_model_list_close(core->models);
	core->models_line = ik_strdup(line);
	core->models_for = core->session;
	core->models = ik_model_list_start(core->loop, core->http, &spec,
		core->setup->config->http_idle_timeout_s * 1000, on_models, core);
}

enum ik_command_effect ik_command_model(struct ik_core *core, const char *line, const char *rest)
{
	/* Copies: the choice is replaced. */
	char *provider = ik_strdup(choice_of(core)->provider);
	char *url = choice_of(core)->given_url ? ik_strdup(choice_of(core)->base_url) : NULL;

	if (rest[0] == '\0')
		ask(core, line);
	else if (use(core, line,
			&(struct ik_model_wish){.provider = provider, .model = rest, .base_url = url}))
		ik_model_hint_ask(core);
	free(provider);
	free(url);
	return IK_COMMAND_NOTHING;
}

/* ---- /provider ---- */

/* One line: the name, and its model and address or what it lacks. */
static void put_provider(struct ik_buf *out, const struct ik_core *core, const char *name)
{
	struct ik_model_choice choice = {.provider = NULL};
	size_t width = ik_utf8_width(name, strlen(name));
	struct ik_error error;

	ik_buf_printf(out, "%s %s%*s  ", ik_text_equal(name, choice_of(core)->provider) ? "*" : " ", name,
		width < NAME_COLUMNS ? (int)(NAME_COLUMNS - width) : 0, "");
	/* The one that is in use, as it is used: its address or key may be of the command line. */
	if (ik_text_equal(name, choice_of(core)->provider) && !choice_of(core)->practice)
		ik_buf_printf(out, "%s  %s\n", choice_of(core)->model, choice_of(core)->base_url);
	else if (ik_model_choose(core->setup->config, &(struct ik_model_wish){.provider = name}, &choice,
			&error) != IK_OK)
		ik_buf_printf(out, "%s\n", error.text);
	else if (choice.practice)
		ik_buf_printf(out, "%s\n", _("built in: no model, but rules to practise with"));
	else
		ik_buf_printf(out, "%s  %s\n", choice.model, choice.base_url);
	ik_model_choice_done(&choice);
}

enum ik_command_effect ik_command_provider(struct ik_core *core, const char *line, const char *rest)
{
	const char *name;
	struct ik_buf out;
	size_t i;

	if (rest[0] != '\0') {
		(void)use(core, line, &(struct ik_model_wish){.provider = rest});
		return IK_COMMAND_NOTHING;
	}
	ik_buf_init(&out, IK_KIB(256));
	ik_buf_printf(&out, "%s\n", _("/provider NAME takes another:"));
	for (i = 0; (name = ik_model_provider_at(core->setup->config, i)) != NULL; i++)
		put_provider(&out, core, name);
	ik_command_answer(core, line, &out);
	return IK_COMMAND_NOTHING;
}
