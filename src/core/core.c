#include "core/core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/export.h"
#include "core/policy_file.h"
#include "core/print.h"
#include "core/undo_command.h"
#include "loop/children.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* Age at which a provider's list of models is fetched again. */
#define MODELS_FRESH_MS (INT64_C(24) * 3600 * 1000)

static void on_progress(void *arg, size_t done, size_t total)
{
	struct ik_core *core = arg;

	if (core->events->scan_progress)
		core->events->scan_progress(core->arg, done, total);
}

/* Log what a scan found. */
static void log_scan(const struct ik_registry *registry)
{
	size_t i;

	ik_log(IK_LOG_INFO, "scan: %zu tools, %zu failed", ik_registry_ok_count(registry),
		ik_registry_failed_count(registry));
	for (i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state != IK_TOOL_OK)
			ik_log(IK_LOG_INFO, "tool %s: %s: %s", tool->path, tool->code, tool->reason);
	}
	for (i = 0; i < ik_registry_problem_count(registry); i++)
		ik_log(IK_LOG_ERROR, "scan: %s", ik_registry_problem(registry, i));
}

/* Does sentence differ from the last one reported? Remember it. */
static bool is_news(char **told, const char *sentence)
{
	if (*told && ik_text_equal(*told, sentence))
		return false;
	free(*told);
	*told = ik_strdup(sentence);
	return true;
}

/* Report why nothing in this directory is trusted any more, once for each reason. */
static void report_trust_problem(struct ik_core *core)
{
	const char *problem = ik_trust_problem(core->setup->project.trust);

	if (problem && is_news(&core->trust_problem, problem))
		ik_session_add_problem(core->session, problem);
}

/* Pass the tools to every session. */
static void set_registry(struct ik_core *core, struct ik_registry *registry, bool ready)
{
	for (size_t i = 0; i < core->session_count; i++)
		ik_session_set_registry(core->sessions[i]->session, registry, ready);
}

/* Give every session the instructions, with the skills of that registry. */
static void use_instructions(struct ik_core *core, const struct ik_registry *registry)
{
	const char *own = core->setup->instructions;

	free(core->catalogue);
	free(core->instructions);
	core->catalogue = ik_skills_catalogue(registry);
	core->instructions = own || core->catalogue
		? ik_format("%s%s%s", own ? own : "", own && core->catalogue ? "\n\n" : "",
			  core->catalogue ? core->catalogue : "")
		: NULL;
	for (size_t i = 0; i < core->session_count; i++)
		ik_session_set_instructions(core->sessions[i]->session, core->instructions);
}

/* Read the hooks, again if they were read before. */
static void read_hooks(struct ik_core *core)
{
	struct ik_setup *setup = core->setup;
	struct ik_hooks *hooks = ik_hooks_read(&setup->places, setup->config, &setup->project);

	ik_hook_runner_set(core->hook_runner, hooks);
	ik_hooks_free(core->hooks);
	core->hooks = hooks;
	if (hooks->problems.count > 0 && is_news(&core->hook_problem, hooks->problems.items[0]))
		ik_session_add_problem(core->session, hooks->problems.items[0]);
}

static void on_finished(void *arg, struct ik_registry *registry)
{
	struct ik_core *core = arg;

	if (core->scanned)
		read_hooks(core);
	core->scanned = true;
	log_scan(registry);
	if (core->catalogue_due) {
		core->catalogue_due = ik_discovery_scanning(core->discovery);
		use_instructions(core, registry);
	}
	set_registry(core, registry, !ik_discovery_scanning(core->discovery));
	ik_core_update_skills(core);
	report_trust_problem(core);
	ik_custom_commands_use_skills(core->setup->custom_commands, registry);
	ik_custom_commands_read(core->setup->custom_commands); /* the front end asks for trust next */
	core->events->scan_finished(core->arg, registry);
	ik_discovery_ask_later(core->discovery, IK_DISCOVERY_LATER_MS);
}

/* Let new messages wait for the tools. */
static void on_began(void *arg)
{
	struct ik_core *core = arg;

	set_registry(core, ik_discovery_registry(core->discovery), false);
}

static void on_problem(void *arg, const char *sentence)
{
	struct ik_core *core = arg;

	ik_session_add_problem(core->session, sentence);
}

