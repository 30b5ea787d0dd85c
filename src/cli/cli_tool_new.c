#include "cli/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

/* A tool to begin with, complete and working. "@NAME@" is the tool's name, and "@PATH@" the path of
 * the executable. */
struct tool_template {
	const char *language; /* the name for --lang */
	const char *suffix;   /* of the file: "" for a script, ".c" for a source */
	const char *compile;  /* the command that compiles a source, or NULL */
	const char *text;
};

/* clang-format off */
static const char shell[] =
"#!/bin/sh\n"
"# @NAME@: a tool for ikigai, in plain sh.\n"
"#\n"
"# Asked with --schema it says what it is.  A call is one JSON object on standard\n"
"# input and one JSON value on standard output; see ikigai-tools(7).\n"
"# Check it after a change:  ikigai tool validate @PATH@\n"
"\n"
"if [ \"$1\" = --schema ]; then\n"
"\t# The model decides by these words alone when and how to use the tool.\n"
"\tcat <<'SCHEMA'\n"
"{\n"
"  \"name\": \"@NAME@\",\n"
"  \"description\": \"Greet somebody, once or several times\",\n"
"  \"parameters\": {\n"
"    \"who\": {\n"
"      \"type\": \"string\",\n"
"      \"description\": \"Name of the one to greet\",\n"
"      \"required\": true\n"
"    },\n"
"    \"times\": {\n"
"      \"type\": \"integer\",\n"
"      \"description\": \"How often; once if left out\",\n"
"      \"minimum\": 1,\n"
"      \"maximum\": 10\n"
"    }\n"
"  },\n"
"  \"returns\": {\n"
"    \"output\": { \"type\": \"string\", \"description\": \"The greeting\" }\n"
"  },\n"
"  \"annotations\": { \"readOnly\": true }\n"
"}\n"
"SCHEMA\n"
"\texit\n"
"fi\n"
"\n"
"# Say what is wrong so that the model can do better: name the parameter and what\n"
"# is wanted.  The tool did its job all the same: exit status 0.\n"
"fail() {\n"
"\tprintf '{\"error\": \"%s\", \"error_code\": \"%s\"}\\n' \"$1\" \"$2\"\n"
"\texit 0\n"
"}\n"
"\n"
"# The arguments.  ikigai has checked them against the schema before it calls, but\n"
"# you can call the tool by hand, too.  Inside a JSON string there are no line feeds.\n"
"input=$(tr '\\n' ' ')\n"
"case $input in\n"
"*[!\\ ]*) ;;\n"
"*) fail 'nothing came on standard input; a JSON object is wanted' INVALID_ARG ;;\n"
"esac\n"
"printf '%s' \"$input\" | grep -q '^[[:space:]]*{.*}[[:space:]]*$' ||\n"
"\tfail 'standard input is no JSON object' INVALID_ARG\n"
"\n"
"# The text of a string member, escaped as JSON has it: ready to be put into the\n"
"# answer.  This does for flat objects; for more take jq, or another language.\n"
"string() {\n"
"\tprintf '%s' \"$input\" |\n"
"\t\tsed -En 's/.*\"'\"$1\"'\"[[:space:]]*:[[:space:]]*\"(([^\"\\\\]|\\\\.)*)\".*/\\1/p'\n"
"}\n"
"integer() {\n"
"\tprintf '%s' \"$input\" | sed -En 's/.*\"'\"$1\"'\"[[:space:]]*:[[:space:]]*([0-9]+).*/\\1/p'\n"
"}\n"
"\n"
"who=$(string who)\n"
"times=$(integer times)\n"
"[ -n \"$who\" ] || fail 'the parameter who is missing: the name of the one to greet' INVALID_ARG\n"
"\n"
"# A key that the tool needs is the tool's own business:\n"
"#   [ -n \"$GREETING_KEY\" ] ||\n"
"#       fail 'no key: get one at https://example.org and set GREETING_KEY' MISSING_CREDENTIALS\n"
"\n"
"# What goes to standard error is for the person who watches, not for the model.\n"
"echo \"greeting ${times:-1} times\" >&2\n"
"\n"
"output=\n"
"count=0\n"
"while [ \"$count\" -lt \"${times:-1}\" ]; do\n"
"\toutput=\"${output}Hello, $who! \"\n"
"\tcount=$((count + 1))\n"
"done\n"
"printf '{\"output\": \"%s\"}\\n' \"${output% }\"\n";

