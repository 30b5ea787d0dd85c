#include "core/model_choice.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/model_cache.h"
#include "agent/session/session.h"
#include "net/http.h"
#include "provider/formats.h"
#include "provider/models.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* The built-in providers; provider/models.json has their models. */
static const struct builtin_provider {
	const char *name, *type, *base_url, *base_url_variable;
	const char *key_variables[2]; /* the first variable that is set is used */
	const char *key_page;         /* where you get a key */
} builtin_providers[] = {
	{ "openai", "openai-responses", "https://api.openai.com/v1", "OPENAI_BASE_URL",
		{ "OPENAI_API_KEY", NULL }, "platform.openai.com/api-keys" },
	{ "anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_BASE_URL",
		{ "ANTHROPIC_API_KEY", NULL }, "console.anthropic.com/settings/keys" },
	{ "google", "google", "https://generativelanguage.googleapis.com", "GOOGLE_BASE_URL",
		{ "GOOGLE_API_KEY", "GEMINI_API_KEY" }, "aistudio.google.com/apikey" },
	{ "practice", "openai-chat", NULL, NULL, { NULL, NULL }, NULL },
};
enum { BUILT_IN = sizeof(builtin_providers) / sizeof(builtin_providers[0]) };

/* A model is warned of if it is switched off within this time, in seconds. */
#define RETIRES_SOON_S (INT64_C(30) * 24 * 3600)

static const char *variable(const char *name)
{
	const char *value = !name ? NULL : getenv(name);

	return value && value[0] != '\0' ? value : NULL;
}

static const struct builtin_provider *find_builtin(const char *name)
{
	for (size_t i = 0; i < BUILT_IN; i++)
		if (ik_text_equal(builtin_providers[i].name, name))
			return &builtin_providers[i];
	return NULL;
}

const char *ik_model_default_provider(const struct ik_config *config, const char *base_url)
{
	/* The practice model is at no address. */
	if (base_url && (!config->provider || ik_text_equal(config->provider, "practice")))
		return "openai";
	if (config->provider)
		return config->provider;
	for (size_t i = 0; i < BUILT_IN; i++) {
		const struct builtin_provider *b = &builtin_providers[i];

		if (variable(b->key_variables[0]) || variable(b->key_variables[1]) ||
			variable(b->base_url_variable))
			return b->name;
	}
	return "practice";
}

/* Fail with an error that lists all providers. */
static enum ik_status unknown_provider(const struct ik_config *config, const char *name,
	struct ik_error *error)
{
	struct ik_buf names;
	enum ik_status status;
	size_t i;

	ik_buf_init(&names, IK_KIB(4));
	for (i = 0; i < BUILT_IN; i++)
		ik_buf_printf(&names, "%s%s", i > 0 ? ", " : "", builtin_providers[i].name);
	for (i = 0; i < config->provider_count; i++)
		ik_buf_printf(&names, ", %s", config->providers[i].name);
	status = ik_error_set(error, IK_INVALID,
		_("there is no provider \"%s\" (known: %s); make one with \"providers\": {\"%s\": "
		  "{\"base_url\": \"...\"}} in config.json"),
		name, names.data, name);
	ik_buf_done(&names);
	return status;
}

/* Fail with an error that lists all formats. */
static enum ik_status unknown_type(const char *name, const char *type, struct ik_error *error)
{
	struct ik_buf types;
	enum ik_status status;
	size_t i;

	ik_buf_init(&types, IK_KIB(1));
	for (i = 0; ik_wire_format_at(i); i++)
		ik_buf_printf(&types, "%s%s", i > 0 ? ", " : "", ik_wire_format_at(i)->type);
	status = ik_error_set(error, IK_INVALID,
		_("providers.%s.type is \"%s\", which this version does not speak (it speaks: %s)"), name,
		type, types.data);
	ik_buf_done(&types);
	return status;
}

/* Does text contain a character that could break a header line? */
static bool has_control(const char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7F)
			return true;
	}
	return false;
}