void ik_core_log_event(const struct ik_event *event)
{
	switch (event->kind) {
	case IK_EVENT_SESSION:
		ik_log(IK_LOG_INFO, "session %s: %s, %s", event->text, event->name, event->detail);
		break;
	case IK_EVENT_ROUND_STARTED:
		ik_log(IK_LOG_INFO, "round %d", event->round);
		break;
	case IK_EVENT_TOOL_DONE:
		ik_log(IK_LOG_INFO, "tool %s (%s): %lld ms, envelope of %zu bytes", event->name, event->id,
			(long long)event->duration_ms, event->text_length);
		break;
	case IK_EVENT_ERROR:
		ik_log(IK_LOG_ERROR, "%s: %.*s", ik_error_code_word(event->code), (int)event->text_length,
			event->text);
		break;
	case IK_EVENT_RETRY:
		ik_log(IK_LOG_INFO, "again in %lld ms: %.*s", (long long)event->delay_ms,
			(int)event->text_length, event->text);
		break;
	case IK_EVENT_TURN_DONE:
		ik_log(IK_LOG_INFO, "turn done: %s", ik_turn_stop_word(event->stop));
		break;
	default:
		break;
	}
}

/* Report why events wait, once for each reason. */
static void report_store_problem(struct ik_core *core, const char *message)
{
	const struct ik_event event = {
		.kind = IK_EVENT_NOTICE,
		.text = message,
		.text_length = strlen(message),
	};

	if (is_news(&core->store_problem, message))
		core->events->store(core->arg, &event);
}

void ik_core_tell_store_again(struct ik_core *core)
{
	char *problem = core->store_problem;

	core->store_problem = NULL;
	if (problem)
		report_store_problem(core, problem);
	free(problem);
}

static void on_store_state(void *arg, size_t waiting, const char *message)
{
	struct ik_core *core = arg;
	const struct ik_event event = {
		.kind = IK_EVENT_STORE,
		.count = waiting,
		.text = message,
		.text_length = strlen(message),
		.trouble = ik_store_trouble(core->store),
	};

	core->events->store(core->arg, &event);
	if (waiting > 0 && message[0] != '\0') {
		report_store_problem(core, message);
	} else if (waiting == 0) {
		free(core->store_problem);
		core->store_problem = NULL;
	}
}

static void on_store_notice(void *arg, const char *sentence)
{
	struct ik_core *core = arg;

	if (core->session)
		ik_session_add_notice(core->session, sentence);
}

static void on_store_progress(void *arg, const char *work, int64_t done, int64_t of)
{
	const struct ik_core *core = arg;

	if (core->events->progress)
		core->events->progress(core->arg, work, done, of);
}

static void on_store_fork(void *arg, const char *from, const char *to)
{
	struct ik_core *core = arg;

	for (size_t i = 0; i < core->session_count; i++)
		if (ik_text_equal(ik_session_id(core->sessions[i]->session), from))
			ik_session_forked(core->sessions[i]->session, to);
}

struct ik_policy *ik_core_policy(const struct ik_setup *setup)
{
	const struct ik_places *places = &setup->places;
	const struct ik_policy_options options = {
		.rules = setup->config->policy,
		.directory = places->directory,
		.home = places->user_home,
		.resolve = ik_path_resolve,
	};

	return ik_policy_new(&options);
}

/* Add the rules that the user saved. */
static void read_kept_rules(struct ik_core *core)
{
	struct ik_error error;

	if (ik_policy_file_read(core->policy_path, ik_policy_kept(core->policy), &error) != IK_OK)
		ik_session_add_problem(core->session, error.text);
}

/* Keep with a summary what was loaded of skills. */
static void keep_skills(void *arg, const struct ik_conversation *said, size_t end,
	struct ik_buf *out)
{
	const struct ik_core *core = arg;

	ik_skills_put_loaded(ik_core_registry(core), &core->setup->places, said, end, out);
}

