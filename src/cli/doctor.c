#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/model_list.h"
#include "commands/appearance.h"
#include "commands/sandbox_command.h"
#include "commands/stored_session.h"
#include "core/status_line.h"
#include "journal/journal_reader.h"
#include "json/write.h"
#include "store/lock.h"
#include "tui/term/term.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/redact.h"
#include "util/sanitize.h"
#include "util/text.h"

/* Minimum size of the screen for the chat. */
enum { MIN_COLUMNS = 40, MIN_ROWS = 10 };

/* Time limits for a provider, in milliseconds; its list of models is a short answer. */
enum { CONNECT_MS = 10000, ANSWER_MS = 10000, ALL_MS = 20000 };

/* Suffix of a damaged journal that was moved aside, and, followed by the time, of a damaged
 * database that was replaced. */
#define DAMAGED ".damaged"
/* A larger clock difference matters, because sessions are sorted by time. */
#define CLOCK_MS 5000

enum { WORD_COLUMNS = 6, LABEL_COLUMNS = 14 };
/* Limit on the parts of the disk usage that are listed, largest first. */
enum { SHOWN_PLACES = 6 };

struct doctor {
	struct ik_cli cli;
	const char *label; /* what is checked: N_() or a name */
	bool wrong;        /* a finding was WRONG */
	char *shown;       /* the database's address, without a password */
};

/* ---- findings ---- */

enum doctor_finding { OK, NOTE, WRONG };

/* Print a finding: what was checked, what was found and what to do. With --json, print an object. */
IK_PRINTF(3, 4)
static void say(struct doctor *doctor, enum doctor_finding finding, const char *format, ...)
{
	static const char *const words[] = {
		[OK] = N_("ok"),
		[NOTE] = N_("note"),
		[WRONG] = N_("wrong"),
	};
	struct ik_buf out;
	va_list arguments;
	char *sentence;

	ik_buf_init(&out, IK_MIB(1));
	va_start(arguments, format);
	sentence = ik_vformat(format, arguments);
	va_end(arguments);
	if (doctor->cli.options->json) {
		ik_json_printf(&out, "{'check':'%s','state':'%s','message':'%s'}", doctor->label,
			words[finding], sentence);
	} else {
		ik_utf8_put_cell(&out, _(words[finding]), WORD_COLUMNS);
		ik_buf_putc(&out, ' ');
		ik_utf8_put_cell(&out, _(doctor->label), LABEL_COLUMNS);
		ik_buf_putc(&out, ' ');
		for (const char *at = sentence; *at != '\0'; at++) /* keep each check on one line */
			ik_buf_putc(&out, *at == '\n' ? ' ' : *at);
	}
	ik_buf_putc(&out, '\n');
	ik_cli_print_buf(&doctor->cli, &out);
	doctor->wrong |= finding == WRONG;
	free(sentence);
	ik_buf_done(&out);
}

/* ---- checks that need no waiting ---- */

static void check_locale(struct doctor *doctor)
{
	const char *name = setlocale(LC_ALL, "");

	if (!name)
		say(doctor, WRONG,
			_("the locale that LANG or LC_ALL names is not installed; take one of \"locale -a\", "
			  "such as C.UTF-8"));
	else if (!ik_text_equal(nl_langinfo(CODESET), "UTF-8"))
		say(doctor, NOTE, _("%s is not UTF-8, so the screen is plain ASCII; set LANG=C.UTF-8"),
			setlocale(LC_CTYPE, NULL));
	else
		say(doctor, OK, "%s", setlocale(LC_CTYPE, NULL));
	(void)setlocale(LC_NUMERIC, "C"); /* as main() does: JSON needs a decimal point */
}

