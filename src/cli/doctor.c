#include "cli/verbs.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/model_list.h"
#include "cli/cli.h"
#include "cli/doctor_store.h"
#include "commands/appearance.h"
#include "commands/sandbox_command.h"
#include "core/print.h"
#include "tui/term/term.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* The smallest screen that the chat can use. */
enum { MIN_COLUMNS = 40, MIN_ROWS = 10 };

/* Time limits of the providers; a list of models is a short answer. */
enum { CONNECT_MS = 10000, ANSWER_MS = 10000, ALL_MS = 20000 };

/* ---- what needs no waiting ---- */

static void check_locale(struct ik_doctor_report *report, struct ik_setup *setup)
{
	const char *name = setlocale(LC_ALL, "");

	(void)setup;
	if (!name)
		ik_doctor_say(report, IK_FINDING_WRONG, N_("locale"),
			_("the locale that LANG or LC_ALL names is "
			  "not installed; take one of \"locale -a\", such as C.UTF-8"));
	else if (!ik_text_equal(nl_langinfo(CODESET), "UTF-8"))
		ik_doctor_say_free(report, IK_FINDING_NOTE, N_("locale"),
			ik_format(_("%s is not UTF-8, so the screen is plain "
						"ASCII; set LANG=C.UTF-8"),
				setlocale(LC_CTYPE, NULL)));
	else
		ik_doctor_say(report, IK_FINDING_OK, N_("locale"), setlocale(LC_CTYPE, NULL));
	(void)setlocale(LC_NUMERIC, "C"); /* as main() does: JSON needs a decimal point */
}

static void check_terminal(struct ik_doctor_report *report, struct ik_setup *setup)
{
	static const char *const colours[] = {
		[IK_COLOURS_NONE] = N_("no colours"),
		[IK_COLOURS_8] = N_("8 colours"),
		[IK_COLOURS_16] = N_("16 colours"),
		[IK_COLOURS_256] = N_("256 colours"),
		[IK_COLOURS_TRUE] = N_("24-bit colours"),
	};
	struct ik_term_options options = {
		.type = getenv("TERM"),
		.theme = ik_theme_at(0),
		.rows = 24,
		.columns = 80,
		.utf8 = ik_text_equal(nl_langinfo(CODESET), "UTF-8"),
	};
	struct winsize size = { .ws_row = 0 };
	struct ik_error error;
	struct ik_term *term;

	(void)setup;
	if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
		ik_doctor_say(report, IK_FINDING_NOTE, N_("terminal"),
			_("standard output is no terminal, so it was not looked at"));
		return;
	}
	ik_appearance_colours(&options);
	term = ik_term_new(&options, &error);
	if (!term)
		ik_doctor_say(report, IK_FINDING_WRONG, N_("terminal"), error.text);
	else if (size.ws_col > 0 && (size.ws_col < MIN_COLUMNS || size.ws_row < MIN_ROWS))
		ik_doctor_say_free(report, IK_FINDING_WRONG, N_("terminal"),
			ik_format(_("it has %dx%d characters; the chat "
						"needs %dx%d"),
				size.ws_col, size.ws_row, MIN_COLUMNS, MIN_ROWS));
	else if (ik_term_drawn_as(term))
		ik_doctor_say_free(report, IK_FINDING_NOTE, N_("terminal"),
			ik_format(_("%s is not installed (terminfo; the "
						"package is often called ncurses-term) and drawn as %s; %dx%d, %s"),
				options.type, ik_term_drawn_as(term), size.ws_col, size.ws_row,
				_(colours[ik_term_colours(term)])));
	else
		ik_doctor_say_free(report, IK_FINDING_OK, N_("terminal"),
			ik_format("%s, %dx%d, %s", options.type, size.ws_col, size.ws_row,
				_(colours[ik_term_colours(term)])));
	(void)ik_term_free(term);
}

static void check_directories(struct ik_doctor_report *report, struct ik_setup *setup)
{
	const struct ik_places *places = &setup->places;
	struct stat found;

	if (places->problem || !places->home) {
		ik_doctor_say(report, IK_FINDING_WRONG, N_("home"),
			places->problem ? places->problem
							: _("there is no home directory; set HOME or IKIGAI_HOME"));
	} else if (stat(places->home, &found) != 0 || access(places->home, R_OK | W_OK | X_OK) != 0) {
		ik_doctor_say_free(report, IK_FINDING_WRONG, N_("home"),
			ik_format(_("%s cannot be used: %s"), places->home, strerror(errno)));
	} else if ((found.st_mode & 0077) != 0) {
		ik_doctor_say_free(report, IK_FINDING_WRONG, N_("home"),
			ik_format(_("others can look into %s; mend it with: "
						"chmod 700 %s"),
				places->home, places->home));
	} else {
		ik_doctor_say(report, IK_FINDING_OK, N_("home"), places->home);
	}
	if (access(places->directory, R_OK | W_OK | X_OK) != 0)
		ik_doctor_say_free(report, IK_FINDING_NOTE, N_("directory"),
			ik_format(_("in %s tools cannot write: %s"), places->directory, strerror(errno)));
	else
		ik_doctor_say(report, IK_FINDING_OK, N_("directory"), places->directory);
}