/* Create a session that has no model yet. */
static struct ik_session *make_session(struct ik_core *core, struct ik_core_session *entry,
	const char *began)
{
	const struct ik_setup *setup = core->setup;
	const struct ik_config *config = setup->config;
	struct ik_session_options options = {
		.loop = core->loop,
		.http = core->http,
		.store = core->store,
		.run = ik_core_run_options(core->loop, setup, core->environment),
		.concurrency = (int)config->tools_concurrency,
		.slots = core->slots,
		.file_writes = core->file_writes,
		.max_tool_turns = (int)config->max_tool_turns,
		.compact_at = (int)config->compact_at,
		.retry = { (int)config->retry_max, config->retry_base_ms, config->retry_cap_ms },
		.idle_timeout_ms = config->http_idle_timeout_s * 1000,
		.undo_directory = core->undo_directory,
		.commands_root = core->commands_directory,
		.commands_program = core->setup->places.command,
		.undo_days = config->keep_undo_days,
		.undo_spared = setup->database,
		.directory = setup->places.directory,
		.system_prompt = setup->system_prompt,
		.instructions = core->instructions,
		.output_schema = setup->output_schema,
		.no_tools = core->no_tools,
		.tool_names = ik_text_equal(config->tools_offer, "names"),
		.policy = core->policy,
		.hooks = core->hook_runner,
		.began = began,
		.asking = core->asking,
		.keeper = keep_skills,
		.keeper_arg = core,
		.preparer = core->events->preparer,
		.preparer_arg = core->arg,
		.sink = ik_core_session_event,
		.sink_arg = entry,
	};

	options.run.outputs = core->outputs_directory;
	options.run.outputs_limit = config->keep_outputs_mb * (int64_t)IK_MIB(1);
	return ik_session_new(&options);
}

struct ik_core_session *ik_core_entry(const struct ik_core *core, const struct ik_session *session)
{
	size_t i = 0;

	while (core->sessions[i]->session != session)
		i++;
	return core->sessions[i];
}

struct ik_model *ik_core_model(const struct ik_core *core)
{
	return core->session ? ik_session_model(core->session) : core->setup->model;
}

bool ik_resume_is_possible(const struct ik_session *session)
{
	const struct ik_conversation *conversation = ik_session_conversation(session);
	size_t i = ik_conversation_count(conversation);

	while (i > 0 && ik_conversation_at(conversation, i - 1)->kind == IK_KIND_NOTICE)
		i--;
	return i > 0;
}

/* Add a session that has no model yet. */
static struct ik_session *add_session(struct ik_core *core, void *session_arg)
{
	struct ik_core_session *entry = ik_alloc(sizeof(*entry));

	entry->core = core;
	entry->arg = session_arg;
	entry->began_ms = ik_clock_wall_ms();
	entry->session = make_session(core, entry, NULL);
	core->sessions = ik_alloc_more(core->sessions, core->session_count, sizeof(*core->sessions));
	core->sessions[core->session_count++] = entry;
	return entry->session;
}

void ik_model_question_free(struct ik_model_question *question)
{
	if (!question)
		return;
	(void)ik_model_list_close(question->list);
	free(question->line);
	free(question->wanted);
	free(question);
}

/* Cancel a session's request for its provider's list of models. */
static void forget_question(struct ik_core_session *entry)
{
	ik_model_question_free(entry->question);
	entry->question = NULL;
}

/* Cancel all requests of a session. */
static void forget_questions(struct ik_core *core, struct ik_core_session *entry)
{
	core->undo = ik_undo_work_finish(core->undo);
	forget_question(entry);
	if (core->export)
		ik_export_session_closes(core->export, entry->session);
}

/* Free the entry of a session that was closed, maybe in the middle of an event: deferred. */
static void free_entry(void *arg)
{
	struct ik_core_session *entry = arg;

	ik_skill_loads_done(&entry->loads);
	free(entry);
}

struct ik_session *ik_core_add_session(struct ik_core *core, void *session_arg)
{
	struct ik_session *session = add_session(core, session_arg);

	ik_session_set_model(session, ik_core_model(core));
	ik_session_set_registry(session, ik_core_registry(core),
		core->scanned && !ik_discovery_scanning(core->discovery));
	return session;
}

struct ik_session *ik_core_close_session(struct ik_core *core, struct ik_session *session)
{
	struct ik_core_session *entry = ik_core_entry(core, session);
	size_t i = 0;

	forget_questions(core, entry);
	while (core->sessions[i] != entry)
		i++;
	core->sessions[i] = core->sessions[--core->session_count];
	ik_loop_defer(core->loop, free_entry, entry);
	ik_core_update_skills(core);
	return ik_session_close(session);
}