static void check_terminal(struct doctor *doctor)
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
		.theme = ik_theme_at(NULL, 0),
		.rows = 24,
		.columns = 80,
	};
	struct winsize size = { .ws_row = 0 };
	struct ik_error error;
	struct ik_term *term;

	if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
		say(doctor, NOTE, _("standard output is no terminal, so it was not looked at"));
		return;
	}
	ik_appearance_colours(&options);
	term = ik_term_new(&options, &error);
	if (!term)
		say(doctor, WRONG, "%s", error.text);
	else if (size.ws_col > 0 && (size.ws_col < MIN_COLUMNS || size.ws_row < MIN_ROWS))
		say(doctor, WRONG, _("it has %dx%d characters; the chat needs %dx%d"), size.ws_col,
			size.ws_row, MIN_COLUMNS, MIN_ROWS);
	else if (ik_term_drawn_as(term))
		say(doctor, NOTE,
			_("%s is not installed (terminfo; the package is often called ncurses-term) and drawn "
			  "as %s; %dx%d, %s"),
			options.type, ik_term_drawn_as(term), size.ws_col, size.ws_row,
			_(colours[ik_term_colours(term)]));
	else
		say(doctor, OK, "%s, %dx%d, %s", options.type, size.ws_col, size.ws_row,
			_(colours[ik_term_colours(term)]));
	(void)ik_term_free(term);
}

static void check_home(struct doctor *doctor)
{
	const struct ik_places *places = &doctor->cli.setup->places;
	struct stat found;

	if (places->problem || !places->home) {
		say(doctor, WRONG, "%s",
			places->problem ? places->problem
							: _("there is no home directory; set HOME or IKIGAI_HOME"));
	} else if (stat(places->home, &found) != 0 || access(places->home, R_OK | W_OK | X_OK) != 0) {
		say(doctor, WRONG, _("%s cannot be used: %s"), places->home, strerror(errno));
	} else if ((found.st_mode & 0077) != 0) {
		say(doctor, WRONG, _("others can look into %s; mend it with: chmod 700 %s"), places->home,
			places->home);
	} else {
		say(doctor, OK, "%s", places->home);
	}
}

static void check_directory(struct doctor *doctor)
{
	const struct ik_places *places = &doctor->cli.setup->places;

	if (access(places->directory, R_OK | W_OK | X_OK) != 0)
		say(doctor, NOTE, _("in %s tools cannot write: %s"), places->directory, strerror(errno));
	else
		say(doctor, OK, "%s", places->directory);
}

/* The disk space of a file, or of a directory with all its contents. */
struct place_size {
	char *name;
	size_t bytes;
};

static int by_size(const void *a, const void *b)
{
	const struct place_size *left = a, *right = b;

	return (right->bytes > left->bytes) - (right->bytes < left->bytes);
}

/* Return the disk space of each entry of a directory, in new memory. */
static struct place_size *read_sizes(char *directory, size_t *ret_count, size_t *ret_all)
{
	FTS *tree = fts_open((char *[]){ directory, NULL }, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
		NULL);
	struct place_size *sizes = NULL;
	FTSENT *entry;

	*ret_count = *ret_all = 0;
	while (tree && (entry = fts_read(tree))) {
		size_t bytes = entry->fts_statp ? (size_t)entry->fts_statp->st_blocks * 512 : 0;

		if (entry->fts_level < 1 || entry->fts_info == FTS_DP || entry->fts_info == FTS_DNR ||
			entry->fts_info == FTS_NS)
			continue;
		if (entry->fts_level == 1) {
			sizes = ik_alloc_array(sizes, *ret_count + 1, sizeof(*sizes));
			sizes[(*ret_count)++] = (struct place_size){ ik_strdup(entry->fts_name), 0 };
		}
		sizes[*ret_count - 1].bytes += bytes;
		*ret_all += bytes;
	}
	if (tree)
		(void)fts_close(tree);
	if (*ret_count > 0)
		qsort(sizes, *ret_count, sizeof(*sizes), by_size);
	return sizes;
}

