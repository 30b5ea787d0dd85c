#include "cli/doctor_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* Nobody waits longer for an answer of a few words. */
#define CONNECT_MS 10000
#define ANSWER_MS 10000
#define ALL_MS 20000

/* Say it all, in the order of the table. */
static void report(struct ik_doctor *doctor)
{
	size_t i;

	for (i = 0; i < doctor->provider_count; i++) {
		const struct ik_doctor_provider *provider = &doctor->providers[i];
		char *warning = ik_model_choice_warning(&provider->choice);

		ik_doctor_say(doctor, provider->finding, provider->name, provider->sentence);
		if (warning)
			ik_doctor_say(doctor, IK_FINDING_NOTE, provider->name, warning);
		free(warning);
	}
	ik_loop_stop(doctor->loop);
}

/* Note what is known of a provider (sentence is taken over). */
static void settle(struct ik_doctor_provider *provider, enum ik_doctor_finding finding,
	char *sentence)
{
	provider->finding = finding;
	provider->sentence = sentence;
	provider->list = ik_model_list_close(provider->list);
	provider->doctor->answered++;
}

/* It has answered; with the last of them all is known. */
static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct ik_doctor_provider *provider = arg;
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
	if (provider->doctor->answered == provider->doctor->provider_count)
		report(provider->doctor);
}

/* The time is over. */
static void on_limit(void *arg)
{
	struct ik_doctor *doctor = arg;
	size_t i;

	for (i = 0; i < doctor->provider_count; i++)
		if (doctor->providers[i].list)
			settle(&doctor->providers[i], IK_FINDING_WRONG,
				ik_format(_("%s has not answered in %d s; "
							"check the network, a proxy (http.proxy), and base_url"),
					doctor->providers[i].choice.base_url, ALL_MS / 1000));
	report(doctor);
}

/* Has the person set it up: by an entry, by choice, or by a key of its own? */
static bool is_meant(const struct ik_config *config, const char *name,
	const struct ik_model_choice *choice)
{
	struct ik_model_choice standard = { .provider = NULL };
	struct ik_error error;
	size_t count = 0;
	bool meant;

	(void)!ik_model_choose(config, &(struct ik_model_wish){ .provider = NULL }, &standard, &error);
	meant = standard.provider && ik_text_equal(standard.provider, name);
	ik_model_choice_done(&standard);
	while (ik_model_key_variable(count))
		count++;
	/* The last one is any provider's. */
	return meant || ik_config_provider(config, name) ||
		(choice->api_key && !ik_text_equal(choice->key_variable, ik_model_key_variable(count - 1)));
}

/* Add one, unless nobody has set it up. */
static void add(struct ik_doctor *doctor, const char *name)
{
	const struct ik_config *config = doctor->setup->config;
	struct ik_doctor_provider *provider;
	struct ik_model_choice choice = { .provider = NULL };
	struct ik_error error;
	enum ik_status status = ik_model_choose(config, &(struct ik_model_wish){ .provider = name },
		&choice, &error);

	if (!is_meant(config, name, &choice) || choice.practice) {
		ik_model_choice_done(&choice);
		return;
	}
	provider = &doctor->providers[doctor->provider_count++];
	*provider = (struct ik_doctor_provider){
		.doctor = doctor,
		.name = ik_strdup(name),
		.choice = choice,
	};
	if (status != IK_OK)
		settle(provider, IK_FINDING_WRONG, ik_strdup(error.text));
}

void ik_doctor_ask_providers(struct ik_doctor *doctor)
{
	const struct ik_config *config = doctor->setup->config;
	struct ik_http_options options = {
		.connect_timeout_ms = CONNECT_MS,
		.proxy = config->http_proxy,
		.ca_file = config->http_ca_file,
	};
	size_t count = 0, i;

	while (ik_model_provider_at(config, count))
		count++;
	doctor->providers = ik_alloc((count + 1) * sizeof(*doctor->providers));
	for (i = 0; i < count; i++)
		add(doctor, ik_model_provider_at(config, i));
	if (doctor->provider_count == 0)
		ik_doctor_say(doctor, IK_FINDING_NOTE, N_("providers"),
			_("none is set up: put a key in "
			  "OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_API_KEY; until then the chat has the "
			  "practice model"));
	if (doctor->answered == doctor->provider_count) {
		report(doctor);
		return;
	}
	doctor->http = ik_http_new(doctor->loop, &options);
	doctor->limit = ik_timer_new(doctor->loop, on_limit, doctor);
	ik_timer_start(doctor->limit, ALL_MS);
	for (i = 0; i < doctor->provider_count; i++) {
		struct ik_doctor_provider *provider = &doctor->providers[i];
		struct ik_model_spec spec = ik_model_choice_spec(&provider->choice);

		if (!provider->sentence)
			provider->list = ik_model_list_start(doctor->loop, doctor->http, &spec, ANSWER_MS,
				on_models, provider);
	}
}

void ik_doctor_providers_done(struct ik_doctor *doctor)
{
	size_t i;

	for (i = 0; i < doctor->provider_count; i++) {
		struct ik_doctor_provider *provider = &doctor->providers[i];

		provider->list = ik_model_list_close(provider->list);
		ik_model_choice_done(&provider->choice);
		free(provider->name);
		free(provider->sentence);
	}
	free(doctor->providers);
	doctor->limit = ik_timer_close(doctor->limit);
	doctor->http = ik_http_free(doctor->http);
}
