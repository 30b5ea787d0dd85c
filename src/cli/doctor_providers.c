#include "cli/doctor_providers.h"

#include <stdlib.h>
#include <string.h>

#include "agent/model_list.h"
#include "util/alloc.h"
#include "util/text.h"

/* Time limits; a list of models is a short answer. */
#define CONNECT_MS 10000
#define ANSWER_MS 10000
#define ALL_MS 20000

struct doctor_provider {
	struct ik_doctor_providers *all;
	char *name;
	struct ik_model_choice choice;
	struct ik_model_list *list; /* NULL: it has answered */
	enum ik_doctor_finding finding;
	char *sentence;
};

struct ik_doctor_providers {
	struct ik_doctor_report *report;
	struct ik_loop *loop;
	struct ik_http *http;
	struct ik_timer *limit;
	struct doctor_provider *items;
	size_t count, answered;
};

/* Report all providers in the order of the table, and stop the loop. */
static void report_all(struct ik_doctor_providers *all)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		const struct doctor_provider *provider = &all->items[i];
		char *warning = ik_model_choice_warning(&provider->choice);

		ik_doctor_say(all->report, provider->finding, provider->name, provider->sentence);
		if (warning)
			ik_doctor_say_free(all->report, IK_FINDING_NOTE, provider->name, warning);
	}
	ik_loop_stop(all->loop);
}

/* Keep the result of a provider; sentence is ours now. */
static void settle(struct doctor_provider *provider, enum ik_doctor_finding finding, char *sentence)
{
	provider->finding = finding;
	provider->sentence = sentence;
	provider->list = ik_model_list_close(provider->list);
	provider->all->answered++;
}

/* Judge the answer of a provider; after the last answer, report all. */
static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct doctor_provider *provider = arg;
	const struct ik_model_choice *choice = &provider->choice;
	bool offered = false;
	size_t i;

	for (i = 0; i < count; i++)
		offered = offered || ik_text_equal(names[i], choice->model);
	if (!names)
		settle(provider, IK_FINDING_WRONG, ik_strdup(sentence));
	else if (!offered)
		settle(provider, IK_FINDING_NOTE,
			ik_format(ngettext("%s answers, but %s is not the %zu model "
							   "that it names; /model in the chat lists it",
						  "%s answers, but %s is not among the %zu "
						  "models that it names; /model in the chat lists them",
						  count),
				choice->base_url, choice->model, count));
	else
		settle(provider, IK_FINDING_OK,
			choice->api_key
				? ik_format(_("%s answers and takes the key of %s; model %s"), choice->base_url,
					  choice->key_variable, choice->model)
				: ik_format(_("%s answers; model %s"), choice->base_url, choice->model));
	if (provider->all->answered == provider->all->count)
		report_all(provider->all);
}

/* Give up on the providers that have not answered. */
static void on_limit(void *arg)
{
	struct ik_doctor_providers *all = arg;
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->items[i].list)
			settle(&all->items[i], IK_FINDING_WRONG,
				ik_format(_("%s has not answered in %d s; "
							"check the network, a proxy (http.proxy), and base_url"),
					all->items[i].choice.base_url, ALL_MS / 1000));
	report_all(all);
}

/* Has the user set it up: by an entry in the configuration, as the default, or by its own key? */
static bool is_set_up(const struct ik_config *config, const char *name,
	const struct ik_model_choice *choice)
{
	struct ik_model_choice standard = { .provider = NULL };
	struct ik_error error;
	size_t count = 0;
	bool set_up;

	(void)!ik_model_choose(config, &(struct ik_model_wish){ .provider = NULL }, &standard, &error);
	set_up = standard.provider && ik_text_equal(standard.provider, name);
	ik_model_choice_done(&standard);
	while (ik_model_key_variable(count))
		count++;
	/* The last variable works for any provider. */
	return set_up || ik_config_provider(config, name) ||
		(choice->api_key && !ik_text_equal(choice->key_variable, ik_model_key_variable(count - 1)));
}

/* Add a provider if the user has set it up. */
static void add(struct ik_doctor_providers *all, const struct ik_config *config, const char *name)
{
	struct doctor_provider *provider;
	struct ik_model_choice choice = { .provider = NULL };
	struct ik_error error;
	enum ik_status status = ik_model_choose(config, &(struct ik_model_wish){ .provider = name },
		&choice, &error);

	if (!is_set_up(config, name, &choice) || choice.practice) {
		ik_model_choice_done(&choice);
		return;
	}
	provider = &all->items[all->count++];
	*provider = (struct doctor_provider){
		.all = all,
		.name = ik_strdup(name),
		.choice = choice,
	};
	if (status != IK_OK)
		settle(provider, IK_FINDING_WRONG, ik_strdup(error.text));
}

/* Ask the providers that are not settled yet. */
static void ask_all(struct ik_doctor_providers *all, const struct ik_config *config)
{
	struct ik_http_options options = {
		.connect_timeout_ms = CONNECT_MS,
		.proxy = config->http_proxy,
		.ca_file = config->http_ca_file,
	};
	size_t i;

	all->http = ik_http_new(all->loop, &options);
	all->limit = ik_timer_new(all->loop, on_limit, all);
	ik_timer_start(all->limit, ALL_MS);
	for (i = 0; i < all->count; i++) {
		struct doctor_provider *provider = &all->items[i];
		struct ik_model_spec spec = ik_model_choice_spec(&provider->choice);

		if (!provider->sentence)
			provider->list = ik_model_list_start(all->loop, all->http, &spec, ANSWER_MS, on_models,
				provider);
	}
}

struct ik_doctor_providers *ik_doctor_check_providers(struct ik_doctor_report *report,
	const struct ik_setup *setup, struct ik_loop *loop)
{
	struct ik_doctor_providers *all = ik_alloc(sizeof(*all));
	const struct ik_config *config = setup->config;
	size_t count = 0, i;

	*all = (struct ik_doctor_providers){ .report = report, .loop = loop };
	while (ik_model_provider_at(config, count))
		count++;
	all->items = ik_alloc((count + 1) * sizeof(*all->items));
	for (i = 0; i < count; i++)
		add(all, config, ik_model_provider_at(config, i));
	if (all->count == 0)
		ik_doctor_say(report, IK_FINDING_NOTE, N_("providers"),
			_("none is set up: put a key in "
			  "OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_API_KEY; until then the chat has the "
			  "practice model"));
	if (all->answered == all->count)
		report_all(all);
	else
		ask_all(all, config);
	return all;
}

struct ik_doctor_providers *ik_doctor_providers_close(struct ik_doctor_providers *all)
{
	size_t i;

	if (!all)
		return NULL;
	for (i = 0; i < all->count; i++) {
		struct doctor_provider *provider = &all->items[i];

		(void)ik_model_list_close(provider->list);
		ik_model_choice_done(&provider->choice);
		free(provider->name);
		free(provider->sentence);
	}
	free(all->items);
	(void)ik_timer_close(all->limit);
	(void)ik_http_free(all->http);
	free(all);
	return NULL;
}