/* Start the scan, or report that there is nothing to wait for. */
static void start_tools(struct ik_core *core, bool no_tools)
{
	static const struct ik_discovery_events events = { on_progress, on_finished, on_began,
		on_problem };
	struct ik_setup *setup = core->setup;
	bool wanted = setup->config->tools_enabled && !no_tools;

	core->discovery = ik_core_discovery(core->loop, setup, core->environment, &events, core);
	ik_session_set_registry(core->session, ik_discovery_registry(core->discovery), !wanted);
	core->tools_wanted = wanted;
	if (wanted)
		ik_discovery_scan(core->discovery, IK_CACHE_ALL);
	else
		core->scanned = true;
}

enum ik_status ik_core_use_model(struct ik_core *core, struct ik_session *session,
	const struct ik_model_wish *wish, struct ik_error *error)
{
	struct ik_model *model = ik_model_choose(core->setup->config, wish, error);
	char *warning;

	if (!model)
		return error->status;
	/* A list that is still loading would look like the new provider's. */
	forget_question(ik_core_entry(core, session));
	ik_session_set_model(session, model);
	ik_session_know_model(session, true);
	warning = ik_model_warning(model);
	if (warning)
		ik_session_add_problem(session, warning);
	free(warning);
	ik_model_unref(model);
	return IK_OK;
}

/* The provider's list is kept now: use its newest default, unless the conversation has begun. */
static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct ik_core *core = arg;
	struct ik_model *model = ik_core_model(core);
	const struct ik_model_wish wish = {
		.provider = model->endpoint.provider,
		.base_url = model->url_given ? model->endpoint.base_url : NULL,
	};
	struct ik_error error;

	(void)count;
	core->models = ik_model_list_close(core->models);
	if (!names)
		ik_log(IK_LOG_INFO, "models: %s", sentence);
	else if (model->by_default &&
		ik_conversation_count(ik_session_conversation(core->session)) == 0)
		(void)!ik_core_use_model(core, core->session, &wish, &error);
}

/* If the user named no model, and the list that the default is chosen from is missing or old, fetch
 * it. */
static void refresh_models(struct ik_core *core)
{
	struct ik_model *model = core->setup->model;

	if (core->asking == IK_ASKING_USER && model->by_default && model->lists &&
		!model->format->answer && ik_clock_wall_ms() - model->listed_ms > MODELS_FRESH_MS)
		core->models = ik_model_list_start(core->loop, core->http, model,
			core->setup->config->http_idle_timeout_s * 1000, on_models, core);
}

/* Do what a user wants who is there: judge in the configured mode, and scan whenever a tool directory
 * changes, if so configured. */
static void attend(struct ik_core *core)
{
	enum ik_mode mode;

	if (ik_mode_find(core->setup->config->mode, &mode))
		ik_policy_set_mode(core->policy, mode);
	if (core->setup->config->tools_watch && core->tools_wanted)
		ik_discovery_watch(core->discovery);
}

enum ik_status ik_core_start(struct ik_core *core, struct ik_loop *loop, struct ik_setup *setup,
	bool no_tools, enum ik_asking asking, const struct ik_core_events *events, void *arg,
	void *session_arg, struct ik_error *error)
{
	static const struct ik_store_events store_events = {
		.state = on_store_state,
		.notice = on_store_notice,
		.progress = on_store_progress,
		.forked = on_store_fork,
	};
	const struct ik_http_options http = ik_setup_http(setup);
	size_t i;

	*core = (struct ik_core){
		.loop = loop,
		.setup = setup,
		.events = events,
		.arg = arg,
		.no_tools = no_tools,
		.asking = asking,
		.environment = ik_setup_tool_environment(setup),
		.instructions = setup->instructions ? ik_strdup(setup->instructions) : NULL,
		.catalogue_due = true,
	};
	core->store = ik_setup_open_store(setup, loop, error);
	if (!core->store)
		return error->status;
	ik_store_listen(core->store, &store_events, core);
	core->http = ik_http_new(loop, &http);
	core->policy = ik_core_policy(setup);
	core->policy_path = ik_places_file(&setup->places, "policy.json");
	if (setup->config->tools_undo)
		core->undo_directory = ik_places_file(&setup->places, "undo");
	/* A directory must exist to be hidden from the first call. Failure to create it is reported
	 * when something is saved there. */
	if (core->undo_directory && ik_path_make(core->undo_directory, 0700, error) == IK_OK)
		ik_undo_sweep(core->undo_directory, setup->config->keep_undo_days);
	core->commands_directory = ik_places_file(&setup->places, "commands");
	core->outputs_directory = ik_places_file(&setup->places, "outputs");
	core->slots = ik_slots_new((int)setup->config->tools_concurrency);
	core->file_writes = ik_file_writes_new();
	core->hook_runner = ik_hook_runner_new(loop, (const char *const *)core->environment);
	core->session = add_session(core, session_arg);
	ik_session_set_model(core->session, setup->model);
	read_kept_rules(core);
	read_hooks(core);
	start_tools(core, no_tools);
	refresh_models(core);
	if (setup->places.problem)
		ik_session_add_problem(core->session, setup->places.problem);
	for (i = 0; i < setup->config->warnings.count; i++)
		ik_session_add_problem(core->session, setup->config->warnings.items[i]);
	if (core->scanned)
		report_trust_problem(core);
	if (asking == IK_ASKING_USER)
		attend(core);
	return IK_OK;
}

