#include "core/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

enum {
	OPTION_CONFIG = 256,
	OPTION_BASE_URL,
	OPTION_DATABASE,
	OPTION_RESUME,
	OPTION_NO_TOOLS,
	OPTION_READER,
	OPTION_TRUST,
	OPTION_TURNS,
	OPTION_SANDBOX,
	OPTION_JSON,
	OPTION_YES,
	OPTION_ALL,
	OPTION_FOR,
	OPTION_LANGUAGE,
	OPTION_PROJECT,
	OPTION_REVOKE,
	OPTION_FORMAT,
	OPTION_WAIT,
	OPTION_OLDER,
	OPTION_DRY,
	OPTION_LIMIT,
	OPTION_HELP,
	OPTION_VERSION
};

/* A set of the options that only some verbs have. */
enum {
	TAKES_JSON = 1,
	TAKES_YES = 2,
	TAKES_ALL = 4,
	TAKES_FOR = 8,
	TAKES_LANGUAGE = 16,
	TAKES_PROJECT = 32,
	TAKES_REVOKE = 64,
	TAKES_FORMAT = 128,
	TAKES_WAIT = 256,
	TAKES_AGE = 512,
	TAKES_LIMIT = 1024
};
/* clang-format off */
static const char *const special_options[] = {
	"--json", "--yes", "--all", "--for", "--lang", "--project", "--revoke", "--format",
	"--wait", "--older-than", "--limit",
};
/* clang-format on */

static const char chat_help[] =
	N_("Usage: ikigai [OPTIONS] [MESSAGE]\n"
	   "       ikigai exec [OPTIONS] [PROMPT] [-]\n"
	   "       ikigai tool list|show|run|validate|new|trust ...\n"
	   "       ikigai session list|show|export|import|search|delete ...\n"
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
	   "Example: ikigai -p openai -m gpt-5-mini\n"
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
	   "and the options of ikigai itself (ikigai --help).\n"
	   "\n"
	   "Exit status: 0 the reply is complete; 1 it failed; 2 wrong usage or\n"
	   "configuration; 75 the session is open elsewhere; 130 interrupted.\n"
	   "\n"
	   "Example: git diff | ikigai exec \"review this\"\n");

static const char tool_help[] =
	N_("Usage: ikigai tool list [--json] [--all]\n"
	   "       ikigai tool show NAME [--json] [--for PROVIDER]\n"
	   "       ikigai tool run NAME [JSON | -] [--json]\n"
	   "       ikigai tool validate PATH...\n"
	   "       ikigai tool new NAME [--lang sh|python|c] [--project]\n"
	   "       ikigai tool trust [--revoke] [DIR]\n"
	   "\n"
	   "  list      the tools that a model is offered; with --all also those that\n"
	   "            failed or are shadowed, disabled or untrusted, and why\n"
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
	N_("Usage: ikigai session list [--limit N] [--json]\n"
	   "       ikigai session show ID [--json]\n"
	   "       ikigai session export ID [--format jsonl|markdown]\n"
	   "       ikigai session import FILE\n"
	   "       ikigai session search WORD... [--json] [--all]\n"
	   "       ikigai session delete ID [--yes]\n"
	   "       ikigai session delete --older-than DAYS [--dry-run] [--yes]\n"
	   "\n"
	   "ID is the beginning of an id, a number of the list (1 is the newest), or words of\n"
	   "a title that only one session has.\n"
	   "\n"
	   "  list    all sessions, newest first: number, id, age, messages, directory, title;\n"
	   "          on a terminal the newest 100, with --limit N the newest N (0: all)\n"
	   "  show    one session for people\n"
	   "  export  one session on standard output: one JSON object a line for each event,\n"
	   "          which import takes, or Markdown\n"
	   "  import  take in what export wrote; what is there already stays as it is\n"
	   "  search  the places of all sessions that have all of the words, newest first: \"two\n"
	   "          words\" in a row in quotation marks of their own, begin* for words that\n"
	   "          begin so; with --all more than the first 200\n"
	   "  delete  delete a session for good, after asking; with --yes without\n"
	   "\n"
	   "With --json list, show and search print one JSON object a line.\n"
	   "\n"
	   "Example: ikigai session export 1 --format markdown > talk.md\n"
	   "See also ikigai-session(1).\n");

static const char config_help[] =
	N_("Usage: ikigai config [--json]\n"
	   "\n"
	   "The effective configuration, each value with where it came from.\n"
	   "\n"
	   "Example: ikigai config | grep tools.\n");

static const char doctor_help[] =
	N_("Usage: ikigai doctor [--json]\n"
	   "\n"
	   "Checks terminal, locale, directories, configuration, database, tools, and every\n"
	   "provider that is configured or has a key (it is asked for its models): one line\n"
	   "a check, with what to do where something is wrong.  The exit status is 1 then.\n"
	   "With --json each line is an object of check, state and message.\n"
	   "\n"
	   "Example: ikigai doctor | grep -v ^ok\n");

static const struct option long_options[] = {
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "provider", required_argument, NULL, 'p' },
	{ "model", required_argument, NULL, 'm' },
	{ "base-url", required_argument, NULL, OPTION_BASE_URL },
	{ "system-prompt", required_argument, NULL, 's' },
	{ "database", required_argument, NULL, OPTION_DATABASE },
	{ "resume", optional_argument, NULL, OPTION_RESUME },
	{ "continue", optional_argument, NULL, OPTION_RESUME },
	{ "no-tools", no_argument, NULL, OPTION_NO_TOOLS },
	{ "screen-reader", no_argument, NULL, OPTION_READER },
	{ "trust-project", optional_argument, NULL, OPTION_TRUST },
	{ "sandbox", required_argument, NULL, OPTION_SANDBOX },
	{ "max-tool-turns", required_argument, NULL, OPTION_TURNS },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "yes", no_argument, NULL, OPTION_YES },
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "for", required_argument, NULL, OPTION_FOR },
	{ "lang", required_argument, NULL, OPTION_LANGUAGE },
	{ "project", no_argument, NULL, OPTION_PROJECT },
	{ "revoke", no_argument, NULL, OPTION_REVOKE },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "wait", no_argument, NULL, OPTION_WAIT },
	{ "older-than", required_argument, NULL, OPTION_OLDER },
	{ "dry-run", no_argument, NULL, OPTION_DRY },
	{ "limit", required_argument, NULL, OPTION_LIMIT },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

