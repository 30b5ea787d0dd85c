#include "core/options.h"

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/limits.h"
#include "util/redact.h"
#include "util/shell_word.h"
#include "util/text.h"

static const char chat_help[] =
	N_("Usage: ikigai [OPTIONS] [MESSAGE]\n"
	   "       ikigai exec [OPTIONS] [PROMPT] [-]\n"
	   "       ikigai tool list|show|run|validate|new|trust ...\n"
	   "       ikigai session list|show|export|import|search|delete|backup|recover ...\n"
	   "       ikigai model list|show ...\n"
	   "       ikigai hook list\n"
	   "       ikigai mcp serve|list|add|remove|test ...\n"
	   "       ikigai acp [OPTIONS]\n"
	   "       ikigai config [--json]\n"
	   "       ikigai doctor [--json]\n"
	   "\n"
	   "A full-screen chat with a language model that acts through tools; every tool\n"
	   "is an ordinary executable.  Without a configured provider the chat opens on\n"
	   "the built-in practice model.  MESSAGE is sent first, as if you had typed it.\n"
	   "\n"
	   "  -C DIR                 work in DIR\n"
	   "      --config FILE      read FILE instead of ~/.ikigai/config.json\n"
	   "  -p, --provider NAME    openai, anthropic, google, practice, or one from the\n"
	   "                         configuration\n"
	   "  -m, --model NAME       the model to talk to\n"
	   "      --base-url URL     an OpenAI-compatible server, up to and with /v1\n"
	   "  -s, --system-prompt FILE\n"
	   "                         the system prompt is in FILE\n"
	   "      --database URI     where sessions are kept (a path, or postgresql://...)\n"
	   "      --resume[=ID], --continue[=ID]\n"
	   "                         resume the newest session of this directory, or ID\n"
	   "      --no-tools         offer no tools to the model\n"
	   "      --screen-reader    plain lines that follow each other, no full screen\n"
	   "      --trust-project    run the tools of this directory, and read its\n"
	   "                         .ikigai/config.json, this time without asking\n"
	   "      --sandbox MODE     where tools may write: off (wherever you may), project,\n"
	   "                         read-only; the kernel holds it\n"
	   "      --max-tool-turns N stop after N rounds with tool calls (50)\n"
	   "  -h, --help; --version\n"
	   "\n"
	   "Example: ikigai -p openai -m gpt-5.6-terra\n"
	   "In the chat, /help lists its commands and names the key that shows all keys.\n"
	   "See also ikigai(1).\n");

static const char exec_help[] =
	N_("Usage: ikigai exec [OPTIONS] [PROMPT] [-]\n"
	   "\n"
	   "One turn without a terminal: the reply on standard output, everything else on\n"
	   "standard error.  What is piped or redirected into ikigai is appended to PROMPT;\n"
	   "without PROMPT it is the prompt.  With PROMPT, ikigai does not wait for a pipe\n"
	   "that is silent for a second, and leaves a file alone that a shell is reading;\n"
	   "- reads them to their end.  @FILE in PROMPT attaches FILE.\n"
	   "\n"
	   "      --json             one JSON object a line for all that happens\n"
	   "      --yes              allow what would be asked for\n"
	   "      --wait             with --resume: wait while the session is open elsewhere\n"
	   "      --require-store    fail unless the database has everything at the end\n"
	   "      --output-schema FILE\n"
	   "                         reply in JSON that satisfies the JSON Schema in FILE\n"
	   "and the options of ikigai itself (ikigai --help).\n"
	   "\n"
	   "Exit status: 0 the reply is complete; 1 it failed; 2 wrong usage or\n"
	   "configuration; 74 --require-store, and something is not in the database;\n"
	   "75 the session is open elsewhere; 130 interrupted.\n"
	   "\n"
	   "Example: git diff | ikigai exec \"review this\"\n");

static const char tool_help[] =
	N_("Usage: ikigai tool list [--json] [--all] [--for PROGRAM]\n"
	   "       ikigai tool show NAME [--json] [--for PROVIDER]\n"
	   "       ikigai tool run NAME [JSON | -] [--json]\n"
	   "       ikigai tool validate PATH...\n"
	   "       ikigai tool new NAME [--lang sh|python|c] [--project]\n"
	   "       ikigai tool trust [--revoke] [DIR]\n"
	   "\n"
	   "  list      the tools that a model is offered; with --all also those that\n"
	   "            failed or are shadowed, disabled or untrusted, and why; with --for\n"
	   "            as JSON for gemini-cli, llm-functions, or a provider as below\n"
	   "  show      one tool with its parameters; with --for the object by which that\n"
	   "            provider (openai, anthropic, google, a configured one) is told of it\n"
	   "  run       call one tool and print the envelope that a model would get, with\n"
	   "            --json on one line; exit status 1 if it failed\n"
	   "  validate  run executables and say in words all that is wrong with them as\n"
	   "            tools, and what a model would see; exit status 1 if anything is\n"
	   "  new       write a working tool to begin with, in sh, python or C, among your\n"
	   "            tools or, with --project, those of this directory\n"
	   "  trust     trust the tools and the configuration of this directory, or DIR, as\n"
	   "            they are now; with --revoke no more\n"
	   "\n"
	   "--sandbox MODE runs tools as ikigai --help says.\n"
	   "\n"
	   "Example: ikigai tool run glob '{\"pattern\": \"*.c\"}'\n"
	   "See also ikigai-tool(1) and ikigai-tools(7).\n");

