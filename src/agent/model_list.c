#include "agent/model_list.h"

#include <stdlib.h>
#include <string.h>

#include "agent/model_cache.h"
#include "provider/formats.h"
#include "provider/models.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

struct ik_model_list {
	struct ik_loop *loop;
	struct ik_model *model;
	struct ik_http_request *request;
	struct ik_buf body;
	char **names; /* NULL: unknown */
	size_t count;
	ik_model_list_done *done;
	void *arg;
};

static void on_body(void *arg, const char *bytes, size_t length)
{
	struct ik_model_list *list = arg;

	ik_buf_append(&list->body, bytes, length);
}

/* Report why the request failed. */
static void fail(struct ik_model_list *list, const struct ik_http_result *result)
{
	const struct ik_endpoint *endpoint = &list->model->endpoint;
	struct ik_failure failure;
	struct ik_buf sentence;

	ik_buf_init(&sentence, IK_KIB(16));
	if (result->failure != IK_HTTP_OK)
		ik_model_transfer_failed(list->model, result, false, &sentence, &failure);
	else
		ik_provider_error(endpoint, result->status, list->body.data, list->body.length, &sentence,
			&failure);
	ik_provider_advise(endpoint, &failure, &sentence);
	list->done(list->arg, NULL, 0, sentence.data);
	ik_buf_done(&sentence);
}

static void on_done(void *arg, const struct ik_http_result *result)
{
	struct ik_model_list *list = arg;
	struct ik_error error;
	char *sentence = NULL;

	list->request = ik_http_close(list->request);
	if (result->failure != IK_HTTP_OK || result->status < 200 || result->status >= 300) {
		fail(list, result);
		return;
	}
	list->names = ik_models_read(list->body.data, list->body.length, &list->count, &error);
	if (list->names && list->model->lists)
		ik_model_cache_write(list->model->lists, list->model->endpoint.provider,
			list->model->endpoint.base_url, list->body.data, list->body.length);
	if (!list->names)
		sentence = ik_format(_("%s did not answer with a list of models (%s)."),
			list->model->endpoint.provider, error.text);
	list->done(list->arg, list->names, list->count, sentence);
	free(sentence);
}

/* Report the only model, which is built in (deferred). */
static void report_built_in(void *arg)
{
	struct ik_model_list *list = arg;

	list->names = ik_alloc(sizeof(*list->names));
	list->names[list->count++] = ik_strdup(IK_PRACTICE_MODEL);
	list->done(list->arg, list->names, list->count, NULL);
}

struct ik_model_list *ik_model_list_start(struct ik_loop *loop, struct ik_http *http,
	struct ik_model *model, int64_t idle_timeout_ms, ik_model_list_done *done, void *arg)
{
	static const struct ik_http_events events = { .body = on_body, .done = on_done };
	struct ik_model_list *list = ik_alloc(sizeof(*list));
	struct ik_http_spec request = { .idle_timeout_ms = idle_timeout_ms };
	char **headers, *url;

	list->loop = loop;
	list->model = ik_model_ref(model);
	list->done = done;
	list->arg = arg;
	ik_buf_init(&list->body, IK_LIMIT_MODEL_LIST);
	if (model->format->answer) {
		ik_loop_defer(loop, report_built_in, list);
		return list;
	}
	headers = ik_wire_headers(model->format, &model->endpoint);
	url = ik_wire_url(model->format, &model->endpoint, NULL);
	request.url = url;
	request.headers = (const char *const *)headers;
	list->request = ik_http_start(http, &request, &events, list);
	ik_wire_headers_free(headers);
	free(url);
	return list;
}

/* Free the list (deferred). */
static void release(void *arg)
{
	struct ik_model_list *list = arg;

	while (list->count > 0)
		free(list->names[--list->count]);
	free(list->names);
	ik_model_unref(list->model);
	ik_buf_done(&list->body);
	free(list);
}

struct ik_model_list *ik_model_list_close(struct ik_model_list *list)
{
	if (!list)
		return NULL;
	list->request = ik_http_close(list->request);
	ik_loop_cancel_deferred(list->loop, report_built_in, list);
	ik_loop_defer(list->loop, release, list);
	return NULL;
}