/* What each verb accepts in addition to the common options. */
struct verb {
	const char *word, *second_word;
	enum ik_verb verb;
	const char *help;
	unsigned takes;    /* TAKES_... */
	int least, most;   /* operands */
	const char *wants; /* the error for too few operands */
};

#define WANTS_SESSION N_("needs the id or the number of a session; ikigai session list shows them")
#define WANTS_TOOL N_("needs the name of a tool; ikigai tool list shows them")

static const struct verb verbs[] = {
	{ NULL, NULL, IK_VERB_CHAT, chat_help, 0, 0, 1, NULL },
	{ "exec", NULL, IK_VERB_EXEC, exec_help, TAKES_JSON | TAKES_YES | TAKES_WAIT, 0, 2, NULL },
	{ "tool", "list", IK_VERB_TOOL_LIST, tool_help, TAKES_JSON | TAKES_ALL, 0, 0, NULL },
	{ "tool", "show", IK_VERB_TOOL_SHOW, tool_help, TAKES_JSON | TAKES_FOR, 1, 1, WANTS_TOOL },
	{ "tool", "run", IK_VERB_TOOL_RUN, tool_help, TAKES_JSON, 1, 2, WANTS_TOOL },
	{ "tool", "validate", IK_VERB_TOOL_VALIDATE, tool_help, 0, 1, INT_MAX,
		N_("needs the path of an executable, or several") },
	{ "tool", "new", IK_VERB_TOOL_NEW, tool_help, TAKES_LANGUAGE | TAKES_PROJECT, 1, 1,
		N_("needs a name for the tool, such as: ikigai tool new weather") },
	{ "tool", "trust", IK_VERB_TOOL_TRUST, tool_help, TAKES_REVOKE, 0, 1, NULL },
	{ "session", "list", IK_VERB_SESSION_LIST, session_help, TAKES_JSON | TAKES_LIMIT, 0, 0, NULL },
	{ "session", "show", IK_VERB_SESSION_SHOW, session_help, TAKES_JSON, 1, 1, WANTS_SESSION },
	{ "session", "export", IK_VERB_SESSION_EXPORT, session_help, TAKES_FORMAT, 1, 1,
		WANTS_SESSION },
	{ "session", "import", IK_VERB_SESSION_IMPORT, session_help, 0, 1, 1,
		N_("needs a file that ikigai session export wrote") },
	{ "session", "search", IK_VERB_SESSION_SEARCH, session_help, TAKES_JSON | TAKES_ALL, 1, 1000,
		N_("needs the words to look for") },
	{ "session", "delete", IK_VERB_SESSION_DELETE, session_help, TAKES_YES | TAKES_AGE, 0, 1,
		WANTS_SESSION },
	{ "config", NULL, IK_VERB_CONFIG, config_help, TAKES_JSON, 0, 0, NULL },
	{ "doctor", NULL, IK_VERB_DOCTOR, doctor_help, TAKES_JSON, 0, 0, NULL },
};