static const char session_help[] =
	N_("Usage: ikigai session list [--limit N] [--json] [--everybody]\n"
	   "       ikigai session show ID [--json]\n"
	   "       ikigai session export ID|--all [--format jsonl|markdown]\n"
	   "       ikigai session import FILE|DIRECTORY\n"
	   "       ikigai session search WORD... [--json] [--all] [--everybody]\n"
	   "       ikigai session delete ID [--yes]\n"
	   "       ikigai session delete --older-than DAYS [--dry-run] [--yes] [--everybody]\n"
	   "       ikigai session backup FILE\n"
	   "       ikigai session recover\n"
	   "\n"
	   "ID is the beginning of an id, a number of the list (1 is the newest), or words of\n"
	   "a title that only one session has.\n"
	   "\n"
	   "  list    all sessions, newest first: number, id, age, messages, directory, title;\n"
	   "          on a terminal the newest 100, with --limit N the newest N (0: all)\n"
	   "  show    one session for people\n"
	   "  export  one session, or all, on standard output: one JSON object a line for each\n"
	   "          event, which import takes, or Markdown\n"
	   "  import  take in what export wrote; what is there already stays as it is\n"
	   "  search  the places of all sessions that have all of the words, newest first: \"two\n"
	   "          words\" in a row in quotation marks of their own, begin* for words that\n"
	   "          begin so; with --all more than the first 200\n"
	   "  delete  delete a session for good, after asking; with --yes without\n"
	   "  backup  copy the database, as it is now, to a new FILE (SQLite)\n"
	   "  recover check the database, and save what can be read if it is damaged (SQLite)\n"
	   "\n"
	   "With --json list, show and search print one JSON object a line.\n"
	   "On a server you see your own sessions, with --everybody those of others too.\n"
	   "\n"
	   "Example: ikigai session export 1 --format markdown > talk.md\n"
	   "See also ikigai-session(1).\n");

static const char model_help[] =
	N_("Usage: ikigai model list [-p PROVIDER] [--json]\n"
	   "       ikigai model show [NAME] [-p PROVIDER] [--json]\n"
	   "\n"
	   "  list  the models that the provider offers: context window, longest output,\n"
	   "        levels of thinking, price of a million tokens in and out, and when a\n"
	   "        model is switched off, as far as these are known\n"
	   "  show  what is known about a model, or about the one that is used without -m\n"
	   "\n"
	   "~/.ikigai/models.json adds to what is known, or corrects it.\n"
	   "\n"
	   "Example: ikigai model list -p anthropic\n"
	   "See also ikigai(1).\n");

static const char hook_help[] =
	N_("Usage: ikigai hook list\n"
	   "\n"
	   "The hooks that are run when something happens, in the order in which they count:\n"
	   "event, tools (a regular expression), file, command; and which of a project's do\n"
	   "not run, since you don't trust them: ikigai tool trust.\n"
	   "\n"
	   "Example: ikigai hook list | grep PreToolUse\n"
	   "See also ikigai-hooks(7).\n");

static const char mcp_help[] =
	N_("Usage: ikigai mcp list [--json]\n"
	   "       ikigai mcp add NAME [--env K=V] [--project] -- COMMAND [ARGUMENT...]\n"
	   "       ikigai mcp add NAME [--header K=V] [--project] --url URL\n"
	   "       ikigai mcp remove NAME [--project]\n"
	   "       ikigai mcp test NAME\n"
	   "       ikigai mcp serve [--http ADDRESS:PORT] [--tools GLOB,...] [--yes]\n"
	   "\n"
	   "Servers of the Model Context Protocol, whose tools ikigai uses:\n"
	   "\n"
	   "  list    those of ~/.ikigai/mcp.json and of this directory's .mcp.json, with\n"
	   "          what is known of them; none is started\n"
	   "  add     add one to ~/.ikigai/mcp.json or, with --project, to .mcp.json: the\n"
	   "          command that starts it, or its address\n"
	   "  remove  remove one from there\n"
	   "  test    start or reach one, and list its tools; \"reads\" marks those that say\n"
	   "          that they change nothing\n"
	   "  serve   offer the tools of this directory to other programs, as such a server\n"
	   "          on standard input and output.  It ends when its input does.  Policy,\n"
	   "          trust and sandbox hold as in the chat\n"
	   "\n"
	   "      --url URL          the address of a server that speaks HTTP\n"
	   "      --header K=V       a header for it, such as\n"
	   "                         Authorization='Bearer ${TOKEN}'; may be given several\n"
	   "                         times\n"
	   "      --env K=V          a variable for the command; may be given several times\n"
	   "      --project          in this directory's file\n"
	   "      --http ADDRESS:PORT\n"
	   "                         serve HTTP on this machine, and print what clients need\n"
	   "      --tools GLOB,...   offer only tools with such names\n"
	   "      --yes              allow what would be asked for; otherwise it is denied\n"
	   "and -C, --sandbox and --trust-project (ikigai --help).\n"
	   "\n"
	   "Example: ikigai mcp add memory -- npx @modelcontextprotocol/server-memory\n"
	   "Example: claude mcp add ikigai -- ikigai mcp serve --tools 'file_*,grep'\n"
	   "See also ikigai-mcp(1).\n");

