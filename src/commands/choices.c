#include "commands/choices.h"

#include <stdlib.h>

#include "commands/commands.h"
#include "commands/sandbox_command.h"
#include "tui/term/theme.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/redact.h"
#include "util/text.h"

/* Milliseconds before a provider that failed to answer is asked again. */
#define ASK_AGAIN_MS 10000

struct ik_choices {
	struct ik_core *core;
	ik_choices_changed *changed;
	void *arg;

	/* The models of the current provider. */
	char *provider;
	struct ik_model_list *list; /* NULL: not requested */
	char *const *names;         /* owned by list; NULL: unknown */
	char **facts;               /* what is known of each */
	size_t count;
	char *problem; /* why they are unknown; NULL: no error yet */
	int64_t problem_ms;
	struct ik_buf note;
};

/* A list that is being made. */
struct choice_list {
	struct ik_choices *choices;
	const char *command;
	struct ik_pick_list *picks;
};

/* Add a choice. aside is a short fact, text all that is known; their memory is taken over. */
static void add(const struct choice_list *listing, const char *name, bool current, char *aside,
	char *text)
{
	ik_pick_add(listing->picks,
		(struct ik_pick){
			.id = ik_strdup(name),
			.title = ik_strdup(name),
			.aside = aside,
			.text = text,
			.line = ik_format("%s %s", listing->command, name),
			.current = current,
		});
}

/* ---- models ---- */

/* Append a fact after those before it. */
static void put_fact(struct ik_buf *out, char *fact)
{
	ik_buf_printf(out, "%s%s", out->length > 0 ? " · " : "", fact);
	free(fact);
}

/* Append what matters for a choice. */
static void put_facts(const struct ik_model_facts *facts, struct ik_buf *out)
{
	if (facts->context_window > 0) {
		struct ik_buf count;

		ik_buf_init(&count, IK_KIB(1));
		ik_count_put(&count, facts->context_window);
		/* Translators: the size of the context window */
		put_fact(out, ik_format(_("context %s tokens"), count.data));
		ik_buf_done(&count);
	}
	if (facts->price.input >= 0 && facts->price.output >= 0)
		/* Translators: prices of a million tokens */
		put_fact(out,
			ik_format(_("$%.2f in, $%.2f out per million"), facts->price.input,
				facts->price.output));
	if (facts->retires[0] != '\0')
		put_fact(out, ik_format(_("switched off on %s"), facts->retires));
}

static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct ik_choices *choices = arg;
	struct ik_core *core = choices->core;
	struct ik_model_facts *facts = ik_model_facts_of_all(core->setup->config, ik_core_model(core),
		names, count);

	choices->names = names;
	choices->count = count;
	choices->facts = ik_alloc_array(NULL, count, sizeof(*choices->facts));
	for (size_t i = 0; i < count; i++) {
		struct ik_buf out;

		ik_buf_init(&out, IK_KIB(4));
		put_facts(&facts[i], &out);
		choices->facts[i] = ik_buf_take(&out, NULL);
	}
	free(facts);
	choices->problem = names ? NULL : ik_strdup(sentence);
	choices->problem_ms = ik_clock_ms();
	choices->changed(choices->arg);
}

void ik_choices_forget(struct ik_choices *choices)
{
	choices->list = ik_model_list_close(choices->list);
	for (size_t i = 0; i < choices->count; i++)
		free(choices->facts[i]);
	free(choices->facts);
	choices->facts = NULL;
	free(choices->provider);
	free(choices->problem);
	choices->provider = choices->problem = NULL;
	choices->names = NULL;
	choices->count = 0;
}

/* Ask the provider for its models, unless that has been done. */
static void want_models(struct ik_choices *choices)
{
	struct ik_core *core = choices->core;
	struct ik_model *model = ik_core_model(core);
	const char *provider = model->endpoint.provider;

	if (choices->provider &&
		(!ik_text_equal(choices->provider, provider) ||
			(choices->problem && ik_clock_ms() - choices->problem_ms > ASK_AGAIN_MS)))
		ik_choices_forget(choices);
	if (choices->provider)
		return;
	choices->provider = ik_strdup(provider);
	choices->list = ik_model_list_start(core->loop, core->http, model,
		core->setup->config->http_idle_timeout_s * 1000, on_models, choices);
}

static void add_models(const struct choice_list *listing)
{
	struct ik_choices *choices = listing->choices;
	const char *now = ik_core_model(choices->core)->name;

	want_models(choices);
	for (size_t i = 0; i < choices->count; i++)
		add(listing, choices->names[i], ik_text_equal(choices->names[i], now), ik_strdup(""),
			ik_strdup(choices->facts[i]));
	ik_buf_clear(&choices->note);
	if (choices->problem)
		ik_buf_printf(&choices->note, "%s\n%s", choices->problem,
			_("/model --force NAME switches without asking the provider."));
	else if (choices->list && !choices->names)
		ik_buf_printf(&choices->note, _("asking %s…"), choices->provider);
	listing->picks->empty = choices->note.length > 0 ? choices->note.data : NULL;
}

/* ---- providers, themes, modes ---- */