/* Report how much disk space ikigai uses, naming the largest parts. */
static void check_disk(struct doctor *doctor)
{
	const struct ik_config *config = doctor->cli.setup->config;
	char *home = doctor->cli.setup->places.home;
	size_t count, all;
	struct place_size *sizes = home ? read_sizes(home, &count, &all) : NULL;
	struct ik_buf out;

	if (!sizes)
		return;
	ik_buf_init(&out, IK_KIB(64));
	ik_size_text(&out, all);
	for (size_t i = 0; i < count; i++) {
		if (i < SHOWN_PLACES && sizes[i].bytes > 0) {
			ik_buf_puts(&out, i == 0 ? ": " : ", ");
			ik_sanitize_line(&out, sizes[i].name, strlen(sizes[i].name));
			ik_buf_putc(&out, ' ');
			ik_size_text(&out, sizes[i].bytes);
		}
		free(sizes[i].name);
	}
	say(doctor, OK, "%s", out.data);
	say(doctor, OK,
		_("kept at most: sessions %lld days (keep.sessions_days; 0: for ever), undo data %lld days "
		  "(keep.undo_days), results that were cut %lld MB (keep.outputs_mb), history %lld MB "
		  "(keep.history_mb), other files: FILES in ikigai(1)"),
		(long long)config->keep_sessions_days, (long long)config->keep_undo_days,
		(long long)config->keep_outputs_mb, (long long)config->keep_history_mb);
	free(sizes);
	ik_buf_done(&out);
}

/* Report what the kernel can prevent, what ikigai asks it to prevent, and what it can't. */
static void check_sandbox(struct doctor *doctor)
{
	const struct ik_setup *setup = doctor->cli.setup;
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
	say(doctor, state == IK_SANDBOX_BROKEN ? WRONG : whole ? OK : NOTE, "%s", out.data);
	ik_buf_clear(&out);
	ik_sandbox_put_gaps(setup, &out);
	for (line = out.data; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		say(doctor, NOTE, "%s", line);
	}
	ik_buf_done(&out);
}

static void check_config(struct doctor *doctor)
{
	const struct ik_string_list *warnings = &doctor->cli.setup->config->warnings;
	size_t i;

	for (i = 0; i < warnings->count; i++)
		say(doctor, NOTE, "%s", warnings->items[i]);
	if (warnings->count == 0)
		say(doctor, OK, _("all keys are known (ikigai config prints them)"));
}

/* ---- hooks, tools and commands ---- */

/* Report the commands that the user added. */
static void check_commands(struct doctor *doctor)
{
	struct ik_custom_commands *commands = doctor->cli.setup->custom_commands;
	const struct ik_custom_command *command;
	const char *problem;
	size_t usable = 0, i;

	ik_custom_commands_read(commands);
	for (i = 0; (command = ik_custom_command_at(commands, i)); i++)
		usable += command->state == IK_CUSTOM_USABLE;
	if (usable > 0)
		say(doctor, OK,
			ngettext("%zu custom command (/help lists it)",
				"%zu custom commands (/help lists them)", usable),
			usable);
	for (i = 0; (problem = ik_custom_commands_problem(commands, i)); i++)
		say(doctor, NOTE, "%s", problem);
}

/* Report what the files of MCP servers say to no effect. */
static void check_servers(struct doctor *doctor)
{
	struct ik_setup *setup = doctor->cli.setup;
	struct ik_mcp_servers servers = { .items = NULL };

	ik_project_read_servers(&setup->project, &setup->places, setup->config, &servers);
	for (size_t i = 0; i < servers.notes.count; i++)
		say(doctor, NOTE, "%s", servers.notes.items[i]);
	ik_mcp_servers_done(&servers);
}

static void on_status_line(void *arg, const char *line, const char *problem)
{
	struct doctor *doctor = arg;

	if (line)
		say(doctor, OK, "%s", line);
	else
		say(doctor, WRONG, "ui.status_command: %s", problem);
	ik_cli_go_on(&doctor->cli);
}

