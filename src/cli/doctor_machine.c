#include "cli/doctor_machine.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/appearance.h"
#include "commands/sandbox_command.h"
#include "store/database_file.h"
#include "store/rescue.h"
#include "store/sqlite/examine.h"
#include "store/store.h"
#include "tui/term/term.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* The smallest screen that the chat can use. */
enum { MIN_COLUMNS = 40, MIN_ROWS = 10 };

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

static void check_database(struct ik_doctor_report *report, struct ik_setup *setup)
{
	const char *path = setup->database;
	struct ik_store_facts facts;
	struct ik_error error;

	if (!path) {
		ik_doctor_say(report, IK_FINDING_WRONG, N_("database"),
			_("there is no place for it; sessions are not kept"));
	} else if (ik_postgres_is_uri(path)) {
		return; /* doctor_postgres.c checks it */
	} else if (access(path, F_OK) != 0 && errno == ENOENT) {
		ik_doctor_say_free(report, IK_FINDING_OK, N_("database"),
			ik_format(_("%s will be made with the first session"), path));
	} else if (ik_store_examine(path, &facts, &error) != IK_OK) {
		ik_doctor_say(report, IK_FINDING_WRONG, N_("database"), error.text);
	} else if (access(path, W_OK) != 0) {
		ik_doctor_say_free(report, IK_FINDING_WRONG, N_("database"),
			ik_format(_("%s cannot be written: %s"), path, strerror(errno)));
	} else {
		ik_doctor_say_free(report, IK_FINDING_OK, N_("database"),
			ik_format(ngettext("%s: whole, version %lld, %lld "
							   "event",
						  "%s: whole, version %lld, %lld events", (unsigned long)facts.events),
				path, (long long)facts.version, (long long)facts.events));
	}
}

/* Name databases that were replaced because they were damaged. */
static void check_damaged(struct ik_doctor_report *report, struct ik_setup *setup)
{
	const char *path = setup->database;
	char *directory, *prefix, **paths = NULL;
	size_t count = 0, length, i;

	if (!path || ik_postgres_is_uri(path))
		return;
	length = (size_t)(ik_path_base(path) - path);
	directory = length > 0 ? ik_strndup(path, length > 1 ? length - 1 : 1) : ik_strdup(".");
	prefix = ik_format("%s" IK_DAMAGED, ik_path_base(path));
	ik_rescue_find_in(directory, prefix, "", &paths, &count);
	for (i = 0; i < count; i++) {
		if (!ik_text_ends(paths[i], "-wal") && !ik_text_ends(paths[i], "-shm"))
			ik_doctor_say_free(report, IK_FINDING_NOTE, _("database"),
				ik_format(_("%s is a damaged database that was put "
							"aside: look into it with ikigai --database FILE session list"),
					paths[i]));
	}
	ik_rescue_find_free(paths);
	free(prefix);
	free(directory);
}

void ik_doctor_check_machine(struct ik_doctor_report *report, struct ik_setup *setup)
{
	static void (*const checks[])(struct ik_doctor_report *, struct ik_setup *) = {
		check_locale,
		check_terminal,
		check_directories,
		check_config,
		check_sandbox,
		check_database,
		check_damaged,
	};
	size_t i;

	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](report, setup);
}