static const char acp_help[] =
	N_("Usage: ikigai acp [OPTIONS]\n"
	   "\n"
	   "Be the agent of an editor: the Agent Client Protocol on standard input and\n"
	   "output.  The editor starts this, opens sessions in its own directories, shows\n"
	   "what happens in them, and asks you where the policy says to ask.  The sessions\n"
	   "are those of the chat: ikigai --resume=ID goes on with one.\n"
	   "\n"
	   "The options are those of ikigai itself (ikigai --help).\n"
	   "\n"
	   "Example: {\"command\": \"ikigai\", \"args\": [\"acp\"]} in an editor's configuration\n"
	   "See also ikigai-acp(1).\n");

static const char config_help[] =
	N_("Usage: ikigai config [--json]\n"
	   "       ikigai config set KEY VALUE\n"
	   "\n"
	   "The effective configuration, each value with where it came from.  set writes one\n"
	   "value into ~/.ikigai/config.json, of which nothing else changes.\n"
	   "\n"
	   "Example: ikigai config set ui.theme light\n");

static const char doctor_help[] =
	N_("Usage: ikigai doctor [--json]\n"
	   "\n"
	   "Checks terminal, locale, directories, configuration, database, tools, and every\n"
	   "provider that is configured or has a key (it is asked for its models): one line\n"
	   "a check, with what to do where something is wrong.  The exit status is 1 then.\n"
	   "With --json each line is an object of check, state and message.\n"
	   "\n"
	   "Example: ikigai doctor | grep -v ^ok\n");

struct verb {
	const char *word, *second_word;
	enum ik_verb verb;
	const char *help;
	int least, most;         /* operands */
	enum ik_operand operand; /* what they are */
	const char *wants;       /* the error for too few operands */
};

#define WANTS_SESSION N_("needs the id or the number of a session; ikigai session list shows them")
#define WANTS_SERVER N_("needs the name of a server; ikigai mcp list shows them")
#define WANTS_TOOL N_("needs the name of a tool; ikigai tool list shows them")