/* Run the user's command for the status bar. */
static void check_status_line(struct doctor *doctor)
{
	const struct ik_setup *setup = doctor->cli.setup;
	const struct ik_status_facts facts = {
		.session = "",
		.directory = setup->places.directory,
		.provider = "practice",
		.model = "practice",
		.columns = 80,
		.usage = { .cost = -1 },
	};
	struct ik_status_line *line;
	struct ik_buf input;

	if (!setup->config->ui_status_command)
		return;
	ik_buf_init(&input, IK_MIB(1));
	ik_status_facts_put(&facts, &input);
	line = ik_status_line_start(doctor->cli.loop, setup->config->ui_status_command,
		setup->places.directory, (const char *const *)doctor->cli.environment, &input,
		on_status_line, doctor);
	(void)!ik_cli_wait(&doctor->cli);
	ik_status_line_close(line);
	ik_buf_done(&input);
}

/* Report the hooks; the project's that are not trusted are reported with the tools. */
static void check_hooks(struct doctor *doctor)
{
	struct ik_setup *setup = doctor->cli.setup;
	struct ik_hooks *hooks = ik_hooks_read(&setup->places, setup->config, &setup->project);

	if (hooks->count > 0)
		say(doctor, OK,
			ngettext("%zu hook (ikigai hook list prints it)",
				"%zu hooks (ikigai hook list prints them)", hooks->count),
			hooks->count);
	for (size_t i = 0; i < hooks->problems.count; i++)
		say(doctor, WRONG, "%s", hooks->problems.items[i]);
	ik_hooks_free(hooks);
}

/* Report a tool or a skill that is not offered as it is. */
static void check_tool(struct doctor *doctor, const struct ik_tool *tool)
{
	doctor->label = tool->name[0] == '/' ? N_("skills") : N_("tools");
	if (tool->name[0] == '/' && tool->reason && tool->state != IK_TOOL_UNTRUSTED)
		say(doctor, tool->state == IK_TOOL_FAILED ? WRONG : NOTE, "%s: %s (%s)", tool->name,
			tool->reason, tool->path);
	else if (tool->state == IK_TOOL_FAILED && tool->path[0] == '/')
		say(doctor, WRONG, _("%s %s; ikigai tool validate %s says more"), tool->name, tool->reason,
			tool->path);
	else if (tool->state == IK_TOOL_FAILED) /* of a source without files */
		say(doctor, WRONG, "%s: %s", tool->name, tool->reason);
}

/* Scan the tools, and report the results. */
static void check_tools(struct doctor *doctor)
{
	const struct ik_project *project = &doctor->cli.setup->project;
	const struct ik_registry *registry = ik_cli_scan(&doctor->cli, true);
	size_t count, skills = 0;
	char *untrusted;

	if (!registry)
		return;
	count = ik_registry_ok_count(registry);
	say(doctor, OK, ngettext("%zu tool answers", "%zu tools answer", count), count);
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		skills += ik_registry_at(registry, i)->state == IK_TOOL_SKILL;
		check_tool(doctor, ik_registry_at(registry, i));
	}
	doctor->label = N_("skills");
	if (skills > 0)
		say(doctor, OK, ngettext("%zu skill is offered", "%zu skills are offered", skills), skills);
	doctor->label = N_("tools");
	for (size_t i = 0; i < ik_registry_problem_count(registry); i++)
		say(doctor, WRONG, "%s", ik_registry_problem(registry, i));
	doctor->label = N_("trust");
	if (ik_trust_problem(project->trust))
		say(doctor, WRONG, "%s", ik_trust_problem(project->trust));
	untrusted = ik_project_warning(project, registry);
	if (untrusted)
		say(doctor, NOTE, "%s", untrusted);
	free(untrusted);
}

/* ---- the database ---- */

/* Ask the store program; report why if it fails. */
static enum ik_status ask(struct doctor *doctor, const char *verb, ik_store_reader *reader)
{
	struct ik_awaited awaited = { .loop = doctor->cli.loop, .reader = reader, .arg = doctor };
	struct ik_error error;
	enum ik_status status = ik_await(&awaited,
		ik_store_ask(doctor->cli.store, verb, NULL, ik_await_answer, &awaited), &error);

	if (status != IK_OK)
		say(doctor, WRONG, "%s", error.text);
	return status;
}

/* Is nobody writing this journal any more? (The status bar of a chat reports what it has not stored.) Say
 * it if the journal can't be stored whatever the database does. */