/* Report what the kernel can prevent, what it is asked to prevent, and what it can't. */
static void check_sandbox(struct ik_doctor_report *report, struct ik_setup *setup)
{
	enum ik_sandbox_state state = ik_sandbox_state(setup->sandbox);
	struct ik_buf out;
	char *line, *end;
	bool whole;

	ik_buf_init(&out, IK_MIB(1));
	whole = ik_sandbox_kernel(&out);
	if (state == IK_SANDBOX_BROKEN)
		ik_buf_printf(&out, "; %s",
			_("no tool is run until sandbox.* is taken out of the configuration"));
	else
		ik_buf_printf(&out, _("; sandbox.mode is %s"),
			ik_sandbox_mode_name(ik_sandbox_mode(setup->sandbox)));
	ik_doctor_say(report,
		state == IK_SANDBOX_BROKEN ? IK_FINDING_WRONG
			: whole                ? IK_FINDING_OK
								   : IK_FINDING_NOTE,
		N_("sandbox"), out.data);
	ik_buf_clear(&out);
	ik_sandbox_put_gaps(setup, &out);
	for (line = out.data; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		ik_doctor_say(report, IK_FINDING_NOTE, N_("sandbox"), line);
	}
	ik_buf_done(&out);
}

static void check_config(struct ik_doctor_report *report, struct ik_setup *setup)
{
	const struct ik_string_list *warnings = &setup->config->warnings;
	size_t i;

	for (i = 0; i < warnings->count; i++)
		ik_doctor_say(report, IK_FINDING_NOTE, N_("settings"), warnings->items[i]);
	if (warnings->count == 0)
		ik_doctor_say(report, IK_FINDING_OK, N_("settings"),
			_("all keys are known (ikigai config "
			  "prints them)"));
}

/* ---- tools ---- */

/* Report what a scan of the tools found. */
static void check_tools(struct ik_doctor_report *report, const struct ik_project *project,
	const struct ik_registry *registry)
{
	size_t count = ik_registry_ok_count(registry), i;
	char *untrusted = ik_project_warning(project, registry);

	ik_doctor_say_free(report, IK_FINDING_OK, N_("tools"),
		ik_format(ngettext("%zu tool answers", "%zu tools answer", count), count));
	for (i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_FAILED)
			ik_doctor_say_free(report, IK_FINDING_WRONG, N_("tools"),
				ik_format(_("%s %s; ikigai tool validate %s says more"), tool->name, tool->reason,
					tool->path));
	}
	for (i = 0; i < ik_registry_problem_count(registry); i++)
		ik_doctor_say(report, IK_FINDING_WRONG, N_("tools"), ik_registry_problem(registry, i));
	if (ik_trust_problem(project->trust))
		ik_doctor_say(report, IK_FINDING_WRONG, N_("trust"), ik_trust_problem(project->trust));
	if (untrusted)
		ik_doctor_say(report, IK_FINDING_NOTE, N_("trust"), untrusted);
	free(untrusted);
}

/* ---- providers, which are all asked at once ---- */

struct doctor_provider {
	struct ik_cli *cli;
	const char *name;
	struct ik_model_choice choice;
	struct ik_model_list *list; /* NULL: it isn't being asked */
	enum ik_doctor_finding finding;
	char *sentence; /* the result, or NULL */
};

/* Judge the answer of a provider. */
static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct doctor_provider *provider = arg;
	const struct ik_model_choice *choice = &provider->choice;
	bool offered = false;

	for (size_t i = 0; i < count; i++)
		offered = offered || ik_text_equal(names[i], choice->model);
	provider->finding = !names ? IK_FINDING_WRONG : offered ? IK_FINDING_OK : IK_FINDING_NOTE;
	if (!names)
		provider->sentence = ik_strdup(sentence);
	else if (!offered)
		provider->sentence = ik_format(ngettext("%s answers, but %s is not the %zu model "
												"that it names; /model in the chat lists it",
										   "%s answers, but %s is not among the %zu "
										   "models that it names; /model in the chat lists them",
										   count),
			choice->base_url, choice->model, count);
	else if (choice->api_key)
		provider->sentence = ik_format(_("%s answers and takes the key of %s; model %s"),
			choice->base_url, choice->key_variable, choice->model);
	else
		provider->sentence = ik_format(_("%s answers; model %s"), choice->base_url, choice->model);
	ik_cli_go_on(provider->cli);
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

