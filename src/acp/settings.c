#include "acp/settings.h"

#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* ---- mode ---- */

/* Append the modes; key is the name of the member with the id of each. */
static void put_mode_list(const char *key, struct ik_buf *out)
{
	ik_json_open(out, '[');
	for (int mode = 0; mode < IK_MODE_COUNT; mode++) {
		const char *name = ik_mode_name((enum ik_mode)mode);
		struct ik_buf meaning;

		ik_buf_init(&meaning, IK_KIB(4));
		ik_mode_put((enum ik_mode)mode, &meaning);
		ik_json_open(out, '{');
		ik_json_key(out, key);
		ik_json_printf(out, "'%s','name':'%s','description':'%s'}", name, name, meaning.data);
		ik_buf_done(&meaning);
	}
	ik_json_close(out, ']');
}

static const char *mode_now(const struct ik_core *core)
{
	return ik_mode_name(ik_policy_mode(core->policy));
}

void ik_settings_put_modes(const struct ik_core *core, struct ik_buf *out)
{
	ik_json_printf(out, "'modes':{'currentModeId':'%s'", mode_now(core));
	ik_json_key(out, "availableModes");
	put_mode_list("id", out);
	ik_json_close(out, '}');
}

static void put_modes(const struct ik_core *core, struct ik_choices *choices, struct ik_buf *out)
{
	put_mode_list("value", out);
}

static enum ik_status set_mode(struct ik_core *core, const char *value, struct ik_error *error)
{
	enum ik_mode mode;

	if (!ik_mode_find(value, &mode))
		return ik_error_set(error, IK_INVALID, "there is no mode \"%s\"", value);
	ik_core_set_mode(core, mode);
	return IK_OK;
}

/* ---- model ---- */

static const char *model_now(const struct ik_core *core)
{
	return ik_core_model(core)->name;
}

/* Append the models that the provider has, as far as is known, and the one in use. */
static void put_models(const struct ik_core *core, struct ik_choices *choices, struct ik_buf *out)
{
	static const struct ik_action_row row = { .name = "/model", .argument = IK_ARGUMENT_MODEL };
	const char *now = model_now(core);
	struct ik_pick_list list;
	bool listed = false;

	ik_choices_list(choices, &row, &list);
	ik_json_open(out, '[');
	for (size_t i = 0; i < list.count; i++) {
		listed = listed || list.picks[i].current;
		ik_json_printf(out, "{'value':'%s','name':'%s','description':'%s'}", list.picks[i].title,
			list.picks[i].title, list.picks[i].text);
	}
	if (!listed)
		ik_json_printf(out, "{'value':'%s','name':'%s'}", now, now);
	ik_json_close(out, ']');
	ik_pick_list_clear(&list);
}

/* Use a model of the same provider. */
static enum ik_status set_model(struct ik_core *core, const char *value, struct ik_error *error)
{
	struct ik_model *now = ik_model_ref(ik_core_model(core)); /* about to be replaced */
	const struct ik_model_wish wish = {
		.provider = now->endpoint.provider,
		.model = value,
		.base_url = now->url_given ? now->endpoint.base_url : NULL,
	};
	enum ik_status status = ik_core_use_model(core, core->session, &wish, error);

	ik_model_unref(now);
	return status;
}

/* ---- thinking ---- */

static const char *level_name(enum ik_thinking level)
{
	return level == IK_THINKING_UNSET ? "default" : ik_thinking_name(level);
}

static const char *level_now(const struct ik_core *core)
{
	return level_name(ik_core_model(core)->thinking);
}

static void put_levels(const struct ik_core *core, struct ik_choices *choices, struct ik_buf *out)
{
	unsigned known = ik_core_model(core)->facts.levels;
	enum ik_thinking now = ik_core_model(core)->thinking;

	ik_json_open(out, '[');
	for (int i = IK_THINKING_UNSET; i <= IK_THINKING_MAX; i++) {
		const char *name = level_name((enum ik_thinking)i);

		if (i == (int)now || known & 1u << i)
			ik_json_printf(out, "{'value':'%s','name':'%s'}", name, name);
	}
	ik_json_close(out, ']');
}

/* Set the level of the provider in use, for this session. */
static enum ik_status set_level(struct ik_core *core, const char *value, struct ik_error *error)
{
	const struct ik_model *now = ik_core_model(core);
	char *key = ik_format("providers.%s.thinking", now->endpoint.provider);
	char *name = ik_strdup(now->name);
	enum ik_status status = ik_config_set(core->setup->config, key, value, IK_ORIGIN_OPTION,
		"thinking", error);

	if (status == IK_OK)
		status = set_model(core, name, error);
	free(key);
	free(name);
	return status;
}

/* ---- all of them ---- */

static const struct setting {
	const char *id, *name, *category;
	const char *(*now)(const struct ik_core *core);
	void (*put)(const struct ik_core *core, struct ik_choices *choices, struct ik_buf *out);
	enum ik_status (*set)(struct ik_core *core, const char *value, struct ik_error *error);
} rows[] = {
	{ "mode", N_("Mode"), "mode", mode_now, put_modes, set_mode },
	{ "model", N_("Model"), "model", model_now, put_models, set_model },
	{ "thinking", N_("Thinking"), "thought_level", level_now, put_levels, set_level },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Is there something to choose? */
static bool applies(const struct ik_core *core, const struct setting *row)
{
	return row->put != put_levels || ik_core_model(core)->facts.levels != 0;
}

void ik_settings_put_options(const struct ik_core *core, struct ik_choices *choices,
	struct ik_buf *out)
{
	ik_json_printf(out, "'configOptions':[");
	for (const struct setting *row = rows; row < rows + ROWS; row++) {
		if (!applies(core, row))
			continue;
		ik_json_printf(out,
			"{'id':'%s','name':'%s','category':'%s','type':'select','currentValue':'%s'", row->id,
			_(row->name), row->category, row->now(core));
		ik_json_key(out, "options");
		row->put(core, choices, out);
		ik_json_close(out, '}');
	}
	ik_json_close(out, ']');
}

enum ik_status ik_settings_set(struct ik_core *core, const char *id, const char *value,
	struct ik_error *error)
{
	for (const struct setting *row = rows; row < rows + ROWS; row++)
		if (ik_text_equal(row->id, id) && applies(core, row))
			return row->set(core, value, error);
	return ik_error_set(error, IK_INVALID, "there is no setting \"%s\"", id);
}