static const struct verb verbs[] = {
	{ NULL, NULL, IK_VERB_CHAT, chat_help, 0, 1, IK_OPERAND_TEXT, NULL },
	{ "exec", NULL, IK_VERB_EXEC, exec_help, 0, 2, IK_OPERAND_TEXT, NULL },
	{ "tool", "list", IK_VERB_TOOL_LIST, tool_help, 0, 0, IK_OPERAND_TEXT, NULL },
	{ "tool", "show", IK_VERB_TOOL_SHOW, tool_help, 1, 1, IK_OPERAND_TOOL, WANTS_TOOL },
	{ "tool", "run", IK_VERB_TOOL_RUN, tool_help, 1, 2, IK_OPERAND_TOOL, WANTS_TOOL },
	{ "tool", "validate", IK_VERB_TOOL_VALIDATE, tool_help, 1, INT_MAX, IK_OPERAND_FILE,
		N_("needs the path of an executable, or several") },
	{ "tool", "new", IK_VERB_TOOL_NEW, tool_help, 1, 1, IK_OPERAND_TEXT,
		N_("needs a name for the tool, such as: ikigai tool new weather") },
	{ "tool", "trust", IK_VERB_TOOL_TRUST, tool_help, 0, 1, IK_OPERAND_DIRECTORY, NULL },
	{ "session", "list", IK_VERB_SESSION_LIST, session_help, 0, 0, IK_OPERAND_TEXT, NULL },
	{ "session", "show", IK_VERB_SESSION_SHOW, session_help, 1, 1, IK_OPERAND_SESSION,
		WANTS_SESSION },
	{ "session", "export", IK_VERB_SESSION_EXPORT, session_help, 0, 1, IK_OPERAND_SESSION, NULL },
	{ "session", "import", IK_VERB_SESSION_IMPORT, session_help, 1, 1, IK_OPERAND_FILE,
		N_("needs a file that ikigai session export wrote") },
	{ "session", "search", IK_VERB_SESSION_SEARCH, session_help, 1, 1000, IK_OPERAND_TEXT,
		N_("needs the words to look for") },
	{ "session", "delete", IK_VERB_SESSION_DELETE, session_help, 0, 1, IK_OPERAND_SESSION,
		WANTS_SESSION },
	{ "session", "backup", IK_VERB_SESSION_BACKUP, session_help, 1, 1, IK_OPERAND_FILE,
		N_("needs the name of a new file") },
	{ "session", "recover", IK_VERB_SESSION_RECOVER, session_help, 0, 0, IK_OPERAND_TEXT, NULL },
	{ "config", "set", IK_VERB_CONFIG_SET, config_help, 2, 2, IK_OPERAND_KEY,
		N_("needs a key and a value, such as: ikigai config set ui.theme light") },
	{ "model", "list", IK_VERB_MODEL_LIST, model_help, 0, 0, IK_OPERAND_TEXT, NULL },
	{ "model", "show", IK_VERB_MODEL_SHOW, model_help, 0, 1, IK_OPERAND_MODEL, NULL },
	{ "hook", "list", IK_VERB_HOOK_LIST, hook_help, 0, 0, IK_OPERAND_TEXT, NULL },
	{ "mcp", "serve", IK_VERB_MCP_SERVE, mcp_help, 0, 0, IK_OPERAND_TEXT, NULL },
	{ "mcp", "list", IK_VERB_MCP_LIST, mcp_help, 0, 0, IK_OPERAND_TEXT, NULL },
	{ "mcp", "add", IK_VERB_MCP_ADD, mcp_help, 1, INT_MAX, IK_OPERAND_TEXT,
		N_("needs a name for the server, and what starts it; see its --help") },
	{ "mcp", "remove", IK_VERB_MCP_REMOVE, mcp_help, 1, 1, IK_OPERAND_SERVER, WANTS_SERVER },
	{ "mcp", "test", IK_VERB_MCP_TEST, mcp_help, 1, 1, IK_OPERAND_SERVER, WANTS_SERVER },
	{ "acp", NULL, IK_VERB_ACP, acp_help, 0, 0, IK_OPERAND_TEXT, NULL },
	{ "config", NULL, IK_VERB_CONFIG, config_help, 0, 0, IK_OPERAND_TEXT, NULL },
	{ "doctor", NULL, IK_VERB_DOCTOR, doctor_help, 0, 0, IK_OPERAND_TEXT, NULL },
};
enum { VERBS = sizeof(verbs) / sizeof(verbs[0]) };

/* The kind of value that an option takes, which decides how it is stored. */
enum takes {
	NOTHING, /* true */
	VALUE,   /* a text */
	ADDRESS, /* a text that may contain a password */
	MANY,    /* a text, several times: added to a NULL-terminated array */
	ID,      /* a text, or "" without a value */
	YES_NO   /* true or false; without a value, true */
};

#define VERB(name) (1u << IK_VERB_##name)
#define PRINTS_JSON \
	(VERB(EXEC) | VERB(TOOL_LIST) | VERB(TOOL_SHOW) | VERB(TOOL_RUN) | VERB(SESSION_LIST) | \
		VERB(SESSION_SHOW) | VERB(SESSION_SEARCH) | VERB(MODEL_LIST) | VERB(MODEL_SHOW) | \
		VERB(CONFIG) | VERB(DOCTOR) | VERB(MCP_LIST))
#define FINDS_SESSIONS \
	(VERB(SESSION_LIST) | VERB(SESSION_SHOW) | VERB(SESSION_EXPORT) | VERB(SESSION_SEARCH) | \
		VERB(SESSION_DELETE))

#define AT(member) offsetof(struct ik_options, member)

