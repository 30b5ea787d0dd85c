#include "agent/session/session_private.h"

#include <stdlib.h>
#include <string.h>

#include "tool/envelope.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Deferred: its memory. */
static void run_free(void *arg)
{
	struct ik_session_run *run = arg;

	free(run->id);
	free(run->name);
	ik_buf_done(&run->arguments);
	free(run);
}

/* Take a run off the list and fall silent. */
static void run_release(struct ik_session_run *run)
{
	struct ik_session_run **at = &run->session->runs;

	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
	run->keep = ik_session_keep_close(run->keep);
	run->run = ik_run_close(run->run);
	if (run->session->options.slots)
		ik_slots_give_back(run->session->options.slots, &run->slot);
	ik_loop_defer(run->session->options.loop, run_free, run);
}

static struct ik_event run_event(const struct ik_session_run *run, enum ik_event_kind kind)
{
	return (struct ik_event){
		.kind = kind,
		.round = run->round,
		.id = run->id,
		.name = run->name,
	};
}

/* A piece of output, as it comes. */
static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_session_run *run = arg;
	struct ik_event event = run_event(run, IK_EVENT_TOOL_OUTPUT);

	event.number = stream == IK_STDERR;
	event.text = bytes;
	event.text_length = length;
	ik_session_emit(run->session, &event);
}

/* What is told of all that a tool printed (borrowed). */
static void take_whole(struct ik_bytes *whole[2], const struct ik_run_result *result)
{
	whole[0] = result->truncated ? result->whole[IK_STDOUT] : NULL;
	whole[1] = result->whole[IK_STDERR];
}

/* A call of the person's own has ended: store it as the command it was (a reference). */
static struct ik_message *keep_own(struct ik_session_run *run, const struct ik_run_result *result,
	struct ik_bytes *const whole[2])
{
	char *line = ik_format("/run %s %s", run->name, run->arguments.data);
	const struct ik_own own = {
		.name = run->name,
		.arguments = run->arguments.data,
		.arguments_length = run->arguments.length,
		.duration_ms = result->duration_ms,
		.kept = { ik_bytes_length(whole[0]), ik_bytes_length(whole[1]) },
	};
	struct ik_message *message = ik_message_own(line, &own, result->envelope,
		result->envelope_length);

	ik_session_keep(run->session, message);
	ik_session_keep_blobs(run->session, message, whole);
	free(line);
	return message;
}

/* The outcome of an own call, which the turn knows nothing of. */
static void end_own(struct ik_session_run *run, const struct ik_run_result *result)
{
	struct ik_event event = run_event(run, IK_EVENT_TOOL_DONE);

	take_whole(event.whole, result);
	event.message = keep_own(run, result, event.whole);
	event.text = result->envelope;
	event.text_length = result->envelope_length;
	event.number = result->duration_ms;
	ik_session_emit(run->session, &event);
	ik_message_unref(event.message);
}

/* A tool has answered, or whatever happened instead. */
static void on_done(void *arg, const struct ik_run_result *result)
{
	struct ik_session_run *run = arg;
	struct ik_run *done = run->run;
	struct ik_input input = {
		.kind = IK_INPUT_TOOL_DONE,
		.call = run->call,
		.text = result->envelope,
		.text_length = result->envelope_length,
		.success = result->success,
		.duration_ms = result->duration_ms,
		.truncated = result->truncated,
	};
	struct ik_session *session = run->session;
	bool own = run->own;

	ik_session_note_written(run);
	take_whole(input.whole, result);
	/* Off the list first, so that it is idle for whoever is told; what result
	 * points to is valid until the run is closed. */
	run->run = NULL;
	run_release(run);
	if (own)
		end_own(run, result);
	else
		ik_session_post(session, &input);
	ik_run_close(done);
}

/* Put a run on the list; strings are copied. */
static struct ik_session_run *run_add(struct ik_session *session, const char *name,
	const char *arguments, size_t length)
{
	struct ik_session_run *run = ik_alloc(sizeof(*run));
	struct ik_session_run **end = &session->runs;

	run->session = session;
	run->name = ik_strdup(name);
	ik_buf_init(&run->arguments, IK_LIMIT_ARGUMENTS);
	ik_buf_append(&run->arguments, arguments, length);
	/* Behind the others: those that wait for the tools begin in their order. */
	while (*end)
		end = &(*end)->next;
	*end = run;
	return run;
}

/* What it writes is kept. */
static void begin_call(struct ik_session_run *run)
{
	static const struct ik_run_events events = { on_output, on_done };
	struct ik_session *session = run->session;
	struct ik_run_options options = session->options.run;

	options.id = run->id;
	options.session = session->id;
	run->run = ik_run_start(&options, session->registry, run->name, run->arguments.data,
		run->arguments.length, &events, run);
}

static void run_start(struct ik_session_run *run)
{
	if (ik_session_keep_files(run, begin_call))
		begin_call(run);
}

/* It has its slot. */
static void begin_run(void *arg)
{
	run_start(arg);
}

void ik_session_put_arguments(const struct ik_session *session, const char *name,
	const char *arguments, size_t length, struct ik_buf *out)
{
	const struct ik_tool *tool = ik_registry_find(session->registry, name);
	const struct ik_model *model = session->model;
	struct ik_tool_definition definition;
	struct ik_json_span text = ik_run_arguments(arguments, length), value;

	if (tool && model && model->spec.format->put_arguments &&
		ik_json_check(text.text, text.length, &value, NULL) == IK_OK) {
		definition = ik_session_tool_definition(tool);
		if (model->spec.format->put_arguments(out, &model->spec.endpoint, &definition, value))
			return;
	}
	ik_buf_append(out, text.text, text.length);
}