static bool is_left_behind(struct doctor *doctor, const char *directory, const char *name)
{
	char *path = ik_path_join(directory, name);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool written = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;
	struct ik_journal_reader *reader = NULL;
	struct ik_error error;

	if (fd >= 0)
		(void)close(fd);
	if (!written && ik_journal_reader_open(path, &reader, &error) != IK_OK)
		say(doctor, NOTE, "%s", error.text);
	(void)ik_journal_reader_close(reader);
	free(path);
	return !written;
}

/* Name the damaged journals in a directory, and return how many others have no writer any more. */
static size_t count_left_behind(struct doctor *doctor, const char *directory)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;
	size_t count = 0;

	while (stream && (entry = readdir(stream)))
		if (ik_text_ends(entry->d_name, DAMAGED))
			say(doctor, NOTE,
				_("%s/%s is a damaged journal that was put aside: what was said is in it, as lines "
				  "of JSON; delete it when you don't need it"),
				directory, entry->d_name);
		else if (entry->d_name[0] != '.')
			count += is_left_behind(doctor, directory, entry->d_name);
	if (stream)
		(void)closedir(stream);
	return count;
}

/* Name damaged databases that were replaced. */
static void say_what_was_damaged(struct doctor *doctor)
{
	const char *path = doctor->cli.setup->database;
	char *directory = ik_path_directory(path),
		 *prefix = ik_format("%s" DAMAGED "-", ik_path_base(path));
	DIR *stream = opendir(directory);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		char *name = ik_path_join(directory, entry->d_name);

		if (ik_text_starts(entry->d_name, prefix) && !ik_text_ends(name, "-wal") &&
			!ik_text_ends(name, "-shm"))
			say(doctor, NOTE,
				_("%s is a damaged database that was put aside: look into it with ikigai "
				  "--database FILE session list"),
				name);
		free(name);
	}
	if (stream)
		(void)closedir(stream);
	free(directory);
	free(prefix);
}

/* Report journals of earlier chats that are not in a database yet. */
static void say_what_waits(struct doctor *doctor)
{
	char *journals = ik_places_file(&doctor->cli.setup->places, "journal");
	DIR *stream = journals ? opendir(journals) : NULL;
	const struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		char *directory = ik_path_join(journals, entry->d_name);
		size_t count = entry->d_name[0] == '.' ? 0 : count_left_behind(doctor, directory);

		if (count > 0)
			say(doctor, NOTE,
				ngettext("%zu journal in %s has events that are not in a database yet",
					"%zu journals in %s have events that are not in a database yet", count),
				count, directory);
		free(directory);
	}
	if (stream)
		(void)closedir(stream);
	free(journals);
}

static int64_t number_of(struct ik_json_span line, const char *name)
{
	int64_t number = 0;

	(void)ik_json_integer(ik_json_member(line, name), &number);
	return number;
}

static void on_file_facts(void *arg, const struct ik_store_answer *answer)
{
	struct doctor *doctor = arg;
	int64_t events = number_of(answer->last, "events");

	say(doctor, OK,
		ngettext("%s: whole, version %lld, %lld event", "%s: whole, version %lld, %lld events",
			(unsigned long)events),
		doctor->shown, (long long)number_of(answer->last, "version"), (long long)events);
}

static void check_file(struct doctor *doctor)
{
	const char *path = doctor->cli.setup->database;

	if (access(path, F_OK) != 0 && errno == ENOENT)
		say(doctor, OK, _("%s will be made with the first session"), path);
	else if (access(path, W_OK) != 0)
		say(doctor, WRONG, _("%s cannot be written: %s"), path, strerror(errno));
	else if (ask(doctor, "check", NULL) == IK_OK)
		(void)ask(doctor, "facts", on_file_facts);
	say_what_was_damaged(doctor);
}

static bool flag_of(struct ik_json_span line, const char *name)
{
	return ik_json_is_true(ik_json_member(line, name));
}