/* Start to ask a provider, if the user has set it up. */
static bool ask_provider(struct ik_cli *cli, const char *name, struct ik_http *http,
	struct doctor_provider *provider)
{
	const struct ik_config *config = cli->setup->config;
	struct ik_model_spec spec;
	struct ik_error error;
	enum ik_status status;

	*provider = (struct doctor_provider){ .cli = cli, .name = name };
	status = ik_model_choose(config, &(struct ik_model_wish){ .provider = name }, &provider->choice,
		&error);
	if (!is_set_up(config, name, &provider->choice) || provider->choice.practice) {
		ik_model_choice_done(&provider->choice);
		return false;
	}
	if (status != IK_OK) {
		provider->finding = IK_FINDING_WRONG;
		provider->sentence = ik_strdup(error.text);
		return true;
	}
	spec = ik_model_choice_spec(&provider->choice);
	provider->list = ik_model_list_start(cli->loop, http, &spec, ANSWER_MS, on_models, provider);
	return true;
}

/* Wait for all answers, or until the time is up. */
static void wait_for_providers(struct ik_cli *cli, const struct doctor_provider *providers,
	size_t count)
{
	struct ik_timer *limit = ik_timer_new(cli->loop, ik_cli_go_on, cli);
	size_t answered = 0;

	ik_timer_start(limit, ALL_MS);
	do {
		for (answered = 0; answered < count && providers[answered].sentence;)
			answered++;
	} while (answered < count && ik_timer_running(limit) && ik_cli_wait(cli));
	(void)ik_timer_close(limit);
}

/* Report what came of a provider. */
static void say_provider(struct ik_doctor_report *report, struct doctor_provider *provider)
{
	char *warning = ik_model_choice_warning(&provider->choice);

	if (!provider->sentence) {
		provider->finding = IK_FINDING_WRONG;
		provider->sentence = ik_format(_("%s has not answered in %d s; "
										 "check the network, a proxy (http.proxy), and base_url"),
			provider->choice.base_url, ALL_MS / 1000);
	}
	ik_doctor_say(report, provider->finding, provider->name, provider->sentence);
	if (warning)
		ik_doctor_say_free(report, IK_FINDING_NOTE, provider->name, warning);
}

/* Ask all providers that are configured or have a key for their models. */
static void check_providers(struct ik_cli *cli, struct ik_doctor_report *report)
{
	const struct ik_config *config = cli->setup->config;
	const struct ik_http_options options = {
		.connect_timeout_ms = CONNECT_MS,
		.proxy = config->http_proxy,
		.ca_file = config->http_ca_file,
	};
	struct ik_http *http = ik_http_new(cli->loop, &options);
	struct doctor_provider *providers;
	size_t all = 0, count = 0;

	while (ik_model_provider_at(config, all))
		all++;
	providers = ik_alloc((all + 1) * sizeof(*providers));
	for (size_t i = 0; i < all; i++)
		count += ask_provider(cli, ik_model_provider_at(config, i), http, &providers[count]);
	wait_for_providers(cli, providers, count);
	if (count == 0)
		ik_doctor_say(report, IK_FINDING_NOTE, N_("providers"),
			_("none is set up: put a key in "
			  "OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_API_KEY; until then the chat has the "
			  "practice model"));
	for (size_t i = 0; i < count; i++) {
		if (cli->signal == 0)
			say_provider(report, &providers[i]);
		(void)ik_model_list_close(providers[i].list);
		ik_model_choice_done(&providers[i].choice);
		free(providers[i].sentence);
	}
	free(providers);
	(void)ik_http_free(http);
}

/* ---- all of them ---- */

int ik_doctor(const struct ik_options *options, struct ik_setup *setup)
{
	static void (*const checks[])(struct ik_doctor_report *, struct ik_setup *) = {
		check_locale,
		check_terminal,
		check_directories,
		check_config,
		check_sandbox,
	};
	struct ik_doctor_report report = { .json = options->json };
	struct ik_registry *registry;
	struct ik_cli cli;

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](&report, setup);
	if (!ik_cli_open(&cli, options, setup))
		return 1;
	ik_doctor_check_store(&report, setup, cli.loop);
	registry = cli.signal == 0 && !report.print_failed ? ik_cli_scan(&cli, true) : NULL;
	if (registry) {
		check_tools(&report, &setup->project, registry);
		check_providers(&cli, &report);
	}
	return ik_cli_close(&cli, report.print_failed || report.wrong);
}