struct ik_session *ik_core_begin_session(struct ik_core *core, struct ik_session *session)
{
	struct ik_core_session *entry = ik_core_entry(core, session);
	bool front = core->session == session;
	struct ik_model *model;

	if (ik_session_busy(session))
		return NULL;
	model = ik_model_ref(ik_session_model(session));
	forget_questions(core, entry);
	ik_session_tell_end(session, "clear");
	ik_session_close(session);
	ik_skill_loads_done(&entry->loads);
	entry->began_ms = ik_clock_wall_ms();
	session = entry->session = make_session(core, entry, "clear");
	if (front)
		core->session = session;
	ik_session_set_model(session, model);
	ik_model_unref(model);
	ik_session_set_registry(session, ik_core_registry(core),
		core->scanned && !ik_discovery_scanning(core->discovery));
	ik_core_read_instructions(core);
	core->catalogue_due = ik_discovery_scanning(core->discovery);
	ik_core_update_skills(core);
	return session;
}

bool ik_core_keep_rule(struct ik_core *core, const struct ik_rule *rule, bool for_good)
{
	struct ik_policy *policy = core->policy;
	struct ik_error error;

	if (!for_good) {
		ik_rules_add(ik_policy_session(policy), rule);
		return true;
	}
	if (ik_policy_file_keep(core->policy_path, rule, ik_policy_kept(policy), &error) == IK_OK)
		return true;
	ik_session_add_problem(core->session, error.text);
	return false;
}

void ik_core_policy_changed(struct ik_core *core)
{
	for (size_t i = 0; i < core->session_count; i++)
		ik_session_policy_changed(core->sessions[i]->session);
}

void ik_core_set_mode(struct ik_core *core, enum ik_mode mode)
{
	ik_policy_set_mode(core->policy, mode);
	ik_core_policy_changed(core);
}

void ik_core_read_instructions(struct ik_core *core)
{
	struct ik_setup *setup = core->setup;
	size_t told = setup->config->warnings.count, i;

	free(setup->instructions);
	setup->instructions = ik_agents_files_read(&setup->project, &setup->places, setup->config);
	use_instructions(core, ik_core_registry(core));
	core->catalogue_due = true;
	for (i = told; i < setup->config->warnings.count; i++)
		ik_session_add_problem(core->session, setup->config->warnings.items[i]);
}

bool ik_core_may_end(struct ik_core *core, void (*ready)(void *arg), void *arg)
{
	for (size_t i = 0; i < core->session_count; i++)
		ik_session_tell_end(core->sessions[i]->session, "prompt_input_exit");
	return (!core->session || ik_session_await_undo(core->session, ready, arg)) &&
		(!core->hook_runner || ik_hook_runner_rest(core->hook_runner, ready, arg));
}

/* Is a file that is trusted now read only at the next start? */
static bool is_read_later(const struct ik_project *project, const char *path)
{
	const struct ik_untrusted_list *skipped = &project->skipped[IK_PROJECT_CONFIG];

	return skipped->count > 0 && ik_text_equal(path, skipped->items[0].path);
}

void ik_core_tell(const struct ik_core *core, const char *format, ...)
{
	va_list arguments;
	char *sentence;

	va_start(arguments, format);
	sentence = ik_vformat(format, arguments);
	va_end(arguments);
	ik_session_add_notice(core->session, sentence);
	free(sentence);
}

