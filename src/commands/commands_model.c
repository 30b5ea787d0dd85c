#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>

#include "commands/action.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

enum { NAME_COLUMNS = 12, NEAR_SHOWN = 3 };

/* Append which model gets the next message. */
static void put_present(struct ik_buf *out, const struct ik_model *model)
{
	ik_buf_printf(out, _("The model is %s of %s."), model->name, model->endpoint.provider);
	ik_buf_putc(out, '\n');
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

/* Switch a session to another model of its provider. */
static bool use_model(struct ik_core *core, struct ik_session *session, const char *name,
	struct ik_buf *answer)
{
	struct ik_model *now = ik_model_ref(ik_session_model(session)); /* about to be replaced */
	const struct ik_model_wish wish = {
		.provider = now->endpoint.provider,
		.model = name,
		.base_url = now->url_given ? now->endpoint.base_url : NULL,
	};
	bool switched = use(core, session, &wish, answer);

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

/* Separators of a name's parts, and the limit on the parts. */
#define BETWEEN "-._/: @"
enum { PARTS = 24 };

/* Split a name in place into its parts. Return their number. */
static size_t split(char *name, const char *parts[PARTS])
{
	size_t count = 0;
	char *rest = NULL, *part;

	for (part = strtok_r(name, BETWEEN, &rest); part && count < PARTS;
		 part = strtok_r(NULL, BETWEEN, &rest))
		parts[count++] = part;
	return count;
}

/* Return the distance of the parts to the closest parts of the other name; SIZE_MAX if a part has
 * no close one. Extra parts of the other name count less than any typo. */
static size_t distance(const char *const *parts, size_t count, const char *other)
{
	char *copy = ik_strdup(other);
	const char *others[PARTS];
	size_t other_count = split(copy, others), sum = 0, i;

	for (i = 0; i < count && sum != SIZE_MAX; i++) {
		const char *nearest = ik_text_nearest(parts[i], others, other_count);

		sum = nearest ? sum + ik_text_distance(parts[i], nearest) * PARTS : SIZE_MAX;
	}
	free(copy);
	if (sum == SIZE_MAX || other_count < count)
		return sum;
	return sum + other_count - count;
}

size_t ik_model_nearest(const char *name, char *const *names, size_t count, const char **ret_near,
	size_t room)
{
	char *copy = ik_strdup(name);
	const char *parts[PARTS];
	size_t *distances = ik_alloc_array(NULL, count + 1, sizeof(*distances));
	size_t part_count = split(copy, parts), found, i;

	for (i = 0; i < count; i++)
		distances[i] = part_count > 0 ? distance(parts, part_count, names[i]) : SIZE_MAX;
	for (found = 0; found < room && count > 0; found++) {
		size_t best = 0;

		for (i = 1; i < count; i++)
			best = distances[i] < distances[best] ? i : best;
		if (distances[best] == SIZE_MAX)
			break;
		ret_near[found] = names[best];
		distances[best] = SIZE_MAX;
	}
	free(distances);
	free(copy);
	return found;
}

/* Append that the provider has no such model, and similar names. */
static void put_refusal(struct ik_buf *out, const char *provider, const char *model,
	char *const *names, size_t count)
{
	const char *near[NEAR_SHOWN];
	size_t found = ik_model_nearest(model, names, count, near, NEAR_SHOWN), i;
	struct ik_buf list;

	ik_buf_init(&list, IK_KIB(4));
	for (i = 0; i < found; i++)
		ik_buf_printf(&list, "%s%s", i > 0 ? ", " : "", near[i]);
	if (found > 0)
		ik_buf_printf(out, _("%s lists no model %s. Near it: %s. /model %s switches to the first."),
			provider, model, list.data, near[0]);
	else
		ik_buf_printf(out, _("%s lists no model %s; /model shows those that there are."), provider,
			model);
	ik_buf_putc(out, '\n');
	ik_buf_done(&list);
}

/* List the provider's models. */
static void put_models(struct ik_buf *out, const struct ik_model *model, char *const *names,
	size_t count)
{
	size_t i;

	ik_buf_printf(out,
		ngettext("%s offers %zu model; /model NAME switches to one.",
			"%s offers %zu models; /model NAME switches to one.", count),
		model->endpoint.provider, count);
	ik_buf_putc(out, '\n');
	for (i = 0; i < count; i++)
		ik_buf_printf(out, "%s %s\n", ik_text_equal(names[i], model->name) ? "*" : " ", names[i]);
}

/* Handle the provider's answer. The session that asked may no longer be the current one. */
static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct ik_model_question *question = arg;
	struct ik_core *core = question->core;
	struct ik_session *session = question->session;
	const struct ik_model *model = ik_session_model(session);
	const char *wanted = question->wanted;
	bool switched = false;
	struct ik_buf out;

	ik_core_entry(core, session)->question = NULL;
	ik_buf_init(&out, IK_LIMIT_MODEL_LIST);
	if (wanted && has(names, count, wanted)) {
		switched = use_model(core, session, wanted, &out);
	} else {
		if (!names)
			ik_buf_printf(&out, "%s\n", sentence);
		else if (wanted)
			put_refusal(&out, model->endpoint.provider, wanted, names, count);
		else
			put_models(&out, model, names, count);
		if (wanted || !names)
			put_present(&out, model);
		if (wanted)
			ik_buf_printf(&out, _("/model --force %s switches without asking the provider."),
				wanted);
		else if (!names)
			ik_buf_puts(&out, _("/model --force NAME switches without asking the provider."));
	}
	ik_command_answer(session, question->line, &out);
	/* Send the messages queued meanwhile, or hold them if the switch failed. */
	ik_session_know_model(session, !wanted || switched);
	ik_model_question_free(question);
}

/* Ask the provider for its models, and whether wanted (may be NULL) is one of them. */
static void ask(struct ik_core *core, const char *line, const char *wanted)
{
	struct ik_core_session *entry = ik_core_entry(core, core->session);
	struct ik_model_question *question = ik_alloc(sizeof(*question));

	if (entry->question)
		ik_session_know_model(core->session, !entry->question->wanted);
	ik_model_question_free(entry->question);
	*question = (struct ik_model_question){
		.core = core,
		.session = core->session,
		.line = ik_strdup(line),
		.wanted = wanted ? ik_strdup(wanted) : NULL,
	};
	entry->question = question;
	if (wanted)
		ik_session_await_model(core->session);
	question->list = ik_model_list_start(core->loop, core->http, ik_core_model(core),
		core->setup->config->http_idle_timeout_s * 1000, on_models, question);
}

void ik_command_model(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	const char *argument = invocation->text, *forced = ik_argument_after(argument, "--force");

	if (!forced)
		ask(core, invocation->line, argument[0] != '\0' ? argument : NULL);
	else if (forced[0] != '\0')
		(void)use_model(core, core->session, forced, answer);
	else
		ik_buf_puts(answer, _("/model --force needs the name of a model."));
}

/* ---- /provider ---- */

/* Append a line: the provider's name, then its model and address, or what is missing. */
static void put_provider(struct ik_buf *out, const struct ik_core *core, const char *name)
{
	struct ik_model *now = ik_core_model(core), *model;
	bool present = ik_text_equal(name, now->endpoint.provider);
	struct ik_error error;

	ik_buf_puts(out, present ? "* " : "  ");
	ik_utf8_put_cell(out, name, NAME_COLUMNS);
	ik_buf_puts(out, "  ");
	/* Show the current provider as it is used: address and key may come from the command line. */
	model = present
		? ik_model_ref(now)
		: ik_model_choose(core->setup->config, &(struct ik_model_wish){ .provider = name }, &error);
	if (!model)
		ik_buf_printf(out, "%s\n", error.text);
	else if (model->format->answer)
		ik_buf_printf(out, "%s\n", _("built in: no model, but rules to practise with"));
	else
		ik_buf_printf(out, "%s  %s\n", model->name, model->endpoint.base_url);
	ik_model_unref(model);
}

void ik_command_provider(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	const char *name;

	if (invocation->length > 0) {
		(void)use(core, core->session, &(struct ik_model_wish){ .provider = invocation->text },
			answer);
		return;
	}
	ik_buf_printf(answer, "%s\n", _("/provider NAME switches to another:"));
	for (size_t i = 0; (name = ik_model_provider_at(core->setup->config, i)); i++)
		put_provider(answer, core, name);
}
