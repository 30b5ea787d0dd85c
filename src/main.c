/* main: read the command line, then hand over to the verb it names. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "acp/server.h"
#include "chat/chat.h"
#include "cli/cli.h"
#include "core/options.h"
#include "core/places.h"
#include "core/print.h"
#include "core/setup.h"
#include "loop/killer.h"
#include "mcp/serve.h"
#include "tool/run.h"
#include "util/environment.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/redact.h"
#include "util/text.h"

/* Is it one of the chat's commands? Custom commands leave it its name, for other front ends, too. */
static bool is_command(const char *name)
{
	return ik_action_of_command(ik_chat_actions(), name);
}

/* Serve an editor, whose commands are those of the chat that need no screen. */
static int run_acp(const struct ik_options *options, struct ik_setup *setup)
{
	return ik_acp_serve(options, setup, ik_chat_actions(), is_command);
}

/* What the verbs run; those of session have a table of their own. */
static ik_cli_verb *const runs[IK_VERB_HELP] = {
	[IK_VERB_CHAT] = ik_chat_run,
	[IK_VERB_EXEC] = ik_exec,
	[IK_VERB_TOOL_LIST] = ik_cli_tool,
	[IK_VERB_TOOL_SHOW] = ik_cli_tool,
	[IK_VERB_TOOL_RUN] = ik_cli_tool,
	[IK_VERB_TOOL_VALIDATE] = ik_cli_validate,
	[IK_VERB_TOOL_NEW] = ik_cli_tool_new,
	[IK_VERB_TOOL_TRUST] = ik_cli_trust,
	[IK_VERB_MODEL_LIST] = ik_cli_model,
	[IK_VERB_MODEL_SHOW] = ik_cli_model,
	[IK_VERB_CONFIG] = ik_cli_config,
	[IK_VERB_CONFIG_SET] = ik_cli_config_set,
	[IK_VERB_DOCTOR] = ik_doctor,
	[IK_VERB_HOOK_LIST] = ik_cli_hook,
	[IK_VERB_MCP_SERVE] = ik_mcp_serve,
	[IK_VERB_MCP_LIST] = ik_cli_mcp,
	[IK_VERB_MCP_ADD] = ik_cli_mcp,
	[IK_VERB_MCP_REMOVE] = ik_cli_mcp,
	[IK_VERB_MCP_TEST] = ik_cli_mcp,
	[IK_VERB_ACP] = run_acp,
};

/* Run a verb that needs the configuration; return the exit status. */
static int run_verb(const struct ik_options *options)
{
	struct ik_setup setup;
	struct ik_error error;
	int status;

	if (ik_setup_read(options, &setup, &error) != IK_OK) {
		ik_complain(error.text);
		if (options->verb == IK_VERB_EXEC)
			ik_exec_refuse(options, error.text);
		ik_setup_done(&setup);
		return 2;
	}
	ik_custom_commands_leave(setup.custom_commands, is_command);
	status = (runs[options->verb] ? runs[options->verb] : ik_cli_session)(options, &setup);
	ik_setup_done(&setup);
	ik_log_close();
	return status;
}

/* If a standard descriptor was closed at start, the next file that is opened would get its number,
 * and printed text would end up in that file. Occupy it with a descriptor that refuses reads and
 * writes. */
static void hold_standard_descriptors(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/* A core file would contain the keys, and lie in the project. */
static void forbid_core_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CORE, &limit) == 0) {
		limit.rlim_cur = 0;
		(void)setrlimit(RLIMIT_CORE, &limit);
	}
}

int main(int argc, char **argv)
{
	struct ik_options options;
	struct ik_error error;
	char *translations;
	int status = 0;

	ik_environment_hide();
	forbid_core_files();
	hold_standard_descriptors();
#ifdef M_MMAP_THRESHOLD
	/* Large texts go back to the system when they are freed: glibc would take the next ones from
	 * the heap, where anything that comes after them keeps their memory. */
	(void)mallopt(M_MMAP_THRESHOLD, (int)IK_MIB(1));
#endif
	/* Started by this program itself. */
	if (argc == 5 && ik_text_equal(argv[1], IK_KILLER_OPTION))
		return ik_killer_run(argv + 2);
	/* Only for characters and the language: numbers in JSON must not depend on the locale. */
	(void)setlocale(LC_CTYPE, "");
	(void)setlocale(LC_MESSAGES, "");
	translations = ik_places_installed("locale", IK_LOCALEDIR);
	(void)bindtextdomain(PACKAGE, translations);
	free(translations);
	(void)textdomain(PACKAGE);
	/* Started by a shell, with the words to complete. */
	if (argc > 3 && ik_text_equal(argv[1], "--complete"))
		return ik_cli_complete(argc - 2, argv + 2);
	/* A failed write is reported as an error instead of ending the program. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	if (ik_options_read(argc, argv, &options, &error) != IK_OK) {
		ik_complain(error.text);
		return 2;
	}
	if (options.verb == IK_VERB_HELP)
		(void)fputs(options.help_text, stdout);
	else if (options.verb == IK_VERB_VERSION)
		(void)printf("%s %s\n", PACKAGE, PACKAGE_VERSION);
	else
		status = run_verb(&options);
	ik_secrets_forget();
	if (fflush(stdout) != 0) {
		(void)fprintf(stderr, _("ikigai: cannot write: %s\n"), strerror(errno));
		status = status == 0 ? 1 : status;
	}
	return status;
}
