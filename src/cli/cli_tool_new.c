#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/print.h"
#include "tool/protocol.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/shell_word.h"
#include "util/text.h"

/* A complete, working tool to start from: a file in templates/. "@NAME@" is the tool's name,
 * "@PATH@" the path of its executable. */
struct tool_template {
	const char *language; /* the value of --lang */
	const char *suffix;   /* suffix of the file: "" for a script, ".c" for a source */
	const char *compile;  /* the command that compiles a source, or NULL */
	const char *text;
};

/* local.mk generates these from the files. */
extern const char ik_tool_template_sh[], ik_tool_template_python[], ik_tool_template_c[];

static const struct tool_template templates[] = {
	{ "sh", "", NULL, ik_tool_template_sh },
	{ "python", "", NULL, ik_tool_template_python },
	{ "c", ".c", "cc -O2 -Wall -o @PATH@ @PATH@.c -lcjson", ik_tool_template_c },
};
enum { TEMPLATES = sizeof(templates) / sizeof(templates[0]) };

/* Return the template for --lang, or the first one without --lang; NULL, with an error that lists
 * all, if there is no such template. */
static const struct tool_template *find_template(const char *language, struct ik_error *error)
{
	struct ik_buf names;

	for (size_t i = 0; i < TEMPLATES; i++)
		if (!language || ik_text_equal(language, templates[i].language))
			return &templates[i];
	ik_buf_init(&names, IK_KIB(1));
	for (size_t i = 0; i < TEMPLATES; i++)
		ik_buf_printf(&names, "%s%s", i > 0 ? ", " : "", templates[i].language);
	(void)ik_error_set(error, IK_INVALID, _("--lang is \"%s\", but there are only %s"), language,
		names.data);
	ik_buf_done(&names);
	return NULL;
}

/* Return the directory for the tool; the caller frees it. */
static char *choose_directory(const struct ik_options *options, const struct ik_setup *setup)
{
	const struct ik_config *config = setup->config;

	if (options->project)
		return ik_path_join(setup->places.directory,
			config->tools_project_dir ? config->tools_project_dir : ".ikigai/tools");
	return config->tools_user_dir ? ik_path_expand(config->tools_user_dir, setup->places.user_home)
								  : ik_places_file(&setup->places, "tools");
}

/* Append text, replacing @NAME@ and @PATH@. */
static void fill(struct ik_buf *out, const char *text, const char *name, const char *word)
{
	const char *mark;

	while ((mark = strchr(text, '@'))) {
		ik_buf_append(out, text, (size_t)(mark - text));
		if (ik_text_starts(mark, "@NAME@") || ik_text_starts(mark, "@PATH@")) {
			ik_buf_puts(out, mark[1] == 'N' ? name : word);
			text = mark + 6;
		} else {
			ik_buf_putc(out, '@');
			text = mark + 1;
		}
	}
	ik_buf_puts(out, text);
}

/* Write a new file; fail if it exists. */
static enum ik_status write_new(const char *path, const struct ik_buf *text, mode_t mode,
	struct ik_error *error)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), number = 0;

	if (fd < 0 && errno == EEXIST)
		return ik_error_set(error, IK_INVALID,
			_("%s is there already; take another name, or remove it first"), path);
	/* Regardless of the umask: ikigai doesn't run a file that other users could change. */
	if (fd < 0 || fchmod(fd, mode) != 0)
		number = errno;
	if (number == 0)
		number = ik_write_all(fd, text->data, text->length);
	if (fd >= 0 && close(fd) != 0 && number == 0)
		number = errno;
	if (number == 0)
		return IK_OK;
	if (fd >= 0)
		(void)unlink(path);
	return ik_error_set_errno(error, number, _("cannot write %s"), path);
}

/* Print where the tool is and what to do next. Return the exit status. */
static int tell(const struct tool_template *template, const char *name, const char *path,
	const char *word, bool project)
{
	struct ik_buf out;
	int status;

	ik_buf_init(&out, IK_KIB(64));
	ik_buf_printf(&out, _("Wrote %s%s\n"), path, template->suffix);
	if (template->compile) {
		ik_buf_printf(&out, "%s\n  ", _("Compile it:"));
		fill(&out, template->compile, name, word);
		ik_buf_puts(&out, "\n");
	}
	if (project && template->compile)
		ik_buf_printf(&out, "%s\n  ikigai tool trust\n",
			_("Trust it, here and after each change:"));
	ik_buf_printf(&out, "%s\n  ikigai tool run %s '{\"who\": \"Ada\"}'\n", _("Try it:"), name);
	if (project && !template->compile)
		ik_buf_printf(&out, "%s\n  ikigai tool trust\n",
			_("It is trusted as it is. After a change:"));
	ik_buf_printf(&out, "%s\n  ikigai tool validate %s\n", _("Check it after a change:"), word);
	status = ik_print_buf(&out);
	ik_buf_done(&out);
	return status;
}

int ik_cli_tool_new(const struct ik_options *options, struct ik_setup *setup)
{
	const struct tool_template *template;
	char *directory = NULL, *path = NULL, *file = NULL;
	struct ik_buf text, word;
	struct ik_error error;
	int status = 2;

	ik_buf_init(&text, IK_KIB(64));
	ik_buf_init(&word, IK_KIB(64));
	if (!ik_tool_name_valid(options->first)) {
		(void)ik_error_set(&error, IK_INVALID,
			_("\"%s\" cannot be the name of a tool; a name has 1 to 64 letters (a to z, A to Z), "
			  "digits, \"_\" and \"-\", and begins with a letter or \"_\""),
			options->first);
		goto fail;
	}
	template = find_template(options->language, &error);
	if (!template)
		goto fail;
	status = 1;
	directory = choose_directory(options, setup);
	if (!directory) {
		(void)ik_error_set(&error, IK_NOT_FOUND, "%s",
			setup->places.problem ? setup->places.problem
								  : _("there is no home directory; use --project"));
		goto fail;
	}
	path = ik_path_join(directory, options->first);
	file = ik_format("%s%s", path, template->suffix);
	ik_shell_word_put(&word, path);
	fill(&text, template->text, options->first, word.data);
	if (ik_path_make(directory, 0755, &error) != IK_OK ||
		write_new(file, &text, template->compile ? 0644 : 0755, &error) != IK_OK)
		goto fail;
	/* The user just asked for this file: trust it. */
	if (options->project && !template->compile &&
		ik_project_trust_file(&setup->project, file, &error) != IK_OK)
		ik_complain(error.text);
	status = tell(template, options->first, path, word.data, options->project);
	goto done;
fail:
	ik_complain(error.text);
done:
	ik_buf_done(&text);
	ik_buf_done(&word);
	free(directory);
	free(path);
	free(file);
	return status;
}