static const struct option_row {
	const char *name; /* or NULL */
	char letter;      /* or 0 */
	enum takes takes;
	size_t place;          /* offset in struct ik_options */
	unsigned verbs;        /* verbs that accept it; 0: all */
	enum ik_operand value; /* what its value is */
} rows[] = {
	{ NULL, 'C', VALUE, AT(directory), 0, IK_OPERAND_DIRECTORY },
	{ "--config", 0, VALUE, AT(config_file), 0, IK_OPERAND_FILE },
	{ "--database", 0, ADDRESS, AT(database), 0, IK_OPERAND_FILE },
	{ "--provider", 'p', VALUE, AT(provider), 0, IK_OPERAND_PROVIDER },
	{ "--model", 'm', VALUE, AT(model), 0, IK_OPERAND_MODEL },
	{ "--base-url", 0, ADDRESS, AT(base_url), 0, IK_OPERAND_TEXT },
	{ "--system-prompt", 's', VALUE, AT(system_prompt), 0, IK_OPERAND_FILE },
	{ "--resume", 0, ID, AT(resume_id), 0, IK_OPERAND_SESSION },
	{ "--continue", 0, ID, AT(resume_id), 0, IK_OPERAND_SESSION },
	{ "--no-tools", 0, NOTHING, AT(no_tools), 0, IK_OPERAND_TEXT },
	{ "--screen-reader", 0, NOTHING, AT(screen_reader), 0, IK_OPERAND_TEXT },
	{ "--trust-project", 0, YES_NO, AT(trust_project), 0, IK_OPERAND_YES_NO },
	{ "--sandbox", 0, VALUE, AT(sandbox), 0, IK_OPERAND_SANDBOX },
	{ "--max-tool-turns", 0, VALUE, AT(max_tool_turns), 0, IK_OPERAND_TEXT },
	{ "--json", 0, NOTHING, AT(json), PRINTS_JSON, IK_OPERAND_TEXT },
	{ "--yes", 0, NOTHING, AT(yes), VERB(EXEC) | VERB(SESSION_DELETE) | VERB(MCP_SERVE),
		IK_OPERAND_TEXT },
	{ "--all", 0, NOTHING, AT(all), VERB(TOOL_LIST) | VERB(SESSION_SEARCH) | VERB(SESSION_EXPORT),
		IK_OPERAND_TEXT },
	{ "--for", 0, VALUE, AT(for_provider), VERB(TOOL_LIST) | VERB(TOOL_SHOW), IK_OPERAND_PROVIDER },
	{ "--lang", 0, VALUE, AT(language), VERB(TOOL_NEW), IK_OPERAND_LANGUAGE },
	{ "--project", 0, NOTHING, AT(project), VERB(TOOL_NEW) | VERB(MCP_ADD) | VERB(MCP_REMOVE),
		IK_OPERAND_TEXT },
	{ "--revoke", 0, NOTHING, AT(revoke), VERB(TOOL_TRUST), IK_OPERAND_TEXT },
	{ "--http", 0, VALUE, AT(http), VERB(MCP_SERVE), IK_OPERAND_TEXT },
	{ "--tools", 0, VALUE, AT(tools), VERB(MCP_SERVE), IK_OPERAND_TOOL },
	{ "--url", 0, ADDRESS, AT(url), VERB(MCP_ADD), IK_OPERAND_TEXT },
	{ "--header", 0, MANY, AT(headers), VERB(MCP_ADD), IK_OPERAND_TEXT },
	{ "--env", 0, MANY, AT(variables), VERB(MCP_ADD), IK_OPERAND_TEXT },
	{ "--format", 0, VALUE, AT(format), VERB(SESSION_EXPORT), IK_OPERAND_FORMAT },
	{ "--wait", 0, NOTHING, AT(wait), VERB(EXEC), IK_OPERAND_TEXT },
	{ "--require-store", 0, NOTHING, AT(require_store), VERB(EXEC), IK_OPERAND_TEXT },
	{ "--output-schema", 0, VALUE, AT(output_schema), VERB(EXEC), IK_OPERAND_FILE },
	{ "--older-than", 0, VALUE, AT(older_than), VERB(SESSION_DELETE), IK_OPERAND_TEXT },
	{ "--dry-run", 0, NOTHING, AT(dry_run), VERB(SESSION_DELETE), IK_OPERAND_TEXT },
	{ "--limit", 0, VALUE, AT(limit), VERB(SESSION_LIST), IK_OPERAND_TEXT },
	{ "--everybody", 0, NOTHING, AT(everybody), FINDS_SESSIONS, IK_OPERAND_TEXT },
	{ "--help", 'h', NOTHING, AT(help), 0, IK_OPERAND_TEXT },
	{ "--version", 0, NOTHING, AT(version), 0, IK_OPERAND_TEXT },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]), LONG = 256 };

/* Return the first verb with this word, or NULL. */
static const struct verb *find_word(const char *word)
{
	for (size_t i = 1; i < VERBS; i++)
		if (ik_text_equal(word, verbs[i].word))
			return &verbs[i];
	return NULL;
}

/* Fail because the second word is missing (NULL) or does not name a verb. */
static void refuse_word(const char *first, const char *word, struct ik_error *error)
{
	struct ik_buf all;

	ik_buf_init(&all, IK_KIB(1));
	for (const struct verb *verb = verbs; verb < verbs + VERBS; verb++)
		if (verb->second_word && ik_text_equal(verb->word, first))
			ik_buf_printf(&all, "%s%s", all.length > 0 ? ", " : "", verb->second_word);
	if (!word)
		(void)ik_error_set(error, IK_INVALID, _("\"%s\" needs a word more: %s"), first, all.data);
	else
		(void)ik_error_set(error, IK_INVALID, _("\"%s %s\" is no command; there are: %s"), first,
			word, all.data);
	ik_buf_done(&all);
}