/* Return a text member of the answer, "" if it is missing. The caller frees it. */
static char *text_of(struct ik_json_span line, const char *name)
{
	char *text = ik_json_text_new(ik_json_member(line, name));

	return text ? text : ik_strdup("");
}

/* Report whether a server's database can be used. */
static bool say_whether_usable(struct doctor *doctor, struct ik_json_span facts)
{
	const char *shown = doctor->shown;
	char *role = text_of(facts, "role"), *server = text_of(facts, "server"),
		 *owner = text_of(facts, "owner");
	int64_t version = number_of(facts, "version"), wanted = number_of(facts, "wanted");
	int64_t events = number_of(facts, "events");
	bool has_form = flag_of(facts, "has_form"), usable = false;

	if (flag_of(facts, "has_others"))
		say(doctor, WRONG,
			_("%s is the database of another program: it has a table \"sessions\" of its own."),
			shown);
	else if (flag_of(facts, "read_only"))
		say(doctor, WRONG,
			_("%s can only be read: it is a standby, or made so; name the primary, or several "
			  "hosts with target_session_attrs=read-write"),
			shown);
	else if (!has_form && !flag_of(facts, "can_create"))
		say(doctor, WRONG,
			_("%s has no tables yet, and the role %s may not make them; its owner runs: GRANT "
			  "USAGE, CREATE ON SCHEMA public TO %s"),
			shown, role, role);
	else if (has_form && !flag_of(facts, "can_use"))
		say(doctor, WRONG,
			_("%s: the role %s may not use the tables; their owner runs: GRANT SELECT, INSERT, "
			  "UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO %s"),
			shown, role, role);
	else if (has_form && version < wanted && !flag_of(facts, "owns"))
		say(doctor, WRONG,
			_("%s: its tables are of version %lld, and this ikigai needs %lld; their owner, %s, "
			  "runs once: ikigai session list"),
			shown, (long long)version, (long long)wanted, owner);
	else
		usable = true;
	if (usable && has_form)
		say(doctor, OK,
			ngettext("%s: PostgreSQL %s, version %lld, about %lld event",
				"%s: PostgreSQL %s, version %lld, about %lld events", (unsigned long)events),
			shown, server, (long long)version, (long long)events);
	else if (usable)
		say(doctor, OK, _("%s: PostgreSQL %s; the tables will be made with the first session"),
			shown, server);
	free(role);
	free(server);
	free(owner);
	return usable;
}

static void say_what_lacks(struct doctor *doctor, struct ik_json_span facts)
{
	char *encoding = text_of(facts, "encoding");
	int64_t ahead_ms = number_of(facts, "clock_ms") - ik_clock_wall_ms();

	if (!ik_text_equal(encoding, "UTF8"))
		say(doctor, WRONG,
			_("its encoding is %s: make a database with ENCODING 'UTF8', which holds every text"),
			encoding);
	if (!flag_of(facts, "encrypted"))
		say(doctor, NOTE,
			_("what is sent is not encrypted: add sslmode=verify-full to its address"));
	if (ahead_ms > CLOCK_MS || ahead_ms < -CLOCK_MS)
		say(doctor, NOTE,
			_("its clock differs by %lld s from this machine's: sessions may stand in a wrong "
			  "order; set both by NTP"),
			(long long)(ahead_ms / 1000));
	free(encoding);
}

/* Report which sessions are open for writing, and where. */
static void say_who_writes(struct doctor *doctor, const struct ik_store_answer *answer)
{
	int64_t held = number_of(answer->last, "locks_held"), dead = 0;

	for (size_t i = 0; i < answer->count; i++) {
		const struct ik_session_info *info = &answer->sessions[i];
		struct ik_buf who;

		if (info->holder.pid == 0) { /* it ran here, and has died */
			dead++;
			continue;
		}
		ik_buf_init(&who, IK_KIB(4));
		ik_holder_put(&who, &info->holder);
		/* Translators: %s are the id of a session and who has it open. */
		say(doctor, OK, _("session %s is open in %s"), info->id, who.data);
		ik_buf_done(&who);
	}
	if (held > (int64_t)answer->count)
		say(doctor, OK,
			ngettext("%lld session is open in all", "%lld sessions are open in all",
				(unsigned long)(held - dead)),
			(long long)(held - dead));
}

