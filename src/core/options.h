/*
 * options: the command line, parsed into one struct.
 *
 * GNU long options; the --help of every subcommand has an example. This module only parses: errors
 * are sentences, with exit status 2.
 *
 * May include: util.
 */
#ifndef IK_CORE_OPTIONS_H
#define IK_CORE_OPTIONS_H

#include "util/buf.h"

#include <stdbool.h>

enum ik_verb {
	IK_VERB_CHAT,
	IK_VERB_EXEC,
	IK_VERB_TOOL_LIST,
	IK_VERB_TOOL_SHOW,
	IK_VERB_TOOL_RUN,
	IK_VERB_TOOL_VALIDATE,
	IK_VERB_TOOL_NEW,
	IK_VERB_TOOL_TRUST,
	IK_VERB_SESSION_LIST,
	IK_VERB_SESSION_SHOW,
	IK_VERB_SESSION_EXPORT,
	IK_VERB_SESSION_IMPORT,
	IK_VERB_SESSION_SEARCH,
	IK_VERB_SESSION_DELETE,
	IK_VERB_SESSION_BACKUP,
	IK_VERB_SESSION_RECOVER,
	IK_VERB_MODEL_LIST,
	IK_VERB_MODEL_SHOW,
	IK_VERB_CONFIG,
	IK_VERB_CONFIG_SET,
	IK_VERB_DOCTOR,
	IK_VERB_HOOK_LIST,
	IK_VERB_MCP_SERVE,
	IK_VERB_MCP_LIST,
	IK_VERB_MCP_ADD,
	IK_VERB_MCP_REMOVE,
	IK_VERB_MCP_TEST,
	IK_VERB_ACP,
	IK_VERB_HELP, /* print help_text, exit 0 */
	IK_VERB_VERSION
};

/* An option that may be given several times has at most so many values. */
enum { IK_OPTION_MANY = 32 };

/* Strings point into argv. NULL: not given. */
struct ik_options {
	enum ik_verb verb;
	const char *program;        /* argv[0] */
	const char *directory;      /* -C */
	const char *config_file;    /* --config */
	const char *provider;       /* -p */
	const char *model;          /* -m */
	const char *base_url;       /* --base-url */
	const char *system_prompt;  /* -s: a file */
	const char *database;       /* --database */
	const char *sandbox;        /* --sandbox: a mode */
	const char *max_tool_turns; /* --max-tool-turns, not parsed yet */
	bool resume;                /* --resume[=ID] */
	bool wait;                  /* --wait: wait until a session that is open elsewhere is free */
	bool require_store;         /* --require-store: fail unless the database has stored
	                               everything */
	const char *output_schema;  /* --output-schema: a file */
	const char *resume_id;
	bool no_tools;
	bool screen_reader;
	bool json;
	bool yes;
	bool all;
	const char *for_provider;                  /* --for */
	const char *language;                      /* --lang */
	bool project;                              /* --project */
	bool trust_project;                        /* --trust-project[=no] */
	bool revoke;                               /* --revoke */
	const char *http;                          /* --http: an address with a port */
	const char *tools;                         /* --tools: names and globs, with commas */
	const char *url;                           /* --url */
	const char *headers[IK_OPTION_MANY + 1];   /* --header, NULL-terminated */
	const char *variables[IK_OPTION_MANY + 1]; /* --env, NULL-terminated */
	const char *format;                        /* --format */
	const char *older_than;                    /* --older-than: days */
	bool dry_run;                              /* --dry-run */
	const char *limit;                         /* --limit: a number */
	bool everybody;                            /* --everybody */
	const char *first;                         /* MESSAGE, PROMPT, NAME, DIR, ID, FILE, TEXT */
	const char *second;                        /* JSON, or "-" after PROMPT */
	char *const *operands;                     /* all operands (PATH...), NULL-terminated */
	bool help, version;
	const char *help_text; /* IK_VERB_HELP: the help to print */
};

/* Parse argv (argc words, beginning with the program's name). */
enum ik_status ik_options_read(int argc, char **argv, struct ik_options *ret_options,
	struct ik_error *error) IK_MUST_USE;

/* What a word of the command line is, besides an option or a command. */
enum ik_operand {
	IK_OPERAND_TEXT, /* only the user knows */
	IK_OPERAND_FILE,
	IK_OPERAND_DIRECTORY,
	IK_OPERAND_PROVIDER,
	IK_OPERAND_MODEL,
	IK_OPERAND_SESSION,
	IK_OPERAND_TOOL,
	IK_OPERAND_SERVER,
	IK_OPERAND_KEY,       /* of the configuration */
	IK_OPERAND_KEY_VALUE, /* of the key that is the last operand (first) */
	IK_OPERAND_YES_NO,
	IK_OPERAND_SANDBOX,
	IK_OPERAND_LANGUAGE,
	IK_OPERAND_FORMAT,
	IK_OPERAND_COUNT
};

/* Called with a word, and what it means, or "". */
typedef void ik_candidate_sink(void *arg, const char *word, const char *meaning);

/*
 * Complete a command line, of which argv has the words up to the one to complete, at least two: pass
 * on the commands, options and fixed values that can stand in its place, whatever it begins with.
 * Return what else can; *ret_start is where the value begins in the word ("--model=..."), ret_options
 * has what the words before it say, and first, the last operand.
 */
enum ik_operand ik_options_complete(int argc, char **argv, struct ik_options *ret_options,
	size_t *ret_start, ik_candidate_sink *sink, void *arg);

/* Return the command that resumes a session with the same program and options, quoted for a shell
 * in the same directory, but without any address that contains a password. The caller frees it. */
char *ik_resume_command(const struct ik_options *options, const char *id);

#endif