void ik_core_granted(struct ik_core *core, const struct ik_untrusted_list *files,
	const struct ik_trust_check *check)
{
	const struct ik_project *project = &core->setup->project;
	const struct ik_error *error = ik_trust_check_error(check);

	for (size_t i = 0; i < files->count; i++) {
		const struct ik_checked_file *file = ik_trust_check_at(check, i);
		const char *name = ik_project_relative(project, files->items[i].path);

		if (file->state != IK_TRUST_TRUSTED && file->problem)
			ik_core_tell(core, "%s", file->problem);
		else if (file->state != IK_TRUST_TRUSTED)
			ik_core_tell(core, _("%s was changed meanwhile and is not trusted."), name);
		else if (is_read_later(project, files->items[i].path))
			ik_core_tell(core,
				_("%s is trusted and will be read when ikigai is started the next time."), name);
	}
	if (error->status != IK_OK)
		ik_core_tell(core, _("The files are trusted until this program ends: %s"), error->text);
	ik_core_read_instructions(core);
	ik_discovery_scan(core->discovery, IK_CACHE_NOTHING);
}

struct ik_registry *ik_core_registry(const struct ik_core *core)
{
	return ik_discovery_registry(core->discovery);
}

bool ik_core_stop(struct ik_core *core, struct ik_error *ret_notice)
{
	size_t lost = 0;

	ret_notice->status = IK_OK;
	ret_notice->text[0] = '\0';
	if (!core->setup) /* it was never started */
		return true;
	core->export = ik_export_close(core->export);
	core->undo = ik_undo_work_finish(core->undo);
	core->models = ik_model_list_close(core->models);
	/* The end of one session must not start a call of another. */
	if (core->slots)
		ik_slots_shut(core->slots);
	while (core->session_count > 0) {
		struct ik_core_session *last = core->sessions[--core->session_count];

		forget_question(last);
		ik_session_close(last->session);
		ik_loop_defer(core->loop, free_entry, last);
	}
	ik_core_forget_skills(core);
	free(core->sessions);
	core->session = NULL;
	ik_slots_free(core->slots);
	ik_file_writes_free(core->file_writes);
	core->hook_runner = ik_hook_runner_close(core->hook_runner);
	core->hooks = ik_hooks_free(core->hooks);
	free(core->hook_problem);
	ik_discovery_close(core->discovery);
	ik_http_free(core->http);
	if (core->store)
		core->store = ik_store_close(core->store, &lost, ret_notice);
	ik_policy_free(core->policy);
	free(core->policy_path);
	free(core->undo_directory);
	free(core->commands_directory);
	free(core->outputs_directory);
	ik_tool_switches_done(&core->switches);
	ik_environment_free(core->environment);
	free(core->store_problem);
	free(core->trust_problem);
	free(core->catalogue);
	free(core->instructions);
	*core = (struct ik_core){ .setup = core->setup };
	return lost == 0;
}

/* ---- no memory ---- */

/* Called if the reserve is used up, too. */
static void (*last_restore)(void);

static void give_up(void)
{
	static const char message[] = "ikigai: out of memory\n";

	if (last_restore)
		last_restore();
	(void)fputs(message, stderr);
	ik_children_end_now();
}

static void save(const struct ik_core *core)
{
	if (core->store)
		ik_store_end_now(core->store);
	for (size_t i = 0; i < core->session_count; i++)
		ik_session_end_now(core->sessions[i]->session);
}

/* Print how to resume each session that has anything stored. */
static void print_sessions(const struct ik_core *core)
{
	for (size_t i = 0; i < core->session_count; i++) {
		const struct ik_session *session = core->sessions[i]->session;

		if (ik_resume_is_possible(session))
			(void)fprintf(stderr, _("Resume with: ikigai --resume=%s\n"), ik_session_id(session));
	}
}

void ik_memory_gone_with(const struct ik_core *core, void (*restore)(void))
{
	last_restore = restore;
	ik_alloc_set_hook(give_up);
	if (core)
		save(core);
	if (restore)
		restore();
	ik_complain(_("out of memory"));
	if (core)
		print_sessions(core);
	ik_children_end_now();
}

void ik_memory_gone(void)
{
	ik_memory_gone_with(NULL, NULL);
}