void ik_session_start_call(struct ik_session *session, const struct ik_effect *effect)
{
	struct ik_session_run *run;
	struct ik_buf arguments;

	ik_buf_init(&arguments, IK_LIMIT_ARGUMENTS);
	ik_session_put_arguments(session, effect->name, effect->arguments, effect->arguments_length,
		&arguments);
	run = run_add(session, effect->name, arguments.data, arguments.length);
	ik_buf_done(&arguments);
	run->call = effect->call;
	run->round = effect->event.round;
	run->id = ik_strdup(effect->id);
	run->slot.begin = begin_run;
	run->slot.arg = run;
	run->slot.owner = session;
	if (!session->options.slots || ik_slots_take(session->options.slots, &run->slot))
		run_start(run);
}

/* Tell that an own call begins, and begin it. */
static void start_own(struct ik_session_run *run)
{
	struct ik_event event = run_event(run, IK_EVENT_TOOL_STARTED);

	event.text = run->arguments.data;
	event.text_length = run->arguments.length;
	run_start(run);
	ik_session_emit(run->session, &event);
}

void ik_session_run_tool(struct ik_session *session, const char *name, const char *arguments,
	size_t length)
{
	struct ik_session_run *run = run_add(session, name, arguments, length);

	run->own = true;
	run->id = ik_format("run_%d", ++session->own_runs);
	if (session->tools_ready) {
		start_own(run);
	} else {
		const char *text = _("Loading tools…");
		struct ik_event event = {
			.kind = IK_EVENT_WAITING,
			.text = text,
			.text_length = strlen(text),
		};

		ik_session_emit(session, &event);
	}
}

void ik_session_start_waiting(struct ik_session *session)
{
	struct ik_session_run *run = session->runs;

	/* From the beginning each time: who is told of one may cancel others. */
	while (run) {
		if (run->run || !run->own || ik_session_is_keeping(run)) {
			run = run->next;
		} else {
			start_own(run);
			run = session->runs;
		}
	}
}

/* The first of the person's runs; waiting: of those that have not begun. */
static struct ik_session_run *find_own(const struct ik_session *session, bool waiting)
{
	struct ik_session_run *run = session->runs;

	while (run && !(run->own && (!waiting || !run->run)))
		run = run->next;
	return run;
}

/* End an own run here and now; what it was is stored and told. */
static void cut_own(struct ik_session_run *run)
{
	struct ik_event started = run_event(run, IK_EVENT_TOOL_STARTED);
	char *message = ik_format("Tool '%s' was cancelled", run->name);
	bool begun = run->run || ik_session_is_keeping(run);
	struct ik_buf envelope;

	run_release(run); /* off the list, for whoever is told */
	if (!begun) {
		started.text = run->arguments.data;
		started.text_length = run->arguments.length;
		ik_session_emit(run->session, &started);
	}
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	ik_envelope_failure(&envelope, IK_TOOL_CANCELLED, message, -1, NULL, IK_KIB(1));
	free(message);
	end_own(run,
		&(struct ik_run_result){
			.envelope = envelope.data,
			.envelope_length = envelope.length,
			.exit_code = -1,
		});
	ik_buf_done(&envelope);
}

/* The first of the model's calls that waits for a slot, or until what it writes is kept. */
static struct ik_session_run *find_waiting(const struct ik_session *session)
{
	struct ik_session_run *run = session->runs;

	while (run && !run->slot.waiting && (run->own || !ik_session_is_keeping(run)))
		run = run->next;
	return run;
}

/* End a call of the model's that was not begun: the turn gets its outcome. */
static void cut_waiting(struct ik_session_run *run)
{
	char *message = ik_format("Tool '%s' was cancelled", run->name);
	struct ik_input input = { .kind = IK_INPUT_TOOL_DONE, .call = run->call };
	struct ik_session *session = run->session;
	struct ik_buf envelope;

	run_release(run);
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	ik_envelope_failure(&envelope, IK_TOOL_CANCELLED, message, -1, NULL, IK_KIB(1));
	free(message);
	input.text = envelope.data;
	input.text_length = envelope.length;
	ik_session_post(session, &input);
	ik_buf_done(&envelope);
}

void ik_session_cancel_runs(struct ik_session *session, bool own)
{
	struct ik_session_run *run;

	/* Those that wait first: none of them is to begin in place of one that ends. */
	while (!own && (run = find_waiting(session)))
		cut_waiting(run);
	for (run = session->runs; run; run = run->next) {
		if (run->own == own && run->run)
			ik_run_cancel(run->run);
	}
	/* From the beginning each time, as above. */
	while (own && (run = find_own(session, true)))
		cut_own(run);
}

void ik_session_close_runs(struct ik_session *session)
{
	struct ik_session_run *run;

	while ((run = find_waiting(session))) /* as above */
		run_release(run);
	for (run = session->runs; run;) {
		struct ik_session_run *next = run->next;

		if (!run->own)
			run_release(run);
		run = next;
	}
}

void ik_session_end_own_runs(struct ik_session *session)
{
	struct ik_session_run *run;

	while ((run = find_own(session, false)))
		cut_own(run);
}