static void on_server_facts(void *arg, const struct ik_store_answer *answer)
{
	struct doctor *doctor = arg;

	if (!say_whether_usable(doctor, answer->last))
		return;
	say_what_lacks(doctor, answer->last);
	say_who_writes(doctor, answer);
}

static void check_database(struct doctor *doctor)
{
	struct ik_cli *cli = &doctor->cli;
	const char *database = cli->setup->database;
	enum ik_status asked = IK_OK;
	struct ik_error error;

	if (!database) {
		say(doctor, WRONG, _("there is no place for it; sessions are not kept"));
		return;
	}
	doctor->shown = ik_redact(database);
	cli->store = ik_setup_open_store(cli->setup, cli->loop, &error);
	if (!cli->store)
		say(doctor, WRONG, "%s", error.text);
	else if (!ik_postgres_is_uri(database))
		check_file(doctor);
	else
		asked = ask(doctor, "facts", on_server_facts);
	if (asked != IK_OK && asked != IK_NOT_FOUND) /* the store program, which was named */
		say(doctor, NOTE,
			_("check the address, and that the server runs; the chat "
			  "goes on without it and keeps what is said until it is back"));
	if (cli->store)
		cli->store = ik_store_close(cli->store, NULL, NULL);
	say_what_waits(doctor);
	free(doctor->shown);
}

/* ---- providers ---- */

/* A provider that is being asked for its models. */
struct doctor_provider {
	struct doctor *doctor;
	struct ik_model *model;
	bool answered;
	char *shown; /* its address without passwords */
};

/* Report a provider's answer. */
static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct doctor_provider *provider = arg;
	const struct ik_endpoint *endpoint = &provider->model->endpoint;
	const char *model = provider->model->name;
	struct doctor *doctor = provider->doctor;
	bool offered = false;

	for (size_t i = 0; i < count; i++)
		offered = offered || ik_text_equal(names[i], model);
	if (!names)
		say(doctor, WRONG, "%s", sentence);
	else if (!offered)
		say(doctor, NOTE,
			ngettext("%s answers, but %s is not the %zu model that it names; /model in the chat "
					 "lists it",
				"%s answers, but %s is not among the %zu models that it names; /model in the chat "
				"lists them",
				count),
			provider->shown, model, count);
	else if (endpoint->api_key)
		say(doctor, OK, _("%s answers and takes the key of %s; model %s"), provider->shown,
			endpoint->key_variable, model);
	else
		say(doctor, OK, _("%s answers; model %s"), provider->shown, model);
	provider->answered = true;
	ik_cli_go_on(&doctor->cli);
}

/* Has the user set it up: by an entry in the configuration, or by its own key? model is NULL if it
 * can't be used. */
static bool is_set_up(const struct ik_config *config, const char *name,
	const struct ik_model *model)
{
	return ik_config_provider(config, name) ||
		(model && model->endpoint.api_key &&
			!ik_text_equal(model->endpoint.key_variable, IK_KEY_OF_ALL));
}

/* Ask a provider for its models, and wait at most ALL_MS. */
static void ask_provider(struct doctor_provider *provider, struct ik_http *http)
{
	struct ik_cli *cli = &provider->doctor->cli;
	struct ik_timer *limit = ik_timer_new(cli->loop, ik_cli_go_on, cli);
	struct ik_model_list *list = ik_model_list_start(cli->loop, http, provider->model, ANSWER_MS,
		on_models, provider);

	ik_timer_start(limit, ALL_MS);
	if (ik_cli_wait(cli) && !provider->answered)
		say(provider->doctor, WRONG,
			_("%s has not answered in %d s; check the network, a proxy (http.proxy), and base_url"),
			provider->shown, ALL_MS / 1000);
	(void)ik_model_list_close(list);
	(void)ik_timer_close(limit);
}