/* Find the verb that the first *ret_used operands name. */
static const struct verb *find_verb(char **operands, int count, int *ret_used,
	struct ik_error *error)
{
	static const char *const words[] = { "exec", "tool", "session", "config", "doctor" };
	size_t i;

	*ret_used = 0;
	if (count == 0)
		return &verbs[0];
	for (i = 1; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!ik_text_equal(operands[0], verbs[i].word))
			continue;
		if (!verbs[i].second_word) {
			*ret_used = 1;
			return &verbs[i];
		}
		if (count > 1 && ik_text_equal(operands[1], verbs[i].second_word)) {
			*ret_used = 2;
			return &verbs[i];
		}
	}
	if (ik_text_equal(operands[0], "session")) {
		(void)ik_error_set(error, IK_INVALID,
			count > 1
				? _("\"session %s\" is no command; there are list, show, export, import, search "
					"and delete")
				: _("\"session\" needs a word more: list, show, export, import, search or delete"),
			count > 1 ? operands[1] : "");
	} else if (ik_text_equal(operands[0], "tool")) {
		(void)ik_error_set(error, IK_INVALID,
			count > 1
				? _("\"tool %s\" is no command; there are list, show, run, validate, new and trust")
				: _("\"tool\" needs a word more: list, show, run, validate, new or trust"),
			count > 1 ? operands[1] : "");
	} else {
		const char *near = ik_text_nearest(operands[0], words, sizeof(words) / sizeof(words[0]));

		if (!near)
			return &verbs[0]; /* the first message */
		(void)ik_error_set(error, IK_INVALID, _("\"%s\" is no command; did you mean \"%s\"?"),
			operands[0], near);
	}
	return NULL;
}

/* Store one option; false: getopt didn't know it. */
static bool take_option(struct ik_options *o, int option)
{
	switch (option) {
	case 'C':
		o->directory = optarg;
		return true;
	case 'p':
		o->provider = optarg;
		return true;
	case 'm':
		o->model = optarg;
		return true;
	case 's':
		o->system_prompt = optarg;
		return true;
	case OPTION_CONFIG:
		o->config_file = optarg;
		return true;
	case OPTION_BASE_URL:
		o->base_url = optarg;
		return true;
	case OPTION_DATABASE:
		o->database = optarg;
		return true;
	case OPTION_SANDBOX:
		o->sandbox = optarg;
		return true;
	case OPTION_TURNS:
		o->max_tool_turns = optarg;
		return true;
	case OPTION_RESUME:
		o->resume = true;
		o->resume_id = optarg && optarg[0] != '\0' ? optarg : NULL;
		return true;
	case OPTION_NO_TOOLS:
		o->no_tools = true;
		return true;
	case OPTION_READER:
		o->screen_reader = true;
		return true;
	case OPTION_TRUST:
		o->trust_project = !optarg || ik_text_equal(optarg, "yes");
		return o->trust_project || ik_text_equal(optarg, "no");
	case OPTION_JSON:
		o->json = true;
		return true;
	case OPTION_YES:
		o->yes = true;
		return true;
	case OPTION_ALL:
		o->all = true;
		return true;
	case OPTION_FOR:
		o->for_provider = optarg;
		return true;
	case OPTION_LANGUAGE:
		o->language = optarg;
		return true;
	case OPTION_PROJECT:
		o->project = true;
		return true;
	case OPTION_REVOKE:
		o->revoke = true;
		return true;
	case OPTION_WAIT:
		o->wait = true;
		return true;
	case OPTION_FORMAT:
		o->format = optarg;
		return true;
	case OPTION_OLDER:
		o->older_than = optarg;
		return true;
	case OPTION_DRY:
		o->dry_run = true;
		return true;
	case OPTION_LIMIT:
		o->limit = optarg;
		return true;
	case OPTION_HELP:
	case 'h':
		o->verb = IK_VERB_HELP;
		return true;
	case OPTION_VERSION:
		o->verb = IK_VERB_VERSION;
		return true;
	default:
		return false;
	}
}