static const char python[] =
"#!/usr/bin/env python3\n"
"\"\"\"@NAME@: a tool for ikigai.\n"
"\n"
"Asked with --schema it says what it is.  A call is one JSON object on standard\n"
"input and one JSON value on standard output; see ikigai-tools(7).\n"
"Check it after a change:  ikigai tool validate @PATH@\n"
"\"\"\"\n"
"import json\n"
"import sys\n"
"\n"
"# The model decides by these words alone when and how to use the tool.\n"
"SCHEMA = {\n"
"    \"name\": \"@NAME@\",\n"
"    \"description\": \"Greet somebody, once or several times\",\n"
"    \"parameters\": {\n"
"        \"who\": {\n"
"            \"type\": \"string\",\n"
"            \"description\": \"Name of the one to greet\",\n"
"            \"required\": True,\n"
"        },\n"
"        \"times\": {\n"
"            \"type\": \"integer\",\n"
"            \"description\": \"How often; once if left out\",\n"
"            \"minimum\": 1,\n"
"            \"maximum\": 10,\n"
"        },\n"
"    },\n"
"    \"returns\": {\n"
"        \"output\": {\"type\": \"string\", \"description\": \"The greeting\"},\n"
"    },\n"
"    \"annotations\": {\"readOnly\": True},\n"
"}\n"
"\n"
"\n"
"def fail(message, code):\n"
"    \"\"\"What is wrong, so that the model can do better: name the parameter and what\n"
"    is wanted.  The tool did its job all the same: exit status 0.\"\"\"\n"
"    print(json.dumps({\"error\": message, \"error_code\": code}))\n"
"    sys.exit(0)\n"
"\n"
"\n"
"def main():\n"
"    # ikigai has checked the arguments against the schema before it calls, but you\n"
"    # can call the tool by hand, too.\n"
"    try:\n"
"        arguments = json.load(sys.stdin)\n"
"    except ValueError as error:\n"
"        fail(f\"standard input is no JSON: {error}\", \"INVALID_ARG\")\n"
"    if not isinstance(arguments, dict):\n"
"        fail(\"standard input is no JSON object\", \"INVALID_ARG\")\n"
"    who = arguments.get(\"who\")\n"
"    times = arguments.get(\"times\", 1)\n"
"    if not isinstance(who, str):\n"
"        fail(\"the parameter who is missing: the name of the one to greet\", \"INVALID_ARG\")\n"
"    if not isinstance(times, int) or not 1 <= times <= 10:\n"
"        fail(\"the parameter times has to be a whole number from 1 to 10\", \"INVALID_ARG\")\n"
"\n"
"    # A key that the tool needs is the tool's own business:\n"
"    #   if \"GREETING_KEY\" not in os.environ:\n"
"    #       fail(\"no key: get one at https://example.org and set GREETING_KEY\",\n"
"    #            \"MISSING_CREDENTIALS\")\n"
"\n"
"    # What goes to standard error is for the person who watches, not for the model.\n"
"    print(f\"greeting {times} times\", file=sys.stderr)\n"
"    print(json.dumps({\"output\": \" \".join([f\"Hello, {who}!\"] * times)}))\n"
"\n"
"\n"
"if sys.argv[1:] == [\"--schema\"]:\n"
"    print(json.dumps(SCHEMA, indent=2))\n"
"else:\n"
"    main()\n";