/* Find the verb that the first *ret_used operands name. */
static const struct verb *find_verb(char **operands, int count, int *ret_used,
	struct ik_error *error)
{
	const char *words[VERBS], *near;
	size_t word_count = 0;

	*ret_used = 0;
	if (count == 0)
		return &verbs[0];
	for (size_t i = 1; i < VERBS; i++) {
		const char *second = verbs[i].second_word;

		words[word_count++] = verbs[i].word;
		if (!ik_text_equal(operands[0], verbs[i].word) ||
			(second && (count == 1 || !ik_text_equal(operands[1], second))))
			continue;
		*ret_used = second ? 2 : 1;
		return &verbs[i];
	}
	if (find_word(operands[0])) {
		refuse_word(operands[0], count > 1 ? operands[1] : NULL, error);
		return NULL;
	}
	near = ik_text_nearest(operands[0], words, word_count);
	if (!near)
		return &verbs[0]; /* the first message */
	(void)ik_error_set(error, IK_INVALID, _("\"%s\" is no command; did you mean \"%s\"?"),
		operands[0], near);
	return NULL;
}

/* Store an option with its value, or NULL. Return false if the value is invalid. */
static bool store(const struct option_row *row, const char *value, struct ik_options *o)
{
	void *place = (char *)o + row->place;
	bool yes = !value || ik_text_equal(value, "yes");

	if (row->takes == MANY) {
		const char **values = place;
		size_t count = 0;

		while (values[count])
			count++;
		if (count == IK_OPTION_MANY)
			return false;
		values[count] = value;
	} else if (row->takes == VALUE || row->takes == ADDRESS || row->takes == ID)
		*(const char **)place = value ? value : "";
	else
		*(bool *)place = yes;
	return row->takes != YES_NO || yes || ik_text_equal(value, "no");
}

/* Fail with an error that names the word that getopt rejected, and the help of the verb. */
static enum ik_status bad_option(int result, int argc, char **argv, struct ik_error *error)
{
	const char *word = argv[optind - 1], *verb = "", *blank = "";

	for (int i = 1; i < argc && !*verb; i++)
		if (find_word(argv[i])) {
			verb = argv[i];
			blank = " ";
		}
	if (result == ':')
		return ik_error_set(error, IK_INVALID, _("%s needs a value; see ikigai%s%s --help"), word,
			blank, verb);
	if (optopt > 0 && optopt < LONG)
		return ik_error_set(error, IK_INVALID, _("there is no option -%c; see ikigai%s%s --help"),
			optopt, blank, verb);
	if (optopt >= LONG)
		return ik_error_set(error, IK_INVALID, _("%s takes no value; see ikigai%s%s --help"), word,
			blank, verb);
	return ik_error_set(error, IK_INVALID, _("there is no option %s; see ikigai%s%s --help"), word,
		blank, verb);
}

/* Read all options. given lists the rows of those on the command line. */
static enum ik_status read_options(int argc, char **argv, struct ik_options *o, bool given[ROWS],
	struct ik_error *error)
{
	struct option long_options[ROWS + 1] = { { NULL, 0, NULL, 0 } };
	int option, count = 0;

	for (int i = 0; i < ROWS; i++) {
		enum takes takes = rows[i].takes;

		if (rows[i].name)
			long_options[count++] = (struct option){
				.name = rows[i].name + 2,
				.has_arg = takes == NOTHING                               ? no_argument
					: takes == VALUE || takes == ADDRESS || takes == MANY ? required_argument
																		  : optional_argument,
				.val = LONG + i,
			};
	}
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":C:p:m:s:h", long_options, NULL)) != -1) {
		int i = option >= LONG ? option - LONG : 0;

		while (option < LONG && i < ROWS && rows[i].letter != option)
			i++;
		if (i == ROWS || !store(&rows[i], optarg, o))
			return bad_option(option, argc, argv, error);
		given[i] = true;
	}
	return IK_OK;
}

/* Check that the verb accepts all given options and the number of operands. */
static enum ik_status check(const struct verb *verb, const bool given[ROWS], char **operands,
	int count, struct ik_error *error)
{
	int most = verb->most;

	for (int i = 0; i < ROWS; i++)
		if (given[i] && rows[i].verbs != 0 && !(rows[i].verbs & 1u << verb->verb))
			return ik_error_set(error, IK_INVALID,
				_("%s is no option of \"ikigai%s%s%s%s\"; see its --help"), rows[i].name,
				verb->word ? " " : "", verb->word ? verb->word : "", verb->second_word ? " " : "",
				verb->second_word ? verb->second_word : "");
	if (count < verb->least)
		return ik_error_set(error, IK_INVALID, "\"ikigai %s %s\" %s", verb->word, verb->second_word,
			_(verb->wants));
	if (verb->verb == IK_VERB_EXEC && count > 1 && !ik_text_equal(operands[1], "-"))
		most = 1; /* only a "-" may follow a prompt */
	if (count > most && verb->verb != IK_VERB_CHAT && verb->verb != IK_VERB_EXEC)
		return ik_error_set(error, IK_INVALID, _("one word too many: \"%s\"; see ikigai %s --help"),
			operands[most], verb->word);
	if (count > most && verb->verb == IK_VERB_CHAT)
		return ik_error_set(error, IK_INVALID,
			_("\"%s\" is no command; for a message, \"%s\" is one word too many: put all of it in "
			  "quotes"),
			operands[0], operands[most]);
	if (count > most)
		return ik_error_set(error, IK_INVALID,
			_("one word too many: \"%s\" (put a prompt with blanks in quotes)"), operands[most]);
	return IK_OK;
}

