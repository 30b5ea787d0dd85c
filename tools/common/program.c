#include "tools/common/program.h"

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/input.h"

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

#include "json/write.h"

const struct ik_parameter_kind ik_parameter_kinds[] = {
	[IK_PARAMETER_STRING] = { "string", "a string" },
	[IK_PARAMETER_NAME] = { "string", "a string" },
	[IK_PARAMETER_COUNT] = { "integer", "an integer of at least 1" },
	[IK_PARAMETER_NUMBER] = { "integer", "an integer of at least 0" },
	[IK_PARAMETER_BOOLEAN] = { "boolean", "true or false" },
};

static void schema_print(const struct ik_program *program, struct ik_buf *out)
{
	ik_json_printf(out,
		"{'name':'%s','description':'%s','parameters':{'type':'object','properties':{",
		program->name, program->description);
	for (size_t i = 0; i < program->parameter_count; i++) {
		const struct ik_parameter *parameter = &program->parameters[i];

		ik_json_printf(out, "'%s':{'type':'%s','description':'%s'}", parameter->name,
			ik_parameter_kinds[parameter->type].schema, parameter->description);
	}
	ik_json_printf(out, "},'required':[");
	for (size_t i = 0; i < program->parameter_count; i++)
		if (program->parameters[i].required)
			ik_json_printf(out, "'%s'", program->parameters[i].name);
	ik_json_printf(out, "]}");
	if (program->read_only || program->writes) {
		ik_json_printf(out, "'annotations':{");
		if (program->read_only)
			ik_json_printf(out, "'readOnly':true");
		if (program->writes)
			ik_json_printf(out, "'writes':['%s']", program->writes);
		ik_json_printf(out, "}");
	}
	ik_json_printf(out, "'display':{");
	for (size_t i = 0; program->display[i][0]; i++)
		ik_json_printf(out, "'%s':'%s'", program->display[i][0], program->display[i][1]);
	ik_json_printf(out, "}}");
	ik_buf_putc(out, '\n');
}

/* Return the directory of the translations (new memory): beside the tools in a build tree, else
 * below the root where they are installed. */
static char *translations(void)
{
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	while (length > 0 && own[--length] != '/')
		;
	own[length > 0 ? length : 0] = '\0';
	if (ik_text_ends(own, "/libexec"))
		return ik_format("%s/../locale", own);
	if (!ik_text_ends(own, IK_PKGLIBEXECDIR))
		return ik_strdup(IK_LOCALEDIR);
	own[strlen(own) - strlen(IK_PKGLIBEXECDIR)] = '\0';
	return ik_format("%s%s", own, IK_LOCALEDIR);
}

/* Switch to the user's language; answers to calls are not translated. */
static void speak(void)
{
	char *directory = translations();

	setlocale(LC_CTYPE, "");
	setlocale(LC_MESSAGES, "");
	bindtextdomain(PACKAGE, directory);
	textdomain(PACKAGE);
	free(directory);
}

/* Append what --help prints; what the model reads, too, is not translated. */
static void help_print(const struct ik_program *program, struct ik_buf *out)
{
	ik_buf_printf(out, _("Usage: %s < INPUT\n"), program->binary);
	ik_buf_printf(out, "%s\n\n%s\n\n%s\n", program->description,
		_("Reads one JSON object from standard input and prints one."), _("Members of the input:"));
	for (size_t i = 0; i < program->parameter_count; i++) {
		const struct ik_parameter *parameter = &program->parameters[i];

		/* Translators: a parameter's name, its type in JSON Schema, what it is for. */
		ik_buf_printf(out,
			parameter->required ? _("  %-12s %s, required: %s\n") : "  %-12s %s: %s\n",
			parameter->name, ik_parameter_kinds[parameter->type].schema, parameter->description);
	}
	ik_buf_printf(out,
		_("\nOptions:\n"
		  "      --schema   print what this tool does and takes, as JSON\n"
		  "      --help     print this text\n"
		  "      --version  print the version\n"
		  "\nExample:\n  echo '%s' | %s\n"),
		program->example, program->binary);
}

/* Print, and return the exit status. */
static int print_and_exit(struct ik_buf *out)
{
	int number = ik_buf_status(out) == IK_OK ? ik_write_all(STDOUT_FILENO, out->data, out->length)
											 : ENOMEM;

	ik_buf_done(out);
	if (number != 0)
		fprintf(stderr, _("cannot write to standard output: %s\n"), strerror(number));
	return number == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_option(const struct ik_program *program, const char *option)
{
	struct ik_buf out;

	speak();
	ik_buf_init(&out, IK_KIB(64));
	if (ik_text_equal(option, "--schema")) {
		schema_print(program, &out);
	} else if (ik_text_equal(option, "--help")) {
		help_print(program, &out);
	} else if (ik_text_equal(option, "--version")) {
		ik_buf_printf(&out, "%s (%s) %s\n", program->binary, PACKAGE_NAME, PACKAGE_VERSION);
	} else {
		fprintf(stderr, _("%s: unexpected argument '%s': the input goes to standard input\n"),
			program->binary, option);
		fprintf(stderr, _("Try '%s --help'.\n"), program->binary);
		return 2;
	}
	return print_and_exit(&out);
}

/*
 * Occupy the standard descriptors, so that no file that the tool opens becomes one of them and gets
 * the answer. False: stdout was closed.
 */
static bool descriptors_secure(void)
{
	bool stdout_open = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return stdout_open && fd >= 0;
}

/* The current answer, for when memory runs out. */
static struct ik_tool_answer the_answer;
static pid_t answering;

/* Answer OUT_OF_MEMORY, if no part of the answer has been written. */
static void answer_out_of_memory(void)
{
	static const char message[] = "out of memory\n";

	if (getpid() == answering && ik_answer_out_of_memory(&the_answer))
		_exit(EXIT_SUCCESS);
	(void)!ik_write_all(STDERR_FILENO, message, sizeof(message) - 1);
}

/* Read, check, run, answer. */
static void answer_call(const struct ik_program *program, struct ik_tool_answer *answer)
{
	struct ik_argument arguments[IK_PARAMETERS_MAX] = { { 0 } };
	struct ik_error error;
	struct ik_buf input;

	enum ik_status status = ik_input_read(STDIN_FILENO, &input, &error);

	if (status != IK_OK) {
		ik_buf_done(&input);
		ik_answer_error(answer, status == IK_NO_MEMORY ? "OUT_OF_MEMORY" : "INVALID_ARG", NULL,
			"%s", error.text);
		return;
	}
	bool usable = ik_input_parse(program, &input, arguments, answer);
	ik_buf_done(&input);
	if (usable)
		program->run(arguments, answer);
	ik_input_free(program, arguments);
}

int ik_program_main(const struct ik_program *program, int argc, char **argv)
{
	/* Report failed writes, whatever the parent has set. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (!descriptors_secure()) {
		speak();
		fprintf(stderr, _("%s: standard output is closed\n"), program->binary);
		return EXIT_FAILURE;
	}
	if (argc > 1)
		return run_option(program, argv[1]);
	ik_answer_init(&the_answer, STDOUT_FILENO);
	answering = getpid();
	ik_alloc_set_hook(answer_out_of_memory);
	answer_call(program, &the_answer);
	if (ik_answer_end(&the_answer))
		return EXIT_SUCCESS;
	if (the_answer.write_error != 0) {
		speak();
		fprintf(stderr, _("cannot write the answer: %s\n"), strerror(the_answer.write_error));
	}
	return EXIT_FAILURE;
}