/* Return the model of a provider that has none of its own: that of a fallback; else NULL. */
static const char *fallback_model(const struct ik_config *config, const char *name)
{
	const struct ik_provider_config *own = ik_config_provider(config, name);
	size_t length = strlen(name);

	for (size_t i = 0; i < config->provider_count && own && !own->model; i++) {
		const char *fallback = config->providers[i].fallback;

		if (fallback && ik_text_starts(fallback, name) && fallback[length] == '/')
			return fallback + length + 1;
	}
	return NULL;
}

/* Check a provider: the default one as the chat would have it, with --base-url and -m. Return false
 * if the user has not set it up. */
static bool check_provider(struct doctor *doctor, const char *name, struct ik_http *http)
{
	const struct ik_config *config = doctor->cli.setup->config;
	const char *base_url = doctor->cli.options->base_url;
	bool by_default = ik_text_equal(ik_model_default_provider(config, base_url), name);
	struct ik_error error;
	const struct ik_model_wish wish = {
		.provider = by_default ? NULL : name,
		.model = fallback_model(config, name),
		.base_url = by_default ? base_url : NULL,
	};
	struct ik_model *model = ik_model_choose(config, &wish, &error);
	struct doctor_provider provider = {
		.doctor = doctor,
		.model = model,
		.shown = ik_redact(model ? model->endpoint.base_url : NULL),
	};
	bool set_up = (by_default || is_set_up(config, name, model)) &&
		!ik_text_equal(name, "practice");
	char *warning = set_up && model ? ik_model_warning(model) : NULL;

	doctor->label = name;
	if (set_up && !model)
		say(doctor, WRONG, "%s", error.text);
	else if (set_up)
		ask_provider(&provider, http);
	if (set_up && model && model->fallback)
		say(doctor, OK, _("%s/%s answers when it can't"), model->fallback->endpoint.provider,
			model->fallback->name);
	if (warning)
		say(doctor, NOTE, "%s", warning);
	free(warning);
	free(provider.shown);
	ik_model_unref(model);
	return set_up;
}

/* Check all providers that are configured or have a key. */
static void check_providers(struct doctor *doctor)
{
	const struct ik_config *config = doctor->cli.setup->config;
	struct ik_http_options options = ik_setup_http(doctor->cli.setup);
	struct ik_http *http;
	const char *name;
	size_t count = 0;

	options.connect_timeout_ms = CONNECT_MS;
	http = ik_http_new(doctor->cli.loop, &options);
	for (size_t i = 0; doctor->cli.signal == 0 && (name = ik_model_provider_at(config, i)); i++)
		count += check_provider(doctor, name, http);
	doctor->label = N_("providers");
	if (count == 0 && doctor->cli.signal == 0)
		say(doctor, NOTE,
			_("none is set up: put a key in OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_API_KEY; "
			  "until then the chat has the practice model"));
	(void)ik_http_free(http);
}

/* ---- the command ---- */

static const struct {
	const char *label;
	void (*check)(struct doctor *doctor);
} checks[] = {
	{ N_("locale"), check_locale },
	{ N_("terminal"), check_terminal },
	{ N_("home"), check_home },
	{ N_("directory"), check_directory },
	{ N_("settings"), check_config },
	{ N_("servers"), check_servers },
	{ N_("sandbox"), check_sandbox },
	{ N_("hooks"), check_hooks },
	{ N_("status line"), check_status_line },
	{ N_("database"), check_database },
	{ N_("disk"), check_disk },
	{ N_("commands"), check_commands },
	{ N_("tools"), check_tools },
	{ N_("providers"), check_providers },
};

int ik_doctor(const struct ik_options *options, struct ik_setup *setup)
{
	struct doctor doctor = { .wrong = false };

	if (!ik_cli_open(&doctor.cli, options, setup))
		return 1;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (doctor.cli.signal != 0 || doctor.cli.failed)
			break;
		doctor.label = checks[i].label;
		checks[i].check(&doctor);
	}
	return ik_cli_close(&doctor.cli, doctor.wrong);
}