/* Return the set of given options that only some verbs have. */
static unsigned given(const struct ik_options *o)
{
	return (o->json ? TAKES_JSON : 0u) | (o->yes ? TAKES_YES : 0u) | (o->all ? TAKES_ALL : 0u) |
		(o->for_provider ? TAKES_FOR : 0u) | (o->language ? TAKES_LANGUAGE : 0u) |
		(o->project ? TAKES_PROJECT : 0u) | (o->revoke ? TAKES_REVOKE : 0u) |
		(o->format ? TAKES_FORMAT : 0u) | (o->wait ? TAKES_WAIT : 0u) |
		(o->older_than || o->dry_run ? TAKES_AGE : 0u) | (o->limit ? TAKES_LIMIT : 0u);
}

/* Name the word that getopt rejected. */
static enum ik_status bad_option(int result, char **argv, struct ik_error *error)
{
	const char *word = argv[optind - 1];

	if (result == ':')
		return ik_error_set(error, IK_INVALID, _("%s needs a value; see ikigai --help"), word);
	if (optopt > 0 && optopt < 256)
		return ik_error_set(error, IK_INVALID, _("there is no option -%c; see ikigai --help"),
			optopt);
	if (optopt >= 256)
		return ik_error_set(error, IK_INVALID, _("%s takes no value; see ikigai --help"), word);
	return ik_error_set(error, IK_INVALID, _("there is no option %s; see ikigai --help"), word);
}

enum ik_status ik_options_read(int argc, char **argv, struct ik_options *ret_options,
	struct ik_error *error)
{
	struct ik_options o;
	const struct verb *verb;
	int option, used, count, most;
	size_t special;

	memset(&o, 0, sizeof(o));
	o.verb = IK_VERB_CHAT;
	o.program = argc > 0 ? argv[0] : "ikigai";
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":C:p:m:s:h", long_options, NULL)) != -1)
		if (!take_option(&o, option))
			return bad_option(option, argv, error);
	count = argc - optind;
	if (o.verb == IK_VERB_VERSION) {
		*ret_options = o;
		return IK_OK;
	}
	if (o.verb == IK_VERB_HELP && count == 1 &&
		(ik_text_equal(argv[optind], "tool") || ik_text_equal(argv[optind], "session"))) {
		o.help_text = ik_text_equal(argv[optind], "tool") ? _(tool_help) : _(session_help);
		*ret_options = o;
		return IK_OK;
	}
	verb = find_verb(argv + optind, count, &used, error);
	if (!verb)
		return IK_INVALID;
	if (o.verb == IK_VERB_HELP) {
		o.help_text = _(verb->help);
		*ret_options = o;
		return IK_OK;
	}
	count -= used;
	for (special = 0; special < sizeof(special_options) / sizeof(special_options[0]); special++)
		if (given(&o) & ~verb->takes & 1u << special)
			return ik_error_set(error, IK_INVALID,
				_("%s is no option of \"ikigai%s%s%s%s\"; see its --help"),
				special_options[special], verb->word ? " " : "", verb->word ? verb->word : "",
				verb->second_word ? " " : "", verb->second_word ? verb->second_word : "");
	if (count < verb->least)
		return ik_error_set(error, IK_INVALID, "\"ikigai %s %s\" %s", verb->word, verb->second_word,
			_(verb->wants));
	most = verb->most;
	if (verb->verb == IK_VERB_EXEC && count > 1 && !ik_text_equal(argv[optind + used + 1], "-"))
		most = 1; /* only a "-" may follow a prompt */
	if (count > most)
		return ik_error_set(error, IK_INVALID,
			_("one word too many: \"%s\" (put a prompt with blanks in quotes)"),
			argv[optind + used + most]);
	o.verb = verb->verb;
	o.first = count > 0 ? argv[optind + used] : NULL;
	o.second = count > 1 ? argv[optind + used + 1] : NULL;
	o.operands = argv + optind + used;
	*ret_options = o;
	return IK_OK;
}