static const char c[] =
"/*\n"
" * @NAME@: a tool for ikigai, with the library cJSON.  Compile it with\n"
" *\n"
" *     cc -O2 -Wall -o @PATH@ @PATH@.c -lcjson\n"
" *\n"
" * Asked with --schema it says what it is.  A call is one JSON object on\n"
" * standard input and one JSON value on standard output; see ikigai-tools(7).\n"
" * Check it after a change:  ikigai tool validate @PATH@\n"
" */\n"
"#include <cjson/cJSON.h>\n"
"#include <stdio.h>\n"
"#include <stdlib.h>\n"
"#include <string.h>\n"
"\n"
"/* The model decides by these words alone when and how to use the tool. */\n"
"static const char schema[] =\n"
"\t\"{\\n\"\n"
"\t\"  \\\"name\\\": \\\"@NAME@\\\",\\n\"\n"
"\t\"  \\\"description\\\": \\\"Greet somebody, once or several times\\\",\\n\"\n"
"\t\"  \\\"parameters\\\": {\\n\"\n"
"\t\"    \\\"who\\\": {\\\"type\\\": \\\"string\\\", \\\"required\\\": true,\\n\"\n"
"\t\"      \\\"description\\\": \\\"Name of the one to greet\\\"},\\n\"\n"
"\t\"    \\\"times\\\": {\\\"type\\\": \\\"integer\\\", \\\"minimum\\\": 1, \\\"maximum\\\": 10,\\n\"\n"
"\t\"      \\\"description\\\": \\\"How often; once if left out\\\"}\\n\"\n"
"\t\"  },\\n\"\n"
"\t\"  \\\"returns\\\": {\\\"output\\\": {\\\"type\\\": \\\"string\\\",\\n\"\n"
"\t\"    \\\"description\\\": \\\"The greeting\\\"}},\\n\"\n"
"\t\"  \\\"annotations\\\": {\\\"readOnly\\\": true}\\n\"\n"
"\t\"}\\n\";\n"
"\n"
"/* Print an answer.  Whatever it says, the tool did its job: exit status 0. */\n"
"static int answer(cJSON *json)\n"
"{\n"
"\tchar *text = cJSON_PrintUnformatted(json);\n"
"\n"
"\tif (text == NULL || puts(text) == EOF || fflush(stdout) == EOF)\n"
"\t\treturn 1;\n"
"\treturn 0;\n"
"}\n"
"\n"
"/* Say what is wrong, so that the model can do better: name the parameter and\n"
" * what is wanted. */\n"
"static int fail(const char *message, const char *code)\n"
"{\n"
"\tcJSON *json = cJSON_CreateObject();\n"
"\n"
"\tcJSON_AddStringToObject(json, \"error\", message);\n"
"\tcJSON_AddStringToObject(json, \"error_code\", code);\n"
"\treturn answer(json);\n"
"}\n"
"\n"
"/* All of standard input as a string, or NULL. */\n"
"static char *read_input(void)\n"
"{\n"
"\tsize_t length = 0, size = 4096, count;\n"
"\tchar *text = malloc(size);\n"
"\n"
"\twhile (text != NULL && (count = fread(text + length, 1, size - length - 1, stdin)) > 0) {\n"
"\t\tlength += count;\n"
"\t\tif (length == size - 1)\n"
"\t\t\ttext = realloc(text, size *= 2);\n"
"\t}\n"
"\tif (text != NULL)\n"
"\t\ttext[length] = '\\0';\n"
"\treturn text;\n"
"}\n"
"\n"
"int main(int argc, char **argv)\n"
"{\n"
"\tchar *input, greeting[4096] = \"\";\n"
"\tconst cJSON *arguments, *who, *times;\n"
"\tcJSON *json;\n"
"\tint count;\n"
"\n"
"\tif (argc == 2 && strcmp(argv[1], \"--schema\") == 0)\n"
"\t\treturn fputs(schema, stdout) == EOF || fflush(stdout) == EOF;\n"
"\n"
"\t/* ikigai has checked the arguments against the schema before it calls, but\n"
"\t * you can call the tool by hand, too. */\n"
"\tinput = read_input();\n"
"\targuments = input != NULL ? cJSON_Parse(input) : NULL;\n"
"\tif (!cJSON_IsObject(arguments))\n"
"\t\treturn fail(\"standard input is no JSON object\", \"INVALID_ARG\");\n"
"\twho = cJSON_GetObjectItemCaseSensitive(arguments, \"who\");\n"
"\ttimes = cJSON_GetObjectItemCaseSensitive(arguments, \"times\");\n"
"\tif (!cJSON_IsString(who) || strlen(who->valuestring) > 200)\n"
"\t\treturn fail(\"the parameter who is missing or too long: the name of the one to greet\",\n"
"\t\t\t\"INVALID_ARG\");\n"
"\tif (times != NULL && (!cJSON_IsNumber(times) || times->valueint < 1 || times->valueint > 10))\n"
"\t\treturn fail(\"the parameter times has to be a whole number from 1 to 10\", \"INVALID_ARG\");\n"
"\n"
"\t/* A key that the tool needs is the tool's own business:\n"
"\t *\tif (getenv(\"GREETING_KEY\") == NULL)\n"
"\t *\t\treturn fail(\"no key: get one at https://example.org and set GREETING_KEY\",\n"
"\t *\t\t\t\"MISSING_CREDENTIALS\"); */\n"
"\n"
"\t/* What goes to standard error is for the person who watches, not for the model. */\n"
"\tcount = times != NULL ? times->valueint : 1;\n"
"\tfprintf(stderr, \"greeting %d times\\n\", count);\n"
"\twhile (count-- > 0)\n"
"\t\tsnprintf(greeting + strlen(greeting), sizeof greeting - strlen(greeting), \"Hello, %s!%s\",\n"
"\t\t\twho->valuestring, count > 0 ? \" \" : \"\");\n"
"\tjson = cJSON_CreateObject();\n"
"\tcJSON_AddStringToObject(json, \"output\", greeting);\n"
"\treturn answer(json);\n"
"}\n";

static const struct tool_template templates[] = {
	{"sh", "", NULL, shell},
	{"python", "", NULL, python},
	{"c", ".c", "cc -O2 -Wall -o @PATH@ @PATH@.c -lcjson", c},
};
/* clang-format on */
enum { TEMPLATES = sizeof(templates) / sizeof(templates[0]) };

/* Return the template for --lang, or the first one; NULL, with an error that lists all: there is
 * none. */
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

/* Append text with @NAME@ and @PATH@ replaced. */
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

/* Write a file that must not exist yet. */
static enum ik_status write_new(const char *path, const struct ik_buf *text, mode_t mode,
	struct ik_error *error)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), number = 0;

	if (fd < 0 && errno == EEXIST)
		return ik_error_set(error, IK_INVALID,
			_("%s is there already; take another name, or remove it first"), path);
	/* Regardless of the umask: a file that others could change would not be run. */
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

/* Say where the tool is and what to do next. Return the exit status. */
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

int ik_cli_tool_new(const struct ik_options *options, const struct ik_setup *setup)
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
			_("\"%s\" cannot be the name of a tool; a name has "
			  "1 to 64 letters (a to z, A to Z), digits, \"_\" and \"-\", and begins with a letter "
			  "or \"_\""),
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