enum ik_status ik_options_read(int argc, char **argv, struct ik_options *ret_options,
	struct ik_error *error)
{
	struct ik_options o = { .program = argc > 0 ? argv[0] : "ikigai" };
	bool given[ROWS] = { false };
	const struct verb *verb;
	int count, used = 0;

	if (read_options(argc, argv, &o, given, error) != IK_OK)
		return error->status;
	o.operands = argv + optind;
	count = argc - optind;
	o.resume = o.resume_id;
	if (o.resume && o.resume_id[0] == '\0')
		o.resume_id = NULL;
	if (o.version) {
		o.verb = IK_VERB_VERSION;
		*ret_options = o;
		return IK_OK;
	}
	verb = o.help && count == 1 ? find_word(o.operands[0]) : NULL;
	if (!verb)
		verb = find_verb(argv + optind, count, &used, error);
	if (!verb)
		return IK_INVALID;
	if (o.help) {
		o.verb = IK_VERB_HELP;
		o.help_text = _(verb->help);
		*ret_options = o;
		return IK_OK;
	}
	o.operands += used;
	count -= used;
	if (check(verb, given, argv + optind + used, count, error) != IK_OK)
		return error->status;
	o.verb = verb->verb;
	o.first = count > 0 ? o.operands[0] : NULL;
	o.second = count > 1 ? o.operands[1] : NULL;
	*ret_options = o;
	return IK_OK;
}

/* ---- completion ---- */

/* Where completions go. */
struct shell_words {
	ik_candidate_sink *add;
	void *arg;
	const char *help; /* what says what they mean */
};

/* Is a word among the names of an option or a command, "-p, --provider NAME"? */
static bool is_named(const char *names, size_t length, const char *word)
{
	size_t word_length = strlen(word);

	for (const char *at = names; at + word_length <= names + length; at++)
		if (strncmp(at, word, word_length) == 0 && (at == names || strchr(",;", at[-2])) &&
			strchr(" ,[;\n", at[word_length]))
			return true;
	return false;
}

/* Append what a help says of an option or a command: the second column of its line, and the lines
 * that go on with it. */
static void put_meaning(const char *help, const char *word, struct ik_buf *out)
{
	size_t column = 0, length; /* of the names, once found */

	for (const char *line = help; *line != '\0'; line += length + (line[length] == '\n')) {
		size_t indent = strspn(line, " ");
		const char *text = line + indent;

		length = strcspn(line, "\n");
		if (column > 0 && indent < column + 6)
			return;
		if (column == 0) {
			const char *gap = memmem(text, length - indent, "  ", 2), *names = text;

			text = gap ? gap + strspn(gap, " ") : line + length;
			if (indent < 2 || !is_named(names, (size_t)(text - names), word))
				continue;
			column = indent;
		}
		if (text < line + length)
			ik_buf_printf(out, "%s%.*s", out->length > 0 ? " " : "", (int)(line + length - text),
				text);
	}
}

static void add_candidate(const struct shell_words *all, const char *value)
{
	struct ik_buf meaning;

	ik_buf_init(&meaning, IK_KIB(4));
	put_meaning(all->help, value, &meaning);
	if (meaning.length == 0)
		put_meaning(_(chat_help), value, &meaning);
	all->add(all->arg, value, meaning.data ? meaning.data : "");
	ik_buf_done(&meaning);
}

/* Pass on the options of a command, or of all commands that begin with the word first (NULL:
 * none). */
static void add_options(const struct shell_words *all, const struct verb *verb, const char *first)
{
	unsigned allowed = verb ? 1u << verb->verb : 0;

	for (size_t i = 1; first && i < VERBS; i++)
		if (ik_text_equal(verbs[i].word, first))
			allowed |= 1u << verbs[i].verb;
	for (const struct option_row *row = rows; row < rows + ROWS; row++)
		if (row->verbs == 0 || row->verbs & allowed) {
			const char short_name[] = { '-', row->letter, '\0' };

			add_candidate(all, row->name ? row->name : short_name);
		}
}

