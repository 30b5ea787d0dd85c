#include "app/model_hint.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* So many names are shown. */
enum { SHOWN = 3 };

/* What stands between the parts of a name; more parts than that nobody types. */
#define BETWEEN "-._/: @"
enum { PARTS = 24 };

struct ik_model_hint {
	struct ik_core *core;
	struct ik_session *session;
	struct ik_model_list *list;
	char *provider, *model;
};

/* ---- what is near ---- */

/* The parts of a name, which is cut up; how many. */
static size_t split(char *name, const char *parts[PARTS])
{
	size_t count = 0;
	char *rest = NULL, *part;

	for (part = strtok_r(name, BETWEEN, &rest); part != NULL && count < PARTS;
	     part = strtok_r(NULL, BETWEEN, &rest))
		parts[count++] = part;
	return count;
}

/* How far the parts are from the nearest of the other's; SIZE_MAX: one has none. Parts that the
 * other has besides count for less than any slip. */
static size_t distance(const char *const *parts, size_t count, const char *other)
{
	char *copy = ik_strdup(other);
	const char *others[PARTS];
	size_t other_count = split(copy, others), sum = 0, i;

	for (i = 0; i < count && sum != SIZE_MAX; i++) {
		const char *nearest = ik_text_nearest(parts[i], others, other_count);

		sum = nearest != NULL ? sum + ik_text_distance(parts[i], nearest) * PARTS : SIZE_MAX;
	}
	free(copy);
	if (sum == SIZE_MAX || other_count < count)
		return sum;
	return sum + other_count - count;
}

size_t ik_model_nearest(const char *name, char *const *names, size_t count,
	const char **ret_near, size_t room)
{
	char *copy = ik_strdup(name);
	const char *parts[PARTS];
	size_t distances[16] = {0}, part_count = split(copy, parts), found = 0, i, at;

	if (room > sizeof distances / sizeof distances[0])
		room = sizeof distances / sizeof distances[0];
	for (i = 0; i < count && part_count > 0 && room > 0; i++) {
		size_t far = distance(parts, part_count, names[i]);

		for (at = found; at > 0 && distances[at - 1] > far; at--)
			;
		if (far == SIZE_MAX || at == room)
			continue;
		if (found < room)
			found++;
		memmove(&distances[at + 1], &distances[at], (found - at - 1) * sizeof distances[0]);
		memmove(&ret_near[at + 1], &ret_near[at], (found - at - 1) * sizeof ret_near[0]);
		distances[at] = far;
		ret_near[at] = names[i];
	}
	free(copy);
	return found;
}

/* ---- asking ---- */

static bool has(char *const *names, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (ik_text_equal(names[i], name))
			return true;
	return false;
}

/* Say that the name is not among those, and which are near. */
static void tell(const struct ik_model_hint *hint, char *const *names, size_t count)
{
	const char *near[SHOWN];
	size_t found = ik_model_nearest(hint->model, names, count, near, SHOWN), i;
	char *sentence;
	struct ik_buf list;

	ik_buf_init(&list, IK_KIB(4));
	for (i = 0; i < found; i++)
		ik_buf_printf(&list, "%s%s", i > 0 ? ", " : "", near[i]);
	if (found > 0)
		sentence = ik_format(_("%s lists no model %s. Near it: %s. /model %s takes the first."),
			hint->provider, hint->model, list.data, near[0]);
	else
		sentence = ik_format(_("%s lists no model %s; /model shows those that there are."),
			hint->provider, hint->model);
	ik_session_add_notice(hint->session, sentence);
	free(sentence);
	ik_buf_done(&list);
}

static void hint_free(struct ik_model_hint *hint)
{
	hint->list = ik_model_list_close(hint->list);
	free(hint->provider);
	free(hint->model);
	free(hint);
}

/* The provider has answered, or not: who could not be asked has nothing to say. */
static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct ik_model_hint *hint = arg;
	const struct ik_model_choice *choice = ik_core_choice_of(hint->core, hint->session);

	(void)sentence;
	hint->core->hint = NULL;
	if (count > 0 && ik_text_equal(choice->model, hint->model) &&
	    ik_text_equal(choice->provider, hint->provider) && !has(names, count, hint->model))
		tell(hint, names, count);
	hint_free(hint);
}

void ik_model_hint_ask(struct ik_core *core)
{
	const struct ik_model_choice *choice = ik_core_choice(core);
	struct ik_model_spec spec = ik_model_choice_spec(choice);
	struct ik_model_hint *hint = ik_alloc(sizeof *hint);

	ik_model_hint_forget(core, NULL);
	hint->core = core;
	hint->session = core->session;
	hint->provider = ik_strdup(choice->provider);
	hint->model = ik_strdup(choice->model);
	core->hint = hint;
	hint->list = ik_model_list_start(core->loop, core->http, &spec,
		core->setup->config->http_idle_timeout_s * 1000, on_models, hint);
}

void ik_model_hint_forget(struct ik_core *core, const struct ik_session *session)
{
	if (core->hint == NULL || (session != NULL && core->hint->session != session))
		return;
	hint_free(core->hint);
	core->hint = NULL;
}
