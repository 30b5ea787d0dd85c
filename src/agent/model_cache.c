#include "agent/model_cache.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "provider/models.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/redact.h"
#include "util/text.h"

static char *path_of(const char *directory, const char *provider, const char *address)
{
	size_t length = strlen(address);
	char *both, *path;

	while (length > 0 && address[length - 1] == '/')
		length--;
	both = ik_format("%s %.*s", provider, (int)length, address);
	path = ik_format("%s/%016llx.json", directory, (unsigned long long)ik_text_hash(both));
	free(both);
	return path;
}

char *ik_model_cache_read(const char *directory, const char *provider, const char *address,
	int64_t *ret_time_ms)
{
	char *path = path_of(directory, provider, address), *rules = NULL;
	struct ik_json_span kept, models;
	struct ik_error ignored;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_MODEL_LIST);
	if (ik_file_read(path, &text, &ignored) == IK_OK &&
		ik_json_check(text.data, text.length, &kept, NULL) == IK_OK) {
		models = ik_json_member(kept, "models");
		if (ik_json_span_type(models) == IK_JSON_ARRAY)
			rules = ik_strndup(models.text, models.length);
		if (ret_time_ms)
			(void)ik_json_integer(ik_json_member(kept, "time_ms"), ret_time_ms);
	}
	ik_buf_done(&text);
	free(path);
	return rules;
}

void ik_model_cache_write(const char *directory, const char *provider, const char *address,
	const char *body, size_t length)
{
	char *path = path_of(directory, provider, address), *shown = ik_redact(address);
	struct ik_error error = { .status = IK_OK };
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_MODEL_LIST);
	ik_json_printf(&text, "{'provider':'%s','address':'%s','time_ms':%lld,'models':", provider,
		shown, (long long)ik_clock_wall_ms());
	ik_models_put_rules(body, length, &text);
	ik_json_printf(&text, "}");
	ik_buf_putc(&text, '\n');
	if (ik_path_make(directory, 0700, &error) != IK_OK || ik_buf_status(&text) != IK_OK ||
		ik_file_write_unsynced(path, text.data, text.length, 0600, &error) != IK_OK)
		ik_log(IK_LOG_INFO, "models: %s", error.text);
	ik_buf_done(&text);
	free(shown);
	free(path);
}

void ik_model_cache_near(const struct ik_model *model, struct ik_buf *out)
{
	char *list = model->lists ? ik_model_cache_read(model->lists, model->endpoint.provider,
									model->endpoint.base_url, NULL)
							  : NULL;

	if (list)
		ik_model_put_near(list, model->name, out);
	free(list);
}