/* Pass on the words that can follow the word first of a command (NULL: first words). */
static void add_words(const struct shell_words *all, const char *first)
{
	for (const struct verb *verb = verbs + 1; verb < verbs + VERBS; verb++) {
		if (!first && find_word(verb->word) == verb)
			add_candidate(all, verb->word);
		if (first && verb->second_word && ik_text_equal(verb->word, first))
			add_candidate(all, verb->second_word);
	}
}

/* Return the row of the option that a word is, up to "=". */
static const struct option_row *find_option(const char *word)
{
	size_t length = strcspn(word, "=");

	for (const struct option_row *row = rows; row < rows + ROWS; row++)
		if ((row->name && strlen(row->name) == length && strncmp(row->name, word, length) == 0) ||
			(row->letter && length == 2 && word[0] == '-' && word[1] == row->letter))
			return row;
	return NULL;
}

/* Pass on the values of an option that has a few, and return what they are. */
static enum ik_operand add_values(const struct shell_words *all, const struct option_row *row)
{
	static const char *const values[IK_OPERAND_COUNT][3] = {
		[IK_OPERAND_YES_NO] = { "yes", "no" },
		[IK_OPERAND_SANDBOX] = { "off", "project", "read-only" },
		[IK_OPERAND_LANGUAGE] = { "sh", "python", "c" },
		[IK_OPERAND_FORMAT] = { "jsonl", "markdown" },
	};

	for (size_t i = 0; row && i < 3 && values[row->value][i]; i++)
		all->add(all->arg, values[row->value][i], "");
	return row ? row->value : IK_OPERAND_TEXT;
}

/* Pass on the words that can follow count operands, and return what other words are. */
static enum ik_operand add_operands(const struct shell_words *all, char **operands, int count,
	const struct verb *verb, int used)
{
	if (count == 0 || !verb)
		add_words(all, count == 0 ? NULL : operands[0]);
	if (!verb || count - used >= verb->most)
		return IK_OPERAND_TEXT;
	if (count - used > 0 && verb->operand == IK_OPERAND_KEY)
		return IK_OPERAND_KEY_VALUE;
	return count - used > 0 && verb->operand == IK_OPERAND_TOOL ? IK_OPERAND_TEXT : verb->operand;
}

enum ik_operand ik_options_complete(int argc, char **argv, struct ik_options *ret_options,
	size_t *ret_start, ik_candidate_sink *sink, void *arg)
{
	struct shell_words all = { .add = sink, .arg = arg, .help = _(chat_help) };
	const char *last = argv[argc - 1], *equals = strchr(last, '=');
	const struct option_row *row = argc > 2 ? find_option(argv[argc - 2]) : NULL;
	struct ik_options o = { .program = argv[0] };
	bool given[ROWS] = { false };
	struct ik_error error;
	const struct verb *verb;
	int count, used;

	*ret_start = 0;
	if (row &&
		((row->takes != VALUE && row->takes != ADDRESS && row->takes != MANY) ||
			strchr(argv[argc - 2], '=')))
		row = NULL;
	if (read_options(row ? argc - 2 : argc - 1, argv, &o, given, &error) != IK_OK)
		return IK_OPERAND_TEXT;
	count = (row ? argc - 2 : argc - 1) - optind;
	o.first = count > 0 ? argv[optind + count - 1] : NULL;
	*ret_options = o;
	if (!row && equals && (row = find_option(last)))
		*ret_start = (size_t)(equals + 1 - last);
	if (row)
		return add_values(&all, row);
	verb = find_verb(argv + optind, count, &used, &error);
	if (count > 0 && find_word(argv[optind]))
		all.help = _(find_word(argv[optind])->help);
	if (last[0] != '-')
		return add_operands(&all, argv + optind, count, verb, used);
	add_options(&all, verb, count > 0 ? argv[optind] : NULL);
	return IK_OPERAND_TEXT;
}

/* Append the given options that all verbs accept, quoted for a shell: " -C DIR ...". */
static void put_options(const struct ik_options *options, struct ik_buf *out)
{
	for (const struct option_row *row = rows; row < rows + ROWS; row++) {
		const void *place = (const char *)options + row->place;
		const char *value;
		char *shown;

		if (row->verbs != 0 || row->takes == ID)
			continue;
		if (row->takes == NOTHING || row->takes == YES_NO) {
			if (*(const bool *)place)
				ik_buf_printf(out, " %s", row->name);
			continue;
		}
		value = *(const char *const *)place;
		shown = ik_redact(value);
		if (value && (row->takes != ADDRESS || ik_text_equal(shown, value))) {
			if (row->letter)
				ik_buf_printf(out, " -%c ", row->letter);
			else
				ik_buf_printf(out, " %s ", row->name);
			ik_shell_word_put(out, value);
		}
		free(shown);
	}
}

char *ik_resume_command(const struct ik_options *options, const char *id)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_USER_TEXT);
	ik_shell_word_put(&out, options->program);
	put_options(options, &out);
	ik_buf_printf(&out, " --resume=%s", id);
	return ik_buf_take(&out, NULL);
}