/* Find the key, or the variable to set if there is none. */
static enum ik_status choose_key(const struct builtin_provider *builtin,
	const struct ik_provider_config *own, struct ik_endpoint *endpoint, struct ik_error *error)
{
	const char *candidates[4];
	size_t count = 0;

	if (own && own->api_key_env)
		candidates[count++] = own->api_key_env;
	for (size_t i = 0; builtin && i < 2; i++)
		if (builtin->key_variables[i])
			candidates[count++] = builtin->key_variables[i];
	candidates[count++] = IK_KEY_OF_ALL;
	endpoint->key_variable = candidates[0];
	for (size_t i = 0; i < count && !endpoint->api_key; i++) {
		endpoint->api_key = variable(candidates[i]);
		if (endpoint->api_key)
			endpoint->key_variable = candidates[i];
	}
	if (endpoint->api_key && has_control(endpoint->api_key))
		return ik_error_set(error, IK_INVALID,
			_("the key in %s holds a line end or another control character: set the variable to "
			  "the key alone"),
			endpoint->key_variable);
	return IK_OK;
}

/* Is url the built-in provider's own address, ignoring trailing slashes? */
static bool is_own_url(const struct builtin_provider *builtin, const char *url)
{
	const char *own = builtin ? builtin->base_url : NULL;

	return own && url && ik_text_starts(url, own) &&
		strspn(url + strlen(own), "/") == strlen(url + strlen(own));
}

/* Return the format to use if the configuration doesn't name one: OpenAI's own at its hosts, whatever
 * the provider is called, since its current models take tools there only; else the built-in
 * provider's or, for OpenAI at another host, the one that compatible servers use. */
static const char *standard_type(const struct builtin_provider *builtin,
	const struct ik_endpoint *endpoint)
{
	if (ik_endpoint_is_openai(endpoint))
		return IK_OPENAI_RESPONSES;
	if (!builtin || ik_text_equal(builtin->type, IK_OPENAI_RESPONSES))
		return IK_OPENAI_CHAT;
	return builtin->type;
}

/* Choose the address from the wish, the configuration, the variable, or the table. */
static enum ik_status choose_url(const char *wanted, const struct builtin_provider *builtin,
	const struct ik_provider_config *own, struct ik_endpoint *endpoint, struct ik_error *error)
{
	const char *url = wanted, *name = endpoint->provider;

	if (!url && own)
		url = own->base_url;
	if (!url && builtin)
		url = variable(builtin->base_url_variable) ? variable(builtin->base_url_variable)
												   : builtin->base_url;
	if (!url && !(builtin && !builtin->base_url))
		return ik_error_set(error, IK_INVALID,
			_("provider \"%s\" has no address: set providers.%s.base_url or use --base-url URL"),
			name, name);
	if (url && !ik_text_starts(url, "http://") && !ik_text_starts(url, "https://"))
		return ik_error_set(error, IK_INVALID,
			_("the address of provider \"%s\" is \"%s\", but it must begin with http:// or "
			  "https://"),
			name, url);
	endpoint->base_url = url;
	return IK_OK;
}

/* Return what providers.NAME.cache_ttl asks for; NULL: it is not set. */
static enum ik_caching caching_of(const char *ttl)
{
	if (ttl && ik_text_equal(ttl, "1h"))
		return IK_CACHING_LONG;
	return ttl && ik_text_equal(ttl, "off") ? IK_CACHING_OFF : IK_CACHING_SHORT;
}

/* Choose the address and the format; the strings in *ret_model are borrowed. */
static enum ik_status choose_server(const struct ik_config *config, const char *name,
	const char *base_url, struct ik_model *ret_model, struct ik_error *error)
{
	const struct builtin_provider *builtin = find_builtin(name);
	const struct ik_provider_config *own = ik_config_provider(config, name);
	struct ik_model model = { .endpoint.provider = name };
	bool practice = ik_text_equal(name, "practice");
	enum ik_status status;
	const char *type;

	if (!builtin && !own)
		return unknown_provider(config, name, error);
	status = choose_url(base_url, builtin, own, &model.endpoint, error);
	if (status != IK_OK)
		return status;
	type = own && own->type ? own->type : standard_type(builtin, &model.endpoint);
	model.format = practice ? &ik_practice_format : ik_wire_format_find(type);
	if (!model.format)
		return unknown_type(name, type, error);
	model.endpoint.strict_tools = own && own->strict_tools_set
		? own->strict_tools
		: ik_endpoint_is_openai(&model.endpoint);
	if (own) {
		model.endpoint.web_search = own->web_search;
		model.endpoint.body = own->body;
		model.endpoint.headers = (const char *const *)own->headers.items;
		model.max_output_tokens = own->max_output_tokens;
		model.thinking = ik_thinking_level(own->thinking);
		model.endpoint.caching = caching_of(own->cache_ttl);
	}
	*ret_model = model;
	return IK_OK;
}