static void add_providers(const struct choice_list *listing)
{
	const struct ik_core *core = listing->choices->core;
	const struct ik_config *config = core->setup->config;
	const struct ik_model *now = ik_core_model(core);
	const char *name;

	for (size_t i = 0; (name = ik_model_provider_at(config, i)); i++) {
		bool current = ik_text_equal(name, now->endpoint.provider);
		struct ik_error error;
		/* Show the current one as it is used: address and key may be from the command line. */
		struct ik_model *model = current
			? ik_model_ref(ik_core_model(core))
			: ik_model_choose(config, &(struct ik_model_wish){ .provider = name }, &error);

		add(listing, name, current, ik_strdup(model ? model->name : ""),
			!model ? ik_strdup(error.text)
				: model->format->answer
				? ik_strdup(_("built in: no model, but rules to practise with"))
				: ik_redact(model->endpoint.base_url));
		ik_model_unref(model);
	}
}

/* What a theme looks like, in Markdown. */
static const char sample[] =
	"\n\n## Hello\n\nText, **bold**, *emphasis*, `code` and [a link](url).\n\n"
	"```c\nint main(void)\n{\n\treturn 42; /* a comment */\n}\n```\n\n"
	"```diff\n-old\n+new\n```\n";

static void add_themes(const struct choice_list *listing)
{
	static const struct {
		const char *name, *meaning;
	} known[] = {
		{ "auto", N_("dark or light, like the terminal's background") },
		{ "dark", N_("for a dark background") },
		{ "light", N_("for a light background") },
		{ "contrast", N_("strong colours on black, easy to tell apart") },
		{ "mono", N_("no colours") },
	};
	const struct ik_setup *setup = listing->choices->core->setup;
	const struct ik_theme *theme = NULL;

	for (size_t i = 0; i == 0 || (theme = ik_theme_at(&setup->themes, i - 1)); i++) {
		const char *name = i == 0 ? "auto" : theme->name, *meaning = "";

		for (size_t j = 0; j < sizeof(known) / sizeof(known[0]); j++)
			if (ik_text_equal(known[j].name, name))
				meaning = _(known[j].meaning);
		add(listing, name, ik_text_equal(name, setup->config->ui_theme), ik_strdup(""),
			ik_format("%s%s", meaning, sample));
	}
}

static void add_modes(const struct choice_list *listing)
{
	struct ik_policy *policy = listing->choices->core->policy;

	for (int mode = 0; mode < IK_MODE_COUNT; mode++) {
		struct ik_buf text;

		ik_buf_init(&text, IK_MIB(1));
		ik_mode_text(policy, (enum ik_mode)mode, &text);
		add(listing, ik_mode_name((enum ik_mode)mode), mode == (int)ik_policy_mode(policy),
			ik_strdup(""), ik_buf_take(&text, NULL));
	}
}

static void add_sandboxes(const struct choice_list *listing)
{
	const struct ik_setup *setup = listing->choices->core->setup;

	for (int mode = 0; mode < IK_SANDBOX_MODE_COUNT; mode++) {
		struct ik_buf text;

		ik_buf_init(&text, IK_MIB(1));
		ik_sandbox_text(setup, (enum ik_sandbox_mode)mode, &text);
		add(listing, ik_sandbox_mode_name((enum ik_sandbox_mode)mode),
			mode == (int)ik_sandbox_mode(setup->sandbox), ik_strdup(""), ik_buf_take(&text, NULL));
	}
}

/* ---- all kinds ---- */

static const struct kind {
	enum ik_argument_kind kind;
	const char *title;
	void (*add)(const struct choice_list *listing);
	bool markdown; /* the texts are Markdown */
} kinds[] = {
	{ IK_ARGUMENT_MODEL, N_(" Models "), add_models, false },
	{ IK_ARGUMENT_PROVIDER, N_(" Providers "), add_providers, false },
	{ IK_ARGUMENT_THEME, N_(" Themes "), add_themes, true },
	{ IK_ARGUMENT_MODE, N_(" Which calls are made "), add_modes, false },
	{ IK_ARGUMENT_SANDBOX, N_(" Where tools may write "), add_sandboxes, false },
};

static const struct kind *find(enum ik_argument_kind kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == kind)
			return &kinds[i];
	return NULL;
}

bool ik_choices_has(enum ik_argument_kind kind)
{
	return find(kind);
}

void ik_choices_list(struct ik_choices *choices, const struct ik_action_row *row,
	struct ik_pick_list *ret_list)
{
	const struct kind *kind = find(row->argument);

	*ret_list = (struct ik_pick_list){
		.title = _(kind->title),
		.take = N_("use"),
		.markdown = kind->markdown,
		.keeps = true,
	};
	kind->add(&(struct choice_list){ choices, row->name, ret_list });
}

struct ik_choices *ik_choices_new(struct ik_core *core, ik_choices_changed *changed, void *arg)
{
	struct ik_choices *choices = ik_alloc(sizeof(*choices));

	choices->core = core;
	choices->changed = changed;
	choices->arg = arg;
	ik_buf_init(&choices->note, IK_KIB(16));
	return choices;
}

struct ik_choices *ik_choices_free(struct ik_choices *choices)
{
	if (!choices)
		return NULL;
	ik_choices_forget(choices);
	ik_buf_done(&choices->note);
	free(choices);
	return NULL;
}