/* Return the name of the model from the wish or the configuration; NULL if neither has one. */
static const char *named_model(const struct ik_config *config, const struct ik_model_wish *wish,
	const char *provider)
{
	const struct ik_provider_config *own = ik_config_provider(config, provider);
	bool configured = !wish->provider ||
		(config->provider && ik_text_equal(provider, config->provider));

	if (wish->model)
		return wish->model;
	if (configured && config->model)
		return config->model;
	return own ? own->model : NULL;
}

/* Return what is known about the model; the configuration's numbers take precedence. */
static struct ik_model_facts choose_facts(const struct ik_config *config,
	const struct ik_model_rules *rules, const struct ik_model *model)
{
	const struct ik_provider_config *own = ik_config_provider(config, model->endpoint.provider);
	struct ik_model_facts facts = ik_model_facts(rules, model->name, model->format->type);

	if (own && own->context_window > 0)
		facts.context_window = own->context_window;
	if (own && own->price_input >= 0)
		facts.price = (struct ik_price){ own->price_input, own->price_output, own->price_cached,
			own->price_written, facts.price.search };
	/* Anthropic charges twice the price of other input for what is kept an hour. */
	if (model->endpoint.caching == IK_CACHING_LONG && facts.price.written < 0 &&
		ik_text_equal(model->format->type, IK_ANTHROPIC))
		facts.price.written = facts.price.input * 2;
	return facts;
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Take the rules of a list apart: those with one of the names, each as a list of its own. Otherwise
 * each of 10,000 models would be looked for among the rules of 10,000. */
static char **split_list(const char *list, char *const *names, size_t count)
{
	char **lists = ik_alloc_array(NULL, count + 1, sizeof(*lists));
	struct ik_json_span rules = { NULL, 0 };

	for (size_t i = 0; i < count; i++)
		lists[i] = NULL;
	if (list)
		(void)!ik_json_check(list, strlen(list), &rules, NULL);
	for (struct ik_json_walk walk = ik_json_walk(rules); count > 0 && ik_json_next(&walk);) {
		char *name = ik_json_text_new(ik_json_member(walk.value, "name"));
		char *const *found = name ? bsearch(&name, names, count, sizeof(*names), compare_names)
								  : NULL;

		free(name);
		if (found && !lists[found - names])
			lists[found - names] = ik_format("[%.*s]", (int)walk.value.length, walk.value.text);
	}
	return lists;
}

struct ik_model_facts *ik_model_facts_of_all(const struct ik_config *config,
	const struct ik_model *model, char *const *names, size_t count)
{
	struct ik_model_facts *facts = ik_alloc_array(NULL, count + 1, sizeof(*facts));
	char *list = model->lists && model->endpoint.base_url
		? ik_model_cache_read(model->lists, model->endpoint.provider, model->endpoint.base_url,
			  NULL)
		: NULL;
	char **lists = split_list(list, names, count);

	for (size_t i = 0; i < count; i++) {
		const struct ik_model_rules rules = { .own = config->model_rules, .list = lists[i] };
		struct ik_model one = *model;

		one.name = names[i];
		facts[i] = choose_facts(config, &rules, &one);
		free(lists[i]);
	}
	free(lists);
	free(list);
	return facts;
}

/* Choose the model's name, in new memory or NULL, and what is known about it. */
static void choose_model(const struct ik_config *config, const struct ik_model_wish *wish,
	struct ik_model *model)
{
	const char *provider = model->endpoint.provider, *named = named_model(config, wish, provider);
	char *list = NULL;
	struct ik_model_rules rules = { .own = config->model_rules };

	model->lists = config->model_lists;
	if (model->lists && model->endpoint.base_url)
		list = ik_model_cache_read(model->lists, provider, model->endpoint.base_url,
			&model->listed_ms);
	rules.list = list;
	model->by_default = !named;
	model->name = named ? ik_strdup(named) : ik_model_default(&rules, provider);
	if (model->name)
		model->facts = choose_facts(config, &rules, model);
	free(list);
}

/* Complete a model whose server is chosen: its name (in new memory), its facts and its key. */
static enum ik_status complete(const struct ik_config *config, const struct ik_model_wish *wish,
	struct ik_model *model, struct ik_error *error)
{
	const struct ik_endpoint *endpoint = &model->endpoint;
	const char *provider = endpoint->provider;
	const struct builtin_provider *builtin = find_builtin(provider);
	enum ik_status status = IK_OK;

	choose_model(config, wish, model);
	if (!model->name)
		return ik_error_set(error, IK_INVALID,
			_("provider \"%s\" has no model: set providers.%s.model or use -m MODEL"), provider,
			provider);
	if (!model->format->answer)
		status = choose_key(builtin, ik_config_provider(config, provider), &model->endpoint, error);
	if (status == IK_OK && !endpoint->api_key && is_own_url(builtin, endpoint->base_url))
		status = ik_error_set(error, IK_DENIED,
			_("provider \"%s\" needs a key: set %s; you get one at %s"), provider,
			endpoint->key_variable, builtin->key_page);
	return status;
}

/* Return the same model by Chat Completions, if its server is only taken to have OpenAI's Responses;
 * else NULL. */
static struct ik_model *by_chat_completions(const struct ik_config *config,
	const struct ik_model *model)
{
	const struct ik_provider_config *own = ik_config_provider(config, model->endpoint.provider);
	struct ik_model older = *model;
	struct ik_model_facts *facts;
	char *name = (char *)model->name;

	if (!ik_text_equal(model->format->type, IK_OPENAI_RESPONSES) || (own && own->type) ||
		is_own_url(find_builtin("openai"), model->endpoint.base_url))
		return NULL;
	older.format = ik_wire_format_find(IK_OPENAI_CHAT);
	facts = ik_model_facts_of_all(config, &older, &name, 1);
	older.facts = *facts;
	free(facts);
	return ik_model_new(&older);
}

/* A model that is being chosen, after those that it stands in for. */
struct model_line {
	const struct model_line *before;
	const struct ik_model *model;
};

static enum ik_status choose(const struct ik_config *config, const char *provider,
	const struct ik_model_wish *wish, const struct model_line *before, struct ik_model **ret_model,
	struct ik_error *error);

/* Choose the model that the configuration names as the fallback of the last in line, if any. */
static enum ik_status choose_fallback(const struct ik_config *config,
	const struct ik_model_wish *wish, const struct model_line *line, struct ik_model **ret_model,
	struct ik_error *error)
{
	const char *provider = line->model->endpoint.provider;
	const struct ik_provider_config *own = ik_config_provider(config, provider);
	const char *named = own ? own->fallback : NULL, *slash;
	struct ik_model_wish other = { .model = NULL };
	enum ik_status status;
	struct ik_error why;
	char *name;

	if (!named)
		return IK_OK;
	slash = strchrnul(named, '/');
	name = ik_strndup(named, (size_t)(slash - named));
	other.provider = name;
	other.model = *slash ? slash + 1 : NULL;
	other.base_url = ik_text_equal(name, provider) ? wish->base_url : NULL;
	status = choose(config, name, &other, line, ret_model, &why);
	free(name);
	if (status == IK_OK)
		return IK_OK;
	return ik_error_set(error, status, _("providers.%s.fallback: %s"), provider, why.text);
}

/* Choose a model and all that stand in for it. *ret_model stays NULL if it is in the line already,
 * since fallbacks may form a circle. */
static enum ik_status choose(const struct ik_config *config, const char *provider,
	const struct ik_model_wish *wish, const struct model_line *before, struct ik_model **ret_model,
	struct ik_error *error)
{
	struct ik_model model;
	const struct model_line line = { before, &model };
	enum ik_status status = choose_server(config, provider, wish->base_url, &model, error);

	*ret_model = NULL;
	if (status != IK_OK)
		return status;
	model.url_given = wish->base_url;
	status = complete(config, wish, &model, error);
	while (before && status == IK_OK &&
		!(ik_text_equal(before->model->name, model.name) &&
			ik_text_equal(before->model->endpoint.provider, model.endpoint.provider)))
		before = before->before;
	if (status == IK_OK && !before)
		status = choose_fallback(config, wish, &line, &model.fallback, error);
	if (status == IK_OK && !before)
		model.older = by_chat_completions(config, &model);
	if (status == IK_OK && !before)
		*ret_model = ik_model_new(&model);
	ik_model_unref(model.fallback);
	ik_model_unref(model.older);
	free((char *)model.name);
	return status;
}

struct ik_model *ik_model_choose(const struct ik_config *config, const struct ik_model_wish *wish,
	struct ik_error *error)
{
	const char *name = wish->provider ? wish->provider
									  : ik_model_default_provider(config, wish->base_url);
	struct ik_model *model;

	return choose(config, name, wish, NULL, &model, error) == IK_OK ? model : NULL;
}

const char *ik_model_provider_at(const struct ik_config *config, size_t index)
{
	if (index < BUILT_IN)
		return builtin_providers[index].name;
	index -= BUILT_IN;
	for (size_t i = 0; i < config->provider_count; i++)
		if (!find_builtin(config->providers[i].name) && index-- == 0)
			return config->providers[i].name;
	return NULL;
}

enum ik_status ik_model_put_tool(const struct ik_config *config, const char *provider,
	const struct ik_tool *tool, struct ik_buf *out, struct ik_error *error)
{
	const struct ik_tool_definition definition = ik_session_tool(tool);
	struct ik_model server;
	enum ik_status status = choose_server(config, provider, NULL, &server, error);

	if (status != IK_OK)
		return status;
	server.format->put_tool(out, &server.endpoint, &definition);
	return ik_buf_check(out, _("the schema"), error);
}

/* Append a warning if the key would be sent to another machine unencrypted. */
static void warn_of_key(const struct ik_endpoint *endpoint, struct ik_buf *out)
{
	char *address;

	if (!endpoint->api_key || !endpoint->base_url || !ik_text_starts(endpoint->base_url, "http://"))
		return;
	address = ik_address_of(endpoint->base_url);
	if (!ik_address_is_loopback(address)) {
		ik_buf_puts(out, out->length > 0 ? " " : "");
		ik_buf_printf(out,
			_("The key in %s is sent to %s without encryption: use https:// if that server can."),
			endpoint->key_variable, address);
	}
	free(address);
}

/* Append a warning if the provider switches the model off soon, or has done so. */
static void warn_of_retirement(const struct ik_model *model, struct ik_buf *out)
{
	const char *day = model->facts.retires;
	struct tm parts = { .tm_mday = 0 };
	int64_t left_s;

	if (!strptime(day, "%Y-%m-%d", &parts) || timegm(&parts) < 0) /* beyond a time_t of 32 bits */
		return;
	left_s = (int64_t)timegm(&parts) - ik_clock_wall_ms() / 1000;
	if (left_s > RETIRES_SOON_S)
		return;
	ik_buf_puts(out, out->length > 0 ? " " : "");
	ik_buf_printf(out,
		left_s >= 0 ? _("%s switches %s off on %s: choose another model with /model or -m.")
					: _("%s has switched %s off (on %s): choose another model with /model or -m."),
		model->endpoint.provider, model->name, day);
}

/* Append that the model cannot search the web as the configuration wants. */
static void warn_of_search(const struct ik_model *model, struct ik_buf *out)
{
	const struct ik_request request = { .endpoint = &model->endpoint, .facts = &model->facts };
	const char *tool = ik_request_search(&request);

	if (!model->endpoint.web_search || (tool && !ik_text_ends(tool, "alone")))
		return;
	ik_buf_puts(out, out->length > 0 ? " " : "");
	ik_buf_printf(out,
		tool ? _("%s searches the web only without other tools (--no-tools).")
			 : _("%s cannot search the web here, so providers.%s.web_search has no effect."),
		model->name, model->endpoint.provider);
}

char *ik_model_warning(const struct ik_model *model)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	for (; model; model = model->fallback) {
		warn_of_key(&model->endpoint, &out);
		warn_of_retirement(model, &out);
		warn_of_search(model, &out);
	}
	return out.length > 0 ? ik_buf_take(&out, NULL) : NULL;
}

const char *ik_model_key_variable(size_t index)
{
	size_t found = 0;

	for (const struct builtin_provider *b = builtin_providers; b < builtin_providers + BUILT_IN;
		 b++)
		for (size_t i = 0; i < 2; i++)
			if (b->key_variables[i] && found++ == index)
				return b->key_variables[i];
	return found == index ? IK_KEY_OF_ALL : NULL;
}

const char *ik_model_key_page(size_t index, const char **ret_variable)
{
	if (index >= BUILT_IN)
		return NULL;
	*ret_variable = builtin_providers[index].key_variables[0];
	return builtin_providers[index].key_page;
}
